# SPDX-License-Identifier: Apache-2.0
"""Lowers one LLVM function to virtual code: values, blocks, phis; the instructions themselves are in lower_*.py.

Scalar stack variables whose address goes nowhere become units, so that they cost no memory and no shared access even
at -O0. A load of such a variable is a copy that is read in place as long as the variable is not stored to.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from pancam.bytecode.code import CodeBlock, Imm, Inst, LabelAddress, Operand, SlotValue, VirtualCode
from pancam.bytecode.competition import enter_section, is_atomic_function, reach_label
from pancam.bytecode.definedness import is_library
from pancam.bytecode.emitter import Emitter, mask
from pancam.bytecode.escape import escaping_locals, root_name
from pancam.bytecode.layout import WIDE
from pancam.bytecode.promote import (
    address_only_values,
    assigned_before_use,
    instructions_of,
    promotable_variables,
    use_counts,
    used_values,
)
from pancam.errors import UnsupportedError
from pancam.ir.model import DebugRecord, Instruction
from pancam.ir.values import (
    BlockAddress,
    ConstantAggregate,
    ConstantExpr,
    ConstantFloat,
    ConstantInt,
    ConstantNull,
    ConstantPoison,
    ConstantString,
    ConstantUndef,
    ConstantZero,
    GlobalRef,
    InlineAsm,
    Local,
    Value,
)
from pancam.isa import constants

if TYPE_CHECKING:
    from collections.abc import Callable

    from pancam.bytecode.layout import DataLayout
    from pancam.bytecode.symbols import Symbols
    from pancam.ir.model import Block, Function
    from pancam.ir.types import Type

    Handler = Callable[["FunctionLowering", Instruction], None]
    Evaluator = Callable[["FunctionLowering", Instruction], SlotValue]


class Address(NamedTuple):
    """A pointer operand and a constant byte offset from it."""

    base: Operand
    offset: int


@dataclass
class DebugEntry:
    """From instruction `index` of block `label` on, the variable is `where`: units, constants or a stack object."""

    variable: int
    location: int | None
    expression: tuple[int | str, ...]
    kind: str  # value: `where` are the slots; object: `where` has the ALLOCA of its stack object
    where: SlotValue | None
    label: str
    index: int


@dataclass
class LoweredFunction:
    """The virtual code of a function and what the later stages need beside it."""

    name: str
    function: Function
    code: VirtualCode
    result_slots: int
    variadic: bool
    debug: list[DebugEntry] = field(default_factory=list)


@dataclass(frozen=True)
class InstructionSet:
    """How to lower each LLVM opcode: evaluators give the slots of a result, handlers do everything else.

    Constant expressions use the evaluators and, for the opcodes that have a handler, the expression evaluators.
    """

    evaluators: dict[str, Evaluator]
    expression_evaluators: dict[str, Evaluator]
    handlers: dict[str, Handler]


class FunctionLowering:
    """The state of lowering one function. The lower_*.py modules read and write it through its methods."""

    def __init__(self, function: Function, symbols: Symbols, instructions: InstructionSet) -> None:
        self.function = function
        self.symbols = symbols
        self.layout: DataLayout = symbols.layout
        self.instructions = instructions
        self.code = VirtualCode()
        self.emitter = Emitter(self.code, self.layout.pointer_bits)
        self.values: dict[str, SlotValue] = {}
        self.uses = use_counts(function)
        self.address_only = address_only_values(function)
        self.definitions = {i.result.name: i for b in function.blocks.values() for i in b.instructions if i.result}
        self.variables: dict[str, SlotValue] = {}
        self._copies: dict[str, tuple[str, int]] = {}  # value name to (variable, its version when copied)
        self._versions: dict[str, int] = {}
        self.folded: dict[str, Instruction] = {}  # address computations that their users redo
        self.elements: dict[str, Address] = {}  # addresses whose constant part is left to their users
        self.pending_tests: dict[str, Instruction] = {}  # comparisons that the block's branch does
        self.block: Block | None = None
        self.instruction: Instruction | None = None
        self.entry_block = CodeBlock("")
        self.varargs_bytes = 0
        self._varargs_pointer: int | None = None
        self.hidden_parameter: int | None = None
        self.debug: list[DebugEntry] = []
        self.marked: set[Operand] = set()  # units that are followed by the marks of their bytes
        self._edge_count = 0

    # --- the whole function ---

    def lower(self) -> LoweredFunction:
        promotes = self.symbols.promotes or self.is_library
        variables = promotable_variables(self.function, self.layout) if promotes else {}
        if self.symbols.tracks:
            variables = assigned_before_use(self.function, variables)
        for name, instruction in variables.items():
            assert instruction.source_type is not None
            self.variables[name] = self.new_value(instruction.source_type)
        self._enter()
        for block in self.function.blocks.values():
            self._lower_block(block)
        self._finish_varargs_area()
        result_slots = self.layout.slot_count(self.function.type.result)
        drop_unreachable(self.code)
        return LoweredFunction(
            self.function.name, self.function, self.code, result_slots, self.function.variadic, self.debug
        )

    def _enter(self) -> None:
        """Parameters arrive in the first slots and move on to units of their own."""
        self.entry_block = self.start_block("(entry)")
        for param in self.function.params:
            arriving = tuple(self.code.new_unit() for _ in range(self.layout.slot_count(param.type)))
            self.code.parameters.extend(arriving)
            value = self.new_value(param.type)
            for unit, source in zip(value, arriving, strict=True):
                assert isinstance(unit, int)
                self.emitter.assign(unit, source)
            self.values[param.name] = value
        if self.function.variadic:
            arriving_pointer = self.code.new_unit()
            self.code.parameters.append(arriving_pointer)
            self.hidden_parameter = self.emitter.unit()
            self.emitter.assign(self.hidden_parameter, arriving_pointer)
        if is_atomic_function(self.function.name):
            enter_section(self)
        self.emitter.jump(next(iter(self.function.blocks)))

    def _lower_block(self, block: Block) -> None:
        self.block = block
        self.start_block(block.name)
        self._copies.clear()
        self._versions.clear()
        for item in block.items:
            if isinstance(item, DebugRecord):
                self._debug_record(item)
                continue
            self.instruction = item
            self.emitter.location = item.location
            self._lower_instruction(item)

    def _lower_instruction(self, instruction: Instruction) -> None:
        try:
            self._lower_opcode(instruction)
        except UnsupportedError as error:
            if error.location is None:  # a stage that knows types and values, but not where they are used
                raise self.unsupported(error.message) from error
            raise

    def _lower_opcode(self, instruction: Instruction) -> None:
        evaluate = self.instructions.evaluators.get(instruction.opcode)
        if evaluate is not None:
            self.define(instruction, evaluate(self, instruction))
            return
        handler = self.instructions.handlers.get(instruction.opcode)
        if handler is None:
            raise self.unsupported(f"the instruction {instruction.opcode} is not supported")
        handler(self, instruction)

    def start_block(self, label: str) -> CodeBlock:
        """Append a new block and emit into it from now on."""
        block = CodeBlock(label)
        self.code.blocks.append(block)
        self.emitter.block = block
        return block

    def new_label(self, hint: str) -> str:
        self._edge_count += 1
        return f"({hint}.{self._edge_count})"

    def is_private(self, address: Value) -> bool:
        """Whether an address belongs to a variable that only the thread itself can get at."""
        return root_name(address, self.definitions) in self.symbols.private_thread_locals

    @cached_property
    def is_library(self) -> bool:
        """Whether the function is pancam's own."""
        return is_library(self.function, self.symbols.module)

    @cached_property
    def users(self) -> dict[str, list[Instruction]]:
        """Who reads each local."""
        found: dict[str, list[Instruction]] = {}
        for instruction in instructions_of(self.function):
            for value in used_values(instruction):
                if isinstance(value, Local):
                    found.setdefault(value.name, []).append(instruction)
        return found

    @cached_property
    def told(self) -> set[str]:
        """Values that debug information speaks of."""
        items = (item for block in self.function.blocks.values() for item in block.items)
        return {i.value.name for i in items if isinstance(i, DebugRecord) and isinstance(i.value, Local)}

    @cached_property
    def escaping(self) -> set[str]:
        """Values whose address others may get to know."""
        return escaping_locals(self.function)

    def frame_object(self, size: int, align: int) -> int:
        """A unit that points to a stack object of this frame, made on entry so that a loop makes it once."""
        unit = self.emitter.unit()
        inst = Inst("ALLOCA", unit, 0, max(align.bit_length() - 1, 3), size, constants()["STACK_ESCAPES"])
        self.entry_block.insts.insert(len(self.entry_block.insts) - 1, inst)
        return unit

    def varargs_area(self) -> int:
        """The stack object for variable arguments, as large as the largest call of the function needs."""
        if self._varargs_pointer is None:
            self._varargs_pointer = self.frame_object(0, 16)
        return self._varargs_pointer

    def _finish_varargs_area(self) -> None:
        for inst in self.entry_block.insts:
            if inst.op.name == "ALLOCA" and inst.a == self._varargs_pointer:
                inst.x = self.varargs_bytes

    # --- errors ---

    def unsupported(self, message: str) -> UnsupportedError:
        location = self.instruction.location if self.instruction else None
        return UnsupportedError(
            f"{message} (in function {self.function.name})", self.symbols.module.source_location(location)
        )

    # --- values ---

    def new_value(self, type_: Type) -> SlotValue:
        """Fresh units for a value; the two halves of a wide scalar are consecutive."""
        units: list[Operand] = []
        for scalar in self.layout.scalars(type_):
            if scalar.bits > WIDE:  # no instruction takes these whole
                units.extend(self.code.new_unit() for _ in range(scalar.slots))
                continue
            first = self.code.new_unit(scalar.slots)
            units.extend(range(first, first + scalar.slots))
        return tuple(units)

    def set_value(self, instruction: Instruction, value: SlotValue) -> None:
        assert instruction.result is not None
        self.values[instruction.result.name] = value

    def value(self, value: Value) -> SlotValue:
        """The operands, one per slot, that hold an LLVM value here."""
        if isinstance(value, Local):
            copy = self._copies.get(value.name)
            if copy is not None and self._versions.get(copy[0], 0) == copy[1]:
                return self.variables[copy[0]]
            return self.stable(value)
        return self.constant(value)

    def stable(self, value: Value) -> SlotValue:
        """Like value(), but never a variable that may change before the value is used."""
        if not isinstance(value, Local):
            return self.constant(value)
        known = self.values.get(value.name)
        if known is None:
            known = self.values[value.name] = self.new_value(value.type)  # defined in a block still to come
        return known

    def define(self, instruction: Instruction, value: SlotValue) -> None:
        """The result of an instruction is `value`; earlier uses in a phi or loop may have named its units already."""
        assert instruction.result is not None
        name = instruction.result.name
        promised = self.values.get(name)
        if promised is None:
            self.values[name] = value
            return
        for unit, operand in zip(promised, value, strict=True):
            assert isinstance(unit, int)
            self.emitter.assign(unit, operand)

    def define_if_used(self, instruction: Instruction, *slots: Operand) -> None:
        """The result of a call, if it has one; without slots it is zero."""
        if instruction.result is not None:
            self.define(instruction, slots or (Imm(0),) * self.layout.slot_count(instruction.type))

    def alias(self, instruction: Instruction, source: Value) -> None:
        """The result is the same bits as `source`."""
        assert instruction.result is not None
        self.define(instruction, self.stable(source))
        if isinstance(source, Local) and source.name in self._copies:
            self._copies[instruction.result.name] = self._copies[source.name]

    def operand(self, value: Value) -> Operand:
        """The single slot of a scalar of at most 64 bits."""
        slots = self.value(value)
        if len(slots) != 1:
            raise self.unsupported(f"a value of type {value.type} is not supported here")
        return slots[0]

    def unit(self, value: Value) -> int:
        return self.emitter.materialise(self.operand(value))

    # --- variables that became units ---

    def read_variable(self, instruction: Instruction, variable: str) -> None:
        assert instruction.result is not None
        copy = self.new_value(instruction.type)
        for unit, source in zip(copy, self.variables[variable], strict=True):
            assert isinstance(unit, int)
            self.emitter.assign(unit, source)
        self.define(instruction, copy)
        self._copies[instruction.result.name] = (variable, self._versions.get(variable, 0))

    def write_variable(self, variable: str, value: Value) -> None:
        slots = self.value(value)
        for unit, operand in zip(self.variables[variable], slots, strict=True):
            assert isinstance(unit, int)
            self.emitter.assign(unit, operand)
        self._versions[variable] = self._versions.get(variable, 0) + 1

    # --- constants ---

    def constant(self, value: Value) -> SlotValue:
        """The slots of a constant; what only the machine can compute (thread-local addresses) is emitted."""
        match value:
            case ConstantInt():
                return self._constant_bits(value.type, value.value)
            case ConstantFloat():
                return self._constant_bits(value.type, value.bits)
            case ConstantNull() | ConstantZero() | ConstantUndef() | ConstantPoison():
                return (Imm(0),) * self.layout.slot_count(value.type)
            case ConstantAggregate():
                return tuple(slot for element in value.elements for slot in self.constant(element))
            case ConstantString():
                return tuple(Imm(byte) for byte in value.data)
            case GlobalRef():
                return (self._global_address(value.name),)
            case BlockAddress():
                return (LabelAddress(value.function, value.block),)
            case ConstantExpr():
                return self._constant_expression(value)
            case InlineAsm():
                raise self.unsupported(f'inline assembly "{value.text}" is not supported')
        raise self.unsupported(f"the constant {value} is not supported")

    def _constant_bits(self, type_: Type, number: int) -> SlotValue:
        slots: list[Operand] = []
        for scalar in self.layout.scalars(type_):
            for bits in scalar.slot_bits:
                slots.append(Imm(number & mask(bits)))
                number >>= bits
        return tuple(slots)

    def _global_address(self, name: str) -> Operand:
        index = self.symbols.thread_local_index(name)
        if index is None:
            return Imm(self.symbols.address(name))
        unit = self.emitter.unit()
        self.emitter.emit("TLSADDR", unit, x=index)
        return unit

    def _constant_expression(self, expression: ConstantExpr) -> SlotValue:
        """Constant expressions are lowered as the instruction of the same name; most fold to a number."""
        number = self.symbols.try_fold(expression)
        if number is not None:
            return self._constant_bits(expression.type, number)
        instruction = Instruction(
            expression.op, None, expression.type, expression.operands, None, source_type=expression.source_type
        )
        evaluate = self.instructions.expression_evaluators.get(expression.op)
        if evaluate is None:
            raise self.unsupported(f"the constant expression {expression.op} is not supported")
        return evaluate(self, instruction)

    # --- addresses ---

    def address(self, value: Value) -> Address:
        """Where a pointer points, with constant offsets kept apart."""
        if isinstance(value, Local):
            element = self.elements.get(value.name)
            if element is not None:
                return element
            folded = self.folded.get(value.name)
            if folded is not None:
                inner = self.address(folded.operands[0])
                return Address(inner.base, inner.offset + self.symbols.constant_gep_offset(folded))
        return Address(self.operand(value), 0)

    # --- debug information ---

    def _debug_record(self, record: DebugRecord) -> None:
        if record.kind == "label":
            reach_label(self, record.variable, record.location)
        if record.kind == "label" or not isinstance(record.value, (Local, ConstantInt, ConstantFloat, ConstantNull)):
            where: SlotValue | None = None  # the variable has no value that can be shown from here on
            kind = "value"
        elif record.kind == "declare":
            kind, where = self._declared_place(record.value)
        else:
            kind, where = "value", self.stable(record.value)
        self.debug.append(
            DebugEntry(
                record.variable, record.location, record.expression, kind, where,
                self.emitter.block.label, len(self.emitter.block.insts),
            )
        )  # fmt: skip

    def _declared_place(self, value: Value) -> tuple[str, SlotValue]:
        if isinstance(value, Local) and value.name in self.variables:
            return "value", self.variables[value.name]
        return "object", self.stable(value)


def drop_unreachable(code: VirtualCode) -> None:
    """Remove blocks that no path from the entry reaches."""
    by_label = {block.label: block for block in code.blocks}
    reached = {code.blocks[0].label}
    work = [code.blocks[0].label]
    while work:
        for target in by_label[work.pop()].successors():
            if target not in reached:
                reached.add(target)
                work.append(target)
    code.blocks = [block for block in code.blocks if block.label in reached]
