# SPDX-License-Identifier: Apache-2.0
"""Trace files: what is written can be read and replayed, and what is no trace file is an error of one line."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from searching import FINE, shortest_violation

from pancam.errors import UsageError
from pancam.explain.ending import Violation, same_violation
from pancam.explain.trace import Trace, replay
from pancam.explain.trace_file import (
    Origin,
    dumps,
    load,
    loads,
    program_files,
    save,
    sources_changed,
)
from pancam.frontend.clang import CompileOptions
from pancam.moves import Call, Invariant, Start, Step
from pancam.pipeline import BuildOptions, Timings, build_program
from pancam.settings import Settings
from pancam.vm.checker import Checker

PROGRAM = """\
#include <assert.h>
#include <pthread.h>
#include "shared.h"
static void *worker(void *unused) {
    counter++;
    return unused;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(counter == 2);
    return 0;
}
"""
OPTIONS = CompileOptions(opt_level="0", defines=("NDEBUGGING",))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("trace file")
    (folder / "program.c").write_text(PROGRAM)
    (folder / "shared.h").write_text("static int counter;\n")
    return folder


@pytest.fixture(scope="module")
def made(folder: Path) -> tuple[Trace, Origin]:
    inputs = (str(folder / "program.c"),)
    program = build_program(inputs, BuildOptions(OPTIONS), [], Timings())
    trace = replay(program, Checker(program.image, FINE), shortest_violation(program))
    settings = asdict(Settings())
    return trace, Origin(inputs, program_files(program, inputs), (), asdict(OPTIONS), settings)


def test_a_trace_can_be_built_and_replayed_from_its_file(made: tuple[Trace, Origin], tmp_path: Path) -> None:
    trace, origin = made
    path = tmp_path / "bug.json"
    save(trace, origin, path)
    stored = load(path)
    assert stored.moves == trace.moves
    assert stored.violation == trace.ending.violation
    assert sources_changed(stored) == []
    options = {name: tuple(v) if isinstance(v, list) else v for name, v in stored.origin.options.items()}
    program = build_program(stored.origin.inputs, BuildOptions(CompileOptions(**options)), [], Timings())
    again = replay(program, Checker(program.image, FINE), stored.moves)
    assert again == trace
    assert same_violation(stored.violation, again.ending.violation)
    assert [item.name for item in tmp_path.iterdir()] == ["bug.json"]


def test_headers_of_the_user_are_among_the_files_and_no_others(made: tuple[Trace, Origin], folder: Path) -> None:
    assert [file.path for file in made[1].files] == [str(folder / "program.c"), str(folder / "shared.h")]


def test_files_that_changed_or_are_gone_are_named(made: tuple[Trace, Origin], folder: Path) -> None:
    stored = loads(dumps(*made))
    header, text = folder / "shared.h", (folder / "shared.h").read_text()
    try:
        header.write_text(text + "\n")
        assert sources_changed(stored) == [str(header)]
        header.unlink()
        assert sources_changed(stored) == [str(header)]
    finally:
        header.write_text(text)
    assert sources_changed(stored) == []


def test_violations_are_the_same_whatever_the_folder() -> None:
    one = Violation("ASSERT", "assertion failed: x", "/a/p.c", 3)
    assert same_violation(one, replace(one, file="/b/p.c"))
    assert not same_violation(one, replace(one, file="/a/q.c"))
    assert not same_violation(one, replace(one, line=4))
    assert not same_violation(one, replace(one, kind="DEADLOCK"))
    assert not same_violation(one, replace(one, text="assertion failed: y"))
    assert same_violation(Violation("ASSERT"), one)
    assert not same_violation(one, None)
    assert same_violation(None, None)


def test_every_kind_of_move_survives(made: tuple[Trace, Origin]) -> None:
    trace, origin = made
    moves = (Invariant("holds"), Start(2, "worker", 7), Call("tick"), Step(1, (1 << 64) - 1))
    stored = loads(dumps(replace(trace, moves=moves, cycle_start=2), origin))
    assert stored.moves == moves
    assert stored.cycle_start == 2


def test_steps_are_there_for_other_tools(made: tuple[Trace, Origin]) -> None:
    document = json.loads(dumps(*made))
    assert [row["number"] for row in document["steps"]] == list(range(1, len(document["steps"]) + 1))
    last = document["steps"][-1]
    assert (last["line"], last["function"], last["thread"], last["source"]) == (14, "main", 0, "assert(counter == 2);")
    reading = [row for row in document["steps"] if row.get("line") == 14 and "reads" in row][-1]
    assert reading["reads"] == [{"path": "counter", "value": "1", "contended": True}]
    written = [change for row in document["steps"] for change in row.get("changes", []) if change["path"] == "counter"]
    assert written[0] == {"path": "counter", "old": "0", "new": "1", "shared": True}
    assert document["values"] == {"counter": "1"}


def test_all_fields_are_documented(made: tuple[Trace, Origin], repository: Path) -> None:
    page = (repository / "docs" / "trace-format.md").read_text()
    documented = set(re.findall(r"`(\w+)`", page))
    document: dict[str, Any] = json.loads(dumps(*made))
    assert set(document) <= documented
    assert {key for row in document["steps"] for key in row} <= documented
    assert set(document["violation"]) | set(document["program"]) <= documented


def damaged(document: dict[str, Any]) -> list[tuple[Any, str]]:
    """Documents that are wrong in one way each, with what the error says."""
    step = document["moves"][0]
    return [
        ([], "not a trace file of pancam"),
        ({**document, "format": "other"}, "not a trace file of pancam"),
        ({**document, "version": 2}, "version 2, this pancam reads 1"),
        ({**document, "version": None}, "version None"),
        ({**document, "program": 3}, "field program is missing or of the wrong type"),
        ({**document, "program": {**document["program"], "inputs": [1]}}, "list inputs has an entry"),
        ({**document, "program": {**document["program"], "files": [{"path": "x"}]}}, "field sha256 is missing"),
        ({**document, "options": None}, "field options is missing"),
        ({**document, "moves": {}}, "field moves is missing"),
        ({**document, "moves": [7]}, "list moves has an entry of the wrong type"),
        ({**document, "moves": [[]]}, "a move of an unknown kind"),
        ({**document, "moves": [[{}]]}, "a move of an unknown kind"),
        ({**document, "moves": [["jump", 1]]}, "a move of an unknown kind: jump"),
        ({**document, "moves": [step[:2]]}, "a step that is not thread, choice"),
        ({**document, "moves": [["step", -1, 0]]}, "a step that is not thread, choice"),
        ({**document, "moves": [["step", True, 0]]}, "a step that is not thread, choice"),
        ({**document, "moves": [["call", 5]]}, "a call that is not function"),
        ({**document, "violation": "bad"}, "field violation is missing"),
        ({**document, "violation": {**document["violation"], "line": "x"}}, "field line is missing"),
        ({**document, "cycle_start": 10**9}, "cycle_start"),
    ]


def test_a_bad_file_is_an_error_of_one_line(made: tuple[Trace, Origin], tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    for document, message in damaged(json.loads(dumps(*made))):
        path.write_text(json.dumps(document))
        with pytest.raises(UsageError, match=re.escape(message)) as raised:
            load(path)
        assert str(raised.value).startswith(f"{path}: ")
        assert "\n" not in str(raised.value)


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe\x00", b"[" * 100_000, b'{"format": "pancam-trace"}'])
def test_what_is_no_json_is_an_error_of_one_line(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "bad.json"
    path.write_bytes(content)
    with pytest.raises(UsageError) as raised:
        load(path)
    assert str(raised.value).startswith(f"{path}: ")


def test_a_file_that_cannot_be_read_or_written_is_an_error(made: tuple[Trace, Origin], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file"):
        load(tmp_path / "missing.json")
    with pytest.raises(UsageError, match="directory"):
        load(tmp_path)
    with pytest.raises(UsageError, match="No such file"):
        save(*made, tmp_path / "missing" / "bug.json")


def test_names_of_files_may_be_any_bytes(made: tuple[Trace, Origin]) -> None:
    trace, origin = made
    odd = replace(origin, inputs=("caf\udce9.c", "ü.c"))
    assert loads(dumps(trace, odd)).origin.inputs == odd.inputs
