# SPDX-License-Identifier: Apache-2.0
"""Two robots on a board: states against its size, for steps of two sizes."""

from collections.abc import Sequence
from pathlib import Path

from experiments import plots, record
from experiments.search import EXAMPLES, STEPS, Job, Row, side_by_side, until_too_large

NAME = "robots"
SIZES = (4, 8, 12, 16, 20, 24, 32, 40, 48, 56, 64)


def job(size: int, step: str) -> Job:
    """The search for one board."""
    return Job("robots", ("robots.c",), EXAMPLES / "robots", step, (f"-DN={size}",), "", str(size))


def measure(limit: float) -> list[Row]:
    """Both side by side up to the size where `global` does not finish; beyond, supersteps alone."""
    rows: list[Row] = []
    sizes = list(SIZES)
    while sizes and all(row.finished for row in rows):
        size = sizes.pop(0)
        rows += side_by_side([job(size, step) for step in STEPS], limit)
    return rows + until_too_large((job(size, "superstep") for size in sizes), limit)


def tables(rows: Sequence[Row]) -> dict[str, list[str]]:
    """Both sides and the factors between them."""
    found = {(row.parameter, row.step): row for row in rows}
    body = []
    for size in dict.fromkeys(row.parameter for row in rows):
        coarse, fine = found[size, "superstep"], found.get((size, "global"))
        cells = [size, record.count(fine), record.count(coarse), "", record.time(fine), record.time(coarse), ""]
        if fine is not None:
            more = "" if fine.finished else "more than "
            cells[3] = more + record.factor(fine.states / coarse.states)
            cells[6] = more + record.factor(fine.seconds / coarse.seconds)
        body.append(cells)
    heads = ["N", "States, global", "States, superstep", "Factor", "Seconds, global", "Seconds, superstep", "Factor"]
    return {NAME: [*record.table(heads, body, left=0), *record.text(growth(rows))]}


def growth(rows: Sequence[Row]) -> str:
    """Whether the factor of states grows with the board, as far as both searches finish."""
    found = {(row.parameter, row.step): row.states for row in rows if row.finished}
    sizes = [size for size, step in found if step == "global" and (size, "superstep") in found]
    factors = [found[size, "global"] / found[size, "superstep"] for size in sizes]
    falls = [size for size, before, after in zip(sizes[1:], factors, factors[1:], strict=False) if after <= before]
    told = f"The factor of states goes from {record.factor(factors[0])} at N = {sizes[0]} to "
    told += f"{record.factor(factors[-1])} at N = {sizes[-1]}"
    return f"{told}, but falls at N = {', '.join(falls)}." if falls else f"{told}, and grows with every N."


def draw(rows: Sequence[Row], folder: Path) -> None:
    """States and seconds."""
    figure, axes = plots.panels(["robots on a board of N x N squares"])
    for kind, step in enumerate(STEPS):
        points = [(float(row.parameter), row) for row in rows if row.step == step]
        plots.line(axes[0], points, step, colour=plots.COLOURS[step], kind=kind)
    axes[0].set_yscale("log")
    axes[0].set_xlabel("N")
    axes[0].set_ylabel("states")
    axes[0].set_xticks(sorted({int(row.parameter) for row in rows}))
    plots.legend_outside(figure, axes[0])
    plots.write(figure, folder, NAME)
