# SPDX-License-Identifier: Apache-2.0
"""`make figures`: the experiments of docs/experiments.md.

Each one runs its searches, leaves their numbers in docs/figures/ as CSV, draws them as SVG and PNG, and writes its
tables into the page. Nothing is asserted. A search that meets its limit is shown as one. --draw leaves the searches out
and takes the numbers that are there.
"""

import argparse
import os
import platform
import re
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from experiments import ipc, longest, peterson, programs, record, robots
from experiments.search import MEMORY, REPEATS, SHORT, Row

PAGE = record.DOCS / "experiments.md"
FIGURES = record.DOCS / "figures"
LIMIT = 40.0


@dataclass(frozen=True)
class Experiment:
    """What each module of an experiment offers."""

    name: str
    measure: Callable[[float], list[Row]]
    tables: Callable[[Sequence[Row]], dict[str, list[str]]]
    draw: Callable[[Sequence[Row], Path], None]


EXPERIMENTS = [
    Experiment(module.NAME, module.measure, module.tables, module.draw)
    for module in (peterson, robots, ipc, programs, longest)
]


def first_line(command: list[str]) -> str:
    """What a program says of its version."""
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[0]


def conditions(limit: float, seconds: float) -> list[str]:
    """What the numbers depend on."""
    processor = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    name = processor.group(1) if processor else platform.machine()
    told = (
        f"One run of all took {seconds / 60:.0f} minutes, on {name} with {os.cpu_count()} cores, {platform.system()} "
        f"{platform.release()}, {first_line(['spin', '-V'])}. A search may take {limit:g} s and {MEMORY}B. Where "
        f"searches are compared and each takes less than {SHORT:g} s, they take turns, and times are medians of "
        f"{REPEATS}."
    )
    return record.text(told)[1:]


def run(experiment: Experiment, limit: float, *, measured: bool) -> None:
    """Measure unless the numbers are there, then draw and write."""
    path = FIGURES / f"{experiment.name}.csv"
    print(f"{experiment.name}:", flush=True)
    if not measured:
        record.save(experiment.measure(limit), path)
    rows = record.load(path)
    experiment.draw(rows, FIGURES)
    page = PAGE.read_text()
    for name, lines in experiment.tables(rows).items():
        page = record.put(page, name, lines)
    PAGE.write_text(page)


def main() -> None:
    """Run all experiments, or those that are named."""
    parser = argparse.ArgumentParser(description="Run the experiments of docs/experiments.md.")
    parser.add_argument("names", nargs="*", help=f"of {', '.join(one.name for one in EXPERIMENTS)}; default: all")
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds for each search (default %(default)g)")
    parser.add_argument("--draw", action="store_true", help="no searches: take the numbers of docs/figures/")
    options = parser.parse_args()
    wanted = [one for one in EXPERIMENTS if not options.names or one.name in options.names]
    FIGURES.mkdir(exist_ok=True)
    start = time.monotonic()
    for experiment in wanted:
        run(experiment, options.limit, measured=options.draw)
    if len(wanted) == len(EXPERIMENTS) and not options.draw:
        told = conditions(options.limit, time.monotonic() - start)
        PAGE.write_text(record.put(PAGE.read_text(), "conditions", told))


if __name__ == "__main__":
    main()
