# SPDX-License-Identifier: Apache-2.0
"""Runs `pancam check` and looks at its verifier from outside: processor time and peak memory.

On one core, rates are by processor time, so that other work on the computer disturbs them little; on several, by the
clock on the wall.
"""

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from experiments.search import WRONG_USAGE, Job, command_of

LIMIT = 120.0
LOOK_SECONDS = 0.005
PANCAM = ("-m", "pancam.cli", "check")
_TICK = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Run:
    """One search and what it cost."""

    program: str
    size: str
    verdict: str
    states: int
    transitions: int
    seconds: float  # of the verifier, on the wall
    processor: float  # seconds of the verifier's processes
    memory: int  # bytes, the most that the verifier had resident
    cores: int = 1

    @property
    def name(self) -> str:
        """How tables call it."""
        return f"{self.program} {self.size}".strip()

    @property
    def busy_seconds(self) -> float:
        """What rates are taken over."""
        return max(self.processor if self.cores == 1 else self.seconds, 1 / _TICK)

    @property
    def transitions_per_second(self) -> float:
        """The speed of a search."""
        return self.transitions / self.busy_seconds

    @property
    def states_per_second(self) -> float:
        """The speed at which states are stored."""
        return self.states / self.busy_seconds

    def bytes_per_state(self, empty: int) -> float:
        """Memory beyond what a program without states takes."""
        return max(self.memory - empty, 0) / max(self.states, 1)


@dataclass
class Observer:
    """Looks again and again at the verifier below a process: a thread's work."""

    process: int
    processor: dict[int, float] = field(default_factory=dict)  # by process
    memory: dict[int, int] = field(default_factory=dict)
    ended: threading.Event = field(default_factory=threading.Event)

    def watch(self) -> None:
        """Until told to end."""
        while not self.ended.wait(LOOK_SECONDS):
            for verifier in children(self.process):
                with contextlib.suppress(OSError, ValueError, IndexError):
                    if Path(f"/proc/{verifier}/comm").read_text().startswith("verifier"):
                        for process in (verifier, *children(verifier)):
                            self.look(process)

    def look(self, process: int) -> None:
        """Note what one process has used so far."""
        times = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11:13]
        self.processor[process] = sum(int(ticks) for ticks in times) / _TICK
        for line in Path(f"/proc/{process}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                self.memory[process] = int(line.split()[1]) << 10


def children(process: int) -> list[int]:
    """Processes that a process has started and that have not ended."""
    with contextlib.suppress(OSError):
        found = (path.read_text() for path in Path(f"/proc/{process}/task").glob("*/children"))
        return [int(number) for text in found for number in text.split()]
    return []


def measure(job: Job, *, command: Sequence[str] = PANCAM, cores: int = 1, limit: float = LIMIT) -> Run:
    """Search once."""
    words = command_of(job, limit)[1:]
    if cores > 1:
        words += ["--cores", str(cores)]
    process = subprocess.Popen(
        [sys.executable, *command, *words], cwd=job.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    observer = Observer(process.pid)
    thread = threading.Thread(target=observer.watch)
    thread.start()
    try:
        output, errors = process.communicate()
    finally:
        observer.ended.set()
        thread.join()
    if process.returncode == WRONG_USAGE or not output:
        sys.exit(f"{' '.join([*command, *words])}\nfailed in {job.folder}:\n{errors}")
    run = run_of(job, json.loads(output), observer, cores)
    if run.verdict == "violated":
        sys.exit(f"{run.name} is violated: the search was not exhaustive, and its numbers mean nothing")
    told = f"{run.states:,} states, {run.seconds:.2f} s, {run.processor:.2f} s of processor"
    print(f"  {time.strftime('%H:%M:%S')} {run.name}: {run.verdict}, {told}", flush=True)
    return run


def run_of(job: Job, answer: dict[str, object], observer: Observer, cores: int) -> Run:
    """What a check said and the observer saw."""
    numbers = answer["statistics"]
    assert isinstance(numbers, dict)
    seen = observer.memory.values()
    return Run(
        job.program,
        job.parameter,
        str(answer["verdict"]),
        numbers["states"],
        # SPIN alone knows of moves that pass by the machine (benchmarks/ceiling/spin_alone.h).
        numbers["transitions"] or numbers["states"] + numbers["states_matched"] - 1,
        numbers["seconds"],
        sum(observer.processor.values()),
        max(seen, default=0) if cores == 1 and seen else numbers["memory"],
        cores,
    )
