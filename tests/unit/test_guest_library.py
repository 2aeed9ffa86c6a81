# SPDX-License-Identifier: Apache-2.0
"""The guest C library: compiled for the host beside glibc and compared with it, and compiled to LLVM IR.

The native harness is in tests/guest/; every symbol of the library is renamed with the prefix guest_ there.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from pancam.frontend.clang import CompileOptions, find_clang
from pancam.frontend.library import build_library

ROOT = Path(__file__).resolve().parents[2]
GUEST = ROOT / "vm_c" / "guest"
HARNESS = ROOT / "tests" / "guest"
SEED = 20240229
ROUNDS = 60_000

IR_FLAGS = [
    "-O1", "-g", "-fno-builtin", "-fno-vectorize", "-fno-slp-vectorize", "-fno-unroll-loops",
    "-Wall", "-Wextra", "-Werror", "-emit-llvm", "-c",
]  # fmt: skip
CLANGS = ["clang", *(f"clang-{version}" for version in range(13, 23))]


def library_files() -> list[Path]:
    """The files of the C library proper. Those of threads need the machine: they have tests of their own."""
    return [file for file in sorted(GUEST.glob("*.c")) if '#include "library.h"' in file.read_text()]


def run(command: list[str]) -> str:
    """Runs a command that must succeed and returns its output."""
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}{done.stderr}"
    return done.stdout


def can_link(compiler: str, width: str, folder: Path) -> bool:
    """Whether the compiler can build programs of this width."""
    source = folder / "probe.c"
    source.write_text('#include <stdio.h>\nint main(void) { return puts("") < 0; }\n')
    command = [compiler, width, str(source), "-o", str(folder / "probe")]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def build_harness(compiler: str, width: str, folder: Path) -> Path:
    """Compiles library and harness; the library's own symbols get the prefix guest_."""
    flags = [width, "-std=gnu11", "-O1", "-fno-builtin", "-Wall", "-Wextra", f"-I{GUEST}"]
    objects = [folder / f"library_{file.stem}.o" for file in library_files()]
    for file, target in zip(library_files(), objects, strict=True):
        strict = ["-Wshadow", "-Wconversion", "-Werror", "-fno-stack-protector"]
        run([compiler, *flags, *strict, "-c", str(file), "-o", str(target)])
    symbols = run(["nm", "-g", "--defined-only", "-j", *map(str, objects)]).split()
    names = {symbol for symbol in symbols if not symbol.endswith(".o:")} | {"main"}
    renames = folder / "renames"
    renames.write_text("".join(f"{name} guest_{name}\n" for name in sorted(names)))
    for target in objects:
        run(["objcopy", f"--redefine-syms={renames}", str(target)])
    program = folder / "harness"
    sources = [str(file) for file in sorted(HARNESS.glob("*.c"))]
    run([compiler, *flags, f"-I{HARNESS}", *sources, *map(str, objects), "-lm", "-o", str(program)])
    return program


@pytest.mark.parametrize("width", ["-m64", "-m32"])
def test_library_behaves_like_glibc(width: str, tmp_path: Path) -> None:
    """Thousands of random and chosen inputs give the same results in the guest library and in glibc."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None or shutil.which("objcopy") is None:
        pytest.skip("needs a C compiler and objcopy")
    if not can_link(compiler, width, tmp_path):
        pytest.skip(f"{compiler} {width} does not link (for -m32 install gcc-multilib)")
    output = run([str(build_harness(compiler, width, tmp_path)), str(SEED), str(ROUNDS)])
    assert output.endswith(" 0 failures\n")


@pytest.mark.parametrize("width", ["-m64", "-m32"])
@pytest.mark.parametrize("clang", CLANGS)
def test_library_compiles_to_ir(clang: str, width: str, tmp_path: Path) -> None:
    """Every installed Clang compiles every file to LLVM IR without a warning."""
    if shutil.which(clang) is None:
        pytest.skip(f"{clang} is not installed")
    probe = tmp_path / "probe.c"
    probe.write_text("#include <stdio.h>\n")
    if subprocess.run([clang, width, "-fsyntax-only", str(probe)], capture_output=True, check=False).returncode != 0:
        pytest.skip(f"{clang} {width} finds no system headers (for -m32 install gcc-multilib)")
    for file in library_files():
        run([clang, width, *IR_FLAGS, str(file), "-o", str(tmp_path / f"{file.stem}.bc")])


def test_no_function_is_compiled_into_a_call_of_itself(tmp_path: Path) -> None:
    """Loops of memcpy and its like stay loops: the bitcode of memory.c and string.c has no llvm.mem* intrinsics."""
    clang = shutil.which("clang")
    if clang is None:
        pytest.skip("clang is not installed")
    for name in ("memory.c", "string.c", "sort.c"):
        target = tmp_path / f"{name}.ll"
        run([clang, *IR_FLAGS, "-S", str(GUEST / name), "-o", str(target)])
        assert "llvm.mem" not in target.read_text()


def test_the_library_is_built_anew_when_a_table_of_the_machine_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    source, table = tmp_path / "guest" / "kind.c", tmp_path / "faults.def"
    source.parent.mkdir()
    source.write_text('enum { FIRST,\n#include "../faults.def"\n};\nint kind(void) { return LAST; }\n')
    clang, built = find_clang(None), []
    for rows in ("LAST", "MIDDLE, LAST"):
        table.write_text(rows)
        built.append(build_library([source], CompileOptions(), clang))
    assert built[0] != built[1]
