# SPDX-License-Identifier: Apache-2.0
"""Lowers LLVM's intrinsic functions (llvm.*). What is not in the tables below is refused by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pancam.bytecode.code import Imm, Operand, SlotValue
from pancam.bytecode.emitter import mask
from pancam.bytecode.escape import INLINE_COPY_BYTES
from pancam.bytecode.function import Address
from pancam.bytecode.lanes import split_lanes
from pancam.bytecode.layout import SLOT_BITS
from pancam.bytecode.lower_arith import integer_binary, integer_compare
from pancam.bytecode.lower_float import float_operation
from pancam.bytecode.lower_memory import (
    copy_bytes,
    fill_bytes,
    load_bytes,
    store_bytes,
)
from pancam.bytecode.machine_calls import math_value
from pancam.bytecode.traps import lower_trap
from pancam.bytecode.wide import WIDE_LANES
from pancam.ir.types import VectorType
from pancam.ir.values import ConstantInt
from pancam.isa import constants, faults, math_functions

if TYPE_CHECKING:
    from collections.abc import Callable

    from pancam.bytecode.function import FunctionLowering, Handler
    from pancam.bytecode.layout import Scalar
    from pancam.ir.model import Instruction
    from pancam.ir.values import Value

    LaneOperation = Callable[[FunctionLowering, int, list[SlotValue]], SlotValue]

EXTENDED = 80


def lower_intrinsic(lowering: FunctionLowering, instruction: Instruction, name: str) -> None:
    """Lower a call of the intrinsic `name`, whatever types its name ends with."""
    if name.startswith(IGNORED):
        lowering.define_if_used(instruction)
        return
    parts = name.split(".")[1:]
    for length in range(len(parts), 0, -1):
        base = ".".join(parts[:length])
        if base in HANDLERS:
            HANDLERS[base](lowering, instruction)
            return
        if base in LANES:
            lowering.define_if_used(instruction, *_lane_by_lane(lowering, instruction, base))
            return
    raise lowering.unsupported(f"the intrinsic {name} is not supported")


# What says something to an optimiser only.
IGNORED = (
    "llvm.dbg.", "llvm.assume", "llvm.experimental.noalias.scope.decl", "llvm.prefetch", "llvm.invariant.",
    "llvm.va_end", "llvm.donothing", "llvm.pseudoprobe", "llvm.sideeffect", "llvm.var.annotation", "llvm.fake.use",
)  # fmt: skip


# --- lane by lane ---


def _lane_by_lane(lowering: FunctionLowering, instruction: Instruction, name: str) -> SlotValue:
    vector = next((o.type for o in instruction.operands if isinstance(o.type, VectorType)), None)
    columns = [_column(lowering, operand, vector) for operand in instruction.operands]
    first = [scalar for scalar, _ in columns[0]]
    rows = [[column[lane][1] for column in columns] for lane in range(len(first))]
    results = [_one_lane(lowering, name, scalar, row) for scalar, row in zip(first, rows, strict=True)]
    if vector is not None and name.endswith("with.overflow"):
        lanes = [*(r[0] for r in results), *(r[1] for r in results)]
        return tuple(lanes)
    return tuple(slot for result in results for slot in result)


def _column(lowering: FunctionLowering, operand: Value, vector: VectorType | None) -> list[tuple[Scalar, SlotValue]]:
    """The lanes of an operand; a scalar beside vectors (is_zero_poison, powi's exponent) is repeated."""
    lanes = split_lanes(lowering, operand.type, lowering.value(operand))
    return lanes * vector.count if vector is not None and len(lanes) == 1 else lanes


def _one_lane(lowering: FunctionLowering, name: str, scalar: Scalar, row: list[SlotValue]) -> SlotValue:
    if scalar.bits > SLOT_BITS and scalar.kind == "int":
        wide = LANES[name] if name in ANY_WIDTH else WIDE_LANES.get(name)
        if wide is None:
            raise lowering.unsupported(f"the intrinsic llvm.{name} on {scalar.bits} bits is not supported")
        return wide(lowering, scalar.bits, row)
    return LANES[name](lowering, scalar.bits, row)


def _unary(opcode: str) -> LaneOperation:
    def lower(lowering: FunctionLowering, bits: int, row: list[SlotValue]) -> SlotValue:
        source, unit = lowering.emitter.materialise(row[0][0]), lowering.emitter.unit()
        lowering.emitter.emit(opcode, unit, source, y=bits)
        return (unit,)

    return lower


def _checked(opcode: str, kind: str) -> LaneOperation:
    def lower(lowering: FunctionLowering, bits: int, row: list[SlotValue]) -> SlotValue:
        a, b = (lowering.emitter.materialise(slots[0]) for slots in row)
        count = 2 if opcode == "OVERFLOW" else 1
        unit = lowering.code.new_unit(count)
        lowering.emitter.emit(opcode, unit, a, b, constants()[f"CHECKED_{kind}"], bits)
        return tuple(range(unit, unit + count))

    return lower


def _extreme(predicate: str) -> LaneOperation:
    """Min and max: the first operand where the predicate holds, else the second."""

    def lower(lowering: FunctionLowering, bits: int, row: list[SlotValue]) -> SlotValue:
        left, right = row
        first = integer_compare(lowering, predicate, bits, left, right)
        return tuple(lowering.emitter.select(first, a, b) for a, b in zip(left, right, strict=True))

    return lower


def _absolute(lowering: FunctionLowering, bits: int, row: list[SlotValue]) -> SlotValue:
    zero: SlotValue = (Imm(0),) * len(row[0])
    negative = integer_compare(lowering, "slt", bits, row[0], zero)
    opposite = integer_binary(lowering, "SUB", bits, zero, row[0])
    return tuple(lowering.emitter.select(negative, a, b) for a, b in zip(opposite, row[0], strict=True))


def _three_way(letter: str) -> LaneOperation:
    """Scmp and ucmp: -1, 0 or 1 in the type of the result."""

    def lower(lowering: FunctionLowering, bits: int, row: list[SlotValue]) -> SlotValue:
        assert lowering.instruction is not None
        result = lowering.layout.scalars(lowering.instruction.type)[0].bits
        less = integer_compare(lowering, f"{letter}lt", bits, *row)
        more = integer_compare(lowering, f"{letter}gt", bits, *row)
        return (lowering.emitter.binary("SUB", result, more, less),)

    return lower


def _funnel(*, left: bool) -> LaneOperation:
    """Fshl and fshr: shift the two values as one, by the amount modulo the width."""

    def lower(lowering: FunctionLowering, bits: int, row: list[SlotValue]) -> SlotValue:
        emitter = lowering.emitter
        high, low, amount = (slots[0] for slots in row)
        amount = _modulo(lowering, amount, bits)
        rest = emitter.binary("SUB", bits, Imm(bits), amount)
        upward, downward = (amount, rest) if left else (rest, amount)
        joined = emitter.binary(
            "OR", bits, emitter.binary("SHL", bits, high, upward), emitter.binary("LSHR", bits, low, downward)
        )
        # A shift by the whole width gives zero on this machine, so an amount of zero works by itself.
        return (joined,)

    return lower


def _modulo(lowering: FunctionLowering, amount: Operand, bits: int) -> Operand:
    if isinstance(amount, Imm):
        return Imm(amount.value % bits)
    if bits & (bits - 1) == 0:
        return lowering.emitter.binary("AND", bits, amount, Imm(bits - 1))
    return lowering.emitter.binary("UREM", bits, amount, Imm(bits))


def _fused(lowering: FunctionLowering, bits: int, row: list[SlotValue]) -> SlotValue:
    if bits == EXTENDED:
        raise lowering.unsupported("fma of long double is not supported")
    a, b, c = (lowering.emitter.materialise(slots[0]) for slots in row)
    unit = lowering.emitter.unit()
    lowering.emitter.emit(f"FMA{bits}", unit, a, b, c)
    return (unit,)


def _multiply_add(lowering: FunctionLowering, bits: int, row: list[SlotValue]) -> SlotValue:
    """Fmuladd may round once or twice; x86-64 without further features rounds twice."""
    product = float_operation(lowering, "FMUL", bits, row[:2])
    return float_operation(lowering, "FADD", bits, [product, row[2]])


def _is_fpclass(lowering: FunctionLowering, instruction: Instruction) -> None:
    """Only the tests for NaN, infinity and sign that Clang emits for isnan & co. on float and double."""
    value, test = instruction.operands
    bits = lowering.layout.scalar_bits(value.type)
    if bits == EXTENDED or not isinstance(test, ConstantInt):
        raise lowering.unsupported("llvm.is.fpclass on this type is not supported")
    mantissa = {32: 23, 64: 52}[bits]
    lowering.define_if_used(instruction, _classify(lowering, lowering.operand(value), (bits, mantissa), test.value))


def _classify(lowering: FunctionLowering, slot: Operand, shape: tuple[int, int], wanted: int) -> Operand:
    """One bit per class: signalling NaN, quiet NaN, -inf, -normal, -subnormal, -0, +0, +subnormal, +normal, +inf."""
    emitter, (bits, mantissa) = lowering.emitter, shape
    magnitude = emitter.binary("AND", bits, slot, Imm(mask(bits - 1)))
    negative = emitter.compare("ne", bits, emitter.binary("LSHR", bits, slot, Imm(bits - 1)), Imm(0))
    infinity, smallest = mask(bits - 1 - mantissa) << mantissa, 1 << mantissa
    quiet = infinity | 1 << (mantissa - 1)

    def between(low: int, high: int) -> Operand:
        shifted = emitter.binary("SUB", bits, magnitude, Imm(low))
        return emitter.compare("ult", bits, shifted, Imm(high - low))

    ranges = {"snan": (infinity + 1, quiet), "qnan": (quiet, 1 << (bits - 1)), "inf": (infinity, infinity + 1),
              "normal": (smallest, infinity), "subnormal": (1, smallest), "zero": (0, 1)}  # fmt: skip
    signed_bits = {"inf": (2, 9), "normal": (3, 8), "subnormal": (4, 7), "zero": (5, 6)}
    answer: Operand = Imm(0)
    for name, (low, high) in ranges.items():
        minus, plus = signed_bits.get(name, (0, 0) if name == "snan" else (1, 1))
        want_minus, want_plus = wanted >> minus & 1, wanted >> plus & 1
        if not want_minus and not want_plus:
            continue
        hit = between(low, high)
        if not (want_minus and want_plus):
            side = negative if want_minus else emitter.binary("XOR", 1, negative, Imm(1))
            hit = emitter.binary("AND", 1, hit, side)
        answer = hit if isinstance(answer, Imm) else emitter.binary("OR", 1, answer, hit)
    return answer


def _math(name: str) -> LaneOperation:
    """A function of math.h in the width of the lane."""

    def lower(lowering: FunctionLowering, bits: int, row: list[SlotValue]) -> SlotValue:
        return math_value(lowering, name + {32: "f", 64: "", EXTENDED: "l"}[bits], row)

    return lower


MATH = {name: name for name, (number, _) in math_functions().items() if number % 3 == 0} | {
    "minnum": "fmin",
    "maxnum": "fmax",
}

LANES: dict[str, LaneOperation] = {
    **{intrinsic: _math(name) for intrinsic, name in MATH.items()},
    "ctpop": _unary("CTPOP"), "ctlz": _unary("CTLZ"), "cttz": _unary("CTTZ"), "bswap": _unary("BSWAP"),
    "bitreverse": _unary("BITREV"), "abs": _absolute,
    "smin": _extreme("slt"), "smax": _extreme("sgt"), "umin": _extreme("ult"), "umax": _extreme("ugt"),
    "scmp": _three_way("s"), "ucmp": _three_way("u"), "fshl": _funnel(left=True), "fshr": _funnel(left=False),
    "fma": _fused, "fmuladd": _multiply_add,
    **{f"{k}.with.overflow": _checked("OVERFLOW", k.upper()) for k in ("sadd", "uadd", "ssub", "usub", "smul", "umul")},
    **{f"{k}.sat": _checked("SATURATE", k.upper()) for k in ("sadd", "uadd", "ssub", "usub", "sshl", "ushl")},
}  # fmt: skip

ANY_WIDTH = {"abs", "smin", "smax", "umin", "umax", "scmp", "ucmp"}

# --- memory ---


def _copy(function: str) -> Handler:
    def lower(lowering: FunctionLowering, instruction: Instruction) -> None:
        target, source, length = instruction.operands[:3]
        if isinstance(length, ConstantInt) and length.value <= INLINE_COPY_BYTES:
            copy_bytes(lowering, lowering.address(target), lowering.address(source), length.value)
            return
        _call(lowering, function, [lowering.operand(operand) for operand in (target, source, length)])

    return lower


def _set(lowering: FunctionLowering, instruction: Instruction) -> None:
    target, value, length = instruction.operands[:3]
    small = isinstance(length, ConstantInt) and length.value <= INLINE_COPY_BYTES
    if isinstance(length, ConstantInt) and isinstance(value, ConstantInt) and small:
        fill_bytes(lowering, lowering.address(target), value.value & mask(8), length.value)
        return
    _call(lowering, "memset", [lowering.operand(operand) for operand in (target, value, length)])


def _call(lowering: FunctionLowering, function: str, arguments: list[Operand]) -> None:
    from pancam.bytecode.lower_call import call_library

    bits = lowering.layout.pointer_bits
    arguments[2] = lowering.emitter.truncate(arguments[2], bits)
    call_library(lowering, function, arguments)


def _lifetime(lowering: FunctionLowering, instruction: Instruction) -> None:
    """Outside its lifetime a stack object is zero: what differs only there is the same state."""
    place = instruction.operands[-1]
    name = getattr(place, "name", None)
    if name not in lowering.variables:
        lowering.emitter.emit("CLEAR", lowering.unit(place))


def _object_size(lowering: FunctionLowering, instruction: Instruction) -> None:
    """Not known when compiling: -1 for the largest, 0 for the least, as LLVM defines it."""
    least = instruction.operands[1]
    smallest = isinstance(least, ConstantInt) and least.value & 1
    bits = lowering.layout.scalar_bits(instruction.type)
    lowering.define_if_used(instruction, Imm(0 if smallest else mask(bits)))


def _first_operand(lowering: FunctionLowering, instruction: Instruction) -> None:
    lowering.alias(instruction, instruction.operands[0])


def _trap(lowering: FunctionLowering, instruction: Instruction) -> None:
    del instruction
    lowering.emitter.trap(faults()["TRAP"][0])
    lowering.start_block(lowering.new_label("after"))


def _constant_answer(number: int) -> Handler:
    def lower(lowering: FunctionLowering, instruction: Instruction) -> None:
        lowering.define_if_used(instruction, Imm(number))

    return lower


def _stack_save(lowering: FunctionLowering, instruction: Instruction) -> None:
    unit = lowering.emitter.unit()
    lowering.emitter.emit("STACKSAVE", unit)
    lowering.define_if_used(instruction, unit)


def _stack_restore(lowering: FunctionLowering, instruction: Instruction) -> None:
    lowering.emitter.emit("STACKREST", lowering.unit(instruction.operands[0]))


# --- variable arguments: all of them lie in memory, so the register parts of a va_list are used up from the start ---

GENERAL_REGISTER_BYTES, ALL_REGISTER_BYTES = 48, 176  # of the x86-64 ABI's register save area


def _va_start(lowering: FunctionLowering, instruction: Instruction) -> None:
    assert lowering.hidden_parameter is not None
    base, offset = lowering.address(instruction.operands[0])
    if lowering.layout.pointer_bits != SLOT_BITS:
        store_bytes(lowering, lowering.hidden_parameter, Address(base, offset), 4, 0)
        return
    store_bytes(lowering, Imm(GENERAL_REGISTER_BYTES), Address(base, offset), 4, 0)
    store_bytes(lowering, Imm(ALL_REGISTER_BYTES), Address(base, offset + 4), 4, 0)
    store_bytes(lowering, lowering.hidden_parameter, Address(base, offset + 8), 8, 0)
    store_bytes(lowering, Imm(0), Address(base, offset + 16), 8, 0)


def _va_copy(lowering: FunctionLowering, instruction: Instruction) -> None:
    target, source = (lowering.address(operand) for operand in instruction.operands)
    copy_bytes(lowering, target, source, 24 if lowering.layout.pointer_bits == SLOT_BITS else 4)


def _thread_local_address(lowering: FunctionLowering, instruction: Instruction) -> None:
    lowering.define_if_used(instruction, *lowering.value(instruction.operands[0]))


def _load_relative(lowering: FunctionLowering, instruction: Instruction) -> None:
    """A table of 32-bit distances: base + *(i32 *)(base + offset)."""
    base, offset = (lowering.operand(operand) for operand in instruction.operands)
    bits = lowering.layout.pointer_bits
    place = lowering.emitter.binary("ADD", bits, base, offset)
    distance = lowering.emitter.sign_extend(load_bytes(lowering, Address(place, 0), 4, 0), 32, bits)
    lowering.define_if_used(instruction, lowering.emitter.binary("ADD", bits, base, distance))


def _pointer_mask(lowering: FunctionLowering, instruction: Instruction) -> None:
    left, right = (lowering.operand(operand) for operand in instruction.operands)
    lowering.define_if_used(instruction, lowering.emitter.binary("AND", 64, left, right))


# --- a whole vector to one value ---

REDUCTIONS = {"add": "ADD", "mul": "MUL", "and": "AND", "or": "OR", "xor": "XOR"}
EXTREMES = {"smin": "slt", "smax": "sgt", "umin": "ult", "umax": "ugt"}


def _reduce(name: str) -> Handler:
    def lower(lowering: FunctionLowering, instruction: Instruction) -> None:
        vector = instruction.operands[-1]
        rows = split_lanes(lowering, vector.type, lowering.value(vector))
        result = lowering.value(instruction.operands[0]) if len(instruction.operands) > 1 else None
        for scalar, slots in rows:
            result = slots if result is None else _combine(lowering, name, scalar.bits, result, slots)
        lowering.define_if_used(instruction, *(result or ()))

    return lower


def _combine(lowering: FunctionLowering, name: str, bits: int, left: SlotValue, right: SlotValue) -> SlotValue:
    if name in REDUCTIONS:
        return integer_binary(lowering, REDUCTIONS[name], bits, left, right)
    if name in EXTREMES:
        return _extreme(EXTREMES[name])(lowering, bits, [left, right])
    return float_operation(lowering, name.upper(), bits, [left, right])  # in order, from the start value


HANDLERS: dict[str, Handler] = {
    **{f"vector.reduce.{name}": _reduce(name) for name in (*REDUCTIONS, *EXTREMES, "fadd", "fmul")},
    "memcpy": _copy("memcpy"), "memcpy.inline": _copy("memcpy"), "memmove": _copy("memmove"), "memset": _set,
    "memset.inline": _set, "lifetime.start": _lifetime, "lifetime.end": _lifetime, "objectsize": _object_size,
    "expect": _first_operand, "expect.with.probability": _first_operand, "launder.invariant.group": _first_operand,
    "strip.invariant.group": _first_operand, "ptr.annotation": _first_operand, "annotation": _first_operand,
    "ssa.copy": _first_operand, "arithmetic.fence": _first_operand,
    "trap": _trap, "ubsantrap": lower_trap, "debugtrap": _trap, "is.constant": _constant_answer(0),
    "stacksave": _stack_save, "stackrestore": _stack_restore, "va_start": _va_start, "va_copy": _va_copy,
    "threadlocal.address": _thread_local_address, "is.fpclass": _is_fpclass, "load.relative": _load_relative,
    "ptrmask": _pointer_mask, "allow.runtime.check": _constant_answer(1), "allow.ubsan.check": _constant_answer(1),
}  # fmt: skip
