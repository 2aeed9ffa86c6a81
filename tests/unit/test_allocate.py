# SPDX-License-Identifier: Apache-2.0
"""Slots: few of them, never shared by two values at once, and zero when dead."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import pytest
from compiled import compile_text, step_to, step_to_choice

from pancam.bytecode.allocate import Allocation, allocate
from pancam.bytecode.code import CodeBlock, Inst, VirtualCode
from pancam.bytecode.disasm import Disassembler
from pancam.vm.machine import Machine

TEN_LOCALS = """
int ten(int n) {
    int a = n, b = n * 3, c = n ^ 5, d = 1, e = n - 7, f = n << 2, g = 9 - n, h = n | 64, i = 0, j = n & 12;
    while (i < 20) {
        a += b; b ^= c; c -= d; d *= 3; e += f; f ^= g; g += h; h -= j; j += a;
        i++;
    }
    return a + b + c + d + e + f + g + h + i + j;
}
int main(int n, char **unused) { (void)unused; return ten(n) & 127; }
"""


@pytest.mark.parametrize("level", ["1", "2"])
def test_ten_scalar_locals_need_at_most_ten_live_slots(tmp_path: Path, level: str) -> None:
    listing = Disassembler(
        compile_text(TEN_LOCALS.replace("int ten", "__attribute__((noinline)) int ten"), tmp_path, level=level)
    )
    ten = next(function for function in listing.functions if function.name == "ten")
    live = [listing.live_slots(pc, ten) for pc in range(ten.first_pc, ten.end_pc)]
    assert all(slots is not None and len(slots) <= 10 for slots in live)
    assert max(len(slots or ()) for slots in live) >= 9  # the program does keep its values at the same time
    assert ten.frame_slots <= 10 + 3  # one for what is being computed, and the header of a frame above it


DEAD_REGISTERS = """
#include <pancam.h>
volatile int sink;
__attribute__((noinline)) int here(int x) { return sink = x; }
__attribute__((noinline)) int busy(int x, int y) { return x * 7 + y; }
int main(void) {
    int result, chosen = (int)pancam_nondet_range(0, 1);
    if (chosen) {
        int a = busy(chosen, 3), b = busy(a, 5), c = busy(b, a);
        result = (a + b + c) & 0;
    } else {
        result = 0;
    }
    return here(result);
}
"""


@pytest.mark.parametrize("level", ["0", "1"])
def test_states_that_differ_only_in_dead_registers_are_equal_bytes(tmp_path: Path, level: str) -> None:
    """Two ways to one place, of which one leaves garbage in registers that nobody reads any more."""
    machine = Machine(compile_text(DEAD_REGISTERS, tmp_path, level=level).image)
    raw, packed, live = [], [], []
    for choice in (0, 1):
        machine.reset()
        step_to_choice(machine)
        machine.run(0, fuel=1, choice=choice)
        run_to(machine, "here")
        raw.append(bytes(machine.state()))
        machine.canonicalise(0)
        packed.append(machine.pack())
        live.append(bytes(machine.state()))
    assert raw[0] != raw[1], "the test shows nothing: no garbage was left"
    assert packed[0] == packed[1]
    assert live[0] == live[1]


def run_to(machine: Machine, function: str) -> None:
    """Run, without the zeroing that steps do, until a function is entered."""
    for _ in range(10_000):
        if machine.stack(0)[0].name == function:
            return
        machine.run(0, fuel=1)
    raise AssertionError(function)


def test_steps_leave_no_garbage_at_all(tmp_path: Path) -> None:
    machine = Machine(compile_text(DEAD_REGISTERS, tmp_path, level="1").image)
    packed = []
    for choice in (0, 1):
        machine.reset()
        step_to_choice(machine)
        machine.step(0, choice=choice)
        step_to(machine, "here")
        packed.append(machine.pack())
    assert packed[0] == packed[1]


# --- random virtual code ---


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
    return [zlib.crc32(repr((inst.op.name, values, k)).encode()) for k in range(len(inst.defines()))]


EFFECTS = ("CALL", "UDIV64", "RETV", "RETN")  # a division may be a fault


@dataclass
class Pair:
    """Runs the code twice at once: in units, and in the slots that they were given."""

    code: VirtualCode
    allocation: Allocation
    units: dict[int, int] = field(default_factory=dict)
    slots: dict[int, int] = field(default_factory=dict)
    effects: list[tuple[str, list[int]]] = field(default_factory=list)  # what must not change

    def run(self, fuel: int) -> None:
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
                known = [value for value in values if value is not None]
                if inst.op.name in EFFECTS:
                    self.effects.append((inst.op.name, known))
                if inst.target is not None and known[0] != inst.y:
                    following = inst.target
                    break
                if inst.op.name == "CALL":  # the callee's frame lies above this one's own slots
                    self.slots = {s: v for s, v in self.slots.items() if s < self.allocation.local_slots}
                    self.units = {u: v for u, v in self.units.items() if u not in self.code.outgoing}
                for unit, value in zip(inst.defines(), compute(inst, known), strict=True):
                    self.units[unit] = self.slots[slot_of[unit]] = value
            label = following if fuel > 0 else None


@pytest.mark.parametrize("first_seed", range(0, 2000, 500))
def test_random_code_means_the_same_in_slots(first_seed: int) -> None:
    for seed in range(first_seed, first_seed + 500):
        code = Generator(Random(seed)).function()  # noqa: S311 - reproducible programs
        allocation = allocate(code)
        in_slots = Pair(code, allocation)
        in_slots.run(fuel=300)
        check_slots(code, allocation, seed)
        original = Generator(Random(seed)).function()  # noqa: S311 - the same again, untouched
        identity = Allocation(list(range(len(original.group_base))), 1 << 20, 1 << 20, {}, [], {})
        in_units = Pair(original, identity)
        in_units.run(fuel=300)
        common = min(len(in_units.effects), len(in_slots.effects))  # dead code makes the original stop earlier
        assert in_units.effects[:common] == in_slots.effects[:common], seed


def check_slots(code: VirtualCode, allocation: Allocation, seed: int) -> None:
    slot_of, after = allocation.slot_of, live_after(code)
    for block in code.blocks:
        for index, inst in enumerate(block.insts):
            occupied = after[block.label, index] | set(inst.defines())
            assert len({slot_of[unit] for unit in occupied}) == len(occupied), (seed, block.label, index)
            before = (after[block.label, index] - set(inst.defines())) | set(inst.reads())
            mask = sum(1 << slot for slot in {slot_of[unit] for unit in before})
            assert allocation.live_before[block.label][index] == mask, (seed, block.label, index)
    used = {unit for block in code.blocks for inst in block.insts for unit in (*inst.defines(), *inst.reads())}
    for base, size in code.group_size.items():
        if base in used:
            assert [slot_of[unit] for unit in range(base, base + size)] == [slot_of[base] + k for k in range(size)]
    for unit in used - set(code.outgoing):
        assert 0 <= slot_of[unit] < allocation.local_slots
    for number, unit in enumerate(code.outgoing):
        assert slot_of[unit] == allocation.local_slots + 2 + number
    for units in (code.parameters, code.results):
        assert all(slot_of[unit] == number for number, unit in enumerate(units) if unit in used)
