# SPDX-License-Identifier: Apache-2.0
"""SPIN's nested depth-first search finds endless executions with steps of any size.

The claim is that the program does not end; an execution that fulfils it, a loop or a deadlock, is an error for SPIN.
"""

from __future__ import annotations

import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from programs import program_text
from reduction import compile_program

from pancam.bytecode.program import Program
from pancam.pipeline import BuildOptions, Timings, build_program
from pancam.resources import promela_templates
from pancam.settings import STEPS, Settings
from pancam.spin.options import SearchOptions, VerifierOptions
from pancam.spin.report import read_report
from pancam.spin.verifier import obtain_verifier

CLAIM = """
never {
  do
  :: true
  :: c_expr { (!pan_done()) } -> goto accept
  od;
accept:
  do
  :: c_expr { (!pan_done()) }
  od
}
"""
MEMORY = 1 << 30
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("nested") / "endless.pml"
    path.write_text((promela_templates() / "liveness.pml").read_text() + CLAIM)
    return path


def runs_for_ever(driver: Path, program: Program, settings: Settings, folder: Path) -> bool:
    """Whether an acceptance cycle was found in a search that came to its end; assertions are not looked at (-A)."""
    search = SearchOptions(driver=str(driver), cc_flags=("-USAFETY",))
    binary = obtain_verifier(VerifierOptions(program.thread_limit, search, 0), lambda _: None)
    (folder / "program.pcb").write_bytes(program.image)
    told = {"IMAGE": str(folder / "program.pcb"), "SETTINGS": settings.words(), "MEMORY": str(MEMORY)}
    environment = os.environ | {f"PANCAM_{name}": value for name, value in told.items()}
    result = subprocess.run(
        [str(binary), "-a", "-A", "-m100000", "-n"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    report = read_report(result.stdout)
    assert report.is_there
    assert report.errors or (report.is_complete and not report.hit_depth)
    return report.errors > 0


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("correct/peterson", True),  # for unfair schedulers
        ("correct/spinlock", True),
        ("correct/lock_order", False),
        ("correct/michael_scott_queue", False),
        ("correct/refcount", False),
    ],
)
def test_examples_that_may_run_for_ever(driver: Path, tmp_path: Path, name: str, *, expected: bool) -> None:
    program = build_program([str(EXAMPLES / f"{name}.c")], BuildOptions(), [], Timings())
    for step in ("superstep", "global"):
        assert runs_for_ever(driver, program, Settings(step=step), tmp_path) == expected, step


def test_steps_of_all_sizes_agree_on_what_runs_for_ever(driver: Path, tmp_path: Path) -> None:
    verdicts = []
    for seed in range(24):
        program, settings = compile_program(program_text(seed))
        verdicts.append(
            {step: runs_for_ever(driver, program, replace(settings, step=step), tmp_path) for step in STEPS}
        )
    assert all(len(set(found.values())) == 1 for found in verdicts), verdicts
    assert {found["global"] for found in verdicts} == {True, False}
