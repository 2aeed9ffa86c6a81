# SPDX-License-Identifier: Apache-2.0
"""Peterson's algorithm: states against the context bound, with and without an abstraction, for steps of two sizes."""

from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

from experiments import plots, record
from experiments.search import EXAMPLES, STEPS, Job, Row, search

NAME = "peterson"
FOLDER = EXAMPLES / "peterson"
BOUNDS = ("0", "1", "2", "3", "4", "5", "6", "7", "8")
UNBOUNDED = "none"
THREADS = {
    "published": ("--thread", "p0", "--thread", "p1"),
    "fixed": ("--thread", "worker:0", "--thread", "worker:1"),
}
WHOLE, PROTOCOL, CONTROL, UNMATCHED, FIRST = (
    "whole state",
    "flags and turn",
    "flags, turn and control",
    "whole state, counter unmatched",
    "whole state, to the first violation",
)
ABSTRACTION = ("--abstraction", "keep_protocol")
ALL = ("--all-errors", "0")  # so that searches that find something go to the end, too, and can be compared
VARIANTS = {
    WHOLE: ALL,
    PROTOCOL: (*ALL, *ABSTRACTION),
    CONTROL: (*ALL, *ABSTRACTION, "--abs-keep-control"),
    UNMATCHED: (*ALL, "--cb-unmatched"),
    FIRST: (),
}


def jobs() -> Iterator[Job]:
    """All searches."""
    for program, threads in THREADS.items():
        for variant, options in VARIANTS.items():
            if variant == FIRST and program == "fixed":
                continue
            for step in STEPS:
                for bound in BOUNDS if variant == UNMATCHED else (*BOUNDS, UNBOUNDED):
                    bounded = () if bound == UNBOUNDED else ("--cb", bound)
                    yield Job(
                        program, (f"{program}.c",), FOLDER, step, ("-O2", *threads, *options, *bounded), variant, bound
                    )


def measure(limit: float) -> list[Row]:
    """Search with every bound."""
    return [search(job, limit) for job in jobs()]


def chosen(rows: Sequence[Row], program: str, variant: str, step: str) -> list[Row]:
    """The searches of one line."""
    return [row for row in rows if (row.program, row.variant, row.step) == (program, variant, step)]


def tables(rows: Sequence[Row]) -> dict[str, list[str]]:
    """A table of states for each program; those of searches that found the violation are bold."""
    made = {}
    for program in THREADS:
        body = []
        for variant, step in product(VARIANTS, STEPS):
            cells = {row.parameter: row for row in chosen(rows, program, variant, step)}
            counts = [record.count(cells.get(bound)) for bound in (*BOUNDS, UNBOUNDED)]
            bold = [bound in cells and cells[bound].found != "" for bound in (*BOUNDS, UNBOUNDED)]
            if cells:
                marked = (f"**{cell}**" if is_bold else cell for cell, is_bold in zip(counts, bold, strict=True))
                body.append([variant, step, *marked])
        made[f"peterson {program}"] = record.table(["Matched", "Steps", *BOUNDS, "no bound"], body, left=2)
    return made


def draw(rows: Sequence[Row], folder: Path) -> None:
    """A panel for each program. A search without bound stands apart: it is no further point of the line."""
    figure, axes = plots.panels([f"{program}, -O2" for program in THREADS], height=4.2)
    places = {bound: float(bound) for bound in BOUNDS} | {UNBOUNDED: len(BOUNDS) + 0.5}
    for axis, program in zip(axes, THREADS, strict=True):
        for (kind, variant), step in product(enumerate((WHOLE, PROTOCOL, CONTROL, UNMATCHED)), STEPS):
            points = [(places[row.parameter], row) for row in chosen(rows, program, variant, step)]
            bounded = [point for point in points if point[1].parameter != UNBOUNDED]
            alone = [point for point in points if point[1].parameter == UNBOUNDED]
            plots.line(axis, bounded, f"{step}: {variant}", colour=plots.COLOURS[step], kind=kind)
            plots.line(axis, alone, "", colour=plots.COLOURS[step], kind=kind)
        axis.set_yscale("log")
        axis.set_xticks(list(places.values()), labels=list(places))
        axis.set_xlabel("context bound (--cb)")
    axes[0].set_ylabel("states")
    plots.legend_outside(figure, axes[0])
    plots.write(figure, folder, NAME)
