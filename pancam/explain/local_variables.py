# SPDX-License-Identifier: Apache-2.0
"""The variables of active functions: which are known at a pc, and what they hold, in registers or in memory.

The places come from LLVM's debug records; where such a record needs arithmetic, it is a DWARF expression.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pancam.explain.c_types import AGGREGATES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pancam.explain.c_types import CTypes
    from pancam.explain.code_view import CodeView, Place
    from pancam.vm.machine import Frame, Machine

MASK = (1 << 64) - 1
SLOT_BYTES = 8
BINARY: dict[str, Callable[[int, int], int]] = {
    "DW_OP_plus": operator.add,
    "DW_OP_minus": operator.sub,
    "DW_OP_mul": operator.mul,
    "DW_OP_and": operator.and_,
    "DW_OP_or": operator.or_,
    "DW_OP_xor": operator.xor,
    "DW_OP_shl": lambda value, count: value << (count & 63),
    "DW_OP_shr": lambda value, count: value >> (count & 63),
}
UNARY: dict[str, Callable[[int], int]] = {"DW_OP_neg": operator.neg, "DW_OP_not": operator.invert}


@dataclass(frozen=True, slots=True)
class Located:
    """An object with its bytes; `pointer` says where it lies, unless it is in registers. `bits` as in Leaf."""

    type: str
    data: bytes
    pointer: int | None = None
    bits: tuple[int, int] | None = None


def address_of(place: dict[str, Any]) -> tuple[list[int], list[int | str]] | None:
    """The slots, and the expression over them, that make the address of a variable in memory; None: it is in none."""
    expression = list(place.get("expression", []))
    if "pointer" in place:
        return place["pointer"], expression
    if "slots" in place and expression[-1:] == ["DW_OP_deref"]:
        return place["slots"], expression[:-1]
    return None


def evaluate(expression: list[int | str], arguments: list[int]) -> int | None:
    """The number that a DWARF expression makes of the registers; None when it uses what is not known here."""
    stack = [] if "DW_OP_LLVM_arg" in expression else arguments[:1]
    items = iter(expression)
    for item in items:
        if item in ("DW_OP_plus_uconst", "DW_OP_constu", "DW_OP_consts", "DW_OP_LLVM_arg"):
            number = next(items, 0)
            if not isinstance(number, int) or (item == "DW_OP_LLVM_arg" and number >= len(arguments)):
                return None
            if item == "DW_OP_plus_uconst":
                stack.append((stack.pop() + number) & MASK)
            else:
                stack.append(arguments[number] if item == "DW_OP_LLVM_arg" else number & MASK)
        elif item in BINARY and len(stack) > 1:
            second = stack.pop()
            stack.append(BINARY[str(item)](stack.pop(), second) & MASK)
        elif item in UNARY and stack:
            stack.append(UNARY[str(item)](stack.pop()) & MASK)
        elif item != "DW_OP_stack_value":
            return None
    return stack[-1] if stack else None


class LocalVariables:
    """Reads variables out of frames of a machine."""

    def __init__(self, machine: Machine, code: CodeView, types: CTypes) -> None:
        self.machine = machine
        self.code = code
        self.types = types

    def lookup(self, frame: Frame, place: Place, name: str) -> Located | None:
        """The variable of this name that is in scope at a place; the innermost where several are."""
        rows = [row for row, _ in self._known(frame) if row["name"] == name and row["function"] == place.function]
        for row in sorted(rows, key=lambda row: row["line"] <= place.location.line and row["line"], reverse=True):
            found = self._read(frame, row)
            if found is not None:
                return found
        return None

    def declares(self, frame: Frame, place: Place, name: str) -> bool:
        """Whether the function at a place has a variable of this name, known or not: it hides others."""
        rows = self.code.source_map.functions[frame.function]["variables"]
        return any(row["name"] == name and row["function"] == place.function for row in rows)

    def pointers(self, frame: Frame) -> Iterator[tuple[int, str]]:
        """The values of a frame's pointer variables, with the types that they point to."""
        for row, _ in self._known(frame):
            pointee = self.types.pointee(row["type"])
            found = self._read(frame, row) if pointee else None
            if found is not None and pointee:
                yield int.from_bytes(found.data, "little"), pointee

    def _known(self, frame: Frame) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
        for row in self.code.source_map.functions[frame.function]["variables"]:
            for start, end, place in row["places"]:
                if start <= frame.pc < end:
                    yield row, place

    def _read(self, frame: Frame, row: dict[str, Any]) -> Located | None:
        place = next((place for known, place in self._known(frame) if known is row), None)
        if place is None:
            return None
        size, expression, address = self.types.size(row["type"]), place.get("expression", []), address_of(place)
        if address is not None:
            pointer = evaluate(address[1], [frame.slots[slot] for slot in address[0]])
            data = None if pointer is None else self.machine.read_memory(pointer, size)
            return None if data is None else Located(row["type"], data, pointer)
        numbers = place.get("constant") or [frame.slots[slot] for slot in place["slots"]]
        if expression:
            number = evaluate(expression, numbers)
            numbers = [] if number is None else [number]
        if not numbers or size > SLOT_BYTES * len(numbers) or self.types.kind(row["type"]) in AGGREGATES:
            return None
        data = b"".join((number & MASK).to_bytes(SLOT_BYTES, "little") for number in numbers)
        return Located(row["type"], data[:size])
