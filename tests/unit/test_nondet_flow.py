# SPDX-License-Identifier: Apache-2.0
"""Which values of a nondeterministic call are tried, and whether something that matters is left out."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from pancam.bytecode.lower import Roots
from pancam.errors import UsageError
from pancam.frontend.clang import CompileOptions, compile_sources, find_clang
from pancam.frontend.library import build_library
from pancam.frontend.module import load_module
from pancam.nondet import views
from pancam.nondet.kinds import kind_of
from pancam.nondet.overrides import parse_override
from pancam.nondet.rewrite import NondetOptions, make_choices
from pancam.pipeline import LIBRARY_FLAGS, BuildOptions, Timings, build_program
from pancam.resources import guest_sources

HEAD = """#include <assert.h>
#include <pancam.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
static int g, h;
int seen;
"""


class Tried(NamedTuple):
    """The values of the last nondeterministic call, as unsigned numbers, and how many places can restrict it."""

    values: list[int]
    exact: bool


def tried(folder: Path, text: str, *, level: str = "0", overrides: tuple[str, ...] = (), head: str = HEAD) -> Tried:
    """What is tried for the only nondeterministic call of a program."""
    file = folder / "program.c"
    file.write_text(head + text)
    clang = find_clang(None)
    files = compile_sources([str(file)], CompileOptions(opt_level=level), clang, folder)
    options = CompileOptions(opt_level="1", extra_flags=LIBRARY_FLAGS)
    library = build_library(sorted(guest_sources().glob("*.c")), options, clang, ("__pancam_start",))
    module = load_module(files, library, [str(file)])
    wanted = NondetOptions(tuple(map(parse_override, overrides)))
    choices = make_choices(module, Roots().names, wanted)
    tables = [name for name in choices.module.globals if name.endswith(" values") and kind_of(name)]
    assert len(tables) == 1
    initializer = choices.module.globals[tables[0]].initializer
    return Tried([element.value for element in initializer.elements], not choices.restrictions)  # type: ignore[union-attr]


def signed(values: list[int], width: int = 32) -> list[int]:
    return [value - (1 << width) if value >> width - 1 else value for value in values]


BODY = "int main(void) {{ int x = pancam_nondet_int(); {} return 0; }}"

# Values that nothing depends on
IRRELEVANT = {
    "never used": "(void)x;",
    "printed": 'printf("%d is it, or 100%%: %-5.3x\\n", x, x); fprintf(stderr, "%ld", (long)x);',
    "computed with": "int y = x * 3 + g; y ^= 5; (void)y;",
    "kept in a variable nobody reads": "g = x;",
    "the exit status": "return x;",
    "added up": "for (int i = 0; i < 3; i++) x += x;",
    "divided by a constant": "g = x / 10;",
    "in a struct": "struct { int a, b; } s = {0}; s.b = x; g = s.b;",
    "argument nobody looks at": "h = ignore(x);",
}


@pytest.mark.parametrize("body", IRRELEVANT.values(), ids=IRRELEVANT.keys())
def test_a_value_that_nothing_depends_on_is_not_enumerated(tmp_path: Path, body: str) -> None:
    text = "static int ignore(int x) { (void)x; return 1; }\n" + BODY.format(body)
    assert tried(tmp_path, text) == ([0], True)


# Bodies, and what stands for all values
CLASSIFIED = {
    "a condition": ("while (x) x = 0;", [0, 1]),
    "equality": ("if (x == 7) g = 1;", [0, 7]),
    "a switch": ("switch (x) { case 3: g = 1; break; case -2: g = 2; break; default: g = 3; }", [0, -2, 3]),
    "an interval": ("if (x > 3 && x < 100) g = 1;", [0, 4, 100]),
    "sign": ("if (x < 0) g = 1;", [0, -1]),
    "unsigned order": ("if ((unsigned)x > 10u) g = 1;", [0, -1]),
    "a wider type": ("long y = x; if (y == -5) g = 1;", [0, -5]),
    "a sum": ("if (x + 10 == 3) g = 1;", [0, -7]),
    "a global": ("g = x; if (g == 9) h = 1;", [0, 9]),
    "a result": ("if (identity(identity(x)) >= 5) g = 1;", [0, 5]),
    "an assumption": ("pancam_assume(x == 4);", [0, 4]),
    "an assertion": ("assert(x != 1234567);", [0, 1234567]),
    "a pointer to nothing": ("void *p = (void *)(long)x; if (p) g = 1;", [0, 1]),
    "an array": ("int a[3]; a[g] = x; if (a[h] == 6) g = 1;", [0, 6]),
    "a struct": ("struct { char c; int n; } s; s.n = x; if (s.n == 8) g = 1;", [0, 8]),
    "a thread's argument": ("pthread_t t; pthread_create(&t, 0, judge, (void *)(long)x);", [0, 5]),
}
FUNCTIONS = """static int identity(int x) { int y = x; return y; }
static void *judge(void *p) { if ((long)p == 5) seen = 1; return p; }
"""


@pytest.mark.parametrize(("body", "values"), CLASSIFIED.values(), ids=CLASSIFIED.keys())
def test_comparisons_with_constants_are_covered_by_one_value_for_each_outcome(
    tmp_path: Path, body: str, values: list[int]
) -> None:
    found = tried(tmp_path, FUNCTIONS + BODY.format(body))
    assert (signed(found.values), found.exact) == (values, True)


@pytest.mark.parametrize(
    "body", ["if (x > 3 && x < 100) seen = 1;", "switch (x) { case 3: seen = 1; case 9: seen++; }"]
)
def test_optimised_code_gives_values_on_both_sides_of_every_constant(tmp_path: Path, body: str) -> None:
    found = tried(tmp_path, BODY.format(body), level="2")
    outcomes = {(value > 3 and value < 100, value == 3, value == 9) for value in signed(found.values)}
    assert found.exact
    assert len(outcomes) >= 2


def test_a_view_is_the_function_that_its_steps_are_together() -> None:
    """All ways to take three steps from a number of six bits, and comparisons of what comes out."""
    full = 1 << 6
    steps: list[tuple[Callable[[views.View], views.View | None], Callable[[int], int]]] = [
        (lambda view: view.added(5), lambda number: (number + 5) % full),
        (lambda view: view.divided(3), lambda number: number // 3),
        (lambda view: view.extended(6, signed=False), lambda number: number),
        (lambda view: _both(view.truncated(3), 6, signed=True), lambda number: (number & 7 ^ 4) - 4 & full - 1),
    ]
    for chosen in itertools.product(steps, repeat=3):
        view: views.View | None = views.identity(6)
        numbers = list(range(full))
        for change, function in chosen:
            view = change(view) if view is not None else None
            numbers = [function(number) for number in numbers]
        assert view is not None
        assert [view.at(value) for value in range(full)] == numbers
        assert {value for low, high in view.image for value in range(low, high + 1)} >= set(numbers)
        for predicate, constant in itertools.product(("eq", "ult", "sgt"), (0, 1, 6, 31, 32, 63)):
            test = views.Test(view, predicate, constant)
            changes = {v for v in range(1, full) if test.outcome(v) != test.outcome(v - 1)}
            assert changes <= test.cuts()


def _both(view: views.View | None, width: int, *, signed: bool) -> views.View | None:
    return view.extended(width, signed=signed) if view is not None else None


# Bodies in which what decides takes few values, or is in the low bits; and that, as a function of the value
SPLIT = {
    "masked": ("if (x & 1) g = 1;", lambda x: x & 1),
    "a masked address": ('seen = "abcdef"[x & 3];', lambda x: x & 3),
    "masked after an addition": ('seen = "abcdef"[(x + 7) & 5];', lambda x: x + 7 & 5),
    "cut": ("char c = (char)x; g = h / (c - 3);", lambda x: x & 255),
    "the rest of a division": ("g = h / ((unsigned)x % 5);", lambda x: x % 2**32 % 5),
    "two periods": ('seen = "abcdef"[x & 3] / ((unsigned)x % 3);', lambda x: (x & 3, x % 2**32 % 3)),
    "the highest bits": ('seen = "abcdef"[(unsigned)x >> 30];', lambda x: x % 2**32 >> 30),
    "a quotient": ("g = h / ((unsigned)x / 400000000);", lambda x: x % 2**32 // 400000000),
    "few of many": (
        'if (x > 5 && x < 200) seen = "abcdef"[x & 7];',
        lambda x: (5 < x < 200, x & 7 if 5 < x < 200 else 0),
    ),
    "the middle bits": ('seen = "abcdef"[((unsigned)x >> 2) & 3];', lambda x: x >> 2 & 3),
    "compared after a division": ("if ((unsigned)x / 10 == 7) g = 1;", lambda x: 70 <= x < 80),
}


@pytest.mark.parametrize(("body", "matters"), SPLIT.values(), ids=SPLIT.keys())
def test_where_few_cases_matter_each_of_them_is_tried(
    tmp_path: Path, body: str, matters: Callable[[int], object]
) -> None:
    found = tried(tmp_path, BODY.format(body))
    numbers = [*range(-300, 1300), *range(-(2**31), 2**31, 9_999_991)]
    assert found.exact
    assert {matters(value) for value in signed(found.values)} >= {matters(value) for value in numbers}
    assert len(found.values) <= 512


# Bodies in which more than comparisons with constants decides
TRAPS = {
    "compared with a variable": "if (x == g) h = 1;",
    "compared with itself": "int y = x; if (x == y + g) h = 1;",
    "an address": 'seen = "abcdef"[x];',
    "masked in the middle": 'seen = "abcdef"[(x & 3072) >> 10];',
    "printed, and the length is used": 'g = printf("%d", x);',
    "printed in so many places": 'printf("%*d", x, 1);',
    "printed in a way that nobody knows": 'printf(seen ? "%d" : "%x", x);',
    "printed into memory": 'char b[20]; snprintf(b, 20, "%d", x); if (b[0] == 45) g = 1;',
    "copied by memcpy": "int y; memcpy(&y, &x, sizeof y); if (y == 3) g = 1;",
    "through a pointer": "int *p = &h; *p = x; if (*p) g = 1;",
    "its address is known": "int *p = &x; if (*p == 5) g = 1;",
    "a divisor": "g = 10 / x;",
    "multiplied": "if (x * 3 == 9) g = 1;",
    "a loop's bound": "for (int i = 0; i < x; i++) g++;",
    "counted": "while (x != 0) x++;",
    "split and more": "if (x & 1) g = 10 / x;",
    "in a union": "union { int i; char c[4]; } u; u.i = x; if (u.c[1] == 3) g = 1;",
    "half of a long": "long y; ((int *)&y)[1] = x; if (y == 3) g = 1;",
    "a function through a pointer": "int (*f)(int) = seen ? identity : twice; if (f(x) == 2) g = 1;",
    "a thread's result": "pthread_t t; void *r; pthread_create(&t, 0, judge, (void *)(long)x); pthread_join(t, &r);",
    "atomically added": "static _Atomic int m; if (atomic_fetch_add(&m, x) + m == 7) g = 1;",
    "a variable argument": 'char b[9]; snprintf(b, 9, "%d", x); if (b[0]) g = 1;',
}


@pytest.mark.parametrize("level", ["0", "2"])
@pytest.mark.parametrize("body", TRAPS.values(), ids=TRAPS.keys())
def test_a_value_that_is_used_otherwise_is_restricted(tmp_path: Path, body: str, level: str) -> None:
    more = FUNCTIONS + "int twice(int x) { return 2 * x; }\n"
    publish = "seen = g + h;"  # so that the optimiser keeps what is done
    found = tried(tmp_path, more + BODY.format(body + publish), level=level)
    assert {0, 1, -1, 2**31 - 1, -(2**31)} <= set(signed(found.values)) or found.exact
    if level == "0":
        assert not found.exact


def test_values_between_two_constants_are_tried_completely(tmp_path: Path) -> None:
    found = tried(tmp_path, BODY.format("int a[7] = {0}; if (x >= 2 && x < 7) a[x] = 1;"))
    assert set(range(2, 7)) <= set(found.values)


def test_eight_bits_are_tried_completely_when_they_matter(tmp_path: Path) -> None:
    text = "int main(void) { signed char c = pancam_nondet_schar(); return 10 / (c + g); }"
    assert tried(tmp_path, text) == (sorted(range(256), key=lambda n: (min(n, 256 - n), n > 127)), True)


def test_a_constant_far_away_is_tried_where_the_value_is_lost(tmp_path: Path) -> None:
    text = "static void put(int *p, int x) { *p = x; }\n" + BODY.format("put(&g, x); if (g == 4711) h = 1;")
    assert {4710, 4711, 4712} <= set(tried(tmp_path, text).values)


def test_the_users_values_win_and_restrict_unless_they_are_all(tmp_path: Path) -> None:
    text = BODY.format("if (x) g = 1;")
    found = tried(tmp_path, text, overrides=("int=-2..1",))
    assert (signed(found.values), found.exact) == ([-2, -1, 0, 1], False)
    line = HEAD.count("\n") + 1
    found = tried(tmp_path, text, overrides=("int=0", f"program.c:{line}=7,9"))
    assert (found.values, found.exact) == ([7, 9], False)
    text = "int main(void) { return pancam_nondet_bool(); }"
    assert tried(tmp_path, text, overrides=("bool=0..1",)) == ([0, 1], True)


@pytest.mark.parametrize(
    ("option", "reason"),
    [
        ("int", "expected TYPE=VALUES"),
        ("int=", "expected TYPE=VALUES"),
        ("integer=1", "neither a type"),
        ("int=a..b", "neither a number nor a range"),
        ("int=3..1", "empty"),
        ("int=1..1000000", "more than 65536 values"),
        ("int=99999999999", "no value of a type of 32 bits"),
        ("int=0.5", "no whole number"),
        ("program.c:1=1", "asked for at that line"),
    ],
)
def test_overrides_that_make_no_sense_are_refused(tmp_path: Path, option: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        tried(tmp_path, BODY.format("if (x) g = 1;"), overrides=(option,))


def test_a_function_of_the_program_with_that_name_is_the_programs(tmp_path: Path) -> None:
    text = "int __VERIFIER_nondet_int(void) { return 3; }\n"
    text += "int main(void) { return pancam_nondet_uchar() > 9 ? __VERIFIER_nondet_int() : 0; }"
    assert tried(tmp_path, text) == ([0, 10], True)


@pytest.mark.parametrize("kind", ["int", "u8", "uint64_t", "sector_t", "pthread_t", "my_own"])
def test_every_declared_function_of_the_family_is_one(tmp_path: Path, kind: str) -> None:
    text = f"extern unsigned long long __VERIFIER_nondet_{kind}();\n"
    text += f"int main(void) {{ return __VERIFIER_nondet_{kind}() == 1ull << 60; }}"
    assert tried(tmp_path, text, head="") == ([0, 1 << 60], True)


def test_an_override_for_a_line_without_a_choice_is_refused_in_a_program_without_any(tmp_path: Path) -> None:
    file = tmp_path / "plain.c"
    file.write_text("int main(void) { return 0; }\n")
    with pytest.raises(UsageError, match="no nondeterministic value is asked for at that line"):
        build_program([str(file)], BuildOptions(nondet=("plain.c:1=7",)), [], Timings())
