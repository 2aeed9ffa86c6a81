# SPDX-License-Identifier: Apache-2.0
"""Searches with any number of threads (ADR 21): what few threads do they find; what they cannot know they say."""

from pathlib import Path

import pytest

from tests.search.crowd_programs import bounded_check, crowd_reason, random_program

HEAD = """
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <setjmp.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int c, d;
int *p;
pthread_t other;
"""
FOREVER = "int main(void) { pthread_t t; while (1) pthread_create(&t, 0, thr, 0); }"
LOCKED = "pthread_mutex_lock(&m); c++; assert(c == 1); c--; pthread_mutex_unlock(&m);"


def thread(body: str, main: str = FOREVER) -> str:
    """A program whose threads all do this."""
    return f"{HEAD}void *thr(void *arg) {{ {body} return 0; }}\n{main}\n"


@pytest.mark.parametrize("seed", range(16))
def test_a_violation_by_few_threads_is_never_missed(seed: int, tmp_path: Path) -> None:
    text = random_program(seed)
    if crowd_reason(text, tmp_path) == "":
        assert [bounded_check(text, tmp_path, threads).traces for threads in (1, 2, 3)] == [[], [], []], text


def test_random_programs_are_of_both_kinds(tmp_path: Path) -> None:
    reasons = [crowd_reason(random_program(seed), tmp_path) for seed in range(16)]
    assert "" in reasons
    assert any("assertion failed" in reason for reason in reasons)


@pytest.mark.parametrize(
    "text",
    [
        thread(LOCKED),
        thread(f"while (1) {{ {LOCKED} }}"),
        thread("int mine = 0; int *q = &mine; *q = 1; assert(mine == 1); c = mine;"),
        thread("if (pthread_mutex_trylock(&m) == 0) { c++; assert(c == 1); c--; pthread_mutex_unlock(&m); }"),
        thread(LOCKED, "int main(void) { pthread_t t[3]; for (int i = 0;; i = (i + 1) % 3) "
                       "pthread_create(&t[i], 0, thr, 0); }"),
    ],
    ids=["mutex", "loop", "own variable", "trylock", "array of ids"],
)  # fmt: skip
def test_correct_programs_hold_with_any_number_of_threads(text: str, tmp_path: Path) -> None:
    assert crowd_reason(text, tmp_path) == ""
    assert crowd_reason(text, tmp_path, deadlocks=True) == ""


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (thread("c++; assert(c == 1); c--;"), "assertion failed"),
        (thread("c = (c + 1) % 9; assert(c != 8);"), "assertion failed"),  # takes more threads than one looks at
        (thread("pthread_mutex_lock(&m); pthread_mutex_unlock(&m); pthread_mutex_unlock(&m);"), "misuse of a mutex"),
        (thread("if (c) pthread_mutex_unlock(&m); else { pthread_mutex_lock(&m); c = 1; }"), "misuse of a mutex"),
        (thread("pthread_mutex_init(&m, 0); pthread_mutex_lock(&m); c = 1; pthread_mutex_unlock(&m);"), "told apart"),
        (thread("int mine = 0; p = &mine; *p = 1; assert(mine == 0);"), "told apart"),
        (thread("static __thread int mine; p = &mine; *p = 1; assert(mine);"), "told apart"),
        (thread("int *q = malloc(4); free(q); int *r = malloc(4); assert(q != r);"), "told apart"),
        (thread("assert(pthread_self() != 9);"), "pthread_self tells threads apart"),
        (thread("jmp_buf b; setjmp(b);"), "tells threads apart"),
        (thread("", "int main(void) { pthread_t t, u; pthread_create(&t, 0, thr, 0); pthread_create(&u, 0, thr, 0); "
                    "assert(t != u); }"), "ids of threads are looked at"),
        (thread("", "int main(void) { while (1) pthread_create(&other, 0, thr, &other); }"), "ids of threads"),
        (thread("pthread_join(1, 0);"), "told apart"),
        (thread("int mine = 1; pthread_t t; if (!arg) pthread_create(&t, 0, thr, &mine);"), "told apart"),
        (thread("c = !c;", "void *(*routine)(void *); int main(void) { int (*f)() = (int (*)())pthread_create; "
                           "pthread_t t; f(&t, 0, thr, 0); }"), "ids of threads are looked at"),
    ],
    ids=["no lock", "many threads", "unlock twice", "unlock by another", "initialised anew", "address of a local",
         "address of a thread-local", "freed", "self", "setjmp", "ids compared", "id shared", "join", "argument",
         "pointer"],
)  # fmt: skip
def test_what_is_wrong_or_not_known_is_told(text: str, reason: str, tmp_path: Path) -> None:
    assert reason in crowd_reason(text, tmp_path)


def test_a_deadlock_is_excluded_only_where_a_thread_that_is_there_can_move(tmp_path: Path) -> None:
    text = thread("pthread_mutex_lock(&m); c = 1;", FOREVER.replace("while (1)", "while (!c)").replace(
        "; }", "; pthread_mutex_lock(&m); }"))  # fmt: skip
    assert crowd_reason(text, tmp_path) == ""
    assert "can always move" in crowd_reason(text, tmp_path, deadlocks=True)


def test_values_that_are_not_all_tried_are_told(tmp_path: Path) -> None:
    body = "extern int __VERIFIER_nondet_int(void); int v = __VERIFIER_nondet_int(); c = v * v; assert(c != 1764);"
    assert "not all nondeterministic values" in crowd_reason(thread(body), tmp_path)
