# SPDX-License-Identifier: Apache-2.0
"""Infinite executions: a list of moves of which the last part repeats for ever. What SPIN found is judged here anew.

The moves are done in the machine; the state at the end must be that at the start of the cycle, the cycle must be fair
where that was asked for, and some requirement must be violated. Anything else raises ReplayError.
"""

from __future__ import annotations

import contextlib
import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pancam import ltl
from pancam.errors import ReplayError
from pancam.explain.ending import Ending, Violation, Waiting, describe_wait
from pancam.liveness import ENDED, LIVELOCK, LTL, PROGRESS, TERMINATION, Liveness, Requirement
from pancam.moves import Step, Trail
from pancam.vm.checker import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pancam.errors import SourceLocation
    from pancam.explain.recorder import Recorder
    from pancam.vm.checker import Checker

MOST_TRIED = 50  # shorter executions


@dataclass(frozen=True)
class Judgement:
    """What is wrong with an infinite execution: the requirements it violates, and what is so in its cycle."""

    trail: Trail
    violated: tuple[Requirement, ...]
    lasso: ltl.Lasso
    starved: tuple[int, ...]  # threads that are blocked in the cycle, again and again, and do not move
    fair: bool

    @property
    def is_endless(self) -> bool:
        """Whether threads go on for ever; otherwise the program has ended, and its last state stays."""
        return self.trail.cycle_start != len(self.trail.moves)


@dataclass(frozen=True)
class _Point:
    """What is known of one state of the execution."""

    packed: bytes
    names: frozenset[str]
    enabled: frozenset[int]
    blocked: frozenset[int]
    is_cut: bool


def judge(checker: Checker, trail: Trail, liveness: Liveness) -> Judgement:
    """Do the moves and find out which requirements the infinite execution violates: at least one.

    The trail that comes back has no needless circles, and starts its cycle where the first starved thread is blocked.
    """
    points: Sequence[_Point] = _run(checker, trail, liveness)
    found = _find_cycle(points, trail, liveness)
    trail = found.trail
    for shorten in (_shorter_cycles, _shorter_stems):
        for shorter_points, shorter in itertools.islice(shorten(points, trail), MOST_TRIED):
            try:
                violated = _assess(shorter_points, shorter, liveness).violated
            except ReplayError:
                continue
            if found.violated[0] in violated:
                points, trail = shorter_points, shorter
                break
    trail = _turned(points, trail, _assess(points, trail, liveness).starved)
    return _assess(_run(checker, trail, liveness), trail, liveness)


def _find_cycle(points: Sequence[_Point], trail: Trail, liveness: Liveness) -> Judgement:
    """A search on two cores does not say where the cycle starts: then it is a state that is the last one, too."""
    if trail.cycle_start is not None:
        return _assess(points, trail, liveness)
    for start in reversed(range(len(points))):
        if points[start].packed == points[-1].packed:
            with contextlib.suppress(ReplayError):
                return _assess(points, Trail(trail.moves, start), liveness)
    raise ReplayError("the moves end neither in a violation nor in a cycle that is one", len(trail.moves))


def _assess(points: Sequence[_Point], trail: Trail, liveness: Liveness) -> Judgement:
    start, length = trail.cycle_start, len(trail.moves)
    assert start is not None
    cycle = points[start:]
    if points[-1].is_cut or (ENDED not in points[-1].names) != (start < length):
        raise ReplayError("what should go on for ever does not", length)
    if cycle[0].packed != cycle[-1].packed:
        raise ReplayError("the cycle does not end where it starts", length)
    movers = frozenset(move.thread for move in trail.moves[start:] if isinstance(move, Step))
    neglected = frozenset.intersection(*(point.enabled for point in cycle)) - movers
    if liveness.fair and neglected:
        raise ReplayError(f"the cycle is not fair to thread {min(neglected)}", length)
    starved = tuple(sorted(frozenset[int]().union(*(point.blocked for point in cycle)) - movers))
    lasso = ltl.Lasso([point.names for point in points], start)
    violated = tuple(r for r in liveness.requirements() if _is_violated(r, lasso, starved))
    if not violated:
        raise ReplayError("the infinite execution violates nothing", length)
    return Judgement(trail, violated, lasso, starved, liveness.fair)


def _run(checker: Checker, trail: Trail, liveness: Liveness) -> list[_Point]:
    """The states before, between and after the moves."""
    checker.reset()
    points = [_point(checker, liveness)]
    for number, move in enumerate(trail.moves):
        if not isinstance(move, Step) or move.choice >= checker.moves(move.thread):
            raise ReplayError("this move cannot be made", number + 1)
        checker.step(move.thread, move.choice)
        points.append(_point(checker, liveness))
    return points


def _point(checker: Checker, liveness: Liveness) -> _Point:
    bits, threads = checker.propositions, checker.machine.threads
    names = {name for number, name in enumerate(liveness.names) if bits >> number & 1}
    if checker.outcome is not Outcome.RUNNING:
        names.add(ENDED)
    return _Point(
        checker.pack(),
        frozenset(names),
        frozenset(thread for thread in threads if checker.moves(thread)),
        frozenset(thread for thread in threads if checker.is_blocked(thread)),
        checker.is_cut,
    )


# The same story told shorter: what SPIN shows goes round as often as its counters for fairness need


def _shorter_cycles(points: Sequence[_Point], trail: Trail) -> Iterator[tuple[Sequence[_Point], Trail]]:
    """Parts of the cycle that are cycles themselves, the shortest first."""
    start = trail.cycle_start or 0
    places: dict[bytes, list[int]] = {}
    for at in range(start, len(points)):
        places.setdefault(points[at].packed, []).append(at)
    pairs = [pair for found in places.values() for pair in itertools.combinations(found, 2)]
    for first, last in sorted(pairs, key=lambda pair: (pair[1] - pair[0], pair[0])):
        yield points[: last + 1], Trail(trail.moves[:last], first)


def _shorter_stems(points: Sequence[_Point], trail: Trail) -> Iterator[tuple[Sequence[_Point], Trail]]:
    """The way to the cycle without circles."""
    start = trail.cycle_start or 0
    last = {points[at].packed: at for at in range(start + 1)}
    kept, at = list[int](), 0
    while at <= start:
        at = last[points[at].packed]
        kept.append(at)
        at += 1
    moves = tuple(trail.moves[at] for at in kept[:-1])
    yield [*(points[at] for at in kept), *points[start + 1 :]], Trail((*moves, *trail.moves[start:]), len(moves))


def _turned(points: Sequence[_Point], trail: Trail, starved: Sequence[int]) -> Trail:
    """The first moves of the cycle done once before it, up to where the first starved thread is blocked."""
    start = trail.cycle_start or 0
    cycle = points[start:]
    turns = next((turn for turn, point in enumerate(cycle) if point.blocked & set(starved[:1])), 0)
    return Trail((*trail.moves, *trail.moves[start : start + turns]), start + turns)


def _is_violated(requirement: Requirement, lasso: ltl.Lasso, starved: tuple[int, ...]) -> bool:
    if requirement.formula is None:
        return bool(starved)
    return not ltl.holds(requirement.formula, lasso)


# In words


def describe_lasso(recorder: Recorder, judgement: Judgement) -> Ending:
    """The end of a trace with a cycle; the recorder has done all its moves."""
    first = judgement.violated[0]
    waits = [wait for thread in judgement.starved if (wait := describe_wait(recorder, thread)) is not None]
    location = _place_of_cycle(recorder, judgement)
    if first.kind == LIVELOCK and waits:
        location = waits[0].location
    violation = Violation(
        first.kind, _text(first, judgement, waits), location.file if location else "", location.line if location else 0
    )
    also = [f"also violated: {requirement.text}" for requirement in judgement.violated[1:]]
    values = [f"{name} is {value}" for name, value in _values(first, judgement)]
    return Ending(violation, location=location, details=(*values, *also), waiting=tuple(waits))


def _place_of_cycle(recorder: Recorder, judgement: Judgement) -> SourceLocation | None:
    """The first line of the user's in the cycle."""
    start = judgement.trail.cycle_start or 0
    places = (segment.place for segment in recorder.segments if segment.move >= start)
    return next((place.location for place in places if place is not None), None)


def _text(requirement: Requirement, judgement: Judgement, waits: Sequence[Waiting]) -> str:
    execution = "a fair execution" if judgement.fair else "an execution"
    if requirement.kind == LIVELOCK:
        who = f"thread {judgement.starved[0]}"
        if waits:
            who += f" ({waits[0].name}) waits for {waits[0].what}"
        return f"livelock: {who} for ever while others run" if waits else f"livelock: {who} waits for ever"
    if requirement.kind == PROGRESS:
        return f"no progress: {execution} runs for ever and in the end no longer passes the label {requirement.label}"
    if requirement.kind == TERMINATION:
        return f"no termination: {execution} runs for ever"
    values = ", ".join(f"{name} {value}" for name, value in _values(requirement, judgement))
    how = "goes on for ever" if judgement.is_endless else "ends"
    return f"{requirement.text} does not hold: {execution} {how} with {values}"


def _values(requirement: Requirement, judgement: Judgement) -> list[tuple[str, str]]:
    """What the propositions of a formula are in the cycle."""
    if requirement.kind != LTL or requirement.formula is None:
        return []
    cycle = judgement.lasso.states[judgement.lasso.loop :]
    found = []
    for name in dict.fromkeys(requirement.formula.names()):
        values = {name in state for state in cycle}
        found.append((name, "now true, now false" if len(values) > 1 else str(values.pop()).lower()))
    return found
