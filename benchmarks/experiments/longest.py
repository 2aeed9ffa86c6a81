# SPDX-License-Identifier: Apache-2.0
"""How long a superstep may be: totals over the examples, and larger programs alone, for several limits."""

import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from experiments import ipc, plots, programs, record, robots
from experiments.search import Job, Row, search, side_by_side

NAME = "max-superstep"
LIMITS = (10, 30, 100, 300, 1000, 3000, 10000)
BOARD = 40
LARGE = {
    f"robots, N = {BOARD}": robots.job(BOARD, "superstep"),
    "one_sender.c, q = 2, 5 messages": ipc.job(ipc.TRAFFIC[1], 2, "superstep"),
    "two_senders.c, q = 1, 1 message each": ipc.job(ipc.TRAFFIC[3], 1, "superstep"),
}


def with_limits(job: Job) -> list[Job]:
    """The same search for every limit."""
    return [
        replace(job, step="superstep", options=(*job.options, "--max-superstep", str(most)), parameter=str(most))
        for most in LIMITS
    ]


def measure(limit: float) -> list[Row]:
    """Every limit for the checks of the other table, as its CSV file lists them, and for the large programs."""
    listed = record.load(record.DOCS / "figures" / f"{programs.NAME}.csv")
    chosen = {(row.program, row.variant) for row in listed}
    wanted = [job for job in programs.jobs() if (job.program, job.variant) in chosen]
    large = [replace(job, program=name, variant="") for name, job in LARGE.items()]
    rows = [search(job, limit) for one in wanted for job in with_limits(one)]
    return rows + [row for one in large for row in side_by_side(with_limits(one), limit)]


def totals(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """For all examples together, and for each large program, a row for every limit."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row.program if row.program in LARGE else "examples", []).append(row)
    return {name: [_sum(group, str(most)) for most in LIMITS] for name, group in groups.items()}


def _sum(group: Sequence[Row], most: str) -> Row:
    kept = [row for row in group if row.parameter == most]
    return replace(
        next((row for row in kept if not row.finished), kept[0]),
        states=sum(row.states for row in kept),
        transitions=sum(row.transitions for row in kept),
        instructions=sum(row.instructions for row in kept),
        seconds=sum(row.seconds for row in kept),
    )


def tables(rows: Sequence[Row]) -> dict[str, list[str]]:
    """States, instructions and seconds for every limit."""
    body = [
        [name, row.parameter, record.count(row), f"{row.instructions:,}", record.time(row)]
        for name, group in totals(rows).items()
        for row in group
    ]
    heads = ["Programs", "Limit", "States", "Instructions", "Seconds"]
    return {NAME: [*record.table(heads, body), *record.text(chosen(rows))]}


def chosen(rows: Sequence[Row]) -> str:
    """What the default is, and what it costs beside the largest limit."""
    said = first_match(r"ends after N instructions \(default (\d+)\)", help_text())
    parts = []
    for name, group in totals(rows).items():
        used = next((row for row in group if row.parameter == said), None)
        if used is not None:
            parts.append(f"{record.factor(used.states / group[-1].states)} ({name})")
    told = f"The default is {said}."
    return f"{told} It stores this many times the states of {LIMITS[-1]:,}: {', '.join(parts)}." if parts else told


def help_text() -> str:
    """What `pancam check --help` says, as one line."""
    command = [sys.executable, "-m", "pancam.cli", "check", "--help"]
    return " ".join(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())


def first_match(pattern: str, text: str) -> str:
    """What the group of the pattern matches."""
    match = re.search(pattern, text)
    return match.group(1) if match else "unknown"


def draw(rows: Sequence[Row], folder: Path) -> None:
    """States and seconds, relative to the largest limit."""
    figure, axes = plots.panels(["states", "instructions", "seconds"])
    for kind, (name, group) in enumerate(totals(rows).items()):
        places = [int(row.parameter) for row in group]
        for axis, column in zip(axes, ("states", "instructions", "seconds"), strict=True):
            values = [getattr(row, column) / getattr(group[-1], column) for row in group]
            axis.plot(places, values, plots.LINES[kind], marker=plots.MARKS[kind], markersize=4, label=name)
            axis.set_xscale("log")
            axis.set_yscale("log")
            axis.set_xlabel("--max-superstep")
    axes[0].set_ylabel(f"times as much as with {LIMITS[-1]:,}")
    plots.legend_outside(figure, axes[0])
    plots.write(figure, folder, NAME)
