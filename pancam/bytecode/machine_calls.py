# SPDX-License-Identifier: Apache-2.0
"""Calls that are machine instructions: the operations of vm_c/guest/machine.h, setjmp, and functions of math.h."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pancam.bytecode.code import SlotValue
from pancam.bytecode.layout import SLOT_BITS
from pancam.ir.values import ConstantInt
from pancam.isa import constants, faults, math_functions

if TYPE_CHECKING:
    from pancam.bytecode.function import FunctionLowering, Handler
    from pancam.ir.model import Instruction


def _plain(name: str) -> Handler:
    """One instruction whose operands are the call's arguments, in order."""

    def lower(lowering: FunctionLowering, instruction: Instruction) -> None:
        units = [lowering.unit(operand) for operand in instruction.operands]
        lowering.emitter.emit(name, *units)

    return lower


def _valued(name: str) -> Handler:
    """Likewise, with a result."""

    def lower(lowering: FunctionLowering, instruction: Instruction) -> None:
        units = [lowering.unit(operand) for operand in instruction.operands]
        result = lowering.emitter.unit()
        lowering.emitter.emit(name, result, *units)
        lowering.define_if_used(instruction, result)

    return lower


def _allocate(flag: str) -> Handler:
    """A new heap object with something special about it."""

    def lower(lowering: FunctionLowering, instruction: Instruction) -> None:
        size, alignment = (lowering.unit(operand) for operand in instruction.operands)
        result = lowering.emitter.unit()
        lowering.emitter.emit("ALLOC", result, size, alignment, constants()[flag])
        lowering.define_if_used(instruction, result)

    return lower


def _ending(name: str) -> Handler:
    """Likewise, for calls that do not return: what follows is never executed."""

    def lower(lowering: FunctionLowering, instruction: Instruction) -> None:
        _plain(name)(lowering, instruction)
        lowering.emitter.trap(faults()["UNREACHABLE"][0])
        lowering.start_block(lowering.new_label("after"))
        lowering.define_if_used(instruction)

    return lower


def _await(mode: str, ending: str = "AWAIT_FOREVER") -> Handler:
    def lower(lowering: FunctionLowering, instruction: Instruction) -> None:
        word, *values = (lowering.operand(operand) for operand in instruction.operands)
        pointer = lowering.emitter.materialise(word)
        group = lowering.emitter.group((*values, values[-1])[:3])
        result = lowering.emitter.unit()
        lowering.emitter.emit("AWAIT", result, pointer, group, constants()[mode], constants()[ending])
        lowering.define_if_used(instruction, result)

    return lower


def _note(lowering: FunctionLowering, instruction: Instruction) -> None:
    number, condition = instruction.operands
    assert isinstance(number, ConstantInt)
    lowering.emitter.emit("NOTE", lowering.unit(condition), x=number.value)


def _setjmp(lowering: FunctionLowering, instruction: Instruction) -> None:
    lowering.code.keeps_everything = True
    buffer, result = lowering.unit(instruction.operands[0]), lowering.emitter.unit()
    lowering.emitter.emit("SETJMP", result, buffer)
    lowering.define_if_used(instruction, result)


def math_value(lowering: FunctionLowering, name: str, arguments: list[SlotValue]) -> SlotValue:
    """The slots of function `name` of math.h applied to scalars."""
    number, arity = math_functions()[name]
    wide = len(arguments[0]) > 1
    units = [lowering.emitter.group(s) if wide else lowering.emitter.materialise(s[0]) for s in arguments[:arity]]
    result = lowering.code.new_unit(2 if wide else 1)
    lowering.emitter.emit("MATH80" if wide else "MATH", result, units[0], units[-1], number)
    return tuple(range(result, result + (2 if wide else 1)))


def lower_math_call(lowering: FunctionLowering, instruction: Instruction, name: str) -> None:
    """A function of vm_c/math.def, computed by the machine."""
    _, arity = math_functions()[name]
    bits = {"f": 32, "l": 80}.get(name[-1] if name[:-1] in math_functions() else "", SLOT_BITS)
    types = {lowering.layout.scalar_bits(operand.type) for operand in instruction.operands}
    if len(instruction.operands) != arity or types != {bits}:
        raise lowering.unsupported(f"{name} is called with a wrong prototype")
    arguments = [lowering.value(operand) for operand in instruction.operands]
    lowering.define_if_used(instruction, *math_value(lowering, name, arguments))


MACHINE_CALLS: dict[str, Handler] = {
    "__pancam_self": _valued("SELF"),
    "__pancam_atomic_begin": _plain("ATOMIC_BEGIN"),
    "__pancam_atomic_end": _plain("ATOMIC_END"),
    "__pancam_await_either": _await("AWAIT_EITHER"),
    "__pancam_await_not": _await("AWAIT_NOT"),
    "__pancam_await_either_timed": _await("AWAIT_EITHER", "AWAIT_TIMED"),
    "__pancam_await_not_timed": _await("AWAIT_NOT", "AWAIT_TIMED"),
    "__pancam_await_either_spurious": _await("AWAIT_EITHER", "AWAIT_SPURIOUS"),
    "__pancam_choose": _valued("CHOOSE"),
    "__pancam_note": _note,
    "__pancam_spawn": _plain("SPAWN"),
    "__pancam_thread_end": _ending("THREAD_END"),
    "__pancam_exit": _ending("EXIT"),
    "__pancam_abort": _ending("ABORT"),
    "__pancam_fault": _ending("FAULT"),
    "__pancam_assume": _plain("ASSUME"),
    "__pancam_alloc": _valued("ALLOC"),
    "__pancam_alloc_zeros": _allocate("ALLOC_INITIALISED"),
    "__pancam_alloc_hidden": _allocate("ALLOC_HIDDEN"),
    "__pancam_free": _plain("FREE"),
    "__pancam_object_size": _valued("OBJSIZE"),
    "__pancam_output": _plain("OUTPUT"),
    **dict.fromkeys(("setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp", "__sigsetjmp_cancel"), _setjmp),
    **dict.fromkeys(("longjmp", "_longjmp", "siglongjmp"), _ending("LONGJMP")),
}
