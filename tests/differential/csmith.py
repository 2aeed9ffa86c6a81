# SPDX-License-Identifier: Apache-2.0
"""Random C programs of Csmith: generation by seed, and the comparison of one program at every level.

A program prints a checksum of all its global variables. It is free of undefined behaviour by construction, so the
machine's checksum must equal the native one.
"""

import random
import re
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from outcome import MachineOutcome, NotCompiledError, Outcome, OutOfTimeError, run_in_machine, run_natively

LEVELS = ("-O0", "-O1", "-O2", "-O3")

# A native program that ends within this time and never ends in the machine is a difference, not a slow program.
QUICK_NATIVE_SECONDS = 0.05

# Small programs: many of them find more than a few large ones. The x86 built-ins are intrinsics of one processor.
SMALL = {
    "--max-funcs": (2, 6),
    "--max-block-depth": (2, 4),
    "--max-block-size": (2, 5),
    "--max-expr-complexity": (4, 10),
    "--max-array-dim": (1, 3),
    "--max-array-len-per-dim": (2, 8),
    "--max-pointer-depth": (1, 4),
    "--max-struct-fields": (3, 10),
    "--max-union-fields": (2, 5),
    "--inline-function-prob": (0, 80),
}
SWITCHED = {
    "bitfields": 0.9,
    "builtins": 0.4,
    "float": 0.4,
    "jumps": 0.9,
    "math64": 0.9,
    "packed-struct": 0.8,
    "unions": 0.9,
    "volatiles": 0.8,
}


class Verdict(Enum):
    """What became of one seed."""

    AGREES = "agrees"
    DIFFERS = "differs"
    SKIPPED = "skipped"


@dataclass(frozen=True)
class Comparison:
    """One seed: its verdict, the reason when it does not agree, and the program."""

    seed: int
    verdict: Verdict
    reason: str
    source: str


def options_of_seed(seed: int) -> list[str]:
    """Return Csmith's options for the seed: the same seed always gives the same program."""
    chance = random.Random(seed)  # noqa: S311 (reproducible, not secret)
    options = ["--seed", str(seed), "--concise", "--disable-builtin-kinds", "x86"]
    for name, (low, high) in SMALL.items():
        options += [name, str(chance.randint(low, high))]
    for name, probability in SWITCHED.items():
        options.append(f"--{name}" if chance.random() < probability else f"--no-{name}")
    return options


def generate(seed: int, folder: Path) -> Path:
    """Write the seed's program into the folder. Csmith leaves a note where it runs, so it runs there."""
    source = folder / f"csmith_{seed}.c"
    command = ["csmith", *options_of_seed(seed), "--output", source.name]
    subprocess.run(command, cwd=folder, capture_output=True, stdin=subprocess.DEVNULL, timeout=60, check=True)
    return source


def header_flags() -> list[str]:
    """Return the flag that lets a compiler find csmith.h."""
    return [f"-I{path.parent}" for path in sorted(Path("/usr/include").glob("csmith*/csmith.h"))[-1:]]


def compare_seed(seed: int) -> Comparison:
    """Generate the seed's program and compare native and machine at each level."""
    with tempfile.TemporaryDirectory(prefix="pancam-csmith-") as name:
        folder = Path(name)
        try:
            source = generate(seed, folder)
        except subprocess.SubprocessError as error:
            return Comparison(seed, Verdict.SKIPPED, f"csmith gave no program: {error}", "")
        verdict, reason = compare_program(source, folder)
        return Comparison(seed, verdict, reason, source.read_text())


def compare_program(source: Path, folder: Path) -> tuple[Verdict, str]:
    """Compare one program at each level; a program whose native runs take too long or disagree is skipped."""
    flags = header_flags()
    native: dict[str, Outcome] = {}
    try:
        for level in LEVELS:
            native[level] = run_natively(source, folder, [level, *flags])
    except OutOfTimeError as error:
        return Verdict.SKIPPED, str(error)
    except NotCompiledError as error:
        return Verdict.SKIPPED, f"clang refused it: {error}"
    if len({(outcome.stdout, outcome.status) for outcome in native.values()}) > 1:
        return Verdict.SKIPPED, "native programs of different levels disagree"
    if re.search(rb"checksum = [0-9A-F]+", native["-O0"].stdout) is None:
        return Verdict.SKIPPED, "the native program printed no checksum"
    return _compare_levels(source, folder, native)


def _compare_levels(source: Path, folder: Path, native: dict[str, Outcome]) -> tuple[Verdict, str]:
    for level, expected in native.items():
        try:
            shown = run_in_machine(source, [level, *header_flags()])
        except OutOfTimeError as error:
            if _native_seconds(source, folder) < QUICK_NATIVE_SECONDS:
                return Verdict.DIFFERS, f"{error}, and the native program is quick"
            return Verdict.SKIPPED, str(error)
        if shown.outcome != expected and _is_undefined(source, folder):
            return Verdict.SKIPPED, "it has undefined behaviour (float to integer out of range, as a rule)"
        if shown.outcome != expected:
            return Verdict.DIFFERS, _describe(level, expected, shown)
    return Verdict.AGREES, ""


def _is_undefined(source: Path, folder: Path) -> bool:
    """Whether Clang's own checks stop the program: Csmith guards integers, not conversions from floating point."""
    checks = ["-fsanitize=undefined,float-cast-overflow", "-fsanitize-trap=all"]
    try:
        return run_natively(source, folder, ["-O0", *checks, *header_flags()]).status == -signal.SIGILL
    except OutOfTimeError:
        return False


def _native_seconds(source: Path, folder: Path) -> float:
    binary = folder / f"{source.stem}{''.join(['-O0', *header_flags()]).replace('/', '_')}"
    started = time.monotonic()
    subprocess.run([str(binary)], capture_output=True, stdin=subprocess.DEVNULL, check=False)
    return time.monotonic() - started


def _describe(level: str, expected: Outcome, shown: MachineOutcome) -> str:
    return f"{level}: native {expected}machine {shown.outcome}{shown.diagnostics}"
