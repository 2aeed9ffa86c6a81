# SPDX-License-Identifier: Apache-2.0
"""The options of a check as values: how to search, what to build, what a step and a violation are."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pancam.cli.programs import machine_limits, split_flags
from pancam.errors import UsageError
from pancam.faults import ignored_kinds
from pancam.frontend.clang import SOURCE_SUFFIXES
from pancam.settings import DEFAULT_SUPERSTEP, Settings, Start
from pancam.spin.options import Claim, SearchOptions, VerifierOptions

if TYPE_CHECKING:
    import argparse

    from pancam.bytecode.program import Program
    from pancam.liveness import Liveness
    from pancam.pipeline import BuildOptions
    from pancam.svcomp.properties import Property

_STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')


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
    from pancam.liveness import Liveness, read_propositions

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


def harness_build(options: argparse.Namespace, build: BuildOptions, search: SearchOptions) -> BuildOptions:
    """What of the program is called from outside must be compiled, too."""
    starts = [start.function for start in _starts(options)]
    if options.leaks and (starts or options.driver):
        raise UsageError("--leaks looks at the end of main's process: it cannot be combined with --thread and --driver")
    build = replace(build, keeps_variables=options.leaks)
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
        reuse=not options.no_reuse,
        leaks="all" if options.leaks else "none",
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
