# SPDX-License-Identifier: Apache-2.0
"""Reads one instruction from its line; each method follows the grammar of one instruction in LLVM's reference."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pancam.ir.model import Call, Instruction, ParamAttributes
from pancam.ir.read_types import IrSyntaxError
from pancam.ir.read_values import CASTS, ValueReader, boolean_like, is_attribute
from pancam.ir.text import name_of
from pancam.ir.types import (
    I1,
    PTR,
    VOID,
    ArrayType,
    FunctionType,
    PointerType,
    StructType,
    VectorType,
    function_type,
    literal_struct_type,
    vector_type,
)
from pancam.ir.values import ConstantAggregate, ConstantInt, ConstantZero, Value

if TYPE_CHECKING:
    from collections.abc import Callable

_BINARY = frozenset(
    [
        "add",
        "sub",
        "mul",
        "udiv",
        "sdiv",
        "urem",
        "srem",
        "shl",
        "lshr",
        "ashr",
        "and",
        "or",
        "xor",
        "fadd",
        "fsub",
        "fmul",
        "fdiv",
        "frem",
    ]
)
_FAST_MATH = frozenset(["nnan", "ninf", "nsz", "arcp", "contract", "afn", "reassoc", "fast"])
_FLAGS = _FAST_MATH | frozenset(["nsw", "nuw", "exact", "disjoint", "nneg", "samesign", "inbounds", "nusw"])
_MEMORY_FLAGS = frozenset(("atomic", "volatile", "weak"))
_ORDERINGS = frozenset(["unordered", "monotonic", "acquire", "release", "acq_rel", "seq_cst"])
_TAIL_MARKERS = ("tail", "musttail", "notail")
# Opcodes that are kept by name only, for the lowering to refuse.
_REFUSED = frozenset(
    ["invoke", "callbr", "resume", "landingpad", "catchswitch", "catchret", "catchpad", "cleanupret", "cleanuppad"]
)


class InstructionReader(ValueReader):
    """Reads instructions of one function."""

    __slots__ = ()

    def read_instruction(self, line: str, location: int | None) -> Instruction:
        """The instruction written in `line`, attachments removed; `location` is stored in it."""
        self.load(line)
        tokens = self.tokens
        result: str | None = None
        if tokens[1] == "=":
            result = tokens[0]
            self.position = 2
        opcode = tokens[self.position]
        self.position += 1
        if opcode in _TAIL_MARKERS:
            opcode = tokens[self.position]
            self.position += 1
        if opcode in _REFUSED:
            unknown = self.local(result, VOID) if result is not None else None
            return Instruction(opcode, unknown, VOID, (), location, text=line.strip())
        read = _READERS.get(opcode)
        if read is None:
            raise IrSyntaxError(f"unknown instruction {opcode}")
        instruction = read(self, opcode)
        if tokens[self.position] != "":
            raise IrSyntaxError(f"unexpected {tokens[self.position]}")
        instruction.location = location
        if result is not None:
            instruction.result = self.local(result, instruction.type)
        return instruction

    def _read_target(self) -> str:
        self.expect("label")
        token = self.tokens[self.position]
        self.position += 1
        return name_of(token)

    def _read_alignment(self) -> int | None:
        """The number of `, align N` when that follows."""
        if self.tokens[self.position] == "," and self.tokens[self.position + 1] == "align":
            self.position += 2
            return self.read_number()
        return None

    def _read_word(self, known: frozenset[str]) -> str | None:
        token = self.tokens[self.position]
        if token in known:
            self.position += 1
            return token
        return None

    def _read_ordering(self, instruction: Instruction) -> None:
        """`syncscope("x") ordering`, either part being optional."""
        if self.accept("syncscope"):
            self.expect("(")
            instruction.syncscope = self.tokens[self.position][1:-1]
            self.position += 1
            self.expect(")")
        instruction.ordering = self._read_word(_ORDERINGS)

    def binary(self, opcode: str) -> Instruction:
        flags = self.read_flags(_FLAGS)
        value_type = self.read_type()
        left = self.read_value(value_type)
        self.expect(",")
        right = self.read_value(value_type)
        return Instruction(opcode, None, value_type, (left, right), None, flags)

    def compare(self, opcode: str) -> Instruction:
        flags = self.read_flags(_FLAGS)
        predicate = self.tokens[self.position]
        self.position += 1
        value_type = self.read_type()
        left = self.read_value(value_type)
        self.expect(",")
        right = self.read_value(value_type)
        return Instruction(opcode, None, boolean_like(value_type), (left, right), None, flags, predicate)

    def unary(self, opcode: str) -> Instruction:
        flags = self.read_flags(_FLAGS)
        operand = self.read_typed_value()
        return Instruction(opcode, None, operand.type, (operand,), None, flags)

    def cast(self, opcode: str) -> Instruction:
        flags = self.read_flags(_FLAGS)
        operand = self.read_typed_value()
        self.expect("to")
        return Instruction(opcode, None, self.read_type(), (operand,), None, flags)

    def select(self, opcode: str) -> Instruction:
        flags = self.read_flags(_FLAGS)
        operands = self._read_operands()
        return Instruction(opcode, None, operands[1].type, operands, None, flags)

    def _read_operands(self) -> tuple[Value, ...]:
        """Typed values separated by commas, to the end of the line or to a part that is not a value."""
        operands = [self.read_typed_value()]
        while self.accept(","):
            operands.append(self.read_typed_value())
        return tuple(operands)

    def alloca(self, opcode: str) -> Instruction:
        flags = self.read_flags(frozenset(("inalloca", "swifterror")))
        allocated = self.read_type()
        instruction = Instruction(opcode, None, PTR, (), None, flags, source_type=allocated)
        if self.tokens[self.position] == "," and self.tokens[self.position + 1] not in ("align", "addrspace"):
            self.position += 1
            instruction.operands = (self.read_typed_value(),)
        instruction.align = self._read_alignment()
        return instruction

    def load_memory(self, opcode: str) -> Instruction:
        flags = self.read_flags(_MEMORY_FLAGS)
        loaded = self.read_type()
        self.expect(",")
        address = self.read_typed_value()
        instruction = Instruction(opcode, None, loaded, (address,), None, flags, source_type=loaded)
        if flags:
            self._read_ordering(instruction)
        instruction.align = self._read_alignment()
        return instruction

    def store(self, opcode: str) -> Instruction:
        flags = self.read_flags(_MEMORY_FLAGS)
        value = self.read_typed_value()
        self.expect(",")
        address = self.read_typed_value()
        instruction = Instruction(opcode, None, VOID, (value, address), None, flags, source_type=value.type)
        if flags:
            self._read_ordering(instruction)
        instruction.align = self._read_alignment()
        return instruction

    def fence(self, opcode: str) -> Instruction:
        instruction = Instruction(opcode, None, VOID, (), None)
        self._read_ordering(instruction)
        return instruction

    def cmpxchg(self, opcode: str) -> Instruction:
        flags = self.read_flags(_MEMORY_FLAGS)
        operands = self._read_operands()
        pair = literal_struct_type((operands[1].type, I1))
        instruction = Instruction(opcode, None, pair, operands, None, flags, source_type=operands[1].type)
        self._read_ordering(instruction)
        instruction.failure_ordering = self._read_word(_ORDERINGS)
        instruction.align = self._read_alignment()
        return instruction

    def atomicrmw(self, opcode: str) -> Instruction:
        flags = self.read_flags(_MEMORY_FLAGS)
        operation = self.tokens[self.position]
        self.position += 1
        operands = self._read_operands()
        value_type = operands[1].type
        instruction = Instruction(opcode, None, value_type, operands, None, flags, source_type=value_type)
        instruction.rmw_operation = operation
        self._read_ordering(instruction)
        instruction.align = self._read_alignment()
        return instruction

    def getelementptr(self, opcode: str) -> Instruction:
        flags = self.read_flags(_FLAGS)
        source = self.read_type()
        self.expect(",")
        operands = self._read_operands()
        result = operands[0].type
        for operand in operands:
            if isinstance(operand.type, VectorType) and isinstance(result, PointerType):
                result = vector_type(operand.type.count, result, operand.type.scalable)
        return Instruction(opcode, None, result, operands, None, flags, source_type=source)

    def branch(self, opcode: str) -> Instruction:
        if self.tokens[self.position] == "label":
            return Instruction(opcode, None, VOID, (), None, targets=(self._read_target(),))
        condition = self.read_typed_value()
        self.expect(",")
        if_true = self._read_target()
        self.expect(",")
        return Instruction(opcode, None, VOID, (condition,), None, targets=(if_true, self._read_target()))

    def switch(self, opcode: str) -> Instruction:
        value = self.read_typed_value()
        self.expect(",")
        default = self._read_target()
        self.expect("[")
        cases: list[tuple[ConstantInt, str]] = []
        while not self.accept("]"):
            case = self.read_typed_value()
            if not isinstance(case, ConstantInt):
                raise IrSyntaxError("a case that is not a number")
            self.expect(",")
            cases.append((case, self._read_target()))
        return Instruction(opcode, None, VOID, (value,), None, targets=(default,), cases=tuple(cases))

    def indirectbr(self, opcode: str) -> Instruction:
        address = self.read_typed_value()
        self.expect(",")
        self.expect("[")
        targets: list[str] = []
        while not self.accept("]"):
            if targets:
                self.expect(",")
            targets.append(self._read_target())
        return Instruction(opcode, None, VOID, (address,), None, targets=tuple(targets))

    def ret(self, opcode: str) -> Instruction:
        if self.accept("void"):
            return Instruction(opcode, None, VOID, (), None)
        return Instruction(opcode, None, VOID, (self.read_typed_value(),), None)

    def unreachable(self, opcode: str) -> Instruction:
        return Instruction(opcode, None, VOID, (), None)

    def phi(self, opcode: str) -> Instruction:
        flags = self.read_flags(_FLAGS)
        value_type = self.read_type()
        incoming: list[tuple[Value, str]] = []
        while not incoming or self.accept(","):
            self.expect("[")
            value = self.read_value(value_type)
            self.expect(",")
            incoming.append((value, name_of(self.tokens[self.position])))
            self.position += 1
            self.expect("]")
        return Instruction(opcode, None, value_type, (), None, flags, incoming=tuple(incoming))

    def va_arg(self, opcode: str) -> Instruction:
        arguments = self.read_typed_value()
        self.expect(",")
        return Instruction(opcode, None, self.read_type(), (arguments,), None)

    def extractvalue(self, opcode: str) -> Instruction:
        aggregate = self.read_typed_value()
        indices = self._read_indices()
        member = aggregate.type
        for index in indices:
            if isinstance(member, StructType):
                member = member.elements[index]
            elif isinstance(member, ArrayType):
                member = member.element
            else:
                raise IrSyntaxError(f"{member} has no members")
        return Instruction(opcode, None, member, (aggregate,), None, indices=indices)

    def insertvalue(self, opcode: str) -> Instruction:
        aggregate = self.read_typed_value()
        self.expect(",")
        value = self.read_typed_value()
        return Instruction(opcode, None, aggregate.type, (aggregate, value), None, indices=self._read_indices())

    def _read_indices(self) -> tuple[int, ...]:
        indices: list[int] = []
        while self.accept(","):
            indices.append(self.read_number())
        return tuple(indices)

    def extractelement(self, opcode: str) -> Instruction:
        operands = self._read_operands()
        vector = operands[0].type
        if not isinstance(vector, VectorType):
            raise IrSyntaxError(f"{vector} is not a vector")
        return Instruction(opcode, None, vector.element, operands, None)

    def insertelement(self, opcode: str) -> Instruction:
        operands = self._read_operands()
        return Instruction(opcode, None, operands[0].type, operands, None)

    def shufflevector(self, opcode: str) -> Instruction:
        first, second, lanes = self._read_operands()
        vector = first.type
        if not isinstance(vector, VectorType) or not isinstance(lanes.type, VectorType):
            raise IrSyntaxError(f"{vector} is not a vector")
        count = lanes.type.count
        mask: tuple[int | None, ...] = (None,) * count
        if isinstance(lanes, ConstantZero):
            mask = (0,) * count
        elif isinstance(lanes, ConstantAggregate):
            mask = tuple(lane.value if isinstance(lane, ConstantInt) else None for lane in lanes.elements)
        result = vector_type(count, vector.element, lanes.type.scalable)
        return Instruction(opcode, None, result, (first, second), None, mask=mask)

    def call(self, opcode: str) -> Instruction:
        flags = self.read_flags(_FAST_MATH)
        if is_attribute(self.tokens[self.position]):
            self._skip_calling_convention()
        result_attributes = self.read_attributes()
        written_type = self.read_type()
        callee = self.read_value(PTR)
        arguments, attributes = self._read_arguments()
        if isinstance(written_type, FunctionType):
            callee_type = written_type
        else:
            callee_type = function_type(written_type, tuple(argument.type for argument in arguments))
        call = Call(callee, callee_type, attributes, result_attributes, self._read_call_attributes())
        return Instruction(opcode, None, callee_type.result, arguments, None, flags, call=call)

    def _skip_calling_convention(self) -> None:
        """`fastcc`, `cc 10` and `addrspace(1)`; on x86 none of them changes what a call means."""
        token = self.tokens[self.position]
        if token == "cc":
            self.position += 2
        elif token.endswith("cc") or "_cc" in token or token in ("fastcc", "coldcc"):
            self.position += 1

    def _read_arguments(self) -> tuple[tuple[Value, ...], tuple[ParamAttributes, ...]]:
        self.expect("(")
        arguments: list[Value] = []
        attributes: list[ParamAttributes] = []
        while not self.accept(")"):
            if arguments:
                self.expect(",")
            argument_type = self.read_type()
            attributes.append(self.read_attributes())
            arguments.append(self.read_value(argument_type))
        return tuple(arguments), tuple(attributes)

    def _read_call_attributes(self) -> frozenset[str]:
        """Attributes after the arguments, groups resolved; operand bundles do not change what runs."""
        attributes: frozenset[str] = frozenset()
        while True:
            token = self.tokens[self.position]
            if token.startswith("#"):
                self.position += 1
                attributes |= self.shared.group_attributes(token)
            elif token == "[":
                self.skip_parentheses()
            elif is_attribute(token):
                attributes |= self.read_attributes().words
            else:
                return attributes


_READERS: dict[str, Callable[[InstructionReader, str], Instruction]] = {
    **dict.fromkeys(_BINARY, InstructionReader.binary),
    **dict.fromkeys(CASTS, InstructionReader.cast),
    **dict.fromkeys(("fneg", "freeze"), InstructionReader.unary),
    **dict.fromkeys(("icmp", "fcmp"), InstructionReader.compare),
    "select": InstructionReader.select,
    "alloca": InstructionReader.alloca,
    "load": InstructionReader.load_memory,
    "store": InstructionReader.store,
    "fence": InstructionReader.fence,
    "cmpxchg": InstructionReader.cmpxchg,
    "atomicrmw": InstructionReader.atomicrmw,
    "getelementptr": InstructionReader.getelementptr,
    "br": InstructionReader.branch,
    "switch": InstructionReader.switch,
    "indirectbr": InstructionReader.indirectbr,
    "ret": InstructionReader.ret,
    "unreachable": InstructionReader.unreachable,
    "phi": InstructionReader.phi,
    "va_arg": InstructionReader.va_arg,
    "extractvalue": InstructionReader.extractvalue,
    "insertvalue": InstructionReader.insertvalue,
    "extractelement": InstructionReader.extractelement,
    "insertelement": InstructionReader.insertelement,
    "shufflevector": InstructionReader.shufflevector,
    "call": InstructionReader.call,
}
