# SPDX-License-Identifier: Apache-2.0
"""Links LLVM files into one verified module and hands its text to the parser; the only importer of llvmlite.

llvmlite is imported inside the functions, so that commands which need no LLVM start without it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pancam.errors import CompileError, SourceLocation, UnsupportedError, UsageError
from pancam.frontend.labels import note_labels
from pancam.ir.parser import parse_module

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pancam.ir.model import Module

_BITCODE_MAGIC = (b"BC\xc0\xde", b"\xde\xc0\x17\x0b")
_ARCHITECTURE_64 = "x86_64"
_ARCHITECTURE_32 = re.compile(r"i[3-6]86\Z|x86\Z")
_DEFAULT_LAYOUT = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
_DEFAULT_TRIPLE = "x86_64-pc-linux-gnu"
_PARSE_ERROR = re.compile(r"<string>:(\d+):(\d+): error: (.*)")


def load_module(
    paths: Sequence[Path | str],
    library: bytes | None = None,
    names: Sequence[str] | None = None,
    labels: Sequence[str] = (),
) -> Module:
    """The program made of these .bc and .ll files, with what it needs of `library` (bitcode) linked in.

    The program's own definitions win over those of the library. Errors call the files by `names`. Passing one of the
    labels is noted in the program.
    """
    return parse_module(note_labels(linked_text(paths, library, names), labels))


def preload() -> None:
    """Import llvmlite now, so that its cost counts as an import and not as linking."""
    from llvmlite import binding  # noqa: F401


def linked_text(paths: Sequence[Path | str], library: bytes | None = None, names: Sequence[str] | None = None) -> str:
    """The linked and verified program as LLVM text."""
    if not paths:
        raise UsageError("no input file")
    program = _parse_file(Path(paths[0]))
    for path, name in zip(paths[1:], (names or paths)[1:], strict=True):
        _link(program, _parse_file(Path(path)), str(name))
    if library is not None:
        _link(program, _parse_bitcode(library, "the guest library"), "the guest library")
    _verify(program)
    return str(program)


def assemble(text: str) -> bytes:
    """Bitcode of the LLVM text `text`."""
    from llvmlite import binding

    try:
        bitcode: bytes = binding.parse_assembly(text).as_bitcode()
    except RuntimeError as problem:
        raise CompileError(f"LLVM refuses the text of the guest library: {_one_line(problem)}") from problem
    return bitcode


def _parse_file(path: Path) -> Any:
    try:
        data = path.read_bytes()
    except OSError as problem:
        raise UsageError(f"{path}: {problem.strerror}") from problem
    is_bitcode = data.startswith(_BITCODE_MAGIC)
    module = _parse_bitcode(data, str(path)) if is_bitcode else _parse_assembly(data, path)
    _check_target(module, str(path))
    return module


def _parse_bitcode(data: bytes, origin: str) -> Any:
    from llvmlite import binding

    try:
        return binding.parse_bitcode(data)
    except RuntimeError as problem:
        version = ".".join(map(str, binding.llvm_version_info))
        message = f"{origin}: not bitcode that LLVM {version} can read: {_one_line(problem)}"
        raise CompileError(message) from problem


def _parse_assembly(data: bytes, path: Path) -> Any:
    from llvmlite import binding

    try:
        return binding.parse_assembly(data.decode())
    except UnicodeDecodeError as problem:
        raise CompileError(f"{path}: neither LLVM text nor bitcode") from problem
    except RuntimeError as problem:
        found = _PARSE_ERROR.search(str(problem))
        if found is None:
            raise CompileError(f"{path}: {_one_line(problem)}") from problem
        raise CompileError(found[3], location=SourceLocation(str(path), int(found[1]), int(found[2]))) from problem


def _check_target(module: Any, origin: str) -> None:
    """Refuses a module that is not for little-endian x86; one that names no target is taken for x86-64."""
    if not module.triple and not module.data_layout:
        module.triple, module.data_layout = _DEFAULT_TRIPLE, _DEFAULT_LAYOUT
    architecture = module.triple.partition("-")[0]
    layout = module.data_layout.split("-")
    narrow_pointers = "p:32:32" in layout
    known = not narrow_pointers if architecture == _ARCHITECTURE_64 else bool(_ARCHITECTURE_32.match(architecture))
    if not known or layout[0] != "e":
        target = module.triple or module.data_layout
        raise UnsupportedError(f"{origin}: compiled for {target}, but pancam checks programs for x86-64 and i386")


def _link(program: Any, module: Any, origin: str) -> None:
    if program.data_layout != module.data_layout:
        same_width = ("p:32:32" in program.data_layout) == ("p:32:32" in module.data_layout)
        if not same_width:
            raise UsageError(f"{origin}: 32-bit and 64-bit code cannot be linked together")
        # Clang versions describe one target in slightly different layouts; the program's own is kept.
        module.data_layout = program.data_layout
    module.triple = program.triple
    try:
        program.link_in(module)
    except RuntimeError as problem:
        raise CompileError(f"{origin}: linking failed: {_one_line(problem)}") from problem


def _verify(module: Any) -> None:
    try:
        module.verify()
    except RuntimeError as problem:
        raise CompileError(f"LLVM refuses the program: {_one_line(problem)}") from problem


def _one_line(problem: Exception) -> str:
    return " ".join(str(problem).split()) or "no reason given"
