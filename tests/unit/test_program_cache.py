# SPDX-License-Identifier: Apache-2.0
"""Programs in the cache: an unchanged program is found there, and nothing that could make another program is missed."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pancam import cache, pipeline, program_cache
from pancam.frontend.clang import CompileOptions
from pancam.liveness import Proposition
from pancam.pipeline import BuildOptions, Timings, build_program

if TYPE_CHECKING:
    from pancam.bytecode.program import Program

HEADER = "#define SIZE 3\n"
SOURCE = """#include "size.h"
char pancam_nondet_char(void);
int table[SIZE];
static int x;
int main(int argc, char **argv) {
    unsigned i = (unsigned) pancam_nondet_char();
    x = argc;
    if (i < SIZE) { table[i] = x; }
    return argv[0][0] == 'x';
}
"""


class Linked(Exception):  # noqa: N818 - it is no error
    """The program was not in the cache."""


def build(folder: Path, options: BuildOptions | None = None, *arguments: str) -> Program:
    return build_program([str(folder / "program.c")], options or BuildOptions(), list(arguments), Timings())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a program that was built there once."""
    (tmp_path / "size.h").write_text(HEADER)
    (tmp_path / "program.c").write_text(SOURCE)
    build(tmp_path)
    return tmp_path


@pytest.fixture
def no_linking(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the same folder; whoever makes a program from its bitcode from now on raises Linked."""

    def refuse(*_: object) -> None:
        raise Linked

    monkeypatch.setattr(pipeline, "_link", refuse)
    return folder


def test_an_unchanged_program_is_found_whole(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options = BuildOptions(nondet=("char=1..2",))
    made = build(folder, options, "word")
    with monkeypatch.context() as patches:
        patches.delattr(pipeline, "_link")
        found = build(folder, options, "word")
    assert found.image == made.image
    assert found.restrictions == made.restrictions != ()
    assert (found.thread_limit, found.has_main) == (made.thread_limit, made.has_main)
    assert found.source_map.encoded == made.source_map.encoded
    assert found.file_bytes() == made.file_bytes()


@pytest.mark.parametrize(
    "options",
    [
        BuildOptions(compile=CompileOptions(opt_level="1")),
        BuildOptions(compile=CompileOptions(defines=("OTHER",))),
        BuildOptions(thread_limit=3),
        BuildOptions(uninit=True),
        BuildOptions(keeps_variables=True),
        BuildOptions(functions=("main",)),
        BuildOptions(candidates=("main",)),
        BuildOptions(error_functions=("main",)),
        BuildOptions(error_labels=("label",)),
        BuildOptions(labels=("label",)),
        BuildOptions(nondet=("char=1..2",)),
        BuildOptions(malloc_may_fail=True),
        BuildOptions(nondet_uninit=True),
        BuildOptions(crowd=True),
        BuildOptions(small_type=2),
        BuildOptions(needs_main=False),
        BuildOptions(propositions=(Proposition("p", "x == 1", "__pancam_prop_p"),)),
    ],
    ids=repr,
)
def test_every_option_makes_another_program(no_linking: Path, options: BuildOptions) -> None:
    with pytest.raises(Linked):
        build(no_linking, options)


def test_an_option_more_is_not_forgotten_here() -> None:
    assert set(BuildOptions.__dataclass_fields__) - {"compile", "clang"} == {
        "thread_limit", "needs_main", "functions", "candidates", "uninit", "keeps_variables", "error_functions",
        "error_labels", "propositions", "labels", "nondet", "malloc_may_fail", "nondet_uninit", "crowd",
        "small_type",
    }  # fmt: skip


def test_arguments_make_another_program(no_linking: Path) -> None:
    with pytest.raises(Linked):
        build(no_linking, None, "word")


def test_a_changed_header_makes_another_program_whatever_its_date_says(no_linking: Path) -> None:
    header = no_linking / "size.h"
    status = header.stat()
    header.write_text("#define SIZE 4\n")
    os.utime(header, ns=(status.st_atime_ns, status.st_mtime_ns))
    with pytest.raises(Linked):
        build(no_linking)
    header.write_text(HEADER)
    build(no_linking)


def test_the_folder_that_names_are_relative_to_counts(no_linking: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(no_linking)
    with pytest.raises(Linked):
        build(no_linking)


def test_another_pancam_makes_another_program(no_linking: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = program_cache.tools_of("library")
    assert before != program_cache.tools_of("another")
    changed = no_linking / "lower.py"
    changed.write_text("something else\n")
    monkeypatch.setattr(program_cache, "_sources", lambda: [str(changed)])
    assert program_cache.tools_of("library") != before
    with pytest.raises(Linked):
        build(no_linking)


def test_all_stages_that_make_programs_are_in_the_name() -> None:
    names = {Path(path).name for path in program_cache._sources()}  # noqa: SLF001
    assert {
        "pipeline.py",
        "isa.py",
        "parser.py",
        "lower.py",
        "rewrite.py",
        "clang.py",
        "opcodes.def",
        "image.h",
    } <= names


def test_a_damaged_file_is_as_good_as_none(no_linking: Path) -> None:
    for entry in cache.beginning_with(program_cache.KIND):
        data = bytearray(Path(entry.path).read_bytes() or b"-")  # other tests leave empty ones here
        data[len(data) // 2] ^= 1
        Path(entry.path).write_bytes(data)
    with pytest.raises(Linked):
        build(no_linking)
    for entry in cache.beginning_with(program_cache.KIND):
        Path(entry.path).write_bytes(b"")
    with pytest.raises(Linked):
        build(no_linking)


def test_only_the_programs_used_last_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))  # where else a cache could be
    for number in range(5):
        cache.keep(f"thing-{number}", b"x", "thing-", 3)
        os.utime(tmp_path / "pancam" / f"thing-{number}", (number, number))
    cache.keep("other-0", b"x", "other-", 3)
    assert sorted(path.name for path in cache.entries()) == ["other-0", "thing-2", "thing-3", "thing-4"]


def test_whether_a_program_is_expected_depends_on_when_its_files_were_written(folder: Path) -> None:
    cache.keep("program-x-1", b"", program_cache.KIND, 1000)
    source = folder / "program.c"
    os.utime(source, (1, 1))
    assert program_cache.is_expected("program-x-", [str(source)])
    assert not program_cache.is_expected("program-y-", [str(source)])
    now = next(entry.stat().st_mtime for entry in cache.beginning_with("program-x-"))
    os.utime(source, (now + 10, now + 10))
    assert not program_cache.is_expected("program-x-", [str(source)])
    assert not program_cache.is_expected("program-x-", [str(folder / "nothing.c")])


def test_options_of_the_compiler_are_options_of_the_program() -> None:
    plain = BuildOptions()
    assert repr(replace(plain, compile=replace(plain.compile, m32=True))) != repr(plain)
