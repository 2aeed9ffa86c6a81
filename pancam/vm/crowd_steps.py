# SPDX-License-Identifier: Apache-2.0
"""The steps of threads that have no numbers: vm_c/crowd.c, with every state that is met known by a number."""

from __future__ import annotations

import resource
import time
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any, NamedTuple

from pancam.isa import fault_kind
from pancam.vm._machine import ffi, lib
from pancam.vm.checker import Checker

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pancam.settings import Settings

_ffi: Any = ffi
_lib: Any = lib
SLOTS = int(_lib.CROWD_SLOTS)  # threads that a program must be built for
MAIN = NOBODY = 0  # instead of the number of a local state
KIB = 1024
LOOK_EVERY = 64  # steps between two looks at the clock


class _Outcome(IntEnum):
    """What came of a step; crowd_api.h says what each means."""

    MOVED = _lib.CROWD_MOVED
    BLOCKED = _lib.CROWD_BLOCKED
    OVER = _lib.CROWD_OVER
    VIOLATION = _lib.CROWD_VIOLATION
    IGNORED = _lib.CROWD_IGNORED
    GAVE_UP = _lib.CROWD_GAVE_UP


class Step(NamedTuple):
    """What is shared after a step, the thread's local state, and that of a thread that it has made."""

    shared: int
    mover: int
    child: int
    holds: bool  # the thread goes on before all others


Steps = tuple[Step, ...] | None  # None: the thread cannot move


class EndOfSearch(Exception):  # noqa: N818 - it is no error
    """Why nothing more can be found out; `spurious`: perhaps by a search that counts threads in another way."""

    def __init__(self, reason: str, *, spurious: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.spurious = spurious


@dataclass(frozen=True)
class CrowdLimits:
    """When to give up: a moment of `time.monotonic`, and bytes of the whole process."""

    deadline: float | None = None
    memory: int = 1 << 31


class _Rows:
    """Byte strings by numbers from 1 on."""

    def __init__(self) -> None:
        self.rows: list[bytes] = [b""]
        self._numbers: dict[bytes, int] = {}

    def number(self, part: Any) -> int:  # noqa: ANN401
        """The number of a part of a state; 0 if there is none."""
        if part.bytes == _ffi.NULL:
            return NOBODY
        row = bytes(_ffi.buffer(part.bytes, part.size))
        number = self._numbers.setdefault(row, len(self.rows))
        if number == len(self.rows):
            self.rows.append(row)
        return number

    def part(self, number: int) -> tuple[Any, int]:
        """The part with this number, as C takes it."""
        row = self.rows[number]
        return (_ffi.from_buffer("uint8_t[]", row) if row else _ffi.NULL, len(row))


class CrowdSteps:
    """All steps of one program. A step depends on what is shared and on the local state of who moves, nothing else."""

    def __init__(self, image: bytes, settings: Settings, final: Iterable[str]) -> None:
        """`final` are the kinds of ignored faults that nothing can follow, so that nothing is cut off by them."""
        self.limits = CrowdLimits()
        self._checker = Checker(image, settings)
        self._checker.machine.watch_notes()
        self._final = set(final)
        self._known: dict[tuple[int, int], Steps | EndOfSearch] = {}
        self._result = _ffi.new("VmCrowdStep *")
        self._shared, self._locals = _Rows(), _Rows()
        self.start = self._shared.number(_lib.crowd_start(self._checker.pointer))

    def __len__(self) -> int:
        return len(self._known)

    def of(self, shared: int, mover: int) -> Steps:
        """The steps of a local state, or of main; whoever asks for one that ends in a fault learns of that."""
        key = (shared, mover)
        if key not in self._known:
            if len(self._known) % LOOK_EVERY == 0:
                self.look_at_limits()
            try:
                self._known[key] = self._find(shared, mover)
            except EndOfSearch as end:
                self._known[key] = end
        found = self._known[key]
        if isinstance(found, EndOfSearch):
            raise found
        return found

    def look_at_limits(self) -> None:
        """Raises EndOfSearch where one is reached. The program notes where it tries only some values of many."""
        if self._checker.machine.notes:
            raise EndOfSearch("not all nondeterministic values can be tried")
        if self.limits.deadline is not None and time.monotonic() > self.limits.deadline:
            raise EndOfSearch("the time limit was reached", spurious=True)
        if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * KIB > self.limits.memory:
            raise EndOfSearch("the memory limit was reached")

    def _find(self, shared: int, mover: int) -> Steps:
        found: dict[Step, None] = {}
        before, local = self._shared.part(shared), self._locals.part(mover)
        result, choice, choices = self._result, 0, 1
        while choice < choices:
            _lib.crowd_step(self._checker.pointer, before, local, choice, result)
            if result.outcome == _Outcome.BLOCKED:
                return None
            if result.outcome == _Outcome.MOVED:
                mover_after, child = map(self._locals.number, (result.mover, result.child))
                found[Step(self._shared.number(result.shared), mover_after, child, bool(result.holds))] = None
            elif result.outcome != _Outcome.OVER:
                self._stop_at(_Outcome(result.outcome), *fault_kind(result.fault))
            choices = int(result.choices)
            choice += 1
        return tuple(found)

    def _stop_at(self, outcome: _Outcome, kind: str, text: str) -> None:
        if outcome is _Outcome.GAVE_UP:
            raise EndOfSearch(text)
        if outcome is _Outcome.VIOLATION:
            raise EndOfSearch(f"it finds what may be no execution of the program: {text}", spurious=True)
        if kind not in self._final:
            raise EndOfSearch(f"executions were followed only up to a fault that is ignored: {kind}", spurious=True)
