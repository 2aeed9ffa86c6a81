# SPDX-License-Identifier: Apache-2.0
"""What of the module a program needs, and the address of every function and variable in the machine.

Starting from the entry function, everything that code or initialisers mention is collected; the rest of the module
and of the library is never looked at. Addresses are numbers from here on: see the end of vm_c/image.h.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from pancam.bytecode.competition import ERROR, ErrorPlaces
from pancam.bytecode.escape import private_thread_locals
from pancam.bytecode.layout import DataLayout, align_up
from pancam.bytecode.machine_calls import MACHINE_CALLS
from pancam.bytecode.static_data import (
    ARGUMENTS,
    GRANULE,
    DataWriter,
    StaticObject,
    argument_objects,
    ids_of,
    link_arguments,
    place_objects,
)
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
    from pancam.ir.types import Type
    from pancam.ir.values import Value

FUNCTION_SPACING = 16  # bytes between the addresses of two functions
UNDEFINED = "(undefined function)"  # an opcode of our own: the body of a function that is not there
THREAD_RECORDS, THREAD_LIMIT = "__pancam_threads", "__pancam_thread_limit"
GENERATED = {"__pancam_run_constructors": "llvm.global_ctors", "__pancam_run_destructors": "llvm.global_dtors"}
MEMORY_FUNCTIONS = {"llvm.memcpy": "memcpy", "llvm.memmove": "memmove", "llvm.memset": "memset"}


class Symbols:
    """The program's functions and variables, numbered and placed."""

    def __init__(
        self, module: Module, thread_limit: int, arguments: list[str], errors: ErrorPlaces | None = None
    ) -> None:
        self.module = module
        self.promotes = True  # local variables of the user's live in registers where they can
        self.tracks = False  # which memory was written: loads are checked
        self.errors = errors or ErrorPlaces()
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

    def collect(self, *entries: str) -> None:
        """Find everything reachable from `entries`, then give out addresses."""
        for entry in entries:
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
        if function is not None and name in self.errors.functions:
            # Without a place of its own: what is wrong happens where it is called.
            function = _one_block(replace(function, subprogram=None), [Instruction(ERROR, None, VOID, (), None)])
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

    @cached_property
    def private_thread_locals(self) -> set[str]:
        """Thread-local variables whose address no function gives away."""
        return private_thread_locals(self.functions.values(), set(self.thread_locals))

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

    def _indexed(self, type_: Type | None, indices: list[int]) -> int:
        assert type_ is not None
        offset, current = 0, type_
        for position, index in enumerate(indices):
            if position and isinstance(current, StructType):
                offset += self.layout.field_offset(current, index)
                current = current.elements[index]
                continue
            if position:
                current = self.layout.member_type(current, 0)
            offset += index * self.layout.size(current)
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
