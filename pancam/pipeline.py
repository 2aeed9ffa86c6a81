# SPDX-License-Identifier: Apache-2.0
"""The whole chain: files to Module to Program. Only the command line imports this."""

from __future__ import annotations

import os
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from pancam import program_cache
from pancam.bytecode.entries import ALWAYS_NEEDED
from pancam.errors import PancamError, UnresolvedSymbolError, UnsupportedError, UsageError
from pancam.frontend.clang import Clang, Compilations, CompileOptions, find_clang
from pancam.frontend.library import build_library, library_name
from pancam.resources import guest_sources

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pancam.bytecode.program import Program
    from pancam.ir.model import Module
    from pancam.liveness import Proposition
    from pancam.nondet.rewrite import NondetOptions

IMAGE_SUFFIX = ".pcb"
DEFAULT_THREAD_LIMIT = 8
# Of what makes programs out of bitcode, modules in an order in which importing one of them does not take long.
STAGE_MODULES = (
    "pancam.isa", "pancam.ir.types", "pancam.ir.values", "pancam.ir.model", "pancam.ir.read_values",
    "pancam.ir.metadata", "pancam.ir.debuginfo", "pancam.ir.parser", "pancam.bytecode.function",
    "pancam.bytecode.intrinsics", "pancam.bytecode.lower", "pancam.nondet.cells", "pancam.nondet.rewrite",
)  # fmt: skip
LIBRARY_FLAGS = ("-fno-builtin", "-fno-stack-protector")
CROWD_FLAG = "-DPANCAM_CROWD"


@dataclass(frozen=True)
class BuildOptions:
    """How to make a program out of files."""

    compile: CompileOptions = field(default_factory=CompileOptions)
    clang: str | None = None
    thread_limit: int = DEFAULT_THREAD_LIMIT
    needs_main: bool = True  # otherwise threads are started from outside
    functions: tuple[str, ...] = ()  # that must be there, since they are called from outside
    candidates: tuple[str, ...] = ()  # names that may be functions; a driver mentions them
    uninit: bool = False  # loads of what was never written are faults
    keeps_variables: bool = False  # in memory for as long as they are in scope: what they point to is not lost
    error_functions: tuple[str, ...] = ()  # that must not be called
    error_labels: tuple[str, ...] = ()  # that must not be reached
    propositions: tuple[Proposition, ...] = ()  # that functions are to be made of
    labels: tuple[str, ...] = ()  # passing them is to be noted
    nondet: tuple[str, ...] = ()  # --nondet: which values to try
    malloc_may_fail: bool = False
    nondet_uninit: bool = False  # what was never assigned has any value
    crowd: bool = False  # threads are not told apart: for searches with any number of them
    small_type: int | None = None  # types with so many values are enumerated; tests want fewer


class Timings:
    """Seconds spent in each phase, in the order the phases ended."""

    def __init__(self) -> None:
        self.phases: dict[str, float] = {}

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        start = time.perf_counter()
        try:
            yield
        finally:
            self.phases[name] = self.phases.get(name, 0.0) + time.perf_counter() - start


def build_program(paths: Sequence[str], options: BuildOptions, arguments: list[str], timings: Timings) -> Program:
    """The program in these files: compiled, linked with the library, lowered; or read from an image.

    A function that is only defined `inline` has no code of its own in C99, and the linker would miss it: what is
    missing is looked for once more with inline definitions kept.
    """
    if any(path.endswith(IMAGE_SUFFIX) for path in paths):
        if options.functions or options.labels or not options.needs_main:
            raise UsageError(
                f"functions are called from outside only in C or LLVM files, not in an image ({IMAGE_SUFFIX})"
            )
        if options.error_functions or options.error_labels:
            raise UsageError(f"an image ({IMAGE_SUFFIX}) is compiled already: error functions are for C or LLVM files")
        if options.uninit or options.compile.checks_overflow:
            raise UsageError(f"--overflow and --uninit are for compiling: an image ({IMAGE_SUFFIX}) has them or not")
        return _load_image(paths, arguments)
    try:
        return _compile_program(paths, options, arguments, timings)
    except UnresolvedSymbolError as missing:
        flags = (*options.compile.extra_flags, "-fgnu89-inline")
        kept = replace(options, compile=replace(options.compile, extra_flags=flags))
        try:
            return _compile_program(paths, kept, arguments, timings)
        except PancamError:
            raise missing from None


def _compile_program(paths: Sequence[str], options: BuildOptions, arguments: list[str], timings: Timings) -> Program:
    clang = find_clang(options.clang)
    with tempfile.TemporaryDirectory(prefix="pancam-") as folder:
        with timings.phase("clang"), Compilations(paths, options.compile, clang, Path(folder)) as compilations:
            library = (sorted(guest_sources().glob("*.c")), _library_options(options), clang, ALWAYS_NEEDED)
            words = [_program_name(paths), *arguments]
            tools = program_cache.tools_of(library_name(*library))
            start = program_cache.start_of_name([repr(options), *paths, "--", *words], tools)
            if not program_cache.is_expected(start, paths):
                _import_stages(lambda: compilations.is_busy)
            files = _compiled(compilations, paths, options, clang, Path(folder))
        with timings.phase("cache"):
            name = program_cache.name_of(start, files)
            program = program_cache.find(name)
        if program is not None:
            return program
        module = _link(files, library, paths, options, timings)
    program = _lower(module, words, options, timings)
    with timings.phase("cache"):
        program_cache.keep(name, program)
    return program


def _import_stages(is_wanted: Callable[[], bool]) -> None:
    """Import what is needed unless the program is in the cache, one module after the other while that is wanted."""
    from importlib import import_module

    for name in STAGE_MODULES:
        if not is_wanted():
            return
        import_module(name)


def _compiled(
    compilations: Compilations, paths: Sequence[str], options: BuildOptions, clang: Clang, folder: Path
) -> list[Path]:
    """The bitcode of all files, with the propositions in those whose names they speak of."""
    files = compilations.finish()
    if not options.propositions:
        return files
    from pancam.frontend.propositions import compile_propositions

    added = compile_propositions(paths, options.propositions, options.compile, clang, folder)
    return [added.get(number, file) for number, file in enumerate(files)]


def _link(
    files: Sequence[Path],
    library: tuple[Sequence[Path], CompileOptions, Clang, Sequence[str]],
    paths: Sequence[str],
    options: BuildOptions,
    timings: Timings,
) -> Module:
    with timings.phase("imports"):
        from pancam.frontend.module import load_module, preload

        preload()
    with timings.phase("library"):
        bitcode = build_library(*library)
    with timings.phase("link"):
        return load_module(files, bitcode, paths, options.labels)


def _lower(module: Module, words: list[str], options: BuildOptions, timings: Timings) -> Program:
    with timings.phase("imports"):
        from pancam.bytecode.competition import ErrorPlaces
        from pancam.bytecode.lower import MemoryUse, Roots, lower_module
        from pancam.nondet.rewrite import make_choices
    with timings.phase("lower"):
        defined = {name for name, function in module.functions.items() if not function.is_declaration}
        mentioned = tuple(name for name in options.candidates if name in defined)
        has_main = options.needs_main or "main" in mentioned
        errors = ErrorPlaces(options.error_functions, options.error_labels)
        roots = Roots(has_main, (*options.functions, *(name for name in mentioned if name != "main")), errors)
        choices = make_choices(module, roots.names, _nondet_options(options))
        memory = MemoryUse(options.uninit, not options.keeps_variables)
        program = lower_module(choices.module, words, options.thread_limit, roots, memory)
        program.restrictions = choices.restrictions
        if options.crowd:
            _refuse_what_tells_threads_apart(module, program)
        return program


def _nondet_options(options: BuildOptions) -> NondetOptions:
    from pancam.nondet.overrides import parse_override
    from pancam.nondet.rewrite import NondetOptions

    made = NondetOptions(
        tuple(map(parse_override, options.nondet)),
        bool(options.candidates),
        options.malloc_may_fail,
        options.nondet_uninit,
    )
    return made if options.small_type is None else replace(made, small_type=options.small_type)


def _library_options(options: BuildOptions) -> CompileOptions:
    """The library is compiled in one way, whatever the program's flags are, but for the same target."""
    flags = (*LIBRARY_FLAGS, CROWD_FLAG) if options.crowd else LIBRARY_FLAGS
    return CompileOptions(opt_level="1", m32=options.compile.m32, extra_flags=flags)


def _refuse_what_tells_threads_apart(module: Module, program: Program) -> None:
    """Threads that know their numbers, or whose ids are looked at, are no crowd."""
    from pancam.bytecode.handles import looks_at_handles, numbered

    if looks_at_handles(module):
        raise UnsupportedError("the ids of threads are looked at")
    name = numbered(program)
    if name is not None:
        raise UnsupportedError(f"{name} tells threads apart")


def _program_name(paths: Sequence[str]) -> str:
    return Path(paths[0]).stem


def _load_image(paths: Sequence[str], arguments: list[str]) -> Program:
    from pancam.bytecode.program_file import read_program, with_arguments

    if len(paths) != 1:
        raise UsageError(f"an image ({IMAGE_SUFFIX}) is a whole program: it cannot be linked with other files")
    program = read_program(Path(paths[0]))
    return with_arguments(program, [_program_name(paths), *arguments])


def write_file(path: Path, data: bytes) -> None:
    """Write a file whole or not at all: under another name first, then renamed."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_bytes(data)
        temporary.replace(path)
    except OSError as problem:
        temporary.unlink(missing_ok=True)
        raise UsageError(f"{path}: {problem.strerror}") from problem
