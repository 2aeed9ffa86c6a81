# SPDX-License-Identifier: Apache-2.0
"""From C files to a module: real compilations, the errors a user can cause, source places and C types."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from llvmlite import binding

from pancam.errors import CompileError, SourceLocation, ToolError, UnsupportedError, UsageError
from pancam.frontend.clang import CompileOptions, clang_version, compile_source, compile_sources, find_clang
from pancam.frontend.library import build_library, make_replaceable
from pancam.frontend.module import linked_text, load_module
from pancam.ir.debuginfo import DebugInfo
from pancam.ir.parser import parse_module

if TYPE_CHECKING:
    from pancam.ir.model import Module

PROGRAM = """
struct list { struct list *next; int v : 3; unsigned w : 5; double d[2][3]; };
typedef struct list list_t;
enum colour { RED, GREEN = 5 };
union both { int i; float f; };
_Atomic int counter;
static inline __attribute__((always_inline)) int twice(int x) { return x + x; }
int walk(list_t *l, enum colour c, union both b) {
    int n = 0;
    for (; l; l = l->next)
        n += twice(l->v + (int) c + b.i);
    return n;
}
int main(int argc, char **argv) {
    switch (argc) { case 1: return walk(0, GREEN, (union both){1}); case 9: counter++; default: return argv != 0; }
}
"""


def load(folder: Path, text: str, options: CompileOptions | None = None, name: str = "program.c") -> Module:
    source = folder / name
    source.write_text(text)
    return load_module([compile_source(str(source), options or CompileOptions(), find_clang(), folder)])


@pytest.mark.parametrize("level", ["0", "1", "2", "3", "s"])
@pytest.mark.parametrize("m32", [False, True])
def test_every_instruction_is_parsed(tmp_path: Path, level: str, m32: bool) -> None:
    source = tmp_path / "p.c"
    source.write_text(PROGRAM)
    try:
        bitcode = compile_source(str(source), CompileOptions(opt_level=level, m32=m32), find_clang(), tmp_path)
    except ToolError as problem:
        pytest.skip(str(problem))
    reference = binding.parse_bitcode(bitcode.read_bytes())
    module = parse_module(linked_text([bitcode]))
    for function in reference.functions:
        parsed = module.functions[function.name]
        expected = [[instruction.opcode for instruction in block.instructions] for block in function.blocks]
        assert [[item.opcode for item in block.instructions] for block in parsed.blocks.values()] == expected


def test_places_follow_inlining(tmp_path: Path) -> None:
    module = load(tmp_path, PROGRAM, CompileOptions(opt_level="1"))
    chains = [
        module.location_chain(item.location)
        for block in module.functions["walk"].blocks.values()
        for item in block.instructions
    ]
    inlined = next(chain for chain in chains if len(chain) == 2)
    assert [name for name, _ in inlined] == ["twice", "walk"]
    assert (inlined[0][1].line, inlined[1][1].line) == (7, 11)
    assert inlined[0][1].file == str(tmp_path / "program.c")


def test_relative_names_stay_as_typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("p.c").write_text("int main(void) { return 0; }\n")
    module = load_module([compile_source("p.c", CompileOptions(), find_clang(), tmp_path)])
    last = module.functions["main"].blocks["0"].instructions[-1]
    assert module.source_location(last.location) == SourceLocation("p.c", 1, 18)


def test_debug_types(tmp_path: Path) -> None:
    module = load(tmp_path, PROGRAM)
    info = DebugInfo(module)
    variables = {variable.name: variable for variable in info.variables(module.functions["walk"])}
    assert {name: variable.argument for name, variable in variables.items()}["c"] == 2
    pointer = info.resolve(variables["l"].type)
    assert pointer is not None
    struct = info.resolve(pointer.base)
    assert struct is not None
    assert (struct.kind, struct.name) == ("struct", "list")
    following, v, w, d = struct.members
    assert info.resolve(following.type) == info.type(following.type or -1)
    assert info.type(info.type(following.type or -1).base or -1) is struct
    assert (v.is_bit_field, v.size, v.offset, w.size, w.offset) == (True, 3, 64, 5, 67)
    matrix = info.resolve(d.type)
    assert matrix is not None
    assert matrix.counts == (2, 3)
    colour = info.resolve(variables["c"].type)
    assert colour is not None
    assert colour.enumerators == (("RED", 0), ("GREEN", 5))
    described = info.global_variable(module.globals["counter"])
    assert described is not None
    assert (described.name, described.location.line, info.size(described.type)) == ("counter", 6, 32)


@pytest.mark.parametrize("name", ["with space.c", "-dash.c", "@at.c", 'quo"te.c', "it's.c", "ünïcode.c", "$HOME.c"])
def test_odd_file_names(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_text("int main(void) { return 0; }\n")
    module = load_module(compile_sources([name], CompileOptions(), find_clang(), tmp_path))
    last = module.functions["main"].blocks["0"].instructions[-1]
    place = module.source_location(last.location)
    assert place is not None
    assert place.file.removeprefix("./") == name


def test_options_reach_clang(tmp_path: Path) -> None:
    (tmp_path / "inc dir").mkdir()
    (tmp_path / "inc dir" / "h.h").write_text("#define H 1\n")
    (tmp_path / "forced.h").write_text("#define FORCED 1\n")
    condition = "!H || !FORCED || X != 3 || defined(Y) || __STDC_VERSION__ != 199901L"
    text = f'#include "h.h"\n#if {condition}\n#error\n#endif\nint main;\n'
    options = CompileOptions(
        include_dirs=(str(tmp_path / "inc dir"),),
        defines=("X=3", "Y"),
        undefines=("Y",),
        std="c99",
        include_files=(str(tmp_path / "forced.h"),),
    )
    assert "main" in load(tmp_path, text, options).globals


def test_preprocessed_file_keeps_lines(tmp_path: Path) -> None:
    module = load(tmp_path, '# 40 "orig.c"\nint main(void) { return 0; }\n', name="p.i")
    last = module.functions["main"].blocks["0"].instructions[-1]
    place = module.source_location(last.location)
    assert place is not None
    assert (Path(place.file).name, place.line) == ("orig.c", 40)


def test_compile_error_has_place_and_details(tmp_path: Path) -> None:
    with pytest.raises(CompileError) as caught:
        load(tmp_path, "int main(void) {\n  return x;\n}\n")
    assert str(caught.value) == f"{tmp_path / 'program.c'}:2:10: use of undeclared identifier 'x'"
    assert "return x;" in caught.value.details
    assert caught.value.exit_code == 2


def test_unusable_inputs(tmp_path: Path) -> None:
    (tmp_path / "a.cpp").write_text("")
    (tmp_path / "d.c").mkdir()
    for name, message in (("absent.c", "no such file"), ("a.cpp", "not a C file"), ("d.c", "is a directory")):
        with pytest.raises(UsageError, match=message):
            compile_source(str(tmp_path / name), CompileOptions(), find_clang(), tmp_path)
    for name, data in (("x.bc", b"BC\xc0\xdejunk"), ("y.ll", b"\xff\xfe"), ("z.ll", b"define nonsense")):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(CompileError):
            load_module([tmp_path / name])


def test_binary_junk_is_a_compile_error(tmp_path: Path) -> None:
    (tmp_path / "j.c").write_bytes(bytes(range(256)) * 8)
    with pytest.raises(CompileError):
        compile_source(str(tmp_path / "j.c"), CompileOptions(), find_clang(), tmp_path)


def test_linking(tmp_path: Path) -> None:
    for name, text in (("a", "int f(void); int main(void) { return f(); }"), ("b", "int f(void) { return 1; }")):
        (tmp_path / f"{name}.c").write_text(text)
    paths = [str(tmp_path / "a.c"), str(tmp_path / "b.c")]
    compiled = compile_sources(paths, CompileOptions(), find_clang(), tmp_path)
    assert not load_module(compiled).functions["f"].is_declaration
    with pytest.raises(CompileError, match="multiply defined"):
        load_module([*compiled, compiled[1]])


def test_other_targets_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "a.ll"
    file.write_text('target datalayout = "e-p:32:32"\ntarget triple = "armv7-linux-gnueabi"\n')
    with pytest.raises(UnsupportedError, match="armv7"):
        load_module([file])
    file.write_text("define i32 @main() {\n  ret i32 0\n}\n")
    assert load_module([file]).triple.startswith("x86_64")


def test_missing_clang(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ToolError, match="--clang"):
        find_clang(str(tmp_path / "no-clang"))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("PANCAM_CLANG", raising=False)
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(ToolError, match="apt install clang"):
        find_clang()


def test_newest_clang_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("clang-13", "clang-19", "clang-30"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    (tmp_path / "clang").symlink_to(tmp_path / "clang-13")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("PANCAM_CLANG", raising=False)
    assert find_clang().command == (str(tmp_path / "clang-19"),)
    assert clang_version(str(tmp_path / "clang")) == 13
    monkeypatch.setenv("PANCAM_CLANG", "clang-13")
    assert find_clang().command == (str(tmp_path / "clang-13"),)


def test_missing_32_bit_headers(tmp_path: Path) -> None:
    script = tmp_path / "clang-99"
    script.write_text("#!/bin/sh\necho \"x.h:7:11: fatal error: 'gnu/stubs-32.h' file not found\" >&2\nexit 1\n")
    script.chmod(0o755)
    (tmp_path / "p.c").write_text("int main(void) { return 0; }")
    with pytest.raises(ToolError, match="libc6-dev-i386"):
        compile_source(str(tmp_path / "p.c"), CompileOptions(m32=True), find_clang(str(script)), tmp_path)


def test_library_gives_only_what_is_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    source = tmp_path / "lib.c"
    source.write_text(
        "static int helper(void) { return 7; }\nint own(void) { return 1; }\n"
        "int used(void) { return helper() + own(); }\n"
        "int unused(void) { return 2; }\nint kept(void) { return 3; }\nint state = 4;\n"
    )
    library = build_library([source], CompileOptions(), find_clang(), always_linked=("kept",))
    assert len(list((tmp_path / "cache" / "pancam").iterdir())) == 1
    assert build_library([source], CompileOptions(), find_clang(), always_linked=("kept",)) == library
    program = tmp_path / "p.c"
    program.write_text(
        "int used(void); static int helper(void) { return 8; } int own(void) { return 5; }\n"
        "int main(void) { return used() + helper(); }\n"
    )
    module = load_module([compile_source(str(program), CompileOptions(), find_clang(), tmp_path)], library)
    defined = {name for name in module.functions if not module.functions[name].is_declaration}
    assert {"main", "own", "used", "helper", "kept"} < defined
    assert "unused" not in defined
    assert "state" not in module.globals
    assert module.functions["own"].linkage == "external"
    assert len([name for name in defined if name.startswith("helper")]) == 2


def test_library_without_a_writable_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocker = tmp_path / "file"
    blocker.write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocker))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    source = tmp_path / "lib.c"
    source.write_text("int f(void) { return 1; }\n")
    library = build_library([source], CompileOptions(), find_clang())
    assert any(file.read_bytes() == library for file in tmp_path.glob("pancam-*/library-*.bc"))


def test_make_replaceable_touches_definitions_only() -> None:
    text = (
        "@a = dso_local global i32 0\n@b = internal global i32 0\n@c = external global i32\n"
        "@.str = private constant i8 0\n"
        "define dso_local i32 @f() {\n  ret i32 0\n}\ndefine internal void @g() {\n  ret void\n}\ndeclare void @h()\n"
    )
    edited = make_replaceable(text, ("f",)).split("\n")
    assert edited[0] == "@a = linkonce dso_local global i32 0"
    assert edited[4] == "define weak dso_local i32 @f() {"
    assert [line for index, line in enumerate(edited) if index not in (0, 4)] == [
        line for index, line in enumerate(text.split("\n")) if index not in (0, 4)
    ]
