# SPDX-License-Identifier: Apache-2.0
"""Checks that run side by side, are interrupted or killed, or cannot write their cache: nothing is left behind."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import pytest
from command import COMMAND, CommandLine
from test_check import LOST_UPDATE, MANY_STATES

from pancam import cache

PARALLEL = 20


def start(folder: Path, *arguments: str, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*COMMAND, *arguments], cwd=folder, env=os.environ | environment, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip


def wait_for(condition: object, seconds: float = 60.0) -> None:
    assert callable(condition)
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)


def processes_below(folder: Path) -> list[str]:
    """The processes that work inside the folder."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and str(folder) in os.readlink(entry / "cwd"):
                found.append(entry.name)
        except OSError:
            continue
    return found


def test_checks_in_the_same_folder_do_not_disturb_each_other(pancam: CommandLine, tmp_path: Path) -> None:
    file = pancam.file("lost.c", LOST_UPDATE)
    own = {"XDG_CACHE_HOME": str(tmp_path / "own")}  # empty: all of them want to build the same verifier
    checks = [start(pancam.folder, "check", file, **own) for _ in range(PARALLEL)]
    results = [check.communicate() for check in checks]
    assert [check.returncode for check in checks] == [1] * PARALLEL
    assert {out.splitlines()[0] for out, _ in results} == {"violated: lost.c:15: assertion failed: counter == 2"}
    assert {err for _, err in results} == {""}
    assert sorted(path.name for path in pancam.folder.iterdir()) == ["lost.c", "own"]


def test_a_killed_build_leaves_a_cache_that_works(pancam: CommandLine, tmp_path: Path) -> None:
    file = pancam.file("lost.c", LOST_UPDATE)
    folder = tmp_path / "own"
    own = {"XDG_CACHE_HOME": str(folder)}
    check = start(pancam.folder, "check", file, **own)
    wait_for(lambda: list(folder.glob("pancam/verifier-*.lock")))
    os.killpg(check.pid, signal.SIGKILL)
    check.communicate()
    assert pancam.verdict(file, **own) == "violated"


def test_a_cache_that_cannot_be_written_is_replaced_with_a_notice(pancam: CommandLine, tmp_path: Path) -> None:
    file = pancam.file("lost.c", LOST_UPDATE)
    (tmp_path / "taken").write_text("a file where the folder should be")
    elsewhere = tmp_path / "temporary"
    elsewhere.mkdir()
    result = pancam("check", file, XDG_CACHE_HOME=str(tmp_path / "taken"), TMPDIR=str(elsewhere))
    assert result.status == 1
    assert "the cache folder cannot be used" in result.err
    assert [path.name for path in elsewhere.iterdir()] == [f"pancam-{os.getuid()}"]


def test_a_full_cache_is_replaced_with_a_notice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full, other = tmp_path / "full", tmp_path / "other"
    monkeypatch.setattr(cache, "folders", lambda: [full, other])
    copy = shutil.copy

    def refuse(source: Path, target: str) -> object:
        if str(full) in str(target):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return copy(source, target)

    monkeypatch.setattr(shutil, "copy", refuse)
    heard: list[str] = []
    made = cache.obtain("thing", lambda path: path.write_text("made") and None, heard.append)
    assert (made, made.read_text()) == (other / "thing", "made")
    assert heard == [f"the cache folder cannot be used ({full}: No space left on device), using {other}"]
    assert list(full.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "number"),
    [([], signal.SIGINT), (["--cores", "2"], signal.SIGINT), (["--bfs"], signal.SIGINT), ([], signal.SIGTERM)],
    ids=["depth-first", "multicore", "breadth-first", "terminated"],
)
def test_an_interrupt_tells_what_is_known_and_leaves_nothing_behind(
    pancam: CommandLine, tmp_path: Path, options: list[str], number: signal.Signals
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    pancam.verdict(pancam.file("small.c", LOST_UPDATE), *options)  # the verifier is there from now on
    check = start(pancam.folder, "check", pancam.file("many.c", MANY_STATES), *options, TMPDIR=str(temporary))
    wait_for(lambda: list(temporary.glob("pancam-*/progress")) and processes_below(temporary))
    time.sleep(0.5)
    os.kill(check.pid, number)
    out, err = check.communicate(timeout=30)
    assert (check.returncode, err) == (3, "")
    assert out.startswith("unknown: interrupted; no violation so far")
    assert "states, " in out
    assert list(temporary.iterdir()) == []
    assert processes_below(temporary) == []


def test_no_search_outlives_a_check_that_is_killed(pancam: CommandLine, tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    pancam.verdict(pancam.file("small.c", LOST_UPDATE))  # the verifier is there from now on
    check = start(pancam.folder, "check", pancam.file("many.c", MANY_STATES), TMPDIR=str(temporary))
    wait_for(lambda: list(temporary.glob("pancam-*/progress")) and processes_below(temporary))
    os.kill(check.pid, signal.SIGKILL)
    check.communicate(timeout=30)
    wait_for(lambda: processes_below(temporary) == [])


def test_a_verifier_that_dies_is_an_error_and_no_verdict(pancam: CommandLine) -> None:
    check = start(pancam.folder, "check", pancam.file("many.c", MANY_STATES))
    verifier = ""

    def is_there() -> bool:
        nonlocal verifier
        for pid in Path(f"/proc/{check.pid}/task/{check.pid}/children").read_text().split():
            with contextlib.suppress(OSError):
                verifier = pid if "verifier" in os.readlink(f"/proc/{pid}/exe") else verifier
        return bool(verifier)

    wait_for(is_there)
    os.kill(int(verifier), signal.SIGKILL)
    out, err = check.communicate(timeout=30)
    assert (check.returncode, out) == (2, "")
    assert err.startswith("pancam: the verifier failed")
    assert not list(Path(tempfile.gettempdir()).glob(f"pancam-*/{verifier}"))


def test_another_spin_misses_the_cache(pancam: CommandLine, tmp_path: Path) -> None:
    file = pancam.file("lost.c", LOST_UPDATE)
    own = {"XDG_CACHE_HOME": str(tmp_path / "own")}
    folder = tmp_path / "bin"
    folder.mkdir()
    shutil.copy(str(shutil.which("spin")), folder / "spin")
    for path, verifiers in ((os.environ["PATH"], 1), (f"{folder}:{os.environ['PATH']}", 2), (os.environ["PATH"], 2)):
        assert pancam.verdict(file, PATH=path, **own) == "violated"
        assert len(list((tmp_path / "own" / "pancam").glob("verifier-*"))) == verifiers


def orphans() -> set[str]:
    """Shared memory whose creator is no more; other tests may be running."""
    lines = Path("/proc/sysvipc/shm").read_text().splitlines()
    creator = lines[0].split().index("cpid")
    return {line for line in lines[1:] if not Path(f"/proc/{line.split()[creator]}").exists()}


def test_several_cores_leave_no_shared_memory_behind(pancam: CommandLine) -> None:
    before = orphans()
    file = pancam.file("many.c", MANY_STATES)
    assert pancam.verdict(file, "--cores", "2", "--time", "1") == "unknown"
    assert pancam.verdict(file, "--cores", "2", "--memory", "200M") == "unknown"
    wrong = pancam.file("lost.c", LOST_UPDATE)
    for options in ([], ["--bitstate"], ["--store", "raw"]):
        assert pancam.verdict(wrong, "--cores", "2", *options) == "violated"
    assert orphans() - before == set()
