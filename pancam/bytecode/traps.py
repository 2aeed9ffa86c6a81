# SPDX-License-Identifier: Apache-2.0
"""Lowers the traps of Clang's -fsanitize-trap: what they say, where, and with which numbers.

A check is a branch to a block that is nothing but `llvm.ubsantrap(kind)`. Optimisation makes one such block of all
that have the same kind, with no line of its own. So each branch gets its own trap, which has the branch's line and
shows the numbers that were checked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pancam.bytecode.layout import SLOT_BITS
from pancam.ir.values import ConstantInt, GlobalRef, Local
from pancam.isa import WIDTHS, constants, faults

if TYPE_CHECKING:
    from pancam.bytecode.function import FunctionLowering
    from pancam.ir.model import Instruction
    from pancam.ir.values import Value

# Clang's numbers of its checks (SanitizerHandler.h), which new releases only add to.
_ADD, _UNREACHABLE, _DIVREM, _NO_RETURN, _MUL, _NEGATE, _INDEX, _SHIFT, _SUB, _TYPE, _ALIGNMENT = (
    0, 1, 3, 11, 12, 13, 18, 20, 21, 22, 23,
)  # fmt: skip
FAULTS = {
    _ADD: "OVERFLOW", _SUB: "OVERFLOW", _MUL: "OVERFLOW", _NEGATE: "OVERFLOW", _SHIFT: "SHIFT_RANGE",
    _DIVREM: "DIV_ZERO", _INDEX: "INDEX_BOUNDS", _UNREACHABLE: "UNREACHABLE", _NO_RETURN: "UNREACHABLE",
    _TYPE: "MISALIGNED", _ALIGNMENT: "MISALIGNED",
}  # fmt: skip
_OPERATIONS = {_ADD: "TRAP_ADD", _SUB: "TRAP_SUB", _MUL: "TRAP_MUL", _NEGATE: "TRAP_NEGATE", _INDEX: "TRAP_INDEX"}
_SHIFTS = {"shl": "TRAP_SHL", "ashr": "TRAP_SHR", "lshr": "TRAP_SHR"}
_DIVISIONS = {"sdiv": "SDIV", "srem": "SDIV", "udiv": "UDIV", "urem": "UDIV"}
_TRANSPARENT = ("xor", "and", "or", "extractvalue", "freeze", "select")
_UBSAN_TRAP = "llvm.ubsantrap"


class _Checked(NamedTuple):
    """The operation that a check is about, one of TRAP_* with its two operands."""

    operation: str
    left: Value
    right: Value


def trap_kind(instruction: Instruction) -> int | None:
    """The kind of check that a call of llvm.ubsantrap stands for; None for any other instruction."""
    callee = instruction.call.callee if instruction.call is not None else None
    if not isinstance(callee, GlobalRef) or callee.name != _UBSAN_TRAP:
        return None
    kind = instruction.operands[0]
    assert isinstance(kind, ConstantInt)
    return kind.value & 0xFF


def lower_trap(lowering: FunctionLowering, instruction: Instruction) -> None:
    """A trap that no branch of its own leads to."""
    kind = trap_kind(instruction)
    assert kind is not None
    lowering.emitter.trap(faults()[FAULTS.get(kind, "TRAP")][0])
    lowering.start_block(lowering.new_label("after"))


def trap_edge(lowering: FunctionLowering, branch: Instruction, target: str) -> str | None:
    """The label of a trap for this branch alone, if that is what the block `target` is."""
    instructions = lowering.function.blocks[target].instructions
    kind = trap_kind(instructions[0])
    if kind is None:
        return None
    passed = next((t for t in branch.targets if t != target), target)
    here, label = lowering.emitter.block, lowering.new_label("trap")
    lowering.start_block(label)
    _emit(lowering, kind, branch, passed)
    lowering.emitter.block = here
    return label


def _emit(lowering: FunctionLowering, kind: int, branch: Instruction, passed: str) -> None:
    fault = FAULTS.get(kind, "TRAP")
    tests = _tests(lowering, branch.operands[0]) if branch.operands else []
    if kind == _DIVREM:
        _emit_division(lowering, tests, passed)
        return
    if kind == _TYPE and not any(_is_alignment_test(lowering, test) for test in tests):
        fault = "TRAP"  # of -fsanitize=null or object-size, which nobody asks for by default
    checked = _shift(lowering, passed) if kind == _SHIFT else _checked(kind, tests)
    bits = lowering.layout.scalar_bits(checked.left.type) if checked is not None else 0
    if checked is None or bits > SLOT_BITS:
        lowering.emitter.trap(faults()[fault][0])
        return
    left, right = (lowering.unit(operand) for operand in (checked.left, checked.right))
    what = constants()[checked.operation] | bits << 8
    lowering.emitter.emit("TRAPV", left, right, x=faults()[fault][0], y=what)


def _emit_division(lowering: FunctionLowering, tests: list[Instruction], passed: str) -> None:
    """The machine's own division tells what is wrong with it; where it was optimised away, the test for zero does."""
    emitter = lowering.emitter
    division = _first(lowering, passed, _DIVISIONS)
    zero_tests = [t for t in tests if t.predicate in ("eq", "ne") and _is_number(t.operands[1], 0)]
    bits = lowering.layout.scalar_bits((division or zero_tests[0]).operands[0].type) if division or zero_tests else 0
    if bits not in WIDTHS:
        overflows = bool(tests) and all(_is_overflow_test(lowering, test) for test in tests)
        emitter.trap(faults()["DIV_OVERFLOW" if overflows else "DIV_ZERO"][0])
        return
    if division is not None:
        left, right = (lowering.unit(operand) for operand in division.operands)
        emitter.emit(f"{_DIVISIONS[division.opcode]}{bits}", emitter.unit(), left, right)
    else:
        divisor = lowering.unit(zero_tests[0].operands[0])
        emitter.emit(f"UDIV{bits}", emitter.unit(), divisor, divisor)
    emitter.trap(faults()["DIV_OVERFLOW"][0])


def _tests(lowering: FunctionLowering, condition: Value) -> list[Instruction]:
    """The comparisons and checked operations that a condition is made of, all of which come before the branch."""
    found: list[Instruction] = []
    work, seen = [condition], set[str]()
    while work:
        value = work.pop(0)
        made = lowering.definitions.get(value.name) if isinstance(value, Local) else None
        if made is None or not isinstance(value, Local) or value.name in seen:
            continue
        seen.add(value.name)
        if made.opcode in _TRANSPARENT:
            work.extend(made.operands)
        elif made.opcode in ("icmp", "call"):
            found.append(made)
    return found


def _checked(kind: int, tests: list[Instruction]) -> _Checked | None:
    """Of an index check: index and bound. Of arithmetic: the operands, as long as the check is the one Clang made."""
    if len(tests) != 1 or kind not in _OPERATIONS:
        return None
    test = tests[0]
    if kind == _INDEX:
        is_test = test.predicate in ("ult", "ule") and isinstance(test.operands[1], ConstantInt)
        return _Checked(_OPERATIONS[kind], *test.operands) if is_test else None
    callee = test.call.callee if test.call is not None else None
    if isinstance(callee, GlobalRef) and ".with.overflow." in callee.name:
        return _Checked(_OPERATIONS[kind], *test.operands)
    return None


def _shift(lowering: FunctionLowering, passed: str) -> _Checked | None:
    """The shift that follows when its check passes: its operands are known before."""
    shift = _first(lowering, passed, _SHIFTS)
    return _Checked(_SHIFTS[shift.opcode], *shift.operands) if shift is not None else None


def _first(lowering: FunctionLowering, block: str, wanted: dict[str, str]) -> Instruction | None:
    """The first instruction of a block, if it is one of these: what a check that just passed was made for."""
    first = lowering.function.blocks[block].instructions[0]
    return first if first.opcode in wanted else None


def _is_number(value: Value, number: int) -> bool:
    return isinstance(value, ConstantInt) and value.value == number


def _is_overflow_test(lowering: FunctionLowering, test: Instruction) -> bool:
    """Whether an operand is compared with the least number or with -1."""
    bits = lowering.layout.scalar_bits(test.operands[0].type)
    return any(_is_number(test.operands[-1], number) for number in (-1, -(1 << (bits - 1))))


def _is_alignment_test(lowering: FunctionLowering, test: Instruction) -> bool:
    """`address & (alignment - 1)`, compared with zero."""
    left = test.operands[0]
    made = lowering.definitions.get(left.name) if isinstance(left, Local) else None
    return made is not None and made.opcode == "and" and test.predicate in ("eq", "ne")
