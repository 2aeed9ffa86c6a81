# SPDX-License-Identifier: Apache-2.0
"""Module to Program: collects what the program needs, lowers each function, lays out the code, writes the image."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pancam.bytecode import lower_arith, lower_call, lower_control, lower_memory
from pancam.bytecode.assemble import FunctionCode, assemble_function
from pancam.bytecode.competition import ErrorPlaces, refuse_optimised
from pancam.bytecode.debug import SourceMapBuilder
from pancam.bytecode.entries import ENTRY, HARNESS_ENTRY, HARNESS_FUNCTIONS
from pancam.bytecode.function import FunctionLowering, InstructionSet
from pancam.bytecode.image import ImageWriter
from pancam.bytecode.program import Program
from pancam.bytecode.symbols import Symbols
from pancam.errors import UsageError

if TYPE_CHECKING:
    from pancam.ir.model import Module

INSTRUCTIONS = InstructionSet(
    evaluators={**lower_arith.EVALUATORS, **lower_memory.EVALUATORS},
    expression_evaluators={
        **lower_arith.EVALUATORS, **lower_arith.EXPRESSION_EVALUATORS, **lower_memory.EXPRESSION_EVALUATORS,
    },
    handlers={
        **lower_arith.HANDLERS, **lower_memory.HANDLERS, **lower_control.HANDLERS, **lower_call.HANDLERS,
    },
)  # fmt: skip


@dataclass(frozen=True)
class Roots:
    """Where a program begins: `main`, or functions that somebody calls from outside; both are possible.

    `errors` is where it must not get to.
    """

    main: bool = True
    functions: tuple[str, ...] = ()
    errors: ErrorPlaces = field(default_factory=ErrorPlaces)

    @property
    def entry(self) -> str:
        return ENTRY if self.main else HARNESS_ENTRY

    @property
    def names(self) -> tuple[str, ...]:
        outside = (*HARNESS_FUNCTIONS, *self.functions) if self.functions or not self.main else ()
        return (self.entry, *outside)


@dataclass(frozen=True)
class MemoryUse:
    """What is to be known about the program's memory."""

    tracks: bool = False  # which bytes were written: loads are checked
    promotes: bool = True  # local variables may live in registers, for as long as they are used


def lower_module(
    module: Module,
    arguments: list[str],
    thread_limit: int,
    roots: Roots | None = None,
    memory: MemoryUse | None = None,
) -> Program:
    """The bytecode of everything that the program reaches from where it begins."""
    roots, memory = roots or Roots(), memory or MemoryUse()
    for name in roots.functions:
        if name not in module.functions or module.functions[name].is_declaration:
            raise UsageError(f"the program has no function {name} (the compiler drops static functions nobody calls)")
    refuse_optimised(module, roots.errors)
    symbols = Symbols(module, thread_limit, arguments, roots.errors)
    symbols.tracks, symbols.promotes = memory.tracks, memory.promotes
    symbols.collect(*roots.names)
    functions: list[FunctionCode] = []
    pc = 0
    for function in symbols.functions.values():
        lowered = FunctionLowering(function, symbols, INSTRUCTIONS).lower()
        functions.append(assemble_function(lowered, pc))
        pc = functions[-1].end_pc
    image = ImageWriter(symbols, functions).write(roots.entry)
    return Program(
        image,
        thread_limit,
        lambda: SourceMapBuilder(symbols, functions).build(),
        has_main=roots.main,
    )
