# SPDX-License-Identifier: Apache-2.0
"""`pancam check --abstraction`: what is matched, what is claimed, and what an abstraction function must not do."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest
from command import CommandLine

# Two threads take turns for ever and count: no state comes again. With -DBUG the turn is once given to nobody.
TURNS = """
#include <assert.h>
#include <pancam.h>
#include <pthread.h>
static volatile unsigned long rounds;
static volatile int turn;
static int parity(unsigned long number) { return number % 2; }
int one_has_it(void) { return turn == 0 || turn == 1; }
void whose_turn(void) {
    pancam_abs[0] = turn;
    pancam_abs[1] = parity(rounds);
}
static void *second(void *unused) {
    for (;;) {
        while (turn == 0) continue;
        rounds++;
#ifdef BUG
        if (parity(rounds)) turn = 2;
#endif
        turn = 0;
    }
    return unused;
}
int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, second, NULL);
    for (;;) {
        while (turn == 1) continue;
        assert(turn == 0);
        turn = 1;
    }
}
"""
KEEP = ("--abstraction", "whose_turn", "--abs-keep-control")
UNDER = "under the abstraction whose_turn"
SHARED = """
#include <assert.h>
#include <pancam.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
volatile int x, y;
static void *set(void *unused) {
    x = 1;
    y = 2;
    return unused;
}
int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, set, NULL);
    x = 3;
    pthread_join(other, NULL);
    return 0;
}
"""
LINE_AFTER = SHARED.count("\n") + 1


def answer(pancam: CommandLine, *arguments: str) -> dict[str, Any]:
    """The result of a check for machines."""
    result = pancam("check", *arguments, "--json")
    value: dict[str, Any] = json.loads(result.out)
    assert result.status == value["exit_code"]
    return value


# --- what it is good for ---


def test_without_it_the_search_has_no_end_and_with_it_one(pancam: CommandLine) -> None:
    file = pancam.file("turns.c", TURNS)
    endless = answer(pancam, file, "--time", "1")
    assert (endless["verdict"], endless["exit_code"]) == ("unknown", 3)
    short = answer(pancam, file, *KEEP)
    assert (short["verdict"], short["exit_code"], short["reasons"]) == ("bounded", 0, [UNDER])
    assert short["statistics"]["states"] < 200 < endless["statistics"]["states"]
    assert answer(pancam, file, *KEEP, "--exhaustive")["exit_code"] == 3
    assert pancam("check", file, *KEEP).out.startswith(f"bounded: no violation; {UNDER}\n")


@pytest.mark.parametrize(
    "options",
    [
        ["--step", "global"], ["--step", "instruction", "--all-errors", "0"], ["--superstep", "-O2"], ["--cb-iterate"],
        ["--cb", "3", "--store", "raw", "--random-order", "3"], ["--cb", "3", "--bitstate"],
        ["--cb", "3", "--cores", "2"], ["--depth", "80"], ["--invariant", "one_has_it"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_it_combines_with_every_way_to_search(pancam: CommandLine, options: list[str]) -> None:
    file = pancam.file("turns.c", TURNS)
    good = answer(pancam, file, *KEEP, *options)
    assert (good["verdict"], good["exit_code"]) == ("bounded", 0)
    assert UNDER in good["reasons"]
    bad = answer(pancam, file, *KEEP, "-DBUG", *options)
    assert bad["verdict"] == "violated"
    assert {row["violation"]["kind"] for row in bad["violations"]} <= {"ASSERT", "INVARIANT"}


def test_a_violation_under_it_is_real_and_replays(pancam: CommandLine) -> None:
    file = pancam.file("turns.c", TURNS)
    assert pancam.verdict(file, *KEEP, "-DBUG", "--trace", "bug.json") == "violated"
    result = pancam("replay", "bug.json")
    assert (result.status, "assertion failed: turn == 0" in result.out) == (1, True)


def test_breadth_first_search_cannot_carry_it(pancam: CommandLine) -> None:
    file = pancam.file("turns.c", TURNS)
    assert pancam.refused("check", file, *KEEP, "--bfs") == (
        "--abstraction searches depth-first: it cannot be combined with --bfs"
    )
    assert pancam.refused("check", file, "--abs-keep-control") == "--abs-keep-control goes with --abstraction"


# --- what is matched ---

# Threads that must not be inside together; a polite one looks whether the other wants to be.
EVERYTHING = """
#include <assert.h>
#include <pancam.h>
#include <string.h>
static volatile int wants[2], inside[2];
static int sum(void) { return wants[0] + wants[1] + inside[0] + inside[1]; }
int looks_at_everything(void) { return sum() >= 0; }
void everything(void) {
    int all[] = {wants[0], wants[1], inside[0], inside[1]};
    memcpy(pancam_abs, all, sizeof all);
}
static void enter(int self) {
    inside[self] = 1;
    if (inside[1 - self]) assert(0);
    inside[self] = 0;
}
void polite(int self) {
    wants[self] = 1;
    if (!wants[1 - self]) enter(self);
    wants[self] = 0;
}
void rude(int self) { enter(self); }
"""


@pytest.mark.parametrize("step", ["instruction", "global", "superstep"])
def test_what_keeps_everything_finds_what_the_full_search_finds(pancam: CommandLine, step: str) -> None:
    """Between global steps, no register holds a value that matters."""
    file = pancam.file("all.c", EVERYTHING)
    for other, verdict in (("polite", "holds"), ("rude", "violated")):
        options = (file, "--thread", "polite:0", "--thread", f"{other}:1", "--step", step, "--all-errors", "0")
        full = answer(pancam, *options, "--invariant", "looks_at_everything")
        kept = answer(pancam, *options, "--abstraction", "everything", "--abs-keep-control")
        assert full["verdict"] == verdict
        assert kept["verdict"] == {"holds": "bounded"}.get(verdict, verdict)
        assert [row["violation"] for row in kept["violations"]] == [row["violation"] for row in full["violations"]]
        if step != "instruction" and verdict == "holds":  # not kept are variables of the library
            assert 0.95 < kept["statistics"]["states"] / full["statistics"]["states"] <= 1


def test_ends_of_different_kinds_are_never_taken_for_each_other(pancam: CommandLine) -> None:
    text = """
#include <assert.h>
#include <pancam.h>
#include <stdlib.h>
void nothing(void) { pancam_abs[0] = 1; }
void leave(void) { exit(0); }
void fail(void) { assert(0); }
void fail_too(void) { assert(0); }
void crash(void) { *(volatile int *)0 = 1; }
"""
    threads = [word for name in ("leave", "fail", "fail_too", "crash") for word in ("--thread", name)]
    found = answer(pancam, pancam.file("ends.c", text), "--abstraction", "nothing", *threads, "--all-errors", "0")
    places = {(row["violation"]["kind"], row["violation"]["line"]) for row in found["violations"]}
    assert places == {("ASSERT", 7), ("ASSERT", 8), ("NULL_POINTER", 9)}


@pytest.mark.parametrize("step", ["global", "superstep"])
def test_a_choice_among_many_values_is_made_to_its_end(pancam: CommandLine, step: str) -> None:
    text = """
#include <assert.h>
#include <pancam.h>
static volatile int x;
void value(void) { pancam_abs[0] = x; }
int main(void) {
    int number = (int)pancam_nondet_range(0, 99);
    assert(number != 61);
    return x;
}
"""
    file = pancam.file("choice.c", text)
    assert pancam.verdict(file, "--abstraction", "value", "--abs-keep-control", "--step", step) == "violated"


def test_a_location_is_a_line_of_the_program_and_not_one_of_the_library(pancam: CommandLine) -> None:
    text = """
#include <assert.h>
#include <pancam.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
void nothing(void) { pancam_abs[0] = 1; }
int main(void) {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    assert(0);
}
"""
    options = ("--abstraction", "nothing", "--step", "global")
    file = pancam.file("twice.c", text)
    assert pancam.verdict(file, *options, "--abs-keep-control") == "violated"
    assert pancam.verdict(file, *options) == "bounded"


# --- the function ---


@pytest.mark.parametrize(
    "function",
    [
        "int f(void) { return pancam_abs[63] = x; }",
        "void f(void) { memset(pancam_abs, x, 64); *(long *)(pancam_abs + 56) = x; ++pancam_abs[56]; }",
        "struct pair { int a, b; }; void f(void) { *(struct pair *)pancam_abs = (struct pair){x, y}; }",
        "volatile int *p = &x; static int at(int n) { return p[n]; } void f(void) { pancam_abs[0] = at(0); }",
        "unsigned char pancam_abs[4]; void f(void) { pancam_abs[3] = x; }",
        "unsigned char pancam_abs[65536]; void f(void) { pancam_abs[65535] = x; }",
        "static _Thread_local int own = 5; void f(void) { own += x; pancam_abs[0] = own; }",
    ],
)
def test_a_function_that_only_looks_is_accepted(pancam: CommandLine, function: str) -> None:
    found = answer(pancam, pancam.file("looks.c", SHARED + function), "--abstraction", "f", "--abs-keep-control")
    assert (found["verdict"], found["reasons"]) == ("bounded", ["under the abstraction f"])
    assert found["statistics"]["states"] > 5


@pytest.mark.parametrize(
    ("function", "message"),
    [
        ("x = 4;", "a property function changes the program's state: f writes x"),
        ("pancam_abs[64] = x;", "a property function changes the program's state: f writes pancam_abs[64]"),
        ("*(long *)(pancam_abs + 60) = x;", "access outside the bounds of an object: pancam_abs[60] (8 bytes)"),
        ("free(malloc(1));", "a property function changes the program's state"),
        ("pthread_mutex_lock(&m);", "a property function changes the program's state"),
        ("pancam_abs[0] = pancam_nondet_bool();", "a property function changes the program's state"),
        ("assert(x == 5);", "assertion failed: x == 5"),
        ("pancam_abs[0] = *none;", "null pointer dereference"),
    ],
)
def test_a_function_that_does_more_is_an_error_with_its_line(pancam: CommandLine, function: str, message: str) -> None:
    text = (
        f"{SHARED}static pthread_mutex_t m; volatile int *none; void f(void) {{\n    pancam_abs[1] = 1;\n{function}\n}}"
    )
    line = pancam.refused("check", pancam.file("more.c", text), "--abstraction", "f")
    assert line.startswith(f"more.c:{LINE_AFTER + 2}:")
    assert f": {message}" in line


def test_a_write_is_an_error_wherever_and_whenever_it_happens(pancam: CommandLine) -> None:
    """In another file, in a function that is called, in some state only, and whatever is to be reported."""
    pancam.file("other.c", "extern volatile int x, y;\nvoid touch(void) {\n    y++;\n}\n")
    text = (
        "#include <pancam.h>\nextern volatile int x;\nvoid touch(void);\nvoid f(void) {\n    if (x == 3) touch();\n}\n"
    )
    pancam.file("abs.c", text.replace("if", "pancam_abs[0] = x;\n    if"))
    files = (pancam.file("program.c", SHARED), "--with", "abs.c", "--with", "other.c")
    for options in ([], ["--cores", "2"], ["--only", "deadlock", "--all-errors", "0"]):
        line = pancam.refused("check", *files, "--abstraction", "f", "--abs-keep-control", *options)
        assert line == "other.c:3:6: a property function changes the program's state: f writes y"


@pytest.mark.parametrize(
    ("function", "message"),
    [
        ("void f(int n) { pancam_abs[0] = n; }", "the abstraction f has parameters"),
        ("void g(void) { pancam_abs[0] = x; }", "the program has no function f"),
        ("static void f(void) { pancam_abs[0] = x; }", "the program has no function f"),
        ("void f(void) {}", "the abstraction f does not write to pancam_abs"),
        (
            "unsigned char pancam_abs[65537]; void f(void) { pancam_abs[0] = x; }",
            "pancam_abs must be an array of at most 65536 bytes",
        ),
    ],
)
def test_what_cannot_be_an_abstraction_is_refused(pancam: CommandLine, function: str, message: str) -> None:
    line = pancam.refused("check", pancam.file("bad.c", SHARED + function), "--abstraction", "f")
    assert line.startswith(message)


@pytest.mark.parametrize("body", ["for (;;) pancam_abs[0]++;", "f();", "if (x == 1) f();"])
def test_a_function_without_end_makes_the_verdict_unknown(pancam: CommandLine, body: str) -> None:
    file = pancam.file("endless.c", f"{SHARED}void f(void) {{ pancam_abs[1] = x; {body} }}")
    result = pancam("check", file, "--abstraction", "f", "--abs-keep-control")
    assert (result.status, result.out.partition(":")[0]) == (3, "unknown")


def test_set_up_that_does_not_end_is_no_proof(pancam: CommandLine) -> None:
    text = "volatile int x;\nvoid init(void) { for (;;) x++; }\nint ok(void) { for (;;); }\nvoid act(void) { x = 1; }\n"
    file = pancam.file("setup.c", text)
    assert pancam.verdict(file, "--thread", "act", "--init", "init") == "unknown"
    assert pancam.verdict(file, "--thread", "act", "--invariant", "ok") == "unknown"


def test_files_of_llvm_have_abstractions_too(pancam: CommandLine) -> None:
    from pancam.frontend.clang import find_clang

    pancam.file("turns.c", TURNS)
    include = "-I" + str(guest_include())
    command = [find_clang().command[0], "-g", "-S", "-emit-llvm", include, "turns.c", "-o", "turns.ll"]
    subprocess.run(command, cwd=pancam.folder, check=True)
    assert pancam.verdict("turns.ll", *KEEP) == "bounded"


def guest_include() -> str:
    from pancam.resources import guest_sources

    return str(guest_sources() / "include")
