# SPDX-License-Identifier: Apache-2.0
"""The results file of a benchmark: a JSON object a line, written as runs end, to go on from where it stopped."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pancam.errors import UsageError
from pancam.svcomp.scoring import Row, Sums, sums_by_category

if TYPE_CHECKING:
    from collections.abc import Sequence

VERSION = 1


class ResultsFile:
    """Rows of earlier runs with the same settings, and those of this one behind them."""

    def __init__(self, path: Path, settings: dict[str, Any]) -> None:
        self.path = path
        self.settings = settings
        self.rows: list[Row] = []
        try:
            self._open()
        except OSError as problem:
            raise UsageError(f"{path}: {problem.strerror}") from problem

    def _open(self) -> None:
        lines = self._whole_lines() if self.path.exists() else []
        if lines:
            self._check_settings(lines[0])
            self.rows = [self._row(line, number) for number, line in enumerate(lines[1:], start=2)]
        self._file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
        if not lines:
            self._append({"pancam-bench": VERSION, "settings": self.settings})

    def _whole_lines(self) -> list[bytes]:
        """A line that was being written when everything stopped is none."""
        data = self.path.read_bytes()
        end = data.rfind(b"\n") + 1
        if end != len(data):
            os.truncate(self.path, end)
        return data[:end].splitlines()

    def _check_settings(self, line: bytes) -> None:
        try:
            head = json.loads(line)
            found = head["settings"] if head["pancam-bench"] == VERSION else None
        except (ValueError, KeyError, TypeError):
            found = None
        if not isinstance(found, dict):
            raise UsageError(f"{self.path}: not a results file of this pancam: it is left as it is")
        if found != self.settings:
            differing = next(name for name in {**found, **self.settings} if found.get(name) != self.settings.get(name))
            raise UsageError(f"{self.path}: made with other settings ({differing}: {found.get(differing)})")

    def _row(self, line: bytes, number: int) -> Row:
        try:
            return Row(**json.loads(line))
        except (ValueError, TypeError):
            raise UsageError(f"{self.path}:{number}: not a row of results") from None

    def add(self, row: Row) -> None:
        """Write a row at once: what has ended stays."""
        self.rows.append(row)
        self._append(asdict(row))

    def _append(self, value: dict[str, Any]) -> None:
        os.write(self._file, json.dumps(value).encode() + b"\n")
        os.fsync(self._file)

    def close(self) -> None:
        os.close(self._file)


def as_value(rows: Sequence[Row], settings: dict[str, Any]) -> dict[str, Any]:
    """Everything for machines; docs/svcomp.md describes it."""
    return {
        "version": VERSION,
        "settings": settings,
        "categories": [_sums_value(sums) for sums in sums_by_category(rows)],
        "runs": [{**asdict(row), "outcome": row.outcome.value, "score": row.outcome.score} for row in rows],
    }


def _sums_value(sums: Sums) -> dict[str, Any]:
    return {
        "name": sums.name,
        "tasks": sums.tasks,
        "outcomes": {outcome.value: count for outcome, count in sums.outcomes.items()},
        "score": sums.score,
        "best_score": sums.best_score,
        "cpu": round(sums.cpu, 2),
        "memory": sums.memory,
    }
