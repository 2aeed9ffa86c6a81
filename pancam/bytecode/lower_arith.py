# SPDX-License-Identifier: Apache-2.0
"""Lowers arithmetic, comparisons, casts and aggregate shuffling; a vector is worked on lane by lane.

undef and poison are zero wherever they are read, freeze is the identity: one fixed choice, the same at every run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pancam.bytecode.bits import regroup, shift_by_constant
from pancam.bytecode.code import Imm, Operand, SlotValue
from pancam.bytecode.lanes import lanes, split_lanes
from pancam.bytecode.layout import SLOT_BITS, WIDE, Scalar
from pancam.bytecode.lower_float import evaluate_fcmp, evaluate_float_binary, evaluate_float_cast, evaluate_fneg
from pancam.ir.types import IntType, VectorType
from pancam.ir.values import ConstantInt

if TYPE_CHECKING:
    from pancam.bytecode.emitter import Emitter
    from pancam.bytecode.function import Evaluator, FunctionLowering, Handler
    from pancam.ir.model import Instruction
    from pancam.ir.types import Type

INTEGER_OPERATIONS = {
    "add": "ADD", "sub": "SUB", "mul": "MUL", "udiv": "UDIV", "sdiv": "SDIV", "urem": "UREM", "srem": "SREM",
    "shl": "SHL", "lshr": "LSHR", "ashr": "ASHR", "and": "AND", "or": "OR", "xor": "XOR",
}  # fmt: skip


# --- integers ---


def integer_binary(lowering: FunctionLowering, name: str, bits: int, left: SlotValue, right: SlotValue) -> SlotValue:
    """One operation on integers of up to 128 bits; on wider ones, as bit-fields may have, what only moves bits."""
    if bits <= SLOT_BITS:
        return (lowering.emitter.binary(name, bits, left[0], right[0]),)
    if name in ("AND", "OR", "XOR"):
        return tuple(lowering.emitter.binary(name, 64, a, b) for a, b in zip(left, right, strict=True))
    if bits <= WIDE:
        return _wide_binary(lowering, name, bits, left, right)
    if name not in ("SHL", "LSHR", "ASHR") or not isinstance(right[0], Imm):
        raise lowering.unsupported(f"arithmetic on integers of {bits} bits is not supported")
    return shift_by_constant(lowering.emitter, name, bits, left, right[0].value)


def _wide_binary(lowering: FunctionLowering, name: str, bits: int, left: SlotValue, right: SlotValue) -> SlotValue:
    emitter = lowering.emitter
    if name in ("SDIV", "SREM", "ASHR"):
        left = wide_sign_extend(lowering, left, bits)
        right = right if name == "ASHR" else wide_sign_extend(lowering, right, bits)
    a = emitter.group(left)
    is_shift = name in ("SHL", "LSHR", "ASHR")
    b = emitter.materialise(right[0]) if is_shift else emitter.group(right)
    result = emitter.code.new_unit(2)
    emitter.emit(f"{name}128", result, a, b)
    return (result, emitter.truncate(result + 1, bits - SLOT_BITS))


def wide_sign_extend(lowering: FunctionLowering, value: SlotValue, bits: int) -> SlotValue:
    """A value of 65 to 127 bits as 128 bits."""
    return (value[0], lowering.emitter.sign_extend(value[1], bits - SLOT_BITS, SLOT_BITS))


def evaluate_binary(lowering: FunctionLowering, instruction: Instruction) -> SlotValue:
    name = INTEGER_OPERATIONS[instruction.opcode]
    left, right = (lanes(lowering, operand) for operand in instruction.operands)
    result: list[Operand] = []
    for (scalar, a), (_, b) in zip(left, right, strict=True):
        result.extend(integer_binary(lowering, name, scalar.bits, a, b))
    return tuple(result)


def integer_compare(lowering: FunctionLowering, predicate: str, bits: int, a: SlotValue, b: SlotValue) -> Operand:
    emitter = lowering.emitter
    if bits <= SLOT_BITS:
        return emitter.compare(predicate, bits, a[0], b[0])
    if predicate in ("eq", "ne"):
        different = [emitter.binary("XOR", 64, x, y) for x, y in zip(a, b, strict=True)]
        while len(different) > 1:
            different.append(emitter.binary("OR", 64, different.pop(), different.pop()))
        return emitter.compare(predicate, 64, different[0], Imm(0))
    if bits > WIDE:
        raise lowering.unsupported(f"comparing integers of {bits} bits is not supported")
    if predicate[0] == "s":
        a, b = (wide_sign_extend(lowering, value, bits) for value in (a, b))
    if predicate[1:] in ("gt", "le"):
        a, b = b, a
    unit = emitter.unit()
    emitter.emit(f"{predicate[0].upper()}LT128", unit, emitter.group(a), emitter.group(b))
    return emitter.binary("XOR", 1, unit, Imm(1)) if predicate[1:] in ("le", "ge") else unit


def handle_icmp(lowering: FunctionLowering, instruction: Instruction) -> None:
    """A comparison that only the branch at the end of this block uses is done by that branch."""
    assert instruction.result is not None
    if _only_branch_uses(lowering, instruction):
        lowering.pending_tests[instruction.result.name] = instruction
        return
    lowering.define(instruction, evaluate_icmp(lowering, instruction))


def _only_branch_uses(lowering: FunctionLowering, instruction: Instruction) -> bool:
    assert lowering.block is not None
    assert instruction.result is not None
    scalars = lowering.layout.scalars(instruction.operands[0].type)
    end = lowering.block.items[-1]
    return (
        len(scalars) == 1
        and scalars[0].slots == 1
        and lowering.uses.get(instruction.result.name) == 1
        and getattr(end, "opcode", "") == "br"
        and instruction.result in getattr(end, "operands", ())
    )


def evaluate_icmp(lowering: FunctionLowering, instruction: Instruction) -> SlotValue:
    assert instruction.predicate is not None
    left, right = (lanes(lowering, operand) for operand in instruction.operands)
    return tuple(
        integer_compare(lowering, instruction.predicate, scalar.bits, a, b)
        for (scalar, a), (_, b) in zip(left, right, strict=True)
    )


# --- casts ---


def _cast_lane(lowering: FunctionLowering, opcode: str, source: Scalar, target: Scalar, slots: SlotValue) -> SlotValue:
    emitter = lowering.emitter
    if opcode == "trunc" or (opcode in ("ptrtoint", "inttoptr", "ptrtoaddr") and target.bits < source.bits):
        last = target.slots - 1
        return (*slots[:last], emitter.truncate(slots[last], target.slot_bits[last]))
    if opcode == "sext":
        return _sign_extend_lane(lowering, source, target, slots)
    return slots + (Imm(0),) * (target.slots - source.slots)  # zero extension: slots are kept zero-extended


def _sign_extend_lane(lowering: FunctionLowering, source: Scalar, target: Scalar, slots: SlotValue) -> SlotValue:
    emitter = lowering.emitter
    if target.bits <= SLOT_BITS:
        return (emitter.sign_extend(slots[0], source.bits, target.bits),)
    last, widths = source.slots - 1, target.slot_bits
    top = emitter.sign_extend(slots[last], source.slot_bits[last], SLOT_BITS)
    result = [*slots[:last], emitter.truncate(top, widths[last])]
    if target.slots > source.slots:
        sign = emitter.binary("ASHR", 64, top, Imm(SLOT_BITS - 1))
        result.extend(emitter.truncate(sign, width) for width in widths[source.slots :])
    return tuple(result)


def handle_cast(lowering: FunctionLowering, instruction: Instruction) -> None:
    """Casts between integers and pointers; those that keep the bits cost nothing."""
    source_type, target_type = instruction.operands[0].type, instruction.type
    if not isinstance(target_type, VectorType):
        source, target = lowering.layout.scalars(source_type)[0], lowering.layout.scalars(target_type)[0]
        if source.slots == target.slots == 1 and instruction.opcode != "sext" and target.bits >= source.bits:
            lowering.alias(instruction, instruction.operands[0])
            return
    lowering.define(instruction, evaluate_cast(lowering, instruction))


def evaluate_cast(lowering: FunctionLowering, instruction: Instruction) -> SlotValue:
    targets = lowering.layout.scalars(instruction.type)
    result: list[Operand] = []
    for (source, slots), target in zip(lanes(lowering, instruction.operands[0]), targets, strict=True):
        result.extend(_cast_lane(lowering, instruction.opcode, source, target, slots))
    return tuple(result)


def handle_bitcast(lowering: FunctionLowering, instruction: Instruction) -> None:
    source, target = instruction.operands[0].type, instruction.type
    widths = [[s.bits for s in lowering.layout.scalars(t)] for t in (source, target)]
    if widths[0] == widths[1]:
        lowering.alias(instruction, instruction.operands[0])
    else:
        lowering.define(instruction, evaluate_bitcast(lowering, instruction))


def evaluate_bitcast(lowering: FunctionLowering, instruction: Instruction) -> SlotValue:
    """Reinterpret the bits: through one long integer when lanes have different widths."""
    source = lanes(lowering, instruction.operands[0])
    targets = lowering.layout.scalars(instruction.type)
    if [s.bits for s, _ in source] == [t.bits for t in targets]:
        return tuple(slot for _, slots in source for slot in slots)
    pieces = [(bits, slot) for s, slots in source for bits, slot in zip(s.slot_bits, slots, strict=True)]
    return regroup(lowering.emitter, pieces, [bits for t in targets for bits in t.slot_bits])


# --- select, aggregates and vectors ---


def _logical(emitter: Emitter, condition: Operand, if_true: Operand, if_false: Operand) -> Operand:
    """A choice between truth values: LLVM's way to write && and ||."""
    if isinstance(condition, int) and isinstance(if_true, int) and if_false == Imm(0):
        return emitter.binary("AND", 1, condition, if_true)
    if isinstance(condition, int) and isinstance(if_false, int) and if_true == Imm(1):
        return emitter.binary("OR", 1, condition, if_false)
    return emitter.select(condition, if_true, if_false)


def evaluate_select(lowering: FunctionLowering, instruction: Instruction) -> SlotValue:
    condition, if_true, if_false = instruction.operands
    conditions = lowering.value(condition)
    a, b = lowering.value(if_true), lowering.value(if_false)
    if len(conditions) == len(a) == 1 and instruction.type == IntType(1):
        return (_logical(lowering.emitter, conditions[0], a[0], b[0]),)
    if len(conditions) == 1:
        conditions *= len(a)
    elif len(a) != len(conditions):  # lanes of two slots
        conditions = tuple(c for c in conditions for _ in range(len(a) // len(conditions)))
    return tuple(lowering.emitter.select(c, x, y) for c, x, y in zip(conditions, a, b, strict=True))


def _member(lowering: FunctionLowering, type_: Type, indices: tuple[int, ...]) -> tuple[int, int]:
    """First slot and number of slots of a member of an aggregate."""
    start = 0
    for index in indices:
        start += lowering.layout.slots_before(type_, index)
        type_ = lowering.layout.member_type(type_, index)
    return start, lowering.layout.slot_count(type_)


def evaluate_extractvalue(lowering: FunctionLowering, instruction: Instruction) -> SlotValue:
    source = instruction.operands[0]
    start, count = _member(lowering, source.type, instruction.indices)
    return lowering.stable(source)[start : start + count]


def evaluate_insertvalue(lowering: FunctionLowering, instruction: Instruction) -> SlotValue:
    aggregate, value = instruction.operands
    start, count = _member(lowering, aggregate.type, instruction.indices)
    slots = lowering.stable(aggregate)
    return slots[:start] + lowering.stable(value) + slots[start + count :]


def evaluate_extractelement(lowering: FunctionLowering, instruction: Instruction) -> SlotValue:
    vector, index = instruction.operands
    elements = [slots for _, slots in split_lanes(lowering, vector.type, lowering.stable(vector))]
    if isinstance(index, ConstantInt):
        return elements[index.value] if 0 <= index.value < len(elements) else (Imm(0),) * len(elements[0])
    place, bits = lowering.operand(index), lowering.layout.scalar_bits(index.type)
    chosen = elements[0]
    for number, element in enumerate(elements[1:], 1):
        hit = lowering.emitter.compare("eq", bits, place, Imm(number))
        chosen = tuple(lowering.emitter.select(hit, a, b) for a, b in zip(element, chosen, strict=True))
    return chosen


def evaluate_insertelement(lowering: FunctionLowering, instruction: Instruction) -> SlotValue:
    vector, value, index = instruction.operands
    elements = [slots for _, slots in split_lanes(lowering, vector.type, lowering.stable(vector))]
    inserted = lowering.stable(value)
    if isinstance(index, ConstantInt):
        if 0 <= index.value < len(elements):
            elements[index.value] = inserted
        return tuple(slot for element in elements for slot in element)
    place, bits = lowering.operand(index), lowering.layout.scalar_bits(index.type)
    result: list[Operand] = []
    for number, element in enumerate(elements):
        hit = lowering.emitter.compare("eq", bits, place, Imm(number))
        result.extend(lowering.emitter.select(hit, a, b) for a, b in zip(inserted, element, strict=True))
    return tuple(result)


def evaluate_shufflevector(lowering: FunctionLowering, instruction: Instruction) -> SlotValue:
    elements = [
        slots
        for vector in instruction.operands
        for _, slots in split_lanes(lowering, vector.type, lowering.stable(vector))
    ]
    nothing = (Imm(0),) * len(elements[0])
    chosen = (elements[lane] if lane is not None else nothing for lane in instruction.mask)
    return tuple(slot for element in chosen for slot in element)


def handle_freeze(lowering: FunctionLowering, instruction: Instruction) -> None:
    lowering.alias(instruction, instruction.operands[0])


EVALUATORS: dict[str, Evaluator] = {
    **dict.fromkeys(INTEGER_OPERATIONS, evaluate_binary),
    **dict.fromkeys(("fadd", "fsub", "fmul", "fdiv", "frem"), evaluate_float_binary),
    **dict.fromkeys(("fptrunc", "fpext", "fptosi", "fptoui", "sitofp", "uitofp"), evaluate_float_cast),
    "fneg": evaluate_fneg,
    "fcmp": evaluate_fcmp,
    "select": evaluate_select,
    "extractvalue": evaluate_extractvalue,
    "insertvalue": evaluate_insertvalue,
    "extractelement": evaluate_extractelement,
    "insertelement": evaluate_insertelement,
    "shufflevector": evaluate_shufflevector,
}

# As constant expressions these are evaluated; as instructions their handlers first try to emit nothing at all.
EXPRESSION_EVALUATORS: dict[str, Evaluator] = {
    "icmp": evaluate_icmp,
    "bitcast": evaluate_bitcast,
    "addrspacecast": evaluate_bitcast,
    **dict.fromkeys(("trunc", "zext", "sext", "ptrtoint", "ptrtoaddr", "inttoptr"), evaluate_cast),
}

HANDLERS: dict[str, Handler] = {
    "icmp": handle_icmp,
    "bitcast": handle_bitcast,
    "addrspacecast": handle_bitcast,
    "freeze": handle_freeze,
    **dict.fromkeys(("trunc", "zext", "sext", "ptrtoint", "ptrtoaddr", "inttoptr"), handle_cast),
}
