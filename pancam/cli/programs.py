# SPDX-License-Identifier: Apache-2.0
"""Commands about one program: run, compile, disasm; and the options that all commands with a program share."""

from __future__ import annotations

import shlex
import sys
import time
from typing import TYPE_CHECKING

from pancam.cli import EXIT_FAULT, EXIT_GAVE_UP, START
from pancam.errors import UsageError
from pancam.frontend.clang import BOUNDS_CHECKS, DIVISION_CHECKS, OVERFLOW_CHECKS, CompileOptions
from pancam.pipeline import DEFAULT_THREAD_LIMIT, BuildOptions, Timings, build_program
from pancam.settings import Limits

if TYPE_CHECKING:
    import argparse

    from pancam.bytecode.program import Program
    from pancam.vm.machine import Machine
    from pancam.vm.scheduler import Ending

SLOT_BYTES = 8
STDERR = 2
EXIT_ABORTED = 134
MOST_THREADS = 64


def split_flags(text: str, option: str) -> tuple[str, ...]:
    """The words of an option that takes several, as a shell would see them."""
    try:
        return tuple(shlex.split(text))
    except ValueError as problem:
        raise UsageError(f"{option}: {problem}") from problem


def build_options(options: argparse.Namespace) -> BuildOptions:
    """How to compile the program."""
    threads = DEFAULT_THREAD_LIMIT if options.max_threads is None else options.max_threads
    if not 1 <= threads <= MOST_THREADS:
        raise UsageError(f"--max-threads must be between 1 and {MOST_THREADS}")
    compile_options = CompileOptions(
        opt_level=options.opt_level,
        include_dirs=tuple(options.include_dirs),
        defines=tuple(options.defines),
        undefines=tuple(options.undefines),
        std=options.std,
        include_files=tuple(options.include_files),
        m32=options.m32,
        checks=_clang_checks(options),
        extra_flags=(*split_flags(options.cflags, "--cflags"), *options.flags),
    )
    if (options.uninit or options.nondet_uninit) and options.opt_level != "0":
        name = "--uninit" if options.uninit else "--nondet-uninit"
        raise UsageError(f"{name} needs -O0: an optimiser removes reads of what was never written")
    return BuildOptions(
        compile_options,
        options.clang,
        threads,
        uninit=options.uninit or options.nondet_uninit,
        nondet=tuple(options.nondet),
        malloc_may_fail=options.malloc_may_fail,
        nondet_uninit=options.nondet_uninit,
    )


def _clang_checks(options: argparse.Namespace) -> tuple[str, ...]:
    """Division always, arrays inside objects as written, overflow on request."""
    bounds = BOUNDS_CHECKS if options.opt_level == "0" else ()
    return (*DIVISION_CHECKS, *bounds, *(OVERFLOW_CHECKS if options.overflow else ()))


def run(options: argparse.Namespace) -> int:
    """`pancam run`."""
    timings = Timings()
    timings.phases["start"] = time.perf_counter() - START
    program = build_program(options.files, build_options(options), options.arguments, timings)
    with timings.phase("imports"):
        from pancam.vm.machine import Machine
        from pancam.vm.scheduler import Ending, Schedule, Scheduler
    machine = Machine(program.image, machine_limits(options, program.thread_limit))
    machine.set_output(_write_output)
    with timings.phase("run"):
        ending = Scheduler(machine, Schedule(options.schedule == "rr", options.seed)).run(options.budget)
    sys.stdout.flush()
    if options.timings:
        print_timings(timings, machine.instructions)
    if ending is Ending.EXITED:
        return machine.exit_status & 0xFF
    return _report(ending, machine, program)


def _report(ending: Ending, machine: Machine, program: Program) -> int:
    """Say on stderr why the program did not exit by itself; the exit code."""
    from pancam.explain.situation import Situation
    from pancam.vm.scheduler import Ending

    situation = Situation(machine, program)
    if machine.fault is not None:
        lines = situation.fault_lines(machine.fault)
        status = EXIT_GAVE_UP if machine.fault.kind.endswith("_LIMIT") else EXIT_FAULT
    elif ending is Ending.DEADLOCK:
        lines, status = situation.deadlock_lines(), EXIT_FAULT
    elif ending is Ending.ABORTED:
        lines, status = ["aborted", *situation.thread_lines(None)], EXIT_ABORTED
    elif ending is Ending.PRUNED:
        lines, status = ["this execution does not count: an assumption does not hold"], EXIT_GAVE_UP
    else:
        lines, status = [f"gave up after {machine.instructions} instructions"], EXIT_GAVE_UP
    print("\n".join(lines), file=sys.stderr)
    return status


def machine_limits(options: argparse.Namespace, threads: int) -> Limits:
    """The sizes that the user chose."""
    slots = options.stack // SLOT_BYTES
    return Limits(max_threads=threads, heap_bytes=options.heap, stack_slots=slots, stack_bytes=options.stack)


def _write_output(descriptor: int, data: bytes) -> None:
    """The program's own output, in the order it was made."""
    if descriptor == STDERR:
        sys.stdout.flush()
        sys.stderr.buffer.write(data)
        sys.stderr.flush()
    else:
        sys.stdout.buffer.write(data)


def print_timings(timings: Timings, instructions: int) -> None:
    """Where the time went, for benchmarks."""
    for name, seconds in timings.phases.items():
        print(f"{name} {seconds:.4f}", file=sys.stderr)
    print(f"total {time.perf_counter() - START:.4f}", file=sys.stderr)
    print(f"instructions {instructions}", file=sys.stderr)


def compile_(options: argparse.Namespace) -> int:
    """`pancam compile`."""
    from pathlib import Path

    from pancam.pipeline import write_file

    program = build_program(options.files, build_options(options), [], Timings())
    write_file(Path(options.output), program.file_bytes())
    return 0


def disasm(options: argparse.Namespace) -> int:
    """`pancam disasm`."""
    from pancam.bytecode.disasm import Disassembler

    program = build_program(options.files, build_options(options), [], Timings())
    wanted = set(options.wanted) if options.wanted else None
    listing = Disassembler(program)
    missing = sorted((wanted or set()) - {function.name for function in listing.functions})
    if missing:
        raise UsageError(f"the program has no function {missing[0]} (or never reaches it)")
    for line in listing.text(wanted):
        print(line)
    return 0
