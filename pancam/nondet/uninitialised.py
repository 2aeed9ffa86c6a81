# SPDX-License-Identifier: Apache-2.0
"""--nondet-uninit: what was never assigned has any value, as long as it is a scalar local or memory from malloc.

A local that may be read before it is assigned gets a nondeterministic value where it is declared, each time that its
scope is entered; one that cannot needs none. Of memory from malloc, some byte patterns are tried. Reads of anything
else that was never written are faults, as with --uninit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pancam.bytecode.promote import assigned_before_use, promotable_variables
from pancam.ir.model import NO_ATTRIBUTES, Block, DebugRecord, Function, Instruction
from pancam.ir.types import I8, I32, PTR, VOID, function_type, int_type
from pancam.ir.values import GlobalRef, Local
from pancam.nondet.code import call_of
from pancam.nondet.kinds import UNINITIALISED
from pancam.nondet.program_view import view_program

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pancam.bytecode.layout import DataLayout
    from pancam.ir.model import BlockItem, Module
    from pancam.nondet.code import Code

FILL = "__pancam_fill"  # vm_c/guest/heap.c calls it if it is there
PATTERNS = (0x00, 0x01, 0xFF, 0x7F, 0x80)
PATTERNS_TEXT = f"contents of memory from malloc restricted to {len(PATTERNS)} byte patterns"


def give_values(module: Module, entries: Sequence[str]) -> None:
    """Insert an assignment of any value at the declaration of each local that may be read before it is assigned."""
    program = view_program(module, entries)
    for name, function in program.functions.items():
        if not program.is_library(name):
            _give_locals(function, program.layout)


def _give_locals(function: Function, layout: DataLayout) -> None:
    variables = promotable_variables(function, layout)
    early = {name: made for name, made in variables.items() if name not in assigned_before_use(function, variables)}
    for number, (name, made) in enumerate(early.items()):
        if not _at_declarations(function, name, made, number):
            _after(next(iter(function.blocks.values())), made, _assignment(made, made.location, f"{number}"))


def _at_declarations(function: Function, name: str, made: Instruction, number: int) -> bool:
    found = 0
    for block in function.blocks.values():
        for item in list(block.items):
            if isinstance(item, DebugRecord) and item.kind == "declare" and _is_local(item.value, name):
                _after(block, item, _assignment(made, item.location, f"{number}.{found}"))
                found += 1
    return found > 0


def _is_local(value: object, name: str) -> bool:
    return isinstance(value, Local) and value.name == name


def _after(block: Block, item: BlockItem, added: list[Instruction]) -> None:
    place = next(number for number, other in enumerate(block.items) if other is item) + 1
    block.items[place:place] = added


def _assignment(made: Instruction, location: int | None, number: str) -> list[Instruction]:
    type_ = made.source_type
    assert type_ is not None
    assert made.result is not None
    value = Local(f"unassigned {number}", type_)
    call = call_of(GlobalRef(UNINITIALISED), type_, NO_ATTRIBUTES)
    return [
        Instruction("call", value, type_, (), location, call=call),
        Instruction("store", None, VOID, (value, made.result), location, source_type=type_),
    ]


def write_fill(code: Code, note: int) -> None:
    """The function that gives memory from malloc its contents."""
    size = int_type(code.program.layout.pointer_bits)
    memory, count, byte, word, result = (
        Local(name, type_)
        for name, type_ in (("memory", PTR), ("count", size), ("byte", I8), ("word", I32), ("result", PTR))
    )
    chooser = code.chooser("pancam_nondet_contents", I8, PATTERNS, name="pancam_nondet_contents", note=note)
    fill = call_of(GlobalRef("memset"), PTR, NO_ATTRIBUTES, (PTR, I32, size))
    body = Block("entry", [
        Instruction("call", byte, I8, (), None, call=call_of(GlobalRef(chooser), I8, NO_ATTRIBUTES)),
        Instruction("zext", word, I32, (byte,), None),
        Instruction("call", result, PTR, (memory, word, count), None, call=fill),
        Instruction("ret", None, VOID, (), None),
    ])  # fmt: skip
    code.functions[FILL] = Function(
        FILL, function_type(VOID, (PTR, size)), (memory, count), (NO_ATTRIBUTES,) * 2, NO_ATTRIBUTES, "internal",
        is_declaration=False, attributes=frozenset(), subprogram=None, parse_body=lambda _: {"entry": body},
    )  # fmt: skip
