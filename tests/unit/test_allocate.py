# SPDX-License-Identifier: Apache-2.0
"""Slots: few of them, never shared by two values at once, and zero when dead."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from compiled import compile_text, step_to, step_to_choice
from random_code import Generator, Pair, in_units, live_after

from pancam.bytecode.allocate import Allocation, allocate
from pancam.bytecode.code import VirtualCode
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


@pytest.mark.parametrize("first_seed", range(0, 2000, 500))
def test_random_code_means_the_same_in_slots(first_seed: int) -> None:
    for seed in range(first_seed, first_seed + 500):
        code = Generator(Random(seed)).function()  # noqa: S311 - reproducible programs
        allocation = allocate(code)
        in_slots = Pair(code, allocation)
        in_slots.run(fuel=300)
        check_slots(code, allocation, seed)
        original = in_units(Generator(Random(seed)).function())  # noqa: S311 - the same again, untouched
        assert original.effects == in_slots.effects, seed


def test_arguments_are_made_where_they_are_wanted(tmp_path: Path) -> None:
    text = "int g(int x) { return x; } int f(int x) { return g(g(x + 1) * 2); } int main(void) { return f(1); }"
    lines = list(Disassembler(compile_text(text, tmp_path)).text({"f"}))
    assert not [line for line in lines if " MOV " in line]


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
    header = range(allocation.local_slots, allocation.local_slots + 2)
    for unit in used - set(code.outgoing):  # what will be an argument may be in its place already
        assert 0 <= slot_of[unit] < allocation.frame_slots
        assert slot_of[unit] not in header
    for number, unit in enumerate(code.outgoing):
        assert slot_of[unit] == allocation.local_slots + 2 + number
    for units in (code.parameters, code.results):
        assert all(slot_of[unit] == number for number, unit in enumerate(units) if unit in used)
