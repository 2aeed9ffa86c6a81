# SPDX-License-Identifier: Apache-2.0
"""Finds executions for tests: the shortest one that violates something, by breadth-first search over a checker."""

from __future__ import annotations

from collections import deque

from pancam.bytecode.program import Program
from pancam.moves import Step
from pancam.settings import Settings
from pancam.vm.checker import Checker, Outcome

FINE = Settings(runs_alone=False)  # a thread that is alone makes steps like any other


def shortest_violation(program: Program, settings: Settings = FINE, most_choices: int = 3) -> list[Step]:
    """The moves of a shortest execution that ends in a violation; there must be one."""
    checker = Checker(program.image, settings)
    checker.reset()
    start = checker.pack()
    reached: dict[bytes, tuple[bytes, Step] | None] = {start: None}
    queue = deque([start])
    while queue:
        state = queue.popleft()
        checker.unpack(state)
        if checker.outcome in (Outcome.VIOLATION, Outcome.LIMIT):
            return _way(reached, state)
        for thread in checker.machine.threads:
            for choice in range(min(checker.moves(thread), most_choices)):
                checker.step(thread, choice)
                following = checker.pack()
                if following not in reached:
                    reached[following] = (state, Step(thread, choice))
                    queue.append(following)
                checker.unpack(state)
    raise AssertionError("no execution violates anything")


def _way(reached: dict[bytes, tuple[bytes, Step] | None], state: bytes) -> list[Step]:
    moves: list[Step] = []
    while (link := reached[state]) is not None:
        state, move = link
        moves.append(move)
    return moves[::-1]


def one_run(program: Program, settings: Settings = FINE) -> list[Step]:
    """The moves of an execution in which the lowest thread that can move always does."""
    checker = Checker(program.image, settings)
    checker.reset()
    moves: list[Step] = []
    while checker.outcome is Outcome.RUNNING:
        thread = next(thread for thread in checker.machine.threads if checker.moves(thread))
        checker.step(thread, 0)
        moves.append(Step(thread, 0))
    return moves
