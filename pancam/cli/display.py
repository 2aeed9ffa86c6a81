# SPDX-License-Identifier: Apache-2.0
"""What a check looks like: the line that shows progress, the verdict, the numbers; and all of it as JSON."""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, TextIO

from pancam.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pancam.check import CheckResult
    from pancam.settings import Settings
    from pancam.spin.options import SearchOptions
    from pancam.vm.progress import Progress

MIB = 1 << 20
GOOD_HASH_FACTOR = 100  # SPIN's rule: above it nearly all states were seen


@dataclass
class ProgressLine:
    """One line on a terminal that is written again and again."""

    stream: TextIO
    wanted: bool
    _is_shown: bool = False

    def show(self, progress: Progress, seconds: float, memory: int) -> None:
        if not self.wanted:
            return
        rate = progress.transitions / seconds if seconds else 0.0
        states = f"{progress.states:,} states, " if progress.states else ""
        text = (
            f"{states}{progress.transitions:,} transitions ({rate:,.0f}/s), depth {progress.depth:,}, "
            f"{memory / MIB:,.0f} MB, {seconds:.0f} s"
        )
        width = shutil.get_terminal_size().columns - 1
        print(f"\r\033[K{text[:width]}", end="", file=self.stream, flush=True)
        self._is_shown = True

    def clear(self) -> None:
        if self._is_shown:
            print("\r\033[K", end="", file=self.stream, flush=True)


def verdict_line(outcome: CheckResult, settings: Settings) -> str:
    """The verdict in one line."""
    conclusion = outcome.conclusion
    reasons = "; ".join(conclusion.reasons)
    if conclusion.verdict is Verdict.VIOLATED:
        found = [trace.ending.violation for trace in outcome.traces if trace.ending.violation is not None]
        places = [f"{v.file}:{v.line}: {v.text}" if v.file else v.text for v in found]
        more = f" (and {len(places) - 1} more)" if len(places) > 1 else ""
        return f"violated: {places[0]}{more}"
    if conclusion.verdict is Verdict.HOLDS:
        if settings.liveness is None:
            threads = ", with any number of threads" if outcome.crowd is not None and not outcome.crowd.reason else ""
            return f"holds: no violation in any execution{threads}"
        asked = "; ".join(requirement.text for requirement in settings.liveness.requirements())
        kind = "fair " if settings.liveness.fair else ""
        return f"holds: {asked}: on every {kind}execution, and no violation in any"
    if conclusion.verdict is Verdict.BOUNDED:
        return f"bounded: no violation; {reasons}"
    return f"unknown: {reasons}; no violation so far"


def search_lines(
    outcome: CheckResult, settings: Settings, search: SearchOptions, *, of_property: bool = False
) -> list[str]:
    """How far the search got, and how it searched; what a property says nothing about needs no mention."""
    result = outcome.result
    numbers = statistics(outcome)
    how = ["breadth-first" if search.breadth_first else "depth-first"]
    how += [name for name, wanted in (("bitstate", search.bitstate), ("hash-compact", search.hash_compact)) if wanted]
    how += [f"{search.cores} cores"] if search.cores > 1 else []
    if settings.liveness is not None:
        how.append("weak fairness" if settings.liveness.fair else "no fairness")
    how += ["supersteps" if settings.step == "superstep" else f"{settings.step} steps", f"{search.store} store"]
    counted = ", ".join(_count(numbers[f"{name}s"], name) for name in ("state", "transition", "instruction"))
    cost = f"depth {numbers['depth']:,}, {result.seconds:.2f} s, {numbers['memory'] / MIB:,.0f} MB"
    lines = [f"{counted}, {cost} ({', '.join(how)})"]
    if settings.step == "superstep":
        lines.append(
            f"mean superstep: {numbers['mean_superstep']:.1f} instructions, "
            f"{numbers['mean_small_steps']:.1f} global steps; "
            f"access tables: {numbers['table_bytes'] / MIB:,.1f} MB"
        )
    if search.bound is not None:
        counted_between = "supersteps" if settings.step == "superstep" else "steps"
        finished = outcome.conclusion.verdict in (Verdict.HOLDS, Verdict.BOUNDED)
        met = ": enough to reach everything" if finished and not result.progress.refused else ""
        lines.append(f"context bound {search.bound}, preemptions between {counted_between}{met}")
    if settings.abstraction or settings.invariants or (settings.liveness and settings.liveness.functions):
        lines.append(f"property functions were run {result.progress.evaluations:,} times")
    if settings.abstraction and numbers["states"] == 1:
        lines.append("the abstraction tells no states apart: nothing after the first steps was searched")
    if search.store == "tree":
        lines.append(f"state store: {result.progress.store_bytes / MIB:,.1f} MB")
    if result.report.hash_factor is not None:
        is_good = result.report.hash_factor > GOOD_HASH_FACTOR
        meaning = "above 100: nearly all states were seen" if is_good else "below 100: many may have been missed"
        lines.append(f"hash factor {result.report.hash_factor:g} ({meaning})")
    if settings.ignored and not of_property:
        lines.append(f"not reported: {', '.join(settings.ignored)}")
    if outcome.crowd is not None:
        counted = f"{_count(outcome.crowd.states, 'state')}, {_count(outcome.crowd.steps, 'step')}"
        lines.append(f"with any number of threads: {counted}, {outcome.crowd.seconds:.2f} s")
    if search.driver:
        lines.append(f"executions are those that the driver {search.driver} allows")
    return lines


def _count(number: int, name: str) -> str:
    return f"{number:,} {name}" if number == 1 else f"{number:,} {name}s"


def statistics(outcome: CheckResult) -> dict[str, Any]:
    """The numbers of a search."""
    result = outcome.result
    # SPIN counts its own initial state, in which the program has not been set up yet.
    states = result.report.states - 1 if result.report.is_there else result.progress.states
    return {
        "states": max(states, 0),
        "states_matched": result.report.matched,
        "transitions": result.progress.transitions,
        "instructions": result.progress.instructions,
        "mean_superstep": round(result.progress.instructions / max(result.progress.transitions, 1), 2),
        "mean_small_steps": round(result.progress.small_steps / max(result.progress.transitions, 1), 2),
        "bound_refused": result.progress.refused,
        "property_runs": result.progress.evaluations,
        "table_bytes": result.progress.table_bytes,
        "depth": result.report.depth or result.progress.depth,
        "seconds": round(result.seconds, 3),
        "memory": max(result.memory, result.report.memory),
        "store_bytes": result.progress.store_bytes,
        "hash_factor": result.report.hash_factor,
        "limits_hit": result.progress.limits,
        "ignored_faults": result.progress.ignored,
    }


def as_json(
    outcome: CheckResult, files: Sequence[str], settings: Settings, search: SearchOptions, *, exhaustive: bool
) -> dict[str, Any]:
    """The whole result for machines; docs/json.md describes it."""
    from pancam.explain.trace_file import trace_row

    return {
        "version": 1,
        "files": list(files),
        "verdict": outcome.conclusion.verdict.value,
        "reasons": list(outcome.conclusion.reasons),
        "exit_code": outcome.conclusion.exit_code(exhaustive=exhaustive),
        "settings": asdict(settings),
        "context_bound": search.bound,
        "statistics": statistics(outcome),
        "any_number_of_threads": asdict(outcome.crowd) if outcome.crowd is not None else None,
        "violations": [trace_row(trace) for trace in outcome.traces],
    }


def comparison_lines(rows: Sequence[tuple[str, CheckResult, SearchOptions]], settings: Settings) -> list[str]:
    """The same check with steps of every size, as a table."""
    names = ("states", "transitions", "instructions")
    lines = [
        f"{'steps':12} {'verdict':9} {'states':>13} {'transitions':>13} {'instructions':>14} {'each':>9} {'time':>9}"
    ]
    for step, outcome, _ in rows:
        numbers = statistics(outcome)
        states, transitions, instructions = (f"{numbers[name]:,}" for name in names)
        lines.append(
            f"{step:12} {outcome.conclusion.verdict.value:9} {states:>13} {transitions:>13} {instructions:>14} "
            f"{numbers['mean_superstep']:>9.1f} {outcome.result.seconds:>7.2f} s"
        )
    told = [f"{step}: {verdict_line(r, settings)}" for step, r, _ in rows if r.conclusion.verdict is not Verdict.HOLDS]
    return [*lines, *([""] if told else []), *told]


def comparison_json(
    rows: Sequence[tuple[str, CheckResult, SearchOptions]], files: Sequence[str], exit_code: int
) -> str:
    """The table of --compare for machines."""
    found = [
        {
            "step": step,
            "verdict": r.conclusion.verdict.value,
            "reasons": list(r.conclusion.reasons),
            "statistics": statistics(r),
        }
        for step, r, _ in rows
    ]
    value = {"version": 1, "files": list(files), "exit_code": exit_code, "comparison": found}
    return json.dumps(value, indent=2)
