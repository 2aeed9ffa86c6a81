# SPDX-License-Identifier: Apache-2.0
"""Values that instructions and initialisers use: locals, globals and constants.

Every value has a `type`. Values compare by content where that is cheap (locals, numbers), so they may be dict keys.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from pancam.ir.types import METADATA, PTR, ArrayType, FloatType, IntType, Type


@dataclass(frozen=True, slots=True)
class Local:
    """A value of the current function: a parameter or the result of an instruction. `name` has no `%`."""

    name: str
    type: Type

    def __str__(self) -> str:
        return f"%{self.name}"


@dataclass(frozen=True, slots=True)
class GlobalRef:
    """The address of a function, variable, alias or ifunc; look `name` (no `@`) up in the module."""

    name: str
    type: Type = PTR

    def __str__(self) -> str:
        return f"@{self.name}"


@dataclass(frozen=True, slots=True)
class ConstantInt:
    """`value` is as printed, thus signed (i1 true is 1); mask it with the width to get the bits."""

    type: IntType
    value: int


@dataclass(frozen=True, slots=True)
class ConstantFloat:
    """`bits` is the number in the format of its own type: 16, 32, 64, 80 or 128 bits."""

    type: FloatType
    bits: int


@dataclass(frozen=True, slots=True)
class ConstantNull:
    type: Type


@dataclass(frozen=True, slots=True)
class ConstantUndef:
    type: Type


@dataclass(frozen=True, slots=True)
class ConstantPoison:
    type: Type


@dataclass(frozen=True, slots=True)
class ConstantZero:
    """`zeroinitializer` of an array, struct or vector."""

    type: Type


@dataclass(frozen=True, slots=True)
class ConstantAggregate:
    """A struct, array or vector constant; a splat is already expanded."""

    type: Type
    elements: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class ConstantString:
    """An array of i8 written c"..."; `data` has exactly the bytes of the array, the final NUL included."""

    type: ArrayType
    data: bytes


@dataclass(frozen=True, slots=True)
class ConstantExpr:
    """A constant expression.

    `op` is getelementptr, a cast (ptrtoint, inttoptr, trunc, bitcast, addrspacecast,
    ptrtoaddr), add, sub, mul, xor, or a vector operation; `source_type` is the source element type of a
    getelementptr. Its indices are operands[1:].
    """

    op: str
    type: Type
    operands: tuple[Value, ...]
    source_type: Type | None = None
    flags: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class BlockAddress:
    """The address of block `block` of function `function`, as `&&label` gives in GNU C."""

    function: str
    block: str
    type: Type = PTR


@dataclass(frozen=True, slots=True)
class InlineAsm:
    """Assembly text used as the callee of a call; flags may hold sideeffect, alignstack, inteldialect, unwind."""

    text: str
    constraints: str
    flags: frozenset[str] = frozenset()
    type: Type = PTR


@dataclass(frozen=True, slots=True)
class MetadataValue:
    """A metadata operand of a call to an intrinsic, as its text."""

    text: str
    type: Type = METADATA


Constant: TypeAlias = (
    GlobalRef
    | ConstantInt
    | ConstantFloat
    | ConstantNull
    | ConstantUndef
    | ConstantPoison
    | ConstantZero
    | ConstantAggregate
    | ConstantString
    | ConstantExpr
    | BlockAddress
)
Value: TypeAlias = Local | Constant | InlineAsm | MetadataValue
