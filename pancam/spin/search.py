# SPDX-License-Identifier: Apache-2.0
"""One search: start the verifier, watch it, stop it at a limit, read what it found.

What depends on sizes nobody knows beforehand is tried again with more room: the depth-first stack, and the buffer of
the raw store. Everything lies in a temporary folder, and no process outlives the search.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import tempfile
import time
from array import array
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from pancam.errors import ToolError
from pancam.moves import Trail, read_moves
from pancam.spin.options import (
    BYTES_PER_LEVEL,
    FIRST_DEPTH,
    FIRST_STATE_BYTES,
    EarlyEnd,
    SearchOptions,
    VerifierOptions,
    run_flags,
)
from pancam.spin.report import Report, read_report
from pancam.spin.shared_memory import remove_segments
from pancam.spin.verifier import (
    MODEL,
    driver_text,
    keep_files,
    obtain_verifier,
    rerun_stem,
    rerun_trail,
    start_verifier,
)
from pancam.vm.progress import Progress, read_progress

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pancam.settings import Settings

GRACE_SECONDS = 5.0  # from the polite request to stop, which lets SPIN report, to the kill
PAUSE = 0.05  # at most, until a limit is looked at
LOOK_SECONDS = 0.2  # between two looks at the memory and two lines of progress
STATE_GROWTH, DEPTH_GROWTH = 4, 10
LARGEST_STATE = 1 << 20
MEMORY_SHARE = 0.8  # of the computer's, when the user sets no limit


@dataclass(frozen=True)
class SearchResult:
    """What came of a search."""

    report: Report
    progress: Progress
    trails: tuple[Trail, ...]  # each ends in a violation, if the verifier is right
    stopped: str = ""  # time, memory, interrupted, state size, depth, error; empty: the search came to its end
    seconds: float = 0.0
    memory: int = 0  # peak of all processes, bytes


@dataclass
class Watch:
    """What the outside wants of a running search."""

    on_progress: Callable[[Progress, float, int], None] | None = None
    notice: Callable[[str], None] = lambda _: None
    keep: Path | None = None
    lines: Sequence[int] = ()  # the number of each instruction's line, by which data races are told apart
    finals: Path | None = None  # a file for all states in which executions end (vm_c/search/finals.c)


def memory_limit(wanted: int) -> int:
    """The user's limit, or most of what the computer has."""
    return wanted or int(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") * MEMORY_SHARE)


def search(image: bytes, settings: Settings, options: SearchOptions, threads: int, watch: Watch) -> SearchResult:
    """Search the whole state space of a program, or as much as the limits allow."""
    options = replace(options, abstraction=settings.abstraction is not None)
    options.check()
    options = replace(options, memory=memory_limit(options.memory))
    depth = options.depth or FIRST_DEPTH
    state_bytes = FIRST_STATE_BYTES
    spent = 0.0
    while True:
        left = _limits(options, spent)
        verifier = VerifierOptions(threads, options, state_bytes if options.store == "raw" else 0)
        attempt = _Attempt(image, settings, verifier, depth, watch.finals)
        result = attempt.run(watch, left)
        spent += result.seconds
        result = replace(result, seconds=spent)
        if _needs_depth(result, options) and depth * DEPTH_GROWTH * BYTES_PER_LEVEL < options.memory // 2:
            depth *= DEPTH_GROWTH
        elif result.stopped == "state size" and state_bytes < LARGEST_STATE:
            while state_bytes < result.progress.largest_state:
                state_bytes *= STATE_GROWTH
        else:
            return result


def _limits(options: SearchOptions, spent: float) -> _Limits:
    """What is left for an attempt when others have taken so many seconds."""
    seconds = None if options.time is None else max(options.time - spent, 0.0)
    early = options.early_end
    return _Limits(seconds, early and replace(early, seconds=early.seconds - spent), options.memory)


def _needs_depth(result: SearchResult, options: SearchOptions) -> bool:
    """Whether a longer stack is to be tried. SPIN's fairness has steps of its own, which vm_c/search does not see."""
    full = result.report.hit_depth and options.depth is None and not result.trails
    return result.stopped == "depth" or (full and options.claim is not None)


@dataclass(frozen=True)
class _Limits:
    """When an attempt is stopped."""

    seconds: float | None
    early: EarlyEnd | None
    memory: int

    def reason(self, elapsed: float, progress: Path) -> str:
        """Why it is to be stopped after so many seconds; empty: it may go on."""
        if self.seconds is not None and elapsed > self.seconds:
            return "time"
        if self.early is None or elapsed <= self.early.seconds:
            return ""
        return "time" if self.early.kind in read_progress(progress).ignored else ""


@dataclass(frozen=True)
class _Attempt:
    """One run of one verifier."""

    image: bytes
    settings: Settings
    verifier: VerifierOptions
    depth: int
    finals: Path | None

    def run(self, watch: Watch, limits: _Limits) -> SearchResult:
        binary = obtain_verifier(self.verifier, watch.notice)
        with tempfile.TemporaryDirectory(prefix="pancam-") as name:
            folder = Path(name)
            (folder / "program.pcb").write_bytes(self.image)
            (folder / "progress").touch()
            (folder / "lines").write_bytes(array("I", watch.lines).tobytes())
            # SPIN's multicore search makes the keys of its shared memory from the model's file.
            (folder / MODEL).write_text(driver_text(self.verifier))
            process = start_verifier(binary, self._arguments(), folder, self._environment(folder))
            try:
                stopped, elapsed, memory = _watch(process, folder / "progress", watch, limits)
            finally:
                _end(process)
            result = self._result(binary, folder, stopped)
            if watch.keep is not None:
                keep_files(binary, self.verifier, folder, watch.keep)
            return replace(result, seconds=elapsed, memory=memory)

    def _arguments(self) -> list[str]:
        return run_flags(self.verifier.search, self.depth, self.verifier.threads)

    def _environment(self, folder: Path) -> dict[str, str]:
        search = self.verifier.search
        environment = {
            "PANCAM_IMAGE": str(folder / "program.pcb"),
            "PANCAM_SETTINGS": self.settings.words(),
            "PANCAM_MEMORY": str(search.memory),
            "PANCAM_PROCESSES": str(search.cores),
            "PANCAM_PROGRESS": str(folder / "progress"),
            "PANCAM_LINES": str(folder / "lines"),
        }
        if search.bound is not None:
            environment["PANCAM_BOUND"] = str(search.bound)
            if search.bound_is_located:
                environment["PANCAM_PLACES"] = "1"
        if self.finals is not None:
            environment["PANCAM_FINALS"] = str(self.finals)
        if search.stop_at_threads:
            environment["PANCAM_STOP_AT_THREADS"] = "1"
        if search.depth is None and not search.breadth_first:
            environment["PANCAM_DEPTH"] = str(self.depth - 2)
        return environment

    def _result(self, binary: Path, folder: Path, stopped: str) -> SearchResult:
        output = (folder / "output").read_text(errors="replace")
        progress = read_progress(folder / "progress")
        report = read_report(output)
        if not self.verifier.search.bitstate:
            report = replace(report, hash_factor=None)  # of bits that are not used
        found = sorted(path for path in folder.iterdir() if path.name.endswith("trail"))
        stopped = stopped or progress.stop
        # In a multicore search it may be that nobody reports when a process other than the first finds an error.
        is_over = report.is_there or bool(found) or bool(stopped) or report.out_of_memory
        if stopped == "error" or not is_over:
            last = output.strip().splitlines()[-1:] or ["it printed nothing"]
            raise ToolError(f"the verifier failed: {progress.text or last[0]}")
        environment = {**self._environment(folder), "PANCAM_PROCESSES": "1", "PANCAM_PROGRESS": ""}
        environment.pop("PANCAM_FINALS", None)
        trails = tuple(_read_trail(binary, path, environment) for path in found)
        return SearchResult(report, progress, trails, stopped)


def _read_trail(binary: Path, path: Path, environment: dict[str, str]) -> Trail:
    moves = tuple(read_moves(rerun_trail(binary, path, environment)))
    stem = rerun_stem(binary, path, environment)
    return Trail(moves, None if stem is None else len(read_moves(stem)))


def _watch(process: subprocess.Popen[bytes], progress: Path, watch: Watch, limits: _Limits) -> tuple[str, float, int]:
    """Waits for the end; (why the search was stopped, seconds, peak of memory)."""
    start = looked = time.monotonic()
    peak, stopped = 0, ""
    while not stopped:
        try:
            if _has_ended(process, PAUSE):
                break
        except KeyboardInterrupt:
            stopped = "interrupted"
        now = time.monotonic()
        stopped = stopped or limits.reason(now - start, progress)
        if now - looked > LOOK_SECONDS:
            looked = now
            used = group_memory(process.pid)
            peak = max(peak, used)
            if used > limits.memory:
                stopped = "memory"
            if watch.on_progress is not None:
                watch.on_progress(read_progress(progress), now - start, used)
    if stopped:
        _ask_to_stop(process)
    return stopped, time.monotonic() - start, peak


def _has_ended(process: subprocess.Popen[bytes], seconds: float) -> bool:
    """Waits for the end of the process, but not longer than that. Popen.wait would look only now and then."""
    if process.poll() is not None:
        return True
    handle = os.pidfd_open(process.pid)
    try:
        return bool(select.select([handle], [], [], seconds)[0])
    finally:
        os.close(handle)


def _ask_to_stop(process: subprocess.Popen[bytes]) -> None:
    """SPIN reports what it has when it is interrupted; a second interrupt of the user does not wait for that."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGINT)
    with contextlib.suppress(subprocess.TimeoutExpired, KeyboardInterrupt):
        process.wait(GRACE_SECONDS)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Whatever is left of the search is killed."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    remove_segments(process.pid)


def group_memory(leader: int) -> int:
    """Memory of the processes of the group, in bytes; what they share counts once."""
    private, shared = 0, 0
    page = os.sysconf("SC_PAGE_SIZE")
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        with contextlib.suppress(OSError, ValueError, IndexError):
            if os.getpgid(int(entry)) != leader:
                continue
            resident, in_common = (int(n) for n in Path(f"/proc/{entry}/statm").read_text().split()[1:3])
            private += (resident - in_common) * page
            shared = max(shared, in_common * page)
    return private + shared
