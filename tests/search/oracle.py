# SPDX-License-Identifier: Apache-2.0
"""An explorer so simple that it is obviously right, to judge cleverer searches by.

Breadth first over all moves of a Checker; a state is its packed bytes, kept whole. It shares nothing with the searches
that it judges but the meaning of one move.
"""

from collections import Counter, deque
from dataclasses import dataclass, field
from itertools import accumulate

from pancam.vm.checker import Checker, Outcome
from pancam.vm.machine import Enabled, Status

Move = tuple[int, int]  # thread, choice
NO_PC = -1  # a deadlock happens at no instruction


@dataclass
class Exploration:
    """What there is to find from the present state of a Checker on.

    `states` counts the first state and those where a path ends; what lies behind a violation is not looked at.
    """

    states: int = 0
    transitions: int = 0
    pruned: int = 0  # states that ended at a failing assumption
    violations: set[tuple[str, int]] = field(default_factory=set)  # kind of fault, its pc
    final_states: set[bytes] = field(default_factory=set)  # where the process exited or aborted
    traces: dict[str, list[Move]] = field(default_factory=dict)  # a shortest way to each kind of violation
    limit_met: bool = False  # a limit of the machine cut paths off
    complete: bool = True  # False: max_states were found, and there may be more
    within: list[int] = field(default_factory=list)  # how many states can be reached in at most 0, 1, 2, ... moves

    @property
    def kinds(self) -> set[str]:
        """The kinds of fault among the violations."""
        return {kind for kind, _ in self.violations}

    @property
    def verdict(self) -> str:
        """`violated`, `holds`, or `unknown` when nothing was found and something was left out."""
        if self.violations:
            return "violated"
        return "holds" if self.complete and not self.limit_met else "unknown"


def explore(checker: Checker, max_states: int = 100_000) -> Exploration:
    """All states that can be reached from the present one, as long as there are no more than `max_states`."""
    found = Exploration()
    first = checker.pack()
    origins: dict[bytes, tuple[bytes, Move] | None] = {first: None}
    distances = {first: 0}
    waiting = deque([first])
    _record(checker, first, origins, found)
    while waiting and found.complete:
        state = waiting.popleft()
        for move in _moves_from(checker, state):
            checker.unpack(state)
            checker.step(*move)
            found.transitions += 1
            successor = checker.pack()
            if successor in origins:
                continue
            if len(origins) == max_states:
                found.complete = False
                break
            origins[successor] = (state, move)
            distances[successor] = distances[state] + 1
            waiting.append(successor)
            _record(checker, successor, origins, found)
    found.states = len(origins)
    counts = Counter(distances.values())
    found.within = list(accumulate(counts[distance] for distance in range(max(counts) + 1)))
    return found


def replay(checker: Checker, moves: list[Move]) -> Outcome:
    """Where a list of moves leads from the initial state."""
    checker.reset()
    for thread, choice in moves:
        assert choice < checker.moves(thread), f"thread {thread} has no choice {choice} here"
        checker.step(thread, choice)
    return checker.outcome


def _moves_from(checker: Checker, state: bytes) -> list[Move]:
    checker.unpack(state)
    moves: list[Move] = []
    for thread in checker.machine.threads:
        count = checker.moves(thread)
        left_out = count == 0 and checker.machine.enabled(thread) is not Enabled.DISABLED
        assert not left_out, f"thread {thread} chooses among all numbers: that cannot be explored"
        moves += [(thread, choice) for choice in range(count)]
    assert moves or checker.outcome is not Outcome.RUNNING, "a state that is neither at an end nor can be left"
    return moves


def _record(
    checker: Checker, state: bytes, origins: dict[bytes, tuple[bytes, Move] | None], found: Exploration
) -> None:
    """Note what the checker's present state, met for the first time, is an example of."""
    outcome = checker.outcome
    if outcome is Outcome.VIOLATION:
        kind, pc = _violation(checker)
        found.violations.add((kind, pc))
        if kind not in found.traces:
            found.traces[kind] = _trace(state, origins)
    elif outcome is Outcome.LIMIT:
        found.limit_met = True
    elif outcome is Outcome.DONE and checker.machine.status is Status.PRUNED:
        found.pruned += 1
    elif outcome is Outcome.DONE:
        found.final_states.add(state)


def _violation(checker: Checker) -> tuple[str, int]:
    fault = checker.machine.fault
    if fault is None or fault.kind == "DEADLOCK":
        return "DEADLOCK", NO_PC
    return fault.kind, fault.pc


def _trace(state: bytes, origins: dict[bytes, tuple[bytes, Move] | None]) -> list[Move]:
    moves: list[Move] = []
    while (origin := origins[state]) is not None:
        state, move = origin
        moves.append(move)
    return moves[::-1]
