# SPDX-License-Identifier: Apache-2.0
"""Which objects another thread can never get to know: their address is only ever used to access them.

Such a stack object may come and go unnoticed, and accesses to such a thread-local variable are nobody else's business.
Whatever is not obviously harmless (a call, a store of the address, a phi) counts as an escape.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pancam.bytecode.promote import instructions_of, is_lifetime_marker, used_values
from pancam.ir.values import ConstantExpr, ConstantInt, GlobalRef, Local

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pancam.ir.model import Function, Instruction
    from pancam.ir.values import Value

ADDRESS_PLACE = {"load": 0, "store": 1, "atomicrmw": 0, "cmpxchg": 0}
COPIES = ("llvm.memcpy.", "llvm.memmove.", "llvm.memset.")
INLINE_COPY_BYTES = 128  # larger copies call the library's loop
THREAD_LOCAL_ADDRESS = "llvm.threadlocal.address"


def escaping_locals(function: Function) -> set[str]:
    """The values of the function whose address may leave it; small copies are plain accesses."""
    instructions = instructions_of(function)
    escaped: set[str] = set()
    changed = True
    while changed:
        changed = False
        for instruction in instructions:
            for place, value in enumerate(used_values(instruction)):
                for name in _locals_in(value):
                    if name not in escaped and not _stays(instruction, place, escaped):
                        escaped.add(name)
                        changed = True
    return escaped


def _locals_in(value: Value) -> Iterable[str]:
    return (value.name,) if isinstance(value, Local) else ()


def _stays(instruction: Instruction, place: int, escaped: set[str]) -> bool:
    """Whether the use of an address at this place tells it to nobody."""
    if ADDRESS_PLACE.get(instruction.opcode) == place or instruction.opcode == "icmp":
        return True
    if instruction.opcode == "getelementptr" and place == 0:
        return instruction.result is not None and instruction.result.name not in escaped
    if instruction.opcode == "getelementptr" or is_lifetime_marker(instruction):
        return True
    name = callee_name(instruction)
    if name.startswith(THREAD_LOCAL_ADDRESS):
        return instruction.result is not None and instruction.result.name not in escaped
    if name.startswith(COPIES):
        size = instruction.operands[2]
        return isinstance(size, ConstantInt) and size.value <= INLINE_COPY_BYTES and place < len(instruction.operands)
    return False


def callee_name(instruction: Instruction) -> str:
    """The name of the function that is called; empty if there is none, or it is not known."""
    call = instruction.call
    return call.callee.name if call is not None and isinstance(call.callee, GlobalRef) else ""


def root_name(value: Value, definitions: dict[str, Instruction]) -> str | None:
    """The global variable that an address is computed from by constant or variable steps alone."""
    while True:
        if isinstance(value, GlobalRef):
            return value.name
        if isinstance(value, ConstantExpr) and value.op == "getelementptr":
            value = value.operands[0]
        elif isinstance(value, Local) and value.name in definitions:
            definition = definitions[value.name]
            if definition.opcode != "getelementptr" and not callee_name(definition).startswith(THREAD_LOCAL_ADDRESS):
                return None
            value = definition.operands[0]
        else:
            return None


def private_thread_locals(functions: Iterable[Function], candidates: set[str]) -> set[str]:
    """The thread-local variables among `candidates` whose address no function gives away."""
    private = set(candidates)
    for function in functions:
        if not private:
            break
        if function.blocks and _mentions(function, private):
            private -= _given_away(function, private)
    return private


def _mentions(function: Function, names: set[str]) -> bool:
    return any(
        name in names
        for instruction in instructions_of(function)
        for value in used_values(instruction)
        for name in globals_in(value)
    )


def globals_in(value: Value) -> list[str]:
    """The names of all global variables and functions in a constant."""
    if isinstance(value, GlobalRef):
        return [value.name]
    if isinstance(value, ConstantExpr):
        return [name for operand in value.operands for name in globals_in(operand)]
    elements = getattr(value, "elements", ())
    return [name for element in elements for name in globals_in(element)]


def _given_away(function: Function, names: set[str]) -> set[str]:
    escaped = escaping_locals(function)
    found: set[str] = set()
    for instruction in instructions_of(function):
        for place, value in enumerate(used_values(instruction)):
            mentioned = names.intersection(globals_in(value))
            if mentioned and (root_name(value, {}) is None or not _stays(instruction, place, escaped)):
                found |= mentioned
    return found
