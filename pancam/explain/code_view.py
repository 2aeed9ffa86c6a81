# SPDX-License-Identifier: Apache-2.0
"""The program's code as the trace looks at it: instructions, functions, and which line of the user each belongs to."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from pancam.bytecode.image import FUNCTION, INSTRUCTION, OBJECT, read_sections
from pancam.resources import guest_sources

if TYPE_CHECKING:
    from pancam.bytecode.program import Program
    from pancam.errors import SourceLocation

SYSTEM_FOLDERS = ("/usr/include/", "/usr/lib/", "/usr/local/include/")


@dataclass(frozen=True, slots=True)
class Place:
    """A line of the user's program and the function it is in, which may be an inlined one."""

    function: str
    location: SourceLocation

    @property
    def line(self) -> tuple[str, str, int]:
        return self.function, self.location.file, self.location.line


@dataclass(frozen=True, slots=True)
class CodeFunction:
    """A function of the image; `library`: it is pancam's own, not the user's."""

    number: int
    name: str
    first_pc: int
    parameter_slots: int
    library: bool


def is_library_file(file: str) -> bool:
    """Whether a file is part of pancam's C library or of the system's headers."""
    return not file or file.startswith((f"{guest_sources()}/", *SYSTEM_FOLDERS))


class CodeView:
    """Answers questions about pcs; what it had to look up once it remembers."""

    def __init__(self, program: Program) -> None:
        self.source_map = program.source_map
        sections, self.pointer_bits, _ = read_sections(program.image)
        self._strings = sections["STRINGS"]
        self.instructions = list(INSTRUCTION.iter_unpack(sections["CODE"]))
        self.functions = [
            CodeFunction(number, self._string(name), first, parameters, self._is_library(number))
            for number, (first, _, name, parameters, *_) in enumerate(FUNCTION.iter_unpack(sections["FUNCTIONS"]))
        ]
        self._starts = [function.first_pc for function in self.functions]
        self.static_names = [self._string(name) for *_, name in OBJECT.iter_unpack(sections["OBJECTS"])]
        self.static_sizes = [size for _, size, _, _ in OBJECT.iter_unpack(sections["OBJECTS"])]
        self.thread_local_names = [self._string(name) for _, _, name, _ in OBJECT.iter_unpack(sections["TLS"])]
        self._places: dict[int, Place | None] = {}

    def _string(self, offset: int) -> str:
        return self._strings[offset : self._strings.index(0, offset)].decode(errors="replace")

    def _is_library(self, number: int) -> bool:
        return is_library_file(self.source_map.functions[number]["file"])

    def function_at(self, pc: int) -> CodeFunction:
        return self.functions[bisect_right(self._starts, pc) - 1]

    def function_named(self, name: str) -> CodeFunction | None:
        return next((function for function in self.functions if function.name == name), None)

    def place(self, pc: int) -> Place | None:
        """The user's line of an instruction, of the innermost inlined function that is the user's."""
        if pc not in self._places:
            chain = self.source_map.chain(pc)
            mine = (Place(name, at) for name, at in chain if at.line and not is_library_file(at.file))
            self._places[pc] = next(mine, None)
        return self._places[pc]

    @cached_property
    def line_numbers(self) -> list[int]:
        """For each pc the number of its line among all lines of the user, from 1; 0 where it has none."""
        numbers: dict[tuple[str, int], int] = {}
        places = (self.place(pc) for pc in range(len(self.instructions)))
        lines = ((place.location.file, place.location.line) if place else None for place in places)
        return [numbers.setdefault(line, len(numbers) + 1) if line else 0 for line in lines]
