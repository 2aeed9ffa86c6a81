# SPDX-License-Identifier: Apache-2.0
"""Draws how states grow with the size of a program, and what a transition costs as searches become longer."""

from pathlib import Path
from typing import Any

from experiments import plots
from suite.results import Results

NAME = "growth"
COLOURS = ("#1c62a8", "#c04a1c", "#2f8a3c", "#8a3c8a", "#707070", "#b8860b")


def draw(results: Results, folder: Path) -> None:
    """States against the size; microseconds of a transition against the number of states."""
    figure, axes = plots.panels(["states for each size", "microseconds for a transition"], shared=False, height=4.4)
    for number, program in enumerate(dict.fromkeys(run.program for run in results.programs)):
        runs = [run for run in results.programs if run.program == program]
        style: dict[str, Any] = {
            "color": COLOURS[number % len(COLOURS)],
            "marker": plots.MARKS[number // len(COLOURS)],
            "linestyle": plots.LINES[number // len(COLOURS)],
            "markersize": 4,
            "linewidth": 1.1,
        }
        axes[0].plot(range(1, len(runs) + 1), [run.states for run in runs], label=program, **style)
        costly = [run for run in runs if run.processor > 0]
        costs = [1e6 / run.transitions_per_second for run in costly]
        axes[1].plot([run.states for run in costly], costs, **style)
    axes[0].set_xlabel("sizes of the program, from small to large")
    axes[0].set_xticks(range(1, 6))
    axes[1].set_xlabel("states")
    axes[1].set_xscale("log")
    for axis in axes:
        axis.set_yscale("log")
    plots.legend_outside(figure, axes[0])
    plots.write(figure, folder, NAME)
