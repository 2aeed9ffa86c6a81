# SPDX-License-Identifier: Apache-2.0
"""What a memory fault is about: the object, its size, the bytes that were meant, who made it and who freed it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pancam.explain.situation import LEAK_FAULTS
from pancam.explain.survey import NOBODY
from pancam.isa import OPCODE_LIST
from pancam.vm.machine import ObjectKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pancam.errors import SourceLocation
    from pancam.explain.code_view import Place
    from pancam.explain.notes import Toolbox
    from pancam.explain.objects import HeapObject, Target
    from pancam.vm.machine import Fault

_VERBS = {"LOAD": "reads", "AWAI": "reads", "OUTP": "reads", "LONG": "reads", "STOR": "writes", "SETJ": "writes",
          "RMW": "updates", "CMPX": "updates"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Deed:
    """Who allocated or freed something; the lines of the user's functions, innermost first."""

    thread: int
    stack: tuple[str, ...] = ()

    def __str__(self) -> str:
        who = "the driver" if self.thread == NOBODY else f"thread {self.thread}"
        return f"{who} at {' < '.join(self.stack)}" if self.stack else who


@dataclass(frozen=True, slots=True)
class ObjectReport:
    """The object of a memory fault. `scope` says where it belongs: a function, the program, a thread, the heap."""

    name: str
    kind: str  # heap, global, constant, stack, thread-local
    type: str
    scope: str
    size: int
    offset: int
    access: str  # reads, writes, updates, frees; of a leak: loses, keeps
    bytes: int
    allocated: Deed | None = None
    freed: Deed | None = None

    def lines(self) -> list[str]:
        """The report for people."""
        what = f"{self.bytes} byte{'s' if self.bytes != 1 else ''} at offset {self.offset} of " if self.bytes else ""
        at = f" + {self.offset}" if not self.bytes and self.offset else ""
        typed = f"{self.type}, " if self.type else ""
        size = f"{self.size} byte{'s' if self.size != 1 else ''}"
        lines = [f"{self.access} {what}{self.name}{at} ({typed}{size}), {self.scope}"]
        if self.allocated is not None:
            lines.append(f"allocated by {self.allocated}")
        if self.freed is not None:
            lines.append(f"freed by {self.freed}")
        return lines


def short_place(location: SourceLocation) -> str:
    """File and line, without folder and column."""
    return f"{location.file.rpartition('/')[2]}:{location.line}"


def stack_texts(places: Sequence[Place]) -> tuple[str, ...]:
    """`file.c:12 (function)` for each place."""
    return tuple(f"{short_place(place.location)} ({place.function})" for place in places)


class MemoryReport:
    """Finds the object of a fault in a machine that stopped."""

    def __init__(self, tools: Toolbox) -> None:
        self.tools = tools
        self.objects = tools.objects

    def describe(self, fault: Fault) -> ObjectReport | None:
        """The object that the pointer of a fault points into, or pointed into before it was gone."""
        pointer, size = fault.detail
        if fault.kind in LEAK_FAULTS:
            return self.at(pointer, 0, LEAK_FAULTS[fault.kind])
        return self.at(pointer, size, self._access(fault))

    def at(self, pointer: int, size: int, access: str) -> ObjectReport | None:
        """The object that a pointer points into, or pointed into before it was gone."""
        offset = pointer & ((1 << self.tools.machine.pointer_bits // 2) - 1)
        known = self.objects.heap_history(pointer)
        target = self.objects.target(pointer)
        if known is not None and (target is None or target.info.kind is ObjectKind.HEAP):
            offset = target.info.offset if target is not None else offset
            return self._heap(known, self._signed(offset), access, size)
        if target is not None:
            return self._variable(target, self._scope(target), self._signed(target.info.offset), access, size)
        gone = self.objects.gone(pointer)
        if gone is None:
            return None
        function = self.tools.code.function_at(gone.info.site).name
        scope = f"a variable of {function}, which thread {gone.info.owner} has left"
        return self._variable(gone, scope, self._signed(offset), access, size)

    def _access(self, fault: Fault) -> str:
        instruction = self.tools.machine.instruction(fault.pc)
        name = OPCODE_LIST[instruction[0]].name if instruction is not None else ""
        return next((verb for start, verb in _VERBS.items() if name.startswith(start)), "frees")

    def _signed(self, offset: int) -> int:
        """An offset before the start of an object looks like a large one."""
        bits = self.tools.machine.pointer_bits // 2
        return offset - (1 << bits) if offset >> (bits - 1) else offset

    def _heap(self, known: HeapObject, offset: int, access: str, size: int) -> ObjectReport:
        freed = Deed(known.freed_by, stack_texts(known.freed_stack)) if known.freed_by is not None else None
        key = self.tools.heap.types.get(known.number, "")
        each = self.tools.types.size(key)
        count = f"[{known.size // each}]" if 0 < each < known.size and known.size % each == 0 else ""
        type_ = self.tools.types.spell(key) + count if key else ""
        made, scope = Deed(known.thread, stack_texts(known.stack)), f"a block from {known.call}"
        name = self.objects.heap_name(known)
        return ObjectReport(name, "heap", type_, scope, known.size, offset, access, size, made, freed)

    def _variable(self, target: Target, scope: str, offset: int, access: str, size: int) -> ObjectReport:
        kind = target.info.kind.name.lower().replace("_", "-").replace("const", "constant")
        type_ = self.tools.types.spell(target.type) if target.type else ""
        return ObjectReport(target.name, kind, type_, scope, target.info.size, offset, access, size)

    def _scope(self, target: Target) -> str:
        info = target.info
        if info.kind is ObjectKind.STACK:
            return f"a variable of {self.tools.code.function_at(info.site).name} in thread {info.owner}"
        if info.kind is ObjectKind.THREAD_LOCAL:
            return f"a thread-local variable of thread {info.owner}"
        if info.kind is ObjectKind.CONST:
            return "a constant"
        return "a variable of the program"
