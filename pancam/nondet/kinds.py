# SPDX-License-Identifier: Apache-2.0
"""The functions that give any value of a type: pancam_nondet_X and __VERIFIER_nondet_X, for every X.

What X returns is what the program declares; its name says how to show the value, and how --nondet calls it.
"""

from __future__ import annotations

import re

PREFIXES = ("pancam_nondet_", "__VERIFIER_nondet_")
RANGE = "pancam_nondet_range"  # a function of the library: the program itself says which values
UNINITIALISED = "pancam_nondet_uninitialised"  # what stands for a local that was never assigned
_SIGNED = re.compile(
    r"(char|schar|short|int|long|longlong|s\d+|int\d*(_t)?|int(ptr|max)_t|s?size_t|ptrdiff_t|l?off(64)?_t|time_t"
    r"|[ps]id_t|key_t|range)\Z",
    re.ASCII,
)
_SPELLINGS = {
    "_Bool": "bool", "unsigned": "uint", "unsigned_int": "uint", "unsigned_char": "uchar", "signed_char": "schar",
    "unsigned_short": "ushort", "unsigned_long": "ulong", "long_long": "longlong", "unsigned_long_long": "ulonglong",
    "short_int": "short", "long_int": "long", "signed": "int", "signed_int": "int", "void*": "pointer",
}  # fmt: skip
_KNOWN = {
    "bool", "char", "schar", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "longlong", "ulonglong",
    "int128", "uint128", "size_t", "ssize_t", "off_t", "loff_t", "sector_t", "pthread_t", "intptr_t", "uintptr_t",
    "ptrdiff_t", "time_t", "pid_t", "float", "double", "long_double", "pointer", "pchar", "const_char_pointer",
}  # fmt: skip


def kind_of(function: str) -> str | None:
    """X of a function that gives any X; None for another function."""
    prefix = next((prefix for prefix in PREFIXES if function.startswith(prefix)), None)
    return None if prefix is None or function == RANGE else canonical(function.removeprefix(prefix).partition(" ")[0])


def canonical(name: str) -> str:
    """One spelling of a kind: `unsigned int`, `unsigned` and `uint` are the same."""
    name = name.strip().replace(" *", "*").replace(" ", "_")
    return _SPELLINGS.get(name, name)


def is_known(kind: str) -> bool:
    """Whether a kind is one that programs ask for."""
    return kind in _KNOWN or re.fullmatch(r"[su]\d+|u?int\d+_t", kind, re.ASCII) is not None


def is_signed(kind: str) -> bool:
    """Whether values of a kind are shown, and ordered, as signed numbers."""
    return kind != "size_t" and _SIGNED.match(kind) is not None


_WIDTHS = {"char": 8, "schar": 8, "short": 16, "int": 32, "longlong": 64, "pid_t": 32, "sid_t": 32, "key_t": 32}


def signed_width(kind: str, pointer_bits: int) -> int:
    """Bits of a signed kind, as the C types of that name have them."""
    digits = re.search(r"\d+", kind)
    if digits:
        return int(digits[0])
    return 64 if kind in ("loff_t", "intmax_t") else _WIDTHS.get(kind, pointer_bits)
