# SPDX-License-Identifier: Apache-2.0
"""The closed vocabulary of verdicts, and how one follows from what a search did. Nothing else says `holds`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from pancam.errors import InternalError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pancam.bytecode.program import Restriction
    from pancam.settings import Settings
    from pancam.spin.options import SearchOptions
    from pancam.spin.search import SearchResult

EXIT_GOOD, EXIT_VIOLATED, EXIT_GAVE_UP = 0, 1, 3

MOST_RESTRICTIONS = 4  # named in a verdict
# Faults after which nothing of the program can follow: executions that end there are not cut off.
FINAL_FAULTS = {"DEADLOCK", "ASSERT"}
_STOPS = {
    "time": "the time limit was reached",
    "memory": "the memory limit was reached",
    "interrupted": "interrupted",
    "state size": "a state is larger than the raw store can hold",
    "depth": "the depth-first stack was full",
    "threads": "more threads at once are needed (--max-threads)",
}
_LIMITS = {
    "STACK_LIMIT": "the stack of a thread was full in {0} executions (--stack)",
    "HEAP_LIMIT": "the heap of a thread was full in {0} executions (--heap)",
    "THREAD_LIMIT": "{0} executions need more threads at once (--max-threads)",
    "CHOICE_LIMIT": "{0} executions choose among more values than a search can try",
    "CALL_LIMIT": "a function that must end within one step ran on in {0} executions",
    "CROWD_LIMIT": "threads would have to be told apart in {0} executions",
}


class Verdict(Enum):
    """What is known about a program."""

    HOLDS = "holds"  # every execution was looked at, and no bound was met
    VIOLATED = "violated"  # with a trace that was replayed
    BOUNDED = "bounded"  # no violation within the bounds that are named with it
    UNKNOWN = "unknown"  # the search gave up before that


@dataclass(frozen=True)
class Conclusion:
    """A verdict and why it is not more than it is."""

    verdict: Verdict
    reasons: tuple[str, ...] = ()
    asked: bool = True  # the user asked for all bounds

    def exit_code(self, *, exhaustive: bool) -> int:
        """What the shell gets; a bound that nobody asked for is giving up, with `exhaustive` every bound is."""
        if self.verdict is Verdict.VIOLATED:
            return EXIT_VIOLATED
        if self.verdict is Verdict.UNKNOWN or (self.verdict is Verdict.BOUNDED and (exhaustive or not self.asked)):
            return EXIT_GAVE_UP
        return EXIT_GOOD


def common_exit_code(conclusions: Sequence[Conclusion], *, exhaustive: bool) -> int:
    """What the shell gets when the same program was searched in several ways.

    1 if any found a violation, since one that was replayed is real; else 0 if any came to its end, whatever the others
    did; 3 if all gave up. With `exhaustive`, only `holds` is an end.
    """
    verdicts = {conclusion.verdict for conclusion in conclusions}
    if {Verdict.HOLDS, Verdict.VIOLATED} <= verdicts:
        raise InternalError("internal error: one search finds a violation where another says that there is none")
    if Verdict.VIOLATED in verdicts:
        return EXIT_VIOLATED
    return min(conclusion.exit_code(exhaustive=exhaustive) for conclusion in conclusions)


def conclude(
    result: SearchResult,
    settings: Settings,
    options: SearchOptions,
    violations: int,
    restrictions: Sequence[Restriction] = (),
) -> Conclusion:
    """The verdict of a search in which so many violations were found and replayed.

    `restrictions` says what the notes of the program mean.
    """
    if violations:
        return Conclusion(Verdict.VIOLATED)
    gave_up = reasons_to_doubt(result, options)
    if gave_up:
        return Conclusion(Verdict.UNKNOWN, tuple(gave_up))
    noted = [restrictions[number] for number in result.progress.notes if number < len(restrictions)]
    is_noted = bool(result.progress.notes)
    bounds = [
        *(_values_left_out(noted) if is_noted else ()),
        *bounds_met(result, options),
        *_preemptions_met(result, settings, options),
        *_parts_left_out(settings, options),
    ]
    asked = not is_noted or (bool(noted) and all(restriction.asked for restriction in noted))
    return Conclusion(Verdict.BOUNDED, tuple(bounds), asked) if bounds else Conclusion(Verdict.HOLDS)


def _values_left_out(noted: Sequence[Restriction]) -> list[str]:
    """What the search noted about nondeterministic values."""
    texts = list(dict.fromkeys(restriction.text for restriction in noted)) or ["nondeterministic values restricted"]
    more = len(texts) - MOST_RESTRICTIONS
    return [*texts[:MOST_RESTRICTIONS], *([f"and {more} more nondeterministic values"] if more > 0 else [])]


def reasons_to_doubt(result: SearchResult, options: SearchOptions) -> list[str]:
    """Why the search did not do what was asked for."""
    reasons = []
    if result.stopped:
        reasons.append(_STOPS.get(result.stopped, result.stopped))
    if result.report.out_of_memory:
        reasons.append(_STOPS["memory"])
    reasons += [_LIMITS[kind].format(count) for kind, count in result.progress.limits.items()]
    if result.report.hit_depth and options.depth is None:
        reasons.append(_STOPS["depth"])
    if result.report.errors:
        reasons.append("an error was found that could not be traced")
    if not reasons and not (result.report.is_there and result.report.is_complete):
        reasons.append("the search was not completed")
    return list(dict.fromkeys(reasons))


def bounds_met(result: SearchResult, options: SearchOptions) -> list[str]:
    """The bounds that the user asked for and that made a difference, or may have."""
    bounds = []
    if result.report.hit_depth and options.depth_is_exact:
        bounds.append(f"within {options.depth} steps (--depth)")
    elif result.report.hit_depth:
        bounds.append(
            f"executions were cut off after {options.depth} steps (--depth), shorter ones may be missing, too"
        )
    if options.bitstate:
        factor = result.report.hash_factor
        told = f", hash factor {factor:g}" if factor is not None else ""
        bounds.append(f"bitstate search{told} (states may have been missed)")
    if options.hash_compact:
        bounds.append("hash-compact search (states may have been missed)")
    cut = {kind: count for kind, count in result.progress.ignored.items() if kind not in FINAL_FAULTS}
    if cut:
        kinds = ", ".join(f"{kind} ({count})" for kind, count in cut.items())
        bounds.append(f"executions were followed only up to a fault that is ignored: {kinds}")
    return bounds


def _preemptions_met(result: SearchResult, settings: Settings, options: SearchOptions) -> list[str]:
    """A context bound that never kept a thread from moving is none."""
    if options.bound is None or not result.progress.refused:
        return []
    plural = "s" if options.bound != 1 else ""
    text = f"within {options.bound} preemption{plural}"
    if settings.step == "superstep":
        text += " between supersteps"
    if not options.bound_matched:
        return [f"{text}, but not all executions with so few (--cb-unmatched)"]
    return [f"{text} (--cb)"]


def _parts_left_out(settings: Settings, options: SearchOptions) -> list[str]:
    bounds = []
    if settings.abstraction is not None:
        bounds.append(f"under the abstraction {settings.abstraction}")
    if options.driver is not None and settings.step == "superstep":
        bounds.append("the driver acts only between supersteps (--step global: between all steps)")
    return bounds
