# SPDX-License-Identifier: Apache-2.0
"""A small assembler for tests: instructions as text in, a bytecode image out.

One instruction a line: the opcode, then its operands a, b, c (those that the opcode has), then what its immediate
needs. Slots and numbers are plain; `-` is no slot; `name:` defines a label. In a number, `&f` is a pointer to function
f, `@g` to object g, `%l` to the code label l, `g+8` adds, and names of image.h's constants and of faults stand for
their values. `TABLE` operands name a table; jumps name a label.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass, field
from itertools import pairwise

from pancam import isa

GRANULE = 16
NO_SLOT = 0xFFFF
NO_LIVE_SET = 0xFFFFFFFF
MASK64 = (1 << 64) - 1


@dataclass
class _Function:
    name: str
    lines: list[list[str]]
    labels: dict[str, int]
    shape: tuple[int, int, int, int]  # parameters, results, slots, flags
    live: dict[int, set[int]]  # position of an instruction to the slots live before it
    first_pc: int = 0


@dataclass
class _Object:
    name: str
    data: bytes
    constant: bool
    start: int = 0
    id: int = 0


@dataclass
class Assembler:
    """Collects functions, objects, thread-local variables and tables; `image()` puts them together."""

    pointer_bits: int = 64
    functions: list[_Function] = field(default_factory=list)
    objects: list[_Object] = field(default_factory=list)
    tls: list[tuple[str, bytes]] = field(default_factory=list)
    tables: dict[str, tuple[str, dict[int, str], str]] = field(default_factory=dict)

    @property
    def shift(self) -> int:
        return self.pointer_bits // 2

    def function(  # noqa: PLR0913 - a function has this many properties
        self,
        name: str,
        text: str,
        slots: int = 16,
        *,
        parameters: int = 0,
        results: int = 0,
        variadic: bool = False,
        live: dict[int, set[int]] | None = None,
    ) -> None:
        lines: list[list[str]] = []
        labels: dict[str, int] = {}
        for raw in text.splitlines():
            words = raw.split("#", 1)[0].replace(",", " ").split()
            if not words:
                continue
            if words[0].endswith(":"):
                labels[words[0][:-1]] = len(lines)
            else:
                lines.append(words)
        shape = (parameters, results, slots, int(variadic))
        self.functions.append(_Function(name, lines, labels, shape, live or {}))

    def variable(self, name: str, data: bytes, *, constant: bool = False) -> None:
        self.objects.append(_Object(name, data, constant))

    def table(self, name: str, function: str, targets: dict[int, str], default: str) -> None:
        self.tables[name] = (function, targets, default)

    # Putting it together

    def image(self, entry: str = "main") -> bytes:
        self._number()
        code = b"".join(self._instruction(f, line) for f in self.functions for line in f.lines)
        constants, variables = self._data(constant=True), self._data(constant=False)
        tls_records, tls_data = b"", b""
        for _, data in self.tls:
            tls_records += struct.pack("<4I", len(tls_data), len(data), 0, 0)
            tls_data += _padded(data)
        tables, targets = self._tables()
        live, live_bits = self._live()
        sections = [code, self._function_records(), self._object_records(), constants, variables]
        sections += [tls_records, tls_data, tables, targets, live, live_bits, self._strings, b""]
        names = [f.name for f in self.functions]
        return pack_image(sections, self.pointer_bits, names.index(entry))

    def _number(self) -> None:
        pc = 0
        for function in self.functions:
            function.first_pc = pc
            pc += len(function.lines)
        self._label_id = 2 + (16 * len(self.functions) >> self.shift)
        following = self._label_id + isa.constants()["LABEL_IDS"]
        self.objects.sort(key=lambda o: not o.constant)
        places = {True: 0, False: 0}
        self._strings = b"\0"
        for item in self.objects:
            item.id, item.start = following, places[item.constant]
            following += 1 + (len(item.data) >> self.shift)
            places[item.constant] += len(_padded(item.data))

    def _name(self, name: str) -> int:
        self._strings += name.encode() + b"\0"
        return len(self._strings) - len(name) - 1

    def _data(self, *, constant: bool) -> bytes:
        return b"".join(_padded(o.data) for o in self.objects if o.constant == constant)

    def _object_records(self) -> bytes:
        return b"".join(
            struct.pack("<4I", o.start, len(o.data), int(o.constant), self._name(o.name)) for o in self.objects
        )

    def _function_records(self) -> bytes:
        records = b""
        for f in self.functions:
            ends = f.first_pc, f.first_pc + len(f.lines), self._name(f.name)
            records += struct.pack("<3I4H", *ends, *f.shape) + b""
        return records

    def _tables(self) -> tuple[bytes, bytes]:
        records, targets, count = b"", b"", 0
        for name, rows, default in self.tables.values():
            function = next(f for f in self.functions if f.name == name)
            records += struct.pack("<4I", count, len(rows), function.first_pc + function.labels[default], 0)
            for value, label in sorted((v & MASK64, label) for v, label in rows.items()):
                targets += struct.pack("<Q2I", value, function.first_pc + function.labels[label], 0)
            count += len(rows)
        return records, targets

    def _live(self) -> tuple[bytes, bytes]:
        if not any(f.live for f in self.functions):
            return b"", b""
        indices: list[int] = []
        words: list[int] = []
        for f in self.functions:
            for position in range(len(f.lines)):
                if position not in f.live:
                    indices.append(NO_LIVE_SET)
                    continue
                indices.append(len(words))
                bits = sum(1 << slot for slot in f.live[position])
                words += [bits >> 64 * w & MASK64 for w in range((f.shape[2] + 63) // 64)]
        return struct.pack(f"<{len(indices)}I", *indices), struct.pack(f"<{len(words)}Q", *words)

    def _instruction(self, function: _Function, words: list[str]) -> bytes:
        opcode = isa.OPCODES[words[0].upper()]
        rest = words[1:]
        fields = [self._slot(rest.pop(0)) if kind != "NONE" else 0 for kind in opcode.operands]
        x = y = 0
        numbers = [self._number_of(function, word, opcode.immediate) for word in rest]
        if opcode.immediate == "IMM":
            x, y = numbers[0] & 0xFFFFFFFF, numbers[0] >> 32 & 0xFFFFFFFF
            numbers.pop(0)
        elif numbers:
            x = numbers.pop(0) & 0xFFFFFFFF
            y = (numbers.pop(0) if numbers else 0) & 0xFFFFFFFF
        if numbers:
            raise ValueError(f"too many operands: {words}")
        return struct.pack("<4H2I", opcode.number, *fields, x, y)

    @staticmethod
    def _slot(word: str) -> int:
        return NO_SLOT if word == "-" else int(word, 0)

    def _number_of(self, function: _Function, word: str, kind: str) -> int:
        base, plus, offset = word.partition("+")
        if plus and base[0] in "@&%":
            return self._number_of(function, base, kind) + int(offset, 0)
        if kind == "TABLE":
            return list(self.tables).index(word)
        if kind == "FUNC" or word[0] == "&":
            index = [f.name for f in self.functions].index(word.removeprefix("&"))
            return index if kind == "FUNC" else (1 << self.shift) + 16 * index
        if word[0] == "@":
            return next(o.id for o in self.objects if o.name == word[1:]) << self.shift
        label = word.removeprefix("%")
        if label in function.labels:
            pc = function.first_pc + function.labels[label]
            return pc if kind == "JUMP" else (self._label_id << self.shift) + pc
        return _named_number(word)


def _named_number(word: str) -> int:
    numbers = isa.constants() | {name: number for name, (number, _) in (isa.faults() | isa.math_functions()).items()}
    return numbers[word] if word in numbers else int(word, 0)


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % GRANULE)


def pack_image(sections: list[bytes], pointer_bits: int = 64, entry: int = 0) -> bytes:
    """The file around the sections, with the checksum."""
    header_size = 24 + 8 * len(sections)
    starts = [header_size]
    for section in sections:
        starts.append((starts[-1] + len(section) + 7) // 8 * 8)
    body = b""
    for section, (start, end) in zip(sections, pairwise(starts), strict=True):
        body += section + bytes(end - start - len(section))
    size = starts[-1]
    table = b"".join(struct.pack("<2I", start, len(s)) for s, start in zip(sections, starts, strict=False))
    checked = struct.pack("<3I", size, pointer_bits, entry) + table + body
    constants = isa.constants()
    return struct.pack("<3I", constants["IMAGE_MAGIC"], constants["IMAGE_VERSION"], zlib.crc32(checked)) + checked
