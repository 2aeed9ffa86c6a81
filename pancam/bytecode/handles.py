# SPDX-License-Identifier: Apache-2.0
"""Whether a program tells its threads apart: by their numbers, or by the ids that pthread_create writes.

A variable for ids that is only written may hold anything. Whatever is not obviously such a one (its address is given to
another function, it is loaded, it was found through a pointer) counts as looked at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pancam.bytecode.definedness import is_library
from pancam.bytecode.escape import callee_name, globals_in, root_name
from pancam.bytecode.image import FUNCTION, INSTRUCTION, read_sections
from pancam.bytecode.promote import instructions_of, is_lifetime_marker, used_values
from pancam.ir.values import GlobalRef, Local
from pancam.isa import OPCODES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pancam.bytecode.program import Program
    from pancam.ir.model import Function, Instruction, Module
    from pancam.ir.values import Value

CREATORS = ("pthread_create", "thrd_create")
NUMBERED = ("SELF", "SETJMP")  # instructions whose result depends on the number of the thread


def numbered(program: Program) -> str | None:
    """The name of a function of the program in which a thread learns its number."""
    sections, _, _ = read_sections(program.image)
    numbers = {OPCODES[name].number for name in NUMBERED}
    pcs = [pc for pc, (op, *_) in enumerate(INSTRUCTION.iter_unpack(sections["CODE"])) if op in numbers]
    for first, end, name, *_ in FUNCTION.iter_unpack(sections["FUNCTIONS"]):
        if any(first <= pc < end for pc in pcs):
            strings = sections["STRINGS"]
            return strings[name : strings.index(0, name)].decode(errors="replace")
    return None


def looks_at_handles(module: Module) -> bool:
    """Whether some function of the user's may read the id of a thread."""
    functions = [f for f in map(module.functions.__getitem__, module.functions) if not f.is_declaration]
    functions = [function for function in functions if not is_library(function, module)]
    variables: set[str] = set()
    for function in functions:
        addresses = _Addresses(function)
        found = {addresses.root(call.operands[0]) for call in _creations(function)}
        if None in found or any(addresses.looks_at(root) for root in found if isinstance(root, Local)):
            return True
        variables |= {root.name for root in found if isinstance(root, GlobalRef)}
    if any(_mentions_creator(function) for function in functions) or _is_pointed_to(module, {*variables, *CREATORS}):
        return True
    return any(_Addresses(function).looks_at(GlobalRef(name)) for function in functions for name in variables)


def _creations(function: Function) -> Iterator[Instruction]:
    return (i for i in instructions_of(function) if i.call is not None and callee_name(i) in CREATORS)


def _mentions_creator(function: Function) -> bool:
    """Whether a pointer to a function that creates threads is used for something else than a call."""
    values = (value for i in instructions_of(function) for value in (*i.operands, *(v for v, _ in i.incoming)))
    return any(name in CREATORS for value in values for name in globals_in(value))


def _is_pointed_to(module: Module, names: set[str]) -> bool:
    """Whether the initialiser of a variable has the address of one of these."""
    initializers = (module.globals[name].initializer for name in module.globals)
    aliases = (module.aliases[name].target for name in module.aliases)
    return any(names.intersection(globals_in(v)) for v in (*initializers, *aliases) if v is not None)


class _Addresses:
    """How a function uses addresses of variables."""

    def __init__(self, function: Function) -> None:
        self.instructions = instructions_of(function)
        self.definitions = {i.result.name: i for i in self.instructions if i.result is not None}

    def root(self, address: Value) -> Local | GlobalRef | None:
        """The variable that an address is computed from: of the function, or global; None: it is not known."""
        name = root_name(address, self.definitions)
        if name is not None:
            return GlobalRef(name)
        while isinstance(address, Local) and address.name in self.definitions:
            definition = self.definitions[address.name]
            if definition.opcode == "alloca":
                return address
            if definition.opcode != "getelementptr":
                return None
            address = definition.operands[0]
        return None

    def looks_at(self, variable: Local | GlobalRef) -> bool:
        """Whether an address of the variable is used for anything but writing to it."""
        return any(
            not _only_writes(instruction, place) or self.root(value) != variable
            for instruction in self.instructions
            for place, value in enumerate(used_values(instruction))
            if self._mentions(value, variable)
        )

    def _mentions(self, value: Value, variable: Local | GlobalRef) -> bool:
        is_named = isinstance(variable, GlobalRef) and variable.name in globals_in(value)
        return is_named or self.root(value) == variable


def _only_writes(instruction: Instruction, place: int) -> bool:
    """Whether an address at this place is written to, or becomes another one, whose uses are looked at in turn."""
    if instruction.opcode == "store":
        return place == 1
    if instruction.opcode == "getelementptr":
        return place == 0
    name = callee_name(instruction)
    return is_lifetime_marker(instruction) or (place == 0 and (name in CREATORS or name.startswith("llvm.memset.")))
