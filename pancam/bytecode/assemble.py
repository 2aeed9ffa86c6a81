# SPDX-License-Identifier: Apache-2.0
"""Turns virtual code with its slots into final instructions: lays blocks out, resolves jumps, collects live sets."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from pancam.bytecode.allocate import allocate
from pancam.bytecode.code import MASK32, NO_UNIT, Inst
from pancam.bytecode.jumps import inverted, shorten_jumps, thread_jumps
from pancam.bytecode.simplify import simplify
from pancam.isa import constants

if TYPE_CHECKING:
    from pancam.bytecode.allocate import Allocation
    from pancam.bytecode.code import CodeBlock, JumpTable, LabelAddress
    from pancam.bytecode.function import LoweredFunction


class Encoded(NamedTuple):
    """A final instruction: the fields of VmInstr."""

    op: int
    a: int
    b: int
    c: int
    x: int
    y: int


@dataclass
class FunctionCode:
    """The code of one function; pcs in it count from the start of the whole program's code."""

    lowered: LoweredFunction
    first_pc: int
    local_slots: int
    frame_slots: int
    instructions: list[Encoded] = field(default_factory=list)
    locations: list[int | None] = field(default_factory=list)
    live: list[int | None] = field(default_factory=list)  # mask of slots, None: everything
    labels: dict[str, int] = field(default_factory=dict)  # pc of each block
    tables: list[tuple[int, JumpTable]] = field(default_factory=list)  # (index into instructions, table)
    label_operands: list[tuple[int, LabelAddress]] = field(default_factory=list)
    positions: dict[tuple[str, int], int] = field(default_factory=dict)  # (block, index of instruction) to pc
    allocation: Allocation | None = None

    @property
    def end_pc(self) -> int:
        return self.first_pc + len(self.instructions)


def assemble_function(lowered: LoweredFunction, first_pc: int) -> FunctionCode:
    """Final code of a function that starts at first_pc; tables and label addresses are filled in by the image."""
    code = lowered.code
    shown = {unit for entry in lowered.debug for unit in entry.where or () if isinstance(unit, int)}
    thread_jumps(code)
    simplify(code, shown)
    shorten_jumps(code, shown, {entry.label for entry in lowered.debug})
    allocation = allocate(code)
    result = FunctionCode(lowered, first_pc, allocation.local_slots, allocation.frame_slots)
    result.allocation = allocation
    kept = [_kept(block, allocation) for block in code.blocks]
    _turn_round_jumps(code.blocks, kept, {entry.label for entry in lowered.debug})
    pc = first_pc
    for block, indices in zip(code.blocks, kept, strict=True):
        result.labels[block.label] = pc
        _record_positions(result, block, indices, pc)
        pc += len(indices)
    for block, indices in zip(code.blocks, kept, strict=True):
        for index in indices:
            _append(result, block, index, allocation)
    return result


def _turn_round_jumps(blocks: list[CodeBlock], kept: list[list[int]], with_records: set[str]) -> None:
    """A condition that jumps over a block of which only a jump is left does that jump itself, turned round."""
    jumps = Counter(label for block in blocks for inst in block.insts for label in inst.labels())
    for number in range(len(blocks) - 2):
        block, between, after = blocks[number : number + 3]
        if not kept[number] or len(kept[number + 1]) != 1 or block.falls_into != between.label:
            continue
        test, jump = block.insts[kept[number][-1]], between.insts[kept[number + 1][0]]
        opposite = inverted(test) if test.target == after.label and jump.op.name == "JMP" else None
        if opposite is None or jumps[between.label] or between.label in with_records:
            continue
        opposite.target = jump.target
        block.insts[kept[number][-1]] = opposite
        between.insts[kept[number + 1].pop()] = Inst("NOP")
        between.falls_into = after.label


def _kept(block: CodeBlock, allocation: Allocation) -> list[int]:
    """Indices of the instructions that remain: one that is dead, or a copy within one slot, does nothing."""
    slot_of = allocation.slot_of
    return [
        index
        for index, inst in enumerate(block.insts)
        if inst.op.name != "NOP" and not (inst.op.name == "MOV" and slot_of[inst.a] == slot_of[inst.b])
    ]


def _record_positions(result: FunctionCode, block: CodeBlock, indices: list[int], pc: int) -> None:
    kept = set(indices)
    for index in range(len(block.insts) + 1):
        result.positions[block.label, index] = pc
        if index in kept:
            pc += 1


def _append(result: FunctionCode, block: CodeBlock, index: int, allocation: Allocation) -> None:
    inst = block.insts[index]
    if inst.targets is not None:
        result.tables.append((len(result.instructions), inst.targets))
    if inst.label is not None:
        result.label_operands.append((len(result.instructions), inst.label))
    result.instructions.append(_encode(inst, result, allocation))
    result.locations.append(inst.location)
    everything = result.lowered.code.keeps_everything
    result.live.append(None if everything else allocation.live_before[block.label][index])


def _encode(inst: Inst, result: FunctionCode, allocation: Allocation) -> Encoded:
    a, b, c = (
        _field(kind, operand, allocation)
        for kind, operand in zip(inst.op.operands, (inst.a, inst.b, inst.c), strict=True)
    )
    x = inst.x
    if inst.op.immediate == "SLOT":
        x = allocation.slot_of[inst.x]
    elif inst.target is not None:
        x = result.labels[inst.target]
    return Encoded(inst.op.number, a, b, c, x & MASK32, inst.y & MASK32)


def _field(kind: str, operand: int, allocation: Allocation) -> int:
    if kind in ("NONE", "NUM"):
        return operand
    if kind == "BASE":
        return allocation.local_slots
    return constants()["NO_SLOT"] if operand == NO_UNIT else allocation.slot_of[operand]
