# SPDX-License-Identifier: Apache-2.0
"""Sizes, alignments and offsets of LLVM types, and their scalar parts, following LLVM's data layout rules.

The lowering sees every first-class value as a flat list of scalars, each kept in one or two 64-bit slots.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from pancam.errors import UnsupportedError
from pancam.ir.types import (
    ArrayType,
    FloatType,
    IntType,
    PointerType,
    StructType,
    Type,
    VectorType,
    VoidType,
)

WIDE = 128
SLOT_BITS = 64


class Scalar(NamedTuple):
    """A scalar part of a type: `kind` is int or float, `bits` its width, `offset` its place in bytes."""

    kind: str
    bits: int
    offset: int

    @property
    def slots(self) -> int:
        return max(1, (self.bits + SLOT_BITS - 1) // SLOT_BITS)

    @property
    def slot_bits(self) -> tuple[int, ...]:
        """How many bits of each slot are in use."""
        whole = self.slots - 1
        return (SLOT_BITS,) * whole + (self.bits - SLOT_BITS * whole,)

    @property
    def store_bytes(self) -> int:
        return (self.bits + 7) // 8


def align_up(offset: int, alignment: int) -> int:
    """The least multiple of the alignment that is not below the offset."""
    return (offset + alignment - 1) // alignment * alignment


@dataclass(eq=False)
class DataLayout:
    """Answers questions about types for one `target datalayout` string."""

    text: str
    pointer_bits: int = 64
    _aligns: dict[tuple[str, int], int] = field(default_factory=dict)
    _sizes: dict[Type, tuple[int, int]] = field(default_factory=dict)
    _scalars: dict[Type, tuple[Scalar, ...]] = field(default_factory=dict)
    _offsets: dict[Type, tuple[int, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._aligns = {("i", 1): 1, ("i", 8): 1, ("i", 16): 2, ("i", 32): 4, ("i", 64): 4, ("f", 32): 4, ("f", 64): 8}
        for part in self.text.split("-"):
            fields = part.split(":")
            letter, number = fields[0][:1], fields[0][1:]
            if letter in ("i", "f") and number.isdigit():
                self._aligns[letter, int(number)] = int(fields[1]) // 8
            elif fields[0] in ("p", "p0"):
                self.pointer_bits = int(fields[1])

    @property
    def pointer_bytes(self) -> int:
        return self.pointer_bits // 8

    def _int_align(self, width: int) -> int:
        widths = sorted(w for letter, w in self._aligns if letter == "i")
        fitting = next((w for w in widths if w >= width), widths[-1])
        return self._aligns["i", fitting]

    def _float_size(self, kind: FloatType) -> tuple[int, int]:
        bytes_ = (kind.width + 7) // 8
        align = self._aligns.get(("f", kind.width), 16 if kind.width > SLOT_BITS else bytes_)
        return align_up(bytes_, align), align

    def _struct_size(self, struct: StructType) -> tuple[int, int]:
        if struct.opaque:
            raise UnsupportedError(f"the size of the opaque type {struct} is not known")
        offset, strictest, offsets = 0, 1, []
        for element in struct.elements:
            size, align = self.size_align(element)
            align = 1 if struct.packed else align
            offset = align_up(offset, align)
            offsets.append(offset)
            offset += size
            strictest = max(strictest, align)
        self._offsets[struct] = tuple(offsets)
        return align_up(offset, strictest), strictest

    def _vector_size(self, vector: VectorType) -> tuple[int, int]:
        if vector.scalable:
            raise UnsupportedError(f"vectors of unknown length ({vector}) are not supported")
        bits = self.scalar_bits(vector.element) * vector.count
        align = 1
        while align * 8 < bits:
            align *= 2
        return align_up((bits + 7) // 8, align), align

    def size_align(self, type_: Type) -> tuple[int, int]:
        """Allocation size and ABI alignment in bytes."""
        known = self._sizes.get(type_)
        if known is None:
            known = self._sizes[type_] = self._compute_size(type_)
        return known

    def _compute_size(self, type_: Type) -> tuple[int, int]:
        match type_:
            case IntType():
                align = self._int_align(type_.width)
                return align_up((type_.width + 7) // 8, align), align
            case PointerType():
                return self.pointer_bytes, self.pointer_bytes
            case FloatType():
                return self._float_size(type_)
            case ArrayType():
                size, align = self.size_align(type_.element)
                return size * type_.count, align
            case VectorType():
                return self._vector_size(type_)
            case StructType():
                return self._struct_size(type_)
            case VoidType():
                return 0, 1
        raise UnsupportedError(f"values of type {type_} are not supported")

    def size(self, type_: Type) -> int:
        return self.size_align(type_)[0]

    def field_offset(self, struct: StructType, index: int) -> int:
        self.size_align(struct)
        return self._offsets[struct][index]

    def scalar_bits(self, type_: Type) -> int:
        """Width in bits of an integer, pointer or floating-point type."""
        if isinstance(type_, (IntType, FloatType)):
            return type_.width
        if isinstance(type_, PointerType):
            return self.pointer_bits
        raise UnsupportedError(f"type {type_} is not a scalar")

    def scalars(self, type_: Type) -> tuple[Scalar, ...]:
        """The scalar parts of a first-class type, in order, with their byte offsets."""
        known = self._scalars.get(type_)
        if known is None:
            known = self._scalars[type_] = tuple(self._flatten(type_))
        return known

    def _flatten(self, type_: Type) -> list[Scalar]:
        match type_:
            case IntType():
                return [Scalar("int", type_.width, 0)]
            case PointerType():
                return [Scalar("int", self.pointer_bits, 0)]
            case FloatType(kind="float" | "double" | "x86_fp80"):
                return [Scalar("float", type_.width, 0)]
            case ArrayType():
                stride = self.size(type_.element)
                return self._repeat(type_.element, [k * stride for k in range(type_.count)])
            case VectorType():
                return self._flatten_vector(type_)
            case StructType():
                self.size_align(type_)
                parts = zip(type_.elements, self._offsets[type_], strict=True)
                return [s._replace(offset=s.offset + at) for element, at in parts for s in self.scalars(element)]
            case VoidType():
                return []
        raise UnsupportedError(f"values of type {type_} are not supported")

    def _flatten_vector(self, vector: VectorType) -> list[Scalar]:
        bits = self.scalar_bits(vector.element)
        self._vector_size(vector)
        # Lanes that are not whole bytes are packed in memory: memory accesses treat those as one integer.
        return self._repeat(vector.element, [k * bits // 8 for k in range(vector.count)])

    def _repeat(self, element: Type, offsets: list[int]) -> list[Scalar]:
        inner = self.scalars(element)
        return [s._replace(offset=s.offset + at) for at in offsets for s in inner]

    def slot_count(self, type_: Type) -> int:
        return sum(s.slots for s in self.scalars(type_))

    def slots_before(self, type_: Type, index: int) -> int:
        """Number of slots of the aggregate's members before member `index`."""
        if isinstance(type_, StructType):
            return sum(self.slot_count(element) for element in type_.elements[:index])
        assert isinstance(type_, (ArrayType, VectorType))
        return self.slot_count(type_.element) * index

    def member_type(self, type_: Type, index: int) -> Type:
        if isinstance(type_, StructType):
            return type_.elements[index]
        assert isinstance(type_, (ArrayType, VectorType))
        return type_.element
