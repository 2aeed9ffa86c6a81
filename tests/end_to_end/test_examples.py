# SPDX-License-Identifier: Apache-2.0
"""Every example gives the result that its .toml file expects, from the command line, with a trace that ends there."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from command import CommandLine

EXIT_CODES = {"holds": 0, "violated": 1, "bounded": 0, "unknown": 3}
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
CHECKS = [
    (path, check) for path in sorted(EXAMPLES.glob("*/*.toml")) for check in tomllib.loads(path.read_text())["check"]
]


def name_of(value: object) -> str:
    if isinstance(value, Path):
        return f"{value.parent.name}/{value.stem}"
    return "".join([*value.get("files", [])[:1], *value["options"]]) if isinstance(value, dict) else ""


@pytest.mark.parametrize(("path", "expected"), CHECKS, ids=name_of)
def test_example_is_as_expected(path: Path, expected: dict[str, Any]) -> None:
    files = expected.get("files", [f"{path.stem}.c"])
    result = CommandLine(path.parent)("check", *files, *expected["options"], "--json")
    value = json.loads(result.out)
    assert value["verdict"] == expected["verdict"]
    assert result.status == value["exit_code"] == EXIT_CODES[expected["verdict"]]
    assert value["reasons"] == ([expected["reason"]] if "reason" in expected else [])
    found = [row["violation"] for row in value["violations"]]
    assert [violation["kind"] for violation in found] == ([expected["fault"]] if "fault" in expected else [])
    if "line" in expected:
        assert [(Path(violation["file"]).name, violation["line"]) for violation in found] == [
            (files[0], expected["line"])
        ]


def test_there_are_examples_of_both_kinds() -> None:
    verdicts = [check["verdict"] for _, check in CHECKS]
    assert min(verdicts.count("holds"), verdicts.count("violated")) > 25
    programs = [path for folder in ("correct", "wrong", "drivers") for path in (EXAMPLES / folder).glob("*.c")]
    assert all(path.with_suffix(".toml").exists() for path in programs)
