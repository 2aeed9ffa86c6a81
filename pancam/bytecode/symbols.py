# SPDX-License-Identifier: Apache-2.0
"""What of the module a program needs, and the address of every function and variable in the machine.

Starting from the entry function, everything that code or initialisers mention is collected; the rest of the module
and of the library is never looked at. Addresses are numbers from here on: see the end of vm_c/image.h.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from pancam.bytecode.layout import DataLayout, align_up
from pancam.bytecode.machine_calls import MACHINE_CALLS
from pancam.errors import PancamError, UnresolvedSymbolError, UnsupportedError, UsageError
from pancam.ir.model import Block, Call, Function, GlobalVariable, Instruction
from pancam.ir.types import VOID, ArrayType, StructType, function_type
from pancam.ir.values import (
    BlockAddress,
    ConstantAggregate,
    ConstantExpr,
    ConstantInt,
    ConstantNull,
    ConstantPoison,
    ConstantUndef,
    ConstantZero,
    GlobalRef,
    Local,
)
from pancam.isa import constants, math_functions

if TYPE_CHECKING:
    from pancam.errors import SourceLocation
    from pancam.ir.model import Module, ParamAttributes
    from pancam.ir.values import Value

FUNCTION_SPACING = 16  # bytes between the addresses of two functions
GRANULE = 16
UNDEFINED = "(undefined function)"  # an opcode of our own: the body of a function that is not there
THREAD_RECORDS, THREAD_LIMIT, ARGUMENTS = "__pancam_threads", "__pancam_thread_limit", "__pancam_arguments"
GENERATED = {"__pancam_run_constructors": "llvm.global_ctors", "__pancam_run_destructors": "llvm.global_dtors"}
MEMORY_FUNCTIONS = {"llvm.memcpy": "memcpy", "llvm.memmove": "memmove", "llvm.memset": "memset"}


class LabelPatch(NamedTuple):
    """A number in a variable's bytes that is known only when the code is laid out."""

    offset: int
    width: int
    number: int
    plus: tuple[BlockAddress, ...]
    minus: tuple[BlockAddress, ...]


@dataclass
class StaticObject:
    """A variable with a fixed place.

    `data` are its initial bytes; `labels` are addresses of blocks, or their differences, that go into the bytes once
    the code is laid out.
    """

    name: str
    size: int
    align: int
    is_constant: bool
    data: bytes = b""
    labels: list[LabelPatch] = field(default_factory=list)
    start: int = 0
    address: int = 0


class Symbols:
    """The program's functions and variables, numbered and placed."""

    def __init__(self, module: Module, thread_limit: int, arguments: list[str]) -> None:
        self.module = module
        self.thread_limit = thread_limit
        self.layout = DataLayout(module.data_layout)
        self.shift = 32 if self.layout.pointer_bits > 32 else 16  # noqa: PLR2004 - see image.h
        self.functions: dict[str, Function] = {}
        self.objects: dict[str, StaticObject] = {}
        self.thread_locals: dict[str, StaticObject] = {}
        self.label_base = 0
        self.argument_objects = argument_objects(arguments, self.layout.pointer_bytes)
        self._indices: dict[str, int] = {}
        self._thread_local_indices: dict[str, int] = {}
        self._wrappers: dict[str, str] = {}  # of machine functions whose address is taken: what stands for them
        self.undefined: set[str] = set()  # functions that only initialisers mention: calling one is a fault
        self._work: list[str] = []
        self._mentioned: set[str] = set()

    # --- collecting ---

    def collect(self, entry: str) -> None:
        """Find everything reachable from `entry`, then give out addresses."""
        self._mention(GlobalRef(entry), None)
        while self._work:
            self._visit(self._work.pop())
        # Functions in the order of the module: numbers do not depend on who mentions whom.
        order = {name: number for number, name in enumerate(self.module.functions)}
        self.functions = dict(sorted(self.functions.items(), key=lambda item: order.get(item[0], len(order))))
        self._indices = {name: number for number, name in enumerate(self.functions)}
        self._thread_local_indices = {name: number for number, name in enumerate(self.thread_locals)}
        self._place()
        for obj in (*self.objects.values(), *self.thread_locals.values()):
            variable = self.module.globals.get(obj.name)
            if variable is not None and variable.initializer is not None and not obj.data:
                DataWriter(self, obj).write(variable.initializer)

    def _mention(self, value: Value, user: Instruction | None) -> None:
        match value:
            case GlobalRef():
                self._mention_name(value.name, user)
                self._wrap_machine_function(self.resolve(value.name))
            case ConstantExpr():
                for operand in value.operands:
                    self._mention(operand, user)
            case ConstantAggregate():
                for element in value.elements:
                    self._mention(element, user)
            case BlockAddress():
                self._mention_name(value.function, user)

    def _wrap_machine_function(self, name: str) -> None:
        """A function of math.h whose address is taken needs code that a pointer can point to."""
        declared = self.module.functions.get(name)
        if name in math_functions() and name not in self.functions and name not in self._wrappers and declared:
            self._wrappers[name] = f"{name} (as a function)"
            self.functions[self._wrappers[name]] = _wrapper(declared, self._wrappers[name])

    def _mention_name(self, name: str, user: Instruction | None) -> None:
        name = self.resolve(name)
        if name in self._mentioned:
            return
        self._mentioned.add(name)
        if name.startswith("llvm."):
            for prefix, function in MEMORY_FUNCTIONS.items():
                if name.startswith(prefix):
                    self._mention_name(function, user)
            return
        self._declare(name, user)

    def _declare(self, name: str, user: Instruction | None) -> None:
        function = self.module.functions.get(name)
        if name in GENERATED:
            function = self._structors(name)
        if function is not None and not function.is_declaration:
            self.functions[name] = function
            self._work.append(name)
        elif name in self.module.globals:
            self._declare_variable(self.module.globals[name], user)
        elif name not in MACHINE_CALLS and name not in math_functions() and not self.is_weak(name):
            if user is not None or function is None:
                raise self.unresolved(name, user)
            self.undefined.add(name)
            self.functions[name] = _one_block(function, [Instruction(UNDEFINED, None, VOID, (), None)])

    def is_weak(self, name: str) -> bool:
        function = self.module.functions.get(name)
        return function is not None and function.linkage == "extern_weak" and name != "main"

    def _declare_variable(self, variable: GlobalVariable, user: Instruction | None) -> None:
        size, align = self.layout.size_align(variable.type)
        obj = StaticObject(variable.name, size, max(align, variable.align or 1), variable.is_constant)
        if variable.is_thread_local:
            self.thread_locals[variable.name] = obj
        elif not variable.is_declaration:
            self.objects[variable.name] = obj
        elif not self._machine_variable(obj, variable):
            if variable.linkage == "extern_weak":
                return
            raise self.unresolved(variable.name, user)
        self._work.append(variable.name)

    def _machine_variable(self, obj: StaticObject, variable: GlobalVariable) -> bool:
        """Variables that the library declares and pancam defines."""
        if obj.name == THREAD_RECORDS:
            assert isinstance(variable.type, ArrayType)
            obj.size = self.layout.size(variable.type.element) * self.thread_limit
        elif obj.name == THREAD_LIMIT:
            obj.data, obj.is_constant = self.thread_limit.to_bytes(4, "little"), True
        else:
            return obj.name == ARGUMENTS  # placed behind everything else, so that other arguments can replace them
        self.objects[obj.name] = obj
        return True

    def unresolved(self, name: str, user: Instruction | None) -> PancamError:
        location: SourceLocation | None = self.module.source_location(user.location if user else None)
        if name == "main":
            return UsageError("the program has no function main")
        kind = "variable" if name in self.module.globals else "function"
        message = f"{name} is not defined in the program and is not a {kind} that pancam provides"
        return UnresolvedSymbolError(message, location)

    def _visit(self, name: str) -> None:
        function = self.functions.get(name)
        if function is None:
            initializer = self.module.globals[name].initializer
            if initializer is not None:
                self._mention(initializer, None)
            return
        for block in function.blocks.values():
            for instruction in block.instructions:
                for value in (*instruction.operands, *(value for value, _ in instruction.incoming)):
                    self._mention(value, instruction)
                if instruction.call is not None and isinstance(instruction.call.callee, GlobalRef):
                    self._mention_name(instruction.call.callee.name, instruction)
                if instruction.call is not None and any(a.byval for a in instruction.call.argument_attributes):
                    self._mention_name("memcpy", instruction)

    def _structors(self, name: str) -> Function:
        """A function that calls the constructors (by priority) or the destructors (the other way round)."""
        table = self.module.globals.get(GENERATED[name])
        rows = table.initializer if table is not None else None
        entries: list[tuple[int, GlobalRef]] = []
        for row in rows.elements if isinstance(rows, ConstantAggregate) else ():
            assert isinstance(row, ConstantAggregate)
            priority, target = row.elements[:2]
            if isinstance(priority, ConstantInt) and isinstance(target, GlobalRef):
                entries.append((priority.value, target))
        entries.sort(key=lambda entry: entry[0])
        if name == "__pancam_run_destructors":
            entries.reverse()
        declared = self.module.functions[name]
        type_ = function_type(VOID, ())
        no_attributes: ParamAttributes = declared.result_attributes
        calls = [
            Instruction("call", None, VOID, (), None, call=Call(target, type_, (), no_attributes, frozenset()))
            for _, target in entries
        ]
        return _one_block(replace(declared, type=type_), [*calls, Instruction("ret", None, VOID, (), None)])

    # --- placing ---

    def _place(self) -> None:
        next_id = 1 + ids_of(FUNCTION_SPACING * len(self.functions), self.shift)
        self.label_base = next_id << self.shift
        next_id += constants()["LABEL_IDS"]
        fixed = [obj for obj in self.objects.values() if obj.is_constant]
        variables = [obj for obj in self.objects.values() if not obj.is_constant]
        self.objects = {obj.name: obj for obj in (*fixed, *variables, *self.argument_objects)}
        next_id, _ = place_objects(fixed, next_id, 0, self.shift)
        next_id, _ = place_objects([*variables, *self.argument_objects], next_id, 0, self.shift)
        link_arguments(self.argument_objects, self.layout.pointer_bytes)
        if next_id >> self.layout.pointer_bits - self.shift:
            raise UnsupportedError("the program has more variables than 32-bit addresses can tell apart")
        start = 0
        for local in self.thread_locals.values():
            local.start = start = align_up(start, max(local.align, GRANULE))
            start += local.size

    # --- questions ---

    def resolve(self, name: str) -> str:
        """The name behind an alias."""
        seen = 0
        while name in self.module.aliases:
            alias = self.module.aliases[name]
            target = alias.target
            seen += 1
            if alias.kind != "alias" or not isinstance(target, GlobalRef) or seen > len(self.module.aliases):
                raise UnsupportedError(f"the {alias.kind} {name} is not supported")
            name = target.name
        return name

    def function(self, name: str) -> Function | None:
        return self.functions.get(name)

    def function_index(self, name: str) -> int:
        return self._indices[name]

    def thread_local_index(self, name: str) -> int | None:
        return self._thread_local_indices.get(self.resolve(name))

    def address(self, name: str) -> int:
        """The pointer to a function or variable; an undefined weak one is null."""
        name = self.resolve(name)
        name = self._wrappers.get(name, name)
        if name in self._indices:
            return (1 << self.shift) + FUNCTION_SPACING * self._indices[name]
        obj = self.objects.get(name)
        if obj is not None:
            return obj.address
        if self.is_weak(name) or name in self.module.globals:
            return 0
        raise UnsupportedError(f"the address of {name} is taken, but it is a machine instruction")

    def try_fold(self, value: Value) -> int | None:
        """The number a constant is, if it is one (an address of a thread-local variable or a block is not)."""
        match value:
            case ConstantInt():
                return value.value
            case ConstantNull() | ConstantZero() | ConstantUndef() | ConstantPoison():
                return 0
            case GlobalRef():
                return None if self.thread_local_index(value.name) is not None else self.address(value.name)
            case ConstantExpr():
                return self._fold_expression(value)
        return None

    def _fold_expression(self, expression: ConstantExpr) -> int | None:
        operands = [self.try_fold(operand) for operand in expression.operands]
        if any(operand is None for operand in operands):
            return None
        numbers = [operand for operand in operands if operand is not None]
        if expression.op == "getelementptr":
            return numbers[0] + self._indexed(expression.source_type, numbers[1:])
        if expression.op in ("ptrtoint", "inttoptr", "bitcast", "trunc", "zext", "ptrtoaddr", "addrspacecast"):
            bits = self.layout.scalar_bits(expression.type)
            return numbers[0] & ((1 << bits) - 1)
        operation = {"add": int.__add__, "sub": int.__sub__, "mul": int.__mul__, "xor": int.__xor__}.get(expression.op)
        return operation(numbers[0], numbers[1]) if operation else None

    def _indexed(self, type_: object, indices: list[int]) -> int:
        offset, current = 0, type_
        for position, index in enumerate(indices):
            if position and isinstance(current, StructType):
                offset += self.layout.field_offset(current, index)
                current = current.elements[index]
                continue
            if position:
                current = self.layout.member_type(current, 0)  # type: ignore[arg-type]
            offset += index * self.layout.size(current)  # type: ignore[arg-type]
        return offset

    def constant_gep_offset(self, instruction: Instruction) -> int:
        indices = [index.value for index in instruction.operands[1:] if isinstance(index, ConstantInt)]
        return self._indexed(instruction.source_type, indices)


def _wrapper(declared: Function, name: str) -> Function:
    """A function that does nothing but call a machine function with its own arguments."""
    params = tuple(Local(str(number), type_) for number, type_ in enumerate(declared.type.params))
    result = Local("result", declared.type.result)
    call = Call(
        GlobalRef(declared.name), declared.type, declared.param_attributes, declared.result_attributes, frozenset()
    )
    instructions = [
        Instruction("call", result, declared.type.result, params, None, call=call),
        Instruction("ret", None, VOID, (result,), None),
    ]
    return _one_block(replace(declared, name=name, params=params), instructions)


def _one_block(declared: Function, instructions: list[Instruction]) -> Function:
    """A function with these instructions as its body."""
    body = {"entry": Block("entry", [*instructions])}
    return replace(declared, is_declaration=False, parse_body=lambda _: body)


def ids_of(size: int, shift: int) -> int:
    """How many object ids an object of `size` bytes owns."""
    return 1 + (size >> shift)


def place_objects(objects: list[StaticObject], next_id: int, start: int, shift: int) -> tuple[int, int]:
    """Give the objects addresses and places one after the other; the id and the place that are free behind them."""
    for obj in objects:
        obj.start = start = align_up(start, max(obj.align, GRANULE))
        obj.address = next_id << shift
        start += obj.size
        next_id += ids_of(obj.size, shift)
    return next_id, start


def argument_objects(arguments: list[str], pointer_bytes: int) -> list[StaticObject]:
    """Argc and argv, the pointers, and one object for each string."""
    texts = [argument.encode(errors="surrogateescape") + b"\0" for argument in arguments]
    head = StaticObject(ARGUMENTS, 2 * pointer_bytes, pointer_bytes, is_constant=False)
    vector = StaticObject("argv", (len(texts) + 1) * pointer_bytes, pointer_bytes, is_constant=False)
    strings = [StaticObject(f"argv[{i}]", len(t), 1, is_constant=False, data=t) for i, t in enumerate(texts)]
    return [head, vector, *strings]


def link_arguments(objects: list[StaticObject], pointer_bytes: int) -> None:
    """Fill in the pointers between the argument objects once they have addresses."""
    head, vector, *strings = objects
    head.data = b"".join(n.to_bytes(pointer_bytes, "little") for n in (len(strings), vector.address))
    vector.data = b"".join(s.address.to_bytes(pointer_bytes, "little") for s in strings) + bytes(pointer_bytes)


class DataWriter:
    """Writes the initial bytes of a variable from its initialiser."""

    def __init__(self, symbols: Symbols, obj: StaticObject) -> None:
        self.symbols = symbols
        self.obj = obj
        self.buffer = bytearray(obj.size)

    def write(self, value: Value) -> None:
        self._put(value, 0)
        self.obj.data = bytes(self.buffer)

    def _put(self, value: Value, at: int) -> None:
        from pancam.ir.values import ConstantFloat, ConstantString

        layout = self.symbols.layout
        match value:
            case ConstantZero() | ConstantNull() | ConstantUndef() | ConstantPoison():
                return
            case ConstantString():
                self.buffer[at : at + len(value.data)] = value.data
            case ConstantFloat():
                size = (value.type.width + 7) // 8
                self.buffer[at : at + size] = value.bits.to_bytes(size, "little")
            case ConstantAggregate():
                self._put_members(value, at)
            case _:
                size = (layout.scalar_bits(value.type) + 7) // 8
                number = self.symbols.try_fold(value)
                if number is None:
                    self.obj.labels.append(self._label_patch(value, at, size))
                else:
                    self.buffer[at : at + size] = (number & ((1 << 8 * size) - 1)).to_bytes(size, "little")

    def _label_patch(self, value: Value, at: int, size: int) -> LabelPatch:
        number, plus, minus = self._linear(value)
        return LabelPatch(at, size, number, plus, minus)

    def _linear(self, value: Value) -> tuple[int, tuple[BlockAddress, ...], tuple[BlockAddress, ...]]:
        """A constant as a number plus and minus addresses of blocks."""
        number = self.symbols.try_fold(value)
        if number is not None:
            return number, (), ()
        if isinstance(value, BlockAddress):
            return 0, (value,), ()
        if isinstance(value, ConstantExpr) and value.op in ("ptrtoint", "inttoptr", "trunc", "bitcast", "ptrtoaddr"):
            return self._linear(value.operands[0])
        if isinstance(value, ConstantExpr) and value.op in ("add", "sub"):
            (n, plus, minus), (m, more, less) = (self._linear(operand) for operand in value.operands)
            if value.op == "add":
                return n + m, plus + more, minus + less
            return n - m, plus + less, minus + more
        raise UnsupportedError(f"the initialiser of {self.obj.name} is not supported")

    def _put_members(self, value: ConstantAggregate, at: int) -> None:
        layout = self.symbols.layout
        if isinstance(value.type, StructType):
            for index, element in enumerate(value.elements):
                self._put(element, at + layout.field_offset(value.type, index))
            return
        stride = layout.size(value.type.element)  # type: ignore[union-attr]
        for index, element in enumerate(value.elements):
            self._put(element, at + index * stride)
