# SPDX-License-Identifier: Apache-2.0
"""Fewer jumps: those to jumps go on at once, tests are done where it is known what they test, blocks fall through.

Here a block ends with a jump to each of its successors, the last one without a condition; `shorten_jumps` then drops
what the order of blocks makes superfluous.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pancam.bytecode.code import MASK32, CodeBlock, Inst, VirtualCode
from pancam.bytecode.emitter import fits, fits32, signed
from pancam.bytecode.liveness import live_out_sets
from pancam.bytecode.simplify import is_pure
from pancam.isa import OPCODES

if TYPE_CHECKING:
    from collections.abc import Container

TEST_AND_JUMP = 2  # instructions
COMPARISONS = ("EQ", "NE", "ULT", "ULE", "SLT", "SLE", "UGT", "SGT")
INVERSE = {"JEQ": "JNE", "JNE": "JEQ", "JEQI": "JNEI", "JNEI": "JEQI", "JANYI": "JNONEI", "JNONEI": "JANYI"}


def inverted(inst: Inst) -> Inst | None:
    """The jump that is taken exactly when this one is not."""
    name = inst.op.name
    if name in INVERSE:
        opposite = Inst(INVERSE[name], inst.a, inst.b, 0, 0, inst.y)
    elif name.startswith(("JULT", "JSLT", "JULE", "JSLE")) and inst.op.operands[1] == "S":
        swapped = name.replace("LT", "le").replace("LE", "LT").replace("le", "LE")
        opposite = Inst(swapped, inst.b, inst.a)
    elif name.startswith(("JULTI", "JUGTI", "JSLTI", "JSGTI")):
        number = signed(inst.y, min(32, int(name[5:] or 64)))
        number += -1 if "LTI" in name else 1  # not below n is above n - 1
        if not _is_immediate(name, number):
            return None
        swapped = name.replace("LTI", "gti").replace("GTI", "LTI").replace("gti", "GTI")
        opposite = Inst(swapped, inst.a, 0, 0, 0, number & MASK32)
    else:
        return None
    opposite.location = inst.location
    return opposite


def _is_immediate(name: str, number: int) -> bool:
    """Whether a comparison with the number next to one that it can be done with is the one it looks like."""
    if name.startswith("JU"):  # it is sign-extended: from -1, the largest number, to 0 is a step too far
        return fits32(number) and number != (-1 if "LTI" in name else 0)
    return fits32(number) and fits(number, int(name[5:]))


def thread_jumps(code: VirtualCode) -> None:
    """A jump to a block that only jumps goes on to where that one leads; blocks that nobody jumps to are dropped."""
    blocks = code.blocks
    leads: dict[str, str] = {}
    for block in blocks:
        insts = _working(block)
        if len(insts) == 1 and insts[0].op.name == "JMP" and insts[0].target is not None:
            leads[block.label] = insts[0].target

    def final(label: str) -> str:
        seen = {label}
        while (following := leads.get(label)) is not None and following not in seen:
            label = following
            seen.add(label)
        return label

    for block in blocks:
        for inst in block.insts:
            if inst.target is not None:
                inst.target = final(inst.target)
    needed = _reachable(blocks) | _addressed(blocks)
    code.blocks = [block for block in blocks if block.label in needed]


def shorten_jumps(code: VirtualCode, shown: Container[int], with_records: Container[str]) -> None:
    """Bring the code to its final form. Units that are `shown` to users, and blocks `with_records` of them, stay."""
    _repeat_tests(code.blocks, with_records)
    thread_jumps(code)
    if not code.keeps_everything:  # otherwise control may come back to where nothing seems to lead
        _fuse_tests(code.blocks, shown)
        _drop_dead_ends(code)
        thread_jumps(code)
    _arrange(code.blocks)


def _drop_dead_ends(code: VirtualCode) -> None:
    """What is read on other ways only, such as the value of a test that is known on this one, need not be made."""
    live_out = live_out_sets(code.blocks)
    for block in code.blocks:
        live = live_out[block.label]
        for index in range(len(block.insts) - 1, -1, -1):
            inst = block.insts[index]
            if is_pure(inst) and not any(live >> unit & 1 for unit in inst.defines()):
                block.insts[index] = Inst("NOP")
                continue
            for unit in inst.defines():
                live &= ~(1 << unit)
            for unit in inst.reads():
                live |= 1 << unit


def _working(block: CodeBlock) -> list[Inst]:
    return [inst for inst in block.insts if inst.op.name != "NOP"]


def _addressed(blocks: list[CodeBlock]) -> set[str]:
    return {label for block in blocks for inst in block.insts if inst.targets for label, _ in inst.targets.blocks}


def _reachable(blocks: list[CodeBlock]) -> set[str]:
    by_label = {block.label: block for block in blocks}
    reached, work = {blocks[0].label}, [blocks[0].label]
    while work:
        new = [label for label in by_label[work.pop()].successors() if label not in reached]
        reached.update(new)
        work.extend(new)
    return reached


def _repeat_tests(blocks: list[CodeBlock], with_records: Container[str]) -> None:
    """A jump to a block that only tests becomes that test: a loop then takes one jump for each round, not two.

    Where it is known what is tested, it is just a jump. Blocks with debug records stay on the way, since the records
    hold from there on.
    """
    tests = {}
    for block in blocks:
        insts = _working(block)
        if len(insts) == TEST_AND_JUMP and insts[0].target and insts[1].target and block.label not in with_records:
            tests[block.label] = insts
    for block in blocks:
        if not block.insts or block.insts[-1].op.name != "JMP" or block.label in tests:
            continue
        target = block.insts[-1].target
        if target not in tests:
            continue
        known = _outcome(block, tests[target][0])
        if known is not None:
            block.insts[-1].target = tests[target][0 if known else 1].target
        else:
            block.insts[-1:] = [inst.copy() for inst in tests[target]]


def _outcome(block: CodeBlock, test: Inst) -> bool | None:
    """Whether a test at the end of the block is true, if the block itself makes a constant of what is tested."""
    if test.op.name not in ("JEQI", "JNEI"):
        return None
    last = next((inst for inst in reversed(block.insts) if test.a in inst.defines()), None)
    if last is None or last.op.name != "CONST" or last.label is not None:
        return None
    same = signed(last.x | last.y << 32, 64) == signed(test.y, 32)
    return same == (test.op.name == "JEQI")


def _fuse_tests(blocks: list[CodeBlock], shown: Container[int]) -> None:
    """A comparison (or a mask) whose result is only tested, and at once, perhaps as a copy, becomes the test."""
    live_out = live_out_sets(blocks)
    for block in blocks:
        places = [index for index, inst in enumerate(block.insts) if inst.op.name != "NOP"]
        if len(places) <= TEST_AND_JUMP:
            continue
        test, jump = (block.insts[index] for index in places[-2:])
        if test.op.name not in ("JEQI", "JNEI") or test.y != 0 or jump.op.name != "JMP":
            continue
        made = _made_for(test, block, places[:-2])
        units = {block.insts[index].a for index in made}
        fused = _as_jump(block.insts[made[-1]]) if made else None
        if fused is None or any(unit in shown or live_out[block.label] >> unit & 1 for unit in units):
            continue
        fused.location = test.location
        targets = (test.target, jump.target) if test.op.name == "JNEI" else (jump.target, test.target)
        fused.target, jump.target = targets
        block.insts[places[-2]] = fused
        for index in made:
            block.insts[index] = Inst("NOP")


def _made_for(test: Inst, block: CodeBlock, places: list[int]) -> list[int]:
    """The places of the instructions just before a test that make what it tests: a comparison, copies of its result."""
    unit, found = test.a, []
    for index in reversed(places):
        inst = block.insts[index]
        if inst.defines() != [unit]:
            return []
        found.append(index)
        if inst.op.name != "MOV":
            return found
        unit = inst.b
    return []


def _as_jump(comparison: Inst) -> Inst | None:
    name = comparison.op.name
    if name == "ANDI":
        name = "ANYI"
    elif not name.startswith(COMPARISONS) or f"J{name}" not in OPCODES:  # 128 bits
        return None
    if comparison.op.immediate != "IMM":
        return Inst(f"J{name}", comparison.b, comparison.c)
    number = signed(comparison.x | comparison.y << 32, 64)
    return Inst(f"J{name}", comparison.b, y=number & MASK32) if fits32(number) else None


def _arrange(blocks: list[CodeBlock]) -> None:
    """Drop jumps to the block that follows, turning the condition round where that helps."""
    for block, following in zip(blocks, [*blocks[1:], None], strict=True):
        insts = block.insts
        if following is None or not insts or insts[-1].op.name != "JMP":
            continue
        if insts[-1].target == following.label:
            insts.pop()
            block.falls_into = following.label
            continue
        conditional = len(insts) > 1 and insts[-2].target == following.label
        opposite = inverted(insts[-2]) if conditional else None
        if opposite is not None:
            opposite.target = insts[-1].target
            insts[-2:] = [opposite]
            block.falls_into = following.label
