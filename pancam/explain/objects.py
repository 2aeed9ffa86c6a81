# SPDX-License-Identifier: Apache-2.0
"""Names for the objects of a running program: variables by their names, heap objects by number, and so pointers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pancam.explain.c_types import Leaf
from pancam.explain.code_view import is_library_file
from pancam.explain.local_variables import address_of
from pancam.vm.machine import ObjectKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pancam.explain.c_types import CTypes
    from pancam.explain.code_view import CodeView, Place
    from pancam.vm.machine import Machine, ObjectInfo

FUNCTION_SPACING = 16  # of function pointers, see vm_c/image.h
WORD = 8
MOST_TEXT = 40  # characters of a string that are shown


@dataclass
class HeapObject:
    """A heap object since it was made; `number` counts from 1 in the order of the trace and is never used again."""

    number: int
    size: int
    thread: int
    stack: tuple[Place, ...]  # of the user's functions, innermost first
    call: str = "malloc"
    freed_by: int | None = None
    freed_stack: tuple[Place, ...] = ()


@dataclass
class Heap:
    """Every heap object of a trace, and their types as far as pointers to them tell.

    A type that is learnt after the object was first shown makes the trace worth doing again: `types` is what is kept.
    """

    types: dict[int, str] = field(default_factory=dict)
    by_id: dict[int, HeapObject] = field(default_factory=dict)
    shown: set[int] = field(default_factory=set)
    learnt_late: bool = False
    count: int = 0

    def allocate(self, identifier: int, size: int, thread: int, stack: tuple[Place, ...], call: str) -> HeapObject:
        self.count += 1
        made = self.by_id[identifier] = HeapObject(self.count, size, thread, stack, call)
        return made

    def learn(self, number: int, key: str) -> None:
        if number not in self.types:
            self.types[number] = key
            self.learnt_late |= number in self.shown


@dataclass(frozen=True, slots=True)
class Target:
    """An object that a pointer points into. `hidden` ones belong to the library or the compiler."""

    name: str
    type: str
    info: ObjectInfo
    hidden: bool = False
    count: int = 0  # of a heap object that is an array of its type

    @property
    def identity(self) -> tuple[int, int, int]:
        return self.info.kind, self.info.id, self.info.owner

    @property
    def is_private(self) -> bool:
        """Whether it belongs to one thread, unless that gave away its address."""
        return self.info.kind in (ObjectKind.STACK, ObjectKind.THREAD_LOCAL)


class Objects:
    """Tells what lies where in a machine; answers are for the state that the machine is in."""

    def __init__(self, machine: Machine, code: CodeView, types: CTypes, heap: Heap) -> None:
        self.machine = machine
        self.code = code
        self.types = types
        self.heap = heap
        self._shift = machine.pointer_bits // 2
        self._stack_rows: dict[int, dict[str, Any] | None] = {}
        self._gone: dict[int, Target] = {}  # what a stack object id meant last

    # Objects

    def target(self, pointer: int) -> Target | None:
        """The live object that a pointer points into; None for code, null and what is no object."""
        info = self.machine.object_info(pointer)
        if info is None:
            return None
        if info.kind in (ObjectKind.GLOBAL, ObjectKind.CONST):
            return self._static(info)
        if info.kind is ObjectKind.HEAP:
            return self._heap_object(info)
        if info.kind is ObjectKind.STACK:
            return self._stack(info)
        if info.kind is ObjectKind.THREAD_LOCAL:
            return self._variable(info, self.code.thread_local_names[info.site])
        return None

    def _static(self, info: ObjectInfo) -> Target:
        return self._variable(info, self.code.static_names[info.site])

    def _variable(self, info: ObjectInfo, object_name: str) -> Target:
        row = self.code.source_map.globals.get(object_name)
        if row is None or not row["name"]:
            return Target(object_name, "", info, hidden=True)
        return Target(self._name(row), row["type"], info, hidden=is_library_file(row["file"]))

    @cached_property
    def _common_names(self) -> set[str]:
        """Names that several variables of the program have."""
        rows = [row for row in self.code.source_map.globals.values() if not is_library_file(row["file"])]
        return {name for name, count in Counter(row["name"] for row in rows).items() if count > 1}

    def _name(self, row: dict[str, Any]) -> str:
        if row["name"] not in self._common_names:
            return str(row["name"])
        scope = row["function"] or row["file"].rpartition("/")[2]
        return f"{scope}::{row['name']}"

    def _stack(self, info: ObjectInfo) -> Target:
        row = self._stack_row(info.site)
        if row is None:
            found = Target("a temporary", "", info, hidden=True)
        else:
            found = Target(row["name"], row["type"], info, hidden=self.code.function_at(info.site).library)
        self._gone[info.id] = found
        return found

    def _stack_row(self, site: int) -> dict[str, Any] | None:
        """The variable whose place is made by the ALLOCA at this pc: it is found through that instruction's slot."""
        if site not in self._stack_rows:
            slot = self.code.instructions[site][1]
            rows = self.code.source_map.functions[self.code.function_at(site).number]["variables"]
            here: tuple[list[int], list[int | str]] = ([slot], [])
            found = (row for row in rows if any(address_of(place) == here for _, _, place in row["places"]))
            self._stack_rows[site] = next(found, None)
        return self._stack_rows[site]

    def _heap_object(self, info: ObjectInfo) -> Target:
        known = self.heap.by_id.get(info.id)
        if known is None:
            return Target(f"heap object {info.id:#x}", "", info)
        key = self.heap.types.get(known.number, "")
        size = self.types.size(key)
        repeats = 0 < size < known.size and known.size % size == 0 and not self.types.is_flexible(key)
        count = known.size // size if repeats else 0
        return Target(self.heap_name(known), key, info, count=count)

    def heap_name(self, known: HeapObject) -> str:
        """`node#1`: the struct that it is, where that is known, and its number."""
        self.heap.shown.add(known.number)
        key = self.types.resolve(self.heap.types.get(known.number, ""))
        row = self.types.row(key)
        named = row.get("kind") in ("struct", "union") and row.get("name")
        return f"{named or 'heap'}#{known.number}"

    def heap_history(self, pointer: int) -> HeapObject | None:
        """The heap object that a pointer points into, or that was there last."""
        return self.heap.by_id.get(pointer >> self._shift)

    def gone(self, pointer: int) -> Target | None:
        """The stack variable that was last where a pointer points to."""
        return self._gone.get(pointer >> self._shift)

    def owned_name(self, target: Target, viewer: int) -> str:
        """The name as one thread sees it: a variable of another thread's stack says whose it is."""
        if target.is_private and target.info.owner != viewer:
            return f"thread {target.info.owner}'s {target.name}"
        return target.name

    # Parts of objects

    def leaves(self, target: Target, low: int, high: int) -> Iterator[Leaf]:
        """The parts of an object with a byte in low <= byte < high; words where no type tells."""
        beyond = not target.count and low >= self.types.size(target.type)
        if not target.type or (beyond and not self.types.is_flexible(target.type)):
            start, end = low - low % WORD, min(high + -high % WORD, target.info.size)
            for at in range(start, end, WORD):
                yield Leaf(f"+{at}" if at else "", "", at, min(WORD, end - at))
        elif target.count:
            size = self.types.size(target.type)
            for index in range(low // size, min((high + size - 1) // size, target.count)):
                for leaf in self.types.leaves(target.type, low - index * size, high - index * size):
                    yield Leaf(f"[{index}]{leaf.path}", leaf.type, leaf.offset + index * size, leaf.size, leaf.bits)
        else:
            yield from self.types.leaves(target.type, low, high)

    def part_name(self, pointer: int, viewer: int) -> str:
        """The variable, member or element that lies where a pointer points to, or lay there before it was freed."""
        target = self.target(pointer)
        offset = pointer & ((1 << self._shift) - 1)
        if target is not None:
            leaf = next(self.leaves(target, target.info.offset, target.info.offset + 1), None)
            inside = leaf is not None and target.info.offset < target.info.size
            path = leaf.path if leaf is not None and inside else self._path(target, target.info.offset, "")
            return self.owned_name(target, viewer) + (f" + {target.info.offset} bytes" if path is None else path)
        known = self.heap_history(pointer)
        if known is None or known.freed_by is None:
            return self.pointer_text(pointer, "", viewer).removeprefix("&").removesuffix(" (gone)")
        leaf = next(self.types.leaves(self.heap.types.get(known.number, ""), offset, offset + 1), None)
        return self.heap_name(known) + (leaf.path if leaf else "")

    # Pointers

    def pointer_text(self, pointer: int, pointee: str, viewer: int) -> str:
        """A pointer's value by what it points to."""
        if pointer >> self._shift == 0:
            return f"(void *){pointer}" if pointer else "NULL"
        info = self.machine.object_info(pointer)
        if info is None:
            return self._dead_text(pointer, pointee, viewer)
        if info.kind is ObjectKind.FUNCTION:
            number, rest = divmod(pointer - self.machine.function_pointer(0), FUNCTION_SPACING)
            known = rest == 0 and number < len(self.code.functions)
            return self.code.functions[number].name if known else f"{pointer:#x}"
        if info.kind is ObjectKind.LABEL:
            place = self.code.place(pointer - self.machine.label_pointer(0))
            return f"label at line {place.location.line}" if place else "label"
        target = self.target(pointer)
        if target is None:
            return f"{pointer:#x}"
        if info.kind is ObjectKind.CONST and (target.hidden or self.types.is_char(pointee)):
            text = self.machine.read_string(pointer)
            if text is not None:
                return quoted(text)
        return self._path_text(target, info.offset, pointee, viewer)

    def _path_text(self, target: Target, offset: int, pointee: str, viewer: int) -> str:
        name = self.owned_name(target, viewer)
        path = self._path(target, offset, pointee)
        if path is None:
            return f"&{name} + {offset} bytes"
        return f"&{name}{path}"

    def _path(self, target: Target, offset: int, pointee: str) -> str | None:
        if not target.type:
            return "" if offset == 0 else None
        if not target.count:
            return self.types.path_to(target.type, offset, pointee)
        index, inner = divmod(offset, self.types.size(target.type))
        if index == inner == 0 and not pointee:
            return ""
        path = self.types.path_to(target.type, inner, pointee)
        return None if path is None else f"[{index}]{path}"

    def _dead_text(self, pointer: int, pointee: str, viewer: int) -> str:
        known = self.heap_history(pointer)
        if known is None or known.freed_by is None:
            gone = self.gone(pointer)
            if gone is not None:
                return f"&{self.owned_name(gone, viewer)} (gone)"
            return f"{pointer:#x}"
        offset = pointer & ((1 << self._shift) - 1)
        key = self.heap.types.get(known.number, "")
        path = self.types.path_to(key, offset, pointee) if key else ""
        return f"&{self.heap_name(known)}{path or ''} (freed)"


def quoted(text: bytes) -> str:
    """A string as C writes it, shortened."""
    shown = text[:MOST_TEXT].decode(errors="backslashreplace")
    escapes = {"\n": "\\n", "\t": "\\t", '"': '\\"', "\\": "\\\\", "\r": "\\r"}
    body = "".join(escapes.get(c, c if c.isprintable() else f"\\x{ord(c):02x}") for c in shown)
    return f'"{body}"' + ("..." if len(text) > MOST_TEXT else "")
