# SPDX-License-Identifier: Apache-2.0
"""The values behind a C expression: every variable, member and element that its text names, as far as it is known.

Nothing is computed: `a[i] < q->count` gives the values of `a[i]`, `i` and `q->count`. Calls and macros are left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pancam.explain.c_types import Leaf
from pancam.explain.local_variables import Located

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pancam.explain.code_view import CodeView, Place
    from pancam.explain.local_variables import LocalVariables
    from pancam.explain.memory_map import MemoryMap
    from pancam.explain.values import Values
    from pancam.vm.machine import Frame

_WORD = r"[A-Za-z_]\w*"
_INDEX = r"\[(?:[^\[\]]|\[[^\[\]]*\])*\]"
_PATH = re.compile(rf"(?<![\w.])(?<!->)\*?({_WORD})((?:\s*(?:->|\.)\s*{_WORD}|\s*{_INDEX})*)(\s*\()?")
_PART = re.compile(rf"\s*(?:(->|\.)\s*({_WORD})|\[(.*?)\](?=\s*(?:->|\.|\[|$)))")
_LITERAL = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|//.*|/\*.*?\*/")
_SUM = re.compile(r"(.+?)\s*([-+])\s*(\d+)$")
MOST_VALUES = 8


@dataclass(frozen=True, slots=True)
class Scope:
    """Where an expression stands: a frame of a thread, at a line."""

    thread: int
    frame: Frame
    place: Place


class Expressions:
    """Looks up what expressions name, in one frame of a stopped thread."""

    def __init__(self, code: CodeView, values: Values, variables: LocalVariables, memory: MemoryMap) -> None:
        self.code = code
        self.values = values
        self.types = values.types
        self.machine = variables.machine
        self.variables = variables
        self.memory = memory

    def values_in(self, text: str, scope: Scope) -> dict[str, tuple[str, str]]:
        """For each path in the text, in its order: as much of it as can be followed, and the value of that."""
        found: dict[str, tuple[str, str]] = {}
        for path in list(paths_in(text))[:MOST_VALUES]:
            known = self._follow(path.removeprefix("*"), scope)
            if known is None:
                continue
            shown, located = known
            if path == f"*{shown}" and (pointed := self._pointed(located)) is not None:
                shown, located = path, pointed
            part = Leaf("", located.type, 0, len(located.data), located.bits)
            found[path] = shown, self.values.leaf(part, located.data, scope.thread)
        return found

    def _follow(self, path: str, scope: Scope) -> tuple[str, Located] | None:
        """A path as far as memory can be read, which tells why it goes no further; None: a variable is not known."""
        start = re.match(_WORD, path)
        located = self._variable(start[0], scope) if start else None
        if start is None or located is None:
            return None
        at = start.end()
        while (part := _PART.match(path, at)) is not None:
            arrow, member, index = part.groups()
            if index is None:
                following = self._member(self._pointed(located) if arrow == "->" else located, member)
            else:
                number = self._number(index, scope)
                if number is None:
                    return None
                following = self._element(located, number)
            if following is None:
                break
            located, at = following, part.end()
        return path[:at], located

    def _path(self, path: str, scope: Scope) -> Located | None:
        known = self._follow(path, scope)
        return known[1] if known is not None and known[0] == path else None

    def _variable(self, name: str, scope: Scope) -> Located | None:
        local = self.variables.lookup(scope.frame, scope.place, name)
        if local is not None or self.variables.declares(scope.frame, scope.place, name):
            return local
        rows = [(key, row) for key, row in self.code.source_map.globals.items() if row["name"] == name]
        mine = [(key, row) for key, row in rows if row["function"] in ("", scope.place.function)]
        ranked = sorted(mine, key=lambda item: (not item[1]["function"], item[1]["file"] != scope.place.location.file))
        for key, row in ranked:
            if key in self.code.thread_local_names:
                pointer = self.memory.thread_local_pointer(scope.thread, self.code.thread_local_names.index(key))
            else:
                pointer = self.machine.static_pointer(self.code.static_names.index(key))
            return self._at(row["type"], pointer)
        return None

    def _at(self, key: str, pointer: int | None) -> Located | None:
        data = None if pointer is None else self.machine.read_memory(pointer, self.types.size(key))
        return None if data is None else Located(key, data, pointer)

    def _pointed(self, located: Located) -> Located | None:
        pointee = self.types.pointee(located.type)
        return self._at(pointee, int.from_bytes(located.data, "little")) if pointee else None

    def _member(self, located: Located | None, name: str) -> Located | None:
        for part in self.types.parts(Leaf("", located.type, 0, len(located.data))) if located is not None else ():
            assert located is not None
            pointer = None if located.pointer is None or part.bits else located.pointer + part.offset
            data = located.data[part.offset : part.offset + part.size]
            inner = Located(part.type, data, pointer, part.bits)
            if part.path == f".{name}":
                return inner
            if not part.path and (found := self._member(inner, name)) is not None:
                return found
        return None

    def _element(self, located: Located, index: int) -> Located | None:
        pointee = self.types.pointee(located.type)
        if pointee is not None:
            return self._at(pointee, int.from_bytes(located.data, "little") + index * self.types.size(pointee))
        counts = self.types.counts(located.type)
        element = self.types.base(self.types.resolve(located.type))
        if located.pointer is None or len(counts) != 1:
            return None
        return self._at(element, located.pointer + index * self.types.size(element))

    def _number(self, text: str, scope: Scope) -> int | None:
        text = text.strip()
        if re.fullmatch(r"\d+", text):
            return int(text)
        plus = _SUM.match(text)
        if plus:
            first = self._number(plus[1], scope)
            return None if first is None else first + int(plus[2] + plus[3])
        located = self._path(text, scope) if re.fullmatch(rf"{_WORD}.*", text) else None
        if located is None or self.types.kind(located.type) not in ("base", "enum"):
            return None
        return int.from_bytes(located.data, "little", signed=True)


def paths_in(text: str) -> Iterator[str]:
    """The variables, members and elements that an expression names, each once; indices too."""
    seen: set[str] = set()
    work = [_LITERAL.sub(" ", text)]
    while work:
        for match in _PATH.finditer(work.pop(0)):
            path = match[0].removesuffix(match[3] or "").strip()
            work.extend(re.findall(r"\[(.+)\]", match[2]))
            if not match[3] and path not in seen:
                seen.add(path)
                yield path
