# SPDX-License-Identifier: Apache-2.0
"""The instruction set and the other facts that Python shares with the C machine, read from vm_c's own files.

opcodes.def, faults.def, math.def and the enums of image.h are the only places where these facts are written down.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from pancam.resources import machine_sources

if TYPE_CHECKING:
    from collections.abc import Iterator

WIDTHS = (8, 16, 32, 64)
_ROW = re.compile(
    r'^(OPW?)\((\w+),\s*(\w+), (\w+), (\w+), (\w+), (LOCAL|VISIBLE|STACK), "([^"]*)"\)$',
)
_REGISTER_KINDS = {"NONE", "NUM", "D", "D2", "D3", "S", "S2", "S3", "BASE", "DOPT"}
_IMMEDIATE_KINDS = {"NONE", "IMM", "OFFSET", "JUMP", "FUNC", "TABLE", "SLOT", "TLS", "NUMS"}
_DEFINES = {"D": 1, "D2": 2, "D3": 3, "DOPT": 1}
_READS = {"S": 1, "S2": 2, "S3": 3}


OPCODES: dict[str, Opcode]
OPCODE_LIST: tuple[Opcode, ...]


class TableError(Exception):
    """A row of a .def file is malformed: a bug of pancam, with the file and line."""


@dataclass(frozen=True, slots=True, eq=False)
class Opcode:
    """One row of opcodes.def. `defines` and `reads` list (field, number of slots) of the operands a, b, c, x."""

    number: int
    name: str
    operands: tuple[str, str, str]
    immediate: str
    visible: bool
    meaning: str
    defines: tuple[tuple[str, int], ...]
    reads: tuple[tuple[str, int], ...]


def _opcode(number: int, name: str, operands: tuple[str, str, str], rest: tuple[str, str, str]) -> Opcode:
    immediate, visibility, meaning = rest
    defines = tuple((f, _DEFINES[k]) for f, k in zip("abc", operands, strict=True) if k in _DEFINES)
    reads = [(f, _READS[k]) for f, k in zip("abc", operands, strict=True) if k in _READS]
    if immediate == "SLOT":
        reads.append(("x", 1))
    return Opcode(number, name, operands, immediate, visibility == "VISIBLE", meaning, defines, tuple(reads))


def _definition_rows(file: str) -> Iterator[tuple[int, str]]:
    in_comment = False
    for number, line in enumerate((machine_sources() / file).read_text().splitlines(), 1):
        text = line.strip()
        if text.startswith("/*"):
            in_comment = True
        if not in_comment and text:
            yield number, text
        if in_comment and text.endswith("*/"):
            in_comment = False


def parse_opcodes(rows: Iterator[tuple[int, str]]) -> dict[str, Opcode]:
    """Opcodes by name, numbered in order; a malformed row raises TableError with its line."""
    opcodes: dict[str, Opcode] = {}
    for line, text in rows:
        match = _ROW.match(text)
        if not match:
            raise TableError(f"opcodes.def:{line}: malformed row: {text}")
        macro, name, a, b, c, immediate, visibility, meaning = match.groups()
        if not {a, b, c} <= _REGISTER_KINDS or immediate not in _IMMEDIATE_KINDS:
            raise TableError(f"opcodes.def:{line}: unknown operand kind: {text}")
        for suffix in WIDTHS if macro == "OPW" else ("",):
            full = f"{name}{suffix}"
            if full in opcodes:
                raise TableError(f"opcodes.def:{line}: {full} is defined twice")
            opcodes[full] = _opcode(len(opcodes), full, (a, b, c), (immediate, visibility, meaning))
    return opcodes


def __getattr__(name: str) -> object:
    """OPCODES and OPCODE_LIST are read when somebody asks for them: most checks of known programs need neither."""
    if name not in ("OPCODES", "OPCODE_LIST"):
        raise AttributeError(name)
    opcodes = parse_opcodes(_definition_rows("opcodes.def"))
    globals().update(OPCODES=opcodes, OPCODE_LIST=tuple(opcodes.values()))
    return globals()[name]


@cache
def faults() -> dict[str, tuple[int, str]]:
    """Fault kinds: name to (number, text)."""
    rows = [text for _, text in _definition_rows("faults.def")]
    pairs = [re.fullmatch(r'FAULT\((\w+),\s*"([^"]*)"\)', row) for row in rows]
    return {m.group(1): (number, m.group(2)) for number, m in enumerate(pairs) if m}


@cache
def fault_kind(number: int) -> tuple[str, str]:
    """Name and text of fault kind `number`."""
    return next((name, text) for name, (n, text) in faults().items() if n == number)


@cache
def math_functions() -> dict[str, tuple[int, int]]:
    """Functions of math.h that are machine instructions: C name to (number, arguments)."""
    table: dict[str, tuple[int, int]] = {}
    for _, row in _definition_rows("math.def"):
        match = re.fullmatch(r"MATH_FN\((\w+), ([12])\)", row)
        if not match:
            raise TableError(f"math.def: malformed row: {row}")
        for suffix in ("", "f", "l"):
            table[match.group(1) + suffix] = (len(table), int(match.group(2)))
    return table


@cache
def constants() -> dict[str, int]:
    """The #defines and enum members of image.h."""
    text = re.sub(r"/\*.*?\*/", "", (machine_sources() / "image.h").read_text(), flags=re.DOTALL)
    values = {m[1]: int(m[2], 0) for m in re.finditer(r"#define (\w+) (0x[0-9a-f]+|\d+)u?\b", text)}
    for body in re.findall(r"enum\s*\{(.*?)\}", text, flags=re.DOTALL):
        following = 0
        for member in filter(None, (part.strip() for part in body.split(","))):
            name, _, value = (piece.strip() for piece in member.partition("="))
            following = int(value, 0) if value else following
            values[name] = following
            following += 1
    return values
