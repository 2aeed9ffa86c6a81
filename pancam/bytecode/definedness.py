# SPDX-License-Identifier: Apache-2.0
"""Which loads must find initialised memory, for --uninit, and which ones only copy what they find.

A load of the user's is checked when it reads a scalar as what the program declared it: what Clang loads to pass a
struct in registers, or to put a bit-field into its unit, has bytes that nobody needs to have written. The library
reads whatever it is given; where it moves values on, the marks of the bytes move with them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pancam.ir.model import DebugRecord
from pancam.ir.types import ArrayType, StructType, VectorType
from pancam.ir.values import ConstantInt, Local
from pancam.isa import constants
from pancam.resources import guest_sources

if TYPE_CHECKING:
    from pancam.bytecode.function import FunctionLowering
    from pancam.ir.model import Function, Instruction, Module
    from pancam.ir.types import Type
    from pancam.ir.values import Value


def is_library(function: Function, module: Module) -> bool:
    """Whether a function is pancam's own."""
    folder = f"{guest_sources()}/"
    for block in function.blocks.values():
        for instruction in block.instructions:
            place = module.source_location(instruction.location)
            if place is not None and place.file:
                return place.file.startswith(folder)
    return False


def check_flags(lowering: FunctionLowering, instruction: Instruction) -> int:
    """ACCESS_CHECKED for a load that must find what was written; ACCESS_PARTLY too where a part of it is enough."""
    if lowering.is_library or not _is_scalar(lowering, instruction.type) or _is_insertion(lowering, instruction):
        return 0
    if _is_result(lowering, instruction):
        return 0
    names, declared = constants(), _declared_type(lowering, instruction.operands[0])
    if declared is not None and not _is_union(declared):
        return names["ACCESS_CHECKED"] if _same_size(lowering, declared, instruction.type) else 0
    if (instruction.align or 1) < lowering.layout.size_align(instruction.type)[1]:
        return 0  # the parts of a struct that is passed in a register
    passed = all(user.opcode in ("call", "ret") for user in lowering.users.get(_name(instruction), ()))
    if passed and declared is not None:
        return 0
    return names["ACCESS_CHECKED"] | (names["ACCESS_PARTLY"] if passed else 0)


def is_copy(lowering: FunctionLowering, instruction: Instruction) -> bool:
    """Whether a load of the library only feeds a store that follows: what is not initialised stays so."""
    if not lowering.is_library or not _is_scalar(lowering, instruction.type):
        return False
    if lowering.layout.size(instruction.type) > lowering.layout.pointer_bytes:
        return False
    users = lowering.users.get(_name(instruction), [])
    assert lowering.block is not None
    return (
        len(users) == 1
        and users[0].opcode == "store"
        and users[0].operands[0] == instruction.result
        and users[0].operands[1] != instruction.result
        and any(item is users[0] for item in lowering.block.items)
    )


def _name(instruction: Instruction) -> str:
    assert instruction.result is not None
    return instruction.result.name


def _is_scalar(lowering: FunctionLowering, type_: Type) -> bool:
    if isinstance(type_, (StructType, ArrayType, VectorType)):
        return False
    scalars = lowering.layout.scalars(type_)
    return len(scalars) == 1 and scalars[0].bits % 8 == 0 and (scalars[0].bits // 8).bit_count() == 1


def _same_size(lowering: FunctionLowering, declared: Type, loaded: Type) -> bool:
    return _is_scalar(lowering, declared) and lowering.layout.size(declared) == lowering.layout.size(loaded)


def _declared_type(lowering: FunctionLowering, address: Value) -> Type | None:
    """The type of what lies at an address, as far as the code says; None where it is just a pointer.

    Which member of a union is meant it does not say: the type is then the union.
    """
    made = lowering.definitions.get(address.name) if isinstance(address, Local) else None
    if made is None:
        return None
    if made.opcode == "alloca":
        return made.source_type
    if made.opcode != "getelementptr":
        return None
    reached = made.source_type
    for index in made.operands[2:]:
        if _is_union(reached):
            break
        if isinstance(reached, ArrayType):
            reached = reached.element
        elif isinstance(reached, StructType) and isinstance(index, ConstantInt):
            if reached.name is None:
                return reached  # two registers that a struct is passed in
            reached = reached.elements[index.value]
    return reached


def _is_union(type_: Type | None) -> bool:
    return isinstance(type_, StructType) and (type_.name or "").startswith("union.")


def _is_insertion(lowering: FunctionLowering, load: Instruction) -> bool:
    """A bit-field is written: its unit is loaded, cleared in part, filled, and stored back."""
    made = lowering.definitions.get(_operand_name(load.operands[0]))
    if made is not None and made.opcode == "alloca" and not isinstance(made.source_type, StructType):
        return False
    clears = [u for u in lowering.users.get(_name(load), ()) if u.opcode == "and" and _has_constant(u)]
    return any(_is_stored_back(lowering, clear, load) for clear in clears)


def _is_stored_back(lowering: FunctionLowering, clear: Instruction, load: Instruction) -> bool:
    users = lowering.users.get(_name(clear), ())
    results = {_name(clear), *(_name(user) for user in users if user.opcode == "or")}
    stores = [user for name in results for user in lowering.users.get(name, ()) if user.opcode == "store"]
    return any(s.operands[1] == load.operands[0] and _operand_name(s.operands[0]) in results for s in stores)


def _is_result(lowering: FunctionLowering, load: Instruction) -> bool:
    """Clang keeps what a function returns in a variable of its own; one that returns nothing may, if nobody asks."""
    made = lowering.definitions.get(_operand_name(load.operands[0]))
    if made is None or made.opcode != "alloca" or any(u.opcode != "ret" for u in lowering.users.get(_name(load), ())):
        return False
    items = (item for block in lowering.function.blocks.values() for item in block.items)
    return not any(isinstance(item, DebugRecord) and item.value == made.result for item in items)


def _has_constant(instruction: Instruction) -> bool:
    return any(isinstance(operand, ConstantInt) for operand in instruction.operands)


def _operand_name(value: Value) -> str:
    return value.name if isinstance(value, Local) else ""
