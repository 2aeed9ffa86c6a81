# SPDX-License-Identifier: Apache-2.0
"""Commands about all executions of a program: check, driver, replay."""

from __future__ import annotations

import json
import os
import re
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from pancam.cli import START
from pancam.cli.competition import answer, expand, write_witness
from pancam.cli.display import (
    ProgressLine,
    as_json,
    comparison_json,
    comparison_lines,
    search_lines,
    verdict_line,
)
from pancam.cli.programs import MOST_THREADS, build_options, machine_limits, print_timings, split_flags
from pancam.errors import PancamError, UsageError
from pancam.faults import ignored_kinds
from pancam.frontend.clang import SOURCE_SUFFIXES
from pancam.liveness import Liveness, read_propositions
from pancam.pipeline import BuildOptions, Timings, build_program
from pancam.settings import DEFAULT_SUPERSTEP, STEPS, Settings, Start
from pancam.spin.options import Claim, SearchOptions, VerifierOptions
from pancam.verdict import EXIT_VIOLATED, common_exit_code

if TYPE_CHECKING:
    import argparse

    from pancam.bytecode.program import Program
    from pancam.check import CheckResult
    from pancam.svcomp.properties import Property

ENOUGH_THREADS = (8, 16, 32, MOST_THREADS)  # limits that are tried one after the other, each twice the one before
FEW_THREADS = (3, 4, 6, 8)  # for programs that start threads without end

_STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')


def check(options: argparse.Namespace) -> int:
    """`pancam check`. With several properties: 1 if any is violated, else the worst of the exit statuses."""
    codes: list[int] = []
    for one in expand(options):
        if codes:
            print()
        codes.append(_check(one))
    return EXIT_VIOLATED if EXIT_VIOLATED in codes else max(codes)


def _check(options: argparse.Namespace) -> int:
    timings = Timings()
    timings.phases["start"] = time.perf_counter() - START
    search = search_options(options)
    options.files = [*options.files, *options.with_files]
    _check_targets(options)
    build = _harness_build(options, build_options(options), search)
    if options.compare:
        program = build_program(options.files, build, options.arguments, timings)
        return _compare(options, program, make_settings(options, program), search, timings)
    checked = _check_all(options, build, search, timings)
    program, settings, outcome = checked.program, checked.settings, checked.outcome
    if outcome.traces and build.compile.opt_level != "0":
        outcome = _with_removed_lines(options, checked.build, program, outcome)
    if options.trace and outcome.traces:
        from pancam.cli.replay import origin_of
        from pancam.explain.trace_file import save

        origin = origin_of(options.files, checked.build, options.arguments, program, settings)
        save(outcome.traces[0], origin, Path(options.trace))
    if options.competition is not None and options.witness and outcome.traces:
        write_witness(options, outcome.traces[0])
    _print_result(options, settings, checked.search, outcome)
    if options.timings:
        print_timings(timings, outcome.result.progress.instructions)
    return outcome.conclusion.exit_code(exhaustive=options.exhaustive)


@dataclass(frozen=True)
class _Checked:
    """A check, with all that it was made of: options grow while it is tried again."""

    build: BuildOptions
    program: Program
    settings: Settings
    search: SearchOptions
    outcome: CheckResult


def _check_all(options: argparse.Namespace, build: BuildOptions, search: SearchOptions, timings: Timings) -> _Checked:
    """The whole check. What a property of the competition says of a program may rest on memory that nobody has written.

    Such executions are left out first, so that `holds` does not depend on them. If there are any, a second search takes
    the memory for zero: a violation that it finds is one for a value that may be there.
    """
    checked = _check_threads(options, build, search, timings)
    result = checked.outcome.result
    is_cut = "UNINITIALISED" in result.progress.ignored and not result.stopped
    if options.competition is None or checked.outcome.traces or not is_cut:
        return checked
    left = replace(search, time=_with_time_left(checked.search, checked.outcome).time)
    again = _check_threads(options, replace(build, uninit=False), left, timings)
    return again if again.outcome.traces else checked


def _check_threads(
    options: argparse.Namespace, build: BuildOptions, search: SearchOptions, timings: Timings
) -> _Checked:
    if options.max_threads is None and build.needs_main and not options.driver and search.cores == 1:
        return _check_with_enough_threads(options, build, search, timings)
    return _check_once(options, build, search, timings)


def _check_once(options: argparse.Namespace, build: BuildOptions, search: SearchOptions, timings: Timings) -> _Checked:
    program = build_program(options.files, build, options.arguments, timings)
    settings = make_settings(options, program)
    outcome, search = _search(options, program, settings, search, timings)
    return _Checked(build, program, settings, search, outcome)


def _check_with_enough_threads(
    options: argparse.Namespace, build: BuildOptions, search: SearchOptions, timings: Timings
) -> _Checked:
    """More threads are allowed until no execution needs more; a search that meets one which does ends there.

    Where even the most are not enough, the program may start threads without end. Then all that few threads do is
    looked at, which shows most violations, and the verdict is at best `unknown`.
    """
    left = replace(search, stop_at_threads=True)
    for limit in ENOUGH_THREADS:
        if limit > ENOUGH_THREADS[0]:
            _notice(f"more than {limit // 2} threads at once: searching again with up to {limit}")
        checked = _check_once(options, replace(build, thread_limit=limit), left, timings)
        if checked.outcome.result.stopped != "threads":
            return checked
        left = _with_time_left(left, checked.outcome)
    return _check_with_few_threads(options, build, replace(left, stop_at_threads=False), timings)


def _check_with_few_threads(
    options: argparse.Namespace, build: BuildOptions, search: SearchOptions, timings: Timings
) -> _Checked:
    """With a time limit, each search has its share of it, and one that does not end is tried breadth-first, too."""
    both = search.time is not None and replace(search, abstraction=bool(options.abstraction)).allows_breadth_first
    turns = [(limit, order) for limit in FEW_THREADS for order in ((False, True) if both else (search.breadth_first,))]
    finished = 0
    for number, (limit, breadth_first) in enumerate(turns):
        if limit == finished:
            continue
        _notice(f"more than {MOST_THREADS} threads at once, perhaps without end: searching with up to {limit}")
        share = None if search.time is None else search.time / (len(turns) - number)
        turn = replace(search, time=share, breadth_first=breadth_first)
        checked = _check_once(options, replace(build, thread_limit=limit), turn, timings)
        stopped = checked.outcome.result.stopped
        if checked.outcome.traces or stopped not in ("", "time"):
            break
        finished = finished if stopped else limit
        search = _with_time_left(search, checked.outcome)
    return checked


def _with_time_left(search: SearchOptions, outcome: CheckResult) -> SearchOptions:
    return search if search.time is None else replace(search, time=max(search.time - outcome.result.seconds, 0.0))


def _search(
    options: argparse.Namespace, program: Program, settings: Settings, search: SearchOptions, timings: Timings
) -> tuple[CheckResult, SearchOptions]:
    """The result, and the options that led to it: --cb-iterate finds the bound."""
    with timings.phase("imports"):
        from pancam.check import check_program, check_with_growing_bound
        from pancam.spin.search import Watch
    line = ProgressLine(sys.stderr, wanted=sys.stderr.isatty() and not options.quiet and not options.json)
    watch = Watch(line.show, _notice, Path(options.keep) if options.keep else None)
    try:
        if options.cb_iterate:
            return check_with_growing_bound(program, settings, search, watch, timings)
        return check_program(program, settings, search, watch, timings), search
    finally:
        line.clear()


def _compare(
    options: argparse.Namespace, program: Program, settings: Settings, search: SearchOptions, timings: Timings
) -> int:
    """`--compare`: the same check with steps of every size, side by side; limits are for each."""
    rows = []
    for step in reversed(STEPS):
        outcome, used = _search(options, program, replace(settings, step=step), search, timings)
        rows.append((step, outcome, used))
    code = common_exit_code([outcome.conclusion for _, outcome, _ in rows], exhaustive=options.exhaustive)
    if options.json:
        print(comparison_json(rows, options.files, code))
    else:
        print("\n".join(comparison_lines(rows, settings)))
    if options.timings:
        print_timings(timings, sum(outcome.result.progress.instructions for _, outcome, _ in rows))
    return code


def _with_removed_lines(
    options: argparse.Namespace, build: BuildOptions, program: Program, outcome: CheckResult
) -> CheckResult:
    from pancam.check import with_removed_lines

    plain = replace(build, compile=replace(build.compile, opt_level="0"))
    try:
        return with_removed_lines(outcome, program, build_program(options.files, plain, options.arguments, Timings()))
    except PancamError:  # what -O0 cannot do is no reason to hide what was found
        return outcome


def _check_targets(options: argparse.Namespace) -> None:
    """A search may take hours: that its results can be written is seen before it starts."""
    if options.compare and (options.trace or options.keep or options.step):
        name = "--trace" if options.trace else "--keep" if options.keep else "--step"
        raise UsageError(f"{name} is for one search: it cannot be combined with --compare")
    for name, path in (("--trace", options.trace), ("--witness", options.witness)):
        folder = Path(path or ".").absolute().parent
        if path and (not folder.is_dir() or not os.access(folder, os.W_OK) or Path(path).is_dir()):
            raise UsageError(f"{name} {path}: no file can be written there")
    if options.keep:
        try:
            Path(options.keep).mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise UsageError(f"--keep {options.keep}: {problem.strerror}") from problem
        if not os.access(options.keep, os.W_OK):
            raise UsageError(f"--keep {options.keep}: no file can be written there")


def _notice(text: str) -> None:
    print(f"pancam: {text}", file=sys.stderr)


def search_options(options: argparse.Namespace) -> SearchOptions:
    """How to search, and that it makes sense."""
    if options.cores < 1:
        raise UsageError("--cores must be at least 1")
    if options.depth is not None and options.depth < 1:
        raise UsageError("--depth must be at least 1")
    if options.all_errors < 0:
        raise UsageError("--all-errors must not be negative")
    if options.cb is not None and options.cb < 0:
        raise UsageError("--cb must not be negative")
    if options.cb is not None and options.cb_iterate:
        raise UsageError("--cb-iterate finds the bound itself: it cannot be combined with --cb")
    if options.cb_unmatched and options.cb is None:
        raise UsageError("--cb-unmatched goes with --cb")
    if options.max_superstep is not None and options.max_superstep < 1:
        raise UsageError("--max-superstep must be at least 1")
    if options.max_superstep is not None and options.step not in (None, "superstep"):
        raise UsageError(f"--max-superstep is for supersteps: it cannot be combined with --step {options.step}")
    if options.abs_keep_control and not options.abstraction:
        raise UsageError("--abs-keep-control goes with --abstraction")
    search = SearchOptions(
        store=options.store,
        breadth_first=options.bfs,
        bitstate=options.bitstate,
        hash_compact=options.hash_compact,
        cores=options.cores,
        depth=options.depth,
        random_seed=options.random_order,
        all_errors=options.all_errors,
        time=options.time,
        memory=options.memory,
        spin_flags=split_flags(options.spin_flags, "--spin-flags"),
        cc_flags=split_flags(options.cc_flags, "--cc-flags"),
        driver=options.driver,
        bound=0 if options.cb_iterate else options.cb,
        bound_matched=not options.cb_unmatched,
        abstraction=options.abstraction is not None,
        claim=_claim(liveness_of(options)),
    )
    search.check()
    return search


def liveness_of(options: argparse.Namespace) -> Liveness | None:
    """What the user asks of infinite executions."""
    if not (options.formulas or options.labels or options.termination or options.livelock):
        for name, given in (("--unfair", options.unfair), ("--prop", options.propositions)):
            if given:
                raise UsageError(f"{name} goes with --ltl")
        return None
    if options.spurious_wakeups:  # fairness would make every one of them happen
        raise UsageError("--spurious-wakeups cannot be combined with --ltl, --progress, --termination or --livelock")
    from_c = any(Path(path).suffix in SOURCE_SUFFIXES for path in (*options.files, *options.with_files))
    propositions = read_propositions(options.propositions, options.formulas, from_c=from_c)
    return Liveness(
        tuple(options.formulas), propositions, tuple(dict.fromkeys(options.labels)), options.termination,
        options.livelock, not options.unfair,
    )  # fmt: skip


def _claim(liveness: Liveness | None) -> Claim | None:
    return Claim(liveness.spin_formula, liveness.fair, liveness.livelock) if liveness is not None else None


def _harness_build(options: argparse.Namespace, build: BuildOptions, search: SearchOptions) -> BuildOptions:
    """What of the program is called from outside must be compiled, too."""
    starts = [start.function for start in _starts(options)]
    if options.competition is not None:
        wanted: Property = options.competition
        build = replace(build, error_functions=wanted.functions, error_labels=wanted.labels)
    if _wants_races(options):
        build = replace(build, compile=replace(build.compile, exact_accesses=True))
    named = [options.init, options.abstraction, *starts, *options.invariants]
    liveness = liveness_of(options)
    if liveness is not None:
        named += liveness.functions
        made = tuple(p for p in liveness.propositions if p.function != p.expression)
        build = replace(build, propositions=made, labels=liveness.labels)
    functions = tuple(dict.fromkeys(name for name in named if name))
    if options.init and not starts and not options.driver:
        raise UsageError("--init is for programs without main: say with --thread what runs after it")
    if options.driver:
        if starts or options.init:
            raise UsageError("with --driver, the driver itself runs functions and starts threads")
        from pancam.spin.verifier import driver_text

        text = driver_text(VerifierOptions(build.thread_limit, search, 0))
        return replace(build, needs_main=False, functions=functions, candidates=("main", *_STRING.findall(text)))
    if len(starts) > build.thread_limit:
        raise UsageError(f"{len(starts)} threads are more than --max-threads allows ({build.thread_limit})")
    return replace(build, needs_main=not starts, functions=functions)


def _starts(options: argparse.Namespace) -> list[Start]:
    starts = []
    for text in options.threads:
        name, _, argument = text.partition(":")
        try:
            starts.append(Start(name, int(argument or "0", 0) & 0xFFFFFFFFFFFFFFFF))
        except ValueError:
            raise UsageError(f"--thread {text}: the argument is not a whole number") from None
    return starts


def make_settings(options: argparse.Namespace, program: Program) -> Settings:
    """What a step and a violation are."""
    return Settings(
        step=options.step or ("global" if options.driver else "superstep"),
        max_superstep=options.max_superstep or DEFAULT_SUPERSTEP,
        limits=machine_limits(options, program.thread_limit),
        runs_alone=options.driver is None,
        ignored=ignored_kinds(options.only, options.ignore),
        spurious_wakeups=options.spurious_wakeups,
        races=_wants_races(options),
        has_main=program.has_main,
        calls=(options.init,) if options.init else (),
        abstraction=options.abstraction,
        keep_control=options.abs_keep_control,
        invariants=tuple(options.invariants),
        liveness=liveness_of(options),
        starts=tuple(_starts(options)),
    )


def _wants_races(options: argparse.Namespace) -> bool:
    """Whether data races are looked for: when asked for, also by --only."""
    is_ignored = "DATA_RACE" in ignored_kinds(options.only, options.ignore)
    if options.races and is_ignored:
        what = "--ignore" if not options.only else f"--only {','.join(options.only)}"
        raise UsageError(f"--races is asked for, but {what} leaves races out")
    return bool(options.races or (options.only and not is_ignored))


def _print_result(options: argparse.Namespace, settings: Settings, search: SearchOptions, outcome: CheckResult) -> None:
    if options.json:
        value = as_json(outcome, options.files, settings, search, exhaustive=options.exhaustive)
        if options.competition is not None:
            value |= {"property": options.competition.name, "result": answer(options.competition, outcome)}
        print(json.dumps(value, indent=2))
        return
    from pancam.explain.render import render

    print(verdict_line(outcome, settings))
    for trace in outcome.traces:
        print()
        print(render(trace, full=options.full, colour=sys.stdout.isatty()).rstrip("\n"))
    print()
    for line in search_lines(outcome, settings, search, of_property=options.competition is not None):
        print(line)
    if options.competition is not None:
        print(f"property {options.competition.name}: {answer(options.competition, outcome)}")


def driver(options: argparse.Namespace) -> int:
    """`pancam driver`: the driver, complete, with its parameters and what is told to the verifier when it runs."""
    from pancam.spin.verifier import driver_text

    search = search_options(options)
    program = build_program(
        [*options.files, *options.with_files],
        _harness_build(options, build_options(options), search),
        options.arguments,
        Timings(),
    )
    settings = make_settings(options, program)
    verifier = VerifierOptions(program.thread_limit, search, 0)
    macros = [word.removeprefix("-D").replace("=", " ", 1) for word in verifier.driver_macros]
    print(f'/* The verifier gets at run time: PANCAM_SETTINGS="{settings.words()}" */')
    for macro in macros:
        print(f"#define {macro}")
    print(driver_text(verifier), end="")
    return 0
