# SPDX-License-Identifier: Apache-2.0
"""Runs one C program twice, natively and in pancam's machine, and says what each run showed.

Everything in this folder goes through the two functions at the end: how the machine is reached is decided here alone.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

NATIVE_SECONDS = 5.0
MACHINE_SECONDS = 60.0


@dataclass(frozen=True)
class Outcome:
    """What a run showed; two outcomes are equal when output and exit status are."""

    stdout: bytes
    status: int

    def __str__(self) -> str:
        return f"exit status {self.status}\n{self.stdout.decode(errors='replace')}"


@dataclass(frozen=True)
class MachineOutcome:
    """What the machine showed, with what it said on standard error beside the program's own output."""

    outcome: Outcome
    diagnostics: str


class NotCompiledError(Exception):
    """The native compiler refused the program: the test program is wrong, not pancam."""


class OutOfTimeError(Exception):
    """The run took longer than it may."""


@cache
def find_clang() -> str:
    """Return the Clang that pancam uses: the chosen one, else the newest on PATH."""
    chosen = os.environ.get("PANCAM_CLANG")
    if chosen:
        return chosen
    found: dict[int, str] = {}
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        for path in Path(folder).glob("clang*") if folder else ():
            if re.fullmatch(r"clang(-\d+)?", path.name) and os.access(path, os.X_OK):
                found.setdefault(_clang_version(str(path)), str(path))
    if not found:
        raise NotCompiledError("no clang on PATH")
    return found[max(found)]


def _clang_version(clang: str) -> int:
    text = subprocess.run([clang, "--version"], capture_output=True, text=True, check=False).stdout
    match = re.search(r"clang version (\d+)", text)
    return int(match.group(1)) if match else 0


def compile_native(source: Path, binary: Path, flags: Sequence[str]) -> None:
    """Compile with the Clang that pancam uses, or raise NotCompiledError with its message."""
    command = [find_clang(), "-w", *flags, "-pthread", "-o", str(binary), str(source), "-lm"]
    result = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    if result.returncode != 0:
        raise NotCompiledError(result.stderr)


def run_natively(source: Path, folder: Path, flags: Sequence[str], seconds: float = NATIVE_SECONDS) -> Outcome:
    """Compile into the folder, run, and return what the native program showed."""
    binary = folder / f"{source.stem}{''.join(flags).replace('/', '_')}"
    compile_native(source, binary, flags)
    try:
        result = subprocess.run(
            [str(binary)], capture_output=True, stdin=subprocess.DEVNULL, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise OutOfTimeError(f"{source.name} {' '.join(flags)}: native run over {seconds} s") from error
    return Outcome(result.stdout, result.returncode)


def run_in_machine(source: Path, options: Sequence[str], seconds: float = MACHINE_SECONDS) -> MachineOutcome:
    """Run `pancam run` with the options and return what the machine showed."""
    command = [sys.executable, "-m", "pancam.cli", "run", *options, str(source)]
    try:
        result = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, timeout=seconds, check=False)
    except subprocess.TimeoutExpired as error:
        raise OutOfTimeError(f"{source.name} {' '.join(options)}: machine run over {seconds} s") from error
    return MachineOutcome(Outcome(result.stdout, result.returncode), result.stderr.decode(errors="replace"))


def have_csmith() -> bool:
    """Return whether random programs can be generated here."""
    return shutil.which("csmith") is not None
