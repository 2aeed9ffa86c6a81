# SPDX-License-Identifier: Apache-2.0
"""How long `pancam check` takes on the small examples, and where the time goes.

Every example is checked as a user would, by the command, with everything in the cache; the clock on the wall counts.
The phases are those of `pancam check --timings`.
"""

import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

from experiments.search import EXAMPLES

WHOLE, PYTHON = "whole command", "Python"
NOT_PYTHON = ("clang", "link", "search")  # Clang, LLVM's linker, SPIN's verifier


def check(path: Path) -> dict[str, float]:
    """Seconds of one check: the whole command, what of it is Python, and each phase."""
    command = [sys.executable, "-m", "pancam.cli", "check", str(path), "--timings"]
    start = time.perf_counter()
    result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    return phases_of(time.perf_counter() - start, result.stderr)


def phases_of(seconds: float, text: str) -> dict[str, float]:
    """What `--timings` said of a command that took so many seconds."""
    phases = {name: float(value) for name, value in re.findall(r"^(\w+) ([\d.]+)$", text, re.MULTILINE)}
    phases.pop("instructions", None)
    return {WHOLE: seconds, PYTHON: seconds - sum(phases.get(name, 0.0) for name in NOT_PYTHON), **phases}


def measure(most: int | None = None) -> list[dict[str, float]]:
    """All examples, or so many; the first one once more, to fill the cache."""
    paths = [path for folder in ("correct", "wrong") for path in sorted((EXAMPLES / folder).glob("*.c"))]
    check(paths[0])
    return [check(path) for path in paths[:most]]


def report_lines(rows: list[dict[str, float]]) -> list[str]:
    """The median of each phase over all examples; a phase that a check does not have counts as 0."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    lines = [f"median over {len(rows)} examples, warm:"]
    for name in names:
        values = [row.get(name, 0.0) for row in rows]
        lines.append(f"  {name:16} {statistics.median(values):.3f} s   (most {max(values):.3f} s)")
    return lines
