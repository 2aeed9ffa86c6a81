# SPDX-License-Identifier: Apache-2.0
"""Hand-written programs: what the machine shows equals what the native program shows, at every level."""

from pathlib import Path

import pytest
from outcome import run_in_machine, run_natively

HERE = Path(__file__).parent
PROGRAMS = sorted((HERE / "programs").glob("*.c"))
THREADED = sorted((HERE / "threads").glob("*.c"))
LEVELS = ("-O0", "-O1", "-O2", "-O3", "-Os")
SCHEDULES = (("--seed", "1"), ("--seed", "2"), ("--seed", "12345"), ("--schedule", "rr"))

# A program that says so in its first lines is compared as a 32-bit program too.
ALSO_32_BIT = [program for program in PROGRAMS if "also-with: --m32" in program.read_text()]


def name_of(value: object) -> str:
    """Return a short name for a parameter of a test."""
    return value.stem if isinstance(value, Path) else "".join(value) if isinstance(value, tuple) else str(value)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("program", PROGRAMS, ids=name_of)
def test_machine_shows_what_the_native_program_shows(program: Path, level: str, tmp_path: Path) -> None:
    native = run_natively(program, tmp_path, [level])
    machine = run_in_machine(program, [level])
    assert machine.outcome == native, machine.diagnostics


@pytest.mark.parametrize("level", ["-O0", "-O2"])
@pytest.mark.parametrize("program", ALSO_32_BIT, ids=name_of)
def test_machine_shows_what_the_native_32_bit_program_shows(program: Path, level: str, tmp_path: Path) -> None:
    # x87 arithmetic keeps extra precision; SSE2 rounds each operation, as the machine does
    native = run_natively(program, tmp_path, ["-m32", "-msse2", "-mfpmath=sse", level])
    machine = run_in_machine(program, ["--m32", level])
    assert machine.outcome == native, machine.diagnostics


@pytest.mark.parametrize("schedule", SCHEDULES, ids=name_of)
@pytest.mark.parametrize("program", THREADED, ids=name_of)
def test_deterministic_threads_show_the_same_under_every_schedule(
    program: Path, schedule: tuple[str, str], tmp_path: Path
) -> None:
    native = run_natively(program, tmp_path, ["-O0"])
    machine = run_in_machine(program, ["-O0", *schedule])
    assert machine.outcome == native, machine.diagnostics


@pytest.mark.parametrize("level", ["-O1", "-O2", "-O3"])
@pytest.mark.parametrize("program", THREADED, ids=name_of)
def test_optimised_threads_show_what_the_native_program_shows(program: Path, level: str, tmp_path: Path) -> None:
    native = run_natively(program, tmp_path, [level])
    machine = run_in_machine(program, [level, "--seed", "7"])
    assert machine.outcome == native, machine.diagnostics
