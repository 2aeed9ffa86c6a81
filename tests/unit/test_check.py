# SPDX-License-Identifier: Apache-2.0
"""What stands between a search and a verdict: replays that refuse wrong trails, and conclusions that claim no more."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from compiled import compile_text
from test_trace import LOST_UPDATE

from pancam.check import replay_trails
from pancam.errors import InternalError
from pancam.moves import Step, Trail
from pancam.settings import Settings
from pancam.spin.options import SearchOptions
from pancam.spin.report import Report, read_report
from pancam.spin.search import SearchResult, Watch, search
from pancam.verdict import Conclusion, Verdict, common_exit_code, conclude
from pancam.vm.progress import Progress

COMPLETE = Report(is_there=True, states=10, is_complete=True)
DONE = SearchResult(COMPLETE, Progress(), ())


def test_a_corrupted_trail_is_an_internal_error_and_never_a_violation(tmp_path: Path) -> None:
    program = compile_text(LOST_UPDATE, tmp_path)
    (found,) = search(program.image, Settings(), SearchOptions(), program.thread_limit, Watch()).trails
    (trace,) = replay_trails(program, Settings(), [found])
    trail = found.moves
    assert trace.ending.violation is not None
    wrong = [
        trail[:-1],
        (*trail, Step(0)),
        (*trail[:5], Step(7), *trail[5:]),
        (replace(trail[0], choice=3), *trail[1:]),  # type: ignore[arg-type]
    ]
    for moves in wrong:
        with pytest.raises(InternalError, match="internal error: a counterexample"):
            replay_trails(program, Settings(), [Trail(tuple(moves))])


@pytest.mark.parametrize(
    ("result", "options", "verdict"),
    [
        (DONE, SearchOptions(), Verdict.HOLDS),
        (replace(DONE, stopped="time"), SearchOptions(), Verdict.UNKNOWN),
        (replace(DONE, stopped="interrupted"), SearchOptions(), Verdict.UNKNOWN),
        (replace(DONE, progress=Progress(limits={"THREAD_LIMIT": 1})), SearchOptions(), Verdict.UNKNOWN),
        (replace(DONE, progress=Progress(limits={"HEAP_LIMIT": 1})), SearchOptions(depth=5), Verdict.UNKNOWN),
        (replace(DONE, progress=Progress(ignored={"DEADLOCK": 1})), SearchOptions(), Verdict.HOLDS),
        (replace(DONE, progress=Progress(ignored={"NULL_POINTER": 1})), SearchOptions(), Verdict.BOUNDED),
        (replace(DONE, report=replace(COMPLETE, is_complete=False)), SearchOptions(), Verdict.UNKNOWN),
        (replace(DONE, report=replace(COMPLETE, out_of_memory=True)), SearchOptions(), Verdict.UNKNOWN),
        (replace(DONE, report=replace(COMPLETE, errors=1)), SearchOptions(), Verdict.UNKNOWN),
        (replace(DONE, report=replace(COMPLETE, hit_depth=True)), SearchOptions(), Verdict.UNKNOWN),
        (replace(DONE, report=replace(COMPLETE, hit_depth=True)), SearchOptions(depth=9), Verdict.BOUNDED),
        (replace(DONE, report=replace(COMPLETE, hash_factor=900.0)), SearchOptions(bitstate=True), Verdict.BOUNDED),
        (DONE, SearchOptions(hash_compact=True), Verdict.BOUNDED),
        (replace(DONE, report=Report(is_there=False)), SearchOptions(), Verdict.UNKNOWN),
    ],
)
def test_only_a_search_that_saw_everything_holds(
    result: SearchResult, options: SearchOptions, verdict: Verdict
) -> None:
    assert conclude(result, Settings(), options, 0).verdict is verdict
    assert conclude(result, Settings(), options, 1).verdict is Verdict.VIOLATED


@pytest.mark.parametrize(
    ("verdicts", "code", "exhaustive_code"),
    [
        ("holds holds holds", 0, 0),
        ("holds holds unknown", 0, 0),
        ("holds bounded unknown", 0, 0),
        ("bounded bounded bounded", 0, 3),
        ("bounded unknown unknown", 0, 3),
        ("unknown unknown unknown", 3, 3),
        ("violated violated violated", 1, 1),
        ("bounded violated unknown", 1, 1),
        ("unknown unknown violated", 1, 1),
    ],
)
def test_one_violation_counts_more_than_one_search_that_ended_and_that_more_than_one_that_did_not(
    verdicts: str, code: int, exhaustive_code: int
) -> None:
    conclusions = [Conclusion(Verdict(word)) for word in verdicts.split()]
    assert common_exit_code(conclusions, exhaustive=False) == code
    assert common_exit_code(conclusions, exhaustive=True) == exhaustive_code


def test_searches_that_contradict_each_other_are_an_internal_error() -> None:
    with pytest.raises(InternalError, match="one search finds a violation"):
        common_exit_code([Conclusion(Verdict.HOLDS), Conclusion(Verdict.VIOLATED)], exhaustive=False)


def test_a_report_says_what_spin_printed() -> None:
    text = """
error: max search depth too small
Warning: Search not completed
State-vector 20 byte, depth reached 99, errors: 2
      987 states, stored
     1480 states, matched
     2467 transitions (= stored+matched)
hash factor: 34.5 (best if > 100.)
  128.653	total actual memory usage
"""
    report = read_report(text)
    assert (report.states, report.matched, report.transitions) == (987, 1480, 2467)
    assert (report.depth, report.errors, report.hash_factor) == (99, 2, 34.5)
    assert (report.is_complete, report.hit_depth, report.out_of_memory) == (False, True, False)
    assert report.memory == int(128.653 * (1 << 20))
    assert read_report("pan: out of memory\n") == Report(is_there=False, out_of_memory=True)
