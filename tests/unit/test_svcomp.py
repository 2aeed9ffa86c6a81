# SPDX-License-Identifier: Apache-2.0
"""Properties and task files of the verification competition: what they say, and how wrong ones are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from pancam.errors import PancamError, UnsupportedError, UsageError
from pancam.faults import GROUPS
from pancam.liveness import TERMINATION
from pancam.svcomp.properties import FORMULAS, NAMED, parse_property, read_property
from pancam.svcomp.tasks import read_task

KINDS = {kind for group in GROUPS.values() for kind in group}


def check_line(formula: str) -> str:
    return f"CHECK( init(main()), LTL({formula}) )\n"


@pytest.mark.parametrize("spelling", ["G ! call(my_error())", "G !call( my_error ( ) )", "G  !  call(my_error())"])
def test_a_call_property_names_the_function_that_must_not_be_called(spelling: str) -> None:
    found = parse_property(check_line(spelling), "p.prp")
    assert (found.name, found.functions, set(found.kinds)) == ("unreach-call", ("my_error",), {"ERROR_REACHED"})


def test_a_label_property_names_the_label_that_must_not_be_reached() -> None:
    found = parse_property(check_line("G ! label(ERROR)"), "p.prp")
    assert (found.name, found.functions, found.labels) == ("unreach-call", (), ("ERROR",))


def test_each_part_of_memory_safety_gives_its_name_to_the_answer() -> None:
    found = parse_property(check_line("G valid-free") + "\n" + check_line("G valid-deref"), "p.prp")
    assert found.name == "valid-memsafety"
    assert found.answer_to("DOUBLE_FREE") == "false(valid-free)"
    assert found.answer_to("USE_AFTER_FREE") == "false(valid-deref)"


def test_overflow_is_looked_for_when_a_property_forbids_it() -> None:
    assert parse_property(check_line("G ! overflow"), "p.prp").options == ("overflow",)


def test_formulas_forbid_kinds_of_faults_that_there_are() -> None:
    assert {kind for formula in FORMULAS.values() for kind in formula.kinds} <= KINDS | {TERMINATION}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("COVER( init(main()), FQL(COVER EDGES(@DECISIONEDGE)) )", "p.prp:1: coverage is not a property"),
        ("\nCHECK( init(other()), LTL(G valid-free) )", "p.prp:2: programs begin in main, not in other"),
        (check_line("G F x"), "p.prp:1: the property 'G F x' is not supported"),
        ("nonsense", "p.prp:1: not a property: nonsense"),
        ("\n\n", "p.prp: the file has no property"),
    ],
)
def test_what_is_no_property_is_refused_with_its_line(text: str, message: str) -> None:
    with pytest.raises(PancamError) as problem:
        parse_property(text, "p.prp")
    assert str(problem.value).startswith(message)


def test_a_property_by_name_is_one_of_the_competition_or_refused() -> None:
    assert read_property("unreach-call").functions == ("reach_error",)
    for name in NAMED:
        try:
            assert read_property(name).name == name
        except UnsupportedError as problem:
            assert "is not supported yet" in str(problem)  # noqa: PT017 - either is right, nothing else is
    with pytest.raises(UsageError, match="there is no property 'safety'"):
        read_property("safety")


def test_a_task_is_read_with_paths_relative_to_its_file(tmp_path: Path) -> None:
    (tmp_path / "t.yml").write_text(
        "format_version: '2.0'\ninput_files: ['a.i', 'b.i']\nproperties:\n"
        "  - property_file: ../p/valid-memsafety.prp\n    expected_verdict: false\n    subproperty: valid-free\n"
        "options:\n  language: C\n  data_model: LP64\n"
    )
    task = read_task(str(tmp_path / "t.yml"))
    assert task.files == (str(tmp_path / "a.i"), str(tmp_path / "b.i"))
    assert task.data_model == "LP64"
    (expected,) = task.properties
    assert (expected.name, expected.verdict, expected.subproperty) == ("valid-memsafety", False, "valid-free")
    assert expected.property_file == str(tmp_path / "../p/valid-memsafety.prp")


def test_a_task_without_a_data_model_is_a_32_bit_one(tmp_path: Path) -> None:
    (tmp_path / "t.yml").write_text("input_files: 'a.i'\nproperties: []\n")
    assert read_task(str(tmp_path / "t.yml")).data_model == "ILP32"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("properties: []", "not a task"),
        ("- a list", "not a task"),
        ("input_files: []", "not a task"),
        ("input_files: a.i\nproperties: [{property_file: p, expected_verdict: maybe}]", "not a task"),
        ("input_files: a.i\noptions: {language: Java}", "written in Java, not in C"),
        ("input_files: a.i\noptions: {data_model: LLP64}", "there is no data model LLP64"),
        ("input_files: [", ":1: not a YAML file"),
    ],
)
def test_a_wrong_task_file_is_refused_in_one_line(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "t.yml").write_text(text)
    with pytest.raises(UsageError) as problem:
        read_task(str(tmp_path / "t.yml"))
    assert message in str(problem.value)
    assert str(problem.value).startswith(str(tmp_path / "t.yml"))
