# SPDX-License-Identifier: Apache-2.0
"""Transitions that are recalled (vm_c/memo.c) are those that would be executed: both stores make the same search.

The raw store does not number local states, so that there every transition is executed.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from programs import program_text
from reduction import ALL, compile_program

from pancam.settings import Settings
from pancam.spin.search import SearchResult, Watch, search

SEEDS = range(40_000, 40_060)
SHARDS = 6
EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "correct"
NAMES = ("bakery", "bounded_buffer", "michael_scott_queue", "philosophers", "rwlock", "treiber_stack", "work_stealing")


def both(text: str, level: str = "0") -> tuple[SearchResult, SearchResult]:
    program, settings = compile_program(text, level)
    settings = replace(settings, step="superstep")
    recalling, executing = (
        search(program.image, settings, replace(ALL, store=store), program.thread_limit, Watch())
        for store in ("tree", "raw")
    )
    return recalling, executing


def numbers(result: SearchResult) -> tuple[int, int, int, int]:
    report, progress = result.report, result.progress
    return report.states, report.transitions, progress.small_steps, progress.instructions


def assert_same(recalling: SearchResult, executing: SearchResult) -> None:
    if not (recalling.stopped or executing.stopped):
        assert numbers(recalling) == numbers(executing)


@pytest.mark.parametrize("shard", range(SHARDS))
def test_random_programs_are_searched_alike(shard: int) -> None:
    recalled = 0
    for seed in SEEDS[shard::SHARDS]:
        recalling, executing = both(program_text(seed), ("0", "2")[seed % 2])
        assert_same(recalling, executing)
        recalled += recalling.progress.recalled
    assert recalled > 0, "nothing was recalled, so nothing was compared"


@pytest.mark.parametrize("name", NAMES)
def test_examples_are_searched_alike(name: str) -> None:
    recalling, executing = both((EXAMPLES / f"{name}.c").read_text())
    assert_same(recalling, executing)
    assert recalling.progress.recalled > 0
    assert executing.progress.recalled == 0


def test_who_wants_more_than_the_end_of_a_transition_has_it_executed() -> None:
    program, _ = compile_program((EXAMPLES / "philosophers.c").read_text())
    for settings in (Settings(races=True), Settings(leaks="all")):
        result = search(program.image, settings, ALL, program.thread_limit, Watch())
        assert result.progress.recalled == 0
