# SPDX-License-Identifier: Apache-2.0
"""Programs that were compiled before, in the user's cache folder: checking a program again needs no LLVM.

The compiler runs all the same: the name of a program is a digest of the bitcode that it is made of and of all else that
takes part in the making. So no header, no flag and no version of a tool has to be watched: what the compiler sees of
them is in the bitcode. A file that is damaged is as good as none.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from typing import TYPE_CHECKING

from pancam import cache
from pancam.bytecode.program import Program, Restriction
from pancam.resources import machine_sources, package

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from pancam.bytecode.source_map import SourceMap

KIND = "program-"
KEPT = 200
LARGEST = 1 << 24  # bytes; what is larger takes its time anyway
_STAGES = ("", "ir", "frontend", "bytecode", "nondet")  # that make programs, with the files that all stages use
_DIGEST_BYTES = 32


def start_of_name(parts: Sequence[str], tools: str) -> str:
    """What the names of all programs begin with that are made in this way, from whatever bitcode."""
    digest = hashlib.sha256(tools.encode())
    for part in (*parts, *_places()):
        digest.update(hashlib.sha256(part.encode(errors="surrogateescape")).digest())
    return f"{KIND}{digest.hexdigest()}-"


def name_of(start: str, files: Sequence[Path]) -> str:
    """The name of the program that is made from the bitcode (or LLVM text) in `files`."""
    digest = hashlib.sha256()
    for file in files:
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return f"{start}{digest.hexdigest()}"


def is_expected(start: str, paths: Sequence[str]) -> bool:
    """A guess before the compiler has run: such a program was used since somebody wrote to the files."""
    with contextlib.suppress(OSError):
        written = max(os.stat(path).st_mtime_ns for path in paths)
        return any(path.stat().st_mtime_ns > written for path in cache.beginning_with(start))
    return False


def _places() -> tuple[str, str]:
    """Files in or below the current folder are called by shorter names in traces."""
    return os.getcwd(), os.environ.get("PWD", "")


def tools_of(library: str) -> str:
    """A digest of what makes programs: pancam's own stages, the facts they share with the machine, the library."""
    digest = hashlib.sha256(library.encode())
    for path in _sources():
        with open(path, "rb") as file:
            digest.update(path.encode(errors="surrogateescape") + hashlib.sha256(file.read()).digest())
    return digest.hexdigest()


def _sources() -> Iterator[str]:
    for stage in _STAGES:
        yield from _files_in(package() / stage, (".py",))
    yield from _files_in(machine_sources(), (".def", "image.h"))


def _files_in(folder: Path, endings: tuple[str, ...]) -> list[str]:
    with os.scandir(folder) as entries:
        return sorted(entry.path for entry in entries if entry.name.endswith(endings))


def find(name: str) -> Program | None:
    """The program of this name, if it is there and whole."""
    path = cache.find(name)
    if path is None:
        return None
    try:
        data = path.read_bytes()
        os.utime(path)  # those that are used are kept
    except OSError:
        return None
    body = data[_DIGEST_BYTES:]
    if hashlib.sha256(body).digest() != data[:_DIGEST_BYTES]:
        return None
    head, _, rest = body.partition(b"\n")
    row = json.loads(head)
    image, encoded = rest[: row["size"]], rest[row["size"] :]

    def source_map() -> SourceMap:
        from pancam.bytecode.source_map import decode_source_map

        return decode_source_map(encoded)

    restrictions = [Restriction(*restriction) for restriction in row["restrictions"]]
    return Program(image, row["threads"], source_map, has_main=row["has_main"], restrictions=restrictions)


def keep(name: str, program: Program) -> None:
    """Have the program there the next time."""
    row = {
        "size": len(program.image),
        "threads": program.thread_limit,
        "has_main": program.has_main,
        "restrictions": [(restriction.text, restriction.asked) for restriction in program.restrictions],
    }
    body = json.dumps(row).encode() + b"\n" + program.image + program.source_map.encoded
    if len(body) <= LARGEST:
        cache.keep(name, hashlib.sha256(body).digest() + body, KIND, KEPT)
