# SPDX-License-Identifier: Apache-2.0
"""Builds the C library that runs inside the machine into bitcode, once, and keeps it in the user's cache folder.

Its definitions become `linkonce`: LLVM's linker then takes from it only what a program uses, and a program's own
definition of the same name wins.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import stat
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pancam.frontend.clang import Clang, CompileOptions, compile_command, compile_sources
from pancam.frontend.module import assemble, linked_text, llvm_version

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

_DEFINITION = re.compile(
    r"^(?P<start>define |(?P<variable>@(?:\"[^\"]*\"|[-\w.$]+) = ))"
    r"(?:(?P<linkage>private|internal|available_externally|linkonce|weak|common|appending|extern_weak|linkonce_odr"
    r"|weak_odr|external) )?",
    re.MULTILINE | re.ASCII,
)
_REPLACED = (None, "common", "weak", "weak_odr", "linkonce_odr")


def build_library(
    sources: Sequence[Path], options: CompileOptions, clang: Clang, always_linked: Collection[str] = ()
) -> bytes:
    """Bitcode of the library made of `sources`; from the cache when nothing that matters has changed.

    Names in `always_linked` come with every program (as `weak`), the others only where they are used.
    """
    # Bitcode records the compilation directory: a fixed one keeps the cache independent of where pancam runs.
    flags = ("-fdebug-compilation-dir=/", *options.extra_flags)
    options = replace(options, extra_flags=flags)
    name = f"library-{_key(sources, options, clang, always_linked)}.bc"
    cached = _read_cached(name)
    if cached is not None:
        return cached
    with tempfile.TemporaryDirectory(prefix="pancam-") as folder:
        paths = compile_sources([str(source.resolve()) for source in sources], options, clang, Path(folder))
        bitcode = assemble(make_replaceable(linked_text(paths), always_linked))
    _store(name, bitcode)
    return bitcode


def make_replaceable(text: str, always_linked: Collection[str] = ()) -> str:
    """LLVM text with every definition that others can see made `linkonce`, or `weak` when listed."""

    def edit(match: re.Match[str]) -> str:
        if match["linkage"] not in _REPLACED:
            return match.group()
        end = text.find("\n", match.end())
        line = text[match.start() : end if end >= 0 else len(text)]
        name_match = re.search(r'@("[^"]*"|[-\w.$]+)', line)
        name = name_match.group(1).strip('"') if name_match else ""
        if name.startswith("llvm."):
            return match.group()
        return f"{match['start']}{'weak' if name in always_linked else 'linkonce'} "

    return _DEFINITION.sub(edit, text)


def _key(sources: Sequence[Path], options: CompileOptions, clang: Clang, always_linked: Collection[str]) -> str:
    """A digest of everything the bitcode depends on: commands, tools, this file, sources and headers beside them."""
    digest = hashlib.sha256()
    parts = [*compile_command("", options, clang, Path()), clang.identity, llvm_version()]
    parts += [*sorted(always_linked), Path(__file__).read_text()]
    for part in parts:
        digest.update(part.encode("utf-8", "surrogateescape") + b"\0")
    folders = {source.resolve().parent for source in sources}
    headers = {header for folder in folders for header in folder.rglob("*.h")}
    headers |= {header for folder in folders for header in folder.rglob("*.def")}
    for file in [*sources, *sorted(headers)]:
        digest.update(os.fsencode(file.resolve()) + b"\0" + hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:32]


def _cache_folders() -> list[Path]:
    """Where the cache may be, the preferred folder first."""
    folders: list[Path] = []
    base = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(base):
        folders.append(Path(base) / "pancam")
    else:
        with contextlib.suppress(RuntimeError):  # no home directory
            folders.append(Path.home() / ".cache" / "pancam")
    folders.append(Path(tempfile.gettempdir()) / f"pancam-{os.getuid()}")
    return folders


def _is_ours(folder: Path) -> bool:
    """Whether nobody else can put files into `folder`; the temporary one lies where all users may write."""
    status = folder.lstat()
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and not status.st_mode & 0o022


def _read_cached(name: str) -> bytes | None:
    for folder in _cache_folders():
        with contextlib.suppress(OSError):
            if _is_ours(folder):
                return (folder / name).read_bytes()
    return None


def _store(name: str, bitcode: bytes) -> None:
    """Puts the library into the first cache folder that can be written, in one step so that no reader sees a part."""
    for folder in _cache_folders():
        with contextlib.suppress(OSError):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not _is_ours(folder):
                continue
            descriptor, temporary = tempfile.mkstemp(dir=folder, prefix="library-", suffix=".part")
            try:
                with os.fdopen(descriptor, "wb") as file:
                    file.write(bitcode)
                os.replace(temporary, folder / name)
            except OSError:
                os.unlink(temporary)
                raise
            return
