# SPDX-License-Identifier: Apache-2.0
"""SPIN's searches and the oracle agree, on random programs and on the examples."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from agreement import STEPS, Subject, differences
from granularity import compile_text
from hypothesis import HealthCheck, given, seed, settings
from oracle import explore
from programs import programs

from pancam.frontend.clang import CompileOptions
from pancam.pipeline import BuildOptions, Timings, build_program
from pancam.settings import Settings
from pancam.spin.options import SearchOptions
from pancam.vm.checker import Checker

EXAMPLES = sorted(
    path
    for folder in ("correct", "wrong")
    for path in (Path(__file__).resolve().parents[2] / "examples" / folder).glob("*.c")
)
SHARDS, PROGRAMS_PER_SHARD = 20, 10
MOST_STATES = 10_000  # of a random program
MOST_EXAMPLE_STATES = (
    9_000  # of an example: at instruction granularity most have far more; `make agree WHAT=--examples` does more
)


@pytest.mark.parametrize("shard", range(SHARDS))
def test_searches_agree_with_the_oracle_on_random_programs(shard: int) -> None:
    compared = 0

    @seed(shard)
    @settings(max_examples=PROGRAMS_PER_SHARD, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(programs())
    def compare(text: str) -> None:
        nonlocal compared
        program = compile_text(text)
        for step in STEPS:
            found = differences(Subject(program.image, program.thread_limit), step, MOST_STATES)
            assert not found, f"{found}\n{text}"
            compared += found is not None

    compare()
    assert compared >= PROGRAMS_PER_SHARD, "too few of the random programs were small enough to compare"


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_searches_agree_with_the_oracle_on_the_examples(path: Path) -> None:
    checks = tomllib.loads(path.with_suffix(".toml").read_text())["check"]
    levels = {next((word[2:] for word in check["options"] if word.startswith("-O")), "0") for check in checks}
    for level in sorted(levels):
        program = build_program([str(path)], BuildOptions(CompileOptions(opt_level=level)), [], Timings())
        subject = Subject(program.image, program.thread_limit)
        assert differences(subject, "superstep", MOST_EXAMPLE_STATES) == []
        assert differences(subject, "global", MOST_EXAMPLE_STATES) == []
        assert not differences(subject, "instruction", MOST_EXAMPLE_STATES)


@pytest.mark.parametrize("name", ["correct/dekker", "wrong/lost_update", "wrong/bluetooth", "wrong/abba_deadlock"])
def test_a_depth_bound_sees_exactly_what_is_within_it(name: str) -> None:
    path = EXAMPLES[0].parents[1] / f"{name}.c"
    program = build_program([str(path)], BuildOptions(), [], Timings())
    subject, settings_ = Subject(program.image, program.thread_limit), Settings()
    expected = explore(Checker(program.image, settings_))
    nearest = min((len(trace) for trace in expected.traces.values()), default=len(expected.within))
    for depth in (1, 7, 12, nearest - 1, nearest, nearest + 1, len(expected.within) + 1):
        result = subject.run(settings_, SearchOptions(all_errors=0, depth=depth))
        reachable = expected.within[min(depth, len(expected.within) - 1)]
        assert (depth, result.report.states - 1) == (depth, reachable)
        assert bool(subject.kinds(settings_, result)) == (depth >= nearest and bool(expected.violations))
