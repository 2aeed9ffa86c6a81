# SPDX-License-Identifier: Apache-2.0
"""Trace: an execution in the words of the source, made by replaying moves in the machine that the search used.

Moves that cannot be done, or that do not end in a violation, raise ReplayError: such a trace is never shown.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pancam.errors import ReplayError, SourceLocation
from pancam.explain.code_view import CodeView
from pancam.explain.ending import Ending, Violation, describe_ending, same_violation
from pancam.explain.lasso import Judgement, describe_lasso, judge
from pancam.explain.notes import Segment
from pancam.explain.objects import Heap
from pancam.explain.races import RaceEnding
from pancam.explain.recorder import Kept, Recorder
from pancam.explain.sharing import Sharing
from pancam.explain.sources import source_line
from pancam.explain.survey import NOBODY
from pancam.moves import Approach, Call, Invariant, Move, Race, Start, Step, Trail
from pancam.vm.checker import Outcome
from pancam.vm.machine import Status

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pancam.bytecode.program import Program
    from pancam.vm.checker import Checker

DRIVER = "driver"
SOME_VIOLATION = Violation("")
MOST_PASSES = 3


@dataclass(frozen=True, slots=True)
class Change:
    """A variable, member or element that was written; `shared` when other threads have to do with it."""

    path: str
    old: str
    new: str
    shared: bool = True


@dataclass(frozen=True, slots=True)
class Read:
    """A variable, member or element that was read; `contended` when another thread wrote it, before or after."""

    path: str
    value: str
    contended: bool = False


@dataclass(frozen=True, slots=True)
class TraceStep:
    """What one thread did on one line, as part of one move. Thread None is the driver."""

    number: int
    move: int
    thread: int | None
    thread_name: str
    function: str
    location: SourceLocation | None
    source: str
    events: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()
    reads: tuple[Read, ...] = ()
    choice: int | None = None
    output: str = ""

    @property
    def is_dull(self) -> bool:
        """Whether nothing of it concerns anybody else."""
        told = self.events or self.output or self.choice is not None
        return not (told or any(c.shared for c in self.changes) or any(r.contended for r in self.reads))


@dataclass(frozen=True)
class Trace:
    """A whole execution. `preempted` has the moves before which a thread had to stop though it could go on."""

    moves: tuple[Move, ...]
    steps: tuple[TraceStep, ...]
    ending: Ending
    switches: int
    preempted: tuple[int, ...]
    notes: tuple[str, ...] = ()
    cycle_start: int | None = None  # the move from which on the rest repeats for ever, in a liveness trace


def replay(
    program: Program,
    checker: Checker,
    moves: Sequence[Move],
    *,
    expected: Violation | None = SOME_VIOLATION,
    judgement: Judgement | None = None,
) -> Trace:
    """Do the moves again, from the start, and tell what happens.

    They must end in the violation that is expected: by default any, with None none. A judgement tells what is wrong
    with an infinite execution, whose moves they are.

    The types of heap objects become known on the way, and at the end what to look out for before it; where that
    changes anything told, it is all done once more.
    """
    code, kept = CodeView(program), Kept()
    for _ in range(MOST_PASSES):
        current = _Replay(program, checker, code, kept)
        trace = current.all(moves, expected, judgement)
        heap, watch, known = current.recorder.tools.heap, current.recorder.watch, kept.watch
        missed = watch is not None and known is None and watch.since < len(moves) - 1
        if not heap.learnt_late and not missed:
            break
        kept = Kept(Heap(dict(heap.types)), replace(watch, found={}) if watch is not None else None)
    return trace


def replay_any(program: Program, checker: Checker, trail: Trail) -> Trace:
    """The trace of a trail: one that ends in a violation, or an infinite execution that is one, judged anew."""
    liveness = checker.settings.liveness
    if liveness is None or (trail.cycle_start is None and _ends_in_violation(checker, trail)):
        return replay(program, checker, trail.moves)
    judgement = judge(checker, trail, liveness)
    return replay(program, checker, judgement.trail.moves, judgement=judgement)


def _ends_in_violation(checker: Checker, trail: Trail) -> bool:
    checker.reset()
    if trail.moves and isinstance(trail.moves[-1], Race):
        return True
    for number, move in enumerate(trail.moves):
        if not isinstance(move, Step) or move.choice >= checker.moves(move.thread):
            raise ReplayError("this move cannot be made", number + 1)
        checker.step(move.thread, move.choice)
    return checker.outcome is Outcome.VIOLATION


class _Replay:
    """One pass over the moves."""

    def __init__(self, program: Program, checker: Checker, code: CodeView, kept: Kept) -> None:
        self.program = program
        self.checker = checker
        checker.reset()
        self.recorder = Recorder(program, checker, code, kept)
        self.ending: Ending | None = None  # of a race
        self.switches = 0
        self.preempted: list[int] = []
        self._last: int | None = None

    def all(self, moves: Sequence[Move], expected: Violation | None, judgement: Judgement | None) -> Trace:
        try:
            for number, move in enumerate(moves):
                self.recorder.move = number
                self._do(number, move)
            if judgement is None:
                ending = self.ending or describe_ending(self.program, self.recorder, self.checker.outcome)
            else:
                ending = describe_lasso(self.recorder, judgement)
            self._check(expected, ending.violation, len(moves))
        finally:
            self.recorder.close()
        steps = make_steps(self.recorder.segments)
        cycle_start = judgement.trail.cycle_start if judgement is not None else None
        return Trace(tuple(moves), steps, ending, self.switches, tuple(self.preempted), (), cycle_start)

    @staticmethod
    def _check(expected: Violation | None, found: Violation | None, step: int) -> None:
        if found is None and expected is not None:
            raise ReplayError("the moves end without a violation", step)
        if found is not None and expected is not SOME_VIOLATION and not same_violation(expected, found):
            wanted = f"not in {expected.text or expected.kind}" if expected is not None else "none is expected"
            where = f"{found.file}:{found.line}: " if found.file else ""
            raise ReplayError(f"the moves end in a violation ({where}{found.text}), {wanted}", step)

    def _do(self, number: int, move: Move) -> None:
        if self.checker.machine.status is not Status.RUNNING or self.ending is not None:
            raise ReplayError(f"the program is over, but there are moves left ({self._ending()})", number + 1)
        if isinstance(move, Step | Approach):
            self._step(number, move)
        elif isinstance(move, Race):
            self._race(number, move)
        elif isinstance(move, Start):
            self._driver(number, "start_thread", move.thread, move.function, move.argument)
            self.recorder.add_thread(move.thread, move.function)
            self.recorder.segment.events.append(f"starts thread {move.thread}: {move.function}({move.argument})")
        elif isinstance(move, Call):
            self._driver(number, "run_function", move.function)
            self.recorder.segment.events.append(f"calls {move.function}")
        else:
            assert isinstance(move, Invariant)
            self._driver(number, "register_invariant", move.function)
            self.recorder.segment.events.append(f"requires {move.function} to hold from here on")

    def _ending(self) -> str:
        fault = self.checker.machine.fault
        return fault.text if fault is not None else self.checker.outcome.name.lower()

    def _race(self, number: int, move: Race) -> None:
        """By definition: in this state, both threads are about to make their accesses."""
        races = self.checker.races(pending=True)
        if move.number >= len(races):
            raise ReplayError("the threads are not about to race", number + 1)
        self.ending = RaceEnding(self.program, self.recorder, races[move.number]).describe()
        if self.ending is None:
            raise ReplayError("the accesses that are to race cannot be found", number + 1)

    def _step(self, number: int, move: Step | Approach) -> None:
        choices = self.checker.moves(move.thread)
        if choices == 0:
            raise ReplayError(f"thread {move.thread} cannot move", number + 1)
        if move.choice >= choices:
            raise ReplayError(f"thread {move.thread} has no choice {move.choice}, only {choices}", number + 1)
        if self._last is not None and self._last != move.thread:
            self.switches += 1
            if self.checker.moves(self._last) > 0:
                self.preempted.append(number)
        self._last = move.thread
        self.recorder.step(move.thread, move.choice, move.transitions if isinstance(move, Approach) else None)

    def _driver(self, number: int, method: str, *arguments: int | str) -> None:
        """Something that the driver does, told by what it changes."""
        act: Callable[..., object] | None = getattr(self.checker, method, None)
        if act is None:
            raise ReplayError(f"this checker has no {method}", number + 1)
        tools = self.recorder.tools
        old = tools.memory.snapshot(tools.objects)
        act(*arguments)
        self.recorder.segments.append(Segment(number, None, DRIVER, None))
        self.recorder.note_differences(old, NOBODY)


def make_steps(segments: list[Segment]) -> tuple[TraceStep, ...]:
    """The segments that say something, one for each move that has none such, and the last one: there it ends."""
    sharing = Sharing(segments)
    telling = {segment.move for segment in segments if not segment.is_empty}
    steps: list[TraceStep] = []
    for time, segment in enumerate(segments):
        is_last = time == len(segments) - 1 and segment.place is not None
        said = segment.move in telling or (steps and steps[-1].move == segment.move)
        if segment.is_empty and said and not is_last:
            continue
        place = segment.place
        written = [noted for noted in segment.writes.values() if sharing.is_worth(time, noted)]
        steps.append(
            TraceStep(
                len(steps) + 1, segment.move, segment.thread, segment.name,
                place.function if place else "", place.location if place else None,
                source_line(place.location if place else None), tuple(segment.events),
                tuple(Change(n.path, n.old, n.new, sharing.is_shared(n)) for n in written),
                tuple(Read(n.path, n.new, sharing.is_contended(time, n)) for n in segment.reads.values()),
                segment.choice, segment.output.decode(errors="replace"),
            )
        )  # fmt: skip
    return tuple(steps)
