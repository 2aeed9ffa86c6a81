# SPDX-License-Identifier: Apache-2.0
"""How long `pancam check` takes on the small examples, and where the time goes.

Every example is checked as a user would, by the command, with all tools in the cache; the clock on the wall counts.
Each is checked as a program that pancam has not seen before, and as one that has not changed since (warm). The phases
are those of `pancam check --timings`; what is left when Clang and the verifier are taken from the whole is Python,
from the start of the interpreter to its end.
"""

import os
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

from experiments.search import EXAMPLES

WHOLE, PYTHON = "whole command", "Python"
NOT_PYTHON = ("clang", "search")  # phases in which another program runs, and pancam at most meanwhile


def check(path: Path, *flags: str) -> dict[str, float]:
    """Seconds of one check: the whole command, what of it is Python, and each phase."""
    command = [sys.executable, "-m", "pancam.cli", "check", str(path), "--timings", *flags]
    # Installed, modules are compiled already: here they must be allowed to stay so from run to run.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    start = time.perf_counter()
    result = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, env=environment
    )
    return phases_of(time.perf_counter() - start, result.stderr)


def phases_of(seconds: float, text: str) -> dict[str, float]:
    """What `--timings` said of a command that took so many seconds."""
    phases = {name: float(value) for name, value in re.findall(r"^(\w+) ([\d.]+)$", text, re.MULTILINE)}
    phases.pop("instructions", None)
    return {WHOLE: seconds, PYTHON: seconds - sum(phases.get(name, 0.0) for name in NOT_PYTHON), **phases}


def measure(most: int | None = None) -> list[dict[str, float]]:
    """All examples, or so many: as new programs (the phases with a prefix), and unchanged."""
    paths = [path for folder in ("correct", "wrong") for path in sorted((EXAMPLES / folder).glob("*.c"))]
    check(paths[0])
    rows = []
    for path in paths[:most]:
        new = check(path, f"-DPANCAM_BENCHMARK_{time.time_ns()}")  # a macro that no program uses: another program
        check(path)
        rows.append({**check(path), **{f"new: {name}": new[name] for name in (WHOLE, PYTHON)}})
    return rows


def report_lines(rows: list[dict[str, float]]) -> list[str]:
    """The median of each phase over all examples; a phase that a check does not have counts as 0."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    lines = [f"median over {len(rows)} examples, warm:"]
    for name in names:
        values = [row.get(name, 0.0) for row in rows]
        lines.append(f"  {name:18} {statistics.median(values):.3f} s   (most {max(values):.3f} s)")
    return lines
