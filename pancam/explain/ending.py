# SPDX-License-Identifier: Apache-2.0
"""How a trace ends: the fault with what led to it, or the deadlock with who waits for whom."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pancam.explain.memory_report import MemoryReport, ObjectReport, short_place
from pancam.explain.situation import ACCESS_FAULTS, LEAK_FAULTS, POINTER_FAULTS, Situation
from pancam.explain.sync_events import Wait
from pancam.vm.checker import Outcome

if TYPE_CHECKING:
    from pancam.bytecode.program import Program
    from pancam.errors import SourceLocation
    from pancam.explain.code_view import Place
    from pancam.explain.recorder import Recorder
    from pancam.vm.machine import Fault

DEADLOCK = "DEADLOCK"
SIDE_EFFECT = "SIDE_EFFECT"
OBJECT_FAULTS = POINTER_FAULTS | set(LEAK_FAULTS)
PROPERTY_FAULTS = ("INVARIANT", SIDE_EFFECT, "CALL_LIMIT")


@dataclass(frozen=True, slots=True)
class Violation:
    """What is wrong, and where; two traces show the same bug when these are equal."""

    kind: str  # of vm_c/faults.def, or of pancam/liveness.py
    text: str = ""
    file: str = ""
    line: int = 0


def same_violation(expected: Violation | None, found: Violation | None) -> bool:
    """Whether two traces end in the same way, folders aside. A text or line that is not expected may be anything."""
    if expected is None or found is None:
        return expected is found
    if expected.kind != found.kind or (expected.text and expected.text != found.text):
        return False
    files = [violation.file.rpartition("/")[2] for violation in (expected, found)]
    return not expected.line or (files[0] == files[1] and expected.line == found.line)


@dataclass(frozen=True, slots=True)
class Waiting:
    """A thread that cannot go on."""

    thread: int
    name: str
    location: SourceLocation | None
    what: str
    held: str = ""
    since: SourceLocation | None = None


@dataclass(frozen=True, slots=True)
class RaceAccess:
    """One of the two accesses of a data race, which a thread is about to make. `library`: by which function of it."""

    thread: int
    name: str
    location: SourceLocation | None
    access: str  # reads, writes, updates
    how: str  # atomically, in an atomic section, or empty
    path: str
    size: int
    is_atomic: bool
    library: str
    stack: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ending:
    """The last state of a trace. `violation` is None where nothing is wrong with it."""

    violation: Violation | None
    thread: int | None = None
    location: SourceLocation | None = None
    values: tuple[tuple[str, str], ...] = ()
    details: tuple[str, ...] = ()
    waiting: tuple[Waiting, ...] = ()
    cycle: tuple[int, ...] = ()
    stack: tuple[str, ...] = ()  # of the thread with the fault, innermost first
    stacks: tuple[str, ...] = ()  # of all threads
    accesses: tuple[RaceAccess, ...] = ()
    in_property: bool = False  # a function that the check evaluates did it, not a thread
    object: ObjectReport | None = None  # of a memory fault


def describe_ending(program: Program, recorder: Recorder, outcome: Outcome) -> Ending:
    """What the state that the recorder's machine is in now says."""
    fault = recorder.machine.fault
    if fault is not None and fault.kind != DEADLOCK:
        return _FaultEnding(program, recorder, fault).describe()
    if outcome is Outcome.VIOLATION:
        return _deadlock(program, recorder)
    return Ending(None)


class _FaultEnding:
    def __init__(self, program: Program, recorder: Recorder, fault: Fault) -> None:
        self.recorder = recorder
        self.objects = recorder.tools.objects
        self.fault = fault
        self.situation = Situation(recorder.machine, program)
        self.object = MemoryReport(recorder.tools).describe(fault) if fault.kind in OBJECT_FAULTS else None

    def describe(self) -> Ending:
        fault = self.fault
        in_property = fault.thread >= self.recorder.machine.limits.max_threads
        # A property is looked at after a step: its fault belongs to what the step did, not to where the thread is now.
        belongs_to_pc = in_property or fault.kind in PROPERTY_FAULTS
        place = self._place_of_pc(in_property=in_property) if belongs_to_pc else self._place_of_thread()
        location = place.location if place else None
        violation = Violation(
            fault.kind, self._text(), location.file if location else "", location.line if location else 0
        )
        watch = None if belongs_to_pc else self.recorder.watch
        return Ending(
            violation, fault.thread, location, tuple(watch.values.items()) if watch else (), tuple(self._details()),
            stack=tuple(self._stack()), stacks=tuple(self.situation.thread_lines(fault.thread)),
            in_property=in_property, object=self.object,
        )  # fmt: skip

    def _place_of_pc(self, *, in_property: bool) -> Place | None:
        fault, place = self.fault, self.recorder.tools.code.place
        # What a property does in a function of the library happens at its call (vm_c/call.c).
        calls = in_property and fault.kind not in ACCESS_FAULTS
        return place(fault.pc) or (place(fault.detail[1]) if calls else None)

    def _place_of_thread(self) -> Place | None:
        """Where the thread is; a leak belongs to where the first block was allocated."""
        if self.fault.kind in LEAK_FAULTS:
            known = self.objects.heap_history(self.fault.detail[0])
            return known.stack[0] if known is not None and known.stack else None
        return self.recorder.user_place(self.fault.thread)

    def _stack(self) -> list[str]:
        """The user's part of the stack: what the library does on its behalf, and who called the user's code, is not."""
        frames = self.situation.stack(self.fault.thread)
        return [
            f"{frame.function} at {short_place(frame.location)}" if frame.location else frame.function
            for frame in frames
            if not frame.library
        ]

    def _text(self) -> str:
        fault = self.fault
        if fault.kind == SIDE_EFFECT and fault.detail[0]:
            name = self.recorder.tools.code.function_at(fault.detail[1]).name
            return f"{fault.text}: {name} writes {self.objects.part_name(fault.detail[0], fault.thread)}"
        function = self.recorder.tools.code.function_at(fault.pc)
        if fault.kind == "ERROR_REACHED" and not fault.detail[0] and function.library:
            return f"{fault.text}: {function.name}"
        if fault.kind not in POINTER_FAULTS:
            return f"{fault.text}{self.situation.details(fault)}"
        pointer, size = fault.detail
        if fault.kind == "NULL_POINTER":
            return fault.text
        what = self.objects.part_name(pointer, fault.thread)
        access = f" ({size} byte{'s' if size > 1 else ''})" if fault.kind in ACCESS_FAULTS and size else ""
        return f"{fault.text}: {what}{access}"

    def _details(self) -> list[str]:
        lines: list[str] = []
        view = self.recorder.threads.get(self.fault.thread)
        call = view.call if view is not None else None
        if call is not None and self.fault.kind in POINTER_FAULTS:
            shown = [self.objects.pointer_text(word, "", self.fault.thread) for word in call.arguments]
            lines.append(f"in the library function {call.name}({', '.join(shown)})")
        if self.object is not None:
            lines.extend(self.object.lines())
        return lines


def _deadlock(program: Program, recorder: Recorder) -> Ending:
    machine, waits = recorder.machine, dict[int, Wait]()
    for thread in machine.threads:
        wait = _find_wait(recorder, thread)
        if wait is not None:
            waits[thread] = wait
    cycle = find_cycle({thread: wait.holders for thread, wait in waits.items()})
    waiting = tuple(_waiting(recorder, wait) for wait in waits.values())
    first = next((w for w in waiting if not cycle or w.thread in cycle), None)
    location = first.location if first else None
    return Ending(
        Violation(DEADLOCK, "deadlock", location.file if location else "", location.line if location else 0),
        location=location,
        waiting=waiting,
        cycle=cycle,
        stacks=tuple(Situation(machine, program).thread_lines(None)),
    )


def _find_wait(recorder: Recorder, thread: int) -> Wait | None:
    view = recorder.threads.get(thread)
    return recorder.tools.sync.wait(thread, view.call if view else None)


def describe_wait(recorder: Recorder, thread: int) -> Waiting | None:
    """What the thread waits for, if it does."""
    wait = _find_wait(recorder, thread)
    return _waiting(recorder, wait) if wait is not None else None


def _waiting(recorder: Recorder, wait: Wait) -> Waiting:
    view = recorder.threads.get(wait.thread)
    place = recorder.user_place(wait.thread)
    name = view.name if view else f"thread {wait.thread}"
    return Waiting(wait.thread, name, place.location if place else None, wait.what, wait.held, wait.since)


def find_cycle(edges: dict[int, tuple[int, ...]]) -> tuple[int, ...]:
    """Threads that wait for each other in a circle, the lowest first; empty when there are none."""
    for start in sorted(edges):
        work: list[tuple[int, ...]] = [(start,)]
        while work:
            path = work.pop()
            for following in edges.get(path[-1], ()):
                if following == start:
                    return path
                if following in edges and following not in path:
                    work.append((*path, following))
    return ()
