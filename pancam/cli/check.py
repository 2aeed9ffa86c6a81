# SPDX-License-Identifier: Apache-2.0
"""Commands about all executions of a program: check, driver, replay."""

from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pancam.cli import START
from pancam.cli.check_options import harness_build, make_settings, search_options
from pancam.cli.competition import answer, expand, write_witness
from pancam.cli.display import (
    as_json,
    comparison_json,
    comparison_lines,
    search_lines,
    verdict_line,
)
from pancam.cli.programs import build_options, print_timings
from pancam.cli.searches import check_all, search_program
from pancam.errors import PancamError, UsageError
from pancam.pipeline import BuildOptions, Timings, build_program
from pancam.settings import STEPS, Settings
from pancam.spin.options import SearchOptions, VerifierOptions
from pancam.verdict import EXIT_VIOLATED, common_exit_code

if TYPE_CHECKING:
    import argparse

    from pancam.bytecode.program import Program
    from pancam.check import CheckResult


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
    build = harness_build(options, build_options(options), search)
    if options.compare:
        program = build_program(options.files, build, options.arguments, timings)
        return _compare(options, program, make_settings(options, program), search, timings)
    checked = check_all(options, build, search, timings)
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


def _compare(
    options: argparse.Namespace, program: Program, settings: Settings, search: SearchOptions, timings: Timings
) -> int:
    """`--compare`: the same check with steps of every size, side by side; limits are for each."""
    rows = []
    for step in reversed(STEPS):
        outcome, used = search_program(options, program, replace(settings, step=step), search, timings)
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


def _print_result(options: argparse.Namespace, settings: Settings, search: SearchOptions, outcome: CheckResult) -> None:
    if options.json:
        value = as_json(outcome, options.files, settings, search, exhaustive=options.exhaustive)
        if options.competition is not None:
            value |= {"property": options.competition.name, "result": answer(options.competition, outcome)}
        print(json.dumps(value, indent=2))
        return
    print(verdict_line(outcome, settings))
    if outcome.traces:
        from pancam.explain.render import render

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
        harness_build(options, build_options(options), search),
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
