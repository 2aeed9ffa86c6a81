# SPDX-License-Identifier: Apache-2.0
"""`make bench`, second part: how long `pancam check` takes on the small examples, and where the time goes.

Every example is checked as a user would, by the command, with all tools in the cache; the clock on the wall counts.
Each is checked as a program that pancam has not seen before, and as one that has not changed since it was checked last.
The phases are those of `pancam check --timings`; what is left when Clang and the verifier are taken from the whole is
Python, from the start of the interpreter to its end. Nothing is asserted. --record puts the report into
docs/benchmarks.md.
"""

import argparse
import os
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
EXAMPLES = HERE.parent / "examples"
PAGE = HERE.parent / "docs" / "benchmarks.md"
WHOLE, PYTHON = "whole command", "of which Python"
OTHERS = ("clang", "search")  # phases in which another program runs, and pancam at most meanwhile
LIMIT, PYTHON_LIMIT = 0.4, 0.15
MARK = "One run of the checks:\n\n```\n"


def check(path: Path, *flags: str) -> dict[str, float]:
    """Seconds of one check: the whole command, and each phase."""
    command = [sys.executable, "-m", "pancam.cli", "check", str(path), "--timings", *flags]
    # Installed, modules are compiled already: here they must be allowed to stay so from run to run.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    start = time.perf_counter()
    result = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    seconds = time.perf_counter() - start
    phases = {name: float(value) for name, value in re.findall(r"^(\w+) ([\d.]+)$", result.stderr, re.MULTILINE)}
    phases.pop("instructions", None)
    return {WHOLE: seconds, PYTHON: seconds - sum(phases.get(name, 0.0) for name in OTHERS), **phases}


def report_lines(title: str, rows: list[dict[str, float]]) -> list[str]:
    """The median of each phase over all examples; a phase that a check does not have counts as 0."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    lines = [f"{title}, median over {len(rows)} examples:"]
    for name in names:
        values = [row.get(name, 0.0) for row in rows]
        lines.append(f"  {name:16} {statistics.median(values):.3f} s   (most {max(values):.3f} s)")
    return [*lines, ""]


def measured(paths: list[Path]) -> list[str]:
    """The whole report."""
    # A macro that no program uses: to pancam, this is another program.
    new = [check(path, f"-DPANCAM_BENCHMARK_{time.time_ns()}") for path in paths]
    for path in paths:
        check(path)
    again = [check(path) for path in paths]
    whole, python = (statistics.median(row[name] for row in again) for name in (WHOLE, PYTHON))
    return [
        *report_lines("a new program", new),
        *report_lines("an unchanged program", again),
        f"the whole command in {whole:.3f} s (aim: {LIMIT}), of which Python {python:.3f} s (aim: {PYTHON_LIMIT})",
    ]


def main() -> None:
    """Measure, print and perhaps record."""
    parser = argparse.ArgumentParser(description="Measure how long a small check takes.")
    parser.add_argument("--record", action="store_true", help="also put the report into docs/benchmarks.md")
    options, _ = parser.parse_known_args()
    paths = [path for folder in ("correct", "wrong") for path in sorted((EXAMPLES / folder).glob("*.c"))]
    check(paths[0])
    report = "\n".join(measured(paths))
    print(report)
    if options.record:
        before, mark, after = PAGE.read_text().partition(MARK)
        PAGE.write_text(f"{before}{mark}{report}\n```{after.partition('```')[2]}")


if __name__ == "__main__":
    main()
