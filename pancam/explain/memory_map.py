# SPDX-License-Identifier: Apache-2.0
"""Which objects are alive in a machine, what their bytes are, and where two states differ.

Object ids lie as vm_c/image.h says: static objects in order, then a pool of heap ids for each thread, then a pool of
stack ids for each thread that begins with the thread-local variables.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pancam.vm.machine import ObjectKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pancam.explain.code_view import CodeView
    from pancam.explain.objects import Objects
    from pancam.vm.machine import Machine, ObjectInfo

CHUNK = 256
Snapshot = dict[int, bytes]


@dataclass(frozen=True, slots=True)
class Difference:
    """Bytes of one object that are not what they were."""

    pointer: int
    old: bytes
    new: bytes


class MemoryMap:
    """Finds the live objects of a machine."""

    def __init__(self, machine: Machine, code: CodeView) -> None:
        self.machine = machine
        self._shift = machine.pointer_bits // 2
        self._limits = machine.limits
        self._static = [machine.static_pointer(number) for number in range(len(code.static_names))]

    def _ids(self, size: int) -> int:
        return 1 + (size >> self._shift)

    def _info(self, identifier: int) -> ObjectInfo | None:
        return self.machine.object_info(identifier << self._shift)

    def stack_objects(self, thread: int) -> Iterator[ObjectInfo]:
        """The objects of a thread's stack, its thread-local variables first; their ids have no gaps."""
        at = self.machine.stack_ids(thread)
        end = at + self._limits.stack_objects
        while at < end and (info := self._info(at)) is not None:
            yield info
            at += self._ids(info.size)

    def thread_local_pointer(self, thread: int, number: int) -> int | None:
        found = (info for info in self.stack_objects(thread) if info.kind is ObjectKind.THREAD_LOCAL)
        return next((info.id << self._shift for info in found if info.site == number), None)

    def heap_objects(self) -> Iterator[ObjectInfo]:
        """The heap objects of all threads. Ids are the lowest that were free, so pools are searched side by side."""
        left, offset = self.machine.live_heap_ids(), 0
        while left > 0 and offset < self._limits.heap_objects:
            for thread in range(self._limits.max_threads):
                info = self._info(self.machine.heap_ids(thread) + offset)
                if info is not None:
                    left -= 1
                    if info.id == self.machine.heap_ids(thread) + offset:
                        yield info
            offset += 1

    def snapshot(self, objects: Objects) -> Snapshot:
        """The bytes of every object that the user knows, by its pointer."""
        pointers = [pointer for pointer in self._static if self._is_shown_variable(pointer, objects)]
        pointers += [info.id << self._shift for info in self.heap_objects()]
        for thread in self.machine.threads:
            pointers += [info.id << self._shift for info in self.stack_objects(thread)]
        found: Snapshot = {}
        for pointer in pointers:
            target = objects.target(pointer)
            if target is not None and not target.hidden:
                found[pointer] = self.machine.read_memory(pointer, target.info.size) or b""
        return found

    @staticmethod
    def _is_shown_variable(pointer: int, objects: Objects) -> bool:
        target = objects.target(pointer)
        return target is not None and target.info.kind is ObjectKind.GLOBAL and not target.hidden


def differences(before: Snapshot, after: Snapshot) -> Iterator[Difference]:
    """Where objects that are alive in both states differ: runs of bytes, found without looking at equal parts."""
    for pointer, new in after.items():
        old = before.get(pointer)
        if old is None or old == new or len(old) != len(new):
            continue
        for start in range(0, len(new), CHUNK):
            one, other = old[start : start + CHUNK], new[start : start + CHUNK]
            if one != other:
                yield from _runs(pointer + start, one, other)


def _runs(pointer: int, old: bytes, new: bytes) -> Iterator[Difference]:
    at = 0
    while at < len(new):
        if old[at] == new[at]:
            at += 1
            continue
        end = at
        while end < len(new) and old[end] != new[end]:
            end += 1
        yield Difference(pointer + at, old[at:end], new[at:end])
        at = end
