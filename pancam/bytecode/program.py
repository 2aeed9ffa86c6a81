# SPDX-License-Identifier: Apache-2.0
"""Program: a bytecode image with its source map; what the machine loads, what `pancam compile` writes."""

from __future__ import annotations

from dataclasses import astuple, dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pancam.bytecode.source_map import SourceMap


@dataclass(frozen=True, slots=True)
class Restriction:
    """What a note of the program (NOTE in vm_c/opcodes.def) means: not all values were tried.

    `asked`: the user wanted it so.
    """

    text: str
    asked: bool = False


class Program:
    """An image for the machine, without a source map; that is made when somebody asks for it."""

    def __init__(
        self,
        image: bytes,
        thread_limit: int,
        make_source_map: Callable[[], SourceMap],
        *,
        has_main: bool = True,
        restrictions: Sequence[Restriction] = (),
    ) -> None:
        self.image = image
        self.restrictions = tuple(restrictions)  # by the numbers of their notes
        self.thread_limit = thread_limit
        self.has_main = has_main  # otherwise thread 0 only prepares the process
        self._make_source_map = make_source_map

    @cached_property
    def source_map(self) -> SourceMap:
        return replace(self._make_source_map(), restrictions=[astuple(row) for row in self.restrictions])

    def file_bytes(self) -> bytes:
        """The image as a file: with the source map in it."""
        from pancam.bytecode.image import pack_image, read_sections

        sections, pointer_bits, entry = read_sections(self.image)
        return pack_image({**sections, "DEBUG": self.source_map.encoded}, pointer_bits, entry)
