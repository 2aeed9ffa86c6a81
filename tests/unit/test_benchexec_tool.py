# SPDX-License-Identifier: Apache-2.0
"""The tool-info module, with stand-ins for the few names of BenchExec that it uses: BenchExec is not needed for it."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> Any:  # noqa: ANN401 - a class whose base is a stand-in
    names = ("benchexec", "benchexec.result", "benchexec.tools", "benchexec.tools.template")
    modules = {name: ModuleType(name) for name in names}
    result, template = modules["benchexec.result"], modules["benchexec.tools.template"]
    result.__dict__.update(RESULT_TRUE_PROP="true", RESULT_UNKNOWN="unknown", RESULT_ERROR="ERROR")
    template.__dict__["BaseTool2"] = object
    modules["benchexec"].__dict__["result"] = result
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.delitem(sys.modules, "pancam.svcomp.benchexec_tool", raising=False)
    yield importlib.import_module("pancam.svcomp.benchexec_tool").Tool()
    sys.modules.pop("pancam.svcomp.benchexec_tool", None)


def ended(*lines: str, status: int | None = 0) -> SimpleNamespace:
    return SimpleNamespace(output=list(lines), exit_code=SimpleNamespace(value=status))


@pytest.mark.parametrize(
    ("run", "answer"),
    [
        (ended("holds: no violation in any execution", "property unreach-call: true"), "true"),
        (ended("violated: x", "property valid-memsafety: false(valid-free)", status=1), "false(valid-free)"),
        (ended("bounded: no violation; ...", "property unreach-call: unknown", status=3), "unknown"),
        (ended("holds: no violation in any execution"), "ERROR"),
        (ended("pancam: t.i:1: no", status=2), "ERROR (t.i:1: no)"),
        (ended("violated: printf: property p: true is", status=1), "ERROR"),
        (ended(status=None), "unknown"),
        (ended(status=3), "ERROR"),
    ],
)
def test_only_an_answer_to_the_property_is_taken_as_one(tool: Any, run: SimpleNamespace, answer: str) -> None:  # noqa: ANN401
    assert tool.determine_result(run) == answer


def test_the_command_has_the_property_the_data_model_and_less_than_the_limits(tool: Any) -> None:  # noqa: ANN401
    task = SimpleNamespace(property_file="p.prp", options={"data_model": "LP64"}, input_files=("a.i", "b.i"))
    limits = SimpleNamespace(cputime=100, walltime=None, memory=1000)
    assert tool.cmdline("pancam", ["--bfs"], task, limits) == [
        "pancam", "check", "--quiet", "--bfs", "--property", "p.prp", "--data-model", "LP64", "--time", "95.0",
        "--memory", "900", "a.i", "b.i",
    ]  # fmt: skip
    plain = SimpleNamespace(property_file=None, options=None, input_files=("a.i",))
    no_limits = SimpleNamespace(cputime=None, walltime=None, memory=None)
    assert tool.cmdline("pancam", [], plain, no_limits) == [
        "pancam",
        "check",
        "--quiet",
        "--data-model",
        "ILP32",
        "a.i",
    ]
