# SPDX-License-Identifier: Apache-2.0
"""Module to Program: collects what the program needs, lowers each function, lays out the code, writes the image."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pancam.bytecode import lower_arith, lower_call, lower_control, lower_memory
from pancam.bytecode.assemble import FunctionCode, assemble_function
from pancam.bytecode.debug import SourceMapBuilder
from pancam.bytecode.function import FunctionLowering, InstructionSet
from pancam.bytecode.image import ImageWriter
from pancam.bytecode.program import Program
from pancam.bytecode.symbols import Symbols

if TYPE_CHECKING:
    from pancam.ir.model import Module

ENTRY = "__pancam_start"
ALWAYS_NEEDED = (ENTRY, "memcpy", "memmove", "memset")  # what lowered code may call without the program naming it

INSTRUCTIONS = InstructionSet(
    evaluators={**lower_arith.EVALUATORS, **lower_memory.EVALUATORS},
    expression_evaluators={
        **lower_arith.EVALUATORS, **lower_arith.EXPRESSION_EVALUATORS, **lower_memory.EXPRESSION_EVALUATORS,
    },
    handlers={
        **lower_arith.HANDLERS, **lower_memory.HANDLERS, **lower_control.HANDLERS, **lower_call.HANDLERS,
    },
)  # fmt: skip


def lower_module(module: Module, arguments: list[str], thread_limit: int) -> Program:
    """The bytecode of everything that the program reaches from its entry."""
    symbols = Symbols(module, thread_limit, arguments)
    symbols.collect(ENTRY)
    functions: list[FunctionCode] = []
    pc = 0
    for function in symbols.functions.values():
        lowered = FunctionLowering(function, symbols, INSTRUCTIONS).lower()
        functions.append(assemble_function(lowered, pc))
        pc = functions[-1].end_pc
    image = ImageWriter(symbols, functions).write()
    return Program(image, thread_limit, lambda: SourceMapBuilder(symbols, functions).build())
