# SPDX-License-Identifier: Apache-2.0
"""`make fuzz-native`: compares as many random programs as asked for, keeps those that differ, and exits 1 if any does.

Number k of the count starts with seed `first + k`; when that program cannot be compared it goes on with seeds further
up. So the number compared is exact, and what is compared does not depend on how many run at a time.
"""

import argparse
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from csmith import Comparison, Verdict, compare_seed

SKIPS_IN_A_ROW = 50


def main() -> int:
    """Run the comparison that the command line asks for."""
    parser = argparse.ArgumentParser(description="Compare random programs, native against pancam's machine.")
    parser.add_argument("--count", type=int, default=1000, help="how many programs to compare")
    parser.add_argument("--seed", type=int, default=1, help="the first seed")
    parser.add_argument("--jobs", type=int, default=2, help="how many to compare at a time")
    parser.add_argument("--keep", type=Path, default=Path("fuzz-failures"), help="folder for programs that differ")
    arguments = parser.parse_args()
    started = time.monotonic()
    skipped: list[Comparison] = []
    differing: list[Comparison] = []
    compared = 0
    for attempts in _compare_all(arguments.seed, arguments.count, arguments.jobs):
        skipped += attempts[:-1]
        last = attempts[-1]
        if last.verdict is Verdict.SKIPPED:
            skipped.append(last)
            print(f"gave up near seed {last.seed}: {last.reason}", flush=True)
            continue
        compared += 1
        if last.verdict is Verdict.DIFFERS:
            differing.append(last)
            _keep(last, arguments.keep)
        if compared % 50 == 0:
            print(f"{compared} compared, {len(differing)} differ, {len(skipped)} skipped", flush=True)
    _report(compared, differing, skipped, time.monotonic() - started)
    return 1 if differing or compared < arguments.count else 0


def _compare_all(first: int, count: int, jobs: int) -> Iterator[list[Comparison]]:
    with ThreadPoolExecutor(max_workers=jobs) as pool:
        yield from pool.map(lambda number: _compare_number(first + number, count), range(count))


def _compare_number(seed: int, stride: int) -> list[Comparison]:
    attempts: list[Comparison] = []
    for attempt in range(SKIPS_IN_A_ROW):
        attempts.append(compare_seed(seed + attempt * stride))
        if attempts[-1].verdict is not Verdict.SKIPPED:
            break
    return attempts


def _keep(comparison: Comparison, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"csmith_{comparison.seed}.c"
    path.write_text(comparison.source)
    print(f"seed {comparison.seed} differs, kept as {path}\n{comparison.reason}", flush=True)


def _report(compared: int, differing: list[Comparison], skipped: list[Comparison], seconds: float) -> None:
    print(f"{compared} programs compared in {seconds:.0f} s, {len(differing)} differ, {len(skipped)} skipped")
    if differing:
        print("differing seeds:", *sorted(comparison.seed for comparison in differing))
    for comparison in skipped:
        print(f"skipped seed {comparison.seed}: {comparison.reason.splitlines()[0]}")


if __name__ == "__main__":
    sys.exit(main())
