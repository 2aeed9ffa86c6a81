# SPDX-License-Identifier: Apache-2.0
"""Turns virtual code with its slots into final instructions: lays blocks out, resolves jumps, collects live sets."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from pancam.bytecode.allocate import allocate
from pancam.bytecode.code import MASK32, NO_UNIT, CodeBlock, Inst
from pancam.isa import constants

if TYPE_CHECKING:
    from pancam.bytecode.allocate import Allocation
    from pancam.bytecode.code import JumpTable, LabelAddress
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


INVERSE = {"JEQ": "JNE", "JNE": "JEQ", "JEQI": "JNEI", "JNEI": "JEQI"}


def inverted(inst: Inst) -> Inst | None:
    """The jump that is taken exactly when this one is not."""
    name = inst.op.name
    if name in INVERSE:
        opposite = Inst(INVERSE[name], inst.a, inst.b, 0, 0, inst.y)
    elif name.startswith(("JULT", "JSLT", "JULE", "JSLE")) and inst.op.operands[1] == "S":
        swapped = name.replace("LT", "le").replace("LE", "LT").replace("le", "LE")
        opposite = Inst(swapped, inst.b, inst.a)
    else:
        return None
    opposite.location = inst.location
    return opposite


def _thread_jumps(blocks: list[CodeBlock]) -> None:
    """A jump to a block that only jumps goes on to where that one leads."""
    leads = {b.label: b.insts[0].target for b in blocks if len(b.insts) == 1 and b.insts[0].op.name == "JMP"}

    def final(label: str) -> str:
        seen = {label}
        while (following := leads.get(label)) is not None and following not in seen:
            label = following
            seen.add(label)
        return label

    for block in blocks:
        for inst in block.insts:
            if inst.target is not None:
                inst.target = final(inst.target)


def _arrange(blocks: list[CodeBlock]) -> None:
    """Drop jumps to the block that follows, turning the condition round where that helps."""
    for block, following in zip(blocks, [*blocks[1:], None], strict=True):
        insts = block.insts
        if following is None or not insts or insts[-1].op.name != "JMP":
            continue
        if insts[-1].target == following.label:
            insts.pop()
            block.falls_into = following.label
            continue
        conditional = len(insts) > 1 and insts[-2].target == following.label
        opposite = inverted(insts[-2]) if conditional else None
        if opposite is not None:
            opposite.target = insts[-1].target
            insts[-2:] = [opposite]
            block.falls_into = following.label


def assemble_function(lowered: LoweredFunction, first_pc: int) -> FunctionCode:
    """Final code of a function that starts at first_pc; tables and label addresses are filled in by the image."""
    code = lowered.code
    _thread_jumps(code.blocks)
    needed = _reachable(code.blocks) | _addressed(lowered)
    code.blocks = [block for block in code.blocks if block.label in needed]
    _arrange(code.blocks)
    allocation = allocate(code)
    result = FunctionCode(lowered, first_pc, allocation.local_slots, allocation.frame_slots)
    result.allocation = allocation
    kept = [_kept(block, allocation) for block in code.blocks]
    pc = first_pc
    for block, indices in zip(code.blocks, kept, strict=True):
        result.labels[block.label] = pc
        _record_positions(result, block, indices, pc)
        pc += len(indices)
    for block, indices in zip(code.blocks, kept, strict=True):
        for index in indices:
            _append(result, block, index, allocation)
    return result


def _addressed(lowered: LoweredFunction) -> set[str]:
    return {block for inst in _insts(lowered) if inst.targets for block, _ in inst.targets.blocks}


def _insts(lowered: LoweredFunction) -> list[Inst]:
    return [inst for block in lowered.code.blocks for inst in block.insts]


def _reachable(blocks: list[CodeBlock]) -> set[str]:
    by_label = {block.label: block for block in blocks}
    reached, work = {blocks[0].label}, [blocks[0].label]
    while work:
        new = [label for label in by_label[work.pop()].successors() if label not in reached]
        reached.update(new)
        work.extend(new)
    return reached


def _kept(block: CodeBlock, allocation: Allocation) -> list[int]:
    """Indices of the instructions that remain: a copy within one slot does nothing."""
    slot_of = allocation.slot_of
    return [
        index
        for index, inst in enumerate(block.insts)
        if not (inst.op.name == "MOV" and slot_of[inst.a] == slot_of[inst.b])
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
