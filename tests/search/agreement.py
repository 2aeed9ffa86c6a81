# SPDX-License-Identifier: Apache-2.0
"""Compares SPIN's searches with the oracle: the same verdict, the same faults, the same number of states."""

from __future__ import annotations

from dataclasses import dataclass

from oracle import Exploration, explore

from pancam.moves import Move, Step
from pancam.settings import Settings
from pancam.spin.options import SearchOptions
from pancam.spin.search import SearchResult, Watch, search
from pancam.verdict import conclude
from pancam.vm.checker import Checker, Outcome

STEPS = ("superstep", "global", "instruction")
# Searches that see every state: all violations are wanted, so that they do not stop before.
EXACT = {
    "depth-first, tree": SearchOptions(all_errors=0),
    "depth-first, raw": SearchOptions(all_errors=0, store="raw"),
    "breadth-first, tree": SearchOptions(all_errors=0, breadth_first=True),
    "breadth-first, raw": SearchOptions(all_errors=0, breadth_first=True, store="raw"),
    # In this one the tree store keeps every state whole as well, and compares with each save and load.
    "random order, verified tree": SearchOptions(all_errors=0, random_seed=7, cc_flags=("-DSTORE_VERIFY",)),
}
# Searches of which only the verdict is compared: they stop at the first violation.
OTHER = {
    "bitstate": SearchOptions(bitstate=True),
    "hash-compact": SearchOptions(hash_compact=True),
    "two cores": SearchOptions(cores=2),
}


@dataclass(frozen=True)
class Subject:
    """A program under comparison."""

    image: bytes
    threads: int

    def run(self, settings: Settings, options: SearchOptions) -> SearchResult:
        return search(self.image, settings, options, self.threads, Watch())

    def kinds(self, settings: Settings, result: SearchResult) -> set[str]:
        """The kinds of the violations that the trails lead to; every trail must lead to one."""
        return {replayed_kind(Checker(self.image, settings), trail.moves) for trail in result.trails}


def replayed_kind(checker: Checker, trail: tuple[Move, ...]) -> str:
    for move in trail:
        assert isinstance(move, Step)
        assert move.choice < checker.moves(move.thread), "a trail with a move that the thread does not have"
        checker.step(move.thread, move.choice)
    assert checker.outcome is Outcome.VIOLATION, "a trail that does not lead to a violation"
    assert checker.machine.fault is not None
    return checker.machine.fault.kind


def differences(subject: Subject, step: str, most_states: int) -> list[str] | None:
    """How the searches differ from the oracle; None when there are too many states for the oracle."""
    settings = Settings(step=step)
    expected = explore(Checker(subject.image, settings), most_states)
    if not expected.complete:
        return None
    found: list[str] = []
    for name, options in EXACT.items():
        found += [f"{step}, {name}: {text}" for text in _exact_differences(subject, settings, options, expected)]
    for name, options in OTHER.items():
        if step == "superstep" and options.cores > 1:
            continue  # reduction.py does that, and compares more
        result = subject.run(settings, options)
        verdict = conclude(result, settings, options, len(subject.kinds(settings, result))).verdict.value
        good = {"holds": {"holds", "bounded"}}.get(expected.verdict, {expected.verdict})
        if verdict not in good:
            found.append(f"{step}, {name}: {verdict} instead of {expected.verdict}")
        if verdict == "holds" and result.report.states - 1 != expected.states:
            found.append(f"{step}, {name}: states {result.report.states - 1}, oracle {expected.states}")
    return found


def _exact_differences(
    subject: Subject, settings: Settings, options: SearchOptions, expected: Exploration
) -> list[str]:
    result = subject.run(settings, options)
    kinds = subject.kinds(settings, result)
    verdict = conclude(result, settings, options, len(kinds)).verdict.value
    facts = {
        "verdict": (verdict, expected.verdict),
        "kinds of violations": (kinds, expected.kinds),
        "states": (result.report.states - 1, expected.states),  # SPIN counts the state before the set-up
        "transitions": (result.progress.transitions, expected.transitions),
    }
    return [f"{name} {mine}, oracle {theirs}" for name, (mine, theirs) in facts.items() if mine != theirs]
