# SPDX-License-Identifier: Apache-2.0
"""Lowers calls: arguments go into the first slots of the callee's frame, variable ones into an area on the stack.

A callee that is not code of the program may be a machine instruction (machine_calls.py), an intrinsic
(intrinsics.py) or a function of math.h that the machine computes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pancam.bytecode.code import NO_UNIT, Imm, Inst, Operand
from pancam.bytecode.escape import INLINE_COPY_BYTES
from pancam.bytecode.function import Address
from pancam.bytecode.intrinsics import lower_intrinsic
from pancam.bytecode.layout import align_up
from pancam.bytecode.lower_memory import copy_bytes, pointer, store_value
from pancam.bytecode.machine_calls import MACHINE_CALLS, lower_math_call
from pancam.ir.types import VOID
from pancam.ir.values import GlobalRef, InlineAsm
from pancam.isa import faults, math_functions

if TYPE_CHECKING:
    from pancam.bytecode.function import FunctionLowering, Handler
    from pancam.ir.model import Call, Function, Instruction
    from pancam.ir.types import Type
    from pancam.ir.values import Value

RESULT_SHIFT = 16
HIDDEN_ARGUMENT = 1


# Assembly that computes nothing: barriers for the compiler and the processor, and hints in waiting loops. Memory is
# sequentially consistent here, so there is nothing left for a barrier to do.
HINTS = {"", "pause", "nop", "rep nop", "mfence", "lfence", "sfence"}


def _is_hint(asm: InlineAsm, instruction: Instruction) -> bool:
    words = " ".join(asm.text.replace(";", " ").split())
    return words in HINTS and instruction.type is VOID


def handle_call(lowering: FunctionLowering, instruction: Instruction) -> None:
    call = instruction.call
    assert call is not None
    callee = call.callee
    name = lowering.symbols.resolve(callee.name) if isinstance(callee, GlobalRef) else None
    if isinstance(callee, InlineAsm) and _is_hint(callee, instruction):
        return
    if name is None:
        _call_pointer(lowering, instruction, call)
        return
    if name.startswith("llvm."):
        lower_intrinsic(lowering, instruction, name)
        return
    function = lowering.symbols.function(name)
    if name in lowering.symbols.undefined:
        raise lowering.symbols.unresolved(name, instruction)
    if function is not None:
        _call_function(lowering, instruction, call, function)
    elif name in MACHINE_CALLS:
        MACHINE_CALLS[name](lowering, instruction)
    elif name in math_functions():
        lower_math_call(lowering, instruction, name)
    elif lowering.symbols.is_weak(name):
        _call_pointer(lowering, instruction, call)  # a null pointer: the fault comes when the call is reached
    else:
        raise lowering.unsupported(f"the function {name} is neither defined nor part of the library")


@dataclass
class _Arguments:
    """The slots of the fixed arguments, how many arguments are fixed, and the stack objects made for this call."""

    slots: list[Operand]
    fixed: int
    objects: list[int]


def _arguments(lowering: FunctionLowering, instruction: Instruction, call: Call) -> _Arguments:
    fixed = len(call.function_type.params) if call.function_type.vararg else len(instruction.operands)
    arguments = _Arguments([], fixed, [])
    for index in range(fixed):
        value, byval = instruction.operands[index], call.argument_attributes[index].byval
        if byval is None:
            arguments.slots.extend(lowering.value(value))
        else:
            arguments.objects.append(_private_copy(lowering, value, byval))
            arguments.slots.append(arguments.objects[-1])
    return arguments


def _private_copy(lowering: FunctionLowering, source: Value, type_: Type) -> int:
    """A struct passed by value: the callee gets the address of a copy in this frame."""
    copy = lowering.frame_object(*lowering.layout.size_align(type_))
    copy_memory(lowering, Address(copy, 0), lowering.address(source), lowering.layout.size(type_))
    return copy


def copy_memory(lowering: FunctionLowering, target: Address, source: Address, size: int) -> None:
    """Copy a constant number of bytes, inline when there are few."""
    if size <= INLINE_COPY_BYTES:
        copy_bytes(lowering, target, source, size)
        return
    call_library(lowering, "memcpy", [pointer(lowering, target), pointer(lowering, source), Imm(size)])


def call_library(lowering: FunctionLowering, name: str, arguments: list[Operand]) -> Operand:
    """Call a function of the guest library that takes and returns single slots."""
    function = lowering.symbols.function(name)
    if function is None:
        raise lowering.unsupported(f"the library function {name} is missing")
    result = lowering.emitter.unit()
    _emit_call(lowering, function, arguments, result)
    return result


def _emit_call(lowering: FunctionLowering, function: Function, arguments: list[Operand], result: int) -> Inst:
    outgoing = _pass(lowering, arguments)
    inst = lowering.emitter.emit("CALL", result, x=lowering.symbols.function_index(function.name))
    inst.extra_reads = outgoing
    return inst


def _pass(lowering: FunctionLowering, arguments: list[Operand]) -> tuple[int, ...]:
    units = tuple(lowering.code.outgoing_unit(index) for index in range(len(arguments)))
    for unit, argument in zip(units, arguments, strict=True):
        lowering.emitter.assign(unit, argument)
    return units


def _call_function(lowering: FunctionLowering, instruction: Instruction, call: Call, function: Function) -> None:
    arguments = _arguments(lowering, instruction, call)
    wanted = sum(lowering.layout.slot_count(param.type) for param in function.params)
    if len(arguments.slots) < wanted:
        lowering.emitter.trap(faults()["CALL_MISMATCH"][0])
        lowering.start_block(lowering.new_label("after"))
        lowering.define_if_used(instruction)
        return
    slots_given = arguments.slots[:wanted]  # a definition without a prototype ignores arguments beyond its parameters
    if function.variadic:
        slots_given.append(_variable_arguments(lowering, instruction, call, arguments))
    slots = lowering.layout.slot_count(instruction.type)
    given = lowering.layout.slot_count(function.type.result)
    result = lowering.emitter.unit() if given == slots == 1 else NO_UNIT
    inst = _emit_call(lowering, function, slots_given, result)
    _after_call(lowering, arguments)
    if slots != given:
        lowering.define_if_used(instruction)
    else:
        _take_results(lowering, instruction, inst, result, slots)


def _call_pointer(lowering: FunctionLowering, instruction: Instruction, call: Call) -> None:
    code_pointer = lowering.unit(call.callee)
    arguments = _arguments(lowering, instruction, call)
    count, hidden = len(arguments.slots), 0
    if call.function_type.vararg:
        arguments.slots.append(_variable_arguments(lowering, instruction, call, arguments))
        hidden = HIDDEN_ARGUMENT
    slots = lowering.layout.slot_count(instruction.type)
    outgoing = _pass(lowering, arguments.slots)
    result = lowering.emitter.unit() if slots == 1 else NO_UNIT
    inst = lowering.emitter.emit("CALLPTR", result, 0, code_pointer, count, hidden | slots << RESULT_SHIFT)
    inst.extra_reads = outgoing
    _after_call(lowering, arguments)
    _take_results(lowering, instruction, inst, result, slots)


def _take_results(lowering: FunctionLowering, instruction: Instruction, inst: Inst, result: int, slots: int) -> None:
    if slots == 1:
        if instruction.result is not None:
            lowering.define(instruction, (result,))
        return
    if slots > 1:
        arrived = tuple(lowering.code.outgoing_unit(index) for index in range(slots))
        inst.extra_defines = arrived
        value = lowering.new_value(instruction.type)
        for unit, source in zip(value, arrived, strict=True):
            assert isinstance(unit, int)
            lowering.emitter.assign(unit, source)
        lowering.define(instruction, value)


# --- variable arguments ---


def _variable_arguments(
    lowering: FunctionLowering, instruction: Instruction, call: Call, arguments: _Arguments
) -> Operand:
    """Store the arguments beyond the fixed ones as the ABI lays them out in memory; the address of that area."""
    extra = range(arguments.fixed, len(instruction.operands))
    if not extra:
        return Imm(0)
    area, at = lowering.varargs_area(), 0
    arguments.objects.append(area)
    word = lowering.layout.pointer_bytes
    for index in extra:
        value = instruction.operands[index]
        byval = call.argument_attributes[index].byval
        size, align = lowering.layout.size_align(byval or value.type)
        at = align_up(at, max(align, word) if word == 8 else word)  # noqa: PLR2004 - i386 aligns to words only
        if byval is not None:
            copy_memory(lowering, Address(area, at), lowering.address(value), size)
        else:
            store_value(lowering, value.type, lowering.value(value), Address(area, at))
        at += align_up(size, word)
    lowering.varargs_bytes = max(lowering.varargs_bytes, at)
    return area


def _after_call(lowering: FunctionLowering, arguments: _Arguments) -> None:
    """The objects made for the call are dead after it: what differs only there is the same state."""
    for made in arguments.objects:
        lowering.emitter.emit("CLEAR", made)


HANDLERS: dict[str, Handler] = {"call": handle_call}
