# SPDX-License-Identifier: Apache-2.0
"""A whole check: search with SPIN, replay what it found in the machine, conclude. Only the command line imports this.

A violation is reported only after its replay; a trail that does not replay is a bug of pancam and never one of the
program.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pancam.errors import InternalError, ReplayError, UsageError
from pancam.faults import HARNESS_FAULTS
from pancam.spin.options import SearchOptions
from pancam.spin.search import SearchResult, Watch, search
from pancam.verdict import Conclusion, conclude

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pancam.bytecode.program import Program
    from pancam.explain.trace import Trace
    from pancam.moves import Move
    from pancam.pipeline import Timings
    from pancam.settings import Settings


@dataclass(frozen=True)
class CheckResult:
    """What a check found out."""

    conclusion: Conclusion
    result: SearchResult
    traces: list[Trace] = field(default_factory=list)


def check_program(
    program: Program, settings: Settings, options: SearchOptions, watch: Watch, timings: Timings
) -> CheckResult:
    """Search the program and replay every violation that was found."""
    with timings.phase("search"):
        result = search(program.image, settings, options, program.thread_limit, watch)
    with timings.phase("replay"):
        traces = [replay_trail(program, settings, trail) for trail in result.trails]
    _refuse_harness_faults(traces)
    return CheckResult(conclude(result, options, len(traces)), result, traces)


def replay_trail(program: Program, settings: Settings, moves: Sequence[Move]) -> Trace:
    """The moves of a trail, done again in the machine and told in the words of the source."""
    from pancam.explain.trace import replay
    from pancam.vm.checker import Checker, Outcome

    checker = Checker(program.image, settings)
    try:
        trace = replay(program, checker, moves)
    except ReplayError as problem:
        raise InternalError(f"internal error: a counterexample does not replay: {problem}") from problem
    if checker.outcome is not Outcome.VIOLATION:
        raise InternalError(f"internal error: a counterexample ends with {checker.outcome.name}")
    return trace


def with_removed_lines(outcome: CheckResult, program: Program, plain: Program) -> CheckResult:
    """The same result, with notes on what the optimiser took out of `plain`, the program as it was written."""
    from pancam.explain.removed import removed_lines

    maps = program.source_map, plain.source_map
    traces = [replace(trace, notes=(*trace.notes, *removed_lines(trace, *maps))) for trace in outcome.traces]
    return replace(outcome, traces=traces)


def _refuse_harness_faults(traces: Sequence[Trace]) -> None:
    """A property function that changes the program is a mistake of whoever wrote it, not a violation."""
    for trace in traces:
        violation = trace.ending.violation
        if violation is not None and violation.kind in HARNESS_FAULTS:
            raise UsageError(violation.text, trace.ending.location)
