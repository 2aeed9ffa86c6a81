# SPDX-License-Identifier: Apache-2.0
"""Values that the check chose, as the functions of vm_c/guest/nondet.c return them."""

from __future__ import annotations

from pancam.explain.values import format_char, format_float

PREFIXES = ("pancam_nondet_", "__VERIFIER_nondet_")
SIGNED = {
    "schar": 8, "short": 16, "int": 32, "long": 64, "longlong": 64, "s8": 8, "s16": 16, "s32": 32, "s64": 64,
    "loff_t": 64, "range": 64,
}  # fmt: skip
LONG_NAMES = ("long", "range")


def nondet_text(name: str, arguments: tuple[int, ...], bits: int, pointer_bits: int = 64) -> str:
    """`pancam_nondet_int() = -1`, or nothing for another function."""
    prefix = next((prefix for prefix in PREFIXES if name.startswith(prefix)), None)
    if prefix is None:
        return ""
    kind = name.removeprefix(prefix)
    shown = [_number(argument, pointer_bits) for argument in arguments] if kind == "range" else []
    return f"{name}({', '.join(shown)}) = {_value(kind, bits, pointer_bits)}"


def _number(bits: int, width: int) -> str:
    bits &= (1 << width) - 1
    return str(bits - (1 << width) if bits >> (width - 1) else bits)


def _value(kind: str, bits: int, pointer_bits: int) -> str:
    if kind in ("bool", "_Bool"):
        return "true" if bits else "false"
    if kind == "char":
        return format_char(bits & 0xFF)
    if kind in ("float", "double"):
        return format_float(bits.to_bytes(8, "little")[: 4 if kind == "float" else 8])
    if kind in SIGNED:
        return _number(bits, pointer_bits if kind in LONG_NAMES else SIGNED[kind])
    return str(bits)
