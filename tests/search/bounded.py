# SPDX-License-Identifier: Apache-2.0
"""All executions with few preemptions, found so simply that it is obviously right, to judge cleverer searches by.

A preemption is a move of another thread than the one that moved last, while that one could still move. How many an
execution may have from here on depends on who moved last and how many it has had: all three are a node.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from granularity import final_values
from oracle import NO_PC, Exploration

from pancam.vm.checker import Checker, Outcome
from pancam.vm.machine import Status

NOBODY = -1  # has moved last: whoever comes first preempts no one


class TooManyStatesError(Exception):
    """There are more states than the caller wanted to see, and what was asked for is not among the first."""


@dataclass
class Bounded:
    """What there is to find with a bounded number of preemptions; what lies behind a violation is not looked at."""

    nodes: int = 0  # (state, who moved last, preemptions so far)
    final_states: set[bytes] = field(default_factory=set)  # where the process exited or aborted
    final_values: frozenset[tuple[object, ...]] = frozenset()
    violations: set[tuple[str, int]] = field(default_factory=set)  # kind of fault, its pc
    deadlocks: set[bytes] = field(default_factory=set)  # states in which nobody can move
    refused: bool = False  # somewhere there was a move that would have been one preemption too many
    exhaustive: bool = True  # wherever that was, the same state, left by the same thread, is reached with fewer, too
    limit_met: bool = False  # a limit of the machine cut paths off
    complete: bool = True  # False: max_states nodes were found, and there may be more


def explore_bounded(checker: Checker, bound: int, max_states: int = 100_000) -> Bounded:
    """All that can be reached from the present state with at most `bound` preemptions, if it is not too much."""
    found = Bounded()
    first = (checker.pack(), NOBODY, 0)
    seen = {first}
    stuck: set[tuple[bytes, int]] = set()  # where moves were refused, and who moved last
    waiting = deque([first])
    while waiting:
        state, last, used = waiting.popleft()
        checker.unpack(state)
        _record(checker, state, found)
        for successor, thread, cost in _successors(checker, state, last):
            node = (successor, thread, used + cost)
            if used + cost > bound:
                found.refused = True
                stuck.add((state, last))
            elif len(seen) == max_states and node not in seen:
                found.complete = False
            elif node not in seen:
                seen.add(node)
                waiting.append(node)
    found.nodes = len(seen)
    found.exhaustive = all(any((*place, fewer) in seen for fewer in range(bound)) for place in stuck)
    found.final_values = final_values(checker, Exploration(final_states=found.final_states))
    return found


def fewest_preemptions(checker: Checker, max_states: int = 100_000) -> int | None:
    """The least number of preemptions with which a violation can be reached from the present state; None: by no means.

    What costs nothing is looked at before what costs a preemption, so the first violation is a cheapest one.
    """
    waiting = deque([(checker.pack(), NOBODY, 0)])
    seen: set[tuple[bytes, int]] = set()
    while waiting:
        state, last, used = waiting.popleft()
        if (state, last) in seen:
            continue
        if len(seen) == max_states:
            raise TooManyStatesError
        seen.add((state, last))
        checker.unpack(state)
        if checker.outcome is Outcome.VIOLATION:
            return used
        for successor, thread, cost in _successors(checker, state, last):
            if cost == 0:
                waiting.appendleft((successor, thread, used))
            else:
                waiting.append((successor, thread, used + cost))
    return None


def _successors(checker: Checker, state: bytes, last: int) -> Iterator[tuple[bytes, int, int]]:
    """For each move: where it leads to, who makes it, and how many preemptions it is."""
    checker.unpack(state)
    could_go_on = last != NOBODY and checker.moves(last) > 0
    moves = [(thread, choice) for thread in checker.machine.threads for choice in range(checker.moves(thread))]
    assert moves or checker.outcome is not Outcome.RUNNING, "a state that is neither at an end nor can be left"
    for thread, choice in moves:
        checker.unpack(state)
        checker.step(thread, choice)
        yield checker.pack(), thread, int(could_go_on and thread != last)


def _record(checker: Checker, state: bytes, found: Bounded) -> None:
    """Note what the checker's present state is an example of."""
    outcome, fault = checker.outcome, checker.machine.fault
    if outcome is Outcome.LIMIT:
        found.limit_met = True
    elif outcome is Outcome.DONE and checker.machine.status is not Status.PRUNED:
        found.final_states.add(state)
    elif outcome is Outcome.VIOLATION:
        assert fault is not None
        is_deadlock = fault.kind == "DEADLOCK"
        found.violations.add((fault.kind, NO_PC if is_deadlock else fault.pc))
        if is_deadlock:
            found.deadlocks.add(state)
