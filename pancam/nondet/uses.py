# SPDX-License-Identifier: Apache-2.0
"""What one use of a followed value does with it: hands it on, compares it with constants, nothing, or more than that.

This is where each instruction is judged. An instruction that is not listed is a Sink: it may decide anything.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from pancam.bytecode.promote import is_lifetime_marker
from pancam.ir.types import FloatType, IntType, PointerType
from pancam.ir.values import ConstantFloat, ConstantInt, ConstantNull
from pancam.isa import math_functions
from pancam.nondet.calls import argument_target, harmless_argument, result_targets
from pancam.nondet.cells import Cell, accessed_type
from pancam.nondet.printing import is_only_printed

if TYPE_CHECKING:
    from collections.abc import Callable

    from pancam.ir.model import Instruction
    from pancam.ir.types import Type
    from pancam.ir.values import Value
    from pancam.nondet.cells import Cells
    from pancam.nondet.flow import Node
    from pancam.nondet.program_view import ProgramView, Use
    from pancam.nondet.views import View

    Change = Callable[[View], View | None]


@dataclass(frozen=True, slots=True)
class Nothing:
    """Nobody can tell the values apart here."""


@dataclass(frozen=True, slots=True)
class FollowThrough:
    """The value goes on to `target`, changed; without `change`, what arrives there is derived from it.

    If that is not 0, what arrives there depends only on the value modulo `period`.
    """

    target: Node
    change: Change | None = None
    hints: tuple[int, ...] = ()
    period: int = 0


@dataclass(frozen=True, slots=True)
class Meeting:
    """Comparisons with constants, of values of so many bits: only their outcomes matter."""

    width: int
    predicate: str
    constants: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Sink:
    """The value itself matters, or may; `is_lost`: nobody knows to whom."""

    is_lost: bool = False


Effect: TypeAlias = Nothing | FollowThrough | Meeting | Sink

LOST = Sink(is_lost=True)
COPIES = {"phi", "freeze", "bitcast"}
# Arithmetic that can neither fault nor touch anything: its result is derived. Division is judged by its divisor.
PURE = {
    "add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr", "fadd", "fsub", "fmul", "fdiv", "frem", "fneg",
    "fptrunc", "fpext", "fptosi", "fptoui", "sitofp", "uitofp", "getelementptr", "extractvalue", "insertvalue",
    "extractelement", "insertelement", "shufflevector",
}  # fmt: skip
LONGEST_PERIOD = 256
DIVISIONS = {"sdiv", "udiv", "srem", "urem"}
PURE_INTRINSICS = (
    "llvm.umin.", "llvm.umax.", "llvm.smin.", "llvm.smax.", "llvm.abs.", "llvm.ctpop.", "llvm.ctlz.", "llvm.cttz.",
    "llvm.bswap.", "llvm.bitreverse.", "llvm.fshl.", "llvm.fshr.", "llvm.uadd.", "llvm.sadd.", "llvm.usub.",
    "llvm.ssub.", "llvm.umul.", "llvm.smul.", "llvm.fabs.", "llvm.copysign.", "llvm.minnum.", "llvm.maxnum.",
    "llvm.fmuladd.", "llvm.expect.", "llvm.is.fpclass.",
)  # fmt: skip


def effects_of(program: ProgramView, cells: Cells, node: Node, use: Use) -> list[Effect]:
    """All that a use does with the value in `node`, which it reads at its place."""
    if isinstance(node, Cell):
        return _read_cell(program, node, use)
    instruction = use.instruction
    if instruction.call is not None:
        return _pass_argument(program, use)
    if instruction.opcode in ("store", "atomicrmw", "cmpxchg"):
        return [_put_into_memory(cells, use)]
    if instruction.opcode == "ret":
        return _give_back(program, use)
    return [_compute(program, use)]


# --- computing ---


def _compute(program: ProgramView, use: Use) -> Effect:
    instruction, place = use.instruction, use.place
    opcode = instruction.opcode
    if opcode in ("br", "switch"):
        constants = tuple(case.value for case, _ in instruction.cases) if opcode == "switch" else (1,)
        return _meeting(program, instruction.operands[0].type, "eq", constants)
    if opcode == "icmp":
        return _comparison(program, instruction, place)
    if opcode == "select" and place == 0:
        return _meeting(program, instruction.operands[0].type, "eq", (1,))
    if opcode in DIVISIONS:
        return _division(program, use)
    if opcode in COPIES or opcode == "select":
        return _onward(use, _same if _is_scalar(instruction.type) else None)
    if opcode in CASTS:
        return _onward(use, _cast(program, instruction), _kept_bits(program, use))
    if opcode in PURE:
        return _onward(use, _shift(use) if opcode == "lshr" else _addition(program, use), _kept_bits(program, use))
    return Sink() if opcode in ("fcmp", "load") else LOST


CASTS = {"zext", "sext", "trunc", "inttoptr", "ptrtoint"}


def _same(view: View) -> View | None:
    return view


def _is_scalar(type_: Type) -> bool:
    return isinstance(type_, (IntType, PointerType, FloatType))


def _onward(use: Use, change: Change | None, period: int = 0) -> Effect:
    assert use.instruction.result is not None
    others = [value for place, value in enumerate(use.instruction.operands) if place != use.place]
    hints = tuple(value.value for value in others if isinstance(value, ConstantInt)) if change is None else ()
    return FollowThrough((use.function, use.instruction.result.name), change, hints, period)


def _meeting(program: ProgramView, type_: Type, predicate: str, constants: tuple[int, ...]) -> Effect:
    if not isinstance(type_, (IntType, PointerType)):
        return Sink()
    return Meeting(program.layout.scalar_bits(type_), predicate, constants)


SWAPPED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le"}


def _comparison(program: ProgramView, instruction: Instruction, place: int) -> Effect:
    constant = constant_number(instruction.operands[1 - place])
    predicate = instruction.predicate
    if constant is None or predicate is None:
        return Sink()
    if place == 1 and predicate not in ("eq", "ne"):
        predicate = predicate[0] + SWAPPED[predicate[1:]]
    return _meeting(program, instruction.operands[place].type, predicate, (constant,))


def constant_number(value: Value) -> int | None:
    """The number that a constant is, if it is one."""
    if isinstance(value, ConstantNull):
        return 0
    return value.value if isinstance(value, ConstantInt) else None


def _division(program: ProgramView, use: Use) -> Effect:
    """By a constant that is neither 0 nor -1, nothing can go wrong."""
    divisor, opcode = use.instruction.operands[1], use.instruction.opcode
    if use.place == 1 or not isinstance(divisor, ConstantInt) or divisor.value in (0, -1, 1):
        return Sink()
    number = divisor.value % (1 << program.layout.scalar_bits(divisor.type))
    if opcode == "udiv":
        return _onward(use, lambda view: view.divided(number))
    return _onward(use, None, number if opcode == "urem" and number <= LONGEST_PERIOD else 0)


def _shift(use: Use) -> Change | None:
    """To the right by a constant, and zeros come in: a division."""
    count, type_ = use.instruction.operands[1], use.instruction.type
    if use.place == 1 or not isinstance(count, ConstantInt) or not isinstance(type_, IntType):
        return None
    bits = count.value
    return (lambda view: view.divided(1 << bits)) if 0 <= bits < type_.width else None


def _kept_bits(program: ProgramView, use: Use) -> int:
    """What is left of the value are its low bits: the period of the result, if it is short."""
    instruction = use.instruction
    if not isinstance(instruction.type, IntType):
        return 0
    width = program.layout.scalar_bits(instruction.type)
    if instruction.opcode == "trunc":
        return 1 << width if 1 << width <= LONGEST_PERIOD else 0
    mask = instruction.operands[1 - use.place] if instruction.opcode == "and" else None
    if not isinstance(mask, ConstantInt):
        return 0
    period = 1 << (mask.value % (1 << width)).bit_length()
    return period if period <= LONGEST_PERIOD else 0


def _cast(program: ProgramView, instruction: Instruction) -> Change | None:
    if not _is_scalar(instruction.type) or not _is_scalar(instruction.operands[0].type):
        return None
    width = program.layout.scalar_bits(instruction.type)
    signed = instruction.opcode == "sext"

    def change(view: View) -> View | None:
        return view.extended(width, signed=signed) if width >= view.width else view.truncated(width)

    return change


def _addition(program: ProgramView, use: Use) -> Change | None:
    """Additions of constants are followed exactly, and so is the negation of a truth value."""
    instruction, place = use.instruction, use.place
    if instruction.opcode not in ("add", "sub", "xor") or not isinstance(instruction.type, IntType):
        return None
    constant = instruction.operands[1 - place]
    width = program.layout.scalar_bits(instruction.type)
    if not isinstance(constant, ConstantInt) or (instruction.opcode == "sub" and place == 1):
        return None
    if instruction.opcode == "xor" and width > 1:
        return None
    number = -constant.value if instruction.opcode == "sub" else constant.value
    return lambda view: view.added(number)


# --- memory ---


def _put_into_memory(cells: Cells, use: Use) -> Effect:
    """The value is an operand of a store or of an atomic operation."""
    instruction = use.instruction
    address_place, value_place = {"store": (1, 0), "atomicrmw": (0, 1), "cmpxchg": (0, 2)}[instruction.opcode]
    cell = cells.at(use.function, instruction.operands[address_place])
    if use.place != value_place:
        return Sink()  # an address, or what a cmpxchg expects
    if cell is None:
        return LOST
    is_copy = instruction.opcode != "atomicrmw" or instruction.rmw_operation == "xchg"
    return FollowThrough(cell, _same if is_copy else None)


def _read_cell(program: ProgramView, cell: Cell, use: Use) -> list[Effect]:
    instruction = use.instruction
    result = instruction.result
    if instruction.opcode == "load":
        assert result is not None
        return [FollowThrough((use.function, result.name), _same)]
    if instruction.opcode == "atomicrmw":
        effects: list[Effect] = [] if instruction.rmw_operation == "xchg" else [FollowThrough(cell)]
        return [*effects, *([FollowThrough((use.function, result.name), _same)] if result is not None else [])]
    if instruction.opcode != "cmpxchg":
        return [LOST]
    constant = constant_number(instruction.operands[1])
    found = Sink() if constant is None else _meeting(program, accessed_type(instruction), "eq", (constant,))
    return [found, *_parts_of_exchange(program, use)]


def _parts_of_exchange(program: ProgramView, use: Use) -> list[Effect]:
    """A cmpxchg gives the old value and whether it was the expected one, which the comparison covers."""
    result = use.instruction.result
    if result is None:
        return []
    effects: list[Effect] = []
    for part in program.uses.get((use.function, result.name), []):
        if part.instruction.opcode != "extractvalue":
            return [LOST]
        if part.instruction.indices == (0,):
            effects.append(_onward(part, _same))
    return effects


# --- calls ---


def _pass_argument(program: ProgramView, use: Use) -> list[Effect]:
    instruction = use.instruction
    name = program.callee(instruction)
    if name is None or use.place >= len(instruction.operands):
        return [LOST]
    if name.startswith(PURE_INTRINSICS) or (name in math_functions() and name not in program.functions):
        return [_onward(use, None)]
    if name == "__pancam_assume":
        return [_meeting(program, instruction.operands[0].type, "eq", (0,))]
    if is_lifetime_marker(instruction) or harmless_argument(program, use) or is_only_printed(program, use):
        return [Nothing()]
    target = argument_target(program, use)
    return [LOST if target is None else FollowThrough(target, _same)]


def _give_back(program: ProgramView, use: Use) -> list[Effect]:
    targets = result_targets(program, use.function)
    if targets is None:
        return [LOST]
    return [FollowThrough(target, _same) for target in targets]


def compared_floats(program: ProgramView) -> set[int]:
    """The bits of all floating-point constants that the program compares with."""
    return {
        value.bits
        for _, _, instruction in program.instructions()
        if instruction.opcode == "fcmp"
        for value in instruction.operands
        if isinstance(value, ConstantFloat)
    }
