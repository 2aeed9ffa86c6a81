# SPDX-License-Identifier: Apache-2.0
"""Describes where a process is: the fault or deadlock, and the source-level stack of every thread."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from pancam.bytecode.image import OBJECT, read_sections
from pancam.explain.traps import trap_text
from pancam.isa import constants
from pancam.resources import guest_sources
from pancam.vm.machine import Machine, ObjectInfo, ObjectKind

if TYPE_CHECKING:
    from pancam.bytecode.program import Program
    from pancam.errors import SourceLocation
    from pancam.vm.machine import Fault

ACCESS_FAULTS = {
    "NULL_POINTER", "WILD_POINTER", "OUT_OF_BOUNDS", "USE_AFTER_FREE", "USE_AFTER_RETURN", "WRITE_CONST",
    "DATA_ACCESS_TO_CODE", "UNINITIALISED",
}  # fmt: skip
LIMIT_HINTS = {
    "THREAD_LIMIT": "{0.max_threads} threads at once, see --max-threads",
    "HEAP_LIMIT": "{0.heap_bytes} bytes and {0.heap_objects} objects for each thread, see --heap",
    "STACK_LIMIT": "{0.stack_slots} registers, {0.stack_bytes} bytes for each thread, see --stack; endless recursion?",
}
LEAK_FAULTS = {"LEAK": "loses", "LEAK_REACHABLE": "keeps"}  # and what the program does to the blocks
NUMBER_FAULTS = {"INDEX_BOUNDS", "OVERFLOW", "SHIFT_RANGE", "DIV_ZERO", "DIV_OVERFLOW"}
SHOWN_INNERMOST, SHOWN_OUTERMOST = 20, 10
POINTER_FAULTS = ACCESS_FAULTS | {"DOUBLE_FREE", "INVALID_FREE"}


@dataclass(frozen=True)
class SourceFrame:
    """One line of a stack: a function, inlined or not, and where it is; `library` ones are pancam's own."""

    function: str
    location: SourceLocation | None
    library: bool

    def __str__(self) -> str:
        if self.library:
            return f"{self.function} (library)"
        return f"{self.function} at {self.location}" if self.location else self.function


def _shortened(frames: list[str]) -> list[str]:
    """A stack that fits a screen: calls that repeat as one line, and the middle of a deep recursion left out."""
    runs = [(line, len(list(group))) for line, group in groupby(frames)]
    lines = [line if count == 1 else f"{line} ({count} times)" for line, count in runs]
    if len(lines) <= SHOWN_INNERMOST + SHOWN_OUTERMOST:
        return lines
    left_out = len(lines) - SHOWN_INNERMOST - SHOWN_OUTERMOST
    return [*lines[:SHOWN_INNERMOST], f"... {left_out} more ...", *lines[-SHOWN_OUTERMOST:]]


def _left_blocks(detail: int) -> str:
    bits = constants()["LEAK_COUNT_BITS"]
    count, size = detail & ((1 << bits) - 1), detail >> bits
    return f": {count} block{'s' if count != 1 else ''}, {size} byte{'s' if size != 1 else ''}"


class Situation:
    """Reads a machine that stopped, in the words of the source."""

    def __init__(self, machine: Machine, program: Program) -> None:
        self.machine = machine
        self.program = program
        self._library = str(guest_sources())

    def stack(self, thread: int) -> list[SourceFrame]:
        """The frames of a thread, innermost first, calls that were inlined included."""
        frames: list[SourceFrame] = []
        for frame in self.machine.stack(thread):
            chain = self.program.source_map.chain(frame.pc)
            if not chain:
                home = self.program.source_map.functions[frame.function]["file"]
                frames.append(SourceFrame(frame.name, None, not home or home.startswith(self._library)))
            for name, location in chain:
                frames.append(SourceFrame(name, location, location.file.startswith(self._library)))
        return frames

    def place(self, thread: int) -> SourceFrame | None:
        """Where the user's own code is in a thread."""
        frames = self.stack(thread)
        return next((frame for frame in frames if not frame.library and frame.location), None)

    def fault_lines(self, fault: Fault) -> list[str]:
        """The fault in a few lines, then the stack of every thread."""
        place = self.place(fault.thread)
        where = f"{place.location}: " if place and place.location else ""
        lines = [f"{where}fault: {fault.text}{self.details(fault)}"]
        lines.extend(self.thread_lines(fault.thread))
        return lines

    def deadlock_lines(self) -> list[str]:
        return ["fault: deadlock: no thread can move", *self.thread_lines(None)]

    def thread_lines(self, faulting: int | None) -> list[str]:
        lines: list[str] = []
        for thread in self.machine.threads:
            lines.append(f"thread {thread}{self._thread_state(thread, faulting)}:")
            frames = [str(frame) for frame in self.stack(thread) if frame.function != "__pancam_start"]
            lines.extend(f"    {line}" for line in _shortened(frames))
        return lines

    def _thread_state(self, thread: int, faulting: int | None) -> str:
        if thread == faulting:
            return " (the fault is here)"
        return " (waiting)" if self.machine.waiting(thread) else ""

    def details(self, fault: Fault) -> str:
        """What a fault's text leaves open: which pointer, which limit, which message."""
        if fault.kind in POINTER_FAULTS:
            pointer, size = fault.detail
            access = f" ({size} bytes)" if fault.kind in ACCESS_FAULTS and size else ""
            return f"{access}: {self.describe_pointer(pointer)}"
        if fault.kind == "INVARIANT":
            return f": {self.machine.function_name(fault.detail[0])}"
        if fault.kind in LIMIT_HINTS:
            return f" ({LIMIT_HINTS[fault.kind].format(self.machine.limits)})"
        if fault.kind in LEAK_FAULTS:
            return _left_blocks(fault.detail[1])
        if fault.kind in NUMBER_FAULTS:
            return trap_text(self.machine, fault)
        if not fault.detail[0]:
            return ""
        message = self.machine.read_string(fault.detail[0])
        return f": {message.decode(errors='replace')}" if message else ""

    def describe_pointer(self, pointer: int) -> str:
        """What a pointer points to, in the words of the source."""
        info = self.machine.object_info(pointer)
        if pointer == 0:
            return "the pointer is null"
        if info is None or info.kind in (ObjectKind.DEAD, ObjectKind.NULL):
            return f"the pointer is {pointer:#x}"
        return f"offset {info.offset} in {self._object(info)} of {info.size} bytes"

    def _object(self, info: ObjectInfo) -> str:
        if info.kind in (ObjectKind.CONST, ObjectKind.GLOBAL):
            return self._static_name(info.site)
        if info.kind is ObjectKind.THREAD_LOCAL:
            return f"a thread-local variable of thread {info.owner}"
        location = self.program.source_map.location(info.site)
        made = f" made at {location}" if location and not location.file.startswith(self._library) else ""
        kinds = {ObjectKind.HEAP: "a heap object", ObjectKind.STACK: f"a stack object of thread {info.owner}"}
        return kinds.get(info.kind, "code") + made

    def _static_name(self, number: int) -> str:
        sections, _, _ = read_sections(self.program.image)
        _, _, _, offset = OBJECT.unpack_from(sections["OBJECTS"], number * OBJECT.size)
        data = sections["STRINGS"]
        name = data[offset : data.index(0, offset)].decode(errors="replace")
        described = self.program.source_map.globals.get(name)
        if described:
            return f"{described['name']} ({described['file']}:{described['line']})"
        return "a string literal" if name.startswith(".str") else name
