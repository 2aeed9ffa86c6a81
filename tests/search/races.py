# SPDX-License-Identifier: Apache-2.0
"""Compares the data races that searches find with those that there are by definition, on random programs.

By definition two threads race when, in one state that can be reached by single instructions, both can move, and what
they do next conflicts and is not all atomic; an atomic section is done in one go. The oracle decodes instructions
itself and shares nothing with the searches but the meaning of one move. As a program it compares a range of seeds,
prints the programs that differ, and exits 1 if any does.
"""

from __future__ import annotations

import argparse
import sys
from collections import deque
from dataclasses import dataclass, replace
from multiprocessing import Pool

from programs import program_text
from reduction import LEVELS, PER_PROCESS, compile_program

from pancam.bytecode.program import Program
from pancam.check import make_checker
from pancam.explain.code_view import CodeView
from pancam.explain.races import Lines, endings
from pancam.explain.trace import replay
from pancam.isa import OPCODES, WIDTHS, constants
from pancam.settings import Settings
from pancam.spin.options import SearchOptions
from pancam.spin.search import Watch, search
from pancam.vm.checker import Checker, Outcome
from pancam.vm.machine import Machine, Mode, Status, Stop

STATES = 30_000  # of the oracle; programs with more are left out
LONGEST_SECTION = 10_000
SECONDS = 20.0
ALL = SearchOptions(all_errors=0, time=SECONDS)
SUPERSTEP = Settings(step="superstep", races=True)
SEARCHES = {
    "superstep": (SUPERSTEP, ALL),
    "superstep, breadth-first": (SUPERSTEP, replace(ALL, breadth_first=True)),
    "superstep, raw": (SUPERSTEP, replace(ALL, store="raw")),
    "superstep, random order": (SUPERSTEP, replace(ALL, random_seed=5)),
    "superstep, short": (replace(SUPERSTEP, max_superstep=15), ALL),
    "global": (replace(SUPERSTEP, step="global"), ALL),
    "instruction": (replace(SUPERSTEP, step="instruction"), ALL),
}
FIRST = "superstep"
READING, WRITING = ("LOAD", "LOADA"), ("STORE", "STOREI", "STOREA", "RMW", "CMPXCHG")
OPCODE_ACCESSES = {
    OPCODES[f"{name}{width}"].number: (name, width // 8) for name in (*READING, *WRITING) for width in WIDTHS
}
SECTION_BEGINS = {OPCODES[name].number for name in ("AWAIT", "ATOMIC_BEGIN")}


@dataclass(frozen=True)
class Access:
    """Bytes of memory that a thread is about to read or write."""

    pointer: int
    size: int
    writes: bool
    is_atomic: bool
    line: int

    def races_with(self, other: Access) -> bool:
        overlap = self.pointer < other.pointer + other.size and other.pointer < self.pointer + self.size
        return overlap and (self.writes or other.writes) and not (self.is_atomic and other.is_atomic)


class Pending:
    """What the threads of a checker are about to do."""

    def __init__(self, checker: Checker, code: CodeView) -> None:
        self.checker = checker
        self.machine: Machine = checker.machine
        self.code = code

    def races(self, state: bytes) -> set[Lines]:
        """Pairs of lines at which threads race in a state."""
        self.checker.unpack(state)
        accesses = [self._next(thread, state) for thread in self.machine.threads]
        return {
            tuple(sorted((mine.line, theirs.line)))
            for number, own in enumerate(accesses)
            for others in accesses[:number]
            for mine in own
            for theirs in others
            if mine.races_with(theirs)
        }

    def _next(self, thread: int, state: bytes) -> list[Access]:
        op = self.code.instructions[self.machine.pc(thread)][0]
        if op not in SECTION_BEGINS and self.machine.atomic_depth(thread) == 0:
            access = self._access(thread)
            return [access] if access is not None else []
        values: list[int | None] = [None]
        if self.machine.at_choice(thread):
            values = [self.checker.chosen_value(thread, choice) for choice in range(self.checker.moves(thread))]
        found: list[Access] = []
        for value in values:
            found += self._section(thread, value)
            self.checker.unpack(state)
        return found

    def _section(self, thread: int, value: int | None) -> list[Access]:
        """What a section does until it ends, or has to choose or to wait."""
        found: list[Access] = []
        for count in range(LONGEST_SECTION):
            access = self._access(thread)
            choice = value if count == 0 else None
            stop = self.machine.run(thread, Mode.TRACE, 1, choice=choice, time_out=count == 0)
            if access is not None and stop in (Stop.STEP, Stop.FAULT):
                found.append(replace(access, is_atomic=True))
            if stop is not Stop.STEP or self.machine.atomic_depth(thread) == 0:
                return found
        raise AssertionError("a section that is too long for the oracle")

    def _access(self, thread: int) -> Access | None:
        machine = self.machine
        op, _, b, c, low, high = self.code.instructions[machine.pc(thread)]
        name, size = OPCODE_ACCESSES.get(op, ("", 0))
        if not name:
            return None
        writes, is_atomic = name in WRITING, bool(c & constants()["ACCESS_ATOMIC"])
        if name.endswith("A"):
            pointer = low | high << 32
        elif name in ("RMW", "CMPXCHG"):
            pointer, is_atomic = machine.register(thread, b), True
        else:
            pointer = machine.register(thread, b) + low - ((low & 1 << 31) << 1)
        pointer &= (1 << machine.pointer_bits) - 1
        data = machine.read_memory(pointer, size)
        if data is None:
            return None  # a fault of another kind
        if name == "CMPXCHG":
            writes = int.from_bytes(data, "little") == machine.register(thread, c)
        lines = (self.code.line_numbers[frame.pc] for frame in machine.stack(thread))
        return Access(pointer, size, writes, is_atomic, next((line for line in lines if line), 0))


def races_by_definition(program: Program, settings: Settings, most: int = STATES) -> set[Lines] | None:
    """All pairs of lines that race; None when there are too many states."""
    checker = Checker(program.image, replace(settings, step="instruction"))
    checker.reset()
    pending = Pending(checker, CodeView(program))
    found: set[Lines] = set()
    first = checker.pack()
    seen, waiting = {first}, deque([first])
    while waiting:
        state = waiting.popleft()
        checker.unpack(state)
        if checker.machine.status is not Status.RUNNING:
            continue
        if len(checker.machine.threads) > 1:
            found |= pending.races(state)
            checker.unpack(state)
        for thread in checker.machine.threads:
            for choice in range(checker.moves(thread)):
                checker.unpack(state)
                checker.step(thread, choice)
                following = checker.pack()
                if following not in seen:
                    if len(seen) == most:
                        return None
                    seen.add(following)
                    waiting.append(following)
            checker.unpack(state)
    return found


def races_of_search(program: Program, settings: Settings, name: str) -> set[Lines] | None:
    """All pairs of lines that a search finds; each is brought about, and one told whole. None: it takes too long."""
    chosen, options = SEARCHES[name]
    settings = replace(chosen, invariants=settings.invariants)
    lines = CodeView(program).line_numbers
    result = search(program.image, settings, options, program.thread_limit, Watch(lines=lines))
    if result.stopped:
        return None
    found: set[Lines] = set()
    checker = make_checker(program, settings)
    for trail in result.trails:
        races = endings(checker, trail.moves)
        for moves in races.values():
            trace = replay(program, checker, moves)
            assert trace.ending.violation is not None
            assert trace.ending.violation.kind == "DATA_RACE"
            break
        assert races or checker.outcome is Outcome.VIOLATION, "a trail that leads to nothing"
        assert not races.keys() <= found or not races, "a trail that leads to nothing new"
        found |= races.keys()
    return found


@dataclass(frozen=True)
class Comparison:
    """How searches differ from the definition, and how many pairs of lines race by it."""

    differences: list[str]
    races: int


def compare(program: Program, settings: Settings, names: tuple[str, ...]) -> Comparison | None:
    """Compare some of SEARCHES with the definition; None when there are too many states for it."""
    expected = races_by_definition(program, settings)
    if expected is None:
        return None
    texts: list[str] = []
    for name in names:
        found = races_of_search(program, settings, name)
        if found != expected:
            texts.append(f"{name}: {found} instead of {expected}")
    return Comparison(texts, len(expected))


def others_for(seed: int) -> tuple[str, ...]:
    """The searches that a program is compared with: the first, and another one in turns."""
    others = [name for name in SEARCHES if name != FIRST]
    return FIRST, others[seed % len(others)]


def _compare_seed(seed: int) -> tuple[int, Comparison | None]:
    program, settings = compile_program(program_text(seed), LEVELS[seed % len(LEVELS)])
    return seed, compare(program, settings, others_for(seed))


def main() -> int:
    """Compare the seeds that the command line asks for."""
    parser = argparse.ArgumentParser(description="Compare data races with their definition on random programs.")
    parser.add_argument("--count", type=int, default=1000, help="how many programs to compare")
    parser.add_argument("--seed", type=int, default=1, help="the first seed")
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()
    seeds = range(arguments.seed, arguments.seed + arguments.count)
    compared, differing, racy = 0, 0, 0
    with Pool(arguments.jobs, maxtasksperchild=PER_PROCESS) as pool:
        for seed, found in pool.imap(_compare_seed, seeds):
            if found is None:
                continue
            compared += 1
            racy += found.races > 0
            if found.differences:
                differing += 1
                print(f"seed {seed}: {found.differences}\n{program_text(seed)}", flush=True)
    too_large = arguments.count - compared
    print(f"{compared} programs compared, {racy} with races, {differing} differ, {too_large} have too many states")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
