# SPDX-License-Identifier: Apache-2.0
"""--uninit: a read of what was never written is a fault, and nothing else is."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from pancam.bytecode.program import Program
from pancam.bytecode.program_file import with_arguments
from pancam.frontend.clang import CompileOptions
from pancam.pipeline import BuildOptions, Timings, build_program
from pancam.settings import Settings
from pancam.spin.options import SearchOptions
from pancam.spin.search import Watch, search
from pancam.vm.machine import Machine, Stop

# Each case is one line: those below 40 are right, the others read something that was not written.
PROGRAM = r"""
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct pad { char c; int i; };
struct two { int a, b; };
struct big { char c; long l; double d; };
union un { long l; int i; char b[3]; };
struct bits { unsigned a : 3, b : 5, c : 20; int z; unsigned char d : 2; };
static int by_value(struct pad p, struct two t, struct big b, union un u) { return p.i + t.a + (int)b.l + u.i; }
static struct pad give(void) { struct pad p; p.c = 1; p.i = 2; return p; }
static int sum(int n, ...) {
    va_list all, again;
    int total = 0;
    va_start(all, n);
    va_copy(again, all);
    while (n--) total += va_arg(again, int);
    va_end(all);
    return total;
}
static int compare(const void *a, const void *b) { return ((const struct pad *)a)->i - ((const struct pad *)b)->i; }
static int forgetful(int n) { if (n > 100) return 1; }
static int careless(void) { int never; return never; }
static jmp_buf place;
_Thread_local int own[2];
int main(int argc, char **argv) {
    int x, array[4];
    struct bits *f = malloc(sizeof *f);
    struct pad *p = malloc(sizeof *p), q;
    struct two t;
    struct big b;
    union un u, *pu = malloc(sizeof *pu);
    t.a = q.i = b.l = 1;
    t.b = q.c = b.c = 2;
    b.d = 3;
    switch (atoi(argv[1])) {
    case 0: u.i = 3; return by_value(q, t, b, u);
    case 1: *p = q; q = give(); return p->i + q.i;
    case 2: f->a = 1; f->b = 0; f->d = 1; return f->a + f->c;
    case 3: { int *c = calloc(4, 4); return c[3]; }
    case 4: { char *s = malloc(10); strcpy(s, "hi"); s = realloc(s, 20); return s[1]; }
    case 5: { int *a = malloc(16); memset(a, 0, 16); return a[2]; }
    case 6: return sum(3, 1, 2, 3);
    case 7: { double d[3]; for (int i = 0; i < 3; i++) d[i] = i; return (int)d[2]; }
    case 8: { struct pad a[2]; a[1] = q; memmove(&a[0], &a[1], sizeof q); return a[0].i; }
    case 9: { atomic_int *a = malloc(4); atomic_init(a, 3); return atomic_fetch_add(a, 1); }
    case 10: { char s[40]; snprintf(s, sizeof s, "%d", 5); return s[0]; }
    case 11: { long double d[2]; d[1] = 3; return (int)d[1]; }
    case 12: if (argc > 0) x = 2; else x = 3; return x;
    case 13: pu->i = 1; *p = q; return by_value(*p, t, b, *pu);
    case 14: { struct pad a[3]; for (int i = 0; i < 3; i++) { a[i].c = 1; a[i].i = 3 - i; }
               qsort(a, 3, sizeof *a, compare); return a[0].i; }
    case 15: return own[1];
    case 16: if (setjmp(place) == 0) longjmp(place, 1); return 1;
    case 17: { struct pad r = *p; (void)r; return 0; }
    case 18: u.l = 5; return u.b[1];
    case 19: forgetful(argc); return 0;
    case 40: return x;
    case 41: return array[2];
    case 42: return p->i;
    case 43: p->c = 1; q = *p; return q.i;
    case 44: return f->b;
    case 45: { char *s = malloc(4); s[0] = 1; return s[1]; }
    case 46: { int *a = malloc(8); a[0] = 1; a = realloc(a, 16); return a[1]; }
    case 47: { atomic_int *a = malloc(4); return atomic_fetch_add(a, 1); }
    case 48: if (argc > 5) x = 2; return x + 1;
    case 49: { int *a = malloc(16); memcpy(array, a, 16); return array[0]; }
    case 50: { char *s = malloc(4); s[0] = 1; return *(int *)s; }
    case 51: *array = *(int *)malloc(4); return 0;
    case 52: return *(double *)malloc(8) > 0;
    case 53: { atomic_int *a = malloc(4); int e = 0; return atomic_compare_exchange_strong(a, &e, 1); }
    case 54: { int *a = malloc(4); *a = 1; free(a); a = malloc(4); return *a; }
    case 55: { struct pad a[3]; memset(a, 0, 8); qsort(a, 2, sizeof *a, compare); return 0; }
    case 56: u.b[0] = 1; return (int)u.l;
    case 57: careless(); return 0;
    }
    return 0;
}
"""
RIGHT, WRONG = (*range(20),), (*range(40, 58),)

# Thread 1 reads before or after main writes; the copy goes through the library, word by word.
RACE = r"""
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
static int *cell;
static int ready;
static void *reader(void *unused) {
    if (__atomic_load_n(&ready, __ATOMIC_SEQ_CST)) return cell[1] ? unused : NULL;
    return unused;
}
int main(void) {
    pthread_t t;
    int values[2] = {1, 0};
    cell = malloc(sizeof values);
    pthread_create(&t, NULL, reader, NULL);
    BEFORE
    memcpy(cell, values, sizeof values);
    AFTER
    pthread_join(t, NULL);
    return 0;
}
"""
PUBLISH = "__atomic_store_n(&ready, 1, __ATOMIC_SEQ_CST);"


@cache
def program(text: str, *, m32: bool = False) -> Program:
    options = BuildOptions(CompileOptions(m32=m32, extra_flags=("-w",)), uninit=True)
    with TemporaryDirectory() as folder:
        file = Path(folder) / "program.c"
        file.write_text(text)
        return build_program([str(file)], options, [], Timings())


def is_reported(case: int, *, m32: bool) -> bool:
    machine = Machine(with_arguments(program(PROGRAM, m32=m32), ["program", str(case)]).image)
    stop = machine.run(0)
    assert stop is Stop.EXITED or (machine.fault is not None and machine.fault.kind == "UNINITIALISED"), machine.fault
    return stop is not Stop.EXITED


@pytest.mark.parametrize("m32", [False, True])
def test_what_was_never_written_is_reported_and_nothing_else(m32: bool) -> None:
    assert [case for case in RIGHT if is_reported(case, m32=m32)] == []
    assert [case for case in WRONG if not is_reported(case, m32=m32)] == []


@pytest.mark.parametrize("step", ["superstep", "global", "instruction"])
def test_a_read_that_races_with_the_first_write_is_found_with_steps_of_any_size(step: str) -> None:
    for where, is_wrong in (("BEFORE", True), ("AFTER", False)):
        text = RACE.replace(where, PUBLISH).replace("BEFORE", "").replace("AFTER", "")
        built = program(text)
        found = search(built.image, Settings(step=step), SearchOptions(), built.thread_limit, Watch())
        assert bool(found.trails) is is_wrong


def test_a_state_with_its_marks_survives_packing() -> None:
    machine = Machine(with_arguments(program(PROGRAM), ["program", "54"]).image)
    for _ in range(40):
        machine.step(0)
    packed = machine.pack()
    assert machine.run(0) is Stop.FAULT
    fault = machine.fault
    machine.unpack(packed)
    assert machine.pack() == packed
    assert machine.run(0) is Stop.FAULT
    assert machine.fault == fault
