# SPDX-License-Identifier: Apache-2.0
"""Runs `pancam check` on many tasks, several at a time, each in processes of its own that a limit ends."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from pancam.svcomp.scoring import ERROR, UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pancam.svcomp.scoring import Row
    from pancam.svcomp.suite import Run

PAUSE = 0.02
GRACE_SECONDS = 10.0  # from the polite request to stop to the kill
RESERVE_SECONDS = 2.0  # of a run's time, for what comes before and after the search
KIB = 1024
LATE = "the time limit was reached"


@dataclass(frozen=True)
class RunLimits:
    """What each run may use, and how many run at a time."""

    seconds: float
    memory: int  # bytes
    jobs: int

    @property
    def search_seconds(self) -> float:
        return max(self.seconds - RESERVE_SECONDS, self.seconds / 2)


def run_all(runs: Sequence[Run], limits: RunLimits, options: Sequence[str]) -> Iterator[Row]:
    """The rows of all runs, as they end. Whoever stops listening ends what still runs."""
    waiting = list(reversed(runs))
    active: list[_Process] = []
    try:
        while waiting or active:
            while waiting and len(active) < limits.jobs:
                run = waiting.pop()
                if run.problem:
                    yield run.row()
                else:
                    active.append(_Process(run, limits, options))
            for process in list(active):
                row = process.poll()
                if row is not None:
                    active.remove(process)
                    yield row
            time.sleep(PAUSE)
    finally:
        for process in active:
            process.kill()


class _Process:
    """A check that is running."""

    def __init__(self, run: Run, limits: RunLimits, options: Sequence[str]) -> None:
        self.run = run
        self.limits = limits
        self.folder = tempfile.TemporaryDirectory(prefix="pancam-bench-")
        self.out, self.err = (Path(self.folder.name) / name for name in ("out", "err"))
        command = [
            sys.executable, "-m", "pancam.cli", "check", run.task, "--property", run.property_file, "--json",
            "--time", str(limits.search_seconds), "--memory", str(limits.memory), *options,
        ]  # fmt: skip
        self.start = time.monotonic()
        with self.out.open("wb") as out, self.err.open("wb") as err:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True
            )
        self.is_asked_to_stop = False

    def poll(self) -> Row | None:
        """The row, when the process has ended; a process beyond its time is ended."""
        pid, status, usage = os.wait4(self.process.pid, os.WNOHANG)
        seconds = time.monotonic() - self.start
        if pid == 0:
            if seconds > self.limits.seconds + GRACE_SECONDS:
                self._signal_all(signal.SIGKILL)
            elif seconds > self.limits.seconds and not self.is_asked_to_stop:
                self.is_asked_to_stop = True
                self.process.send_signal(signal.SIGTERM)
            return None
        self.process.returncode = os.waitstatus_to_exitcode(status)
        self._signal_all(signal.SIGKILL)  # nobody is left, unless the check was killed
        row = replace(self._row(), seconds=round(seconds, 2), cpu=round(usage.ru_utime + usage.ru_stime, 2))
        self.folder.cleanup()
        return replace(row, memory=max(row.memory, usage.ru_maxrss * KIB))

    def _row(self) -> Row:
        row = self.run.row()
        try:
            value = json.loads(self.out.read_bytes())
            row = replace(row, answer=value["result"], memory=value["statistics"]["memory"])
            is_late = self.is_asked_to_stop and row.answer == UNKNOWN
            return replace(row, reason=LATE if is_late else _reason(value))
        except (ValueError, KeyError, TypeError):
            if self.is_asked_to_stop:
                return replace(row, answer=UNKNOWN, reason=LATE)
            lines = self.err.read_text(errors="replace").strip().splitlines()
            said = lines[-1].removeprefix("pancam: ") if lines else f"exit status {self.process.returncode}"
            return replace(row, answer=ERROR, reason=said)

    def kill(self) -> None:
        """End the run at once; nothing comes of it."""
        self._signal_all(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(GRACE_SECONDS)
        self._signal_all(signal.SIGKILL)
        self.process.wait()
        self.folder.cleanup()

    def _signal_all(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, number)


def _reason(value: dict[str, object]) -> str:
    """Why the answer is what it is, in one line."""
    violations, reasons = value["violations"], value["reasons"]
    if isinstance(violations, list) and violations:
        return str(violations[0]["violation"]["text"])
    return "; ".join(map(str, reasons)) if isinstance(reasons, list) else ""
