# SPDX-License-Identifier: Apache-2.0
"""Runs `pancam check` for the experiments, as a user would, and returns what `--json` says as rows of a table."""

import json
import statistics
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
MEMORY = "6G"
REPEATS = 3
SHORT = 5.0  # seconds: searches that take less are repeated
WRONG_USAGE = 2
STEPS = ("global", "superstep")


@dataclass(frozen=True)
class Job:
    """One search: what is searched, and how its row is called."""

    program: str
    files: tuple[str, ...]
    folder: Path
    step: str = "superstep"
    options: tuple[str, ...] = ()
    variant: str = ""
    parameter: str = ""


@dataclass(frozen=True)
class Row:
    """What a search did; a row of a CSV file."""

    program: str
    variant: str
    parameter: str
    step: str
    verdict: str
    found: str
    states: int
    transitions: int
    instructions: int
    seconds: float

    @property
    def finished(self) -> bool:
        """Whether the search came to its end within the limits."""
        return self.verdict != "unknown"


def command_of(job: Job, limit: float) -> list[str]:
    """The command line of a search, without Python."""
    limits = ["--time", f"{limit:g}", "--memory", MEMORY]
    return ["check", *job.files, *job.options, "--step", job.step, *limits, "--json"]


def search(job: Job, limit: float) -> Row:
    """Search once."""
    command = [sys.executable, "-m", "pancam.cli", *command_of(job, limit)]
    result = subprocess.run(
        command, cwd=job.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    if result.returncode == WRONG_USAGE or not result.stdout:
        sys.exit(f"{' '.join(command)}\nfailed in {job.folder}:\n{result.stderr}")
    answer = json.loads(result.stdout)
    numbers = answer["statistics"]
    kinds = dict.fromkeys(row["violation"]["kind"] for row in answer["violations"])
    row = Row(
        program=job.program,
        variant=job.variant,
        parameter=job.parameter,
        step=job.step,
        verdict=answer["verdict"],
        found=" ".join(kinds),
        states=numbers["states"],
        transitions=numbers["transitions"],
        instructions=numbers["instructions"],
        seconds=numbers["seconds"],
    )
    name = " ".join(word for word in (row.program, row.variant, row.parameter, row.step) if word)
    print(f"  {name}: {row.verdict}, {row.states:,} states, {row.seconds:.2f} s", flush=True)
    return row


def side_by_side(jobs: Sequence[Job], limit: float, repeats: int = REPEATS) -> list[Row]:
    """Search each in turn; short searches again and again, in the same order, for the medians of their times."""
    rounds = [[search(job, limit) for job in jobs]]
    if all(row.finished and row.seconds < SHORT for row in rounds[0]):
        rounds += [[search(job, limit) for job in jobs] for _ in range(repeats - 1)]
    return [
        replace(rows[0], seconds=statistics.median(row.seconds for row in rows)) for rows in zip(*rounds, strict=True)
    ]


def until_too_large(jobs: Iterable[Job], limit: float) -> list[Row]:
    """Search larger and larger programs, up to the first that does not finish in the limit."""
    rows = []
    for job in jobs:
        rows.append(search(job, limit))
        if not rows[-1].finished:
            break
    return rows


def geometric_mean(values: Iterable[float]) -> float:
    """The mean of factors."""
    return statistics.geometric_mean(values)
