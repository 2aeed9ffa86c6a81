# SPDX-License-Identifier: Apache-2.0
"""Lowers floating point: float and double in one slot, x86_fp80 in two; a vector is worked on lane by lane."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pancam.bytecode.code import Imm, Operand, SlotValue
from pancam.bytecode.lanes import lanes
from pancam.bytecode.layout import SLOT_BITS, Scalar
from pancam.isa import constants

if TYPE_CHECKING:
    from pancam.bytecode.function import FunctionLowering
    from pancam.ir.model import Instruction

EXTENDED = 80


def _in_units(lowering: FunctionLowering, slots: SlotValue) -> int:
    return lowering.emitter.group(slots) if len(slots) > 1 else lowering.emitter.materialise(slots[0])


def _new(lowering: FunctionLowering, slots: int) -> tuple[int, SlotValue]:
    unit = lowering.code.new_unit(slots)
    return unit, tuple(range(unit, unit + slots))


def float_operation(lowering: FunctionLowering, name: str, bits: int, operands: list[SlotValue]) -> SlotValue:
    """Emit `name` + bits over one or two operands."""
    units = [_in_units(lowering, slots) for slots in operands]
    result, value = _new(lowering, 2 if bits == EXTENDED else 1)
    lowering.emitter.emit(f"{name}{bits}", result, *units)
    return value


def evaluate_float_binary(lowering: FunctionLowering, instruction: Instruction) -> SlotValue:
    left, right = (lanes(lowering, operand) for operand in instruction.operands)
    result: list[Operand] = []
    for (scalar, a), (_, b) in zip(left, right, strict=True):
        result.extend(float_operation(lowering, instruction.opcode.upper(), scalar.bits, [a, b]))
    return tuple(result)


def evaluate_fneg(lowering: FunctionLowering, instruction: Instruction) -> SlotValue:
    result: list[Operand] = []
    for scalar, slots in lanes(lowering, instruction.operands[0]):
        if scalar.bits == EXTENDED:
            result.extend(float_operation(lowering, "FNEG", EXTENDED, [slots]))
        else:
            result.append(lowering.emitter.binary("XOR", 64, slots[0], Imm(1 << (scalar.bits - 1))))
    return tuple(result)


def evaluate_fcmp(lowering: FunctionLowering, instruction: Instruction) -> SlotValue:
    predicate = constants()[f"FCMP_{(instruction.predicate or '').upper()}"]
    left, right = (lanes(lowering, operand) for operand in instruction.operands)
    result: list[Operand] = []
    for (scalar, a), (_, b) in zip(left, right, strict=True):
        unit = lowering.emitter.unit()
        units = _in_units(lowering, a), _in_units(lowering, b)
        lowering.emitter.emit(f"FCMP{scalar.bits}", unit, *units, x=predicate)
        result.append(unit)
    return tuple(result)


def evaluate_float_cast(lowering: FunctionLowering, instruction: Instruction) -> SlotValue:
    targets = lowering.layout.scalars(instruction.type)
    result: list[Operand] = []
    for (source, slots), target in zip(lanes(lowering, instruction.operands[0]), targets, strict=True):
        result.extend(CASTS[instruction.opcode](lowering, source, target, slots))
    return tuple(result)


def _resize(lowering: FunctionLowering, source: Scalar, target: Scalar, slots: SlotValue) -> SlotValue:
    name = "FTO80" if target.bits == EXTENDED else "FFROM80" if source.bits == EXTENDED else "FTOF"
    return _convert(lowering, name, (source.bits, target.bits), slots, target.slots)


def _convert(
    lowering: FunctionLowering, name: str, kinds: tuple[int, int], slots: SlotValue, result_slots: int
) -> SlotValue:
    source = _in_units(lowering, slots)
    result, value = _new(lowering, result_slots)
    lowering.emitter.emit(name, result, source, x=kinds[0], y=kinds[1])
    return value


def _from_integer(
    letter: str, lowering: FunctionLowering, source: Scalar, target: Scalar, slots: SlotValue
) -> SlotValue:
    if source.bits > SLOT_BITS:
        if source.bits != 2 * SLOT_BITS and letter == "S":
            slots = (slots[0], lowering.emitter.sign_extend(slots[1], source.bits - SLOT_BITS, SLOT_BITS))
        both = _convert(lowering, f"{letter}128TOF", (128, target.bits), slots, 2)
        return both[: target.slots]
    name = f"{letter}TOF80" if target.bits == EXTENDED else f"{letter}TOF"
    return _convert(lowering, name, (source.bits, target.bits), slots, target.slots)


def _to_integer(letter: str, lowering: FunctionLowering, source: Scalar, target: Scalar, slots: SlotValue) -> SlotValue:
    if target.bits > SLOT_BITS:
        padded = slots if len(slots) == 2 else (slots[0], Imm(0))  # noqa: PLR2004 - both halves of a pair
        low, high = _convert(lowering, f"FTO{letter}128", (source.bits, 128), padded, 2)
        return (low, lowering.emitter.truncate(high, target.bits - SLOT_BITS))
    name = f"F80TO{letter}" if source.bits == EXTENDED else f"FTO{letter}"
    return _convert(lowering, name, (source.bits, target.bits), slots, 1)


CASTS = {
    "fptrunc": _resize,
    "fpext": _resize,
    "sitofp": lambda *args: _from_integer("S", *args),
    "uitofp": lambda *args: _from_integer("U", *args),
    "fptosi": lambda *args: _to_integer("S", *args),
    "fptoui": lambda *args: _to_integer("U", *args),
}
