# SPDX-License-Identifier: Apache-2.0
"""Which runs a benchmark has: the properties of the tasks in folders, .set files and task files."""

from __future__ import annotations

import glob
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pancam.errors import PancamError, UsageError
from pancam.svcomp import is_task_file
from pancam.svcomp.scoring import Row
from pancam.svcomp.tasks import Expected, Task, read_task

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SET_SUFFIX = ".set"
COVERAGE = "coverage-"  # goals for tools that make tests, not properties


@dataclass(frozen=True)
class Run:
    """One property of one task; `problem` says why it cannot be run."""

    category: str
    task: str
    property_file: str = ""
    expected: Expected | None = None
    problem: str = ""

    @property
    def key(self) -> tuple[str, str]:
        return self.task, self.property

    @property
    def property(self) -> str:
        return Path(self.property_file).stem

    def row(self) -> Row:
        """What is known before it runs: nothing came of it yet."""
        verdict = self.expected.verdict if self.expected else None
        subproperty = self.expected.subproperty if self.expected else None
        return Row(self.category, self.task, self.property, verdict, subproperty, reason=self.problem)


def collect(paths: Sequence[str], wanted: str | None) -> list[Run]:
    """All runs, each once, in the order of the paths; with `wanted`, only those of that property."""
    runs: dict[tuple[str, str], Run] = {}
    for path in paths:
        for category, task in _tasks_of(path):
            for run in _runs_of(category, task, wanted):
                runs.setdefault(run.key, run)
    if not runs:
        what = f" with the property {wanted}" if wanted else ""
        raise UsageError(f"there are no tasks{what} in {', '.join(paths)}")
    return list(runs.values())


def _tasks_of(path: str) -> Iterator[tuple[str, str]]:
    """Category and file of every task: a task belongs to its folder, or to the set that lists it."""
    if os.path.isdir(path):
        for suffix in ("yml", "yaml"):
            for found in sorted(Path(path).rglob(f"*.{suffix}")):
                yield found.absolute().parent.name, os.path.normpath(found)
    elif path.endswith(SET_SUFFIX):
        for found_file in _tasks_of_set(path):
            yield Path(path).stem, found_file
    elif is_task_file(path):
        yield Path(path).absolute().parent.name, os.path.normpath(path)
    else:
        raise UsageError(f"{path}: neither a folder nor a .set file nor a task file (.yml)")


def _tasks_of_set(path: str) -> Iterator[str]:
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except OSError as problem:
        raise UsageError(f"{path}: {problem.strerror}") from problem
    except UnicodeDecodeError:
        raise UsageError(f"{path}: not a text file") from None
    for line in lines:
        pattern = line.partition("#")[0].strip()
        if pattern:
            yield from sorted(map(os.path.normpath, glob.glob(os.path.join(os.path.dirname(path), pattern))))


def _runs_of(category: str, path: str, wanted: str | None) -> Iterator[Run]:
    try:
        task: Task = read_task(path)
    except PancamError as problem:
        yield Run(category, path, problem=str(problem))
        return
    for expected in task.properties:
        is_wanted = wanted is None or Path(wanted).stem == expected.name
        if is_wanted and not expected.name.startswith(COVERAGE):
            yield Run(category, path, expected.property_file, expected)
