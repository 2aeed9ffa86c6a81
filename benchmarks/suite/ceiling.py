# SPDX-License-Identifier: Apache-2.0
"""The ceiling: the same driver, flags and store with a step that only bumps counters (benchmarks/ceiling)."""

import sys
from dataclasses import dataclass
from pathlib import Path

from experiments.search import Job
from suite.measure import Run, measure

from pancam.resources import promela_templates

FOLDER = Path(__file__).resolve().parents[1] / "ceiling"
DRIVER = promela_templates() / "safety.pml"
CHECK = (str(FOLDER / "check.py"),)
WITH_STORE, WITHOUT_STORE = "ceiling", "SPIN alone"


@dataclass(frozen=True)
class Counters:
    """So many threads, each with a counter that goes up to `top`."""

    threads: int = 4
    top: int = 31

    @property
    def states(self) -> int:
        """All combinations."""
        return int((self.top + 1) ** self.threads)

    def job(self, name: str) -> Job:
        """The search, with the tree store or with none."""
        sizes = {"THREADS": self.threads, "TOP": self.top}
        options = [f"-D{macro}={value}" for macro, value in sizes.items()]
        if name == WITHOUT_STORE:
            options += ["--cc-flags", " ".join(f"-DALONE_{macro}={value}" for macro, value in sizes.items())]
            options += ["--driver", str(DRIVER)]  # named, it gets SPIN's own table of states
        size = " ".join(f"{macro}={value}" for macro, value in sizes.items())
        return Job(name, ("counters.c",), FOLDER, options=tuple(options), parameter=size)


def search(counters: Counters, name: str = WITH_STORE) -> Run:
    """Search once; a wrong number of states means that the stand-in no longer decides what a step is."""
    run = measure(counters.job(name), command=CHECK)
    expected = "bounded" if name == WITHOUT_STORE else "holds"  # a named driver is a bound of the user's
    if (run.verdict, run.states) != (expected, counters.states):
        sys.exit(f"the {name} does not count: {run.verdict}, {run.states:,} states instead of {counters.states:,}")
    return run
