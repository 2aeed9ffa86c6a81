# SPDX-License-Identifier: Apache-2.0
"""`pancam check` with context bounds, and with steps of all sizes side by side: what is said and what is claimed."""

from __future__ import annotations

import json

import pytest
from command import CommandLine

COUNT = """
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int counter;
static void *count(void *unused) {
    if (LOCKED) pthread_mutex_lock(&lock);
    counter++;
    if (LOCKED) pthread_mutex_unlock(&lock);
    return unused;
}
int main(void) {
    pthread_t one, two;
    pthread_create(&one, NULL, count, NULL);
    pthread_create(&two, NULL, count, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(counter == 2);
    return 0;
}
"""
# Each thread has its own variable: with supersteps there is nearly nothing to try, instruction by instruction too much.
APART = """
#include <pthread.h>
static volatile int own[4];
static void *work(void *mine) {
    for (int i = 0; i < 100; i++) ++*(volatile int *)mine;
    return NULL;
}
int main(void) {
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) pthread_create(threads + i, NULL, work, (void *)(own + i));
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    return 0;
}
"""
FOR_EVER = """
static volatile unsigned long number;
int main(void) {
    for (;;) number++;
}
"""


@pytest.fixture
def count(pancam: CommandLine) -> str:
    return pancam.file("count.c", COUNT)


# --- context bounds ---


def test_a_bound_is_named_with_what_it_counts(pancam: CommandLine, count: str) -> None:
    result = pancam("check", count, "-DLOCKED=0", "--cb", "0", "--step", "global")
    assert (result.status, result.out.partition("\n")[0]) == (
        0,
        "bounded: no violation; within 0 preemptions (--cb)",
    )
    assert "\ncontext bound 0, preemptions between steps\n" in result.out
    result = pancam("check", count, "-DLOCKED=1", "--cb", "1", "--exhaustive")
    assert (result.status, result.out.partition("\n")[0]) == (
        3,
        "bounded: no violation; within 1 preemption between supersteps (--cb)",
    )


def test_the_smallest_bound_that_shows_the_bug_is_found(pancam: CommandLine, count: str) -> None:
    assert pancam.verdict(count, "-DLOCKED=0", "--cb", "1", "--step", "global") == "violated"
    result = pancam("check", count, "-DLOCKED=0", "--cb-iterate", "--step", "global")
    assert (result.status, result.out.partition(":")[0]) == (1, "violated")
    assert "(1 preemptive)" in result.out
    assert result.out.splitlines().count("context bound 1, preemptions between steps") == 1


@pytest.mark.parametrize("step", ["global", "superstep"])
def test_a_bound_that_leaves_nothing_out_proves_it(pancam: CommandLine, count: str, step: str) -> None:
    result = pancam("check", count, "-DLOCKED=1", "--cb-iterate", "--step", step)
    assert (result.status, result.out.partition("\n")[0]) == (0, "holds: no violation in any execution")
    assert f"between {step if step == 'superstep' else 'step'}s: enough to reach everything" in result.out
    value = json.loads(pancam("check", count, "-DLOCKED=1", "--cb", "30", "--step", step, "--json").out)
    assert (value["verdict"], value["statistics"]["bound_refused"]) == ("holds", 0)


def test_a_violation_says_nothing_about_what_the_bound_left_out(pancam: CommandLine, count: str) -> None:
    assert "enough" not in pancam("check", count, "-DLOCKED=0", "--cb", "30").out


def test_growing_bounds_keep_to_the_time(pancam: CommandLine) -> None:
    file = pancam.file("ever.c", FOR_EVER)
    result = pancam("check", file, "--cb-iterate", "--time", "0.5")
    assert (result.status, result.out.partition("\n")[0]) == (
        3,
        "unknown: the time limit was reached; no violation so far",
    )
    assert "enough" not in result.out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--cb", "-1"], "--cb must not be negative"),
        (["--cb", "1", "--cb-iterate"], "--cb-iterate finds the bound itself: it cannot be combined with --cb"),
        (["--cb-unmatched"], "--cb-unmatched goes with --cb"),
        (
            ["--cb", "1", "--cb-unmatched", "--bfs"],
            "--cb-unmatched searches depth-first: it cannot be combined with --bfs",
        ),
        (["--compare", "--trace", "t"], "--trace is for one search: it cannot be combined with --compare"),
        (["--compare", "--keep", "k"], "--keep is for one search: it cannot be combined with --compare"),
        (["--compare", "--step", "global"], "--step is for one search: it cannot be combined with --compare"),
    ],
)
def test_what_cannot_be_combined_is_refused(pancam: CommandLine, count: str, options: list[str], message: str) -> None:
    assert pancam.refused("check", count, "-DLOCKED=1", *options) == message


# --- steps of all sizes side by side ---


def table(pancam: CommandLine, *arguments: str) -> tuple[int, list[list[str]], list[str]]:
    """Exit code, the words of the rows, and what follows the table."""
    result = pancam("check", "--compare", *arguments)
    heading, *lines = result.out.splitlines()
    assert heading.split() == ["steps", "verdict", "states", "transitions", "instructions", "each", "time"]
    assert result.err == ""
    return result.status, [line.split() for line in lines[:3]], [line for line in lines[3:] if line]


def number(word: str) -> int:
    return int(word.replace(",", ""))


def test_steps_of_all_sizes_are_compared(pancam: CommandLine, count: str) -> None:
    status, rows, rest = table(pancam, count, "-DLOCKED=1")
    assert [row[:2] for row in rows] == [["superstep", "holds"], ["global", "holds"], ["instruction", "holds"]]
    states = [number(row[2]) for row in rows]
    assert states == sorted(states)
    assert (status, rest) == (0, [])


def test_a_violation_is_told_for_each_size(pancam: CommandLine, count: str) -> None:
    status, rows, rest = table(pancam, count, "-DLOCKED=0")
    told = "violated: count.c:18: assertion failed: counter == 2"
    assert (status, [row[1] for row in rows]) == (1, ["violated"] * 3)
    assert rest == [f"{step}: {told}" for step in ("superstep", "global", "instruction")]


def test_one_that_gives_up_is_no_obstacle(pancam: CommandLine) -> None:
    status, rows, rest = table(pancam, pancam.file("apart.c", APART), "--time", "1")
    assert (status, rows[0][1], rows[2][1]) == (0, "holds", "unknown")
    assert rest[-1] == "instruction: unknown: the time limit was reached; no violation so far"


def test_all_that_give_up_are_one(pancam: CommandLine) -> None:
    file = pancam.file("ever.c", FOR_EVER)
    status, rows, _ = table(pancam, file, "--time", "0.3")
    assert (status, [row[1] for row in rows]) == (3, ["unknown"] * 3)


def test_bounds_are_those_of_each_search(pancam: CommandLine, count: str) -> None:
    options = (count, "-DLOCKED=1", "--cb", "1")
    status, rows, rest = table(pancam, *options)
    assert (status, {row[1] for row in rows}) == (0, {"bounded"})
    assert [("between supersteps" in line) for line in rest] == [True, False, False]
    assert table(pancam, *options, "--exhaustive")[0] == 3


def test_the_comparison_is_there_for_machines(pancam: CommandLine, count: str) -> None:
    result = pancam("check", count, "-DLOCKED=0", "--compare", "--json")
    value = json.loads(result.out)
    assert (result.status, value["exit_code"], value["files"]) == (1, 1, [count])
    rows = value["comparison"]
    assert [(row["step"], row["verdict"], row["reasons"]) for row in rows] == [
        (step, "violated", []) for step in ("superstep", "global", "instruction")
    ]
    assert all(row["statistics"]["states"] > 0 for row in rows)
