# SPDX-License-Identifier: Apache-2.0
"""Benchmarks of the verification competition: scores, which runs there are, and results that survive a stop."""

from __future__ import annotations

from pathlib import Path

import pytest

from pancam.errors import UsageError
from pancam.svcomp.html import page
from pancam.svcomp.results import ResultsFile, as_value
from pancam.svcomp.scoring import Outcome, Row, judge, sums_by_category
from pancam.svcomp.suite import collect

SETTINGS = {"version": "1", "time": 60.0, "memory": 1 << 33, "options": []}
ROWS = [
    Row("a", "a/1.yml", "unreach-call", expected=True, answer="true", cpu=1.5, memory=1 << 20),
    Row("a", "a/2.yml", "unreach-call", expected=False, answer="true", cpu=2.0, memory=3 << 20),
    Row("b", "b/1.yml", "no-overflow", expected=False, answer="unknown", reason="<the time limit>"),
]


@pytest.mark.parametrize(
    ("answer", "expected", "subproperty", "outcome", "score"),
    [
        ("true", True, None, Outcome.RIGHT_TRUE, 2),
        ("false(unreach-call)", False, None, Outcome.RIGHT_FALSE, 1),
        ("true", False, None, Outcome.WRONG_TRUE, -32),
        ("false(unreach-call)", True, None, Outcome.WRONG_FALSE, -16),
        ("false(valid-free)", False, "valid-free", Outcome.RIGHT_FALSE, 1),
        ("false(valid-deref)", False, "valid-free", Outcome.WRONG_FALSE, -16),
        ("unknown", True, None, Outcome.UNKNOWN, 0),
        ("error", False, None, Outcome.ERROR, 0),
        ("true", None, None, Outcome.UNJUDGED, 0),
    ],
)
def test_answers_are_scored_as_in_the_competition(
    answer: str, expected: bool | None, subproperty: str | None, outcome: Outcome, score: int
) -> None:
    found = judge(answer, expected=expected, subproperty=subproperty)
    assert (found, found.score) == (outcome, score)


def test_sums_are_made_for_each_category_and_for_all() -> None:
    a, b, total = sums_by_category(ROWS)
    assert (a.name, a.tasks, a.score, a.best_score, a.cpu, a.memory) == ("a", 2, -30, 3, 3.5, 3 << 20)
    assert (b.name, b.tasks, b.score, b.best_score) == ("b", 1, 0, 1)
    assert (total.name, total.tasks, total.score, total.best_score) == ("total", 3, -30, 4)


def test_results_are_there_again_after_a_stop_in_the_middle_of_a_line(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    first = ResultsFile(path, SETTINGS)
    first.add(ROWS[0])
    first.add(ROWS[1])
    first.close()
    path.write_bytes(path.read_bytes()[:-20])
    second = ResultsFile(path, SETTINGS)
    assert second.rows == ROWS[:1]
    second.add(ROWS[2])
    second.close()
    assert ResultsFile(path, SETTINGS).rows == [ROWS[0], ROWS[2]]


def test_results_of_other_settings_are_not_mixed(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    ResultsFile(path, SETTINGS).close()
    with pytest.raises(UsageError, match=r"made with other settings \(time: 60.0\)"):
        ResultsFile(path, {**SETTINGS, "time": 10.0})


@pytest.mark.parametrize("text", ["hello\n", "{}\n", "[]\n", '{"pancam-bench": 1, "settings": 2}\n'])
def test_a_file_that_is_not_one_of_results_is_left_as_it_is(tmp_path: Path, text: str) -> None:
    path = tmp_path / "results.jsonl"
    path.write_text(text)
    with pytest.raises(UsageError, match="not a results file"):
        ResultsFile(path, SETTINGS)
    assert path.read_text() == text


def task(path: Path, *properties: str) -> str:
    path.parent.mkdir(exist_ok=True)
    rows = "".join(f"  - property_file: {name}.prp\n    expected_verdict: true\n" for name in properties)
    path.write_text(f"input_files: p.c\nproperties:\n{rows}")
    return str(path)


def test_runs_are_the_properties_of_all_tasks_in_folders_and_sets(tmp_path: Path) -> None:
    one = task(tmp_path / "one" / "t.yml", "unreach-call", "no-overflow", "coverage-branches")
    two = task(tmp_path / "two" / "t.yml", "unreach-call")
    (tmp_path / "two" / "wrong.yml").write_text("a: b\n")
    (tmp_path / "All.set").write_text("# tasks\n\none/*.yml\ntwo/t.yml # another\n")
    found = collect([str(tmp_path / "All.set"), str(tmp_path / "two")], None)
    assert [(run.category, run.task, run.property) for run in found] == [
        ("All", one, "unreach-call"),
        ("All", one, "no-overflow"),
        ("All", two, "unreach-call"),
        ("two", str(tmp_path / "two" / "wrong.yml"), ""),
    ]
    assert "not a task" in found[-1].problem
    assert [run.task for run in collect([str(tmp_path / "one")], "no-overflow")] == [one]
    with pytest.raises(UsageError, match="there are no tasks with the property termination"):
        collect([str(tmp_path / "one")], "termination")
    with pytest.raises(UsageError, match="neither a folder nor"):
        collect([str(tmp_path / "nothing.txt")], None)


def test_the_page_shows_wrong_runs_first_and_needs_nothing_from_elsewhere() -> None:
    text = page(ROWS, SETTINGS)
    assert text.index("a/2.yml") < text.index("a/1.yml")
    assert "&lt;the time limit&gt;" in text
    assert "http" not in text
    assert "-30 of 4" in text


def test_results_for_machines_have_every_run_and_the_sums() -> None:
    value = as_value(ROWS, SETTINGS)
    assert [(run["outcome"], run["score"]) for run in value["runs"]] == [
        ("right true", 2),
        ("wrong true", -32),
        ("unknown", 0),
    ]
    assert value["categories"][-1]["outcomes"] == {"right true": 1, "wrong true": 1, "unknown": 1}
