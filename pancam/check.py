# SPDX-License-Identifier: Apache-2.0
"""A whole check: search with SPIN, replay what it found in the machine, conclude. Only the command line imports this.

A violation is reported only after its replay; a trail that does not replay is a bug of pancam and never one of the
program.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pancam.errors import InternalError, ReplayError, UsageError
from pancam.faults import HARNESS_FAULTS
from pancam.moves import Trail
from pancam.spin.options import SearchOptions
from pancam.spin.search import SearchResult, Watch, search
from pancam.verdict import FINAL_FAULTS, Conclusion, conclude, reasons_to_doubt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pancam.bytecode.program import Program
    from pancam.explain.trace import Trace
    from pancam.pipeline import Timings
    from pancam.settings import Settings
    from pancam.vm.checker import Checker
    from pancam.vm.crowd import CrowdLimits, CrowdResult

CROWD_OBJECTS = {64: (0x1E9B6C0, 1024), 32: (1728, 64)}  # of each thread's heap and stack, by bits of a pointer


@dataclass(frozen=True)
class CheckResult:
    """What a check found out."""

    conclusion: Conclusion
    result: SearchResult
    traces: list[Trace] = field(default_factory=list)
    crowd: CrowdResult | None = None  # of a search with any number of threads, if there was one


def check_program(
    program: Program, settings: Settings, options: SearchOptions, watch: Watch, timings: Timings
) -> CheckResult:
    """Search the program and replay every violation that was found."""
    _refuse_bad_functions(program, settings)
    with timings.phase("search"):
        watch = replace(watch, lines=_lines(program, settings))
        result = search(program.image, settings, options, program.thread_limit, watch)
    with timings.phase("replay"):
        traces = replay_trails(program, settings, result.trails, options.all_errors)
    _refuse_harness_faults(traces, settings)
    return CheckResult(conclude(result, settings, options, len(traces), program.restrictions), result, traces)


def check_crowds(program: Program, settings: Settings, limits: CrowdLimits) -> CrowdResult:
    """Search a program that was built for crowds with any number of threads.

    Numbers of stack objects must not look like other numbers: a search gives up where it finds one that is shared. So
    heaps have as many numbers as makes those of stacks unlike small integers and text.
    """
    from pancam.bytecode.image import read_sections
    from pancam.vm.crowd import CrowdSteps, search_crowds

    _, pointer_bits, _ = read_sections(program.image)
    heap_objects, stack_objects = CROWD_OBJECTS[pointer_bits]
    sizes = replace(settings.limits, heap_objects=heap_objects, stack_objects=stack_objects)
    steps = CrowdSteps(program.image, replace(settings, limits=sizes), FINAL_FAULTS)
    return search_crowds(steps, limits, finds_deadlocks="DEADLOCK" not in settings.ignored)


def check_with_growing_bound(
    program: Program, settings: Settings, options: SearchOptions, watch: Watch, timings: Timings
) -> tuple[CheckResult, SearchOptions]:
    """Context bounds 0, 1, 2, ... until one shows a violation, leaves nothing out, or cannot be searched to its end.

    The result is that of the last bound, with the time of all; the violation has the fewest preemptions. A limit of the
    machine that some executions reach is no reason to stop: what is beyond the bound may be within the limit.
    """
    spent = 0.0
    for bound in itertools.count():
        left = None if options.time is None else max(options.time - spent, 0.0)
        bounded = replace(options, bound=bound, time=left)
        outcome = check_program(program, settings, bounded, watch, timings)
        spent += outcome.result.seconds
        if outcome.traces or not outcome.result.progress.refused or _is_cut_short(outcome.result, options):
            break
    return replace(outcome, result=replace(outcome.result, seconds=spent)), bounded


def _is_cut_short(result: SearchResult, options: SearchOptions) -> bool:
    """Whether something other than limits of the machine kept the search from doing what was asked for."""
    return bool(reasons_to_doubt(replace(result, progress=replace(result.progress, limits={})), options))


def replay_trails(program: Program, settings: Settings, trails: Sequence[Trail], most: int = 0) -> list[Trace]:
    """The violations that trails lead to, at most so many (0: all): one for each, or the races near its end."""
    if not trails:
        return []
    from pancam.explain.races import Lines, endings
    from pancam.explain.trace import replay_any

    checker = make_checker(program, settings)
    violations: list[Trail] = []
    known: set[Lines] = set()
    try:
        for trail in trails:
            races = endings(checker, trail.moves) if settings.races and trail.cycle_start is None else {}
            violations += [Trail(moves) for lines, moves in races.items() if lines not in known] if races else [trail]
            known.update(races)
        return [replay_any(program, checker, trail) for trail in violations[: most or None]]
    except ReplayError as problem:
        raise InternalError(f"internal error: a counterexample does not replay: {problem}") from problem


def make_checker(program: Program, settings: Settings) -> Checker:
    """The program as the search has seen it."""
    from pancam.vm.checker import Checker

    return Checker(program.image, settings, _lines(program, settings))


def _lines(program: Program, settings: Settings) -> Sequence[int]:
    """The line of each instruction, by which races are told apart."""
    if not settings.races:
        return ()
    from pancam.explain.code_view import CodeView

    return CodeView(program).line_numbers


def with_removed_lines(outcome: CheckResult, program: Program, plain: Program) -> CheckResult:
    """The same result, with notes on what the optimiser took out of `plain`, the program as it was written."""
    from pancam.explain.removed import removed_lines

    maps = program.source_map, plain.source_map
    traces = [replace(trace, notes=(*trace.notes, *removed_lines(trace, *maps))) for trace in outcome.traces]
    return replace(outcome, traces=traces)


def _refuse_bad_functions(program: Program, settings: Settings) -> None:
    """Functions that the check calls must be such that it can: seen here, it is no failure of the verifier."""
    if settings.abstraction or settings.invariants or settings.liveness or settings.calls or settings.starts:
        from pancam.vm.checker import Checker

        Checker(program.image, settings)


def _refuse_harness_faults(traces: Sequence[Trace], settings: Settings) -> None:
    """What a property function does wrong is a mistake of whoever wrote it, not a violation.

    An invariant may be violated by any fault, as that of an assertion in it; only it must change nothing.
    """
    for trace in traces:
        ending = trace.ending
        if ending.violation is None:
            continue
        if ending.violation.kind in HARNESS_FAULTS:
            raise UsageError(ending.violation.text, ending.location)
        if ending.in_property and (settings.abstraction is not None or settings.liveness is not None):
            raise UsageError(f"{ending.violation.text}, in a property function", ending.location)
