# SPDX-License-Identifier: Apache-2.0
"""Random small programs whose threads go on for ever, or may: the subjects of formulas about infinite executions.

Variables stay below 3, so that all states can be explored. Threads spin, wait for locks and semaphores, take turns,
leave their loops, or end the process. Some have a variable that no other touches: only propositions see its changes.
"""

from __future__ import annotations

import random

HEADERS = ("pancam.h", "pthread.h", "semaphore.h", "stdatomic.h", "stdlib.h", "time.h")
DECLARATIONS = """
static int x, y;
static _Atomic int z;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static sem_t s;
static const struct timespec soon;
"""
VARIABLES = "xyz"
OWN = 0.4  # how many threads keep to themselves
PROPOSITIONS = {"p": "x == 1", "q": "y == 1", "r": "z > 0"}


def loop_program(seed: int) -> str:
    """The seed's program; always the same."""
    choose = random.Random(seed)  # noqa: S311 - nothing secret
    actors = choose.choice((1, 2, 2, 2, 2, 3))
    bodies = [_actor(choose, number, small=actors == 3) for number in range(actors)]
    includes = [f"#include <{header}>" for header in HEADERS]
    return "\n".join([*includes, DECLARATIONS, *bodies, _main(choose, actors), ""])


def _actor(choose: random.Random, number: int, *, small: bool) -> str:
    count = choose.choice((1, 1, 2) if small else (1, 1, 2, 2, 3))
    names = VARIABLES[number] if choose.random() < OWN else VARIABLES
    lines = [line for _ in range(count) for line in _statement(choose, names, 0 if small else 1)]
    kind = choose.choice(("for (;;)", "for (;;)", f"while ({_condition(choose, names)})", "do"))
    body = "\n".join(f"        {line}" for line in lines)
    end = " while (0);" if kind == "do" else ""
    return f"static void *actor_{number}(void *unused) {{\n    {kind} {{\n{body}\n    }}{end}\n    return unused;\n}}"


def _main(choose: random.Random, actors: int) -> str:
    first = 1 if choose.random() < 0.3 else 0
    creations = [f"pthread_t t{n}; pthread_create(&t{n}, NULL, actor_{n}, NULL);" for n in range(first, actors)]
    joins = [f"pthread_join(t{n}, NULL);" for n in range(first, actors)]
    ends = {"exit": ["pthread_exit(NULL);"], "join": [*joins, "return 0;"], "leave": ["return 0;"]}
    acting = ["actor_0(NULL);"] if first else []
    ending = ends[choose.choice(("exit", "exit", "join", "leave"))]
    lines = ["sem_init(&s, 0, 0);", "pancam_atomic_begin();", *creations, "pancam_atomic_end();", *acting, *ending]
    return "\n".join(["int main(void) {", *(f"    {line}" for line in lines), "}"])


def _condition(choose: random.Random, names: str) -> str:
    return f"{choose.choice(names)} {choose.choice(('==', '!='))} {choose.randint(0, 1)}"


def _write(choose: random.Random, names: str) -> str:
    variable, value = choose.choice(names), choose.randint(0, 2)
    return choose.choice((
        f"{variable} = {value};", f"{variable} = {value};", f"{variable} = ({variable} + 1) % 3;",
        f"{variable} = {choose.choice(names)};", f"{variable} = !{variable};", f"{variable} = pancam_nondet_bool();",
    ))  # fmt: skip


def _statement(choose: random.Random, names: str, depth: int) -> list[str]:
    inner = _statement(choose, names, depth - 1) if depth else [_write(choose, names)]
    flat = "\n            ".join(inner)
    return choose.choice((
        [_write(choose, names)], [_write(choose, names)], [_write(choose, names)],
        [f"if ({_condition(choose, names)}) {{", f"    {flat}", "}"],
        [f"if ({_condition(choose, names)}) {{", f"    {flat}", "} else {", f"    {_write(choose, names)}", "}"],
        [f"while ({_condition(choose, names)}) {{ }}"],
        [f"while ({_condition(choose, names)}) {{ {_write(choose, names)} }}"],
        ["pthread_mutex_lock(&m);", *inner, "pthread_mutex_unlock(&m);"],
        ["pthread_mutex_lock(&m);", *inner, "pthread_mutex_unlock(&m);"],
        [f"if (pthread_mutex_trylock(&m) == 0) {{ {flat} pthread_mutex_unlock(&m); }}"],
        [f"if (pthread_mutex_timedlock(&m, &soon) == 0) {{ {flat} pthread_mutex_unlock(&m); }}"],
        ["pancam_atomic_begin();", _write(choose, names), _write(choose, names), "pancam_atomic_end();"],
        ["if (sem_trywait(&s) == 0) { sem_post(&s); }"],
        ["sem_wait(&s);"],
        ["sem_post(&s); sem_wait(&s);"],
        [f"if ({_condition(choose, names)}) {{ return NULL; }}"],
        [f"if ({_condition(choose, names)}) {{ exit(0); }}"],
        [f"pancam_assume({_condition(choose, names)});"],
        [f"if ({_condition(choose, names)}) {{ break; }}"] if depth == 1 else [_write(choose, names)],
    ))  # fmt: skip
