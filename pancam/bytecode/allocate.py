# SPDX-License-Identifier: Apache-2.0
"""Gives slots to units: copies are merged where their live ranges allow it, then slots are filled first-fit.

Parameters and results keep the slots that the calling convention names; outgoing arguments lie above all others, and
are made there where that is possible.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pancam.bytecode import liveness
from pancam.isa import constants

if TYPE_CHECKING:
    from collections.abc import Container

    from pancam.bytecode.code import CodeBlock, VirtualCode


@dataclass
class Allocation:
    """`slot_of` each unit; `live_before` each instruction: a mask of slots, in the order of the blocks."""

    slot_of: list[int]
    local_slots: int  # slots below the outgoing frame
    frame_slots: int
    live_before: dict[str, list[int]]
    ranges: list[int]
    starts: dict[str, int]


class _Classes:
    """Units merged into classes (union-find on the first unit of their groups), with their ranges and fixed slots."""

    def __init__(self, code: VirtualCode, ranges: list[int]) -> None:
        self.code = code
        self.parent = list(range(len(ranges)))
        self.range = list(ranges)
        for base, size in code.group_size.items():
            for unit in range(base + 1, base + size):
                self.range[base] |= ranges[unit]
        self.fixed: dict[int, int] = {}
        self.fixed_range: dict[int, int] = {}
        for units in (code.parameters, code.results):
            for slot, unit in enumerate(units):
                self.fix(unit, slot)

    def fix(self, unit: int, slot: int) -> None:
        self.fixed[unit] = slot
        self.fixed_range[slot] = self.fixed_range.get(slot, 0) | self.range[unit]

    def find(self, unit: int) -> int:
        while self.parent[unit] != unit:
            self.parent[unit] = self.parent[self.parent[unit]]
            unit = self.parent[unit]
        return unit

    def merge(self, target: int, source: int) -> None:
        """Merge the groups of two units of a copy if nothing forbids it."""
        base_t, base_s = self.code.group_base[target], self.code.group_base[source]
        same_place = target - base_t == source - base_s
        if not same_place or self.code.group_size[base_t] != self.code.group_size[base_s]:
            return
        a, b = self.find(base_t), self.find(base_s)
        if a == b or self.range[a] & self.range[b] or not self._slots_agree(a, b):
            return
        self.parent[b] = a
        self.range[a] |= self.range[b]
        slot = self.fixed.get(a, self.fixed.get(b))
        if slot is not None:
            self.fix(a, slot)

    def _slots_agree(self, a: int, b: int) -> bool:
        slot_a, slot_b = self.fixed.get(a), self.fixed.get(b)
        if slot_a is None and slot_b is None:
            return True
        if slot_a is not None and slot_b is not None:
            return slot_a == slot_b
        if self.code.group_size[self.code.group_base[a]] > 1:
            return False
        slot, free = (slot_a, b) if slot_a is not None else (slot_b, a)
        assert slot is not None
        return not self.fixed_range[slot] & self.range[free]


def _coalesce(code: VirtualCode, classes: _Classes) -> None:
    outgoing = set(code.outgoing)
    for block in code.blocks:
        for inst in block.insts:
            if inst.op.name == "MOV" and inst.a not in outgoing and inst.b not in outgoing:
                classes.merge(inst.a, inst.b)


def _arguments_in_place(code: VirtualCode, classes: _Classes, ranges: list[int]) -> dict[int, int]:
    """Classes whose units are made where the function that is called expects them: the root and number of the argument.

    A call overwrites that place, so that no unit there is live across one.
    """
    number_of = {unit: number for number, unit in enumerate(code.outgoing)}
    taken = [ranges[unit] for unit in code.outgoing]
    across, defined = _calls(code, classes)
    found: dict[int, int] = {}
    for block in code.blocks:
        for inst in block.insts:
            number = number_of.get(inst.a) if inst.op.name == "MOV" else None
            root = classes.find(code.group_base[inst.b]) if number is not None else -1
            if number is None or root in found or inst.b in number_of or root in classes.fixed:
                continue
            occupied = classes.range[root]
            if code.group_size[root] == 1 and not occupied & (taken[number] | across & ~defined.get(root, 0)):
                found[root] = number
                taken[number] |= occupied
    return found


def _calls(code: VirtualCode, classes: _Classes) -> tuple[int, dict[int, int]]:
    """The positions of calls; those at which a class is defined by one, by its root."""
    across, position = 0, 1
    defined: dict[int, int] = {}
    for block in code.blocks:
        for inst in block.insts:
            if inst.op.name in ("CALL", "CALLPTR"):
                across |= 1 << position
                for unit in inst.defines():
                    root = classes.find(code.group_base[unit])
                    defined[root] = defined.get(root, 0) | 1 << position
            position += 1
    return across, defined


def _first_fit(code: VirtualCode, classes: _Classes, elsewhere: Container[int]) -> list[int]:
    """Slot of each unit, those excepted that belong to outgoing arguments (-1): the units, and classes `elsewhere`."""
    outgoing = set(code.outgoing)
    roots = {classes.find(base) for base in code.group_size if base not in outgoing}
    roots = {root for root in roots if root not in elsewhere}
    occupied: list[int] = [0] * (max(classes.fixed_range, default=-1) + 1)
    for slot, range_ in classes.fixed_range.items():
        occupied[slot] = range_
    slot_of_root: dict[int, int] = {}
    for root in sorted(roots, key=lambda r: (r not in classes.fixed, classes.range[r] & -classes.range[r], r)):
        if not classes.range[root]:
            slot_of_root[root] = 0  # never occupied: defined nowhere, read nowhere
            continue
        fixed = classes.fixed.get(root)
        slot_of_root[root] = _place(occupied, classes.range[root], code.group_size[root]) if fixed is None else fixed
    return [
        slot_of_root.get(classes.find(base), -1 - unit + base) + unit - base
        for unit, base in enumerate(code.group_base)
    ]


def _place(occupied: list[int], range_: int, size: int) -> int:
    slot = 0
    while any(occupied[s] & range_ for s in range(slot, min(slot + size, len(occupied)))):
        slot += 1
    occupied.extend([0] * (slot + size - len(occupied)))
    for s in range(slot, slot + size):
        occupied[s] |= range_
    return slot


def _used_slots(code: VirtualCode, slot_of: list[int], ranges: list[int]) -> int:
    used = [slot_of[unit] + 1 for unit in range(len(slot_of)) if ranges[unit]]
    for base, size in code.group_size.items():
        if any(ranges[unit] for unit in range(base, base + size)):
            used.append(slot_of[base] + size)
    return max([len(code.parameters), len(code.results), *used])


def _slot_mask(units: list[int], slot_of: list[int]) -> int:
    mask = 0
    for unit in units:
        mask |= 1 << slot_of[unit]
    return mask


def _live_masks(block: CodeBlock, live_out: int, slot_of: list[int]) -> list[int]:
    """Mask of slots live before each instruction of the block."""
    live = _slot_mask(liveness._bits(live_out), slot_of)  # noqa: SLF001 - one idea, two files
    masks: list[int] = []
    for inst in reversed(block.insts):
        live &= ~_slot_mask(inst.defines(), slot_of)
        live |= _slot_mask(inst.reads(), slot_of)
        masks.append(live)
    masks.reverse()
    return masks


def allocate(code: VirtualCode) -> Allocation:
    """Slots for all units of the function, and what is live before each instruction."""
    live = liveness.analyse(code)
    ranges = live.ranges
    if code.keeps_everything:
        everything = (1 << (1 + sum(len(block.insts) for block in code.blocks))) - 1
        ranges = [everything if r else 0 for r in ranges]
    classes = _Classes(code, ranges)
    if not code.keeps_everything:
        _coalesce(code, classes)
    in_place = {} if code.keeps_everything else _arguments_in_place(code, classes, ranges)
    slot_of = _first_fit(code, classes, in_place)
    local_slots = _used_slots(code, slot_of, ranges)
    first_outgoing = local_slots + constants()["FRAME_HEADER_SLOTS"]
    for index, unit in enumerate(code.outgoing):
        slot_of[unit] = first_outgoing + index
    for unit, base in enumerate(code.group_base):
        number = in_place.get(classes.find(base))
        if number is not None:
            slot_of[unit] = first_outgoing + number
    masks = {block.label: _live_masks(block, live.live_out[block.label], slot_of) for block in code.blocks}
    frame_slots = first_outgoing + len(code.outgoing)
    return Allocation(slot_of, local_slots, frame_slots, masks, live.ranges, live.starts)
