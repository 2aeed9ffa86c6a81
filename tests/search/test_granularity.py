# SPDX-License-Identifier: Apache-2.0
"""Steps of both sizes see the same violations and the same final values, on stacks and at faults, too."""

from __future__ import annotations

import pytest
from granularity import compare_steps, compile_text
from programs import program_text

HEADERS = "".join(f"#include <{name}.h>\n" for name in ("assert", "pthread", "semaphore", "stdatomic", "stddef"))
PROGRAMS = {
    "the end of a lifetime": """
static int *volatile p; static sem_t never;
__attribute__((noinline)) static void use(int *v) { p = v; *(volatile int *)v = 5; }
static void *t(void *a) { { int v[2]; use(v); } sem_wait(&never); return a; }
int main(void) { pthread_t a; sem_init(&never, 0, 0); pthread_create(&a, 0, t, 0);
  int *q = p; if (q) assert(*(volatile int *)q != 5); return 0; }
""",
    "a fault after a write": """
static volatile int x;
static void *t(void *a) { x = 1; assert(a); return 0; }
int main(void) { pthread_t a; pthread_create(&a, 0, t, 0);
  int *p = x ? 0 : (int *)&x; *p = 2; return 0; }
""",
    "a division after a write": """
static volatile int x, y;
static void *t(void *a) { int d = y; x = 1; x = 5 / d; return a; }
int main(void) { pthread_t a; pthread_create(&a, 0, t, 0); assert(x != 1); return 0; }
""",
    "a return that ends a variable": """
static int *volatile p;
static void f(void) { int v = 1; p = &v; v = 5; }
static void *t(void *a) { f(); return a; }
int main(void) { pthread_t a; pthread_create(&a, 0, t, 0);
  int *q = p; if (q) assert(*q != 5); return 0; }
""",
    "a number of a stack object that is used again": """
static atomic_int flag;
static void *reader(void *p) { while (!atomic_load(&flag)) continue; return (void *)(long)*(volatile int *)p; }
__attribute__((noinline)) static pthread_t f(void) {
    int side = 4; pthread_t t; pthread_create(&t, NULL, reader, &side); pthread_t copy = t;
    atomic_store(&flag, 1); return copy; }
__attribute__((noinline)) static void g(pthread_t t) { void *other[2]; pthread_join(t, &other[0]); }
int main(void) { g(f()); return 0; }
""",
}


@pytest.mark.parametrize("level", ["0", "1", "2"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_steps_of_both_sizes_see_the_same(name: str, level: str) -> None:
    assert compare_steps(compile_text(HEADERS + PROGRAMS[name], level), 200_000) == ""


@pytest.mark.parametrize("seed", range(1, 31))
def test_steps_of_both_sizes_see_the_same_in_random_programs(seed: int) -> None:
    assert compare_steps(compile_text(program_text(seed)), 20_000) in ("", None)
