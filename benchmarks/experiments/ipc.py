# SPDX-License-Identifier: Apache-2.0
"""The module for communication in examples/ipc: states against the size of its queues, and its planted bugs."""

import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments import plots, record
from experiments.search import EXAMPLES, STEPS, Job, Row, side_by_side, until_too_large

NAME = "ipc"
BUGS = "ipc bugs"
FOLDER = EXAMPLES / "ipc"
BUG_OPTION = "-DIPC_BUG_"


@dataclass(frozen=True)
class Traffic:
    """Larger and larger queues, and how many messages each sender sends through them."""

    program: str
    variant: str
    messages: Callable[[int], int]
    most: int


TRAFFIC = (
    Traffic("one_sender", "4 messages", lambda _: 4, 4),
    Traffic("one_sender", "2 q + 1 messages", lambda size: 2 * size + 1, 5),
    Traffic("two_senders", "2 messages each", lambda _: 2, 4),
    Traffic("two_senders", "q messages each", lambda size: size, 3),
)


def checks() -> list[dict[str, Any]]:
    """What the example itself lists."""
    listed: list[dict[str, Any]] = tomllib.loads((FOLDER / "checks.toml").read_text())["check"]
    return listed


def files_of(program: str) -> tuple[str, ...]:
    """The files that a program of the example is linked from."""
    return next(tuple(check["files"]) for check in checks() if check["files"][0] == f"{program}.c")


def job(traffic: Traffic, size: int, step: str) -> Job:
    """The search for one size; lanes and pool are as large as the queues need them."""
    sizes = {
        "QUEUE_SIZE": size,
        "MESSAGES": traffic.messages(size),
        "IPC_LANE_CAPACITY": size,
        "IPC_POOL_BLOCKS": 2 * size + 2,
    }
    options = tuple(f"-D{name}={value}" for name, value in sizes.items())
    return Job(traffic.program, files_of(traffic.program), FOLDER, step, options, traffic.variant, str(size))


def measure(limit: float) -> list[Row]:
    """Every size with supersteps, and with `global` as far as it gets."""
    rows = []
    for traffic in TRAFFIC:
        for step in STEPS:
            rows += until_too_large((job(traffic, size, step) for size in range(1, traffic.most + 1)), limit)
    for check in checks():
        bug = next((word.removeprefix(BUG_OPTION) for word in check["options"] if word.startswith(BUG_OPTION)), None)
        if bug is not None:
            program = check["files"][0].removesuffix(".c")
            options = tuple(check["options"])
            found = [Job(program, tuple(check["files"]), FOLDER, step, options, BUGS, bug) for step in STEPS]
            rows += side_by_side(found, limit)
    return rows


def tables(rows: Sequence[Row]) -> dict[str, list[str]]:
    """One for the sizes, one for the bugs."""
    found = {(row.program, row.variant, row.parameter, row.step): row for row in rows}
    sizes, bugs = [], []
    for program, variant, parameter in dict.fromkeys(key[:3] for key in found):
        fine, coarse = (found.get((program, variant, parameter, step)) for step in STEPS)
        numbers = [record.count(fine), record.count(coarse), record.time(fine), record.time(coarse)]
        if variant == BUGS and coarse is not None:
            bugs.append([parameter.lower().replace("_", " "), f"`{program}.c`", coarse.found, *numbers])
        else:
            sizes.append([f"`{program}.c`", variant, parameter, *(cell or "not tried" for cell in numbers)])
    heads = ["States, global", "States, superstep", "Seconds, global", "Seconds, superstep"]
    return {
        NAME: record.table(["Program", "Traffic", "Queue size q", *heads], sizes, left=2),
        BUGS: record.table(["Bug", "Program", "Found as", *heads], bugs, left=3),
    }


def draw(rows: Sequence[Row], folder: Path) -> None:
    """A panel for each program."""
    programs = list(dict.fromkeys(traffic.program for traffic in TRAFFIC))
    figure, axes = plots.panels([f"{program}.c" for program in programs])
    for axis, program in zip(axes, programs, strict=True):
        variants = [traffic.variant for traffic in TRAFFIC if traffic.program == program]
        for kind, variant in enumerate(variants):
            for step in STEPS:
                points = [
                    (float(row.parameter), row)
                    for row in rows
                    if (row.program, row.variant, row.step) == (program, variant, step)
                ]
                plots.line(axis, points, f"{step}: {variant}", colour=plots.COLOURS[step], kind=kind)
        axis.set_yscale("log")
        axis.set_xticks(range(1, max(traffic.most for traffic in TRAFFIC if traffic.program == program) + 1))
        axis.set_xlabel("queue size q")
        axis.legend(loc="upper center", bbox_to_anchor=(0.5, -0.18), fontsize=8)
    axes[0].set_ylabel("states")
    plots.write(figure, folder, NAME)
