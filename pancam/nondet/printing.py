# SPDX-License-Identifier: Apache-2.0
"""Numbers that are only printed: what the library's printf and fprintf show, no verdict depends on.

Its text is gone when the call returns (vm_c/guest/stdio.c); only the length of the text stays, in the result.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pancam.ir.values import ConstantExpr, ConstantInt, ConstantString, GlobalRef

if TYPE_CHECKING:
    from pancam.ir.values import Value
    from pancam.nondet.program_view import ProgramView, Use

FORMATS = {"printf": 0, "fprintf": 1}  # which argument says how the others are shown
# Conversions that show a number and nothing else; a width from an argument, or places that are told, fit none of them.
_CONVERSION = re.compile(rb"%(?:%|[-+ #0']*\d*(?:\.\d*)?(?:(?:hh|h|ll|l|j|z|t)?([diouxX])|([c])))")


def is_only_printed(program: ProgramView, use: Use) -> bool:
    """Whether a use hands a number to be shown in a call that gives nothing back."""
    instruction = use.instruction
    name = program.callee(instruction) or ""
    first = FORMATS.get(name)
    if first is None or not program.is_library(name) or use.place <= first:
        return False
    if instruction.result is not None and program.uses.get((use.function, instruction.result.name)):
        return False
    shown = _shown_numbers(_text(program, instruction.operands[first]))
    return shown is not None and use.place - first <= shown


def _text(program: ProgramView, value: Value) -> bytes | None:
    """The constant string that a pointer points to."""
    while isinstance(value, ConstantExpr) and value.op == "getelementptr":
        if any(not isinstance(index, ConstantInt) or index.value for index in value.operands[1:]):
            return None
        value = value.operands[0]
    variable = program.module.globals.get(program.resolve(value.name)) if isinstance(value, GlobalRef) else None
    if variable is None or not variable.is_constant or not isinstance(variable.initializer, ConstantString):
        return None
    text, end, _ = variable.initializer.data.partition(b"\0")
    return text if end else None


def _shown_numbers(text: bytes | None) -> int | None:
    """How many numbers a format shows; None if it does anything else."""
    if text is None:
        return None
    found = list(_CONVERSION.finditer(text))
    if sum(part.group().count(b"%") for part in found) != text.count(b"%"):
        return None
    return sum(1 for part in found if part.group() != b"%%")
