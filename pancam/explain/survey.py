# SPDX-License-Identifier: Apache-2.0
"""Compares two states: which variables, members and elements differ, and which heap objects came and went.

This is for what nobody watched instruction by instruction: functions that a driver ran, states that a user compares.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pancam.explain.code_view import CodeView
from pancam.explain.memory_map import Snapshot, differences
from pancam.explain.notes import Noted, Toolbox, Touched
from pancam.explain.objects import Heap, HeapObject

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pancam.bytecode.program import Program
    from pancam.vm.machine import Machine

NOBODY = -1  # who looks at, or freed, what no thread does
MOST_SURVEYED = 1 << 14  # bytes of one object in which pointers are looked for


@dataclass(frozen=True, slots=True)
class HeapNews:
    """Heap objects that were not known before, and known ones that are gone."""

    found: list[HeapObject]
    gone: list[HeapObject]


def survey_heap(tools: Toolbox) -> HeapNews:
    """Find out which heap objects there are now, and what types the pointers to them say they have."""
    alive = {info.id: info for info in tools.memory.heap_objects()}
    known = tools.heap.by_id
    gone = [known[key] for key in known if known[key].freed_by is None and key not in alive]
    for lost in gone:
        lost.freed_by = NOBODY
    unseen = [info for key, info in alive.items() if key not in known or known[key].freed_by is not None]
    found = [tools.heap.allocate(info.id, info.size, info.owner, (), "malloc") for info in unseen]
    untyped = len(found)
    while untyped:  # a type that is learnt makes the pointers in its object known
        _learn_types(tools)
        left = sum(made.number not in tools.heap.types for made in found)
        untyped = left if left < untyped else 0
    return HeapNews(found, gone)


def _learn_types(tools: Toolbox) -> None:
    for thread in tools.machine.threads:
        tools.learn_from_variables(thread)
    for pointer in tools.memory.snapshot(tools.objects):
        target = tools.objects.target(pointer)
        if target is not None:
            for leaf in tools.objects.leaves(target, 0, min(target.info.size, MOST_SURVEYED)):
                tools.learn_from_leaf(target, leaf)


def changes_since(tools: Toolbox, old: Snapshot, viewer: int) -> Iterator[Noted]:
    """What differs between a snapshot and the state that the machine is in."""
    for found in differences(old, tools.memory.snapshot(tools.objects)):
        target, leaves = tools.parts(found.pointer, len(found.new), None)
        for leaf in leaves:
            assert target is not None
            low = target.info.offset
            was = old[found.pointer - low][leaf.offset : leaf.offset + leaf.size]
            touched = Touched(leaf, low, low + len(found.new), was, tools.leaf_bytes(target, leaf))
            yield from tools.noted(target, touched, viewer)


def compare_states(program: Program, machine: Machine, before: bytes, after: bytes) -> dict[str, tuple[str, str]]:
    """Path to old and new value of all that differs between two packed states; leaves the machine in the second."""
    tools = Toolbox(program, machine, CodeView(program), Heap())
    machine.unpack(before)
    survey_heap(tools)
    old = tools.memory.snapshot(tools.objects)
    machine.unpack(after)
    survey_heap(tools)
    return {noted.path: (noted.old, noted.new) for noted in changes_since(tools, old, NOBODY)}
