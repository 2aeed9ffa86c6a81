# SPDX-License-Identifier: Apache-2.0
"""Reads the body of a function, line by line, into blocks of instructions: the top layer of the parser."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pancam.errors import UnsupportedError
from pancam.ir.model import Block, BlockItem, DebugRecord, Function
from pancam.ir.read_types import IrSyntaxError
from pancam.ir.text import name_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from pancam.ir.read_instructions import InstructionReader
    from pancam.ir.values import Value

_DEBUG_LOCATION = re.compile(r"!dbg !(\d+)")
_LABEL = re.compile(r'("[^"]*"|[-\w.$]+):', re.ASCII)

# What malformed text may raise inside the readers; each becomes an UnsupportedError that shows the line.
READ_PROBLEMS = (IrSyntaxError, ValueError, IndexError, KeyError, AttributeError, TypeError)


def split_attachments(line: str) -> tuple[str, str]:
    """`line` cut before its metadata attachments (`, !dbg !5, !tbaa !7`), which start at the first `, !`."""
    cut = line.find(", !")
    if cut < 0:
        return line, ""
    if '"' in line:  # a string, of inline assembly for example, may hold the same characters
        cut = _outside_strings(line, cut)
        if cut < 0:
            return line, ""
    return line[:cut], line[cut:]


def _outside_strings(line: str, cut: int) -> int:
    while cut >= 0 and line.count('"', 0, cut) % 2:
        cut = line.find(", !", cut + 1)
    return cut


def debug_location(attachments: str) -> int | None:
    """Metadata id of the !dbg attachment."""
    match = _DEBUG_LOCATION.search(attachments)
    return int(match.group(1)) if match else None


class BodyReader:
    """Reads one function body."""

    def __init__(self, reader: InstructionReader, function: Function) -> None:
        self._reader = reader
        self._function = function
        reader.locals = {f"%{param.name}": param for param in function.params}

    def read(self, text: str) -> dict[str, Block]:
        """Blocks of the body `text`, which stands between the braces."""
        blocks: dict[str, Block] = {}
        items: list[BlockItem] | None = None
        for line in _logical_lines(text):
            if line[0] != " ":
                label = _LABEL.match(line)
                if label is None:
                    raise UnsupportedError(f"LLVM text of an unknown form in function {self._function.name}: {line}")
                block = Block(name_of("%" + label.group(1)), [])
                blocks[block.name] = block
                items = block.items
                continue
            if items is None:  # the entry block may be unnamed, numbered after the unnamed parameters
                block = Block(self._implicit_entry_name(), [])
                blocks[block.name] = block
                items = block.items
            items.append(self._read_item(line))
        return blocks

    def _implicit_entry_name(self) -> str:
        return str(sum(param.name.isdigit() for param in self._function.params))

    def _read_item(self, line: str) -> BlockItem:
        try:
            if line.startswith("    #dbg_"):
                return self._read_debug_record(line)
            code, attachments = split_attachments(line)
            return self._reader.read_instruction(code, debug_location(attachments) if attachments else None)
        except READ_PROBLEMS as problem:
            message = f"LLVM IR that pancam cannot read in function {self._function.name} ({problem}): {line.strip()}"
            raise UnsupportedError(message) from problem

    def _read_debug_record(self, line: str) -> DebugRecord:
        reader = self._reader
        reader.load(line)
        kind = reader.tokens[0].removeprefix("#dbg_")
        reader.position = 1
        reader.expect("(")
        value: Value | tuple[Value, ...] | None = None
        expression: tuple[int | str, ...] = ()
        if kind != "label":
            value = self._read_debug_value()
            reader.expect(",")
        variable = self._read_metadata_id()
        if kind != "label":
            reader.expect(",")
            expression = self._read_expression()
        if kind == "assign":  # the identity of the store, its address and the expression of the address
            reader.expect(",")
            self._read_metadata_id()
            reader.expect(",")
            self._read_debug_value()
            reader.expect(",")
            self._read_expression()
        reader.expect(",")
        location = self._read_metadata_id()
        return DebugRecord(kind, value, variable, expression, location)

    def _read_debug_value(self) -> Value | tuple[Value, ...] | None:
        reader = self._reader
        token = reader.tokens[reader.position]
        if token[0] == "!" and token[1:].isdigit():  # !5, an empty node: the value was optimised away
            self._read_metadata_id()
            return None
        if reader.accept("!"):
            reader.expect("{")
            reader.expect("}")
            return None
        if not reader.accept("!DIArgList"):
            return reader.read_typed_value()
        reader.expect("(")
        values: list[Value] = []
        while not reader.accept(")"):
            if values:
                reader.expect(",")
            values.append(reader.read_typed_value())
        return tuple(values)

    def _read_metadata_id(self) -> int:
        token = self._reader.tokens[self._reader.position]
        self._reader.position += 1
        return int(token[1:])

    def _read_expression(self) -> tuple[int | str, ...]:
        reader = self._reader
        reader.expect("!DIExpression")
        reader.expect("(")
        operations: list[int | str] = []
        while not reader.accept(")"):
            if operations:
                reader.expect(",")
            token = reader.tokens[reader.position]
            reader.position += 1
            operations.append(int(token) if token.lstrip("-").isdigit() else token)
        return tuple(operations)


def _logical_lines(text: str) -> list[str]:
    """Non-empty lines with continuations joined: switch cases, and the targets of invoke and callbr."""
    lines: list[str] = []
    for line in text.split("\n"):
        if not line or line[0] == ";":
            continue
        continues = (line.startswith("   ") and not line.startswith("    #dbg_")) or line.startswith("  ]")
        if continues and lines:
            lines[-1] += " " + line.lstrip()
        else:
            lines.append(line)
    return lines


def body_parser(make_reader: Callable[[], InstructionReader], text: str) -> Callable[[Function], dict[str, Block]]:
    """A function that parses the body `text` for the function it is given."""

    def parse(function: Function) -> dict[str, Block]:
        return BodyReader(make_reader(), function).read(text)

    return parse
