# SPDX-License-Identifier: Apache-2.0
"""The command line: arguments in, text and exit code out. Everything else is done by the stages behind pipeline."""

from __future__ import annotations

import argparse
import os
import sys
import time
from typing import TYPE_CHECKING

_START = time.perf_counter()

from pancam.errors import CompileError, PancamError, UsageError  # noqa: E402 - the clock starts before imports

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pancam.bytecode.program import Program
    from pancam.pipeline import BuildOptions, Timings
    from pancam.vm.machine import Limits, Machine
    from pancam.vm.scheduler import Ending

SLOT_BYTES = 8
STDERR = 2
EXIT_FAULT, EXIT_USAGE, EXIT_GAVE_UP, EXIT_ABORTED = 1, 2, 3, 134
PASSED_TO_CLANG = ("-f", "-W", "-w", "-m", "-pthread", "-pedantic", "-ansi", "-g", "-nostdinc")
DEFAULT_BUDGET = 1 << 62


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; errors of the user become one line on stderr and their exit code."""
    try:
        status = _dispatch(list(sys.argv[1:] if argv is None else argv))
        sys.stdout.flush()
    except PancamError as error:
        if isinstance(error, CompileError) and error.details:
            print(error.details.rstrip(), file=sys.stderr)
        print(f"pancam: {error}", file=sys.stderr)
        return error.exit_code
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # whoever read our output is gone
        return EXIT_FAULT
    except KeyboardInterrupt:
        print("pancam: interrupted", file=sys.stderr)
        return EXIT_GAVE_UP
    return status


def _dispatch(argv: list[str]) -> int:
    own, arguments = argv, []
    if "--" in argv:
        at = argv.index("--")
        own, arguments = argv[:at], argv[at + 1 :]
    parser = _parser()
    options, unknown = parser.parse_known_args(_with_flags_joined(own))
    flags = [flag for flag in unknown if flag.startswith(PASSED_TO_CLANG)]
    if len(flags) != len(unknown):
        refused = next(flag for flag in unknown if flag not in flags)
        raise UsageError(f"unknown option {refused}; see `pancam {options.command} --help`")
    options.flags = flags
    if arguments and options.command != "run":
        raise UsageError("only `pancam run` takes arguments for the program behind --")
    options.arguments = arguments
    command: Callable[[argparse.Namespace], int] = options.function
    return command(options)


def _with_flags_joined(words: list[str]) -> list[str]:
    """`--cflags -Dx` as one word, since argparse would take its value for another option."""
    if "--cflags" not in words[:-1]:
        return words
    at = words.index("--cflags")
    return [*words[:at], f"--cflags={words[at + 1]}", *_with_flags_joined(words[at + 2 :])]


class _Parser(argparse.ArgumentParser):
    """Wrong usage is one line and exit code 2."""

    def error(self, message: str) -> None:  # type: ignore[override]
        raise UsageError(f"{message}; see `{self.prog} --help`")


class _ShowVersion(argparse.Action):
    """Looks the version up only when asked for it: importing importlib.metadata takes longer than the rest."""

    def __call__(self, *_: object) -> None:
        from importlib.metadata import version

        print(f"pancam {version('pancam')}")
        raise SystemExit(0)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="pancam", description="A model checker for multithreaded C.", allow_abbrev=False)
    parser.add_argument("--version", action=_ShowVersion, nargs=0, help="show the version and exit")
    commands = parser.add_subparsers(dest="command", required=True, parser_class=_Parser, metavar="COMMAND")
    run = _command(commands, "run", _run, "run a program in the machine under one schedule")
    run.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the random schedule (default 0)")
    run.add_argument("--schedule", choices=("random", "rr"), default="random", help="random (default) or round robin")
    run.add_argument("--budget", type=int, default=DEFAULT_BUDGET, metavar="N", help="stop after N instructions")
    run.add_argument("--heap", type=_size, default=0, metavar="BYTES", help="heap of each thread, as 64M (the default)")
    run.add_argument(
        "--stack", type=_size, default=0, metavar="BYTES", help="stack of each thread, as 8M (the default)"
    )
    run.add_argument("--timings", action="store_true", help="print where the time went to stderr")
    compile_ = _command(commands, "compile", _compile, "compile a program to a bytecode image")
    compile_.add_argument("-o", dest="output", required=True, metavar="FILE", help="the image to write (.pcb)")
    disasm = _command(commands, "disasm", _disasm, "show the bytecode of a program")
    disasm.add_argument(
        "--function", dest="wanted", action="append", metavar="NAME", help="only this function; may be repeated"
    )
    return parser


def _command(
    commands: argparse._SubParsersAction[_Parser],
    name: str,
    function: Callable[[argparse.Namespace], int],
    text: str,
) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=text, description=text.capitalize() + ".", allow_abbrev=False)
    parser.set_defaults(function=function)
    parser.add_argument("files", nargs="+", metavar="FILE", help="C files (.c, .i), LLVM (.ll, .bc), or one .pcb image")
    group = parser.add_argument_group("compilation")
    group.add_argument("-O", dest="opt_level", default="0", choices=("0", "1", "2", "3", "s"), help="default -O0")
    group.add_argument("-I", dest="include_dirs", action="append", default=[], metavar="DIR")
    group.add_argument("-D", dest="defines", action="append", default=[], metavar="NAME[=VALUE]")
    group.add_argument("-U", dest="undefines", action="append", default=[], metavar="NAME")
    group.add_argument("-std", dest="std", metavar="STANDARD")
    group.add_argument("-include", dest="include_files", action="append", default=[], metavar="FILE")
    group.add_argument("--m32", action="store_true", help="32-bit integers, longs and pointers (i386)")
    group.add_argument(
        "--cflags", default="", metavar="FLAGS", help="more flags for Clang; -f... -W... -m... also pass"
    )
    group.add_argument(
        "--clang", metavar="PATH", help="the Clang to use (default: PANCAM_CLANG, or the newest on PATH)"
    )
    group.add_argument("--max-threads", type=int, default=8, metavar="N", help="threads alive at once (default 8)")
    return parser


def _size(text: str) -> int:
    """A number of bytes, with K, M or G behind it."""
    number, factor = (text[:-1], 1 << 10 * (1 + "KMG".index(text[-1].upper()))) if text[-1:].isalpha() else (text, 1)
    return int(number) * factor


def _build_options(options: argparse.Namespace) -> BuildOptions:
    import shlex

    from pancam.frontend.clang import CompileOptions
    from pancam.pipeline import BuildOptions

    limit = 64
    if not 1 <= options.max_threads <= limit:
        raise UsageError(f"--max-threads must be between 1 and {limit}")
    try:
        more = shlex.split(options.cflags)
    except ValueError as problem:
        raise UsageError(f"--cflags: {problem}") from problem
    compile_options = CompileOptions(
        opt_level=options.opt_level,
        include_dirs=tuple(options.include_dirs),
        defines=tuple(options.defines),
        undefines=tuple(options.undefines),
        std=options.std,
        include_files=tuple(options.include_files),
        m32=options.m32,
        extra_flags=(*more, *options.flags),
    )
    return BuildOptions(compile_options, options.clang, options.max_threads)


def _run(options: argparse.Namespace) -> int:
    from pancam.pipeline import Timings, build_program

    timings = Timings()
    timings.phases["start"] = time.perf_counter() - _START
    program = build_program(options.files, _build_options(options), options.arguments, timings)
    with timings.phase("imports"):
        from pancam.vm.machine import Machine
        from pancam.vm.scheduler import Ending, Schedule, Scheduler
    machine = Machine(program.image, _limits(options, program.thread_limit))
    machine.set_output(_write_output)
    with timings.phase("run"):
        ending = Scheduler(machine, Schedule(options.schedule == "rr", options.seed)).run(options.budget)
    sys.stdout.flush()
    if options.timings:
        _print_timings(timings, machine.instructions)
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


def _limits(options: argparse.Namespace, threads: int) -> Limits:
    from pancam.vm.machine import Limits

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


def _print_timings(timings: Timings, instructions: int) -> None:
    for name, seconds in timings.phases.items():
        print(f"{name} {seconds:.4f}", file=sys.stderr)
    print(f"total {time.perf_counter() - _START:.4f}", file=sys.stderr)
    print(f"instructions {instructions}", file=sys.stderr)


def _compile(options: argparse.Namespace) -> int:
    from pathlib import Path

    from pancam.pipeline import Timings, build_program, write_file

    program = build_program(options.files, _build_options(options), [], Timings())
    write_file(Path(options.output), program.file_bytes())
    return 0


def _disasm(options: argparse.Namespace) -> int:
    from pancam.bytecode.disasm import Disassembler
    from pancam.pipeline import Timings, build_program

    program = build_program(options.files, _build_options(options), [], Timings())
    wanted = set(options.wanted) if options.wanted else None
    listing = Disassembler(program)
    missing = sorted((wanted or set()) - {function.name for function in listing.functions})
    if missing:
        raise UsageError(f"the program has no function {missing[0]} (or never reaches it)")
    for line in listing.text(wanted):
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
