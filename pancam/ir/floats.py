# SPDX-License-Identifier: Apache-2.0
"""Bits of floating point constants as LLVM prints them: decimal, 0x (a double), 0xK, 0xL, 0xM, 0xH and 0xR."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pancam.ir.types import FloatType

_PREFIXES = {"K": "x86_fp80", "L": "fp128", "M": "ppc_fp128", "H": "half", "R": "bfloat"}
_ALL_ONES = 0x7FF  # the exponent of infinities and NaNs in a double
_MANTISSA_BITS = {"half": 10, "bfloat": 7, "float": 23}
_PACK_FORMAT = {"half": "<e", "float": "<f"}


def float_bits(float_type: FloatType, token: str) -> int:
    """Bits of the constant `token` in the format of its type; ValueError when the token is no such constant."""
    if token.startswith("0x"):
        letter = token[2:3]
        if letter in _PREFIXES:
            return _own_format_bits(float_type, letter, token[3:])
        return _narrow(float_type, int(token, 0))
    return _narrow(float_type, int.from_bytes(struct.pack("<d", float(token)), "little"))


def _own_format_bits(float_type: FloatType, letter: str, digits: str) -> int:
    if _PREFIXES[letter] != float_type.kind:
        raise ValueError(f"0x{letter} is not a {float_type.kind}")
    if letter in "LM":  # two 64-bit words, the low one first
        return int(digits[16:], 16) << 64 | int(digits[:16], 16)
    return int(digits, 16)


def _narrow(float_type: FloatType, bits: int) -> int:
    """The double with these bits in a narrower format; LLVM prints only doubles that convert exactly."""
    if float_type.kind == "double":
        return bits
    if float_type.kind not in _MANTISSA_BITS:
        raise ValueError(f"a {float_type.kind} written as a double")
    mantissa = _MANTISSA_BITS[float_type.kind]
    if bits >> 52 & _ALL_ONES == _ALL_ONES:  # infinities and NaNs by hand: conversion would quieten a signalling NaN
        exponent_bits = float_type.width - 1 - mantissa
        sign = bits >> 63 << float_type.width - 1
        return sign | ((1 << exponent_bits) - 1) << mantissa | (bits & (1 << 52) - 1) >> 52 - mantissa
    value: float = struct.unpack("<d", bits.to_bytes(8, "little"))[0]
    if float_type.kind == "bfloat":
        return int.from_bytes(struct.pack("<f", value), "little") >> 16
    return int.from_bytes(struct.pack(_PACK_FORMAT[float_type.kind], value), "little")
