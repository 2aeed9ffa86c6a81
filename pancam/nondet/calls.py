# SPDX-License-Identifier: Apache-2.0
"""How values pass between functions: arguments of direct calls, results, and those of threads.

The argument of a thread goes through the library's records to its function, and its result to whoever joins it with an
address for it. In between nothing looks at either (vm_c/guest/threads.c).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pancam.ir.values import ConstantNull, GlobalRef

if TYPE_CHECKING:
    from pancam.nondet.program_view import ProgramView, Use

CREATE, ROUTINE, ARGUMENT = "pthread_create", 2, 3
EXIT = "pthread_exit"
EXITS, STATUS_HANDLER = ("exit", "quick_exit", "_exit", "_Exit"), "on_exit"
# Functions that hand out the result of a thread, and which argument says where to.
JOINS = {
    "pthread_join": 1, "pthread_tryjoin_np": 1, "pthread_timedjoin_np": 1, "pthread_clockjoin_np": 1, "thrd_join": 1,
}  # fmt: skip


def argument_target(program: ProgramView, use: Use) -> tuple[str, str] | None:
    """The parameter that an argument arrives in, if that is known."""
    instruction = use.instruction
    name = program.callee(instruction)
    assert name is not None
    assert instruction.call is not None
    place = use.place
    if name == CREATE and program.is_library(name):
        routine = instruction.operands[ROUTINE]
        if place != ARGUMENT or not isinstance(routine, GlobalRef):
            return None
        name, place = program.resolve(routine.name), 0
    elif instruction.call.argument_attributes[place].byval is not None:
        return None
    function = program.functions.get(name)
    if function is None or place >= len(function.params):
        return None
    parameter = function.params[place]
    return (name, parameter.name) if parameter.type is instruction.operands[use.place].type else None


def harmless_argument(program: ProgramView, use: Use) -> bool:
    """Whether nobody ever looks at an argument: parameters nobody has, exit statuses, results that no join asks for."""
    instruction = use.instruction
    name = program.callee(instruction)
    assert name is not None
    if name == "__pancam_exit":
        return True
    if name in EXITS and program.is_library(name):
        return STATUS_HANDLER not in program.functions
    if name == EXIT and program.is_library(name):
        return not thread_results_are_read(program)
    function = program.functions.get(name)
    return function is not None and not function.variadic and use.place >= len(function.params)


def result_targets(program: ProgramView, name: str) -> list[tuple[str, str]] | None:
    """Where the result of a function arrives; None when nobody knows."""
    if not _is_called_openly(program, name):
        return None
    targets = []
    for use in program.calls.get(name, []):
        result = use.instruction.result
        if result is None:
            continue
        if result.type is not program.functions[name].type.result:
            return None
        targets.append((use.function, result.name))
    return targets


def _is_called_openly(program: ProgramView, name: str) -> bool:
    """Whether all calls are direct, or by pthread_create for a thread whose result nobody asks for."""
    if name in program.entries or name in program.initial:
        return False
    # Whether a function that may be missing is there says nothing about its result.
    mentions = [use for use in program.mentions.get(name, []) if use.instruction.opcode != "icmp"]
    return all(_starts_thread(program, use) for use in mentions) and not (mentions and thread_results_are_read(program))


def _starts_thread(program: ProgramView, use: Use) -> bool:
    is_create = program.callee(use.instruction) == CREATE and program.is_library(CREATE)
    return is_create and use.place == ROUTINE and isinstance(use.instruction.operands[ROUTINE], GlobalRef)


def thread_results_are_read(program: ProgramView) -> bool:
    """Whether some join asks for the result of a thread, or may."""
    for name, place in JOINS.items():
        if program.mentions.get(name) or name in program.entries or name in program.initial:
            return True
        for use in program.calls.get(name, []):
            if program.is_library(use.function):
                continue  # the library's own wrappers hand on what they get, and are in the list themselves
            arguments = use.instruction.operands
            if place >= len(arguments) or not isinstance(arguments[place], ConstantNull):
                return True
    return False
