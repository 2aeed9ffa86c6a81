# SPDX-License-Identifier: Apache-2.0
"""Compiles C text for tests, in process, with the installed Clang, and takes a machine to a place in it."""

from __future__ import annotations

from pathlib import Path

from pancam.bytecode.program import Program
from pancam.frontend.clang import CompileOptions
from pancam.pipeline import BuildOptions, Timings, build_program
from pancam.vm.machine import Machine, Mode, Status, Stop


def compile_text(
    text: str, folder: Path, *, level: str = "0", m32: bool = False, functions: tuple[str, ...] = ()
) -> Program:
    """The program with this text; with `functions` it has no main, and these are called from outside."""
    file = folder / "program.c"
    file.write_text(text)
    options = BuildOptions(CompileOptions(opt_level=level, m32=m32), needs_main=not functions, functions=functions)
    return build_program([str(file)], options, [], Timings())


def step_to(machine: Machine, function: str, limit: int = 100_000) -> None:
    """Run thread 0 instruction by instruction until `function` is on top of its stack."""
    for _ in range(limit):
        if machine.stack(0)[0].name == function:
            return
        machine.run(0, Mode.STEP_INSTRUCTION)
        assert machine.status is Status.RUNNING, machine.fault
    raise AssertionError(f"{function} is not reached")


def step_to_choice(machine: Machine) -> None:
    """Run thread 0 until it wants a choice."""
    assert machine.run(0) is Stop.CHOICE
