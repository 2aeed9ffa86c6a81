# SPDX-License-Identifier: Apache-2.0
"""The searches that a check consists of: with enough threads, and again where a first one leaves an answer open."""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from pancam.cli.check_options import make_settings, search_options
from pancam.cli.crowds import is_for_crowds, search_any_number
from pancam.cli.display import ProgressLine
from pancam.cli.programs import MOST_THREADS
from pancam.pipeline import BuildOptions, Timings, build_program
from pancam.spin.options import EarlyEnd
from pancam.verdict import Conclusion, Verdict

if TYPE_CHECKING:
    from pancam.bytecode.program import Program
    from pancam.check import CheckResult
    from pancam.settings import Settings
    from pancam.spin.options import SearchOptions
    from pancam.vm.crowd import CrowdResult

ENOUGH_THREADS = (8, 16, 32, MOST_THREADS)  # limits that are tried one after the other, each twice the one before
FEW_THREADS = (3, 4, 6, 8)  # for programs that start threads without end
FIRST_SHARE = 0.7  # of the time, for executions that read only what was written, if there are others
FULL_SHARE = 0.85  # of the time, for executions with any number of preemptions
UNINITIALISED = "UNINITIALISED"
LEAKS = frozenset({"LEAK", "LEAK_REACHABLE"})
CONDITION_WAITS = ("pthread_cond_wait", "cnd_wait")
REUSED = "use of a variable that is gone is not noticed once a new one has taken its place"
SPURIOUS = "waits on condition variables may end without a signal, which is not looked at here"
UNFAIR = "the program ends under a fair scheduler, but not under every one"


@dataclass(frozen=True)
class Checked:
    """A check, with all that it was made of: options grow while it is tried again."""

    build: BuildOptions
    program: Program
    settings: Settings
    search: SearchOptions
    outcome: CheckResult


def check_all(options: argparse.Namespace, build: BuildOptions, search: SearchOptions, timings: Timings) -> Checked:
    """The whole check."""
    if options.competition is None:
        return _check_threads(options, build, search, timings)
    if options.termination:
        return _check_termination(options, build, timings)
    started = time.monotonic()
    checked = _check_what_is_written(options, build, search, timings)
    return _with_worst_part(options, checked, _left_since(started, search), timings)


def _with_worst_part(options: argparse.Namespace, checked: Checked, left: SearchOptions, timings: Timings) -> Checked:
    """Of memory safety, an invalid access or `free` is reported rather than memory that is lost.

    Which of them a search meets first is chance: lost memory is on the first execution that comes to its end.
    """
    found = {trace.ending.violation.kind for trace in checked.outcome.traces if trace.ending.violation}
    worse = [kind for kind in options.only if kind not in LEAKS]
    if not found or not found <= LEAKS or not worse:
        return checked
    accesses = argparse.Namespace(**{**vars(options), "only": worse, "leaks": False})
    again = _check_threads(accesses, checked.build, left, timings)
    return again if again.outcome.traces else checked


def _check_what_is_written(
    options: argparse.Namespace, build: BuildOptions, search: SearchOptions, timings: Timings
) -> Checked:
    """What a property of the competition says of a program may rest on memory that nobody has written.

    Such executions are left out first, so that `holds` does not depend on them. If there are any, a second search takes
    the memory for zero: a violation that it finds is one for a value that may be there. When the time is nearly over,
    the rest of it is for executions with few preemptions, which show most violations and are not many.
    """
    started = time.monotonic()
    checked = _check_threads(options, build, _first_share(search), timings)
    result = checked.outcome.result
    if checked.outcome.conclusion.verdict is Verdict.HOLDS and _may_miss_gone_variables(options, checked.program):
        return _doubted(checked, REUSED)
    if checked.outcome.traces or result.stopped not in ("", "time"):
        return checked
    is_late = result.stopped == "time"
    if UNINITIALISED in result.progress.ignored:
        build = replace(build, uninit=False)
        zeros = _check_threads(options, build, _left_since(started, search, FULL_SHARE), timings)
        is_late = zeros.outcome.result.stopped == "time"
        if zeros.outcome.traces:
            return zeros
    if not is_late or search.bound is not None:
        return checked
    few = argparse.Namespace(**{**vars(options), "cb_iterate": True})
    bounded = _check_threads(few, build, replace(_left_since(started, search), bound=0), timings)
    return bounded if bounded.outcome.traces else checked


def _first_share(search: SearchOptions) -> SearchOptions:
    if search.time is None:
        return search
    early = EarlyEnd(UNINITIALISED, search.time * FIRST_SHARE)
    return replace(search, time=search.time * (FULL_SHARE if search.bound is None else 1), early_end=early)


def _left_since(started: float, search: SearchOptions, share: float = 1.0) -> SearchOptions:
    """What is left of a share of the time of all searches since then."""
    if search.time is None:
        return search
    return replace(search, time=max(search.time * share - (time.monotonic() - started), 0.0))


def _check_termination(options: argparse.Namespace, build: BuildOptions, timings: Timings) -> Checked:
    """The competition asks for all executions, and does not say whether the scheduler is fair.

    So that a program ends is claimed only if it does so under every scheduler, and that it does not only if it does not
    under a fair one.
    """
    unfair, fair = (argparse.Namespace(**{**vars(options), "unfair": unfair}) for unfair in (True, False))
    first = _check_threads(unfair, build, search_options(unfair), timings)
    outcome = first.outcome
    if not outcome.traces:
        is_true = outcome.conclusion.verdict is Verdict.HOLDS
        return _doubted(first, SPURIOUS) if is_true and _waits_on_conditions(first.program) else first
    if any(trace.ending.violation.kind == "DEADLOCK" for trace in outcome.traces if trace.ending.violation):
        return first
    left = replace(search_options(fair), time=_with_time_left(first.search, outcome).time)
    second = _check_threads(fair, build, left, timings)
    return _doubted(second, UNFAIR) if second.outcome.conclusion.verdict is Verdict.HOLDS else second


def _doubted(checked: Checked, reason: str) -> Checked:
    return replace(checked, outcome=replace(checked.outcome, conclusion=Conclusion(Verdict.UNKNOWN, (reason,))))


def _waits_on_conditions(program: Program) -> bool:
    from pancam.explain.code_view import CodeView

    code = CodeView(program)
    return any(code.function_named(name) is not None for name in CONDITION_WAITS)


def _may_miss_gone_variables(options: argparse.Namespace, program: Program) -> bool:
    """Whether a property is about variables that are gone, whose number the machine may have given to a new one.

    Those of main stay to its end, and only those whose address is used somehow can be missed.
    """
    from pancam.explain.code_view import CodeView
    from pancam.isa import OPCODES, constants

    if "USE_AFTER_RETURN" not in options.competition.kinds:
        return False
    code, allocations = CodeView(program), (OPCODES["ALLOCA"].number, OPCODES["ALLOCAV"].number)
    escaping = (
        code.function_at(pc)
        for pc, (op, *_, flags) in enumerate(code.instructions)
        if op in allocations and (op == OPCODES["ALLOCAV"].number or flags & constants()["STACK_ESCAPES"])
    )
    return any(function.name != "main" and not function.library for function in escaping)


def _check_threads(
    options: argparse.Namespace, build: BuildOptions, search: SearchOptions, timings: Timings
) -> Checked:
    if options.max_threads is None and build.needs_main and not options.driver and search.cores == 1:
        return _check_with_enough_threads(options, build, search, timings)
    return _check_once(options, build, search, timings)


def _check_once(options: argparse.Namespace, build: BuildOptions, search: SearchOptions, timings: Timings) -> Checked:
    program = build_program(options.files, build, options.arguments, timings)
    settings = make_settings(options, program)
    outcome, search = search_program(options, program, settings, search, timings)
    return Checked(build, program, settings, search, outcome)


def _check_with_enough_threads(
    options: argparse.Namespace, build: BuildOptions, search: SearchOptions, timings: Timings
) -> Checked:
    """More threads are allowed until no execution needs more; a search that meets one which does ends there.

    Where even the most are not enough, the program may start threads without end. Then perhaps no number of threads
    can do anything wrong; otherwise all that few threads do is looked at, which shows most violations.
    """
    left = replace(search, stop_at_threads=True)
    for limit in ENOUGH_THREADS:
        if limit > ENOUGH_THREADS[0]:
            notice(f"more than {limit // 2} threads at once: searching again with up to {limit}")
        checked = _check_once(options, replace(build, thread_limit=limit), left, timings)
        if checked.outcome.result.stopped != "threads":
            return checked
        left = _with_time_left(left, checked.outcome)
    left = replace(left, stop_at_threads=False)
    if not is_for_crowds(options, checked.settings, left):
        return _check_with_few_threads(options, build, left, timings)
    notice(f"more than {MOST_THREADS} threads at once, perhaps without end: searching with any number of them")
    crowd = search_any_number(options, build, left, timings)
    if not crowd.reason:
        return replace(checked, outcome=replace(checked.outcome, conclusion=Conclusion(Verdict.HOLDS), crowd=crowd))
    left = left if left.time is None else replace(left, time=max(left.time - crowd.seconds, 0.0))
    return _with_reason(_check_with_few_threads(options, build, left, timings), crowd)


def _with_reason(checked: Checked, crowd: CrowdResult) -> Checked:
    """What is not known for all numbers of threads stays so; why, is said."""
    outcome = replace(checked.outcome, crowd=crowd)
    conclusion = outcome.conclusion
    if conclusion.verdict is Verdict.UNKNOWN:
        reason = f"a search with any number of threads gave up: {crowd.reason}"
        outcome = replace(outcome, conclusion=replace(conclusion, reasons=(*conclusion.reasons, reason)))
    return replace(checked, outcome=outcome)


def _check_with_few_threads(
    options: argparse.Namespace, build: BuildOptions, search: SearchOptions, timings: Timings
) -> Checked:
    """With a time limit, each search has its share of it, and one that does not end is tried breadth-first, too."""
    both = search.time is not None and replace(search, abstraction=bool(options.abstraction)).allows_breadth_first
    turns = [(limit, order) for limit in FEW_THREADS for order in ((False, True) if both else (search.breadth_first,))]
    finished = 0
    for number, (limit, breadth_first) in enumerate(turns):
        if limit == finished:
            continue
        notice(f"more than {MOST_THREADS} threads at once, perhaps without end: searching with up to {limit}")
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
    if search.time is None:
        return search
    seconds, early = outcome.result.seconds, search.early_end
    sooner = early and replace(early, seconds=early.seconds - seconds)
    return replace(search, time=max(search.time - seconds, 0.0), early_end=sooner)


def search_program(
    options: argparse.Namespace, program: Program, settings: Settings, search: SearchOptions, timings: Timings
) -> tuple[CheckResult, SearchOptions]:
    """The result, and the options that led to it: --cb-iterate finds the bound."""
    with timings.phase("imports"):
        from pancam.check import check_program, check_with_growing_bound
        from pancam.spin.search import Watch
    line = ProgressLine(sys.stderr, wanted=sys.stderr.isatty() and not options.quiet and not options.json)
    watch = Watch(line.show, notice, Path(options.keep) if options.keep else None)
    try:
        if options.cb_iterate:
            return check_with_growing_bound(program, settings, search, watch, timings)
        return check_program(program, settings, search, watch, timings), search
    finally:
        line.clear()


def notice(text: str) -> None:
    """Tell the user something while it goes on."""
    print(f"pancam: {text}", file=sys.stderr)
