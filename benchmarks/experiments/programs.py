# SPDX-License-Identifier: Apache-2.0
"""All examples that hold and have more than a handful of states: `global` and supersteps side by side."""

import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from experiments import plots, record
from experiments.search import EXAMPLES, STEPS, Job, Row, geometric_mean, search, side_by_side

NAME = "examples"
LEAST_STATES = 1000
START = "start"
REPEATS = 5  # they are so short that their times vary much


def jobs() -> Iterator[Job]:
    """Every check of an example that says `holds`, with steps of granularity `global`."""
    for folder in ("correct", "wrong"):
        for path in sorted((EXAMPLES / folder).glob("*.toml")):
            for check in tomllib.loads(path.read_text())["check"]:
                if check["verdict"] == "holds":
                    options = tuple(check["options"])
                    files = tuple(check.get("files", [f"{path.stem}.c"]))
                    yield Job(f"{folder}/{path.stem}", files, path.parent, "global", options, " ".join(options))


def measure(limit: float) -> list[Row]:
    """Those with enough states, and a program that does nothing, which shows what starting a search takes."""
    with tempfile.TemporaryDirectory(prefix="pancam-") as name:
        (Path(name) / "start.c").write_text("int main(void) { return 0; }\n")
        start = Job(START, ("start.c",), Path(name))
        rows = side_by_side([replace(start, step=step) for step in STEPS], limit, REPEATS)
    for job in jobs():
        if search(job, limit).states > LEAST_STATES:
            rows += side_by_side([replace(job, step=step) for step in STEPS], limit, REPEATS)
    return rows


def pairs(rows: Sequence[Row]) -> list[tuple[Row, Row]]:
    """The two searches of each check."""
    kept = [row for row in rows if row.program != START]
    return list(zip(kept[::2], kept[1::2], strict=True))


def tables(rows: Sequence[Row]) -> dict[str, list[str]]:
    """Both sides, the factors, and their geometric means."""
    body = []
    states, seconds = [], []
    for fine, coarse in pairs(rows):
        states.append(fine.states / coarse.states)
        seconds.append(fine.seconds / coarse.seconds)
        counts = [record.count(fine), record.count(coarse), record.factor(states[-1])]
        times = [record.time(fine), record.time(coarse), record.factor(seconds[-1])]
        body.append([f"{fine.program} {fine.variant}".strip(), *counts, *times])
    means = [record.factor(geometric_mean(values)) for values in (states, seconds)]
    body.append(["geometric mean", "", "", f"**{means[0]}**", "", "", f"**{means[1]}**"])
    heads = [
        "Check",
        "States, global",
        "States, superstep",
        "Factor",
        "Seconds, global",
        "Seconds, superstep",
        "Factor",
    ]
    start = min(row.seconds for row in rows if row.program == START)
    told = (
        f"In the geometric mean of these {len(states)} checks, `global` stores {means[0]} times as many states as "
        f"`superstep` and takes {means[1]} times as long. A program that does nothing takes {start:.3f} s: so much of "
        f"every time is only the start of the search. Each time is the median of {REPEATS}, measured in turns."
    )
    return {NAME: [*record.table(heads, body), *record.text(told)]}


def draw(rows: Sequence[Row], folder: Path) -> None:
    """A pair of points for each check."""
    found = pairs(rows)
    figure, axes = plots.panels(["examples with more than 1,000 states"], height=0.22 * len(found) + 1.2)
    for kind, step in enumerate(STEPS):
        points = [pair[kind].states for pair in found]
        axes[0].plot(points, range(len(found)), plots.MARKS[kind], color=plots.COLOURS[step], label=step, markersize=5)
    for place, (fine, coarse) in enumerate(found):
        axes[0].plot([coarse.states, fine.states], [place, place], color="#bbbbbb", linewidth=1, zorder=0)
    names = [f"{fine.program.partition('/')[2]} {fine.variant}".strip() for fine, _ in found]
    axes[0].set_yticks(range(len(found)), labels=names)
    axes[0].invert_yaxis()
    axes[0].set_xscale("log")
    axes[0].set_xlabel("states")
    plots.legend_outside(figure, axes[0])
    plots.write(figure, folder, NAME)
