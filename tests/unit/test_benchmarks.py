# SPDX-License-Identifier: Apache-2.0
"""The benchmark suite: files, ratios, tables, comparison, and a run of its smallest sizes. No time decides anything."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

from suite import check_start, compare, others, programs, report, results  # noqa: E402 - found by the line before
from suite.ceiling import Counters  # noqa: E402
from suite.measure import Observer, Run, run_of  # noqa: E402

MACHINE = {"processor": "one"}


def a_run(program: str = "p", states: int = 2_000_000, **changed: object) -> Run:
    numbers = {"size": "N=1", "verdict": "holds", "transitions": 3 * states, "seconds": 4.0, "processor": 2.0}
    return Run(**{"program": program, "states": states, "memory": 100_000_000, **numbers, **changed})  # type: ignore[arg-type]


def some_results() -> results.Results:
    found = results.Results(MACHINE, quick=False, empty=4_000_000)
    found.ceilings = [a_run("ceiling", 1_048_576, processor=1.0)]
    found.alone = a_run("SPIN alone", 1_048_576, processor=0.5)
    found.programs = [a_run(), a_run("small", 10), a_run("slow", processor=8.0), a_run("cut", verdict="unknown")]
    found.beside = [6_000_000.0] * 4
    found.memory = [a_run("memory", processor=seconds) for seconds in (2.0, 2.5, 4.0, 8.0)]
    found.cores = [a_run("cores", 6_000_000, seconds=10.0), a_run("cores", 6_000_000, seconds=5.0, cores=2)]
    found.missing = ["CBMC"]
    found.checks = [{check_start.WHOLE: 0.3, check_start.PYTHON: 0.2}]
    return found


def test_results_survive_the_file(tmp_path: Path) -> None:
    found = some_results()
    found.foreign = [results.Foreign("CBMC", "p", "N=1", "holds", 1.0, 2.0)]
    results.save(found, tmp_path / "deep" / "r.json")
    assert results.load(tmp_path / "deep" / "r.json") == found


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"version": 0}', '{"version": 1, "ceilings": 3}'])
def test_what_is_no_result_is_refused_with_one_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "r.json"
    path.write_text(text)
    with pytest.raises(SystemExit, match=r"r\.json") as refused:
        results.load(path)
    assert "\n" not in str(refused.value)


def test_only_long_searches_that_ended_count_for_the_means() -> None:
    found = some_results()
    assert [run.program for run, _ in found.many] == ["p", "slow"]
    assert found.mean_ratio() == pytest.approx((0.5 * 0.125) ** 0.5)
    assert found.mean_bytes() == pytest.approx(48)
    slowest = found.slowest()
    assert slowest is not None
    assert slowest.program == "slow"
    assert results.Results(MACHINE, quick=True).mean_ratio() is None


def test_ratios_of_memory_and_cores() -> None:
    found = some_results()
    assert found.memory_ratios() == pytest.approx([1.25, 2.0])
    assert [ratio for _, ratio in found.speed_ups()] == pytest.approx([2.0])


def test_aims_are_printed_with_what_was_measured() -> None:
    told = [(aim.line().rpartition(": aim ")[2], aim.is_met) for aim in report.aims(some_results())]
    assert told == [
        ("at least 0.5 / measured 0.25 on 2 runs: MISSED", False),
        ("at least 300,000 / measured 250,000 at least (slow N=1); the ceiling has 1,048,576: MISSED", False),
        ("at most 64 / measured 48: met", True),
        ("at most 1.5 times / measured 1.25, 2.00: MISSED", False),
        ("at most 0.4 s, 0.15 s of it Python / measured 0.300 s, 0.200 s of it Python: MISSED", False),
        ("at least 1.6 times / measured 2.00: met", True),
    ]
    assert {aim.is_met for aim in report.aims(results.Results(MACHINE, quick=True))} == {None}


def test_table_tells_unfinished_searches_and_means() -> None:
    table = report.program_table(some_results())
    assert table[4].startswith("| p N=1 | 2,000,000 | 6,000,000 | 2.00 | 3,000,000 | 1,000,000 | 48 | 100 | 0.50 |")
    assert "more than 2,000,000 (unknown)" in table[7]
    assert table[8].endswith("| **48** |  | **0.25** |")
    assert report.foreign_table(some_results()) == ["CBMC: not found on PATH"]


def test_comparison_has_factors_for_what_both_files_have() -> None:
    old, new = some_results(), some_results()
    new.programs = [a_run(processor=1.0), a_run("new")]
    new.beside = [6_000_000.0] * 2
    lines = compare.lines(old, new)
    assert "| p N=1 | 2,000,000 | 2,000,000 | 2.00 | 2.00 | 1.00 | 0.50 | 1.00 |" in lines
    assert lines[0] == "part of the ceiling, geometric mean: 0.50 before, 1.00 now"
    assert lines[-1] == "not in the old file: new N=1"


def test_run_takes_what_the_observer_saw() -> None:
    numbers = {"states": 5, "states_matched": 3, "transitions": 7, "seconds": 1.5, "memory": 10}
    answer: dict[str, object] = {"verdict": "holds", "statistics": numbers}
    seen = Observer(0, processor={1: 0.5, 2: 0.25}, memory={1: 30, 2: 20})
    job = programs.PROGRAMS[0].job("N=1")
    assert run_of(job, answer, seen, 1) == Run("peterson", "N=1", "holds", 5, 7, 1.5, 0.75, 30)
    assert run_of(job, answer, seen, 2).memory == 10
    assert run_of(job, answer, Observer(0), 1).memory == 10
    numbers["transitions"] = 0
    assert run_of(job, answer, seen, 1).transitions == 7


def test_phases_of_a_check_are_read() -> None:
    text = "start 0.030\nclang 0.100\nlink 0.050\nsearch 0.010\ninstructions 500\n"
    phases = check_start.phases_of(0.4, text)
    assert phases[check_start.PYTHON] == pytest.approx(0.29)
    assert "instructions" not in phases
    assert check_start.report_lines([phases])[0] == "median over 1 examples, warm:"


def test_other_checkers_run_beside_or_are_called_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = tmp_path / "cbmc"
    tool.write_text('#!/bin/sh\necho "$*"\necho VERIFICATION SUCCESSFUL\n')
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    found, missing = others.measure([programs.PROGRAMS[0].job("THREADS=2")])
    assert [(one.tool, one.verdict) for one in found] == [("CBMC", "holds up to the bound")]
    assert "CBMC" not in missing
    assert {tool.verdict("") for tool in others.TOOLS} == {"gave up"}


def test_smallest_sizes_run_beside_a_small_ceiling(tmp_path: Path) -> None:
    output = tmp_path / "r.json"
    command = [sys.executable, str(BENCHMARKS / "bench.py"), "search", "--quick", "--top", "3", "--output", str(output)]
    done = subprocess.run([*command, "--only", "prefix_sum"], capture_output=True, text=True, check=True)
    found = results.load(output)
    assert found.ceilings[0].states == Counters(top=3).states == 256
    assert found.alone is not None
    assert (found.alone.states, found.alone.transitions) == (256, found.ceilings[0].transitions)
    assert [run.verdict for run in found.programs] == ["holds"] * len(programs.PROGRAMS[9].small)
    assert "aim at least 0.5 / measured none: not measured" in done.stdout
    assert json.loads(output.read_text())["machine"]["spin"].startswith("Spin Version")
