# SPDX-License-Identifier: Apache-2.0
"""Compares what the oracle finds with steps of two sizes: both must see the same faults and the same final values.

As a program it does so for a range of seeds, prints the programs that differ, and exits 1 if any does.
"""

import argparse
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from oracle import Exploration, explore
from programs import program_text

from pancam.bytecode.image import OBJECT, read_sections
from pancam.bytecode.program import Program
from pancam.frontend.clang import CompileOptions
from pancam.isa import constants
from pancam.pipeline import BuildOptions, Timings, build_program
from pancam.settings import Settings
from pancam.vm.checker import Checker

STATES = 80_000


@dataclass(frozen=True)
class Finding:
    """What an exploration found that must not depend on the size of steps."""

    complete: bool
    limit_met: bool
    violations: frozenset[tuple[str, int]]
    final_values: frozenset[tuple[object, ...]]


def compile_text(text: str, level: str = "0", functions: tuple[str, ...] = ()) -> Program:
    """The program with this text, and functions that are called from outside; in process, about 0.1 s."""
    with tempfile.TemporaryDirectory(prefix="pancam-search-") as folder:
        file = Path(folder) / "program.c"
        file.write_text(text)
        options = BuildOptions(CompileOptions(opt_level=level), functions=functions)
        return build_program([str(file)], options, [], Timings())


def final_values(checker: Checker, found: Exploration) -> frozenset[tuple[object, ...]]:
    """How the process ended, and the bytes of all variables with static storage, for each final state."""
    machine = checker.machine
    rows = read_sections(machine.image)[0]["OBJECTS"]
    objects = [OBJECT.unpack_from(rows, at) for at in range(0, len(rows), OBJECT.size)]
    variables = [
        (machine.static_pointer(number), size)
        for number, (_, size, flags, _) in enumerate(objects)
        if not flags & constants()["OBJECT_CONSTANT"]
    ]
    values: set[tuple[object, ...]] = set()
    for state in found.final_states:
        checker.unpack(state)
        memory = tuple(machine.read_memory(pointer, size) for pointer, size in variables)
        values.add((machine.status, machine.exit_status, *memory))
    return frozenset(values)


def finding(program: Program, step: str, max_states: int = STATES) -> Finding:
    """What the oracle finds with steps of this size."""
    checker = Checker(program.image, Settings(step=step))
    found = explore(checker, max_states)
    return Finding(found.complete, found.limit_met, frozenset(found.violations), final_values(checker, found))


def compare_steps(program: Program, max_states: int = STATES) -> str | None:
    """How the two sizes of steps differ on a program: empty when they do not, None when there are too many states."""
    large, small = (finding(program, step, max_states) for step in ("global", "instruction"))
    if not (large.complete and small.complete):
        return None
    if (large.violations, large.limit_met) != (small.violations, small.limit_met):
        return f"violations with global steps {sorted(large.violations)}, with instructions {sorted(small.violations)}"
    if large.final_values != small.final_values:
        return f"{len(large.final_values ^ small.final_values)} final values are found with one size of steps only"
    return ""


def main() -> int:
    """Compare the seeds that the command line asks for."""
    parser = argparse.ArgumentParser(description="Compare two sizes of steps on random programs.")
    parser.add_argument("--count", type=int, default=1000, help="how many programs to compare")
    parser.add_argument("--seed", type=int, default=1, help="the first seed")
    parser.add_argument("-O", dest="level", default="0", help="how the programs are optimised")
    arguments = parser.parse_args()
    differing, too_large = 0, 0
    for seed in range(arguments.seed, arguments.seed + arguments.count):
        difference = compare_steps(compile_text(program_text(seed), arguments.level))
        too_large += difference is None
        if difference:
            differing += 1
            print(f"seed {seed}: {difference}\n{program_text(seed)}", flush=True)
    print(f"{arguments.count - too_large} programs compared, {differing} differ, {too_large} have too many states")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
