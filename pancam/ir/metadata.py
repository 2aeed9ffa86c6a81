# SPDX-License-Identifier: Apache-2.0
"""Metadata of a module, parsed node by node when asked for, and source places found through it.

Stands between the module's text and the users of debug information (traces, error messages).
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from pancam.errors import SourceLocation, UnsupportedError
from pancam.ir.text import unescape

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


@dataclass(frozen=True, slots=True)
class MetadataRef:
    """A reference !id to another node."""

    id: int


class MetadataWord(str):
    """A bare word of a field, such as DW_TAG_member or `DIFlagPrototyped | DIFlagBitField`."""

    __slots__ = ()


MetadataField: TypeAlias = "int | str | MetadataRef | MetadataNode | None"


@dataclass(frozen=True, slots=True)
class MetadataNode:
    """One node. `kind` is the class name ("DILocalVariable") with `fields`, or "tuple" with `elements`.

    DIExpression and DIArgList list their operands in `elements` too. Strings are str, numbers int, null None.
    """

    kind: str
    fields: Mapping[str, MetadataField]
    elements: tuple[MetadataField, ...]

    def ref(self, name: str) -> int | None:
        """The id that field `name` refers to, None when it is absent or null."""
        value = self.fields.get(name)
        return value.id if isinstance(value, MetadataRef) else None

    def text(self, name: str, default: str = "") -> str:
        value = self.fields.get(name)
        return value if isinstance(value, str) else default

    def number(self, name: str, default: int = 0) -> int:
        value = self.fields.get(name)
        return value if isinstance(value, int) else default


_NUMBER = re.compile(r"-?\d+\Z")
_TYPED_NUMBER = re.compile(r"i\d+ (-?\d+|true|false)\Z")
_KEY = re.compile(r"(\w+): ")
_NODE = re.compile(r"(?:distinct )?!(\w*)[({](.*)[)}]\Z", re.DOTALL)
_SEPARATOR = re.compile(r'"[^"]*"|[(){}\[\]<>,]')
_LOCATION = re.compile(
    r"(?:distinct )?!DILocation\(line: (\d+)(?:, column: (\d+))?, scope: !(\d+)(?:, inlinedAt: !(\d+))?"
)


def split_top_level(text: str) -> list[str]:
    """Parts of `text` between the commas that stand outside every bracket and string."""
    parts: list[str] = []
    depth = start = 0
    for match in _SEPARATOR.finditer(text):
        mark = match.group()
        if mark == ",":
            if depth == 0:
                parts.append(text[start : match.start()].strip())
                start = match.end()
        elif mark in "([{<":
            depth += 1
        elif mark in ")]}>":
            depth -= 1
    last = text[start:].strip()
    if last:
        parts.append(last)
    return parts


def _parse_field(text: str) -> MetadataField:
    if text.startswith("!"):
        if text[1:].isdigit():
            return MetadataRef(int(text[1:]))
        if text.startswith('!"'):
            return unescape(text[2:-1])
        return parse_node(text)
    if text.startswith('"'):
        return unescape(text[1:-1])
    if text in ("null", "true", "false"):
        return {"null": None, "true": True, "false": False}[text]
    if _NUMBER.match(text):
        return int(text)
    typed = _TYPED_NUMBER.match(text)
    if typed:
        return {"true": 1, "false": 0}.get(typed.group(1)) if typed.group(1).isalpha() else int(typed.group(1))
    return MetadataWord(text)


def parse_node(text: str) -> MetadataNode:
    """The node written as `text`, without the `!N = ` before it."""
    match = _NODE.match(text)
    if match is None:
        raise UnsupportedError(f"LLVM metadata of an unknown form: {text}")
    kind, inside = match.groups()
    fields: dict[str, MetadataField] = {}
    elements: list[MetadataField] = []
    for part in split_top_level(inside):
        key = _KEY.match(part) if kind else None
        if key is not None:
            fields[key.group(1)] = _parse_field(part[key.end() :])
        else:
            elements.append(_parse_field(part))
    return MetadataNode(kind or "tuple", fields, tuple(elements))


class MetadataStore:
    """All metadata of one module; nodes are parsed once, when first asked for."""

    def __init__(self, numbered: Sequence[str], named: Mapping[str, str]) -> None:
        """`numbered[i]` is the line `!i = ...`; `named` maps a name to the text inside its braces."""
        self._numbered = numbered
        self._named = named
        self._nodes: dict[int, MetadataNode] = {}
        self._places: dict[int, tuple[int, int, int, int | None]] = {}
        self._scopes: dict[int, tuple[str, str]] = {}

    def __len__(self) -> int:
        return len(self._numbered)

    def _line(self, identifier: int) -> str:
        prefix = f"!{identifier} = "
        line = self._numbered[identifier] if 0 <= identifier < len(self._numbered) else ""
        if not line.startswith(prefix):
            raise UnsupportedError(f"LLVM module without metadata node !{identifier}")
        return line[len(prefix) :]

    def node(self, identifier: int) -> MetadataNode:
        """Node !identifier."""
        node = self._nodes.get(identifier)
        if node is None:
            node = self._nodes[identifier] = parse_node(self._line(identifier))
        return node

    def subprograms(self) -> Iterator[MetadataNode]:
        """Every function that the debug information describes, those that were inlined everywhere included."""
        for identifier, line in enumerate(self._numbered):
            if "!DISubprogram(" in line:
                yield self.node(identifier)

    def named(self, name: str) -> tuple[int, ...]:
        """Ids listed by the named node `name`."""
        return tuple(int(part[1:]) for part in split_top_level(self._named.get(name, "")) if part[1:].isdigit())

    def _place(self, location: int) -> tuple[int, int, int, int | None]:
        """(line, column, scope id, inlinedAt id) of a DILocation; read by pattern, for there are very many."""
        place = self._places.get(location)
        if place is None:
            match = _LOCATION.match(self._line(location))
            if match is None:
                raise UnsupportedError(f"LLVM debug location of an unknown form: {self._line(location)}")
            line, column, scope, inlined = match.groups()
            place = (int(line), int(column or 0), int(scope), int(inlined) if inlined else None)
            self._places[location] = place
        return place

    def _scope(self, scope: int) -> tuple[str, str]:
        """(function name, file path) of a lexical scope."""
        known = self._scopes.get(scope)
        if known is None:
            node = self.node(scope)
            file = self.file_path(node.ref("file"))
            current: MetadataNode | None = node
            while current is not None and current.kind != "DISubprogram":
                parent = current.ref("scope")
                current = self.node(parent) if parent is not None else None
            known = (current.text("name") if current is not None else "", file)
            self._scopes[scope] = known
        return known

    @cached_property
    def _working_directories(self) -> frozenset[str]:
        """Names of the current directory; Clang records $PWD where that names the same directory."""
        return frozenset({"", os.getcwd(), os.environ.get("PWD", "")})

    def file_path(self, file: int | None) -> str:
        """Path of a DIFile: as the user gave it when relative to the current directory, else joined."""
        if file is None:
            return ""
        node = self.node(file)
        name, directory = node.text("filename"), node.text("directory")
        if name.startswith("<") or directory in self._working_directories:
            return name
        return os.path.join(directory, name)

    def source_location(self, location: int | None) -> SourceLocation | None:
        """The place of a DILocation in its own (innermost) function."""
        if location is None:
            return None
        line, column, scope, _ = self._place(location)
        return SourceLocation(self._scope(scope)[1], line, column)

    def location_chain(self, location: int | None) -> list[tuple[str, SourceLocation]]:
        """(function name, place) of a DILocation and of the calls it was inlined through, innermost first."""
        chain: list[tuple[str, SourceLocation]] = []
        while location is not None:
            line, column, scope, inlined = self._place(location)
            function, file = self._scope(scope)
            chain.append((function, SourceLocation(file, line, column)))
            location = inlined
        return chain
