# SPDX-License-Identifier: Apache-2.0
"""Instructions and functions that pancam adds to a program: those that choose values, and notes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pancam.bytecode.promote import used_values
from pancam.ir.model import NO_ATTRIBUTES, Block, Call, Function, GlobalVariable, Instruction
from pancam.ir.types import I1, I32, I64, PTR, VOID, FloatType, PointerType, array_type, function_type, int_type
from pancam.ir.values import ConstantAggregate, ConstantInt, GlobalRef, Local
from pancam.nondet.cells import Cell
from pancam.nondet.views import joined

if TYPE_CHECKING:
    from pancam.ir.model import ParamAttributes
    from pancam.ir.types import Type
    from pancam.ir.values import Value
    from pancam.nondet.flow import Spot
    from pancam.nondet.program_view import ProgramView, Use
    from pancam.nondet.views import Interval

NOTE = "__pancam_note"
CHOOSE = "__pancam_choose"
MOST_CHECKED = 8  # intervals that a note compares with; with more it is taken always


def call_of(callee: GlobalRef, result: Type, attributes: ParamAttributes, parameters: tuple[Type, ...] = ()) -> Call:
    """A direct call."""
    given = (NO_ATTRIBUTES,) * len(parameters)
    return Call(callee, function_type(result, parameters), given, attributes, frozenset())


class Code:
    """What is added to a program."""

    def __init__(self, program: ProgramView) -> None:
        self.program = program
        self.functions: dict[str, Function] = {}
        self.globals: dict[str, GlobalVariable] = {}
        self._choosers: dict[tuple[str, Type, tuple[int, ...]], str] = {}
        self._locals = 0

    def _local(self, type_: Type) -> Local:
        self._locals += 1
        return Local(f"added {self._locals}", type_)

    # --- functions that choose ---

    def chooser(
        self, source: str, type_: Type, values: tuple[int, ...], name: str | None = None, note: int | None = None
    ) -> str:
        """The name of a function that gives one of the values; one that is called `source` in traces."""
        key = (source, type_, values)
        if name is None:
            if key in self._choosers:
                return self._choosers[key]
            name = self._choosers[key] = f"{source} {len(self._choosers) + 1}"
        body = [] if note is None else [_note_call(note, ConstantInt(I1, 1), None)]
        body += self._choice(name, type_, values)
        block = Block("entry", list(body))
        self.functions[name] = Function(
            name, function_type(type_, ()), (), (), NO_ATTRIBUTES, "internal", is_declaration=False,
            attributes=frozenset(), subprogram=None, parse_body=lambda _: {"entry": block},
        )  # fmt: skip
        return name

    def _choice(self, name: str, type_: Type, values: tuple[int, ...]) -> list[Instruction]:
        layout = self.program.layout
        cell = int_type(8 * layout.size(type_))
        table = array_type(len(values), cell)
        self.globals[f"{name} values"] = GlobalVariable(
            f"{name} values", table, "private", is_constant=True, is_declaration=False, is_thread_local=False,
            is_externally_initialized=False, align=layout.size_align(type_)[1], section=None, addrspace=0,
            debug_ids=(), initializer=ConstantAggregate(table, tuple(ConstantInt(cell, value) for value in values)),
        )  # fmt: skip
        number, address, value = self._local(I64), self._local(PTR), self._local(type_)
        zero: Value = ConstantInt(I64, 0)
        first: list[Instruction] = []
        index: Value = zero
        if len(values) > 1:
            call = call_of(GlobalRef(CHOOSE), I64, NO_ATTRIBUTES, (I64,))
            first = [Instruction("call", number, I64, (ConstantInt(I64, len(values)),), None, call=call)]
            index = number
        base = GlobalRef(f"{name} values")
        return [
            *first,
            Instruction("getelementptr", address, PTR, (base, zero, index), None, source_type=table),
            Instruction("load", value, type_, (address,), None, source_type=type_),
            Instruction("ret", None, VOID, (value,), None),
        ]

    # --- notes ---

    def note(self, use: Use, number: int) -> None:
        """Take a note whenever the instruction is executed."""
        self._insert(use, [_note_call(number, ConstantInt(I1, 1), use.instruction.location)])

    def note_value(self, spot: Spot, number: int, bad: list[Interval]) -> None:
        """Take a note when the value that the instruction uses lies in one of the intervals."""
        use = spot.use
        value = None if isinstance(spot.node, Cell) else used_values(use.instruction)[use.place]
        intervals = joined(bad)
        if value is None or isinstance(value.type, FloatType) or len(intervals) > MOST_CHECKED:
            self.note(use, number)
            return
        location = use.instruction.location
        added: list[Instruction] = []
        type_ = int_type(self.program.layout.scalar_bits(value.type))
        if isinstance(value.type, PointerType):
            number_of = self._local(type_)
            added.append(Instruction("ptrtoint", number_of, type_, (value,), location))
            value = number_of
        found: Value = ConstantInt(I1, 0)
        for interval in intervals:
            found = self._within(added, value, interval, found, location)
        self._insert(use, [*added, _note_call(number, found, location)])

    def _within(
        self, added: list[Instruction], value: Value, interval: Interval, or_else: Value, location: int | None
    ) -> Value:
        low, high = interval
        type_ = int_type(self.program.layout.scalar_bits(value.type))
        moved, inside, either = self._local(type_), self._local(I1), self._local(I1)
        size = ConstantInt(type_, high - low)
        added += [
            Instruction("sub", moved, type_, (value, ConstantInt(type_, low)), location),
            Instruction("icmp", inside, I1, (moved, size), location, predicate="ule"),
            Instruction("or", either, I1, (or_else, inside), location),
        ]
        return either

    def _insert(self, use: Use, added: list[Instruction]) -> None:
        """Before the instruction; what a phi uses, it uses at the end of the block that the value comes from."""
        block, at = use.block, use.instruction
        if at.opcode == "phi":
            label = at.incoming[use.place - len(at.operands)][1]
            block = self.program.functions[use.function].blocks[label]
            at = block.instructions[-1]
        place = next(number for number, item in enumerate(block.items) if item is at)
        block.items[place:place] = added


def _note_call(number: int, condition: Value, location: int | None) -> Instruction:
    call = call_of(GlobalRef(NOTE), VOID, NO_ATTRIBUTES, (I32, I1))
    return Instruction("call", None, VOID, (ConstantInt(I32, number), condition), location, call=call)
