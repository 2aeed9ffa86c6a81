# SPDX-License-Identifier: Apache-2.0
"""Intrinsics on integers of 65 to 128 bits, composed of what the machine has for 64 bits and for slot pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pancam.bytecode.code import Imm, Operand, SlotValue
from pancam.bytecode.layout import SLOT_BITS
from pancam.bytecode.lower_arith import integer_binary
from pancam.isa import constants

if TYPE_CHECKING:
    from collections.abc import Callable

    from pancam.bytecode.function import FunctionLowering

    LaneOperation = Callable[[FunctionLowering, int, list[SlotValue]], SlotValue]

FULL = 2 * SLOT_BITS


def _half(lowering: FunctionLowering, opcode: str, slot: Operand, bits: int = SLOT_BITS) -> int:
    source, unit = lowering.emitter.materialise(slot), lowering.emitter.unit()
    lowering.emitter.emit(opcode, unit, source, y=bits)
    return unit


def _population(lowering: FunctionLowering, bits: int, row: list[SlotValue]) -> SlotValue:
    del bits
    low, high = (_half(lowering, "CTPOP", slot) for slot in row[0])
    return (lowering.emitter.binary("ADD", 64, low, high), Imm(0))


def _zeros(opcode: str) -> LaneOperation:
    """Leading or trailing zeros: those of the outer half, and where that is zero those of the inner one beyond it."""

    def lower(lowering: FunctionLowering, bits: int, row: list[SlotValue]) -> SlotValue:
        emitter = lowering.emitter
        outer, inner = (row[0][1], row[0][0]) if opcode == "CTLZ" else row[0]
        outer_bits = bits - SLOT_BITS if opcode == "CTLZ" else SLOT_BITS
        inner_bits = bits - outer_bits
        beyond = emitter.binary("ADD", 64, _half(lowering, opcode, inner, inner_bits), Imm(outer_bits))
        empty = emitter.compare("eq", 64, outer, Imm(0))
        return (emitter.select(empty, beyond, _half(lowering, opcode, outer, outer_bits)), Imm(0))

    return lower


def _reversal(opcode: str) -> LaneOperation:
    def lower(lowering: FunctionLowering, bits: int, row: list[SlotValue]) -> SlotValue:
        low, high = (_half(lowering, opcode, slot) for slot in row[0])
        swapped: SlotValue = (high, low)
        if bits == FULL:
            return swapped
        return integer_binary(lowering, "LSHR", FULL, swapped, (Imm(FULL - bits), Imm(0)))

    return lower


def _overflow(kind: str) -> LaneOperation:
    def lower(lowering: FunctionLowering, bits: int, row: list[SlotValue]) -> SlotValue:
        if bits != FULL:
            raise lowering.unsupported(f"overflow checks on {bits} bits are not supported")
        a, b = (lowering.emitter.group(slots) for slots in row)
        unit = lowering.code.new_unit(3)
        lowering.emitter.emit("OVERFLOW128", unit, a, b, constants()[f"CHECKED_{kind}"])
        return (unit, unit + 1, unit + 2)

    return lower


def _funnel(*, left: bool) -> LaneOperation:
    def lower(lowering: FunctionLowering, bits: int, row: list[SlotValue]) -> SlotValue:
        high, low, amount = row
        by: SlotValue = (lowering.emitter.binary("UREM", 64, amount[0], Imm(bits)), Imm(0))
        rest: SlotValue = (lowering.emitter.binary("SUB", 64, Imm(bits), by[0]), Imm(0))
        upward, downward = (by, rest) if left else (rest, by)
        a = integer_binary(lowering, "SHL", bits, high, upward)
        b = integer_binary(lowering, "LSHR", bits, low, downward)
        return integer_binary(lowering, "OR", bits, a, b)

    return lower


WIDE_LANES: dict[str, LaneOperation] = {
    "ctpop": _population, "ctlz": _zeros("CTLZ"), "cttz": _zeros("CTTZ"),
    "bswap": _reversal("BSWAP"), "bitreverse": _reversal("BITREV"),
    "fshl": _funnel(left=True), "fshr": _funnel(left=False),
    **{f"{k}.with.overflow": _overflow(k.upper()) for k in ("sadd", "uadd", "ssub", "usub", "smul", "umul")},
}  # fmt: skip
