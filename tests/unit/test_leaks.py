# SPDX-License-Identifier: Apache-2.0
"""--leaks: what is left on the heap at the end of the process, lost or still reachable."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from pancam.bytecode.program import Program
from pancam.bytecode.program_file import with_arguments
from pancam.explain.situation import Situation
from pancam.frontend.clang import CompileOptions
from pancam.pipeline import BuildOptions, Timings, build_program
from pancam.settings import Settings
from pancam.spin.options import SearchOptions
from pancam.spin.search import Watch, search
from pancam.vm.checker import Checker, Outcome

PROGRAM = r"""
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
struct node { struct node *next; char text[8]; };
static struct node *head;
static _Thread_local void *own;
static char *middle;
static void nothing(void) {}
static void *result(void *size) { return malloc((size_t)size); }
static void *holds_on(void *started) {
    int *block = malloc(8);
    *block = 1;
    __atomic_store_n((int *)started, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(block, __ATOMIC_SEQ_CST) != 0) {}
    return block;
}
int main(int argc, char **argv) {
    pthread_t thread;
    struct node local, *node;
    int started = 0;
    memset(&local, 0, sizeof local);
    switch (atoi(argv[1])) {
    case 0: return 0;
    case 1: free(realloc(malloc(8), 16)); return 0;
    case 2: atexit(nothing); _Exit(0);
    case 3: malloc(4); abort();
    case 10: malloc(5); return 0;
    case 11: node = malloc(sizeof *node); node->next = malloc(sizeof *node); node->next->next = node; return 0;
    case 12: local.next = malloc(16); return 0;
    case 13: pthread_create(&thread, NULL, result, (void *)3); pthread_join(thread, NULL); return 0;
    case 14: strdup("y"); pthread_exit(NULL);
    case 20: head = malloc(sizeof *head); head->next = calloc(1, sizeof *head); return 0;
    case 21: middle = (char *)malloc(10) + 5; return 0;
    case 22: own = malloc(4); exit(0);
    case 23: local.next = malloc(16); exit(0);
    case 26: node = malloc(16); node->next = NULL; exit(0);
    case 24: pthread_create(&thread, NULL, holds_on, &started);
             while (!__atomic_load_n(&started, __ATOMIC_SEQ_CST)) {}
             return 0;
    case 25: pthread_create(&thread, NULL, result, (void *)3); pthread_exit(NULL);
    }
}
"""
NONE, LOST, REACHABLE = (0, 1, 2, 3), (10, 11, 12, 13, 14), (20, 21, 22, 23, 24, 25, 26)

# What main finds when it exits depends on how far the other thread is, also between two of its reads and choices.
RACE = r"""
#include <pancam.h>
#include <pthread.h>
#include <stdlib.h>
static int *shared;
static int other;
static void *reader(void *unused) {
    int *mine = __atomic_load_n(&shared, __ATOMIC_SEQ_CST);
    int choice = pancam_nondet_range(0, 1);
    if (mine != NULL && choice) *mine = 1;
    return __atomic_load_n(&other, __ATOMIC_SEQ_CST) ? unused : NULL;
}
int main(void) {
    pthread_t thread;
    shared = malloc(4);
    pthread_create(&thread, NULL, reader, NULL);
    __atomic_store_n(&shared, NULL, __ATOMIC_SEQ_CST);
    return 0;
}
"""


@cache
def program(text: str, *, m32: bool = False) -> Program:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "program.c"
        file.write_text(text)
        options = BuildOptions(CompileOptions(m32=m32, extra_flags=("-w",)), keeps_variables=True)
        return build_program([str(file)], options, [], Timings())


def end_of(case: int, leaks: str, *, m32: bool = False) -> tuple[str | None, str]:
    """Kind and text of what a run ends with in which threads take turns."""
    chosen = with_arguments(program(PROGRAM, m32=m32), ["program", str(case)])
    checker = Checker(chosen.image, Settings(leaks=leaks))
    for _ in range(2000):
        for thread in checker.machine.threads:
            if checker.outcome is Outcome.RUNNING and checker.moves(thread):
                checker.step(thread, 0)
        if checker.outcome is not Outcome.RUNNING:
            break
    assert checker.outcome in (Outcome.DONE, Outcome.VIOLATION)
    fault = checker.machine.fault
    return (fault.kind, Situation(checker.machine, chosen).details(fault)) if fault else (None, "")


@pytest.mark.parametrize("m32", [False, True])
def test_blocks_that_are_left_are_lost_or_reachable(m32: bool) -> None:
    expected = {
        case: kind for cases, kind in ((NONE, None), (LOST, "LEAK"), (REACHABLE, "LEAK_REACHABLE")) for case in cases
    }
    assert {case: end_of(case, "all", m32=m32)[0] for case in expected} == expected


def test_only_lost_blocks_count_when_only_they_are_asked_for() -> None:
    assert {end_of(case, "lost")[0] for case in (*NONE, *REACHABLE)} == {None}
    assert {end_of(case, "lost")[0] for case in LOST} == {"LEAK"}
    assert {end_of(case, "none")[0] for case in (*LOST, *REACHABLE)} == {None}


def test_a_leak_tells_how_many_blocks_and_bytes() -> None:
    assert end_of(10, "all")[1] == ": 1 block, 5 bytes"
    assert end_of(20, "all")[1] == ": 2 blocks, 32 bytes"


@pytest.mark.parametrize("step", ["superstep", "global", "instruction"])
def test_what_other_threads_hold_at_the_end_is_found_with_steps_of_any_size(step: str) -> None:
    built = program(RACE)
    settings = Settings(step=step, leaks="all")
    found = search(built.image, settings, SearchOptions(all_errors=0), built.thread_limit, Watch())
    kinds = set()
    for trail in found.trails:
        checker = Checker(built.image, settings)
        for move in trail.moves:
            checker.step(move.thread, move.choice)  # type: ignore[union-attr]
        assert checker.machine.fault is not None
        kinds.add(checker.machine.fault.kind)
    assert kinds == {"LEAK", "LEAK_REACHABLE"}


REUSED = r"""
#include <stdlib.h>
int main(void) {
    int *old = malloc(4);
    free(old);
    int *fresh = malloc(4);
    *fresh = 1;
    return *old;
}
"""


@pytest.mark.parametrize("m32", [False, True])
def test_without_reuse_a_freed_block_is_never_taken_for_a_new_one(m32: bool) -> None:
    image = program(REUSED, m32=m32).image
    for reuse, kind in ((True, None), (False, "USE_AFTER_FREE")):
        checker = Checker(image, Settings(reuse=reuse))
        while checker.outcome is Outcome.RUNNING:
            packed = checker.pack()
            checker.unpack(packed)
            assert checker.pack() == packed
            checker.step(0, 0)
        fault = checker.machine.fault
        assert (fault.kind if fault else None) == kind


def test_without_reuse_both_stores_find_the_same_states() -> None:
    text = REUSED.replace("return *old", "for (int i = 0; i < 5; i++) free(malloc(8)); return 0")
    built = program(text)
    settings = Settings(step="instruction", reuse=False, runs_alone=False)
    found = [
        search(built.image, settings, SearchOptions(store=store), built.thread_limit, Watch()).report.states
        for store in ("tree", "raw")
    ]
    assert found[0] == found[1]
