# SPDX-License-Identifier: Apache-2.0
"""The commands and their options. What a command does is imported when it is called: --help and errors come at once."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from pancam.errors import UsageError
from pancam.settings import DEFAULT_SUPERSTEP

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Command = Callable[[argparse.Namespace], int]
    Commands = argparse._SubParsersAction["Parser"]  # noqa: SLF001 - argparse has no other name for it

DEFAULT_BUDGET = 1 << 62
UNITS = "KMGT"
SECONDS = {"s": 1, "m": 60, "h": 3600}


class Parser(argparse.ArgumentParser):
    """Wrong usage is one line and exit code 2."""

    def error(self, message: str) -> None:  # type: ignore[override]
        raise UsageError(f"{message}; see `{self.prog} --help`")


class _ShowVersion(argparse.Action):
    """Looks the version up only when asked for it: importing importlib.metadata takes longer than the rest."""

    def __call__(self, *_: object) -> None:
        from importlib.metadata import version

        print(f"pancam {version('pancam')}")
        raise SystemExit(0)


def make_parser(words: Sequence[str] = ()) -> argparse.ArgumentParser:
    """All commands; or just the one that a command line begins with, since each costs as much as a small search."""
    parser = Parser(prog="pancam", description="A model checker for multithreaded C.", allow_abbrev=False)
    parser.add_argument("--version", action=_ShowVersion, nargs=0, help="show the version and exit")
    commands = parser.add_subparsers(dest="command", required=True, parser_class=Parser, metavar="COMMAND")
    adders = {
        "check": _add_check, "replay": _add_replay, "driver": _add_driver, "run": _add_run, "compile": _add_compile,
        "disasm": _add_disasm, "bench": _add_bench, "doctor": _add_doctor, "cache": _add_cache,
    }  # fmt: skip
    chosen = [adders[words[0]]] if words and words[0] in adders else adders.values()
    for add in chosen:
        add(commands)
    return parser


def _lazy(module: str, function: str) -> Command:
    """A command whose module is imported when it is called."""

    def call(options: argparse.Namespace) -> int:
        from importlib import import_module

        command: Command = getattr(import_module(f"pancam.cli.{module}"), function)
        return command(options)

    return call


def _command(commands: Commands, name: str, function: Command, text: str) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".", allow_abbrev=False)
    parser.set_defaults(function=function)
    return parser


def _add_files(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", metavar="FILE", help="C files (.c, .i), LLVM (.ll, .bc), or one .pcb image")
    group = parser.add_argument_group("compilation")
    group.add_argument("-O", dest="opt_level", default="0", choices=("0", "1", "2", "3", "s"), help="default -O0")
    group.add_argument("-I", dest="include_dirs", action="append", default=[], metavar="DIR")
    group.add_argument("-D", dest="defines", action="append", default=[], metavar="NAME[=VALUE]")
    group.add_argument("-U", dest="undefines", action="append", default=[], metavar="NAME")
    group.add_argument("-std", dest="std", metavar="STANDARD")
    group.add_argument("-include", dest="include_files", action="append", default=[], metavar="FILE")
    group.add_argument("--m32", action="store_true", help="32-bit integers, longs and pointers (i386)")
    group.add_argument("--overflow", action="store_true", help="signed overflow and shifts out of range are faults")
    group.add_argument("--uninit", action="store_true", help="reading memory that was never written is a fault")
    group.add_argument(
        "--cflags", default="", metavar="FLAGS", help="more flags for Clang; -f... -W... -m... also pass"
    )
    group.add_argument(
        "--clang", metavar="PATH", help="the Clang to use (default: PANCAM_CLANG, or the newest on PATH)"
    )
    group.add_argument(
        "--nondet", action="append", default=[], metavar="WHAT=VALUES",
        help="values to try for a type (int=-2..10) or a line (file.c:17=0,1,7); may be repeated",
    )  # fmt: skip
    group.add_argument(
        "--nondet-uninit",
        action="store_true",
        help="locals that were never assigned have any value, memory from malloc some; other such reads are faults",
    )
    group.add_argument("--malloc-may-fail", action="store_true", help="malloc and its like may return NULL at any call")
    group.add_argument("--max-threads", type=int, metavar="N", help="threads alive at once (default 8; check: 8 to 64)")


def _add_machine(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--heap", type=size, default=0, metavar="BYTES", help="heap of each thread, as 64M (default)")
    parser.add_argument("--stack", type=size, default=0, metavar="BYTES", help="stack of each thread, as 8M (default)")
    parser.add_argument("--timings", action="store_true", help="print where the time went to stderr")


def _add_run(commands: Commands) -> None:
    run = _command(commands, "run", _lazy("programs", "run"), "run a program in the machine under one schedule")
    _add_files(run)
    _add_machine(run)
    run.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the random schedule (default 0)")
    run.add_argument("--schedule", choices=("random", "rr"), default="random", help="random (default) or round robin")
    run.add_argument("--budget", type=int, default=DEFAULT_BUDGET, metavar="N", help="stop after N instructions")


def _add_compile(commands: Commands) -> None:
    parser = _command(commands, "compile", _lazy("programs", "compile_"), "compile a program to a bytecode image")
    _add_files(parser)
    parser.add_argument("-o", dest="output", required=True, metavar="FILE", help="the image to write (.pcb)")


def _add_disasm(commands: Commands) -> None:
    parser = _command(commands, "disasm", _lazy("programs", "disasm"), "show the bytecode of a program")
    _add_files(parser)
    parser.add_argument(
        "--function", dest="wanted", action="append", metavar="NAME", help="only this function; may be repeated"
    )


def _add_check(commands: Commands) -> None:
    check = _command(commands, "check", _lazy("check", "check"), "search all executions of a program for violations")
    _add_files(check)
    _add_harness(check)
    _add_competition(check)
    _add_search(check)
    _add_bounds(check)
    _add_limits(check)
    _add_report(check)


def _add_driver(commands: Commands) -> None:
    text = "print the Promela driver that a check with the same options would use"
    driver = _command(commands, "driver", _lazy("check", "driver"), text)
    _add_files(driver)
    _add_harness(driver)
    _add_search(driver)
    _add_bounds(driver)
    _add_limits(driver)


def _add_harness(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(competition=None)
    group = parser.add_argument_group("what is checked")
    group.add_argument("--init", metavar="F", help="run f() first; for programs without main")
    group.add_argument(
        "--thread", dest="threads", action="append", default=[], metavar="F[:ARG]",
        help="start a thread in f; for programs without main; may be repeated",
    )  # fmt: skip
    group.add_argument(
        "--invariant", dest="invariants", action="append", default=[], metavar="F",
        help="int f(void) that must be true in every state; may be repeated",
    )  # fmt: skip
    group.add_argument(
        "--spurious-wakeups", action="store_true", help="waits on condition variables may end without a reason"
    )
    group.add_argument("--races", action="store_true", help="report data races, too")
    group.add_argument(
        "--ltl", dest="formulas", action="append", default=[], metavar="FORMULA",
        help="must hold on every fair execution, as '[] (req -> <> ack)'; may be repeated",
    )  # fmt: skip
    group.add_argument(
        "--prop", dest="propositions", action="append", default=[], metavar="NAME=EXPR",
        help="a name of formulas for a C expression over what the program's file knows; may be repeated",
    )  # fmt: skip
    group.add_argument(
        "--progress", dest="labels", action="append", default=[], metavar="LABEL",
        help="every fair execution that does not end passes the C label again and again; may be repeated",
    )  # fmt: skip
    group.add_argument("--termination", action="store_true", help="every fair execution ends")
    group.add_argument(
        "--livelock", action="store_true", help="no thread waits for ever, in a blocking operation, while others run"
    )
    group.add_argument("--unfair", action="store_true", help="for these: schedules that starve threads count, too")
    group.add_argument(
        "--no-reuse", action="store_true", help="no block gets the number of a freed one: every use after free is seen"
    )
    group.add_argument("--leaks", action="store_true", help="heap blocks that are not freed at exit are faults")
    group.add_argument("--driver", metavar="FILE", help="a hand-written Promela driver (docs/drivers.md)")
    group.add_argument(
        "--only", action="append", default=[], metavar="KINDS",
        help="report only these groups (as memory, race, deadlock; see the README) or kinds of faults",
    )  # fmt: skip
    group.add_argument("--ignore", action="append", default=[], metavar="KINDS", help="do not report these")


def _add_competition(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group(
        "software verification competition (docs/svcomp.md); FILE may be a task file (.yml)"
    )
    group.add_argument("--property", metavar="FILE", help="check this property: a .prp file, or a name as unreach-call")
    group.add_argument("--witness", metavar="FILE", help="write a witness of the violation (YAML, format 2.2)")
    group.add_argument("--data-model", choices=("ILP32", "LP64"), help="32 bits (as --m32) or 64 (default; tasks say)")


def _add_search(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("search")
    group.add_argument(
        "--step", choices=("superstep", "global", "instruction"),
        help="granularity of a step (default superstep; with --driver global)",
    )  # fmt: skip
    group.add_argument(
        "--superstep", dest="step", action="store_const", const="superstep", help="the same as --step superstep"
    )
    group.add_argument(
        "--max-superstep",
        type=int,
        metavar="N",
        help=f"a superstep ends after N instructions (default {DEFAULT_SUPERSTEP})",
    )
    group.add_argument(
        "--compare", action="store_true", help="search with all three granularities, and show them side by side"
    )
    group.add_argument("--store", choices=("tree", "raw"), default="tree", help="how states are kept (default tree)")
    group.add_argument("--bfs", action="store_true", help="breadth-first: shortest counterexamples")
    group.add_argument("--bitstate", action="store_true", help="two bits or so for each state; may miss states")
    group.add_argument("--hash-compact", action="store_true", help="a hash for each state; may miss states")
    group.add_argument("--cores", type=int, default=1, metavar="N", help="processes that search (default 1)")
    group.add_argument("--random-order", type=int, metavar="SEED", help="try the moves in a random order")
    group.add_argument(
        "--all-errors", type=int, default=1, metavar="N", help="stop at the Nth violation (0: at none; default 1)"
    )
    group.add_argument("--spin-flags", default="", metavar="FLAGS", help="more flags for spin -a")
    group.add_argument("--cc-flags", default="", metavar="FLAGS", help="more flags for the compilation of pan.c")


def _add_bounds(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("fewer states")
    group.add_argument("--cb", type=int, metavar="N", help="only executions with at most N preemptions")
    group.add_argument(
        "--cb-iterate", action="store_true", help="bounds 0, 1, 2, ... until a violation is found or no bound is met"
    )
    group.add_argument(
        "--cb-unmatched", action="store_true", help="with --cb: do not match the counter; loses executions"
    )
    group.add_argument(
        "--abstraction", metavar="F", help="void f(void) fills pancam_abs: what it leaves there is all that is matched"
    )
    group.add_argument(
        "--with", dest="with_files", action="append", default=[], metavar="FILE",
        help="another C file of the check, such as one with the abstraction",
    )  # fmt: skip
    group.add_argument("--abs-keep-control", action="store_true", help="match where every thread is, too")


def _add_limits(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("limits")
    group.add_argument("--depth", type=int, metavar="N", help="follow no execution beyond N steps")
    group.add_argument("--time", type=duration, metavar="SECONDS", help="give up after this time (90, 10m, 1h)")
    group.add_argument("--memory", type=size, default=0, metavar="BYTES", help="give up beyond this (as 4G)")
    group.add_argument("--exhaustive", action="store_true", help="a search within bounds is one that gave up: exit 3")
    _add_machine(parser)


def _add_report(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("report")
    group.add_argument("--full", action="store_true", help="show every step of a trace")
    group.add_argument("--trace", metavar="FILE", help="save the (first) trace as JSON, for `pancam replay`")
    group.add_argument("--json", action="store_true", help="print the result as JSON")
    group.add_argument("--keep", metavar="DIR", help="keep model, pan.c, verifier, program and trails there")
    group.add_argument("--quiet", action="store_true", help="no progress, even on a terminal")


def _add_replay(commands: Commands) -> None:
    replay = _command(commands, "replay", _lazy("replay", "replay"), "show a saved trace again, if it still happens")
    replay.add_argument("trace", metavar="FILE", help="a trace that `pancam check --trace FILE` saved")
    replay.add_argument("--full", action="store_true", help="show every step")
    replay.add_argument("--clang", metavar="PATH", help="the Clang to compile with")
    replay.add_argument("--json", action="store_true", help="print the trace as JSON")


def _add_bench(commands: Commands) -> None:
    bench = _command(commands, "bench", _lazy("bench", "bench"), "run tasks of the software verification competition")
    bench.add_argument("paths", nargs="+", metavar="PATH", help="a folder, a .set file or a task file (.yml)")
    bench.add_argument("--property", metavar="NAME", help="only this property of each task, as unreach-call")
    bench.add_argument("--time", type=duration, default=60.0, metavar="SECONDS", help="for each run (default 60)")
    bench.add_argument("--memory", type=size, default=8 << 30, metavar="BYTES", help="for each run (default 8GB)")
    bench.add_argument("--jobs", type=int, default=2, metavar="N", help="runs at a time (default 2)")
    bench.add_argument("--options", default="", metavar="OPTIONS", help="more options for `pancam check`")
    bench.add_argument("--output", metavar="FILE", help="keep results there, and go on where an earlier run stopped")
    bench.add_argument("--json", metavar="FILE", help="write all results for machines")
    bench.add_argument("--html", metavar="FILE", help="write all results as one page")
    bench.add_argument("--quiet", action="store_true", help="only the table, no line for each run")


def _add_doctor(commands: Commands) -> None:
    _command(commands, "doctor", _lazy("tools", "doctor"), "tell what is installed and what is missing")


def _add_cache(commands: Commands) -> None:
    cache = _command(commands, "cache", _lazy("tools", "cache"), "show what pancam keeps in its cache folder")
    cache.add_argument("--clear", action="store_true", help="remove all of it")


def size(text: str) -> int:
    """A number of bytes, with K, M, G or T (and B) behind it."""
    word = text.upper().removesuffix("B")
    unit = word[-1:]
    number = int(word[:-1]) << 10 * (1 + UNITS.index(unit)) if unit.isalpha() else int(word)
    if number < 0:
        raise ValueError(text)
    return number


def duration(text: str) -> float:
    """Seconds, or a number with s, m or h behind it."""
    unit = SECONDS.get(text[-1:].lower())
    seconds = float(text) if unit is None else float(text[:-1]) * unit
    if seconds < 0:
        raise ValueError(text)
    return seconds
