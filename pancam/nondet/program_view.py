# SPDX-License-Identifier: Apache-2.0
"""The code that a program can reach, with indices over it: who uses a value, who calls and who mentions a function."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from pancam.bytecode.layout import DataLayout
from pancam.bytecode.promote import used_values
from pancam.ir.model import Instruction
from pancam.ir.values import BlockAddress, ConstantAggregate, ConstantExpr, GlobalRef, Local
from pancam.resources import guest_sources

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pancam.ir.model import Block, Function, Module
    from pancam.ir.values import Value

# Tables of functions that the machine runs at start and exit: pancam/bytecode/symbols.py makes calls of them.
STRUCTORS = ("llvm.global_ctors", "llvm.global_dtors")


class Use(NamedTuple):
    """An instruction and the place among its used values (operands, phi inputs, callee)."""

    function: str
    block: Block
    instruction: Instruction
    place: int


@dataclass
class ProgramView:
    """What is reachable from the entries. Nothing that is not listed here is ever executed or read."""

    module: Module
    entries: tuple[str, ...]
    layout: DataLayout
    functions: dict[str, Function] = field(default_factory=dict)
    globals: set[str] = field(default_factory=set)
    undefined: set[str] = field(default_factory=set)  # functions without a body
    definitions: dict[tuple[str, str], Instruction] = field(default_factory=dict)
    uses: dict[tuple[str, str], list[Use]] = field(default_factory=dict)  # of locals: function and name
    calls: dict[str, list[Use]] = field(default_factory=dict)  # direct ones, by the callee
    mentions: dict[str, list[Use]] = field(default_factory=dict)  # of globals and functions other than as a callee
    initial: set[str] = field(default_factory=set)  # what initial values of variables mention

    def resolve(self, name: str) -> str:
        """The name behind an alias; the lowering refuses what is no plain alias."""
        for _ in range(len(self.module.aliases)):
            if name not in self.module.aliases:
                break
            target = self.module.aliases[name].target
            if not isinstance(target, GlobalRef):
                break
            name = target.name
        return name

    def instructions(self) -> Iterator[tuple[str, Block, Instruction]]:
        for name, function in self.functions.items():
            for block in function.blocks.values():
                for instruction in block.instructions:
                    yield name, block, instruction

    def callee(self, instruction: Instruction) -> str | None:
        """The function that a call names; None for another instruction and for a call through a pointer."""
        if instruction.call is None or not isinstance(instruction.call.callee, GlobalRef):
            return None
        return self.resolve(instruction.call.callee.name)

    def is_library(self, name: str) -> bool:
        """Whether a function that has a body comes from the guest library and not from the program."""
        function = self.functions.get(name)
        if function is None or function.subprogram is None:
            return False
        subprogram = self.module.metadata(function.subprogram)
        return self.module.metadata_store.file_path(subprogram.ref("file")).startswith(f"{guest_sources()}/")


def view_program(module: Module, entries: Sequence[str]) -> ProgramView:
    """Collect what is reachable from the entries, and index it."""
    view = ProgramView(module, tuple(entries), DataLayout(module.data_layout))
    _collect(view)
    for function, block, instruction in view.instructions():
        if instruction.result is not None:
            view.definitions[function, instruction.result.name] = instruction
        _index(view, function, block, instruction)
    return view


def _index(view: ProgramView, function: str, block: Block, instruction: Instruction) -> None:
    callee = view.callee(instruction)
    values = used_values(instruction)
    for place, value in enumerate(values):
        use = Use(function, block, instruction, place)
        if callee is not None and place == len(values) - 1:
            view.calls.setdefault(callee, []).append(use)
        elif isinstance(value, Local):
            view.uses.setdefault((function, value.name), []).append(use)
        else:
            for name in globals_in(value):
                view.mentions.setdefault(view.resolve(name), []).append(use)


def globals_in(value: Value) -> list[str]:
    """All names of globals and functions in a value."""
    match value:
        case GlobalRef():
            return [value.name]
        case BlockAddress():
            return [value.function]
        case ConstantExpr():
            return [name for operand in value.operands for name in globals_in(operand)]
        case ConstantAggregate():
            return [name for element in value.elements for name in globals_in(element)]
    return []


def _collect(view: ProgramView) -> None:
    module = view.module
    work = [*view.entries, *(name for name in STRUCTORS if name in module.globals)]
    seen: set[str] = set()
    while work:
        name = view.resolve(work.pop())
        if name in seen:
            continue
        seen.add(name)
        if name in module.globals:
            view.globals.add(name)
            initializer = module.globals[name].initializer
            found = globals_in(initializer) if initializer is not None else []
            view.initial.update(view.resolve(mentioned) for mentioned in found)
            work += found
        elif name in module.functions and not module.functions[name].is_declaration:
            view.functions[name] = module.functions[name]
            for block in module.functions[name].blocks.values():
                for instruction in block.instructions:
                    for value in used_values(instruction):
                        work += globals_in(value)
        else:
            view.undefined.add(name)
