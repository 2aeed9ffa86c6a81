# SPDX-License-Identifier: Apache-2.0
"""The programs of the suite and their sizes. None has a violation, so every search is exhaustive."""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from experiments.search import EXAMPLES, Job

FOLDER = Path(__file__).resolve().parents[1] / "concurrent"
KIB, MIB = 1 << 10, 1 << 20


@dataclass(frozen=True)
class Program:
    """A program with the sizes that it is searched with, from small to large.

    A size is a list of macros; what grows is the last one. The small sizes are those of a quick run.
    """

    name: str
    small: tuple[str, ...]
    large: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    folder: Path = FOLDER

    def job(self, size: str, *options: str) -> Job:
        """The search for one size."""
        macros = tuple(f"-D{macro}" for macro in size.split())
        return Job(
            self.name, self.files or (f"{self.name}.c",), self.folder, options=(*macros, *options), parameter=size
        )

    def jobs(self, *, quick: bool) -> Iterator[Job]:
        """The searches of a run."""
        for size in self.small if quick else (*self.small, *self.large):
            yield self.job(size)


def ipc_files() -> tuple[str, ...]:
    """The files that examples/ipc/one_sender.c is linked from."""
    checks = tomllib.loads((EXAMPLES / "ipc" / "checks.toml").read_text())["check"]
    return next(tuple(check["files"]) for check in checks if check["files"][0] == "one_sender.c")


def _sizes(text: str, *values: int) -> tuple[str, ...]:
    return tuple(f"{text}={value}" for value in values)


IPC = "QUEUE_SIZE=4 IPC_LANE_CAPACITY=4 IPC_POOL_BLOCKS=10 MESSAGES"

PROGRAMS = (
    Program("peterson", _sizes("THREADS=3 ROUNDS", 1, 2, 4), _sizes("THREADS=3 ROUNDS", 8)),
    Program("philosophers", _sizes("ROUNDS=2 THREADS", 3, 4, 5), ("ROUNDS=2 THREADS=6", "ROUNDS=4 THREADS=5")),
    Program("readers_writers", _sizes("READERS=3 WRITERS=2 ROUNDS", 1, 2), ("ROUNDS=2 WRITERS=2 READERS=4",)),
    Program("robots", _sizes("N", 4, 8, 16), _sizes("N", 32, 64), folder=EXAMPLES / "robots"),
    Program("ring", _sizes("PRODUCERS=2 ITEMS=2 SIZE", 2, 3, 4), ("PRODUCERS=2 ITEMS=4 SIZE=2",)),
    Program("list", _sizes("THREADS=3 INSERTS", 1, 2), _sizes("THREADS=3 INSERTS", 3)),
    Program("queue", _sizes("ITEMS=1 PRODUCERS", 1, 2), ("ITEMS=2 TAKES=1 PRODUCERS=2",)),
    Program("hash_map", _sizes("THREADS=5 INSERTS", 1, 2, 4), ("THREADS=6 INSERTS=5",)),
    Program("sorted_list", _sizes("THREADS=3 INSERTS", 1, 2, 3), ("THREADS=4 INSERTS=3", "THREADS=5 INSERTS=2")),
    Program("prefix_sum", _sizes("THREADS", 3, 4, 5, 6), _sizes("THREADS", 7)),
    Program("ipc", _sizes(IPC, 4, 6), _sizes(IPC, 8, 10), ipc_files(), EXAMPLES / "ipc"),
)

MEMORY = Program("memory", ())
MEMORY_SIZES = {"quick": "THREADS=3 ROUNDS=8", "full": "THREADS=4 ROUNDS=5"}

# More than 5 million states each, for one core beside two.
CORES = (PROGRAMS[0].job("THREADS=3 ROUNDS=13"),)
QUICK_CORES = (PROGRAMS[0].job("THREADS=3 ROUNDS=4"),)


def memory_jobs(*, quick: bool) -> list[Job]:
    """The same program with little and with much memory: (1 KiB, 1 MiB) of globals, then of heap."""
    size = MEMORY_SIZES["quick" if quick else "full"]
    return [MEMORY.job(f"{size}{heap} BYTES={bytes_}") for heap in ("", " HEAP") for bytes_ in (KIB, MIB)]
