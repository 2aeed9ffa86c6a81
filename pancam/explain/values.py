# SPDX-License-Identifier: Apache-2.0
"""Values of C types in the words of C: numbers, enumerators, structs, arrays, strings, pointers by their targets."""

from __future__ import annotations

import math
import struct
from typing import TYPE_CHECKING

from pancam.explain.c_types import Leaf, index_path
from pancam.explain.objects import quoted
from pancam.explain.sync_objects import describe_sync_object

if TYPE_CHECKING:
    from pancam.explain.c_types import CTypes
    from pancam.explain.objects import Objects
    from pancam.explain.sync_objects import GuestLayout

MOST_ELEMENTS = 8
MOST_MEMBERS = 12
MOST_DEPTH = 3
PRINTABLE = range(0x20, 0x7F)
ESCAPES = {0: "\\0", 9: "\\t", 10: "\\n", 13: "\\r", 39: "\\'", 92: "\\\\"}
EXTENDED_BYTES = 10  # of x87's long double, whatever it is padded to
EXTENDED_BIAS = 16383 + 63


class Values:
    """Formats bytes of a machine's memory."""

    def __init__(self, types: CTypes, objects: Objects, layout: GuestLayout) -> None:
        self.types = types
        self.objects = objects
        self.layout = layout

    def leaf(self, leaf: Leaf, data: bytes, viewer: int) -> str:
        """The value of a part whose bytes these are."""
        if leaf.bits is None:
            return self.format(leaf.type, data, viewer)
        first, width = leaf.bits
        number = int.from_bytes(data, "little") >> first & ((1 << width) - 1)
        return self._number(leaf.type, number, width)

    def format(self, key: str, data: bytes, viewer: int, depth: int = 0) -> str:
        """The value of an object of this type whose bytes these are."""
        special = self.types.special(key)
        if special:
            return describe_sync_object(special, data, self.layout)
        kind = self.types.kind(key)
        if kind in ("struct", "union"):
            return self._struct(key, data, viewer, depth)
        if kind == "array":
            return self._array(key, data, viewer, depth)
        if kind == "pointer":
            pointee = self.types.pointee(key) or ""
            return self.objects.pointer_text(int.from_bytes(data, "little"), pointee, viewer)
        if kind in ("base", "enum"):
            return self._scalar(key, data)
        return _hexadecimal(data)

    # Scalars

    def _scalar(self, key: str, data: bytes) -> str:
        row = self.types.row(self.types.resolve(key))
        encoding = row.get("encoding", "")
        if encoding == "float":
            return format_float(data, row.get("name", ""))
        if encoding == "complex_float":
            half = len(data) // 2
            return f"{format_float(data[:half])} + {format_float(data[half:])}i"
        return self._number(key, int.from_bytes(data, "little"), 8 * len(data))

    def _number(self, key: str, number: int, width: int) -> str:
        """An integer, given as its bits."""
        row = self.types.row(self.types.resolve(key))
        if row.get("kind") == "enum":
            return self._enumerator(self.types.resolve(key), number, width)
        encoding = row.get("encoding", "")
        if encoding == "boolean":
            return {0: "false", 1: "true"}.get(number, str(number))
        if self.types.is_char(key):
            return format_char(number)
        signed = encoding in ("signed", "signed_char")
        return str(number - (1 << width) if signed and number >> (width - 1) else number)

    def _enumerator(self, key: str, number: int, width: int) -> str:
        names = self.types.row(key).get("enumerators", ())
        signed = number - (1 << width) if width and number >> (width - 1) else number
        exact = next((name for name, value in names if value in (number, signed)), None)
        if exact:
            return str(exact)
        flags = [(name, value) for name, value in names if value and value & number == value]
        if number and sum(value for _, value in flags) == number:
            return " | ".join(name for name, _ in flags)
        return str(signed)

    # Aggregates

    def _struct(self, key: str, data: bytes, viewer: int, depth: int) -> str:
        if depth >= MOST_DEPTH:
            return "{...}"
        fields = []
        for member in self.types.members(key):
            inner = "" if member["type"] is None else str(member["type"])
            first, width = member["offset"], member["size"]
            if member["is_bit_field"]:
                number = int.from_bytes(data, "little") >> first & ((1 << width) - 1)
                text = self._number(inner, number, width)
            else:
                part = data[first // 8 : first // 8 + self.types.size(inner)]
                text = self.format(inner, part, viewer, depth + 1)
            fields.append(f".{member['name']} = {text}" if member["name"] else text)
        more = ["..."] if len(fields) > MOST_MEMBERS else []
        return f"{{{', '.join(fields[:MOST_MEMBERS] + more)}}}"

    def _array(self, key: str, data: bytes, viewer: int, depth: int) -> str:
        element = self.types.base(self.types.resolve(key))
        size = self.types.size(element)
        if size == 0:
            return "{}"
        if self.types.is_char(element) and is_text(data):
            return quoted(data.split(b"\0", 1)[0])
        if depth >= MOST_DEPTH:
            return "{...}"
        counts = self.types.counts(key)
        texts = [
            self.format(element, data[at : at + size], viewer, depth + 1)
            for at in range(0, min(len(data), MOST_ELEMENTS * size), size)
        ]
        shown = texts if len(counts) == 1 else [f"{index_path(i, counts)} = {text}" for i, text in enumerate(texts)]
        more = ["..."] if len(data) > MOST_ELEMENTS * size else []
        return f"{{{', '.join(shown + more)}}}"


def is_text(data: bytes) -> bool:
    """Whether an array of char holds a string: printable up to a zero, and nothing behind it."""
    text, zero, rest = data.partition(b"\0")
    return bool(zero) and not any(rest) and all(c in PRINTABLE or c in ESCAPES for c in text)


def _hexadecimal(data: bytes) -> str:
    return hex(int.from_bytes(data, "little")) if data else "?"


def format_char(number: int) -> str:
    """A char as C writes it; as a number where it is no character."""
    if number in ESCAPES:
        return f"'{ESCAPES[number]}'"
    return f"'{chr(number)}'" if number in PRINTABLE else str(number - 256 if number > 127 else number)  # noqa: PLR2004


def format_float(data: bytes, name: str = "") -> str:
    """A floating-point number with as few digits as tell it from its neighbours."""
    plain = {2: "<e", 4: "<f", 8: "<d"}.get(len(data))
    if plain is None:
        return _format_wide_float(data, name)
    number = struct.unpack(plain, data)[0]
    if not math.isfinite(number):
        return str(number)
    for digits in range(1, 18):
        text = f"{number:.{digits}g}"
        try:
            if struct.pack(plain, float(text)) == data:
                break
        except OverflowError:  # rounded up beyond the largest number
            continue
    return text if any(c in text for c in ".en") else f"{text}.0"


def _format_wide_float(data: bytes, name: str) -> str:
    if "128" in name or len(data) < EXTENDED_BYTES:
        return _hexadecimal(data)
    mantissa = int.from_bytes(data[:8], "little")
    sign_and_exponent = int.from_bytes(data[8:10], "little")
    exponent = sign_and_exponent & 0x7FFF
    sign = -1.0 if sign_and_exponent >> 15 else 1.0
    if exponent == 0x7FFF:  # noqa: PLR2004 - all ones
        return "nan" if mantissa << 1 & (1 << 64) - 1 else str(sign * math.inf)
    try:
        return repr(sign * math.ldexp(mantissa, exponent - EXTENDED_BIAS))
    except OverflowError:
        return _hexadecimal(data[:EXTENDED_BYTES])
