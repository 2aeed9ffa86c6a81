# SPDX-License-Identifier: Apache-2.0
"""Which units are live where: backward data flow over virtual code, with sets as Python integers.

Positions number the instructions of a function from 1; position 0 is its entry. A unit occupies position p when it
is defined there or live after it, so two units may share a slot exactly when the sets of their positions are disjoint.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pancam.bytecode.code import CodeBlock, VirtualCode


@dataclass
class Liveness:
    """`ranges` has the occupied positions of each unit; `live_out` the units live at the end of each block."""

    ranges: list[int]
    live_out: dict[str, int]
    starts: dict[str, int]  # position of the first instruction of each block


def _block_summary(block: CodeBlock) -> tuple[int, int]:
    """Units read before any write in the block, and units written in it."""
    reads = writes = 0
    for inst in block.insts:
        for unit in inst.reads():
            if not writes >> unit & 1:
                reads |= 1 << unit
        for unit in inst.defines():
            writes |= 1 << unit
    return reads, writes


def live_out_sets(blocks: list[CodeBlock]) -> dict[str, int]:
    """The least solution of the liveness equations, as the live-out set of each block."""
    summary = {block.label: _block_summary(block) for block in blocks}
    successors = {block.label: block.successors() for block in blocks}
    predecessors: dict[str, list[str]] = {block.label: [] for block in blocks}
    for label, targets in successors.items():
        for target in targets:
            predecessors[target].append(label)
    live_in = {label: reads for label, (reads, _) in summary.items()}
    live_out = dict.fromkeys(live_in, 0)
    work = [block.label for block in blocks]
    waiting = set(work)
    while work:
        label = work.pop()
        waiting.discard(label)
        out = 0
        for target in successors[label]:
            out |= live_in[target]
        live_out[label] = out
        reads, writes = summary[label]
        into = reads | (out & ~writes)
        if into != live_in[label]:
            live_in[label] = into
            new = [p for p in predecessors[label] if p not in waiting]
            work.extend(new)
            waiting.update(new)
    return live_out


def _bits(value: int) -> list[int]:
    found = []
    while value:
        low = value & -value
        found.append(low.bit_length() - 1)
        value ^= low
    return found


def _span(first: int, last: int) -> int:
    """Positions first .. last - 1."""
    return ((1 << (last - first)) - 1) << first if last > first else 0


def analyse(code: VirtualCode) -> Liveness:
    """Liveness of every unit of the function."""
    live_out = live_out_sets(code.blocks)
    ranges = [0] * len(code.group_base)
    starts: dict[str, int] = {}
    position = 1
    for block in code.blocks:
        starts[block.label] = position
        _block_ranges(block, position, live_out[block.label], ranges)
        position += len(block.insts)
    for unit in code.parameters:
        ranges[unit] |= 1
    return Liveness(ranges, live_out, starts)


def _block_ranges(block: CodeBlock, start: int, live_out: int, ranges: list[int]) -> None:
    end = start + len(block.insts)
    # live_until[u] = p: u is live after all positions from its definition up to p - 1
    live_until = dict.fromkeys(_bits(live_out), end)
    for position in range(end - 1, start - 1, -1):
        inst = block.insts[position - start]
        for unit in inst.defines():
            ranges[unit] |= _span(position, max(live_until.pop(unit, 0), position + 1))
        for unit in inst.reads():
            live_until.setdefault(unit, position)
    for unit, until in live_until.items():
        # Live into the block, thus after the last instruction of whatever ran before it: position start - 1 belongs
        # to the textual predecessor, which may be another block; its own pass covers what is live there.
        ranges[unit] |= _span(start, until)
        if start == 1:
            ranges[unit] |= 1
