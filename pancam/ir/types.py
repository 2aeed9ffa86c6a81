# SPDX-License-Identifier: Apache-2.0
"""LLVM types as interned immutable objects: two equal types are the same object, so `is` compares them.

Build them only with the functions at the end of this file; the parser and the lowering both do.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TypeAlias


@dataclass(frozen=True, slots=True, eq=False)
class IntType:
    width: int

    def __str__(self) -> str:
        return f"i{self.width}"


@dataclass(frozen=True, slots=True, eq=False)
class FloatType:
    """`kind` is half, bfloat, float, double, x86_fp80, fp128 or ppc_fp128; `width` counts the bits of the format."""

    kind: str
    width: int

    def __str__(self) -> str:
        return self.kind


@dataclass(frozen=True, slots=True, eq=False)
class PointerType:
    addrspace: int

    def __str__(self) -> str:
        return f"ptr addrspace({self.addrspace})" if self.addrspace else "ptr"


@dataclass(frozen=True, slots=True, eq=False)
class VoidType:
    def __str__(self) -> str:
        return "void"


@dataclass(frozen=True, slots=True, eq=False)
class LabelType:
    def __str__(self) -> str:
        return "label"


@dataclass(frozen=True, slots=True, eq=False)
class MetadataType:
    def __str__(self) -> str:
        return "metadata"


@dataclass(frozen=True, slots=True, eq=False)
class OtherType:
    """A type that C programs do not reach (token, x86_amx, target extension types)."""

    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True, eq=False)
class ArrayType:
    count: int
    element: Type

    def __str__(self) -> str:
        return f"[{self.count} x {self.element}]"


@dataclass(frozen=True, slots=True, eq=False)
class VectorType:
    count: int
    element: Type
    scalable: bool

    def __str__(self) -> str:
        prefix = "vscale x " if self.scalable else ""
        return f"<{prefix}{self.count} x {self.element}>"


@dataclass(frozen=True, slots=True, eq=False)
class StructType:
    """`name` is None for a literal struct; a named struct is the same object everywhere in one module."""

    name: str | None
    elements: tuple[Type, ...]
    packed: bool
    opaque: bool

    def __str__(self) -> str:
        if self.name is not None:
            return f"%{self.name}"
        inner = "{ " + ", ".join(map(str, self.elements)) + " }" if self.elements else "{}"
        return f"<{inner}>" if self.packed else inner


@dataclass(frozen=True, slots=True, eq=False)
class FunctionType:
    result: Type
    params: tuple[Type, ...]
    vararg: bool

    def __str__(self) -> str:
        params = [str(param) for param in self.params] + (["..."] if self.vararg else [])
        return f"{self.result} ({', '.join(params)})"


Type: TypeAlias = (
    IntType
    | FloatType
    | PointerType
    | VoidType
    | LabelType
    | MetadataType
    | OtherType
    | ArrayType
    | VectorType
    | StructType
    | FunctionType
)

VOID = VoidType()
LABEL = LabelType()
METADATA = MetadataType()

FLOAT_TYPES: dict[str, FloatType] = {
    kind: FloatType(kind, width)
    for kind, width in (
        ("half", 16),
        ("bfloat", 16),
        ("float", 32),
        ("double", 64),
        ("x86_fp80", 80),
        ("fp128", 128),
        ("ppc_fp128", 128),
    )
}


# `cache` tells f(1), f(1, False) and f(1, flag=False) apart, so only these positional makers are cached: a second
# object for one type would break comparison by `is`.
_int = cache(IntType)
_pointer = cache(PointerType)
_other = cache(OtherType)
_array = cache(ArrayType)
_vector = cache(VectorType)
_struct = cache(StructType)
_function = cache(FunctionType)


def int_type(width: int) -> IntType:
    return _int(width)


def pointer_type(addrspace: int = 0) -> PointerType:
    return _pointer(addrspace)


def other_type(text: str) -> OtherType:
    return _other(text)


def array_type(count: int, element: Type) -> ArrayType:
    return _array(count, element)


def vector_type(count: int, element: Type, scalable: bool = False) -> VectorType:
    return _vector(count, element, scalable)


def literal_struct_type(elements: tuple[Type, ...], packed: bool = False) -> StructType:
    return _struct(None, elements, packed, False)


def function_type(result: Type, params: tuple[Type, ...], vararg: bool = False) -> FunctionType:
    return _function(result, params, vararg)


PTR = pointer_type()
I1 = int_type(1)
I8 = int_type(8)
I32 = int_type(32)
I64 = int_type(64)
