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


Move = Step | Call | Start | Invariant


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
