# SPDX-License-Identifier: Apache-2.0
"""Finds Clang and compiles C files to LLVM bitcode: the first stage of the chain, and its only subprocess."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pancam import resources
from pancam.errors import CompileError, SourceLocation, ToolError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

SOURCE_SUFFIXES = (".c", ".i")
IR_SUFFIXES = (".ll", ".bc")

# llvmlite reads bitcode up to the version of the LLVM inside it; a newer Clang is taken only when there is no other.
_NEWEST_READABLE = 22
_OLDEST_TRIED = 11
_NEWEST_TRIED = 40
_INSTALL_HINT = "no clang found: install it (`apt install clang`) or the Python package ziglang, or pass --clang PATH"

# The flags that every program is compiled with. Debug information lets traces speak source; vectors and unrolled
# loops would only blow up the bytecode; fortified library calls would hide the plain ones behind __*_chk names.
_COMMON_FLAGS = (
    "-g",
    "-emit-llvm",
    "-c",
    "-fno-vectorize",
    "-fno-slp-vectorize",
    "-fno-unroll-loops",
    "-fno-color-diagnostics",
    "-U_FORTIFY_SOURCE",
    "-Wno-unused-command-line-argument",
    # What C compilers took for decades and newer Clangs refuse; programs that people check are full of it.
    "-Wno-error=implicit-function-declaration",
    "-Wno-error=implicit-int",
    "-Wno-error=int-conversion",
    "-Wno-error=incompatible-function-pointer-types",
)
# Position-independent code would turn tables of pointers into tables of differences of addresses; zig cc refuses these.
_CLANG_FLAGS = ("-fno-pic", "-fno-pie")
# zig cc turns on the undefined behaviour sanitiser and, when optimising, NDEBUG, which would remove assertions.
_ZIG_FLAGS = ("-fno-sanitize=all", "-UNDEBUG")
# Checks that Clang puts in where the type of an expression tells what is right; traps.py lowers them. Those of arrays
# would keep an optimiser from what it does to the accesses around them, and so are for -O0 alone.
DIVISION_CHECKS = ("integer-divide-by-zero",)
BOUNDS_CHECKS = ("array-bounds",)
OVERFLOW_CHECKS = ("signed-integer-overflow", "shift")
# LLVM may read what the source does not read, as long as the value is not used. Not in functions that are to be looked
# at by the thread sanitiser; its instrumentation is not wanted. What is left of it is a call of __tsan_init.
_EXACT_FLAGS = (
    "-Xclang", "-fsanitize=thread", "-mllvm", "-tsan-instrument-memory-accesses=0", "-mllvm",
    "-tsan-instrument-func-entry-exit=0", "-mllvm", "-tsan-instrument-atomics=0", "-mllvm",
    "-tsan-instrument-memintrinsics=0",
)  # fmt: skip
_DIAGNOSTIC = re.compile(r"(?P<file>.+?):(?P<line>\d+):(?P<column>\d+): (?:fatal )?error: (?P<message>.*)")
_DRIVER_ERROR = re.compile(r"\S*: (?:fatal )?error: (?P<message>.*)")
_MISSING_HEADER_32 = re.compile(r"'(gnu/stubs-32\.h|bits/\S+|sys/cdefs\.h|asm/\S+)' file not found")


@dataclass(frozen=True, slots=True)
class Clang:
    """A compiler: the start of its command line, and a text that changes when the compiler does."""

    command: tuple[str, ...]
    identity: str
    is_zig: bool = False


@dataclass(frozen=True, slots=True)
class CompileOptions:
    """What the user chose about compiling; paths are as typed."""

    opt_level: str = "0"
    include_dirs: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    undefines: tuple[str, ...] = ()
    std: str | None = None
    include_files: tuple[str, ...] = ()
    m32: bool = False
    checks: tuple[str, ...] = ()  # of -fsanitize that become traps
    exact_accesses: bool = False  # an optimiser may leave accesses to memory out, but adds none
    extra_flags: tuple[str, ...] = ()

    @property
    def checks_overflow(self) -> bool:
        """Whether more is checked than what always is."""
        return set(OVERFLOW_CHECKS) <= set(self.checks)


def find_clang(explicit: str | None = None) -> Clang:
    """The compiler to use: `explicit`, else $PANCAM_CLANG, else the newest on PATH, else the one inside ziglang."""
    for chosen, origin in ((explicit, "--clang"), (os.environ.get("PANCAM_CLANG"), "PANCAM_CLANG")):
        if chosen:
            path = shutil.which(chosen)
            if path is None:
                raise ToolError(f"{chosen}, named by {origin}, is not an executable file")
            return _clang_at(path)
    candidates = _candidates_on_path()
    if len(candidates) == 1:
        return _clang_at(candidates[0])
    if candidates:
        return _clang_at(max(candidates, key=_preference))
    if importlib.util.find_spec("ziglang") is not None:
        command = (sys.executable, "-m", "ziglang", "cc")
        return Clang(command, f"ziglang {_package_version('ziglang')}", is_zig=True)
    raise ToolError(_INSTALL_HINT)


def _clang_at(path: str) -> Clang:
    real = os.path.realpath(path)
    status = os.stat(real)
    return Clang((path,), f"{real} {status.st_size} {status.st_mtime_ns}")


def _package_version(name: str) -> str:
    from importlib.metadata import PackageNotFoundError, version  # slow to import, rarely needed

    try:
        return version(name)
    except PackageNotFoundError:
        return "unknown"


def _candidates_on_path() -> list[str]:
    """Paths of clang and clang-N, plain clang first."""
    names = ["clang", *(f"clang-{version}" for version in range(_OLDEST_TRIED, _NEWEST_TRIED))]
    found: list[str] = []
    for name in names:
        path = shutil.which(name)
        if path is not None:
            found.append(path)
    return found


def _preference(path: str) -> tuple[bool, int, bool]:
    """Sort key: readable versions before newer ones, then the newest, then the plain name."""
    version = clang_version(path)
    return (version <= _NEWEST_READABLE, version, os.path.basename(path) == "clang")


def clang_version(path: str) -> int:
    """Major version of the Clang at `path`, from its name or that of its target; it is run only when neither tells."""
    for name in (os.path.basename(path), os.path.realpath(path)):
        match = re.search(r"(?:clang|llvm)-(\d+)", name)
        if match:
            return int(match.group(1))
    try:
        output = subprocess.run([path, "--version"], capture_output=True, text=True, errors="replace", check=False)
    except OSError as problem:
        raise ToolError(f"{path} does not start: {problem.strerror}") from problem
    match = re.search(r"version (\d+)", output.stdout)
    return int(match.group(1)) if match else 0


class Compilations:
    """C files on their way to bitcode, as many at once as there are processors; LLVM files are passed through.

    They run from the start on, so that whoever makes this can do something else meanwhile. At its end (`with`) none is
    left running.
    """

    def __init__(self, paths: Sequence[str], options: CompileOptions, clang: Clang, out_dir: Path) -> None:
        self._paths, self._options, self._clang, self._out_dir = paths, options, clang, out_dir
        self._started: list[_Compilation | None] = []
        for path in paths:
            check_input(path)
        try:
            for _ in range(os.cpu_count() or 1):
                self._start_next()
        except ToolError:
            self.__exit__()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for compilation in self._started:
            if compilation is not None:
                compilation.end()

    def _start_next(self) -> None:
        number = len(self._started)
        if number < len(self._paths):
            path = self._paths[number]
            is_source = Path(path).suffix not in IR_SUFFIXES
            self._started.append(_start(path, self._options, self._clang, self._out_dir) if is_source else None)

    @property
    def is_busy(self) -> bool:
        """Whether there is something to wait for."""
        return any(compilation is not None and compilation.process.poll() is None for compilation in self._started)

    def finish(self) -> list[Path]:
        """The bitcode of every file, in their order; CompileError for the first that does not compile."""
        files: list[Path] = []
        for number, path in enumerate(self._paths):
            compilation = self._started[number]
            files.append(Path(path) if compilation is None else compilation.finish())
            self._start_next()
        return files


@dataclass(frozen=True, slots=True)
class _Compilation:
    """One run of the compiler."""

    path: str
    options: CompileOptions
    compiler: str
    output: Path
    process: subprocess.Popen[str]

    def finish(self) -> Path:
        _, messages = self.process.communicate()
        if self.process.returncode != 0:
            raise _compile_failure(self.path, self.options, self.process.returncode, messages)
        if not self.output.is_file():
            raise ToolError(f"{self.compiler} wrote no bitcode for {self.path}: is it Clang?")
        return self.output

    def end(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        with self.process:  # waits, and closes what it wrote to
            pass


def _start(path: str, options: CompileOptions, clang: Clang, out_dir: Path) -> _Compilation:
    digest = hashlib.sha256(os.fsencode(os.path.abspath(path))).hexdigest()[:16]
    output = out_dir / f"{digest}.bc"
    command = compile_command(path, options, clang, output)
    try:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            errors="replace",
        )  # fmt: skip
    except OSError as problem:
        raise ToolError(f"{clang.command[0]} does not start: {problem.strerror}") from problem
    return _Compilation(path, options, clang.command[0], output, process)


def compile_sources(paths: Sequence[str], options: CompileOptions, clang: Clang, out_dir: Path) -> list[Path]:
    """Bitcode of every C file of `paths`, compiled in parallel; LLVM files are passed through. Keeps the order."""
    with Compilations(paths, options, clang, out_dir) as compilations:
        return compilations.finish()


def compile_source(path: str, options: CompileOptions, clang: Clang, out_dir: Path) -> Path:
    """The bitcode file, in `out_dir`, of the C file `path`; the path itself for an LLVM file."""
    return compile_sources([path], options, clang, out_dir)[0]


def check_input(path: str) -> None:
    """Raises UsageError unless `path` is a readable file of a kind that pancam knows."""
    if os.path.isdir(path):
        raise UsageError(f"{path}: is a directory, not a C file")
    if not os.path.exists(path):
        raise UsageError(f"{path}: no such file")
    if Path(path).suffix not in (*SOURCE_SUFFIXES, *IR_SUFFIXES):
        raise UsageError(f"{path}: not a C file (.c, .i) nor an LLVM file (.ll, .bc)")
    if not os.access(path, os.R_OK):
        raise UsageError(f"{path}: cannot be read, permission denied")


def compile_command(path: str, options: CompileOptions, clang: Clang, output: Path) -> list[str]:
    """The command that compiles `path` to `output`."""
    command = [*clang.command]
    if clang.is_zig:
        command += ["-target", "x86-linux-gnu" if options.m32 else "x86_64-linux-gnu", *_ZIG_FLAGS]
    else:
        command += [*_CLANG_FLAGS, "-m32"] if options.m32 else _CLANG_FLAGS
    command += [*_COMMON_FLAGS, f"-O{options.opt_level}"]
    if options.checks:
        names = ",".join(options.checks)
        command += [f"-fsanitize={names}", f"-fsanitize-trap={names}"]
    if options.exact_accesses and options.opt_level != "0":
        command += _EXACT_FLAGS
    if options.std is not None:
        command.append(f"-std={options.std}")
    command += [f"-I{directory}" for directory in options.include_dirs]
    command += [f"-D{define}" for define in options.defines]
    command += [f"-U{name}" for name in options.undefines]
    for file in options.include_files:
        command += ["-include", file]
    command += ["-isystem", str(resources.guest_include()), *options.extra_flags]
    # A name that starts with - or @ would be taken for an option or a response file.
    return [*command, "-o", str(output), f"./{path}" if path.startswith(("-", "@")) else path]


def _compile_failure(path: str, options: CompileOptions, status: int, stderr: str) -> CompileError | ToolError:
    if options.m32 and _MISSING_HEADER_32.search(stderr):
        return ToolError(
            "the 32-bit C headers that --m32 needs are missing: "
            "apt install libc6-dev-i386 gcc-multilib (Debian and Ubuntu)"
        )
    for line in stderr.splitlines():
        match = _DIAGNOSTIC.match(line)
        if match:
            place = SourceLocation(match["file"], int(match["line"]), int(match["column"]))
            return CompileError(match["message"], stderr, place)
        match = _DRIVER_ERROR.match(line)
        if match:
            return CompileError(f"{path}: {match['message']}", stderr)
    first_line = next(iter(stderr.split("\n")), "").strip()
    return CompileError(f"{path}: the compiler failed with status {status}: {first_line or 'no reason given'}", stderr)
