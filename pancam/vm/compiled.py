# SPDX-License-Identifier: Apache-2.0
"""What the machine was compiled with, so that the other side can compare: opcodes, faults, functions of math.h."""

from __future__ import annotations

from typing import Any

from pancam.vm._machine import ffi, lib

_ffi: Any = ffi
_lib: Any = lib


def opcode_names() -> list[str]:
    """The opcodes that the machine was compiled with, in order."""
    return [_ffi.string(_lib.vm_opcode_name(i)).decode() for i in range(_lib.vm_opcode_count())]


def visible_opcodes() -> set[str]:
    """The names of the opcodes that the machine treats as VISIBLE."""
    return {name for i, name in enumerate(opcode_names()) if _lib.vm_opcode_visible(i)}


def fault_kinds() -> list[tuple[str, str]]:
    """Names and texts of the faults that the machine was compiled with, in order."""
    count = _lib.vm_fault_count()
    pairs = ((_lib.vm_fault_name(i), _lib.vm_fault_text(i)) for i in range(count))
    return [(_ffi.string(name).decode(), _ffi.string(text).decode()) for name, text in pairs]


def math_names() -> list[str]:
    """The functions of math.def that the machine was compiled with, in order."""
    return [_ffi.string(_lib.vm_math_name(i)).decode() for i in range(_lib.vm_math_count())]
