# SPDX-License-Identifier: Apache-2.0
"""Searches find exactly the data races that there are by definition, and need no more states for it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from programs import program_text
from races import ALL, compare, others_for
from reduction import compile_program

from pancam.explain.code_view import CodeView
from pancam.settings import Settings
from pancam.spin.search import Watch, search

FIRST_SEED = 20_000
SHARDS, PROGRAMS_PER_SHARD = 4, 5
HEADERS = (
    "#include <pancam.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stddef.h>\n#include <string.h>\n"
)


def program(first: str, second: str, shared: str = "static int x, y;") -> str:
    """Two threads, one of which is main."""
    return f"""{HEADERS}
{shared}
static void *other(void *unused) {{
    {second}
    return unused;
}}
int main(void) {{
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    {first}
    pthread_join(thread, NULL);
    return 0;
}}"""


LOCK = "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; "
SECTION = "pancam_atomic_begin(); x = 1; pancam_atomic_end();"
CHOOSING = "pancam_atomic_begin(); if (pancam_nondet_bool()) x = 1; pancam_atomic_end();"
UNDER_LOCK = "pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m);"
# Each with whether there is a race
PROGRAMS = {
    "two writes": (program("x = 1;", "x = 1;"), True),
    "two reads": (program("int a = x; (void)a;", "int a = x; (void)a;", "static volatile int x;"), False),
    "volatile": (program("x = 1;", "x = 2;", "static volatile int x;"), True),
    "atomic": (program("x = 1;", "x = 2;", "static _Atomic int x;"), False),
    "atomic and plain": (program("x = 1;", "*(int *)&x = 2;", "static _Atomic int x;"), True),
    "exchange that fails": (
        program("int y = 1; atomic_compare_exchange_strong(&x, &y, 2);", "*(int *)&x = 0;", "static _Atomic int x;"),
        True,
    ),
    "initialised atomic": (program("atomic_init(&x, 1);", "x = 2;", "static _Atomic int x;"), True),
    "neighbours": (program("c[0] = 1;", "c[1] = 1;", "static char c[2];"), False),
    "part of a whole": (program("u.whole = 1;", "u.c[2] = 1;", "static union { int whole; char c[4]; } u;"), True),
    "bit-fields": (program("s.a = 1;", "s.b = 1;", "static struct { unsigned a : 1, b : 1; } s;"), True),
    "mutex": (program(UNDER_LOCK, UNDER_LOCK, f"{LOCK} static int x;"), False),
    "mutex on one side": (program(UNDER_LOCK, "x = 2;", f"{LOCK} static int x;"), True),
    "sections": (program(SECTION, SECTION), False),
    "section and plain": (program(SECTION, "x = 2;"), True),
    "section with a choice and plain": (program(CHOOSING, "x = 2;"), True),
    "sections with choices": (program(CHOOSING, CHOOSING), False),
    "choice, then plain, beside a choosing section": (program(CHOOSING, "y = pancam_nondet_bool(); x = 2;"), True),
    "choosing section of a later thread": (program("if (pancam_nondet_bool()) x = 2;", CHOOSING), True),
    "before and after the thread": (
        program("pthread_join(thread, NULL); x = 2; return 0;", "x = 1;").replace("pthread_t", "x = 3; pthread_t"),
        False,
    ),
    "in the library": (program("memset(c, 1, 8);", "c[5] = 2;", "static char c[8];"), True),
    "behind another race": (program("x = 1; y = 1;", "x = 2; y = 2;"), True),
    "private": (program("int a[2]; memset(a, 0, sizeof a);", "int a[2]; memset(a, 0, sizeof a);"), False),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_races_and_what_does_not(name: str) -> None:
    text, expected = PROGRAMS[name]
    built, settings = compile_program(text)
    found = compare(built, settings, ("superstep", "global"))
    assert found is not None
    assert found.differences == []
    assert (found.races > 0) == expected


@pytest.mark.parametrize("shard", range(SHARDS))
def test_searches_find_the_races_of_the_definition_on_random_programs(shard: int) -> None:
    compared = 0
    for seed in range(FIRST_SEED + shard * PROGRAMS_PER_SHARD, FIRST_SEED + (shard + 1) * PROGRAMS_PER_SHARD):
        text = program_text(seed)
        built, settings = compile_program(text, ("0", "2")[seed % 2])
        found = compare(built, settings, others_for(seed))
        if found is not None:
            assert not found.differences, f"{found}\n{text}"
            compared += 1
    assert compared > PROGRAMS_PER_SHARD // 2, "too many of the random programs are too large to compare"


@pytest.mark.parametrize("step", ["superstep", "global"])
def test_looking_for_races_needs_no_more_states(step: str) -> None:
    built, _ = compile_program(PROGRAMS["mutex"][0])
    settings = Settings(step=step)
    lines = CodeView(built).line_numbers
    plain, looking = (
        search(built.image, replace(settings, races=races), ALL, built.thread_limit, Watch(lines=lines))
        for races in (False, True)
    )
    assert looking.report.is_complete
    assert not looking.trails
    assert plain.report.states == looking.report.states
    assert plain.progress.transitions == looking.progress.transitions


def test_a_race_does_not_end_an_execution() -> None:
    """What is behind it is found as without --races, in as many states."""
    text = program("x = 1; pancam_assert(x != 1);", "x = 2; y = 1; x = 3;")
    built, _ = compile_program(text)
    settings = Settings(step="superstep")
    results = [
        search(built.image, replace(settings, races=races), ALL, built.thread_limit, Watch()) for races in (False, True)
    ]
    assert results[0].report.states == results[1].report.states
    assert len(results[0].trails) == 1
    assert len(results[1].trails) > 1
