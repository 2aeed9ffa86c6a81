# SPDX-License-Identifier: Apache-2.0
"""Values that the check chose, as pancam_nondet_X and __VERIFIER_nondet_X return them."""

from __future__ import annotations

from pancam.explain.values import format_char, format_float
from pancam.nondet.kinds import RANGE, UNINITIALISED, is_signed, kind_of, signed_width

FLOAT_BYTES = {"float": 4, "double": 8}


def nondet_text(name: str, arguments: tuple[int, ...], bits: int, pointer_bits: int = 64) -> str:
    """`pancam_nondet_int() = -1`, or nothing for another function."""
    name = name.partition(" ")[0]  # each call has a function of its own
    if name == RANGE:
        shown = ", ".join(_number(argument, pointer_bits) for argument in arguments)
        return f"{name}({shown}) = {_number(bits, pointer_bits)}"
    if name == UNINITIALISED:
        return f"a variable that has no value yet is taken to be {bits}"
    kind = kind_of(name)
    return f"{name}() = {_value(kind, bits, pointer_bits)}" if kind is not None else ""


def _number(bits: int, width: int) -> str:
    bits &= (1 << width) - 1
    return str(bits - (1 << width) if bits >> (width - 1) else bits)


def _value(kind: str, bits: int, pointer_bits: int) -> str:
    if kind == "bool":
        return "true" if bits else "false"
    if kind == "char":
        return format_char(bits & 0xFF)
    if kind in FLOAT_BYTES:
        return format_float(bits.to_bytes(8, "little")[: FLOAT_BYTES[kind]])
    return _number(bits, signed_width(kind, pointer_bits)) if is_signed(kind) else str(bits)
