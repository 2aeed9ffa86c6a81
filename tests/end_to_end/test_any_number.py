# SPDX-License-Identifier: Apache-2.0
"""Programs that start threads without end, from outside: what is said when any number of threads was searched."""

from __future__ import annotations

import json

import pytest
from command import CommandLine

PROGRAM = """
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int inside;
static void *visit(void *unused) {
    pthread_mutex_lock(&m);
    inside++;
    assert(inside == 1);
    inside--;
    pthread_mutex_unlock(&m);
    return unused;
}
int main(void) {
    pthread_t thread;
    while (1) pthread_create(&thread, 0, visit, 0);
}
"""
UNLOCKED = PROGRAM.replace("    pthread_mutex_lock(&m);\n", "").replace("    pthread_mutex_unlock(&m);\n", "")
COUNTS = PROGRAM.replace("assert(inside == 1);", "visits++;").replace("int inside", "unsigned inside, visits")


def test_a_program_that_starts_threads_without_end_can_hold(pancam: CommandLine) -> None:
    result = pancam("check", pancam.file("visits.c", PROGRAM))
    lines = result.out.splitlines()
    assert result.status == 0
    assert lines[0] == "holds: no violation in any execution, with any number of threads"
    assert any(line.startswith("with any number of threads: ") for line in lines)


def test_a_violation_is_that_of_few_threads_and_has_a_trace(pancam: CommandLine) -> None:
    result = pancam("check", pancam.file("visits.c", UNLOCKED), "--only", "assert")
    assert result.status == 1
    assert "assertion failed: inside == 1" in result.out.splitlines()[0]
    assert "any number of threads" not in result.out.splitlines()[0]


def test_what_any_number_of_threads_cannot_show_stays_unknown_and_says_why(pancam: CommandLine) -> None:
    result = pancam("check", pancam.file("visits.c", COUNTS), "--time", "6", "--json")
    value = json.loads(result.out)
    assert (result.status, value["verdict"]) == (3, "unknown")
    assert value["any_number_of_threads"]["reason"] == "the time limit was reached"
    assert "a search with any number of threads gave up: the time limit was reached" in value["reasons"]


@pytest.mark.parametrize("option", ["--races", "--leaks", "--termination", "--cb=2"])
def test_what_is_not_monotone_in_the_number_of_threads_does_not_hold(pancam: CommandLine, option: str) -> None:
    result = pancam("check", pancam.file("visits.c", PROGRAM), option, "--time", "4")
    assert result.status != 0
    assert "with any number" not in result.out
