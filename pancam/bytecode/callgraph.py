# SPDX-License-Identifier: Apache-2.0
"""How deep the register stack of a thread can get: the heaviest path in the call graph, unless there is recursion."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pancam.isa import OPCODES, constants

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pancam.bytecode.assemble import FunctionCode
    from pancam.bytecode.symbols import Symbols

UNBOUNDED = 0  # the machine's default limit applies


def stack_slots_needed(symbols: Symbols, functions: Sequence[FunctionCode]) -> int:
    """Slots that no thread can exceed, or UNBOUNDED when functions call themselves or through pointers."""
    direct, indirect = OPCODES["CALL"].number, OPCODES["CALLPTR"].number
    callees: list[set[int]] = []
    del symbols
    for function in functions:
        if any(instruction.op == indirect for instruction in function.instructions):
            return UNBOUNDED
        callees.append({instruction.x for instruction in function.instructions if instruction.op == direct})
    heights: dict[int, int] = {}
    active: set[int] = set()

    def height(index: int) -> int | None:
        if index in active:
            return None
        if index not in heights:
            active.add(index)
            below = [height(callee) for callee in callees[index]]
            active.discard(index)
            if any(h is None for h in below):
                return None
            heights[index] = functions[index].frame_slots + max((h for h in below if h is not None), default=0)
        return heights[index]

    found = [height(index) for index in range(len(functions))]
    if any(h is None for h in found):
        return UNBOUNDED
    return constants()["FRAME_HEADER_SLOTS"] + max(h for h in found if h is not None)
