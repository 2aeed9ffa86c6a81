# SPDX-License-Identifier: Apache-2.0
"""The thread library, function by function: what is used right shows what it shows natively, misuse is told.

`normal_*.c` are compared with their native run under several schedules. `misuse_*.c`, and `machine_*.c` about what only
the machine promises, say on their first line what it must report: `// expect: fault NAME` (of faults.def) or
`// expect: exit STATUS`. A line `// options: ...` gives options of `pancam run`.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from pancam.isa import faults

HERE = Path(__file__).parent
NORMAL = sorted(HERE.glob("normal_*.c"))
EXPECTING = sorted([*HERE.glob("misuse_*.c"), *HERE.glob("machine_*.c")])
SCHEDULES = (("--seed", "1"), ("--seed", "2"), ("--seed", "3"), ("--schedule", "rr"))
SECONDS = 60
FAULT, GAVE_UP = 1, 3
CHECK_FAILED = 99  # the exit status of check.h
EXPECTATION = re.compile(r"// expect: (?:fault (?P<fault>[A-Z_]+)|exit (?P<status>\d+))$")


def run_in_machine(program: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run the program with `pancam run`; it must come to an end."""
    own = re.search(r"^// options: (.*)$", program.read_text(), re.MULTILINE)
    more = own[1].split() if own else []
    command = [sys.executable, "-m", "pancam.cli", "run", str(program), *more, *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)


def run_natively(program: Path, binary: Path) -> subprocess.CompletedProcess[str]:
    """Compile with gcc and run."""
    subprocess.run(["gcc", "-pthread", "-w", "-o", str(binary), str(program)], check=True)
    return subprocess.run([str(binary)], capture_output=True, text=True, timeout=SECONDS, check=False)


def name_of(value: object) -> str:
    """Return a short name for a parameter of a test."""
    return value.stem if isinstance(value, Path) else "".join(value) if isinstance(value, tuple) else str(value)


@pytest.mark.parametrize("program", NORMAL, ids=name_of)
def test_right_use_shows_what_the_native_program_shows(program: Path, tmp_path: Path) -> None:
    native = run_natively(program, tmp_path / "native")
    assert native.returncode != CHECK_FAILED, native.stdout
    for options in (*SCHEDULES, ("-O2", "--seed", "4"), ("--m32", "--seed", "5")):
        machine = run_in_machine(program, *options)
        shown = (machine.stdout, machine.returncode)
        assert shown == (native.stdout, native.returncode), f"{options}: {machine.stderr}"


@pytest.mark.parametrize("program", EXPECTING, ids=name_of)
def test_what_the_program_expects_is_reported(program: Path) -> None:
    expectation = EXPECTATION.match(program.read_text().splitlines()[0])
    assert expectation is not None, "the first line says what to expect"
    for options in (SCHEDULES[0], ("-O2", "--schedule", "rr"), ("--m32", "--seed", "5")):
        machine = run_in_machine(program, *options)
        if expectation["fault"]:
            text = faults()[expectation["fault"]][1]
            status = GAVE_UP if expectation["fault"].endswith("_LIMIT") else FAULT
            assert machine.returncode == status, f"{options}: {machine.stdout}{machine.stderr}"
            assert re.search(rf"(^|: )fault: {re.escape(text)}", machine.stderr, re.MULTILINE), machine.stderr
        else:
            assert machine.returncode == int(expectation["status"]), f"{options}: {machine.stdout}{machine.stderr}"


def test_every_program_has_a_role() -> None:
    assert {*NORMAL, *EXPECTING} == set(HERE.glob("*.c"))
    assert all(EXPECTATION.match(program.read_text().splitlines()[0]) for program in EXPECTING)
