# SPDX-License-Identifier: Apache-2.0
"""How all figures look. The same rows give the same SVG file, byte by byte."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
from experiments.search import Row
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

COLOURS = {"global": "#c04a1c", "superstep": "#1c62a8", "instruction": "#707070"}
LINES = ("-", "--", ":", "-.")
MARKS = ("o", "s", "^", "D")
WIDTH, HEIGHT = 8.6, 3.8

mpl.use("agg")
mpl.rcParams.update(
    {
        "svg.hashsalt": "pancam",
        "svg.fonttype": "none",  # text stays text: small files
        "font.size": 9,
        "axes.grid": True,
        "grid.color": "#dddddd",
        "axes.spines.top": False,
        "axes.spines.right": False,
        "legend.frameon": False,
    }
)


def panels(titles: Sequence[str], *, height: float = HEIGHT, shared: bool = True) -> tuple[Figure, list[Axes]]:
    """A figure with a panel for each title, side by side, with one scale for what is counted unless told otherwise."""
    figure, axes = plt.subplots(
        1, len(titles), figsize=(WIDTH, height), sharey=shared, squeeze=False, layout="constrained"
    )
    for axis, title in zip(axes[0], titles, strict=True):
        axis.set_title(title, fontsize=9)
    return figure, list(axes[0])


def line(axis: Axes, points: Iterable[tuple[float, Row]], label: str, *, colour: str, kind: int) -> None:
    """States against something; without a label, marks alone.

    A search that did not finish gets an open mark with an arrow: there are more.
    """
    shown = sorted(points, key=lambda point: point[0])
    style: dict[str, Any] = {"color": colour, "marker": MARKS[kind], "markersize": 4.5}
    places, states = [place for place, _ in shown], [row.states for _, row in shown]
    axis.plot(places, states, LINES[kind] if label else "none", label=label or None, linewidth=1.2, **style)
    for place, row in shown:
        if not row.finished:
            above = row.states * 2.2
            axis.plot([place], [row.states], markerfacecolor="white", linestyle="none", **style)
            axis.plot([place], [above], marker="none", linestyle="none")  # makes room for the arrow
            axis.annotate("", (place, above), (place, row.states), arrowprops={"arrowstyle": "->", "color": colour})


def legend_outside(figure: Figure, axis: Axes) -> None:
    """One legend for all panels, beside them."""
    handles, labels = axis.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right upper", fontsize=8)


def write(figure: Figure, folder: Path, name: str) -> None:
    """Write SVG and PNG without anything that changes from run to run."""
    figure.savefig(folder / f"{name}.svg", metadata={"Date": None, "Creator": None})
    figure.savefig(folder / f"{name}.png", dpi=130, metadata={"Software": None})
    plt.close(figure)
