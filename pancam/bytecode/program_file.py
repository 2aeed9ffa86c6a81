# SPDX-License-Identifier: Apache-2.0
"""Programs in .pcb files: reading them, and giving them another command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pancam.bytecode.image import FUNCTION, OBJECT, joined_data, pack_image, read_sections
from pancam.bytecode.program import Program, Restriction
from pancam.bytecode.source_map import decode_source_map
from pancam.bytecode.static_data import ARGUMENTS, argument_objects, ids_of, link_arguments, place_objects
from pancam.bytecode.symbols import FUNCTION_SPACING
from pancam.errors import ImageError
from pancam.isa import constants

if TYPE_CHECKING:
    from pathlib import Path


def read_program(path: Path) -> Program:
    """The program in a .pcb file."""
    try:
        image = path.read_bytes()
    except OSError as problem:
        raise ImageError(f"{path}: {problem.strerror}") from problem
    try:
        sections, _, _ = read_sections(image)
        source_map = decode_source_map(sections["DEBUG"])
        restrictions = [Restriction(*row) for row in source_map.restrictions]
        return Program(image, source_map.thread_limit, lambda: source_map, restrictions=restrictions)
    except ImageError as problem:
        raise ImageError(f"{path}: {problem.message}") from problem
    except TypeError as problem:
        raise ImageError(f"{path}: the source map of the image is damaged") from problem


def with_arguments(program: Program, arguments: list[str]) -> Program:
    """The same program with another command line: the objects that hold it are the last ones of the image."""
    sections, pointer_bits, entry = read_sections(program.image)
    shift = 32 if pointer_bits > 32 else 16  # noqa: PLR2004 - see image.h
    kept = _rows_before_arguments(sections)
    functions = len(sections["FUNCTIONS"]) // FUNCTION.size
    next_id = 1 + ids_of(FUNCTION_SPACING * functions, shift) + constants()["LABEL_IDS"]
    next_id += sum(ids_of(size, shift) for _, size, _, _ in kept)
    start = max((at + size for at, size, flags, _ in kept if not flags & constants()["OBJECT_CONSTANT"]), default=0)
    objects = argument_objects(arguments, pointer_bits // 8)
    place_objects(objects, next_id, start, shift)
    link_arguments(objects, pointer_bits // 8)
    strings = bytearray(sections["STRINGS"])
    new_rows = []
    for obj in objects:
        new_rows.append(OBJECT.pack(obj.start, obj.size, 0, len(strings)))
        strings += obj.name.encode() + b"\0"
    sections["OBJECTS"] = sections["OBJECTS"][: len(kept) * OBJECT.size] + b"".join(new_rows)
    sections["GLOBALS"] = sections["GLOBALS"][:start] + joined_data(objects)[start:]
    sections["STRINGS"] = bytes(strings)
    image = pack_image(sections, pointer_bits, entry)
    return Program(image, program.thread_limit, lambda: program.source_map, restrictions=program.restrictions)


def _rows_before_arguments(sections: dict[str, bytes]) -> list[tuple[int, int, int, int]]:
    rows = [OBJECT.unpack_from(sections["OBJECTS"], at) for at in range(0, len(sections["OBJECTS"]), OBJECT.size)]
    for number, (_, _, _, name) in enumerate(rows):
        if _string(sections["STRINGS"], name) == ARGUMENTS:
            return rows[:number]
    raise ImageError("the image has no command line to replace")


def _string(section: bytes, offset: int) -> str:
    return section[offset : section.index(0, offset)].decode(errors="surrogateescape")
