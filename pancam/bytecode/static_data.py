# SPDX-License-Identifier: Apache-2.0
"""Variables with a fixed place: their addresses, their initial bytes, and the objects that hold the command line."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from pancam.bytecode.layout import align_up
from pancam.errors import UnsupportedError
from pancam.ir.types import StructType
from pancam.ir.values import (
    BlockAddress,
    ConstantAggregate,
    ConstantExpr,
    ConstantFloat,
    ConstantNull,
    ConstantPoison,
    ConstantString,
    ConstantUndef,
    ConstantZero,
)

if TYPE_CHECKING:
    from pancam.bytecode.symbols import Symbols
    from pancam.ir.values import Value

GRANULE = 16
ARGUMENTS = "__pancam_arguments"


class LabelPatch(NamedTuple):
    """A number in a variable's bytes that is known only when the code is laid out."""

    offset: int
    width: int
    number: int
    plus: tuple[BlockAddress, ...]
    minus: tuple[BlockAddress, ...]


@dataclass
class StaticObject:
    """A variable with a fixed place.

    `data` are its initial bytes; `labels` are addresses of blocks, or their differences, that go into the bytes once
    the code is laid out.
    """

    name: str
    size: int
    align: int
    is_constant: bool
    data: bytes = b""
    labels: list[LabelPatch] = field(default_factory=list)
    start: int = 0
    address: int = 0


def ids_of(size: int, shift: int) -> int:
    """How many object ids an object of `size` bytes owns."""
    return 1 + (size >> shift)


def place_objects(objects: list[StaticObject], next_id: int, start: int, shift: int) -> tuple[int, int]:
    """Give the objects addresses and places one after the other; the id and the place that are free behind them."""
    for obj in objects:
        obj.start = start = align_up(start, max(obj.align, GRANULE))
        obj.address = next_id << shift
        start += obj.size
        next_id += ids_of(obj.size, shift)
    return next_id, start


def argument_objects(arguments: list[str], pointer_bytes: int) -> list[StaticObject]:
    """Argc and argv, the pointers, and one object for each string."""
    texts = [argument.encode(errors="surrogateescape") + b"\0" for argument in arguments]
    head = StaticObject(ARGUMENTS, 2 * pointer_bytes, pointer_bytes, is_constant=False)
    vector = StaticObject("argv", (len(texts) + 1) * pointer_bytes, pointer_bytes, is_constant=False)
    strings = [StaticObject(f"argv[{i}]", len(t), 1, is_constant=False, data=t) for i, t in enumerate(texts)]
    return [head, vector, *strings]


def link_arguments(objects: list[StaticObject], pointer_bytes: int) -> None:
    """Fill in the pointers between the argument objects once they have addresses."""
    head, vector, *strings = objects
    head.data = b"".join(n.to_bytes(pointer_bytes, "little") for n in (len(strings), vector.address))
    vector.data = b"".join(s.address.to_bytes(pointer_bytes, "little") for s in strings) + bytes(pointer_bytes)


class DataWriter:
    """Writes the initial bytes of a variable from its initialiser."""

    def __init__(self, symbols: Symbols, obj: StaticObject) -> None:
        self.symbols = symbols
        self.obj = obj
        self.buffer = bytearray(obj.size)

    def write(self, value: Value) -> None:
        self._put(value, 0)
        self.obj.data = bytes(self.buffer)

    def _put(self, value: Value, at: int) -> None:

        layout = self.symbols.layout
        match value:
            case ConstantZero() | ConstantNull() | ConstantUndef() | ConstantPoison():
                return
            case ConstantString():
                self.buffer[at : at + len(value.data)] = value.data
            case ConstantFloat():
                size = (value.type.width + 7) // 8
                self.buffer[at : at + size] = value.bits.to_bytes(size, "little")
            case ConstantAggregate():
                self._put_members(value, at)
            case _:
                size = (layout.scalar_bits(value.type) + 7) // 8
                number = self.symbols.try_fold(value)
                if number is None:
                    self.obj.labels.append(self._label_patch(value, at, size))
                else:
                    self.buffer[at : at + size] = (number & ((1 << 8 * size) - 1)).to_bytes(size, "little")

    def _label_patch(self, value: Value, at: int, size: int) -> LabelPatch:
        number, plus, minus = self._linear(value)
        return LabelPatch(at, size, number, plus, minus)

    def _linear(self, value: Value) -> tuple[int, tuple[BlockAddress, ...], tuple[BlockAddress, ...]]:
        """A constant as a number plus and minus addresses of blocks."""
        number = self.symbols.try_fold(value)
        if number is not None:
            return number, (), ()
        if isinstance(value, BlockAddress):
            return 0, (value,), ()
        if isinstance(value, ConstantExpr) and value.op in ("ptrtoint", "inttoptr", "trunc", "bitcast", "ptrtoaddr"):
            return self._linear(value.operands[0])
        if isinstance(value, ConstantExpr) and value.op in ("add", "sub"):
            (n, plus, minus), (m, more, less) = (self._linear(operand) for operand in value.operands)
            if value.op == "add":
                return n + m, plus + more, minus + less
            return n - m, plus + less, minus + more
        raise UnsupportedError(f"the initialiser of {self.obj.name} is not supported")

    def _put_members(self, value: ConstantAggregate, at: int) -> None:
        layout = self.symbols.layout
        if isinstance(value.type, StructType):
            for index, element in enumerate(value.elements):
                self._put(element, at + layout.field_offset(value.type, index))
            return
        stride = layout.size(layout.member_type(value.type, 0))
        for index, element in enumerate(value.elements):
            self._put(element, at + index * stride)
