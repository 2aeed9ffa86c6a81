# SPDX-License-Identifier: Apache-2.0
"""Moves: what a driver did to the machine, one after the other. A list of moves from the start is a trace."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Step:
    """A thread made one of the moves it had."""

    thread: int
    choice: int = 0


@dataclass(frozen=True, slots=True)
class Call:
    """The driver ran a function from start to end: initialisation, an interrupt, a reset."""

    function: str


@dataclass(frozen=True, slots=True)
class Start:
    """The driver started a thread."""

    thread: int
    function: str
    argument: int = 0


@dataclass(frozen=True, slots=True)
class Invariant:
    """The driver registered an invariant."""

    function: str


@dataclass(frozen=True, slots=True)
class Approach:
    """A thread did only the first transitions of one of its moves, which brought it to an access that races."""

    thread: int
    choice: int
    transitions: int


@dataclass(frozen=True, slots=True)
class Race:
    """Two threads are about to make accesses that race: which of the pairs that do, counted from 0. Ends a trace."""

    number: int


Move = Step | Call | Start | Invariant | Approach | Race


@dataclass(frozen=True, slots=True)
class Trail:
    """The moves that lead to a violation; of an infinite execution, the number of the move from which on they repeat.

    Where all moves are before `cycle_start`, the program has ended.
    """

    moves: tuple[Move, ...]
    cycle_start: int | None = None


def read_moves(text: str) -> list[Move]:
    """The moves in the text that a verifier writes while it re-executes a trail (LOG_MOVE in vm_c/search/driver.c)."""
    return [_read_move(line) for line in text.splitlines()]


def _read_move(line: str) -> Move:
    match line.split():
        case ["step", thread, choice]:
            return Step(int(thread), int(choice))
        case ["call", function]:
            return Call(function)
        case ["start", thread, function, argument]:
            return Start(int(thread), function, int(argument))
        case ["invariant", function]:
            return Invariant(function)
    raise ValueError(line)
