# SPDX-License-Identifier: Apache-2.0
"""What is noted while moves are replayed: for each line that a thread visits, what it read, wrote, printed and did."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pancam.explain.c_types import CTypes
from pancam.explain.code_view import CodeView
from pancam.explain.expressions import Expressions
from pancam.explain.local_variables import LocalVariables
from pancam.explain.memory_map import MemoryMap
from pancam.explain.objects import Heap, Objects
from pancam.explain.sync_events import LibraryCall, SyncEvents
from pancam.explain.sync_objects import GuestLayout
from pancam.explain.values import Values, is_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pancam.bytecode.program import Program
    from pancam.explain.c_types import Leaf
    from pancam.explain.code_view import CodeFunction, Place
    from pancam.explain.objects import Target
    from pancam.vm.machine import Machine


@dataclass(frozen=True, slots=True)
class Noted:
    """A part of an object that was read or written, with its value before and after."""

    path: str
    old: str
    new: str
    identity: tuple[int, int, int]
    low: int
    high: int
    is_private: bool


@dataclass(frozen=True, slots=True)
class Touched:
    """A part of an object with its bytes before and after an access to low <= byte < high."""

    leaf: Leaf
    low: int
    high: int
    old: bytes
    new: bytes


@dataclass
class Segment:
    """What a thread did on one line during one move; thread None is the driver. `born`: when the thread began."""

    move: int
    thread: int | None
    name: str
    place: Place | None
    born: int = 0
    events: list[str] = field(default_factory=list)
    writes: dict[str, Noted] = field(default_factory=dict)
    reads: dict[str, Noted] = field(default_factory=dict)
    choice: int | None = None
    output: bytearray = field(default_factory=bytearray)

    def add_write(self, noted: Noted) -> None:
        """What was written twice was first what it was before the first time."""
        earlier = self.writes.pop(noted.path, None)
        if earlier is not None:
            low, high = min(earlier.low, noted.low), max(earlier.high, noted.high)
            noted = replace(noted, old=earlier.old, low=low, high=high)
        self.writes[noted.path] = noted

    @property
    def is_empty(self) -> bool:
        return not (self.events or self.writes or self.reads or self.output) and self.choice is None


@dataclass
class FrameView:
    """An active function and the line it is at, if that is the user's."""

    function: CodeFunction
    place: Place | None = None


@dataclass
class ThreadView:
    """A thread as far as the trace followed it; frames are outermost first."""

    index: int
    name: str
    born: int
    frames: list[FrameView]
    calls: list[LibraryCall] = field(default_factory=list)
    last_place: Place | None = None
    line: tuple[str, str, int] | None = None
    arrived: dict[tuple[str, str, int], int] = field(default_factory=dict)  # line to the move in which it came there

    def place(self) -> Place | None:
        """The line of the innermost function of the user; of the last one, when none is active any more."""
        for frame in reversed(self.frames):
            if frame.place is not None and not frame.function.library:
                self.last_place = frame.place
                return frame.place
        return self.last_place

    def stack(self) -> tuple[Place, ...]:
        """The lines of the user's functions, innermost first."""
        frames = reversed(self.frames)
        return tuple(frame.place for frame in frames if frame.place is not None and not frame.function.library)

    @property
    def call(self) -> LibraryCall | None:
        """The call into the library that is being done, if one is."""
        return self.calls[-1] if self.calls and self.frames and self.frames[-1].function.library else None


class Toolbox:
    """Everything that turns the state of one machine into words."""

    def __init__(self, program: Program, machine: Machine, code: CodeView, heap: Heap) -> None:
        self.machine = machine
        self.code = code
        self.heap = heap
        layout = GuestLayout(program.thread_limit, machine.pointer_bits // 8)
        self.types = CTypes(program.source_map.types)
        self.objects = Objects(machine, self.code, self.types, heap)
        self.values = Values(self.types, self.objects, layout)
        self.memory = MemoryMap(machine, self.code)
        self.variables = LocalVariables(machine, self.code, self.types)
        self.expressions = Expressions(self.code, self.values, self.variables, self.memory)
        self.sync = SyncEvents(machine, self.code, self.objects, layout)

    def parts(self, pointer: int, size: int, call: LibraryCall | None) -> tuple[Target | None, list[Leaf]]:
        """What a user calls the bytes that an instruction touches; nothing for what is not shown."""
        target = self.objects.target(pointer)
        if target is None or target.hidden:
            return None, []
        if call is not None and call.special and (not target.type or target.is_private) and call.is_inside(pointer):
            return None, []
        offset = target.info.offset
        leaves = self.objects.leaves(target, offset, offset + size)
        return target, [leaf for leaf in leaves if self.types.special(leaf.type) in ("", "thread")]

    def leaf_bytes(self, target: Target, leaf: Leaf) -> bytes:
        start = (target.info.id << self.machine.pointer_bits // 2) + leaf.offset
        return self.machine.read_memory(start, leaf.size) or bytes(leaf.size)

    def noted(self, target: Target, touched: Touched, viewer: int) -> Iterator[Noted]:
        """The part that was touched; an array of char that holds no string as its elements."""
        leaf, name = touched.leaf, self.objects.owned_name(target, viewer)
        parts = [leaf]
        if self.types.is_text(leaf) and not (is_text(touched.old) and is_text(touched.new)):
            parts = list(self.types.elements(leaf, touched.low, touched.high))
        for part in parts:
            first = part.offset - leaf.offset
            old, new = (data[first : first + part.size] for data in (touched.old, touched.new))
            texts = self.values.leaf(part, old, viewer), self.values.leaf(part, new, viewer)
            low, high = max(part.offset, touched.low), min(part.offset + part.size, touched.high)
            yield Noted(name + part.path, *texts, target.identity, low, high, target.is_private)

    # Types of heap objects

    def learn_from_pointer(self, pointer: int, pointee: str) -> None:
        """A pointer to the start of a heap object tells its type."""
        known = self.heap.by_id.get(pointer >> self.machine.pointer_bits // 2)
        if known is None or known.freed_by is not None or known.number in self.heap.types:
            return
        starts = pointer & ((1 << self.machine.pointer_bits // 2) - 1) == 0
        row = self.types.row(self.types.resolve(pointee))
        size = self.types.size(pointee)
        if starts and 0 < size <= known.size and row.get("is_complete") and row.get("kind") != "function":
            self.heap.learn(known.number, pointee)

    def learn_from_leaf(self, target: Target, leaf: Leaf) -> None:
        pointee = self.types.pointee(leaf.type)
        if pointee:
            self.learn_from_pointer(int.from_bytes(self.leaf_bytes(target, leaf), "little"), pointee)

    def learn_from_variables(self, thread: int) -> None:
        for frame in self.machine.stack(thread):
            if not self.code.functions[frame.function].library:
                for pointer, pointee in self.variables.pointers(frame):
                    self.learn_from_pointer(pointer, pointee)
