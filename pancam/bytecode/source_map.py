# SPDX-License-Identifier: Apache-2.0
"""The source map: which line an instruction comes from, and where the variables of the source are at each pc.

It travels in the image's DEBUG section as compressed JSON; the machine never looks at it.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from pancam.errors import ImageError, SourceLocation


@dataclass
class SourceMap:
    """What the DEBUG section says. Pcs, slots and static objects are numbered as in the image."""

    thread_limit: int
    locations: list[list[tuple[str, str, int, int]]]  # chains, innermost first: function, file, line, column
    pc_locations: list[int]  # index into locations, -1: none
    functions: list[dict[str, Any]]  # per function: file and line of its definition, and its variables
    globals: dict[str, dict[str, Any]]  # by the object's name: source name, type, file, line
    types: dict[str, dict[str, Any]] = field(default_factory=dict)
    restrictions: list[Any] = field(default_factory=list)  # of Program, by the numbers of their notes

    def chain(self, pc: int) -> list[tuple[str, SourceLocation]]:
        """Functions and places of an instruction, innermost first: more than one where calls were inlined."""
        index = self.pc_locations[pc] if 0 <= pc < len(self.pc_locations) else -1
        if index < 0:
            return []
        return [(name, SourceLocation(file, line, column)) for name, file, line, column in self.locations[index]]

    def location(self, pc: int) -> SourceLocation | None:
        chain = self.chain(pc)
        return chain[0][1] if chain else None

    @cached_property
    def encoded(self) -> bytes:
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return zlib.compress(json.dumps(fields, separators=(",", ":")).encode(errors="surrogateescape"), 1)


def decode_source_map(data: bytes) -> SourceMap:
    """The source map in a DEBUG section; ImageError when it is damaged."""
    try:
        return SourceMap(**json.loads(zlib.decompress(data)))
    except (ValueError, TypeError, zlib.error) as problem:
        raise ImageError("the source map of the image is damaged") from problem
