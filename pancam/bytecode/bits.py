# SPDX-License-Identifier: Apache-2.0
"""Moves bits between slots: an integer of any width is a string of bits, cut into slots in one way or another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pancam.bytecode.code import Imm, Operand, SlotValue
from pancam.bytecode.layout import SLOT_BITS, Scalar

if TYPE_CHECKING:
    from pancam.bytecode.emitter import Emitter

    Pieces = list[tuple[int, Operand]]  # (width, operand), from the low end; no operand has bits above its width


def regroup(emitter: Emitter, pieces: Pieces, widths: list[int], start: int = 0) -> SlotValue:
    """The bits of `pieces` from bit `start` on, cut into operands of other widths."""
    result: list[Operand] = []
    for width in widths:
        parts: list[Operand] = []
        at = 0
        for bits, operand in pieces:
            first, last = max(at, start), min(at + bits, start + width)
            if first < last:
                parts.append(_move_bits(emitter, operand, (first - at, last - first, first - start), bits))
            at += bits
        value = parts[0]
        for part in parts[1:]:
            value = emitter.binary("OR", SLOT_BITS, value, part)
        result.append(value)
        start += width
    return tuple(result)


def _move_bits(emitter: Emitter, operand: Operand, where: tuple[int, int, int], bits: int) -> Operand:
    """`count` bits of an operand of `bits` bits, from bit `source`, moved to bit `target`."""
    source, count, target = where
    if source:
        operand = emitter.binary("LSHR", SLOT_BITS, operand, Imm(source))
    if source + count < bits:
        operand = emitter.truncate(operand, count)
    return emitter.binary("SHL", SLOT_BITS, operand, Imm(target)) if target else operand


def shift_by_constant(emitter: Emitter, name: str, bits: int, value: SlotValue, amount: int) -> SlotValue:
    """SHL, LSHR or ASHR of an integer of any width by a constant below it."""
    widths = list(Scalar("int", bits, 0).slot_bits)
    pieces = list(zip(widths, value, strict=True))
    if name == "SHL":
        return regroup(emitter, [*_repeated(emitter, Imm(0), amount), *pieces], widths)
    fill: Operand = Imm(0)
    if name == "ASHR":
        top = emitter.sign_extend(value[-1], widths[-1], SLOT_BITS)
        fill = emitter.binary("ASHR", SLOT_BITS, top, Imm(SLOT_BITS - 1))
    return regroup(emitter, [*pieces, *_repeated(emitter, fill, amount)], widths, start=amount)


def _repeated(emitter: Emitter, fill: Operand, bits: int) -> Pieces:
    """`bits` bits of a slot that is all zeros or all ones."""
    full, rest = divmod(bits, SLOT_BITS)
    return [(SLOT_BITS, fill)] * full + ([(rest, emitter.truncate(fill, rest))] if rest else [])
