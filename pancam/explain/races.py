# SPDX-License-Identifier: Apache-2.0
"""Data races: from a state that a search found them in to the accesses themselves, and these in words.

A search tells a state from which parts of two threads' moves lead to accesses that race. Here the threads are brought
to them, so that the race is one by definition: in one state, both are about to make accesses that conflict.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pancam.errors import ReplayError
from pancam.explain.ending import Ending, RaceAccess, Violation
from pancam.explain.memory_report import MemoryReport, short_place
from pancam.explain.notes import Segment
from pancam.explain.situation import Situation, SourceFrame
from pancam.isa import OPCODES, WIDTHS
from pancam.moves import Approach, Call, Invariant, Move, Race, Start, Step
from pancam.vm.machine import Mode, Stop

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pancam.bytecode.program import Program
    from pancam.explain.code_view import Place
    from pancam.explain.recorder import Recorder
    from pancam.vm.checker import Checker, RaceSide
    from pancam.vm.checker import Race as RacePair
    from pancam.vm.machine import Machine

DATA_RACE = "DATA_RACE"
MOST_INSTRUCTIONS = 1 << 21  # of an atomic section that are looked at one by one, in search of an access
SIGN = 1 << 31
READS, WRITES, UPDATES = "reads", "writes", "updates"
_VERBS = {"LOAD": READS, "LOADA": READS, "STORE": WRITES, "STOREI": WRITES, "STOREA": WRITES, "RMW": UPDATES}
_ACCESSES = {OPCODES[f"{name}{width}"].number: (name, width // 8) for name in (*_VERBS, "CMPXCHG") for width in WIDTHS}


# From a state to its races


Lines = tuple[int, ...]  # of both accesses, the lower one first


def endings(checker: Checker, trail: Sequence[Move]) -> dict[Lines, tuple[Move, ...]]:
    """The moves of a trail, followed by what leads to each race that is near its end; for each pair of lines."""
    checker.reset()
    for number, move in enumerate(trail):
        try:
            _do(checker, move)
        except IndexError as problem:
            raise ReplayError(str(problem), number + 1) from problem
    found, end = checker.races(), checker.pack()
    return {_lines(race): (*trail, *_approach(checker, end, race)) for race in found}


def _do(checker: Checker, move: Move) -> None:
    if isinstance(move, Step):
        checker.step(move.thread, move.choice)
    elif isinstance(move, Start):
        checker.start_thread(move.thread, move.function, move.argument)
    elif isinstance(move, Call):
        checker.run_function(move.function)
    elif isinstance(move, Invariant):
        checker.register_invariant(move.function)


def _lines(race: RacePair) -> Lines:
    return tuple(sorted(side.line for side in race))


def _approach(checker: Checker, state: bytes, race: RacePair) -> list[Move]:
    """Brings both threads to their accesses, and says which of the races there it is."""
    checker.unpack(state)
    moves: list[Move] = [Approach(s.thread, s.choice, s.transitions) for s in race if s.transitions]
    for move in moves:
        assert isinstance(move, Approach)
        checker.approach(move.thread, move.choice, move.transitions)
    there = [_lines(found) for found in checker.races(pending=True)]
    return [*moves, Race(there.index(_lines(race)) if _lines(race) in there else len(there))]


# A race in words


@dataclass(frozen=True, slots=True)
class _Access:
    """What an instruction does to memory."""

    pointer: int
    size: int
    verb: str

    def overlaps(self, other: _Access) -> bool:
        return self.pointer < other.pointer + other.size and other.pointer < self.pointer + self.size


def _access_of(machine: Machine, thread: int, instruction: tuple[int, ...]) -> _Access | None:
    """The access to memory that an instruction, the thread's next one, will make."""
    name, size = _ACCESSES.get(instruction[0], ("", 0))
    if not name:
        return None
    if name.endswith("A"):
        return _Access(instruction[4] | instruction[5] << 32, size, _VERBS[name])
    mask = (1 << machine.pointer_bits) - 1
    pointer = machine.register(thread, instruction[2]) & mask
    if name == "CMPXCHG":
        data = machine.read_memory(pointer, size)
        found = data is not None and int.from_bytes(data, "little") == machine.register(thread, instruction[3])
        return _Access(pointer, size, UPDATES if found else READS)
    if name != "RMW":
        offset = instruction[4]
        pointer += offset - (1 << 32) if offset & SIGN else offset
    return _Access(pointer & mask, size, _VERBS[name])


@dataclass(frozen=True, slots=True)
class _Found:
    """An access, looked at in the state in which it comes next."""

    side: RaceSide
    access: _Access
    place: Place | None
    frames: list[SourceFrame]
    in_section: bool


class RaceEnding:
    """Describes a race between two threads of a recorder's machine that are about to make their accesses."""

    def __init__(self, program: Program, recorder: Recorder, race: RacePair) -> None:
        self.recorder = recorder
        self.machine = recorder.machine
        self.objects = recorder.tools.objects
        self.situation = Situation(self.machine, program)
        self.race = race

    def describe(self) -> Ending | None:
        """The end of the trace; None when the accesses are not there."""
        plain, other = sorted(self.race, key=lambda side: side.is_atomic)
        first = self._find(plain, None)
        second = self._find(other, first.access) if first is not None else None
        if first is None or second is None:
            return None
        for found in (first, second):
            self.recorder.tools.learn_from_variables(found.side.thread)
        sides = sorted((first, second), key=lambda found: (found.access.verb == READS, found.side.is_atomic))
        accesses = tuple(self._described(found) for found in sides)
        for found, access in zip(sides, accesses, strict=True):
            self._show(found, access)
        location, touched = accesses[0].location, sides[0].access
        object_ = MemoryReport(self.recorder.tools).at(touched.pointer, touched.size, touched.verb)
        told = replace(object_, access="").lines() if object_ else []  # who does what follows
        return Ending(
            Violation(
                DATA_RACE, _text(accesses), location.file if location else "", location.line if location else 0
            ),
            sides[0].side.thread, location, details=tuple(line.strip() for line in told),
            stacks=tuple(self.situation.thread_lines(None)), accesses=accesses, object=object_,
        )  # fmt: skip

    def _find(self, side: RaceSide, target: _Access | None) -> _Found | None:
        """The access of one side: the next instruction or, if it conflicts with a target, one of a whole section."""
        state = self.machine.pack()
        value = self.recorder.checker.chosen_value(side.thread, side.choice)
        code, thread = self.recorder.tools.code, side.thread
        try:
            for count in range(MOST_INSTRUCTIONS):
                access = _access_of(self.machine, thread, code.instructions[self.machine.pc(thread)])
                fits = access is not None and (target is None or access.overlaps(target))
                if access is not None and fits and self._is_meant(side, access):
                    place, frames = self.recorder.user_place(thread), self.situation.stack(thread)
                    return _Found(side, access, place, frames, self.machine.atomic_depth(thread) > 0)
                if target is None or not side.is_atomic:
                    return None
                choice = value if self.machine.at_choice(thread) else None
                stop = self.machine.run(thread, Mode.TRACE, 1, choice=choice, time_out=count == 0)
                if stop is not Stop.STEP:
                    return None
        finally:
            self.recorder.checker.unpack(state)
        return None

    def _is_meant(self, side: RaceSide, access: _Access) -> bool:
        numbers = self.recorder.tools.code.line_numbers
        lines = (numbers[frame.pc] for frame in self.machine.stack(side.thread))
        return (access.verb != READS) == side.writes and next((line for line in lines if line), 0) == side.line

    def _described(self, found: _Found) -> RaceAccess:
        side, access = found.side, found.access
        how = "in an atomic section" if found.in_section else "atomically" if side.is_atomic else ""
        view = self.recorder.threads.get(side.thread)
        mine = [frame for frame in found.frames if not frame.library]
        inner = found.frames[: found.frames.index(mine[0])] if mine else []
        stack = tuple(f"{f.function} at {short_place(f.location)}" if f.location else f.function for f in mine)
        return RaceAccess(
            side.thread, view.name if view else f"thread {side.thread}", found.place.location if found.place else None,
            access.verb, how, self.objects.part_name(access.pointer, side.thread), access.size, side.is_atomic,
            inner[-1].function if inner else "", stack,
        )  # fmt: skip

    def _show(self, found: _Found, access: RaceAccess) -> None:
        """The access as a step of the trace that is still to come."""
        text = f"is about to {access.access.removesuffix('s')} {access.path} {access.how}".rstrip()
        self.recorder.segments.append(
            Segment(self.recorder.move, access.thread, access.name, found.place, events=[text])
        )


def _text(accesses: tuple[RaceAccess, ...]) -> str:
    one, other = accesses
    first, second = (f"thread {side.thread} {side.access} {side.how}".rstrip() for side in accesses)
    size = f"{one.size} byte{'s' if one.size > 1 else ''}"
    where = f" at {short_place(other.location)}" if other.location else ""
    return f"data race on `{one.path}` ({size}): {first}, {second}{where} without synchronisation"
