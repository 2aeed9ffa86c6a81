# SPDX-License-Identifier: Apache-2.0
"""Random virtual code, and what it does: run in units, and in the slots that they were given."""

from __future__ import annotations

import operator
import zlib
from collections import Counter
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING

from pancam.bytecode.allocate import Allocation
from pancam.bytecode.code import CodeBlock, Inst, VirtualCode

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass
class Generator:
    """Makes a random function: constants, copies, arithmetic, pairs, calls, branches and loops."""

    random: Random
    code: VirtualCode = field(default_factory=VirtualCode)
    singles: list[int] = field(default_factory=list)
    pairs: list[int] = field(default_factory=list)

    def function(self) -> VirtualCode:
        code, random = self.code, self.random
        code.parameters = [code.new_unit() for _ in range(random.randrange(4))]
        self.singles = [code.new_unit() for _ in range(random.randint(4, 9))]
        self.pairs = [code.new_unit(2) for _ in range(random.randrange(3))]
        results = random.choice([0, 0, 1, 2])
        for index in range(results):
            code.result_unit(index)
        count = random.randint(1, 6)
        body = [CodeBlock(f"block{number}") for number in range(count)]
        # As in lowered code: parameters move to other units first, and nothing jumps back to there.
        moves = [Inst("MOV", unit, parameter) for unit, parameter in zip(self.singles, code.parameters, strict=False)]
        code.blocks = [CodeBlock("entry", moves, falls_into=body[0].label), *body]
        for number, block in enumerate(body):
            for _ in range(random.randrange(7)):
                self.statement(block)
            self.ending(block, [other.label for other in body], number)
        return code

    def statement(self, block: CodeBlock) -> None:
        random, single = self.random, lambda: self.random.choice(self.singles)
        kind = random.randrange(8)
        if kind == 0:
            block.insts.append(Inst("CONST", single(), x=random.randrange(5)))
        elif kind <= 2:
            block.insts.append(Inst("MOV", single(), single()))
        elif kind == 3 and self.pairs:
            a, b, c = (random.choice(self.pairs) for _ in range(3))
            block.insts.append(Inst("ADD128", a, b, c))
        elif kind == 4 and self.pairs:
            pair, half = random.choice(self.pairs), random.randrange(2)
            operands = (pair + half, single()) if random.randrange(2) else (single(), pair + half)
            block.insts.append(Inst("MOV", *operands))
        elif kind == 5:
            self.call(block)
        else:
            block.insts.append(Inst(random.choice(["ADD64", "UDIV64"]), single(), single(), single()))

    def call(self, block: CodeBlock) -> None:
        arguments = [self.random.choice(self.singles) for _ in range(self.random.randrange(4))]
        units = tuple(self.code.outgoing_unit(index) for index in range(len(arguments)))
        for unit, argument in zip(units, arguments, strict=True):
            block.insts.append(Inst("MOV", unit, argument))
        inst = Inst("CALL", self.random.choice(self.singles))
        inst.extra_reads = units
        block.insts.append(inst)

    def ending(self, block: CodeBlock, labels: list[str], number: int) -> None:
        random = self.random
        if random.randrange(3) and number + 1 < len(labels):
            jump = Inst("JNEI", random.choice(self.singles), y=random.randrange(3))
            jump.target = random.choice(labels)
            block.insts.append(jump)
            block.falls_into = labels[number + 1]
        elif self.code.results:
            for unit in self.code.results:
                block.insts.append(Inst("MOV", unit, random.choice(self.singles)))
            inst = Inst("RETN", len(self.code.results))
            inst.extra_reads = tuple(self.code.results)
            block.insts.append(inst)
        else:
            block.insts.append(Inst("RETV", random.choice(self.singles)))


def live_after(code: VirtualCode) -> dict[tuple[str, int], set[int]]:
    """The units live after each instruction, by plain iteration over sets: slow, and independent of liveness.py."""
    blocks = {block.label: block for block in code.blocks}
    live_in: dict[str, set[int]] = {label: set() for label in blocks}
    after: dict[tuple[str, int], set[int]] = {}
    changed = True
    while changed:
        changed = False
        for label, block in blocks.items():
            live: set[int] = set().union(*(live_in[target] for target in block.successors()))
            for index in range(len(block.insts) - 1, -1, -1):
                inst = block.insts[index]
                after[label, index] = live
                live = (live - set(inst.defines())) | set(inst.reads())
            changed |= live != live_in[label]
            live_in[label] = live
    return after


def compute(inst: Inst, values: list[int]) -> list[int]:
    """What an instruction writes, from what it reads: any function will do, as long as it is one."""
    if inst.op.name == "CONST":
        return [inst.x]
    if inst.op.name == "MOV":
        return values
    if inst.op.name in COMPARISONS:
        return [int(COMPARISONS[inst.op.name](values[0], values[1] if len(values) > 1 else inst.x))]
    return [zlib.crc32(repr((inst.op.name, values, k)).encode()) for k in range(len(inst.defines()))]


COMPARISONS: dict[str, Callable[[int, int], int]] = {
    "EQ": operator.eq, "NE": operator.ne, "ULT": operator.lt, "ULE": operator.le, "ANDI": operator.and_,
    "EQI": operator.eq, "NEI": operator.ne, "ULTI": operator.lt, "UGTI": operator.gt,
}  # fmt: skip


def is_taken(inst: Inst, values: list[int]) -> bool:
    """Whether a jump is taken."""
    name = inst.op.name.removeprefix("J")
    if name == "MP":
        return True
    if name in ("ANYI", "NONEI"):
        return ((values[0] & inst.y) != 0) == (name == "ANYI")
    return bool(COMPARISONS[name](values[0], values[1] if len(values) > 1 else inst.y))


EFFECTS = ("CALL", "UDIV64", "RETV", "RETN")  # a division may be a fault


@dataclass
class Pair:
    """Runs the code twice at once: in units, and in the slots that they were given."""

    code: VirtualCode
    allocation: Allocation
    units: dict[int, int] = field(default_factory=dict)
    slots: dict[int, int] = field(default_factory=dict)
    effects: list[tuple[str, list[int]]] = field(default_factory=list)  # what must not change
    counts: Counter[str] = field(default_factory=Counter)  # opcodes that were executed
    ended: bool = False  # it came to its end, and not to something that is not defined

    def run(self, fuel: int) -> None:
        """Go through so many instructions at most, or to the end."""
        slot_of = self.allocation.slot_of
        for number, unit in enumerate(self.code.parameters):
            self.units[unit] = self.slots[number] = 100 + number
        order = [block.label for block in self.code.blocks]
        blocks = {block.label: block for block in self.code.blocks}
        label: str | None = order[0]
        while label is not None and fuel:
            following: str | None = blocks[label].falls_into
            for inst in blocks[label].insts:
                fuel -= 1
                values = [self.units.get(unit) for unit in inst.reads()]
                for unit, value in zip(inst.reads(), values, strict=True):
                    assert value is None or self.slots[slot_of[unit]] == value, f"{inst.op.name} reads another value"
                if None in values:
                    return  # it reads what was never written: nothing is promised from here on
                if inst.op.name != "NOP" and not (inst.op.name == "MOV" and slot_of[inst.a] == slot_of[inst.b]):
                    self.counts[inst.op.name] += 1
                known = [value for value in values if value is not None]
                if inst.op.name in EFFECTS:
                    self.effects.append((inst.op.name, known))
                if inst.target is not None and is_taken(inst, known):
                    following = inst.target
                    break
                if inst.op.name == "CALL":  # the callee's frame lies above this one's own slots
                    self.slots = {s: v for s, v in self.slots.items() if s < self.allocation.local_slots}
                    self.units = {u: v for u, v in self.units.items() if u not in self.code.outgoing}
                for unit, value in zip(inst.defines(), compute(inst, known), strict=True):
                    self.units[unit] = self.slots[slot_of[unit]] = value
            label = following if fuel > 0 else None
        self.ended = fuel > 0


def in_units(code: VirtualCode, fuel: int = 300) -> Pair:
    """The code run with a slot for each unit."""
    identity = Allocation(list(range(len(code.group_base))), 1 << 20, 1 << 20, {}, [], {})
    made = Pair(code, identity)
    made.run(fuel)
    return made
