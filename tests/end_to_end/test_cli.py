# SPDX-License-Identifier: Apache-2.0
"""The command line from outside: what it accepts, and that whatever it is given, it answers in one clear line."""

from __future__ import annotations

import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from command import SECONDS, CommandLine, Result

RETURN_ARGC = "int main(int count, char **values) { (void)values; return count; }\n"
SHOW_ARGUMENTS = """
#include <stdio.h>
int main(int count, char **values) {
    for (int i = 1; i <= count; i++) puts(values[i] ? values[i] : "(end)");
    return count;
}
"""


# --- files that are no programs ---


def test_a_missing_file_is_named(pancam: CommandLine) -> None:
    assert pancam.refused("run", "nowhere.c") == "nowhere.c: no such file"
    assert pancam.refused("run", "nowhere.pcb").startswith("nowhere.pcb: ")


def test_a_folder_is_no_program(pancam: CommandLine) -> None:
    for name in ("folder", "folder.c", "folder.ll", "folder.pcb"):
        (pancam.folder / name).mkdir()
        assert "directory" in pancam.refused("run", name)


def test_a_file_of_another_kind_is_refused(pancam: CommandLine) -> None:
    pancam.file("notes.txt", "int main(void) { return 0; }")
    assert "notes.txt: not a C file" in pancam.refused("run", "notes.txt")


def test_what_is_not_c_shows_what_clang_says(pancam: CommandLine) -> None:
    pancam.file("prose.c", "Once upon a time there was a lock.\n")
    result = pancam("run", "prose.c")
    assert result.status == 2
    assert "prose.c:1:1: error:" in result.err
    assert result.err.splitlines()[-1].startswith("pancam: prose.c:1:1: ")


@pytest.mark.parametrize("name", ["noise.c", "noise.i", "noise.ll", "noise.bc", "noise.pcb"])
def test_noise_is_refused(pancam: CommandLine, name: str) -> None:
    (pancam.folder / name).write_bytes(bytes(range(255, 0, -1)))
    result = pancam("run", name)
    assert result.status == 2
    assert result.err.splitlines()[-1].startswith("pancam: ")
    assert name in result.err.splitlines()[-1]


def test_text_that_llvm_refuses_is_one_line(pancam: CommandLine) -> None:
    pancam.file("wrong.ll", "define i32 @main() {\n  ret i33 0\n}\n")
    assert pancam.refused("run", "wrong.ll").startswith("wrong.ll:2:7: ")


@pytest.mark.parametrize("name", ["empty.c", "empty.i", "empty.ll"])
def test_a_program_without_main_is_refused(pancam: CommandLine, name: str) -> None:
    pancam.file(name, "")
    assert pancam.refused("run", name) == "the program has no function main"


def test_a_compile_error_is_shown_in_clangs_words(pancam: CommandLine) -> None:
    pancam.file("wrong.c", "int main(void) {\n    return nothing;\n}\n")
    result = pancam("run", "wrong.c")
    assert (result.status, result.out) == (2, "")
    assert "wrong.c:2:12: error: use of undeclared identifier 'nothing'" in result.err
    assert result.err.splitlines()[-1] == "pancam: wrong.c:2:12: use of undeclared identifier 'nothing'"


def test_an_unresolved_function_is_named_with_the_place_of_its_use(pancam: CommandLine) -> None:
    pancam.file("open.c", "int missing(int);\nint main(void) {\n    return missing(1);\n}\n")
    line = pancam.refused("run", "open.c")
    assert line.startswith("open.c:3:12: missing is not defined")


def test_an_unresolved_variable_is_named_with_the_place_of_its_use(pancam: CommandLine) -> None:
    pancam.file("open.c", "extern int missing;\nint main(void) {\n    return missing;\n}\n")
    assert pancam.refused("run", "open.c").startswith("open.c:3:12: missing is not defined")


def test_a_function_that_is_never_reached_need_not_exist(pancam: CommandLine) -> None:
    pancam.file("open.c", "int missing(int);\nint unused(void) { return missing(1); }\nint main(void) { return 5; }\n")
    assert pancam("run", "open.c").status == 5


def test_a_weak_function_that_nobody_defines_is_null(pancam: CommandLine) -> None:
    pancam.file(
        "weak.c", "void f(void) __attribute__((weak));\nint main(int n) {\n    if (f || n > 1)\n        f();\n}\n"
    )
    assert pancam("run", "weak.c").status == 0
    result = pancam("run", "weak.c", "--", "call")
    assert result.status == 1
    assert result.err.startswith("weak.c:4:9: fault: ")


def test_an_unsupported_instruction_is_named_with_its_line(pancam: CommandLine) -> None:
    pancam.file("asm.c", 'int main(void) {\n    __asm__ volatile("cli");\n    return 0;\n}\n')
    line = pancam.refused("run", "asm.c")
    assert line.startswith("asm.c:2:5: ")
    assert '"cli"' in line


def test_the_same_function_in_two_files_is_refused_by_name(pancam: CommandLine) -> None:
    pancam.file("a.c", "int twice(void) { return 1; }\nint main(void) { return twice(); }\n")
    pancam.file("b.c", "int twice(void) { return 2; }\n")
    line = pancam.refused("run", "a.c", "b.c")
    assert "b.c: " in line
    assert "'twice'" in line


# --- images ---


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    compiler = CommandLine(tmp_path_factory.mktemp("image"))
    compiler.file("show.c", SHOW_ARGUMENTS)
    assert compiler("compile", "show.c", "-o", "show.pcb") == Result(0, "", "")
    return (compiler.folder / "show.pcb").read_bytes()


@pytest.mark.parametrize("command", [("run",), ("disasm",), ("compile", "-o", "out.pcb")], ids=lambda c: c[0])
@pytest.mark.parametrize("damage", ["empty", "short", "truncated", "flipped", "longer", "version"])
def test_a_damaged_image_is_refused(pancam: CommandLine, image: bytes, command: tuple[str, ...], damage: str) -> None:
    middle = len(image) // 2
    damaged = {
        "empty": b"",
        "short": image[:20],
        "truncated": image[:middle],
        "flipped": image[:middle] + bytes([image[middle] ^ 4]) + image[middle + 1 :],
        "longer": image + b"\0",
        "version": image[:4] + b"\x63" + image[5:],
    }[damage]
    (pancam.folder / "damaged.pcb").write_bytes(damaged)
    line = pancam.refused(*command, "damaged.pcb")
    assert line.startswith("damaged.pcb: ")
    assert not (pancam.folder / "out.pcb").exists()


def test_an_image_runs_with_other_arguments(pancam: CommandLine, image: bytes) -> None:
    (pancam.folder / "show.pcb").write_bytes(image)
    assert pancam("run", "show.pcb") == Result(1, "(end)\n", "")
    assert pancam("run", "show.pcb", "--", "one", "", "a b") == Result(4, "one\n\na b\n(end)\n", "")
    long = "x" * 5000
    assert pancam("run", "show.pcb", "--", long, "--seed") == Result(3, f"{long}\n--seed\n(end)\n", "")


def test_an_image_cannot_be_linked(pancam: CommandLine, image: bytes) -> None:
    (pancam.folder / "show.pcb").write_bytes(image)
    pancam.file("more.c", RETURN_ARGC)
    assert "whole program" in pancam.refused("run", "show.pcb", "more.c")


def test_an_image_is_the_same_however_often_it_is_made(pancam: CommandLine, image: bytes) -> None:
    pancam.file("show.c", SHOW_ARGUMENTS)
    for name in ("one.pcb", "two.pcb"):
        assert pancam("compile", "show.c", "-o", name).status == 0
        assert (pancam.folder / name).read_bytes() == image


def test_an_image_that_cannot_be_written_is_one_line(pancam: CommandLine) -> None:
    pancam.file("a.c", RETURN_ARGC)
    assert pancam.refused("compile", "a.c", "-o", "nowhere/a.pcb").startswith("nowhere/a.pcb: ")


# --- options ---


@pytest.mark.parametrize(
    "arguments",
    [
        (), ("fly",), ("run",), ("run", "a.c", "--frobnicate"), ("run", "a.c", "-q"), ("run", "a.c", "-O9"),
        ("run", "a.c", "--seed"), ("run", "a.c", "--seed", "x"), ("run", "a.c", "--schedule", "fair"),
        ("run", "a.c", "--max-threads", "0"), ("run", "a.c", "--max-threads", "65"), ("run", "a.c", "--cflags", "'"),
        ("compile", "a.c"), ("compile", "a.c", "-o", "a.pcb", "--", "x"), ("disasm", "a.c", "--function", "absent"),
        ("disasm", "a.c", "--seed", "1"), ("run", "a.c", "--see", "1"), ("run", "a.c", "--clang", "no-such-clang"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_wrong_usage_is_one_line(pancam: CommandLine, arguments: tuple[str, ...]) -> None:
    pancam.file("a.c", RETURN_ARGC)
    pancam.refused(*arguments)


def test_options_reach_the_preprocessor(pancam: CommandLine) -> None:
    (pancam.folder / "headers").mkdir()
    pancam.file("headers/inner.h", "#define INNER 7\n")
    pancam.file("forced.h", "#define FORCED 20\n")
    pancam.file(
        "a.c",
        "#include <inner.h>\n#ifdef UNWANTED\n#error unwanted\n#endif\n"
        "int main(void) { return INNER + FORCED + DEFINED + (__STDC_VERSION__ == 199901L) * 100; }\n",
    )
    options = ["-Iheaders", "-DDEFINED=3", "-DUNWANTED", "-U", "UNWANTED", "-std=c99", "-include", "forced.h"]
    assert pancam("run", *options, "a.c") == Result(130, "", "")
    assert pancam("run", "a.c", *options) == Result(130, "", "")


def test_further_flags_reach_clang(pancam: CommandLine) -> None:
    pancam.file("a.c", "int main(void) { char c = (char)200; return (c > 0) + 2 * DEFINED; }\n")
    assert pancam("run", "a.c", "-DDEFINED=1", "-funsigned-char").status == 3
    assert pancam("run", "a.c", "--cflags", "-DDEFINED='1 + 1' -fsigned-char").status == 3
    result = pancam("run", "a.c", "-mno-such-machine")
    assert result.status == 2
    assert "-mno-such-machine" in result.err.splitlines()[-1]


@pytest.mark.parametrize("level", ["-O0", "-O1", "-O2", "-O3", "-Os"])
def test_every_level_of_optimisation(pancam: CommandLine, level: str) -> None:
    pancam.file("a.c", "int main(void) { int s = 0; for (int i = 0; i < 10; i++) s += i; return s; }\n")
    assert pancam("run", level, "a.c") == Result(45, "", "")


def test_m32_changes_the_sizes(pancam: CommandLine) -> None:
    pancam.file("a.c", "int main(void) { return (int)(sizeof(long) * 16 + sizeof(void *)); }\n")
    assert pancam("run", "a.c").status == 0x88
    assert pancam("run", "--m32", "a.c").status == 0x44


# --- the environment ---


def fake_clang(folder: Path, script: str) -> str:
    path = folder / "clang"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def test_missing_32_bit_headers_are_named(pancam: CommandLine) -> None:
    pancam.file("a.c", "#include <stdio.h>\nint main(void) { return 0; }\n")
    wrapper = fake_clang(
        pancam.folder,
        "cat >&2 <<'END'\n"
        "In file included from a.c:1:\n"
        "In file included from /usr/include/stdio.h:27:\n"
        "/usr/include/features.h:510:12: fatal error: 'gnu/stubs-32.h' file not found\n"
        "END\nexit 1",
    )
    line = pancam.refused("run", "--m32", "--clang", wrapper, "a.c")
    assert "32-bit" in line
    assert "libc6-dev-i386" in line


def test_no_clang_at_all_is_one_line(pancam: CommandLine) -> None:
    pancam.file("a.c", RETURN_ARGC)
    line = pancam.refused("run", "a.c", PATH=str(pancam.folder))
    assert line.startswith("no clang found")
    assert "PANCAM_CLANG" in pancam.refused("run", "a.c", PANCAM_CLANG="no-such-clang")


def test_a_clang_that_is_none_is_noticed(pancam: CommandLine) -> None:
    pancam.file("a.c", RETURN_ARGC)
    assert "is it Clang?" in pancam.refused("run", "a.c", "--clang", fake_clang(pancam.folder, "exit 0"))
    assert "status 9" in pancam.refused("run", "a.c", "--clang", fake_clang(pancam.folder, "exit 9"))


@pytest.mark.parametrize("name", ["with space.c", "it's.c", 'say "hi".c', "./-x.c", "@list.c", "ünïcode.c", "$HOME;.c"])
def test_any_file_name_will_do(pancam: CommandLine, name: str) -> None:
    pancam.file(name, "int main(void) {\n    return *(volatile int *)0;\n}\n")
    result = pancam("run", name)
    assert result.status == 1
    assert result.err.removeprefix("./").startswith(f"{name.removeprefix('./')}:2:12: fault: null pointer dereference")


# --- kinds of input ---


def test_several_files_are_one_program(pancam: CommandLine) -> None:
    pancam.file("main.c", "int f(void);\nextern int shared;\nint main(void) { return f() + shared; }\n")
    pancam.file("f.c", "int shared = 30;\nstatic int helper(void) { return 4; }\nint f(void) { return helper(); }\n")
    assert pancam("run", "main.c", "f.c").status == 34
    assert pancam("run", "f.c", "main.c").status == 34


def test_llvm_and_preprocessed_files_run(pancam: CommandLine) -> None:
    from pancam.frontend.clang import find_clang

    pancam.file("a.c", "#define VALUE 11\nint g(void);\nint main(void) { return VALUE + g(); }\n")
    pancam.file("g.c", "int g(void) { return 1; }\n")
    clang = find_clang().command[0]
    for flags in (["-E", "-o", "a.i"], ["-S", "-emit-llvm", "-o", "a.ll"], ["-c", "-emit-llvm", "-o", "a.bc"]):
        subprocess.run([clang, "a.c", *flags], cwd=pancam.folder, check=True)
    for name in ("a.i", "a.ll", "a.bc"):
        assert pancam("run", name, "g.c") == Result(12, "", ""), name


# --- running ---


@pytest.mark.parametrize("status", [0, 1, 77, 255, 256 + 9])
def test_the_exit_status_is_the_programs(pancam: CommandLine, status: int) -> None:
    pancam.file("a.c", f"#include <stdlib.h>\nint main(void) {{ exit({status}); }}\n")
    assert pancam("run", "a.c") == Result(status % 256, "", "")


def test_abort_is_134_with_the_stack(pancam: CommandLine) -> None:
    pancam.file("a.c", "#include <stdlib.h>\nstatic void f(void) {\n    abort();\n}\nint main(void) {\n    f();\n}\n")
    result = pancam("run", "a.c")
    assert result.status == 134
    assert result.err.splitlines() == [
        "aborted", "thread 0:", "    abort (library)", "    f at a.c:3:5", "    main at a.c:6:5",
    ]  # fmt: skip


FAULT = """
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int ready;
int *nowhere;
static void *sleeper(void *unused) {
    ready = 1;
    pthread_mutex_lock(&lock);
    return unused;
}
static int read_it(int *where) {
    return *where;
}
int main(void) {
    pthread_t thread;
    pthread_mutex_lock(&lock);
    pthread_create(&thread, NULL, sleeper, NULL);
    while (!ready) {
    }
    for (volatile int i = 0; i < 1000; i++) {
    }
    return read_it(nowhere);
}
"""


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_a_fault_shows_the_stack_of_every_thread(pancam: CommandLine, level: str) -> None:
    pancam.file("a.c", FAULT)
    result = pancam("run", level, "a.c", "--seed", "3")
    assert result.status == 1
    lines = result.err.splitlines()
    assert lines[0].startswith("a.c:12:12: fault: null pointer dereference")
    assert lines[1:4] == ["thread 0 (the fault is here):", "    read_it at a.c:12:12", "    main at a.c:22:12"]
    assert "thread 1 (waiting):" in lines
    assert "    sleeper at a.c:8:5" in lines


def test_a_thread_that_could_move_is_not_said_to_wait(pancam: CommandLine) -> None:
    pancam.file("a.c", FAULT.replace("pthread_mutex_lock(&lock);\n    return", "for (;;) {\n    }\n    return"))
    result = pancam("run", "a.c")
    assert "thread 1:" in result.err.splitlines()


def test_a_deadlock_shows_who_waits_where(pancam: CommandLine) -> None:
    pancam.file("a.c", FAULT.replace("return read_it(nowhere);", "return pthread_join(thread, NULL);"))
    result = pancam("run", "a.c")
    assert result.status == 1
    lines = result.err.splitlines()
    assert lines[0] == "fault: deadlock: no thread can move"
    assert lines.count("thread 0 (waiting):") == 1
    assert lines.count("thread 1 (waiting):") == 1
    assert "    main at a.c:22:12" in lines
    assert "    sleeper at a.c:8:5" in lines


def test_stdout_and_stderr_keep_their_order(pancam: CommandLine) -> None:
    pancam.file(
        "a.c",
        "#include <stdio.h>\nint main(void) {\n"
        '    for (int i = 0; i < 3; i++) {\n        printf("out %d\\n", i);\n        fflush(stdout);\n'
        '        fprintf(stderr, "err %d\\n", i);\n    }\n    return *(volatile int *)0;\n}\n',
    )
    command = [sys.executable, "-m", "pancam.cli", "run", "a.c"]
    result = subprocess.run(
        command, cwd=pancam.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    lines = result.stdout.splitlines()
    assert lines[:6] == ["out 0", "err 0", "out 1", "err 1", "out 2", "err 2"]
    assert lines[6].startswith("a.c:8:12: fault: ")


RACE = """
#include <pthread.h>
#include <stdio.h>
static void *speak(void *name) {
    for (int i = 0; i < 5; i++) printf("%s%d ", (char *)name, i);
    return NULL;
}
int main(void) {
    pthread_t threads[3];
    char *names[] = {"a", "b", "c"};
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, speak, names[i]);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    return 0;
}
"""


def test_a_seed_decides_the_schedule(pancam: CommandLine) -> None:
    pancam.file("a.c", RACE)
    assert pancam("compile", "a.c", "-o", "a.pcb").status == 0
    runs = [pancam("run", "a.pcb", "--seed", str(seed)).out for seed in range(4)]
    again = [pancam("run", "a.pcb", "--seed", str(seed)).out for seed in range(4)]
    assert runs == again
    assert len(set(runs)) > 1
    assert all(len(run.split()) == 15 for run in runs)
    robin = [pancam("run", "a.pcb", "--schedule", "rr", "--seed", str(seed)).out for seed in (1, 2)]
    assert robin[0] == robin[1]


def test_a_budget_ends_the_run(pancam: CommandLine) -> None:
    pancam.file("a.c", "int main(void) { for (;;) { } }\n")
    result = pancam("run", "a.c", "--budget", "100000")
    assert result.status == 3
    assert "gave up after" in result.err


@pytest.mark.parametrize("command", ["run", "disasm"])
def test_a_reader_that_goes_away_is_no_disaster(pancam: CommandLine, command: str) -> None:
    pancam.file(
        "a.c", '#include <stdio.h>\nint main(void) { for (int i = 0; i < 100000; i++) puts("again and again"); }\n'
    )
    process = subprocess.Popen(
        [sys.executable, "-m", "pancam.cli", command, "a.c"],
        cwd=pancam.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    err = process.stderr.read()
    process.stderr.close()
    assert process.wait(SECONDS) in (0, 1)
    assert err == b""


def test_nothing_is_left_behind(pancam: CommandLine) -> None:
    pancam.file("a.c", RETURN_ARGC)
    pancam.file("wrong.c", "int main(void) { return nothing; }\n")
    temporary = pancam.folder / "temporary"
    temporary.mkdir()
    before = sorted(path.name for path in pancam.folder.iterdir())
    assert pancam("run", "a.c", TMPDIR=str(temporary)).status == 1
    assert pancam("disasm", "a.c", TMPDIR=str(temporary)).status == 0
    assert pancam("run", "wrong.c", TMPDIR=str(temporary)).status == 2
    assert pancam("compile", "a.c", "-o", str(pancam.folder / "nowhere" / "a.pcb"), TMPDIR=str(temporary)).status == 2
    assert sorted(path.name for path in pancam.folder.iterdir()) == before
    assert list(temporary.iterdir()) == []


def test_disasm_shows_code_lines_and_live_registers(pancam: CommandLine) -> None:
    pancam.file("a.c", "int twice(int x) {\n    return 2 * x;\n}\nint main(int n) { return twice(n); }\n")
    result = pancam("disasm", "a.c", "--function", "twice")
    assert result.status == 0
    assert "function twice: 1 parameter slots, 1 result slots" in result.out
    assert "; a.c:2" in result.out
    assert "RETV" in result.out
    assert "; live: r0" in result.out
    assert "function main" not in result.out


def test_the_console_script_is_installed(pancam: CommandLine) -> None:
    script = shutil.which("pancam", path=str(Path(sys.executable).parent))
    assert script is not None
    result = subprocess.run([script, "--version"], cwd=pancam.folder, capture_output=True, text=True, check=True)
    assert result.stdout.startswith("pancam ")


def test_the_stack_of_an_endless_recursion_fits_a_screen(pancam: CommandLine) -> None:
    text = "int g(int n);\nint f(int n) { return 1 + g(n + 1); }\nint g(int n) { return 1 + f(n + 1); }\n"
    result = pancam("run", pancam.file("deep.c", text + "int main(void) { return f(0); }\n"), "--stack", "64K")
    assert result.status == 3
    assert "fault: stack limit reached" in result.err
    assert len(result.err.splitlines()) < 40
    assert "main at deep.c:4:25" in result.err


def test_a_direct_recursion_is_one_line_of_the_stack(pancam: CommandLine) -> None:
    text = "int f(int n) { return 1 + f(n + 1); }\nint main(void) { return f(0); }\n"
    result = pancam("run", pancam.file("deep.c", text), "--stack", "64K")
    assert next(line for line in result.err.splitlines() if " times)" in line).startswith("    f at deep.c:1:27 (")


def test_a_function_that_is_only_inline_is_found(pancam: CommandLine) -> None:
    text = "inline int twice(int n) { return 2 * n; }\nint main(void) { return twice(21); }\n"
    assert pancam("run", pancam.file("inline.c", text)).status == 42


def test_an_undefined_function_in_a_table_is_a_fault_only_when_called(pancam: CommandLine) -> None:
    text = "int missing(int);\nint (*table[])(int) = {missing};\n"
    text += "int main(int n, char **v) { (void)v; return n > 1 ? table[0](1) : 5; }\n"
    name = pancam.file("table.c", text)
    assert pancam("run", name).status == 5
    called = pancam("run", name, "--", "x")
    assert called.status == 1
    assert "table.c:3:53: fault: call of a function that is not defined" in called.err


def test_a_jump_buffer_of_another_thread_is_refused(pancam: CommandLine) -> None:
    text = """
#include <pthread.h>
#include <setjmp.h>
static jmp_buf place;
static int filled;
static void *work(void *first) {
    if (first != NULL) filled = setjmp(place) + 1;
    else longjmp(place, 1);
    return NULL;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, work, &filled);
    while (!*(volatile int *)&filled) {}
    pthread_create(&b, NULL, work, NULL);
    pthread_join(b, NULL);
    pthread_join(a, NULL);
    return 0;
}
"""
    result = pancam("run", pancam.file("jump.c", text))
    assert result.status == 1
    assert "fault: jump to a place that is no target" in result.err
