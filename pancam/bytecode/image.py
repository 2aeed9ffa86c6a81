# SPDX-License-Identifier: Apache-2.0
"""Writes the bytecode image that the machine loads: the counterpart of vm_c/image.h, which describes every section."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pancam.bytecode.layout import align_up
from pancam.errors import ImageError
from pancam.ir.types import IntType
from pancam.isa import constants

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pancam.bytecode.assemble import FunctionCode
    from pancam.bytecode.code import JumpTable
    from pancam.bytecode.static_data import StaticObject
    from pancam.bytecode.symbols import Symbols
    from pancam.ir.types import FunctionType
    from pancam.ir.values import BlockAddress

INSTRUCTION = struct.Struct("<4H2I")
FUNCTION = struct.Struct("<3I4H")
OBJECT = struct.Struct("<4I")
TABLE = struct.Struct("<4I")
TARGET = struct.Struct("<Q2I")
HEADER = struct.Struct("<6I")
SECTION = struct.Struct("<2I")
SECTION_ALIGNMENT = 8
MAXIMAL_SLOTS = 0xFFFF


@dataclass
class Strings:
    """The section of zero-terminated names."""

    data: bytearray = field(default_factory=lambda: bytearray(b"\0"))
    _known: dict[str, int] = field(default_factory=dict)

    def offset(self, text: str) -> int:
        if text not in self._known:
            self._known[text] = len(self.data)
            self.data += text.encode(errors="surrogateescape") + b"\0"
        return self._known[text]


class ImageWriter:
    """Collects the sections of one program."""

    def __init__(self, symbols: Symbols, functions: Sequence[FunctionCode]) -> None:
        self.symbols = symbols
        self.functions = functions
        self.strings = Strings()
        self.tables = bytearray()
        self.targets = bytearray()

    def label_address(self, function: str, block: str) -> int:
        code = self.functions[self.symbols.function_index(function)]
        pc = code.labels.get(block)
        return self.symbols.label_base + pc if pc is not None else 0  # a block that was never jumped to is gone

    def write(self, entry: str) -> bytes:
        """The image, with an empty source map; thread 0 begins at `entry`."""
        code = self._code()
        live, live_bits = self._live()
        sections = {
            "CODE": code,
            "FUNCTIONS": self._function_rows(),
            "OBJECTS": self._object_rows(),
            "CONSTANTS": self._data(is_constant=True),
            "GLOBALS": self._data(is_constant=False),
            "TLS": self._thread_local_rows(),
            "TLS_DATA": joined_data(list(self.symbols.thread_locals.values())),
            "TABLES": bytes(self.tables),
            "TARGETS": bytes(self.targets),
            "LIVE": live,
            "LIVE_BITS": live_bits,
            "DEBUG": b"",
        }
        sections["STRINGS"] = bytes(self.strings.data)
        return pack_image(sections, self.symbols.layout.pointer_bits, self.symbols.function_index(entry))

    def _code(self) -> bytes:
        output = bytearray()
        for function in self.functions:
            instructions = list(function.instructions)
            for index, address in function.label_operands:
                number = self.label_address(address.function, address.block)
                instructions[index] = instructions[index]._replace(x=number & 0xFFFFFFFF, y=number >> 32)
            for index, table in function.tables:
                instructions[index] = instructions[index]._replace(x=self._table(function, table))
            for instruction in instructions:
                output += INSTRUCTION.pack(*instruction)
        return bytes(output)

    def _table(self, function: FunctionCode, table: JumpTable) -> int:
        rows = [(value, function.labels[label]) for value, label in table.cases]
        rows.extend((function.labels[block], function.labels[label]) for block, label in table.blocks)
        index, first = len(self.tables) // TABLE.size, len(self.targets) // TARGET.size
        for value, pc in sorted(rows):
            self.targets += TARGET.pack(value, pc, 0)
        self.tables += TABLE.pack(first, len(rows), function.labels[table.default], 0)
        return index

    def _function_rows(self) -> bytes:
        rows = bytearray()
        for function in self.functions:
            lowered = function.lowered
            if function.frame_slots > MAXIMAL_SLOTS:
                raise ImageError(f"the function {lowered.name} needs {function.frame_slots} registers, too many")
            flags = constants()["FUNCTION_VARIADIC"] if lowered.variadic else 0
            flags |= _first_parameter_bits(lowered.function.type) << constants()["FUNCTION_BITS_SHIFT"]
            rows += FUNCTION.pack(
                function.first_pc, function.end_pc, self.strings.offset(lowered.name),
                len(lowered.code.parameters), lowered.result_slots, function.frame_slots, flags,
            )  # fmt: skip
        return bytes(rows)

    def _object_rows(self) -> bytes:
        flag = constants()["OBJECT_CONSTANT"]
        return b"".join(
            OBJECT.pack(obj.start, obj.size, flag if obj.is_constant else 0, self.strings.offset(obj.name))
            for obj in self.symbols.objects.values()
        )

    def _thread_local_rows(self) -> bytes:
        return b"".join(
            OBJECT.pack(obj.start, obj.size, self.strings.offset(obj.name), 0)
            for obj in self.symbols.thread_locals.values()
        )

    def _data(self, *, is_constant: bool) -> bytes:
        objects = [obj for obj in self.symbols.objects.values() if obj.is_constant is is_constant]
        for obj in objects:
            data = bytearray(obj.data)
            for patch in obj.labels:
                number = patch.number + sum(self.label_address(*label) for label in _names(patch.plus))
                number -= sum(self.label_address(*label) for label in _names(patch.minus))
                end = patch.offset + patch.width
                data[patch.offset : end] = (number & ((1 << 8 * patch.width) - 1)).to_bytes(patch.width, "little")
            obj.data = bytes(data)
        return joined_data(objects)

    def _live(self) -> tuple[bytes, bytes]:
        """Live sets, each stored once for a function's number of words."""
        known: dict[tuple[int, int], int] = {}
        words: list[int] = []
        indices: list[int] = []
        for function in self.functions:
            count = (function.frame_slots + 63) // 64
            for mask in function.live:
                if mask is None:
                    indices.append(constants()["NO_LIVE_SET"])
                    continue
                key = (mask, count)
                if key not in known:
                    known[key] = len(words)
                    words.extend(mask >> 64 * word & 0xFFFFFFFFFFFFFFFF for word in range(count))
                indices.append(known[key])
        return struct.pack(f"<{len(indices)}I", *indices), struct.pack(f"<{len(words)}Q", *words)


def _first_parameter_bits(type_: FunctionType) -> int:
    """Whoever starts a thread with a number must know how wide it is; 0: all 64 bits, or no integer."""
    first = type_.params[0] if type_.params else None
    return first.width if isinstance(first, IntType) and first.width <= constants()["FUNCTION_MOST_BITS"] else 0


def _names(labels: Sequence[BlockAddress]) -> list[tuple[str, str]]:
    return [(label.function, label.block) for label in labels]


def joined_data(objects: Sequence[StaticObject]) -> bytes:
    """The bytes of a data section with every object at its place."""
    size = max((obj.start + obj.size for obj in objects), default=0)
    buffer = bytearray(size)
    for obj in objects:
        buffer[obj.start : obj.start + len(obj.data)] = obj.data
    return bytes(buffer)


def pack_image(sections: Mapping[str, bytes], pointer_bits: int, entry: int) -> bytes:
    """The file: header, section table, sections, with its checksum."""
    names = constants()
    count = names["SECTION_COUNT"]
    order = sorted(sections, key=lambda name: names[f"SECTION_{name}"])
    at = align_up(HEADER.size + count * SECTION.size, SECTION_ALIGNMENT)
    table, body = bytearray(), bytearray()
    start = at
    for name in order:
        data = sections[name]
        table += SECTION.pack(start + len(body), len(data))
        body += data + bytes(-len(data) % SECTION_ALIGNMENT)
    size = start + len(body)
    if size >= 1 << 32:
        raise ImageError("the program is larger than 4 GiB")
    rest = struct.pack("<3I", size, pointer_bits, entry) + bytes(table)
    rest += bytes(at - HEADER.size - len(table)) + bytes(body)
    return struct.pack("<3I", names["IMAGE_MAGIC"], names["IMAGE_VERSION"], zlib.crc32(rest)) + rest


def read_sections(image: bytes) -> tuple[dict[str, bytes], int, int]:
    """Sections by name, pointer width and entry of an image; ImageError if it is none."""
    names = constants()
    if len(image) < HEADER.size or int.from_bytes(image[:4], "little") != names["IMAGE_MAGIC"]:
        raise ImageError("not a pancam image")
    _, version, checksum, size, pointer_bits, entry = HEADER.unpack_from(image)
    if version != names["IMAGE_VERSION"]:
        raise ImageError(f"the image has version {version}, this pancam reads {names['IMAGE_VERSION']}")
    if size != len(image) or zlib.crc32(image[12:]) != checksum:
        raise ImageError("the image is damaged: its checksum is wrong")
    kinds = {value: name.removeprefix("SECTION_") for name, value in names.items() if name.startswith("SECTION_")}
    sections = {}
    for number in range(names["SECTION_COUNT"]):
        start, length = SECTION.unpack_from(image, HEADER.size + number * SECTION.size)
        sections[kinds[number]] = image[start : start + length]
    return sections, pointer_bits, entry
