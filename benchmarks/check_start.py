# SPDX-License-Identifier: Apache-2.0
"""`make bench`, second part: how long `pancam check` takes on the small examples, and where the time goes.

Every example is checked as a user would, by the command, with everything in the cache; the clock on the wall counts.
The phases are those of `pancam check --timings`. Nothing is asserted. --record puts the report into docs/benchmarks.md.
"""

import argparse
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
EXAMPLES = HERE.parent / "examples"
PAGE = HERE.parent / "docs" / "benchmarks.md"
WHOLE = "whole command"
START_LIMIT = 0.6
MARK = "One run of the checks:\n\n```\n"


def check(path: Path) -> dict[str, float]:
    """Seconds of one check: the whole command, and each phase."""
    command = [sys.executable, "-m", "pancam.cli", "check", str(path), "--timings"]
    start = time.perf_counter()
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - start
    phases = {name: float(value) for name, value in re.findall(r"^(\w+) ([\d.]+)$", result.stderr, re.MULTILINE)}
    phases.pop("instructions", None)
    return {WHOLE: seconds, **phases}


def report_lines(rows: list[dict[str, float]]) -> list[str]:
    """The median of each phase over all examples; a phase that a check does not have counts as 0."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    lines = [f"median over {len(rows)} examples, warm:"]
    for name in names:
        values = [row.get(name, 0.0) for row in rows]
        lines.append(f"  {name:16} {statistics.median(values):.3f} s   (most {max(values):.3f} s)")
    median = statistics.median(row[WHOLE] for row in rows)
    return [*lines, "", f"the whole command in {median:.3f} s (aim: {START_LIMIT})"]


def main() -> None:
    """Measure, print and perhaps record."""
    parser = argparse.ArgumentParser(description="Measure how long a small check takes.")
    parser.add_argument("--record", action="store_true", help="also put the report into docs/benchmarks.md")
    options, _ = parser.parse_known_args()
    paths = [path for folder in ("correct", "wrong") for path in sorted((EXAMPLES / folder).glob("*.c"))]
    check(paths[0])
    report = "\n".join(report_lines([check(path) for path in paths]))
    print(report)
    if options.record:
        before, mark, after = PAGE.read_text().partition(MARK)
        PAGE.write_text(f"{before}{mark}{report}\n```{after.partition('```')[2]}")


if __name__ == "__main__":
    main()
