# SPDX-License-Identifier: Apache-2.0
"""Finds what the lowering may keep in units: scalar stack variables whose address is only loaded from and stored to.

No other thread can reach such a variable, so that keeping it in a unit changes no shared access and no behaviour.
A volatile one stays in memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pancam.errors import UnsupportedError
from pancam.ir.model import Instruction
from pancam.ir.values import ConstantInt, GlobalRef, Local

if TYPE_CHECKING:
    from pancam.bytecode.layout import DataLayout
    from pancam.ir.model import Function
    from pancam.ir.types import Type
    from pancam.ir.values import Value


def instructions_of(function: Function) -> list[Instruction]:
    """All instructions of a function, in order."""
    return [item for block in function.blocks.values() for item in block.items if isinstance(item, Instruction)]


def used_values(instruction: Instruction) -> list[Value]:
    """All values an instruction reads: operands, phi inputs and the callee."""
    values: list[Value] = list(instruction.operands)
    values.extend(value for value, _ in instruction.incoming)
    if instruction.call is not None:
        values.append(instruction.call.callee)
    return values


def use_counts(function: Function) -> dict[str, int]:
    """How often each local is read."""
    counts: dict[str, int] = {}
    for instruction in instructions_of(function):
        for value in used_values(instruction):
            if isinstance(value, Local):
                counts[value.name] = counts.get(value.name, 0) + 1
    return counts


def is_lifetime_marker(instruction: Instruction) -> bool:
    """Whether the call only says where a stack variable begins or ends to live."""
    return (
        instruction.call is not None
        and isinstance(instruction.call.callee, GlobalRef)
        and instruction.call.callee.name.startswith("llvm.lifetime.")
    )


def _shape(layout: DataLayout, type_: Type | None) -> tuple[int, ...] | None:
    """Slot widths of a type that is one scalar, else None."""
    try:
        scalars = layout.scalars(type_) if type_ is not None else ()
    except UnsupportedError:
        return None
    return scalars[0].slot_bits if len(scalars) == 1 else None


def promotable_variables(function: Function, layout: DataLayout) -> dict[str, Instruction]:
    """The allocas, by name, that may live in units."""
    instructions = instructions_of(function)
    entry = next(iter(function.blocks.values()))
    found: dict[str, Instruction] = {}
    shapes: dict[str, tuple[int, ...]] = {}
    for instruction in entry.instructions:
        if instruction.opcode == "alloca" and not instruction.operands and instruction.result is not None:
            shape = _shape(layout, instruction.source_type)
            if shape is not None:
                found[instruction.result.name] = instruction
                shapes[instruction.result.name] = shape
    for instruction in instructions:
        for place, value in enumerate(used_values(instruction)):
            if isinstance(value, Local) and value.name in found and not _harmless(instruction, place):
                del found[value.name]
            elif isinstance(value, Local) and value.name in found and not is_lifetime_marker(instruction):
                accessed = instruction.type if instruction.opcode == "load" else instruction.operands[0].type
                if _shape(layout, accessed) != shapes[value.name]:
                    del found[value.name]
    return found


def assigned_before_use(function: Function, variables: dict[str, Instruction]) -> dict[str, Instruction]:
    """Those of the variables that are written on every way to every place where they are read."""
    everything = frozenset(variables)
    before = dict.fromkeys(function.blocks, everything)
    before[next(iter(function.blocks))] = frozenset()
    changed = True
    while changed:
        changed = False
        for block in function.blocks.values():
            after = before[block.name] | _written(block.instructions)
            for target in _successors(block.instructions[-1]):
                known = before[target] & after
                changed |= known != before[target]
                before[target] = known
    read_early: set[str] = set()
    for block in function.blocks.values():
        known = before[block.name]
        for instruction in block.instructions:
            if instruction.opcode == "load" and isinstance(instruction.operands[0], Local):
                read_early |= {instruction.operands[0].name} - known
            known |= _written([instruction])
    return {name: made for name, made in variables.items() if name not in read_early}


def _written(instructions: list[Instruction]) -> frozenset[str]:
    stores = (i.operands[1] for i in instructions if i.opcode == "store")
    return frozenset(target.name for target in stores if isinstance(target, Local))


def _successors(terminator: Instruction) -> tuple[str, ...]:
    return (*terminator.targets, *(target for _, target in terminator.cases))


def _harmless(instruction: Instruction, place: int) -> bool:
    """Whether the instruction only reads or writes the variable itself."""
    if is_lifetime_marker(instruction):
        return True
    if "volatile" in instruction.flags or "atomic" in instruction.flags:
        return False
    return (instruction.opcode == "load" and place == 0) or (instruction.opcode == "store" and place == 1)


def address_only_values(function: Function) -> set[str]:
    """Locals that are only ever the address of a load or store, or the base of an address step that is so itself."""
    instructions = instructions_of(function)
    other: set[str] = set()
    changed = True
    while changed:
        changed = False
        for instruction in instructions:
            for place, value in enumerate(used_values(instruction)):
                if isinstance(value, Local) and value.name not in other and not _is_address(instruction, place, other):
                    other.add(value.name)
                    changed = True
    names = {i.result.name for i in instructions if i.result is not None}
    return names - other


def _is_address(instruction: Instruction, place: int, other: set[str]) -> bool:
    if instruction.opcode == "getelementptr" and place == 0 and instruction.result is not None:
        steps_are_constant = all(isinstance(index, ConstantInt) for index in instruction.operands[1:])
        return steps_are_constant and instruction.result.name not in other
    return (instruction.opcode == "load" and place == 0) or (instruction.opcode == "store" and place == 1)
