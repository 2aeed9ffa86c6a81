# SPDX-License-Identifier: Apache-2.0
"""Random programs that start threads without end, or so many of them, and their two searches.

Threads of two kinds use plain variables, two kinds of locks, thread-local variables, variables whose address is taken
and memory of their own, and assert things that may or may not hold. Data stays small, so that searches end.
"""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from random import Random

from pancam.check import CheckResult, check_crowds, check_program
from pancam.errors import UnsupportedError
from pancam.faults import ignored_kinds
from pancam.frontend.clang import CompileOptions
from pancam.pipeline import BuildOptions, Timings, build_program
from pancam.settings import Settings
from pancam.spin.options import SearchOptions
from pancam.spin.search import Watch
from pancam.vm.crowd import SLOTS, CrowdLimits

HEAD = """
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
extern void __VERIFIER_assume(int);
extern int __VERIFIER_nondet_int(void);
int x, y, gate;
int *shared = &x;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
__thread int own;
static void __VERIFIER_atomic_enter(void) { __VERIFIER_assume(gate == 0); gate = 1; }
static void __VERIFIER_atomic_leave(void) { gate = 0; }
static void set(int *place, int value) { *place = value; }
static void __VERIFIER_atomic_swap(int *a, int *b) { int c = *a; *a = *b; *b = c; }
"""
MAIN = """
int main(void) {
  pthread_t t;
#ifdef THREADS
  for (int i = 0; i < THREADS; i++)
#else
  while (1)
#endif
    pthread_create(&t, 0, KIND, 0);
#ifdef THREADS
  for (;;) ;
#endif
}
"""
STATEMENTS = (
    "x = !x;", "y = x;", "x = 1;", "x = 0;", "y = 0;", "if (x) y = 1;", "x = (x + 1) % 3;", "y = (y + x) % 3;",
    "own = (own + 1) % 3;", "own = x;", "x = own % 2;", "set(&mine, x);", "set(&mine, own);", "x = mine % 2;",
    "__VERIFIER_atomic_swap(&mine, &y);", "int *p@ = malloc(4); if (p@) { *p@ = x; y = *p@; }", "mine = y;",
    "if (pthread_mutex_trylock(&m) == 0) { x = 1; pthread_mutex_unlock(&m); }", "*shared = 1;", "shared = &y;",
)  # fmt: skip
RARE = ("pthread_mutex_unlock(&m);", "shared = &mine;", "pthread_mutex_init(&m, 0);", "pthread_exit(0);")
GUARDED = (
    "pthread_mutex_lock(&m); {} pthread_mutex_unlock(&m);",
    "__VERIFIER_atomic_enter(); {} __VERIFIER_atomic_leave();",
)
ASSERTIONS = ("x == y", "x != 2", "y != 2", "own == mine", "own < 2", "mine != 2", "!(x && y)", "x == own")
PROVABLE = ("x++; assert(x == 1); x--;", "y = 1; assert(y == 1); y = 0;", "own = 1; assert(own);", "")


def random_program(seed: int) -> str:
    """A program; THREADS says how many threads it starts, without it there is no end."""
    random, numbers = Random(seed), iter(range(100))  # noqa: S311 - not for secrets

    def statement() -> str:
        rare = random.random() < 0.03
        text = random.choice(RARE if rare else STATEMENTS).replace("@", str(next(numbers)))
        if random.random() < 0.3:
            text += f" assert({random.choice(ASSERTIONS)});"
        return random.choice(GUARDED).replace("{}", text) if random.random() < 0.4 and not rare else text

    def thread(name: str) -> str:
        body = [statement() for _ in range(random.randint(1, 3))]
        if random.random() < 0.5:
            body = [random.choice(GUARDED).replace("{}", random.choice(PROVABLE)) for _ in body]
        loop = "while (1)" if random.random() < 0.3 else ""
        return f"void *{name}(void *a) {{ int mine = 0; {loop} {{ {' '.join(body)} }} return 0; }}\n"

    kind = "__VERIFIER_nondet_int() ? one : two" if random.random() < 0.4 else "one"
    return HEAD + thread("one") + thread("two") + MAIN.replace("KIND", kind)


def settings_for(threads: int) -> Settings:
    """Everything but deadlocks, which depend on what is not there."""
    settings = Settings(step="superstep", ignored=ignored_kinds((), ("deadlock",)))
    return replace(settings, limits=replace(settings.limits, max_threads=threads))


def crowd_reason(text: str, folder: Path, *, deadlocks: bool = False, seconds: float = 3.0) -> str:
    """Why the search with any number of threads says nothing; empty: it says that nothing is wrong."""
    path = folder / "program.c"
    path.write_text(text)
    build = BuildOptions(thread_limit=SLOTS, crowd=True)
    try:
        program = build_program([str(path)], build, [], Timings())
    except UnsupportedError as problem:
        return problem.message
    settings = settings_for(SLOTS)
    settings = replace(settings, ignored=()) if deadlocks else settings
    return check_crowds(program, settings, CrowdLimits(time.monotonic() + seconds)).reason


def bounded_check(text: str, folder: Path, threads: int) -> CheckResult:
    """The ordinary search of the same program with so many threads beside main."""
    path = folder / "program.c"
    path.write_text(text)
    build = BuildOptions(CompileOptions(defines=(f"THREADS={threads}",)), thread_limit=threads + 1)
    program = build_program([str(path)], build, [], Timings())
    search = SearchOptions(time=20.0)
    return check_program(program, settings_for(threads + 1), search, Watch(), Timings())
