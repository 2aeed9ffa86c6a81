# SPDX-License-Identifier: Apache-2.0
"""C types as the source map describes them: sizes, spelling, and which named part of a type lies at which bytes.

A type is known by its key in the source map; the empty key is void. Offsets and sizes here are in bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pancam.ir.debuginfo import TRANSPARENT_KINDS

if TYPE_CHECKING:
    from collections.abc import Iterator

# Types of the thread library whose members mean nothing to a user, by the name of their typedef.
SPECIAL_TYPES = {
    "pthread_mutex_t": "mutex",
    "mtx_t": "mutex",
    "pthread_cond_t": "condition variable",
    "cnd_t": "condition variable",
    "pthread_rwlock_t": "read-write lock",
    "pthread_barrier_t": "barrier",
    "pthread_spinlock_t": "spinlock",
    "sem_t": "semaphore",
    "pthread_once_t": "once control",
    "once_flag": "once control",
    "pthread_t": "thread",
    "thrd_t": "thread",
}
AGGREGATES = ("struct", "union", "array")
LONGEST_TEXT = 64  # bytes of an array of char that is taken for one string


@dataclass(frozen=True, slots=True)
class Leaf:
    """A part of an object that has a value of its own; `bits` is first bit and width where it is a bit-field."""

    path: str
    type: str
    offset: int
    size: int
    bits: tuple[int, int] | None = None


class CTypes:
    """The types of one program."""

    def __init__(self, rows: dict[str, dict[str, Any]]) -> None:
        self._rows = rows

    def row(self, key: str) -> dict[str, Any]:
        return self._rows.get(key, {})

    def base(self, key: str) -> str:
        """The key of the type below a typedef, pointer, array or enum; empty for void."""
        found = self.row(key).get("base")
        return "" if found is None else str(found)

    def resolve(self, key: str) -> str:
        """The type behind typedefs and qualifiers."""
        while self.row(key).get("kind") in TRANSPARENT_KINDS:
            key = self.base(key)
        return key

    def kind(self, key: str) -> str:
        """Kind of the type behind typedefs and qualifiers; empty for void."""
        return str(self.row(self.resolve(key)).get("kind", ""))

    def size(self, key: str) -> int:
        """Bytes of the type; 0 when unknown, as for void and arrays without a length."""
        return int(self.row(self.resolve(key)).get("size", 0)) // 8

    def special(self, key: str) -> str:
        """What the type is when it belongs to the thread library; else empty."""
        while key:
            row = self.row(key)
            if row.get("kind") == "typedef" and row.get("name") in SPECIAL_TYPES:
                return SPECIAL_TYPES[row["name"]]
            if row.get("kind") not in TRANSPARENT_KINDS:
                return ""
            key = self.base(key)
        return ""

    def pointee(self, key: str) -> str | None:
        """The type that a pointer points to; None for what is no pointer."""
        resolved = self.resolve(key)
        return self.base(resolved) if self.row(resolved).get("kind") == "pointer" else None

    def is_char(self, key: str) -> bool:
        row = self.row(self.resolve(key))
        return row.get("kind") == "base" and row.get("name") == "char"

    def same(self, one: str, other: str) -> bool:
        """Whether two keys mean one type, which each file of a program describes for itself."""
        first, second = self.row(self.resolve(one)), self.row(self.resolve(other))
        return all(first.get(field) == second.get(field) for field in ("kind", "name", "size", "encoding"))

    def counts(self, key: str) -> list[int]:
        """The lengths of an array, outermost first; 0 for one that is not known."""
        return [count or 0 for count in self.row(self.resolve(key)).get("counts", ())]

    def members(self, key: str) -> list[dict[str, Any]]:
        return list(self.row(self.resolve(key)).get("members", ()))

    def is_flexible(self, key: str) -> bool:
        """Whether a struct ends in an array without a length."""
        last = self.members(key)[-1:] if self.kind(key) == "struct" else []
        return any(self.kind(str(member["type"])) == "array" and not member["size"] for member in last)

    def spell(self, key: str) -> str:
        """The type as C writes it, without a variable's name."""
        row = self.row(key)
        kind, name = row.get("kind", ""), row.get("name", "")
        if kind in ("struct", "union", "enum"):
            return f"{kind} {name}" if name else f"{kind} {{...}}"
        if kind == "pointer":
            return f"{self.spell(self.base(key))} *".replace("* *", "**")
        if kind == "array":
            return self.spell(self.base(key)) + "".join(f"[{count or ''}]" for count in self.counts(key))
        if kind == "function":
            return "function"
        if kind in TRANSPARENT_KINDS and kind != "typedef":
            return f"{'_Atomic' if kind == 'atomic' else kind} {self.spell(self.base(key))}"
        return name or "void"

    # Parts

    def leaves(self, key: str, low: int, high: int) -> Iterator[Leaf]:
        """The parts of an object of this type that have a byte in low <= byte < high, in order."""
        yield from self._walk(Leaf("", key, 0, self.size(key)), low, high)

    def _walk(self, whole: Leaf, low: int, high: int) -> Iterator[Leaf]:
        kind = "" if self.special(whole.type) else self.kind(whole.type)
        if kind == "array" and not self.is_text(whole):
            yield from self.elements(whole, low, high)
        elif kind == "struct":
            for part in self.parts(whole):
                flexible = part.size == 0
                if part.offset < high and (low < part.offset + part.size or flexible):
                    yield from [part] if part.bits else self._walk(part, low, high)
        elif kind == "union":
            yield from self._union(whole, low, high)
        else:
            yield whole

    def parts(self, whole: Leaf) -> Iterator[Leaf]:
        """The members of a struct or union; an anonymous one adds nothing to the path."""
        for member in self.members(whole.type):
            key = "" if member["type"] is None else str(member["type"])
            path = f"{whole.path}.{member['name']}" if member["name"] else whole.path
            start, width = member["offset"], member["size"]
            if member["is_bit_field"]:
                first = start // 8
                size = (start + width + 7) // 8 - first
                yield Leaf(path, key, whole.offset + first, size, (start - 8 * first, width))
            else:
                yield Leaf(path, key, whole.offset + start // 8, self.size(key))

    def is_text(self, part: Leaf) -> bool:
        """Whether a part is an array of char that may hold a string."""
        is_array = self.kind(part.type) == "array" and len(self.counts(part.type)) == 1
        return is_array and self.is_char(self.base(self.resolve(part.type))) and 0 < part.size <= LONGEST_TEXT

    def elements(self, whole: Leaf, low: int, high: int) -> Iterator[Leaf]:
        """The parts of an array's elements that have a byte in low <= byte < high."""
        element = self.base(self.resolve(whole.type))
        size, counts = self.size(element), self.counts(whole.type)
        if size == 0:
            yield whole
            return
        first = max((low - whole.offset) // size, 0)
        end = (high - whole.offset + size - 1) // size
        if whole.size:
            end = min(end, whole.size // size)
        for index in range(first, end):
            part = Leaf(whole.path + index_path(index, counts), element, whole.offset + index * size, size)
            yield from self._walk(part, low, high)

    def _union(self, whole: Leaf, low: int, high: int) -> Iterator[Leaf]:
        """A union of plain values is one value; of a larger one, the first member that has a part just there."""
        parts = list(self.parts(whole))
        if all(self.kind(part.type) not in AGGREGATES or self.special(part.type) for part in parts):
            yield whole
            return
        best: list[Leaf] = []
        for part in parts:
            found = list(self._walk(part, low, high)) if part.offset < high and low < part.offset + part.size else []
            if len(found) == 1 and (found[0].offset, found[0].size) == (low, high - low):
                best = found
                break
            best = best or found
        yield from best

    # Paths of pointers

    def path_to(self, key: str, offset: int, wanted: str) -> str | None:
        """The path of the part at `offset` that has the type `wanted`, or is the largest there; None: there is none."""
        path, at = "", 0
        while True:
            here = self.kind(key) if not self.special(key) else ""
            whole = here != "array" if not wanted else self.same(key, wanted)
            if at == offset and (here not in AGGREGATES or whole):
                return path
            if here not in AGGREGATES:
                return None
            part = self._part_at(Leaf(path, key, at, self.size(key)), offset)
            if part is None:
                return path if at == offset else None
            path, key, at = part.path, part.type, part.offset

    def _part_at(self, whole: Leaf, offset: int) -> Leaf | None:
        if self.kind(whole.type) == "array":
            element = self.base(self.resolve(whole.type))
            size = self.size(element)
            if size == 0:
                return None
            index = (offset - whole.offset) // size
            path = whole.path + index_path(index, self.counts(whole.type))
            return Leaf(path, element, whole.offset + index * size, size)
        parts = [part for part in self.parts(whole) if not part.bits]
        inside = (part for part in parts if part.offset <= offset < part.offset + max(part.size, 1))
        beyond = [part for part in parts[-1:] if self.kind(part.type) == "array" and offset >= part.offset]
        return next(inside, beyond[0] if beyond else None)


def index_path(index: int, counts: list[int]) -> str:
    """`[1][2]` for the flat index of an element of an array of these lengths."""
    path = ""
    for count in reversed(counts[1:]):
        index, inner = divmod(index, max(count, 1))
        path = f"[{inner}]{path}"
    return f"[{index}]{path}"
