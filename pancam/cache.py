# SPDX-License-Identifier: Apache-2.0
"""The user's cache folder: files that were costly to make, under names that say everything they depend on.

A file appears whole or not at all, so that runs in parallel and runs that are killed never disturb each other. Where
the folder cannot be written, a folder of the user's own in the temporary directory takes its place.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import stat
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from pancam.errors import ToolError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_PARTIAL, _LOCK = ".part", ".lock"


def folders() -> list[Path]:
    """Where the cache may be, the preferred folder first."""
    found: list[Path] = []
    base = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(base):
        found.append(Path(base) / "pancam")
    else:
        with contextlib.suppress(RuntimeError):  # no home directory
            found.append(Path.home() / ".cache" / "pancam")
    found.append(Path(tempfile.gettempdir()) / f"pancam-{os.getuid()}")
    return found


def _is_ours(folder: Path) -> bool:
    """Whether nobody else can put files into `folder`; the temporary one lies where all users may write."""
    status = folder.lstat()
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and not status.st_mode & 0o022


def find(name: str) -> Path | None:
    """The cached file, if there is one."""
    for folder in folders():
        with contextlib.suppress(OSError):
            if _is_ours(folder) and (folder / name).is_file():
                return folder / name
    return None


def obtain(name: str, make: Callable[[Path], None], notice: Callable[[str], None] | None = None) -> Path:
    """The cached file; `make` writes it to the path it is given when there is none.

    One process makes a file, others that want it wait. `notice` hears when the preferred folder cannot be used.
    """
    found = find(name)
    if found is not None:
        return found
    with tempfile.TemporaryDirectory(prefix="pancam-") as scratch:
        fresh = Path(scratch) / name
        problems: list[str] = []
        for folder in folders():
            try:
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                if not _is_ours(folder):
                    problems.append(f"{folder}: others can write there")
                    continue
                with _locked(folder / f"{name}{_LOCK}"):
                    if not (folder / name).is_file():
                        if not fresh.exists():
                            make(fresh)
                        _move_in(fresh, folder / name)
            except OSError as problem:
                problems.append(f"{folder}: {problem.strerror}")
                continue
            if problems and notice is not None:
                notice(f"the cache folder cannot be used ({problems[0]}), using {folder}")
            return folder / name
    raise ToolError(f"no folder for cached files can be written: {'; '.join(problems)}")


def keep(name: str, data: bytes, kind: str, most: int) -> None:
    """Put a file into the cache, if that is possible; of those whose names start with `kind`, so many stay."""
    with contextlib.suppress(OSError), tempfile.TemporaryDirectory(prefix="pancam-") as scratch:
        fresh = Path(scratch) / name
        fresh.write_bytes(data)
        for folder in folders():
            with contextlib.suppress(OSError):
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                if _is_ours(folder):
                    _move_in(fresh, folder / name)
                    _trim(folder, kind, most)
                    return


def _trim(folder: Path, kind: str, most: int) -> None:
    """Remove the files that were not used for the longest time."""
    files = _beginning_with(folder, kind)
    if len(files) > most:
        for entry in sorted(files, key=lambda entry: entry.stat().st_mtime_ns)[:-most]:
            os.unlink(entry.path)


def _beginning_with(folder: Path, start: str) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as found:
        return [entry for entry in found if entry.name.startswith(start) and not entry.name.endswith(_PARTIAL)]


def beginning_with(start: str) -> list[os.DirEntry[str]]:
    """The files in the cache whose names begin like that."""
    found: list[os.DirEntry[str]] = []
    for folder in folders():
        with contextlib.suppress(OSError):
            found += _beginning_with(folder, start) if _is_ours(folder) else []
    return found


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Holds a lock that goes away with the process, whatever ends it."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        with contextlib.suppress(OSError):
            path.unlink()
        os.close(descriptor)


def _move_in(fresh: Path, target: Path) -> None:
    descriptor, temporary = tempfile.mkstemp(dir=target.parent, prefix=target.name, suffix=_PARTIAL)
    os.close(descriptor)
    try:
        shutil.copy(fresh, temporary)  # with its permissions
        os.replace(temporary, target)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def entries() -> list[Path]:
    """Everything in the cache, files that a killed run left half-made included."""
    found: list[Path] = []
    for folder in folders():
        with contextlib.suppress(OSError):
            if _is_ours(folder):
                found += sorted(path for path in folder.iterdir() if path.is_file())
    return found


def clear() -> int:
    """Remove everything; how many files there were."""
    removed = 0
    for path in entries():
        with contextlib.suppress(OSError):
            path.unlink()
            removed += 1
    return removed
