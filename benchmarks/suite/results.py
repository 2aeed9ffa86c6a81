# SPDX-License-Identifier: Apache-2.0
"""What a run of the suite found: one JSON file with the machine, the versions and all numbers."""

import json
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

from experiments.search import geometric_mean
from suite.measure import Run

VERSION = 1
MANY_STATES = 1_000_000


@dataclass(frozen=True)
class Foreign:
    """Another tool on one of the programs."""

    tool: str
    program: str
    size: str
    verdict: str  # holds, violated, gave up
    seconds: float  # of processor
    ratio: float  # to pancam's


@dataclass
class Results:
    """Everything of one run."""

    machine: dict[str, str]
    quick: bool
    empty: int = 0  # bytes of a verifier whose program does nothing
    ceilings: list[Run] = field(default_factory=list)
    alone: Run | None = None
    programs: list[Run] = field(default_factory=list)
    beside: list[float] = field(default_factory=list)  # transitions/s of the ceiling that was measured beside each
    memory: list[Run] = field(default_factory=list)
    cores: list[Run] = field(default_factory=list)
    foreign: list[Foreign] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)  # tools that are not there
    checks: list[dict[str, float]] = field(default_factory=list)  # phases of small checks
    vm: dict[str, Any] = field(default_factory=dict)

    @property
    def many(self) -> list[tuple[Run, float]]:
        """Runs of at least a million states that came to their end, with the ceiling beside them."""
        pairs = zip(self.programs, self.beside, strict=True)
        return [(run, beside) for run, beside in pairs if run.states >= MANY_STATES and run.verdict == "holds"]

    def mean_ratio(self) -> float | None:
        """Geometric mean of transitions/s as parts of the ceiling's."""
        return _mean([run.transitions_per_second / beside for run, beside in self.many])

    def mean_bytes(self) -> float | None:
        """Geometric mean of the bytes that a state takes."""
        return _mean([run.bytes_per_state(self.empty) for run, _ in self.many])

    def slowest(self) -> Run | None:
        """The one that stores the fewest states in a second."""
        return min((run for run, _ in self.many), key=lambda run: run.states_per_second, default=None)

    def memory_ratios(self) -> list[float]:
        """What a transition costs with 1 MiB, as parts of what it costs with 1 KiB: globals, heap."""
        rates = [run.transitions_per_second for run in self.memory]
        return [little / much for little, much in zip(rates[::2], rates[1::2], strict=True)]

    def speed_ups(self) -> list[tuple[Run, float]]:
        """Two cores beside one: transitions/s by the wall."""
        ones, twos = self.cores[::2], self.cores[1::2]
        return [
            (two, two.transitions / two.seconds / (one.transitions / one.seconds))
            for one, two in zip(ones, twos, strict=True)
        ]


def _mean(values: Sequence[float]) -> float | None:
    return geometric_mean(values) if values else None


def save(results: Results, path: Path) -> None:
    """Write the file."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"version": VERSION, **asdict(results)}, indent=2) + "\n")


def load(path: Path) -> Results:
    """Read the file again; what is no such file ends the program with one line."""
    try:
        value = json.loads(path.read_text())
        if value.pop("version") != VERSION:
            sys.exit(f"{path}: written by another version of the benchmarks")
        for name in ("ceilings", "programs", "memory", "cores"):
            value[name] = [Run(**row) for row in value[name]]
        value["alone"] = None if value["alone"] is None else Run(**value["alone"])
        value["foreign"] = [Foreign(**row) for row in value["foreign"]]
        return Results(**value)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as problem:
        sys.exit(f"{path}: not the results of a benchmark: {problem}")


def machine() -> dict[str, str]:
    """What the numbers depend on."""
    processor = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    tools = {"spin": "-V", "clang": "--version", "gcc": "--version", "lli": "--version"}
    root = Path(__file__).resolve().parents[2]
    described = _first_line(["git", "-C", str(root), "describe", "--always", "--dirty"])
    return {
        "processor": processor.group(1) if processor else platform.machine(),
        "cores": str(os.cpu_count()),
        "system": platform.platform(),
        "python": platform.python_version(),
        **{tool: _first_line([tool, flag]) for tool, flag in tools.items() if shutil.which(tool)},
        "llvmlite": metadata.version("llvmlite"),
        "pancam": metadata.version("pancam") + (f" ({described})" if described else ""),
    }


def _first_line(command: Sequence[str]) -> str:
    """The line in which a tool tells its version."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    lines = [line.strip() for line in (done.stdout + done.stderr).splitlines() if line.strip()]
    if done.returncode != 0 or not lines:
        return ""
    return next((line for line in lines if "version" in line.lower()), lines[0])
