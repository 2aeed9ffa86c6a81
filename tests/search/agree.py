# SPDX-License-Identifier: Apache-2.0
"""Compares SPIN's searches with the oracle on many random programs, or on all examples at all granularities.

`make agree N=1000 SEED=1` runs it; programs that differ are printed with how they differ.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from agreement import STEPS, Subject, differences
from granularity import compile_text
from programs import program_text

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
MOST_STATES = 60_000


def compare(name: str, text: str, most_states: int) -> tuple[str, list[str], int]:
    """(name, differences, how many granularities were too large)."""
    program = compile_text(text)
    results = [differences(Subject(program.image, program.thread_limit), step, most_states) for step in STEPS]
    found = [line for result in results for line in result or []]
    return name, found, results.count(None)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--most-states", type=int, default=MOST_STATES, help="larger programs are not compared")
    parser.add_argument("--examples", action="store_true", help="all examples instead of random programs")
    options = parser.parse_args()
    if options.examples:
        paths = [path for folder in ("correct", "wrong") for path in sorted((EXAMPLES / folder).glob("*.c"))]
        work = [(f"{path.parent.name}/{path.name}", path.read_text(), options.most_states) for path in paths]
    else:
        seeds = range(options.seed, options.seed + options.count)
        work = [(f"seed {seed}", program_text(seed), options.most_states) for seed in seeds]
    counts: Counter[str] = Counter()
    with ProcessPoolExecutor(options.jobs) as pool:
        for name, found, too_large in pool.map(compare, *zip(*work, strict=True)):
            counts["compared"] += len(STEPS) - too_large
            counts["too large"] += too_large
            counts["different"] += bool(found)
            for line in found:
                print(f"{name}: {line}", flush=True)
    print(", ".join(f"{counts[key]} {key}" for key in ("compared", "too large", "different")))
    return 1 if counts["different"] else 0


if __name__ == "__main__":
    sys.exit(main())
