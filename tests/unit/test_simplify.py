# SPDX-License-Identifier: Apache-2.0
"""Shorter code means the same: random code before and after, turned conditions, and what becomes of typical C."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest
from compiled import compile_text
from random_code import Generator, Pair, in_units

from pancam.bytecode.allocate import allocate
from pancam.bytecode.code import CodeBlock, Inst, VirtualCode
from pancam.bytecode.disasm import Disassembler
from pancam.bytecode.emitter import signed
from pancam.bytecode.jumps import inverted, shorten_jumps, thread_jumps
from pancam.bytecode.simplify import simplify
from pancam.vm.machine import Machine
from pancam.vm.scheduler import Schedule, Scheduler

FUEL = 400


@dataclass
class WithTests(Generator):
    """Random code with comparisons, tests and results that are used once; its blocks end as lowered ones do."""

    def statement(self, block: CodeBlock) -> None:
        random = self.random
        kind = random.randrange(12)
        read = [random.choice(self.singles) for _ in range(2)]
        if kind == 0:  # what is written once and read soon, as most values are
            once = self.code.new_unit()
            block.insts.append(Inst(random.choice(["ADD64", "EQ", "ULT"]), once, *read))
            block.insts.append(Inst("MOV", random.choice(self.singles), once))
        elif kind == 1:
            copy = self.code.new_unit()
            block.insts.append(Inst("MOV", copy, read[0]))
            self.singles.append(copy)
        elif kind == 2:
            block.insts.append(
                Inst(random.choice(["EQI", "NEI", "ULTI", "ANDI"]), random.choice(self.singles), read[0], x=1)
            )
        else:
            super().statement(block)

    def ending(self, block: CodeBlock, labels: list[str], number: int) -> None:
        random = self.random
        if random.randrange(4) == 0:
            super().ending(block, labels, number)
        elif random.randrange(2):
            name = random.choice(["JNEI", "JEQI", "JANYI", "JULTI", "JNONEI"])
            test = Inst(name, random.choice(self.singles), y=random.choice([0, 0, 1, 2]))
            test.target = random.choice(labels)
            block.insts.append(test)
            block.falls_into = random.choice(labels)
        else:
            block.falls_into = random.choice(labels)
        if block.falls_into is not None:
            jump = Inst("JMP")
            jump.target, block.falls_into = block.falls_into, None
            block.insts.append(jump)


def made(seed: int) -> VirtualCode:
    code = WithTests(Random(seed)).function()  # noqa: S311 - reproducible programs
    jump = Inst("JMP")
    jump.target, code.blocks[0].falls_into = code.blocks[0].falls_into, None
    code.blocks[0].insts.append(jump)
    return code


def executed(run: Pair) -> int:
    return sum(run.counts.values())


@pytest.mark.parametrize("first_seed", range(0, 4000, 1000))
def test_random_code_does_the_same_when_it_is_shorter(first_seed: int) -> None:
    before = after = 0
    for seed in range(first_seed, first_seed + 1000):
        original = in_units(made(seed), FUEL)
        code = made(seed)
        thread_jumps(code)
        simplify(code)
        shorten_jumps(code, (), ())
        shorter = Pair(code, allocate(code))
        shorter.run(FUEL)
        common = min(len(original.effects), len(shorter.effects))
        assert original.effects[:common] == shorter.effects[:common], seed
        if original.ended:
            assert shorter.ended, seed
            assert len(original.effects) == len(shorter.effects), seed
            assert executed(shorter) <= executed(original), seed
            before, after = before + executed(original), after + executed(shorter)
    assert after < 0.8 * before, "the test shows nothing: nothing became shorter"


NUMBERS = (-(1 << 31), -(1 << 31) + 1, -32769, -32768, -129, -128, -1, 0, 1, 127, 128, 32767, (1 << 31) - 1)
VALUES = {(number + step) & ((1 << 64) - 1) for number in NUMBERS for step in (-1, 0, 1)}


def is_taken(inst: Inst, value: int) -> bool:
    """What opcodes.def says of a jump with an immediate."""
    name, number = inst.op.name, signed(inst.y, 32)
    match = re.fullmatch(r"J([US])(LT|GT)I(\d*)", name)
    if match is None:
        masked = value & number & ((1 << 64) - 1)
        same = value == number & ((1 << 64) - 1)
        return {"JEQI": same, "JNEI": not same, "JANYI": masked != 0, "JNONEI": masked == 0}[name]
    width = int(match[3] or 64)
    bits = (1 << width) - 1
    left, right = (n & bits if match[1] == "U" else signed(n, width) for n in (value, number))
    return left < right if match[2] == "LT" else left > right


@pytest.mark.parametrize(
    "name",
    [
        "JEQI",
        "JNEI",
        "JANYI",
        "JNONEI",
        "JULTI",
        "JUGTI",
        *(f"JS{o}I{w}" for o in ("LT", "GT") for w in (8, 16, 32, 64)),
    ],
)
def test_a_turned_condition_holds_exactly_where_the_other_does_not(name: str) -> None:
    turned = 0
    for number in NUMBERS:
        inst = Inst(name, 0, y=number & 0xFFFFFFFF)
        opposite = inverted(inst)
        if opposite is not None:
            turned += 1
            assert all(is_taken(inst, value) != is_taken(opposite, value) for value in VALUES), number
    assert turned >= len(NUMBERS) - 4


def names(text: str, folder: Path, function: str, level: str = "0") -> list[str]:
    """The opcodes of a function."""
    listing = Disassembler(compile_text(text, folder, level=level))
    rows = (re.match(r"\s+\d+  (\w+)", line) for line in listing.text({function}))
    return [row[1] for row in rows if row is not None]


def test_a_loop_takes_one_jump_for_each_round(tmp_path: Path) -> None:
    text = "int main(int n, char **v) { int s = 0; (void)v; for (int i = 0; i < n; i++) s += i; return s; }"
    found = names(text, tmp_path, "main")
    assert [name for name in found if name.startswith("J")] == ["JSLE32", "JSLT32"]


def test_conditions_joined_by_and_are_tested_only(tmp_path: Path) -> None:
    text = "int a, b; int main(void) { while (a && b == 3) a = b; return 0; }"
    found = names(text, tmp_path, "main")
    assert not {"MOV", "EQI", "ANDI", "CONST"} & set(found)


def test_members_of_one_element_share_its_address(tmp_path: Path) -> None:
    text = "struct s { int a, b, c; } all[9]; int main(int i, char **v) { (void)v; return all[i].b + all[i].c; }"
    found = names(text, tmp_path, "main", level="1")
    assert [found.count(name) for name in ("SEXT", "LEAI", "LOAD32")] == [1, 1, 2]


def test_a_variable_that_changes_is_not_its_copy(tmp_path: Path) -> None:
    text = """
    int twice(int x) { return 2 * x; }
    int main(int n, char **v) { int i = n, j = i++; (void)v; j += i++ * twice(j); return i * 10 + j; }
    """
    machine = Machine(compile_text(text, tmp_path).image)
    Scheduler(machine, Schedule()).run(10_000)
    assert machine.exit_status == 3 * 10 + 1 + 2 * 2
