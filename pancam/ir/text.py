# SPDX-License-Identifier: Apache-2.0
"""Lexical rules of LLVM's text: tokens, names and escapes. LLVM escapes quotes, so no string contains a quote."""

from __future__ import annotations

import re

# A quoted string with its sigil, then a word or number with its sigil, then any single mark.
tokenize = re.compile(r'[%@!$c]?"[^"]*"|[%@!#$]?[-+\w.$]+|\S', re.ASCII).findall

_ESCAPE_BYTES = re.compile(rb"\\([0-9A-Fa-f]{2}|\\)")


def unescape_bytes(text: str) -> bytes:
    """The bytes that a quoted LLVM string stands for, the quotes already removed."""
    data = text.encode()
    if b"\\" not in data:
        return data
    return _ESCAPE_BYTES.sub(lambda m: b"\\" if m.group(1) == b"\\" else bytes((int(m.group(1), 16),)), data)


def unescape(text: str) -> str:
    """The string that a quoted LLVM string stands for, the quotes already removed."""
    return text if "\\" not in text else unescape_bytes(text).decode("utf-8", "surrogateescape")


def name_of(token: str) -> str:
    """The name behind a token such as %x, @"a b" or $c.

    A quoted name of digits only keeps its quotes: %"8" is a value named 8, %8 is the eighth unnamed value.
    """
    if token[1] != '"':
        return token[1:]
    name = unescape(token[2:-1])
    return f'"{name}"' if name.isdigit() else name
