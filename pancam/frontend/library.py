# SPDX-License-Identifier: Apache-2.0
"""Builds the C library that runs inside the machine into bitcode, once, and keeps it in the user's cache folder.

Its definitions become `linkonce`: LLVM's linker then takes from it only what a program uses, and a program's own
definition of the same name wins.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pancam import cache
from pancam.frontend.clang import Clang, CompileOptions, compile_command, compile_sources

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
    options = _independent_of_place(options)

    def make(target: Path) -> None:
        from pancam.frontend.module import assemble, linked_text

        with tempfile.TemporaryDirectory(prefix="pancam-") as folder:
            paths = compile_sources([str(source.resolve()) for source in sources], options, clang, Path(folder))
            target.write_bytes(assemble(make_replaceable(linked_text(paths), always_linked)))

    return cache.obtain(_name(sources, options, clang, always_linked), make).read_bytes()


def library_name(
    sources: Sequence[Path], options: CompileOptions, clang: Clang, always_linked: Collection[str] = ()
) -> str:
    """The name of such a library in the cache, which says everything that its bitcode depends on."""
    return _name(sources, _independent_of_place(options), clang, always_linked)


def _independent_of_place(options: CompileOptions) -> CompileOptions:
    """Bitcode records the compilation directory: a fixed one keeps the cache independent of where pancam runs."""
    return replace(options, extra_flags=("-fdebug-compilation-dir=/", *options.extra_flags))


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


def _name(sources: Sequence[Path], options: CompileOptions, clang: Clang, always_linked: Collection[str]) -> str:
    """A digest of everything the bitcode depends on: commands, tools, this file, sources, headers, shared tables."""
    digest = hashlib.sha256()
    parts = [*compile_command("", options, clang, Path()), clang.identity, _llvm_identity()]
    parts += [*sorted(always_linked), Path(__file__).read_text()]
    for part in parts:
        digest.update(part.encode("utf-8", "surrogateescape") + b"\0")
    folders = {source.resolve().parent for source in sources}
    headers = {header for folder in folders for header in folder.rglob("*.h")}
    headers |= {table for folder in folders for table in (*folder.rglob("*.def"), *folder.parent.glob("*.def"))}
    for file in [*sources, *sorted(headers)]:
        digest.update(os.fsencode(file.resolve()) + b"\0" + hashlib.sha256(file.read_bytes()).digest())
    return f"library-{digest.hexdigest()[:32]}.bc"


def _llvm_identity() -> str:
    """A text that changes when llvmlite or the LLVM inside it does; importing it would take longer than looking."""
    found = importlib.util.find_spec("llvmlite")
    if found is None or found.origin is None:
        return ""
    folder = Path(found.origin).parent
    binaries = sorted((folder / "binding").glob("*.so"))
    states = [(path.name, path.stat().st_size, path.stat().st_mtime_ns) for path in binaries]
    return f"{(folder / '_version.py').read_text()} {states}"
