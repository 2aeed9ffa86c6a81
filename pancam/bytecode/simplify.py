# SPDX-License-Identifier: Apache-2.0
"""Virtual code with fewer instructions: results that are there already, copies of what is still there, dead code.

What is left reads the same values. No instruction moves, so that an access to memory stays where it was, and a value is
kept longer only where the one that it is made from is kept as well: states do not become more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pancam.bytecode import liveness
from pancam.bytecode.code import Inst

if TYPE_CHECKING:
    from collections.abc import Collection

    from pancam.bytecode.code import CodeBlock, VirtualCode

    # (opcode, units that are read, b, x, y) to the unit that has the result; b may be a plain number
    Results = dict[tuple[str, tuple[int, ...], int, int, int], int]

WIDTHS = ("8", "16", "32", "64")
_WITH_WIDTH = (
    "ADD", "ADDI", "SUB", "MUL", "MULI", "SHL", "SHLI", "LSHR", "LSHRI", "ASHR", "ASHRI", "SLT", "SLE", "SLTI", "SGTI",
)  # fmt: skip
_PURE = {f"{name}{width}" for name in _WITH_WIDTH for width in WIDTHS} | {
    "MOV", "CONST", "TLSADDR", "LEA", "LEAI", "SEXT", "SELECT", "SELF", "AND", "ANDI", "OR", "ORI", "XOR", "XORI",
    "EQ", "NE", "EQI", "NEI", "ULT", "ULE", "ULTI", "UGTI",
}  # fmt: skip


def simplify(code: VirtualCode, shown: Collection[int] = ()) -> None:
    """Make the code shorter. Units that are `shown` to users as variables of theirs stay."""
    if not code.keeps_everything:
        definitions = _definitions(code)
        _propagate_copies(code, definitions, set(shown))
        if _reuse_results(code, definitions):
            _propagate_copies(code, definitions, set(shown))
    remove_dead_code(code)


def _definitions(code: VirtualCode) -> list[list[int]]:
    """For each unit the positions (as liveness.py counts them) at which it is written."""
    found: list[list[int]] = [[] for _ in code.group_base]
    position = 1
    for block in code.blocks:
        for inst in block.insts:
            for unit in inst.defines():
                found[unit].append(position)
            position += 1
    return found


def _passing(code: VirtualCode) -> set[int]:
    """Units whose values must not be relied on: others use their slots, without saying so.

    A call overwrites outgoing arguments, and results that are being put together overwrite parameters.
    """
    return {*code.results, *code.outgoing, *(code.parameters if code.results else ())}


# --- what was computed before ---


def _reuse_results(code: VirtualCode, definitions: list[list[int]]) -> bool:
    """What was computed already, on the only way to this place, becomes a copy of that; whether there was any.

    The earlier result lives longer then, but what it was computed from had to live as long: whoever knew that knew the
    result, so that states do not become more.
    """
    predecessors: dict[str, list[str]] = {block.label: [] for block in code.blocks}
    for block in code.blocks:
        for target in block.successors():
            predecessors[target].append(block.label)
    at_end: dict[str, Results] = {}
    passing = _passing(code)
    lasting = [len(positions) == 1 and unit not in passing for unit, positions in enumerate(definitions)]
    found = False
    for block in code.blocks:
        before = predecessors[block.label]
        at_end[block.label] = dict(at_end.get(before[0], {})) if len(before) == 1 else {}
        found |= _reuse_in_block(block, at_end[block.label], lasting, passing)
    return found


def _reuse_in_block(block: CodeBlock, known: Results, lasting: list[bool], passing: set[int]) -> bool:
    found = False
    for index, inst in enumerate(block.insts):
        is_candidate = is_pure(inst) and inst.op.name not in ("MOV", "CONST") and passing.isdisjoint(inst.reads())
        computation = (inst.op.name, tuple(inst.reads()), inst.b, inst.x, inst.y)
        earlier = known.get(computation) if is_candidate else None
        if earlier is not None:
            block.insts[index] = copy = Inst("MOV", inst.a, earlier)
            copy.location = inst.location
            found = True
        written = inst.defines()
        for other in [other for other in known if any(unit in other[1] for unit in written)]:
            del known[other]
        if is_candidate and earlier is None and inst.a not in inst.reads() and lasting[inst.a]:
            known[computation] = inst.a
    return found


# --- copies ---


def _propagate_copies(code: VirtualCode, definitions: list[list[int]], shown: set[int]) -> None:
    """Who reads a copy reads the original, where that does not change for as long as the copy is needed."""
    ranges = liveness.analyse(code).ranges
    written = [sum(1 << position for position in positions) for positions in definitions]
    special = shown.union(code.parameters, code.results, code.outgoing)
    passing = _passing(code)
    original: dict[int, int] = {}
    for block in code.blocks:
        for inst in block.insts:
            if inst.op.name != "MOV":
                continue
            copy, source = inst.a, _find(original, inst.b)
            if copy in special or copy == source or len(definitions[copy]) != 1 or _in_group(code, copy):
                continue
            if source in passing:
                continue
            needed = ranges[copy]
            elsewhere = needed & ~(1 << definitions[copy][0])
            if needed & 1 or elsewhere & written[source]:  # the lowest bit: it is read before it is written
                continue
            original[copy] = source
            ranges[source] |= needed
    for block in code.blocks:
        for inst in block.insts:
            _read_originals(inst, original)


def _in_group(code: VirtualCode, unit: int) -> bool:
    return code.group_size.get(unit) != 1


def _find(original: dict[int, int], unit: int) -> int:
    while unit in original:
        unit = original[unit]
    return unit


def _read_originals(inst: Inst, original: dict[int, int]) -> None:
    for name, count in inst.op.reads:
        if count == 1:
            setattr(inst, name, _find(original, getattr(inst, name)))
    inst.extra_reads = tuple(_find(original, unit) for unit in inst.extra_reads)


# --- dead code ---


def is_pure(inst: Inst) -> bool:
    """Whether an instruction does nothing but write its result."""
    return inst.op.name in _PURE


def remove_dead_code(code: VirtualCode) -> None:
    """Instructions that only write units that nobody reads do nothing; their places stay, for debug information."""
    reads = [0] * len(code.group_base)
    for block in code.blocks:
        for inst in block.insts:
            for unit in inst.reads():
                reads[unit] += 1
    for block in reversed(code.blocks):
        for index in range(len(block.insts) - 1, -1, -1):
            inst = block.insts[index]
            if is_pure(inst) and not any(reads[unit] for unit in inst.defines()):
                for unit in inst.reads():
                    reads[unit] -= 1
                block.insts[index] = Inst("NOP")
