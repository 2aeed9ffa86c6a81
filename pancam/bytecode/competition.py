# SPDX-License-Identifier: Apache-2.0
"""What names of the software verification competition mean for the code: atomic functions, error functions and labels.

A function whose name begins with __VERIFIER_atomic_ is an atomic section from its entry to its return. An error
function is a violation as soon as it is entered, whatever its body says; an error label when it is reached.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pancam.errors import SourceLocation, UnsupportedError
from pancam.isa import faults
from pancam.resources import guest_sources

if TYPE_CHECKING:
    from pancam.bytecode.function import FunctionLowering
    from pancam.ir.model import Instruction, Module

ATOMIC_PREFIX = "__VERIFIER_atomic_"
MARKERS = ("__VERIFIER_atomic_begin", "__VERIFIER_atomic_end")  # these open and close sections by being called
ERROR = "(error function)"  # an opcode of our own: the body of an error function


@dataclass(frozen=True, slots=True)
class ErrorPlaces:
    """Functions and labels that must not be reached."""

    functions: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()


def is_atomic_function(name: str) -> bool:
    """Whether the body of a function with this name is an atomic section."""
    return name.startswith(ATOMIC_PREFIX) and name not in MARKERS


def enter_section(lowering: FunctionLowering) -> None:
    """The entry of an atomic function; it belongs to the first line of the body."""
    items = (item for block in lowering.function.blocks.values() for item in block.instructions)
    lowering.emitter.location = next((item.location for item in items if item.location is not None), None)
    lowering.emitter.emit("ATOMIC_BEGIN")


def leave_section(lowering: FunctionLowering) -> None:
    """A return from an atomic function, after its result was computed."""
    lowering.emitter.emit("ATOMIC_END")


def handle_error(lowering: FunctionLowering, instruction: Instruction) -> None:
    """The whole body of an error function."""
    del instruction
    lowering.emitter.trap(faults()["ERROR_REACHED"][0])


def reach_label(lowering: FunctionLowering, label: int, location: int | None) -> None:
    """A label of the source: if it is an error label, nothing behind it is executed."""
    if lowering.symbols.module.metadata(label).text("name") not in lowering.symbols.errors.labels:
        return
    lowering.emitter.location = location
    lowering.emitter.trap(faults()["ERROR_REACHED"][0])
    lowering.start_block(lowering.new_label("after"))


def refuse_optimised(module: Module, errors: ErrorPlaces) -> None:
    """An optimiser may merge a function into its callers: then neither its entry nor its return is there any more."""
    for node in module.metadata_store.subprograms():
        name, flags = node.text("name"), node.text("spFlags")
        means_something = is_atomic_function(name) or name in errors.functions or errors.labels
        if not (means_something and "DISPFlagDefinition" in flags and "DISPFlagOptimized" in flags):
            continue
        file = module.metadata_store.file_path(node.ref("file"))
        if file.startswith(f"{guest_sources()}/"):
            continue
        what = f"the label {errors.labels[0]}" if errors.labels else name
        raise UnsupportedError(
            f"{what} keeps its meaning only in code that is not optimised (-O0)",
            SourceLocation(file, node.number("line")),
        )
