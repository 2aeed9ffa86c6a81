# SPDX-License-Identifier: Apache-2.0
"""The linked LLVM module as Python objects: what the text parser yields and what the lowering to bytecode reads.

Names carry neither `@` nor `%`; an unnamed value has its number as name ("8"). Functions, bodies, variables and
metadata are parsed when first asked for.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pancam.errors import SourceLocation
    from pancam.ir.metadata import MetadataNode, MetadataStore
    from pancam.ir.read_types import StructTable
    from pancam.ir.types import FunctionType, StructType, Type
    from pancam.ir.values import ConstantInt, Local, Value

NO_FLAGS: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class ParamAttributes:
    """Attributes of a parameter, argument or result; `words` holds the plain ones (noundef, zeroext, nonnull...)."""

    words: frozenset[str] = NO_FLAGS
    align: int | None = None
    byval: Type | None = None
    sret: Type | None = None
    byref: Type | None = None
    inalloca: Type | None = None


NO_ATTRIBUTES = ParamAttributes()


@dataclass(slots=True)
class Call:
    """What a call adds to an instruction; the arguments are the instruction's operands."""

    callee: Value
    function_type: FunctionType
    argument_attributes: tuple[ParamAttributes, ...]  # one per operand
    result_attributes: ParamAttributes
    attributes: frozenset[str]  # of the call itself, groups resolved: noreturn, returns_twice, "key"="value"


@dataclass(slots=True)
class Instruction:
    """One instruction, its operands in LLVM's order.

    add... fcmp icmp: (left, right)        casts, fneg, freeze, extractvalue, va_arg: (value,)
    load: (address,)                       store: (value, address)
    getelementptr: (base, index...)        alloca: () or (count,) when a count is written
    call: arguments; see `call`            select: (condition, if true, if false)
    br: () or (condition,) + targets       switch: (value,), default is targets[0], rest in cases
    indirectbr: (address,) + targets       ret: () or (value,)
    phi: none; see `incoming`              atomicrmw: (address, value)
    cmpxchg: (address, expected, new)      insertvalue: (aggregate, value)
    extractelement: (vector, index)        insertelement: (vector, value, index)
    shufflevector: (first, second) + mask  fence, unreachable: ()

    An opcode that C at these flags does not produce (invoke, landingpad, resume, callbr, catchpad...) is kept with
    its opcode and no operands; the lowering refuses it by name.
    """

    opcode: str
    result: Local | None
    type: Type  # of the result; VOID without one
    operands: tuple[Value, ...]
    location: int | None  # metadata id of the DILocation
    flags: frozenset[str] = NO_FLAGS  # nsw nuw exact disjoint inbounds nneg samesign volatile weak atomic...
    predicate: str | None = None  # icmp, fcmp
    align: int | None = None
    source_type: Type | None = None  # getelementptr element, alloca type, type loaded or stored
    ordering: str | None = None  # also the success ordering of cmpxchg
    failure_ordering: str | None = None
    syncscope: str | None = None
    rmw_operation: str | None = None
    indices: tuple[int, ...] = ()  # extractvalue, insertvalue
    mask: tuple[int | None, ...] = ()  # shufflevector; None is an undefined lane
    targets: tuple[str, ...] = ()
    cases: tuple[tuple[ConstantInt, str], ...] = ()
    incoming: tuple[tuple[Value, str], ...] = ()
    call: Call | None = None
    text: str = ""  # only of an unknown opcode: its line, for messages


@dataclass(slots=True)
class DebugRecord:
    """Where a variable lives from here on. `kind` is declare (value is its address), value, assign or label.

    `value` is a tuple for a DIArgList and None where the variable has no value; `variable` is the metadata id of the
    DILocalVariable (of the DILabel for a label).
    """

    kind: str
    value: Value | tuple[Value, ...] | None
    variable: int
    expression: tuple[int | str, ...]
    location: int | None


BlockItem: TypeAlias = Instruction | DebugRecord


@dataclass(slots=True)
class Block:
    """A basic block; `items` has instructions and debug records in their order, the terminator last."""

    name: str
    items: list[BlockItem]

    @property
    def instructions(self) -> list[Instruction]:
        return [item for item in self.items if isinstance(item, Instruction)]


@dataclass
class Function:
    """A function definition or declaration; `blocks` is ordered with the entry first, empty for a declaration."""

    name: str
    type: FunctionType
    params: tuple[Local, ...]
    param_attributes: tuple[ParamAttributes, ...]
    result_attributes: ParamAttributes
    linkage: str  # external when none is written
    is_declaration: bool
    attributes: frozenset[str]  # groups resolved: noreturn, returns_twice, noinline, "key"="value"...
    subprogram: int | None  # metadata id of the DISubprogram
    parse_body: Callable[[Function], dict[str, Block]] = field(repr=False)

    @property
    def variadic(self) -> bool:
        return self.type.vararg

    @cached_property
    def blocks(self) -> dict[str, Block]:
        return {} if self.is_declaration else self.parse_body(self)


@dataclass
class GlobalVariable:
    """A global variable; `type` is the type of its contents, `initializer` is None for a declaration."""

    name: str
    type: Type
    linkage: str
    is_constant: bool
    is_declaration: bool
    is_thread_local: bool
    is_externally_initialized: bool
    align: int | None
    section: str | None
    addrspace: int
    debug_ids: tuple[int, ...]  # metadata ids of DIGlobalVariableExpression
    initializer: Value | None = field(repr=False)


@dataclass
class GlobalAlias:
    """An alias (`kind` alias) or an indirect function (`kind` ifunc); `target` is the aliasee or the resolver."""

    name: str
    kind: str
    type: Type
    linkage: str
    target: Value


@dataclass
class Module:
    """The whole program.

    The tables keep the order of the module and parse an entry when it is first looked up, so that a large library
    costs nothing where it is not used; iterate over their keys rather than their values.
    """

    functions: Mapping[str, Function]
    globals: Mapping[str, GlobalVariable]
    aliases: Mapping[str, GlobalAlias]
    struct_table: StructTable
    data_layout: str
    triple: str
    module_asm: str
    metadata_store: MetadataStore

    @property
    def struct_types(self) -> dict[str, StructType]:
        """Every named struct type of the module, by name."""
        return self.struct_table.all_types()

    def metadata(self, identifier: int) -> MetadataNode:
        """Metadata node !identifier, parsed once."""
        return self.metadata_store.node(identifier)

    def named_metadata(self, name: str) -> tuple[int, ...]:
        """Ids of the operands of `!name = !{...}`; empty when the module has none."""
        return self.metadata_store.named(name)

    def source_location(self, location: int | None) -> SourceLocation | None:
        """The place of a DILocation (the innermost one when it was inlined)."""
        return self.metadata_store.source_location(location)

    def location_chain(self, location: int | None) -> list[tuple[str, SourceLocation]]:
        """Function names and places of a DILocation and of the calls it was inlined through, innermost first."""
        return self.metadata_store.location_chain(location)
