# SPDX-License-Identifier: Apache-2.0
"""Program to text: every instruction with its operands, its source line and the registers live before it."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from pancam.bytecode.image import FUNCTION, INSTRUCTION, OBJECT, TABLE, TARGET, read_sections
from pancam.isa import OPCODE_LIST, constants, fault_kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pancam.bytecode.program import Program
    from pancam.isa import Opcode

SHORT = 1 << 31


@dataclass(frozen=True)
class FunctionRow:
    """A function as the image describes it."""

    name: str
    first_pc: int
    end_pc: int
    parameter_slots: int
    result_slots: int
    frame_slots: int
    flags: int


class Disassembler:
    """Reads an image back; the inverse of image.py, for people and for golden tests."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.sections, self.pointer_bits, self.entry = read_sections(program.image)
        self.code = list(INSTRUCTION.iter_unpack(self.sections["CODE"]))

    def _string(self, offset: int) -> str:
        data = self.sections["STRINGS"]
        return data[offset : data.index(0, offset)].decode(errors="backslashreplace")

    @cached_property
    def functions(self) -> list[FunctionRow]:
        rows = FUNCTION.iter_unpack(self.sections["FUNCTIONS"])
        return [FunctionRow(self._string(name), first, end, *rest) for first, end, name, *rest in rows]

    @cached_property
    def _live(self) -> list[int]:
        data = self.sections["LIVE"]
        return list(struct.unpack(f"<{len(data) // 4}I", data))

    @cached_property
    def _live_words(self) -> list[int]:
        data = self.sections["LIVE_BITS"]
        return list(struct.unpack(f"<{len(data) // 8}Q", data))

    def live_slots(self, pc: int, function: FunctionRow) -> list[int] | None:
        """Slots live before the instruction; None: all."""
        index = self._live[pc]
        if index == constants()["NO_LIVE_SET"]:
            return None
        words = self._live_words[index : index + (function.frame_slots + 63) // 64]
        return [64 * w + bit for w, word in enumerate(words) for bit in range(64) if word >> bit & 1]

    def text(self, only: set[str] | None = None) -> Iterator[str]:
        """The listing, line by line; `only` names the functions wanted."""
        if only is None:
            yield from self._objects()
        for function in self.functions:
            if only is None or function.name in only:
                yield from self._function(function)

    def _objects(self) -> Iterator[str]:
        for number, (start, size, flags, name) in enumerate(OBJECT.iter_unpack(self.sections["OBJECTS"])):
            kind = "constant" if flags & constants()["OBJECT_CONSTANT"] else "global"
            yield f"{kind} {self._string(name)}: object {number}, {size} bytes at {start}"

    def _function(self, function: FunctionRow) -> Iterator[str]:
        yield ""
        variadic = ", variadic" if function.flags & constants()["FUNCTION_VARIADIC"] else ""
        yield (
            f"function {function.name}: {function.parameter_slots} parameter slots, {function.result_slots} result "
            f"slots, {function.frame_slots} frame slots{variadic}"
        )
        shown = None
        for pc in range(function.first_pc, function.end_pc):
            location = self.program.source_map.location(pc)
            place = f"{location.file}:{location.line}" if location else None
            if place is not None and place != shown:
                yield f"  ; {place}"
                shown = place
            yield f"  {pc:6}  {self.instruction(pc):<44}{self._live_note(pc, function)}"

    def _live_note(self, pc: int, function: FunctionRow) -> str:
        live = self.live_slots(pc, function)
        return "; live: all" if live is None else "; live: " + " ".join(f"r{slot}" for slot in live)

    def instruction(self, pc: int) -> str:
        op, *fields, x, y = self.code[pc]
        opcode = OPCODE_LIST[op]
        parts = [self._register(kind, value) for kind, value in zip(opcode.operands, fields, strict=True)]
        parts.append(self._immediate(opcode, x, y))
        return f"{opcode.name:<12} {', '.join(part for part in parts if part)}".rstrip()

    @staticmethod
    def _register(kind: str, value: int) -> str:
        if kind == "NONE":
            return ""
        if kind == "NUM":
            return str(value) if value else ""
        if value == constants()["NO_SLOT"]:
            return "-"
        return f"r{value}"

    def _immediate(self, opcode: Opcode, x: int, y: int) -> str:
        signed_x, signed_y = (value - (1 << 32) if value >= SHORT else value for value in (x, y))
        match opcode.immediate:
            case "NONE":
                return ""
            case "IMM":
                value = x | y << 32
                return hex(value) if value >= SHORT else str(value)
            case "JUMP":
                return f"{signed_y} -> {x}" if "I" in opcode.name[1:] else f"-> {x}"
            case "FUNC":
                return self.functions[x].name
            case "TABLE":
                return self._table(x)
            case "SLOT":
                return f"r{x}"
            case "OFFSET":
                return f"[{signed_x:+}]" + (f" {signed_y}" if opcode.name.startswith("STOREI") else "")
            case _:
                return fault_kind(x)[0] if opcode.name in ("TRAP", "TRAPV") else f"{signed_x}, {signed_y}"

    def _table(self, index: int) -> str:
        first, count, default, _ = TABLE.unpack_from(self.sections["TABLES"], index * TABLE.size)
        rows = [TARGET.unpack_from(self.sections["TARGETS"], (first + k) * TARGET.size) for k in range(count)]
        return " ".join(f"{value}->{pc}" for value, pc, _ in rows) + f" else->{default}"
