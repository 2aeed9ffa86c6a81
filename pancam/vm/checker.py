# SPDX-License-Identifier: Apache-2.0
"""Checker: a program with all its moves, as vm_c/check.c defines them for SPIN's verifier and for replays alike."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any

from pancam.errors import ImageError, UsageError
from pancam.settings import Settings
from pancam.vm._machine import ffi, lib
from pancam.vm.machine import ERROR_BYTES, Machine

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_ffi: Any = ffi
_lib: Any = lib


class Outcome(IntEnum):
    """What has become of an execution; check_api.h says what each means."""

    RUNNING = _lib.OUTCOME_RUNNING
    DONE = _lib.OUTCOME_DONE
    VIOLATION = _lib.OUTCOME_VIOLATION
    LIMIT = _lib.OUTCOME_LIMIT
    IGNORED = _lib.OUTCOME_IGNORED


@dataclass(frozen=True, slots=True)
class RaceSide:
    """A thread that is about to make one of two accesses that race; check_api.h says what each field means."""

    thread: int
    choice: int
    transitions: int
    line: int
    writes: bool
    is_atomic: bool


Race = tuple[RaceSide, RaceSide]


class Checker:
    """A move is a thread and the number of a choice; a list of moves from the start is a trace."""

    def __init__(self, image: bytes, settings: Settings | None = None, lines: Sequence[int] = ()) -> None:
        """`lines` gives each pc the number of its line, for races; without them every pc is a line of its own."""
        self.settings = settings or Settings()
        error = _ffi.new("char[]", ERROR_BYTES)
        data = _ffi.from_buffer("uint8_t[]", image)
        check = _lib.check_create(data, len(image), self.settings.words().encode(), error, ERROR_BYTES)
        if check == _ffi.NULL:
            raise ImageError(_ffi.string(error).decode(errors="replace"))
        self._check = _ffi.gc(check, _lib.check_destroy)
        _lib.check_lines(check, lines, len(lines))
        self.machine = Machine.of_pointer(_lib.check_machine(check), image, owner=self)

    @property
    def pointer(self) -> Any:  # noqa: ANN401
        """The check as C knows it, for other modules of this stage."""
        return self._check

    def reset(self) -> None:
        """Go back to the initial state, with all set-up of the settings done."""
        self._attempt(lambda error: _lib.check_reset(self._check, error, ERROR_BYTES))

    def register_invariant(self, function: str) -> None:
        """From now on the function must be true in every state."""
        self._attempt(lambda error: _lib.check_invariant(self._check, function.encode(), error, ERROR_BYTES))

    def run_function(self, function: str) -> None:
        """Run a function from its start to its end, as one transition."""
        self._attempt(lambda error: _lib.check_call(self._check, function.encode(), error, ERROR_BYTES))

    def start_thread(self, thread: int, function: str, argument: int) -> None:
        """Give an unused thread to a function."""
        self._attempt(
            lambda error: _lib.check_start(self._check, thread, function.encode(), argument, error, ERROR_BYTES)
        )

    def moves(self, thread: int) -> int:
        """How many moves the thread has now; 0: it cannot move."""
        return int(_lib.check_moves(self._check, thread))

    def chosen_value(self, thread: int, choice: int) -> int | None:
        """The nondeterministic value that a move would give; None when it gives none (yet)."""
        if not self.machine.at_choice(thread) or _lib.check_is_partial(self._check, thread):
            return None
        return int(_lib.check_choice(self._check, thread, choice))

    def step(self, thread: int, choice: int = 0) -> None:
        """Make a move that the thread has."""
        if not 0 <= choice < self.moves(thread):
            raise IndexError(f"thread {thread} has no move {choice}")
        _lib.check_step(self._check, thread, choice)

    def approach(self, thread: int, choice: int, transitions: int) -> None:
        """Do only so many transitions of a move that the thread has."""
        if not 0 <= choice < self.moves(thread):
            raise IndexError(f"thread {thread} has no move {choice}")
        _lib.check_approach(self._check, thread, choice, transitions)

    def races(self, *, pending: bool = False) -> list[Race]:
        """Data races that parts of the threads' moves lead to, or that are there now; each pair of lines once."""
        count = _lib.check_races(self._check, int(pending))
        return [_race(_lib.check_race(self._check, number)) for number in range(count)]

    @property
    def outcome(self) -> Outcome:
        """What has become of this execution."""
        return Outcome(_lib.check_outcome(self._check))

    @property
    def propositions(self) -> int:
        """A bit for each proposition of the settings that is true; none where the execution is cut."""
        return int(_lib.check_propositions(self._check))

    @property
    def is_cut(self) -> bool:
        """Whether this execution does not count, or its rest is not known."""
        return bool(_lib.check_is_cut(self._check))

    def is_blocked(self, thread: int) -> bool:
        """Whether the thread waits for what only others can do."""
        return bool(_lib.check_is_blocked(self._check, thread))

    def evaluations(self, number: int = 0) -> int:
        """How often a property function was run since the start: the abstraction if there is one, then invariants."""
        return int(_lib.check_evaluations(self._check, number))

    def pack(self) -> bytes:
        """All that tells this state apart from others."""
        return self.machine.pack()

    def unpack(self, packed: bytes) -> None:
        """Go to a state that `pack` gave."""
        self.machine.unpack(packed)

    @staticmethod
    def _attempt(action: Callable[[Any], int]) -> None:
        error = _ffi.new("char[]", ERROR_BYTES)
        if not action(error):
            raise UsageError(_ffi.string(error).decode(errors="replace"))


def _race(found: Any) -> Race:  # noqa: ANN401
    one, other = (
        RaceSide(side.thread, side.choice, side.transitions, side.line, bool(side.writes), bool(side.is_atomic))
        for side in found.sides
    )
    return one, other
