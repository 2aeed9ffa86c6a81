# SPDX-License-Identifier: Apache-2.0
"""Memory that values can be followed through: parts of variables that are only ever loaded and stored directly.

A cell is a place in a local or global variable that all accesses agree about: whatever is loaded from it was stored to
it, whole, or is what the variable began with. A variable whose address goes anywhere else has no cells. An array that
is indexed by computed numbers is one cell, if all its accesses are of one type: an access outside of the variable is a
fault, so that every access meets some element.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from pancam.bytecode.promote import is_lifetime_marker, used_values
from pancam.errors import UnsupportedError
from pancam.ir.types import ArrayType, FloatType, IntType, PointerType, StructType
from pancam.ir.values import ConstantExpr, ConstantInt, GlobalRef, Local
from pancam.nondet.program_view import globals_in

if TYPE_CHECKING:
    from pancam.ir.model import Instruction
    from pancam.ir.types import Type
    from pancam.ir.values import Value
    from pancam.nondet.program_view import ProgramView, Use

ADDRESS_PLACE = {"load": 0, "store": 1, "atomicrmw": 0, "cmpxchg": 0}

STEPS = ("getelementptr", "bitcast")
ABSTRACT_VARIABLE = "pancam_abs"  # the check itself looks at it

Variable: TypeAlias = tuple[str, str]  # function and name of an alloca; "" and name of a global


class Cell(NamedTuple):
    """`offset` is None for the cell that is a whole array."""

    function: str
    name: str
    offset: int | None


class Address(NamedTuple):
    """A place in a variable: `stride` is 0, or a number such that the place is offset + k * stride for some k."""

    variable: Variable
    offset: int
    stride: int


@dataclass
class _Accesses:
    places: set[tuple[int, int, Type]] = field(default_factory=set)  # offset, stride, type
    uses: list[tuple[Address, Use]] = field(default_factory=list)


@dataclass
class Cells:
    """All cells of a program."""

    view: ProgramView
    observed: bool = False  # somebody outside of the program's code may look at its global variables
    by_variable: dict[Variable, bool] = field(default_factory=dict)  # whether it is one cell
    readers: dict[Cell, list[Use]] = field(default_factory=dict)  # instructions that read a cell

    def __post_init__(self) -> None:
        accesses, lost = self._collect()
        for variable, found in accesses.items():
            if variable in lost:
                continue
            whole = self._is_uniform(found)
            if whole or self._are_apart(found):
                self.by_variable[variable] = whole
                self._index(found)

    def at(self, function: str, address: Value) -> Cell | None:
        """The cell that an address stands for, if it is one."""
        place = self.address(function, address)
        if place is None or place.variable not in self.by_variable:
            return None
        return Cell(*place.variable, None if self.by_variable[place.variable] else place.offset)

    def _index(self, found: _Accesses) -> None:
        for place, use in found.uses:
            whole = self.by_variable[place.variable]
            if use.instruction.opcode != "store":
                self.readers.setdefault(Cell(*place.variable, None if whole else place.offset), []).append(use)

    # --- addresses ---

    def address(self, function: str, value: Value) -> Address | None:
        """The place that a value is the address of, when it is computed from a variable in plain steps."""
        match value:
            case GlobalRef():
                name = self.view.resolve(value.name)
                variable = self.view.module.globals.get(name)
                return None if variable is None or variable.is_thread_local else Address(("", name), 0, 0)
            case ConstantExpr(op="getelementptr"):
                return self._stepped(function, value.source_type, value.operands)
            case ConstantExpr(op="bitcast"):
                return self.address(function, value.operands[0])
            case Local():
                definition = self.view.definitions.get((function, value.name))
                if definition is None:
                    return None
                if definition.opcode == "alloca":
                    return None if definition.operands else Address((function, value.name), 0, 0)
                if definition.opcode == "getelementptr":
                    return self._stepped(function, definition.source_type, definition.operands)
                if definition.opcode == "bitcast":
                    return self.address(function, definition.operands[0])
        return None

    def _stepped(self, function: str, type_: Type | None, operands: tuple[Value, ...]) -> Address | None:
        base = self.address(function, operands[0])
        if base is None or type_ is None:
            return None
        layout, offset, stride, current = self.view.layout, base.offset, base.stride, type_
        for position, index in enumerate(operands[1:]):
            if position and isinstance(current, StructType):
                if not isinstance(index, ConstantInt):
                    return None
                offset += layout.field_offset(current, index.value)
                current = current.elements[index.value]
                continue
            if position:
                if not isinstance(current, ArrayType):
                    return None
                current = current.element
            size = layout.size(current)
            if isinstance(index, ConstantInt):
                offset += index.value * size
            else:
                stride = _greatest_common(stride, size)
        return Address(base.variable, offset, stride)

    # --- collecting ---

    def _collect(self) -> tuple[dict[Variable, _Accesses], set[Variable]]:
        accesses: dict[Variable, _Accesses] = {}
        lost: set[Variable] = {("", name) for name in (*self.view.initial, ABSTRACT_VARIABLE)}
        if self.observed:
            lost |= {("", name) for name in self.view.globals}
        for uses in (*self.view.uses.values(), *self.view.mentions.values()):
            for use in uses:
                self._look_at(use, accesses, lost)
        return accesses, lost

    def _look_at(self, use: Use, accesses: dict[Variable, _Accesses], lost: set[Variable]) -> None:
        instruction = use.instruction
        value = used_values(instruction)[use.place]
        place = self.address(use.function, value)
        if place is None:
            lost |= {("", self.view.resolve(name)) for name in globals_in(value)}
            lost |= self._variables_behind(use.function, value)
            return
        if ADDRESS_PLACE.get(instruction.opcode) == use.place:
            found = accesses.setdefault(place.variable, _Accesses())
            found.places.add((place.offset, place.stride, accessed_type(instruction)))
            found.uses.append((place, use))
        elif not self._is_harmless(use):
            lost.add(place.variable)

    def _variables_behind(self, function: str, value: Value) -> set[Variable]:
        """A getelementptr that `address` cannot follow still points into what it starts from."""
        if not isinstance(value, Local):
            return set()
        definition = self.view.definitions.get((function, value.name))
        if definition is None or definition.opcode not in STEPS:
            return set()
        base = self.address(function, definition.operands[0])
        return {base.variable} if base else self._variables_behind(function, definition.operands[0])

    def _is_harmless(self, use: Use) -> bool:
        """Whether a use of an address neither reads nor writes nor gives it away."""
        instruction = use.instruction
        if instruction.opcode in STEPS:
            return use.place == 0  # its own uses are looked at
        return instruction.opcode == "icmp" or is_lifetime_marker(instruction) or self._is_plain_fill(use)

    def _is_plain_fill(self, use: Use) -> bool:
        """The whole variable set to a constant byte, or to what a constant holds: no value to follow comes in."""
        name = self.view.callee(use.instruction) or ""
        is_fill = name.startswith("llvm.memset.")
        if use.place != 0 or not (is_fill or name.startswith("llvm.memcpy.")):
            return False
        target, source, size = use.instruction.operands[:3]
        place = self.address(use.function, target)
        if place is None or place[1:] != (0, 0) or not isinstance(size, ConstantInt):
            return False
        if size.value != self._variable_size(place.variable):
            return False
        if is_fill:
            return isinstance(source, ConstantInt)
        origin = self.address(use.function, source)
        constant = self.view.module.globals.get(origin.variable[1]) if origin and not origin.variable[0] else None
        return constant is not None and constant.is_constant

    def _variable_size(self, variable: Variable) -> int:
        function, name = variable
        definition = self.view.definitions.get(variable)
        type_ = definition.source_type if definition is not None and function else self.view.module.globals[name].type
        assert type_ is not None
        return self.view.layout.size(type_)

    # --- judging ---

    def _is_uniform(self, found: _Accesses) -> bool:
        """All accesses are of one type, at multiples of its size; and some are at computed places."""
        types = {type_ for _, _, type_ in found.places}
        if len(types) != 1 or not any(stride for _, stride, _ in found.places):
            return False
        size = self._size(next(iter(types)))
        return size is not None and all(at % size == 0 and stride % size == 0 for at, stride, _ in found.places)

    def _are_apart(self, found: _Accesses) -> bool:
        """All accesses are at known places, and no two overlap in part."""
        if any(stride for _, stride, _ in found.places):
            return False
        end = None
        for offset, _, type_ in sorted(found.places, key=lambda place: place[0]):
            size = self._size(type_)
            if size is None or (end is not None and offset < end):
                return False  # two types at one place are two entries, of which the second begins too early
            end = offset + size
        return True

    def _size(self, type_: Type) -> int | None:
        """Bytes of a scalar that is whole bytes."""
        if not isinstance(type_, (IntType, FloatType, PointerType)):
            return None
        try:
            bits = self.view.layout.scalar_bits(type_)
        except UnsupportedError:
            return None
        return bits // 8 if bits % 8 == 0 else None


def accessed_type(instruction: Instruction) -> Type:
    """The type that a load, store or atomic operation reads or writes."""
    if instruction.opcode == "load":
        return instruction.type
    return instruction.operands[0 if instruction.opcode == "store" else 1].type


def _greatest_common(first: int, second: int) -> int:
    while second:
        first, second = second, first % second
    return first
