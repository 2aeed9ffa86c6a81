# SPDX-License-Identifier: Apache-2.0
"""Traces: found by a search, replayed, and told in the words of the source."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from compiled import compile_text
from pancam.vm._machine import ffi
from searching import FINE, one_run, shortest_violation

from pancam.errors import ReplayError, UsageError
from pancam.explain import recorder
from pancam.explain.ending import Violation, find_cycle
from pancam.explain.expressions import paths_in
from pancam.explain.render import render
from pancam.explain.trace import Trace, TraceStep, replay
from pancam.explain.trace_file import trace_row
from pancam.frontend.clang import CompileOptions
from pancam.moves import Call, Invariant, Move, Start, Step
from pancam.pipeline import BuildOptions, Timings, build_program
from pancam.settings import Settings
from pancam.vm.checker import Checker

LOST_UPDATE = """\
#include <assert.h>
#include <pthread.h>
static int counter;
static void *worker(void *unused) {
    int old = counter;
    counter = old + 1;
    return unused;
}
int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(counter == 2);
    return 0;
}
"""
DEADLOCK = """\
#include <pthread.h>
struct account { pthread_mutex_t lock; long balance; };
static struct account accounts[2] = {{PTHREAD_MUTEX_INITIALIZER, 100}, {PTHREAD_MUTEX_INITIALIZER, 100}};
static void transfer(struct account *from, struct account *to, long amount) {
    pthread_mutex_lock(&from->lock);
    pthread_mutex_lock(&to->lock);
    from->balance -= amount;
    to->balance += amount;
    pthread_mutex_unlock(&to->lock);
    pthread_mutex_unlock(&from->lock);
}
static void *forward(void *unused) { transfer(&accounts[0], &accounts[1], 10); return unused; }
static void *backward(void *unused) { transfer(&accounts[1], &accounts[0], 20); return unused; }
int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, forward, NULL);
    pthread_create(&b, NULL, backward, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
"""
USE_AFTER_FREE = """\
#include <pthread.h>
#include <stdlib.h>
struct node { int value; struct node *next; };
static struct node *head;
static volatile int sum;
static void push(int value) {
    struct node *fresh = malloc(sizeof *fresh);
    fresh->value = value;
    fresh->next = head;
    head = fresh;
}
static void *reader(void *unused) {
    for (struct node *n = head; n != NULL; n = n->next)
        sum += n->value;
    return unused;
}
int main(void) {
    pthread_t thread;
    push(1);
    push(2);
    pthread_create(&thread, NULL, reader, NULL);
    struct node *old = head;
    head = old->next;
    free(old);
    pthread_join(thread, NULL);
    return 0;
}
"""
IF_BUG = """\
#include <assert.h>
#include <pthread.h>
static struct { pthread_mutex_t lock; pthread_cond_t filled; int items[2]; unsigned count; } buffer;
static int result[2];
static void put(int item) {
    pthread_mutex_lock(&buffer.lock);
    buffer.items[buffer.count++] = item;
    pthread_cond_broadcast(&buffer.filled);
    pthread_mutex_unlock(&buffer.lock);
}
static int take(void) {
    pthread_mutex_lock(&buffer.lock);
    if (buffer.count == 0)
        pthread_cond_wait(&buffer.filled, &buffer.lock);
    assert(buffer.count > 0);
    int item = buffer.items[--buffer.count];
    pthread_mutex_unlock(&buffer.lock);
    return item;
}
static void *consumer(void *to) { *(int *)to = take(); return NULL; }
int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, consumer, &result[i]);
    put(7);
    put(8);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    return 0;
}
"""


def replayed(text: str, folder: Path, *, level: str = "0", m32: bool = False) -> Trace:
    """The shortest trace of a program that violates something."""
    program = compile_text(text, folder, level=level, m32=m32)
    return replay(program, Checker(program.image, FINE), shortest_violation(program))


def ran(text: str, folder: Path) -> Trace:
    """The trace of one run of a program that need not violate anything."""
    program = compile_text(text, folder)
    return replay(program, Checker(program.image, FINE), one_run(program), expected=None)


def events(trace: Trace) -> list[str]:
    return [event for step in trace.steps for event in step.events]


def changes(trace: Trace) -> list[str]:
    return [f"{c.path}: {c.old} -> {c.new}" for step in trace.steps for c in step.changes if c.shared]


def steps_on(trace: Trace, line: int) -> list[TraceStep]:
    return [step for step in trace.steps if step.location is not None and step.location.line == line]


# What traces tell


@pytest.mark.parametrize("level", ["0", "2"])
@pytest.mark.parametrize("m32", [False, True], ids=["LP64", "ILP32"])
def test_a_lost_update_shows_both_reads_and_both_writes(tmp_path: Path, level: str, m32: bool) -> None:
    trace = replayed(LOST_UPDATE, tmp_path, level=level, m32=m32)
    assert changes(trace) == ["counter: 0 -> 1", "counter: 1 -> 1"]
    reads = [(step.thread, read.value) for step in steps_on(trace, 5) for read in step.reads if read.contended]
    assert sorted(reads) == [(1, "0"), (2, "0")]
    violation = trace.ending.violation
    assert violation is not None
    assert (violation.kind, violation.text, violation.line) == ("ASSERT", "assertion failed: counter == 2", 15)
    assert dict(trace.ending.values) == {"counter": "1"}
    assert trace.steps[-1].source == "assert(counter == 2);"


def test_steps_of_single_instructions_tell_the_same(tmp_path: Path) -> None:
    program = compile_text(LOST_UPDATE, tmp_path, level="2")
    fine = Settings(step="instruction", runs_alone=False)
    traces = [
        replay(program, Checker(program.image, settings), one_run(program, settings), expected=None)
        for settings in (fine, FINE)
    ]
    assert len(traces[0].moves) > len(traces[1].moves)
    assert events(traces[0]) == events(traces[1])
    assert changes(traces[0]) == changes(traces[1]) == ["counter: 0 -> 1", "counter: 1 -> 2"]


def test_threads_are_named_after_the_function_they_begin_in(tmp_path: Path) -> None:
    trace = replayed(DEADLOCK, tmp_path)
    assert {(step.thread, step.thread_name) for step in trace.steps} == {(0, "main"), (1, "forward"), (2, "backward")}
    assert {"creates thread 1: forward(NULL)", "creates thread 2: backward(NULL)"} <= set(events(trace))


def test_a_deadlock_tells_who_waits_for_whom(tmp_path: Path) -> None:
    trace = replayed(DEADLOCK, tmp_path)
    assert trace.ending.violation is not None
    assert trace.ending.violation.kind == "DEADLOCK"
    assert trace.ending.cycle == (1, 2)
    waiting = {w.thread: (w.what, w.held, w.location and w.location.line) for w in trace.ending.waiting}
    assert waiting[1] == ("accounts[1].lock", " (held by thread 2)", 6)
    assert waiting[2] == ("accounts[0].lock", " (held by thread 1)", 6)
    assert all(w.since is not None and w.since.line == 5 for w in trace.ending.waiting if w.thread > 0)
    text = render(trace, width=120)
    assert "cycle: thread 1 -> accounts[1].lock -> thread 2 -> accounts[0].lock -> thread 1" in text
    assert "thread 1 (forward) at program.c:6 waits for accounts[1].lock (held by thread 2 since program.c:5)" in text


def test_a_freed_object_has_its_history(tmp_path: Path) -> None:
    trace = replayed(USE_AFTER_FREE, tmp_path)
    violation = trace.ending.violation
    assert violation is not None
    assert violation.text == "use of freed memory: node#2.value (4 bytes)"
    assert "node#2.next: NULL -> &node#1" in changes(trace)
    assert "head: &node#2 -> &node#1" in changes(trace)
    assert "frees node#2" in events(trace)
    assert dict(trace.ending.values)["n"] == "&node#2 (freed)"
    assert trace.ending.details == (
        "reads 4 bytes at offset 0 of node#2 (struct node, 16 bytes), a block from malloc",
        "allocated by thread 0 at program.c:7 (push) < program.c:20 (main)",
        "freed by thread 0 at program.c:24 (main)",
    )
    report = trace_row(trace)["object"]
    assert (report["kind"], report["size"], report["offset"], report["access"]) == ("heap", 16, 0, "reads")
    assert report["freed"] == {"thread": 0, "stack": ("program.c:24 (main)",)}


def test_condition_variables_are_told_in_order(tmp_path: Path) -> None:
    trace = replayed(IF_BUG, tmp_path)
    told = [event for event in events(trace) if "filled" in event or "wakes" in event]
    assert told == [
        "waits on buffer.filled, unlocks buffer.lock",
        "broadcasts buffer.filled: wakes thread 1",
        "wakes up, locks buffer.lock",
    ]
    assert "buffer.items[0]: 0 -> 7" in changes(trace)
    assert dict(trace.ending.values) == {"buffer.count": "0"}
    assert [line.split()[0] for line in trace.ending.stack] == ["take", "consumer"]


def test_a_signal_that_nobody_waits_for_is_told(tmp_path: Path) -> None:
    trace = ran(
        "#include <pthread.h>\npthread_cond_t c = PTHREAD_COND_INITIALIZER;\n"
        "int main(void) { pthread_cond_signal(&c); return 0; }\n",
        tmp_path,
    )
    assert "signals c: nobody waits" in events(trace)
    assert trace.ending.violation is None
    assert "the program exits with status 0" in events(trace)


def test_every_kind_of_synchronisation_has_its_words(tmp_path: Path) -> None:
    trace = ran(
        r"""
        #include <pthread.h>
        #include <semaphore.h>
        #include <threads.h>
        #include <time.h>
        #include <pancam.h>
        static sem_t items;
        static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
        static pthread_barrier_t barrier;
        static pthread_spinlock_t spin;
        static mtx_t mtx;
        static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
        static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
        static void *worker(void *p) { pthread_barrier_wait(&barrier); sem_post(&items); return p; }
        int main(void) {
            pthread_t t;
            struct timespec now = {0, 0};
            sem_init(&items, 0, 0);
            pthread_barrier_init(&barrier, NULL, 2);
            pthread_spin_init(&spin, 0);
            mtx_init(&mtx, mtx_plain);
            pthread_create(&t, NULL, worker, (void *)5);
            pthread_barrier_wait(&barrier);
            sem_wait(&items);
            sem_trywait(&items);
            pthread_rwlock_rdlock(&rw); pthread_rwlock_unlock(&rw);
            pthread_rwlock_wrlock(&rw); pthread_rwlock_unlock(&rw);
            pthread_spin_lock(&spin); pthread_spin_unlock(&spin);
            mtx_lock(&mtx); mtx_unlock(&mtx);
            pthread_mutex_lock(&m);
            pthread_mutex_trylock(&m);
            pthread_mutex_timedlock(&m, &now);
            pthread_cond_timedwait(&c, &m, &now);
            pancam_atomic_begin(); pancam_atomic_end();
            pthread_join(t, NULL);
            return 0;
        }
        """,
        tmp_path,
    )
    told = events(trace)
    assert [event for event in told if "thread 1" not in event] == [
        "initialises items to 0", "initialises barrier", "initialises spin", "initialises mtx",
        "waits at barrier (1 of 2 threads are there)", "arrives last at barrier, wakes thread 0",
        "goes on from barrier", "waits for items (it is 0)", "posts items (0 -> 1)", "takes items (1 -> 0)",
        "cannot take items (it is 0)", "read-locks rw", "unlocks rw", "write-locks rw", "unlocks rw",
        "locks spin", "unlocks spin", "locks mtx", "unlocks mtx", "locks m",
        "cannot lock m (held by this thread itself)", "waits for m (held by this thread itself)",
        "wait for m times out", "waits on c, unlocks m", "wait on c times out, locks m", "enters an atomic section",
        "leaves the atomic section",
        "the program exits with status 0",
    ]  # fmt: skip
    assert "creates thread 1: worker((void *)5)" in told
    assert "thread 1 ends" in told
    assert "joins thread 1" in told


def test_a_fault_in_the_library_is_shown_at_the_call(tmp_path: Path) -> None:
    trace = replayed(
        '#include <string.h>\nstatic const char *names[2] = {"one"};\n'
        "int main(void) {\n    unsigned long sum = 0;\n    for (int i = 0; i < 2; i++)\n"
        "        sum += strlen(names[i]);\n    return (int)sum;\n}\n",
        tmp_path,
    )
    assert trace.ending.location is not None
    assert trace.ending.location.line == 6
    assert trace.ending.details == ("in the library function strlen(NULL)",)
    assert dict(trace.ending.values).items() >= {"names[i]": "NULL", "i": "1"}.items()


def test_chosen_values_are_shown_as_the_program_gets_them(tmp_path: Path) -> None:
    program = compile_text(
        "#include <assert.h>\n#include <pancam.h>\n#include <stdio.h>\nint main(void) {\n"
        "    long range = pancam_nondet_range(-3, 3);\n    _Bool flag = pancam_nondet_bool();\n"
        '    printf("%ld\\n", range);\n    assert(range != -1 || !flag);\n    return 0;\n}\n',
        tmp_path,
    )
    trace = replay(program, Checker(program.image, FINE), shortest_violation(program))
    assert [step.choice for step in trace.steps if step.choice is not None] == [2, 1]
    assert events(trace) == ["pancam_nondet_range(-3, 3) = -1", "pancam_nondet_bool() = true"]
    assert "".join(step.output for step in trace.steps) == "-1\n"
    assert dict(trace.ending.values) == {"range": "-1", "flag": "true"}


def test_lines_are_those_of_inlined_functions_and_of_their_files(tmp_path: Path) -> None:
    (tmp_path / "box.h").write_text(
        "struct box { int full; int value; };\nvoid check(struct box *box);\n"
        "static inline void fill(struct box *box, int value) {\n    box->value = value;\n    box->full = 1;\n}\n"
    )
    (tmp_path / "box.c").write_text(
        '#include <assert.h>\n#include "box.h"\nstatic int calls;\n'
        "void check(struct box *box) {\n    calls++;\n    assert(box->value != 3);\n}\n"
    )
    (tmp_path / "main.c").write_text(
        '#include "box.h"\nstatic struct box box;\nstatic int calls;\n'
        "int main(void) {\n    calls++;\n    fill(&box, 3);\n    check(&box);\n    return calls;\n}\n"
    )
    paths = [str(tmp_path / name) for name in ("main.c", "box.c")]
    program = build_program(paths, BuildOptions(CompileOptions(opt_level="2")), [], Timings())
    trace = replay(program, Checker(program.image, FINE), shortest_violation(program))
    places = {
        change.path: (step.function, Path(step.location.file).name, step.location.line)
        for step in trace.steps if step.location is not None for change in step.changes
    }  # fmt: skip
    assert places["box.value"] == ("fill", "box.h", 4)
    assert places["box.full"] == ("fill", "box.h", 5)
    assert places["box.c::calls"] == ("check", "box.c", 5)
    assert dict(trace.ending.values) == {"box->value": "3"}


def test_a_stack_variable_of_another_thread_says_whose_it_is(tmp_path: Path) -> None:
    trace = ran(
        "#include <pthread.h>\nstatic void *set(void *to) { *(int *)to = 5; return NULL; }\n"
        "int main(void) {\n    pthread_t t;\n    int here = 1;\n    pthread_create(&t, NULL, set, &here);\n"
        "    pthread_join(t, NULL);\n    return here;\n}\n",
        tmp_path,
    )
    assert "creates thread 1: set(&here)" in events(trace)
    assert "thread 0's here: 1 -> 5" in changes(trace)


def test_a_variable_that_is_gone_is_named(tmp_path: Path) -> None:
    trace = replayed(
        "static int *leak(void) {\n    volatile int local = 3;\n    return (int *)&local;\n}\n"
        "int main(void) {\n    int *p = leak();\n    return *p;\n}\n",
        tmp_path,
    )
    assert trace.ending.violation is not None
    assert trace.ending.violation.text == "use of a stack variable that is gone: local (4 bytes)"
    assert trace.ending.details == (
        "reads 4 bytes at offset 0 of local (volatile int, 4 bytes), a variable of leak, which thread 0 has left",
    )


def test_a_dead_variable_is_still_shown_in_the_failing_line(tmp_path: Path) -> None:
    """The index is not needed any more when the store faults, which is a move of its own."""
    trace = replayed(
        "static struct { int length, items[3]; } v;\nstatic volatile int zero;\n"
        "int main(void) {\n    int at = 3;\n    v.items[at] = zero;\n    return 0;\n}\n",
        tmp_path,
    )
    assert trace.ending.violation is not None
    assert trace.ending.violation.text == "access outside the bounds of an object: v.items[3] (4 bytes)"
    assert trace.ending.details == (
        "writes 4 bytes at offset 16 of v (struct {...}, 16 bytes), a variable of the program",
    )
    assert dict(trace.ending.values)["at"] == "3"


# Replaying


def test_moves_that_cannot_be_done_are_an_error_with_their_number(tmp_path: Path) -> None:
    program = compile_text(LOST_UPDATE, tmp_path)
    checker, moves = Checker(program.image, FINE), shortest_violation(program)
    with pytest.raises(ReplayError, match="replay failed at step 3: thread 1 cannot move") as raised:
        replay(program, checker, [*moves[:2], Step(1)])
    assert raised.value.step == 3
    with pytest.raises(ReplayError, match="step 1: thread 0 has no choice 7"):
        replay(program, checker, [Step(0, 7)])
    with pytest.raises(ReplayError, match=f"step {len(moves) + 1}: the program is over"):
        replay(program, checker, [*moves, Step(0)])


def test_moves_that_end_without_a_violation_are_an_error(tmp_path: Path) -> None:
    program = compile_text(LOST_UPDATE, tmp_path)
    checker, moves = Checker(program.image, FINE), shortest_violation(program)
    with pytest.raises(ReplayError, match=f"step {len(moves) - 1}: the moves end without a violation"):
        replay(program, checker, moves[:-1])
    assert replay(program, checker, moves[:-1], expected=None).ending.violation is None


def test_moves_that_end_in_another_violation_are_an_error(tmp_path: Path) -> None:
    program = compile_text(LOST_UPDATE, tmp_path)
    checker, moves = Checker(program.image, FINE), shortest_violation(program)
    file = str(tmp_path / "program.c")
    for good in (Violation("ASSERT"), Violation("ASSERT", "assertion failed: counter == 2", file, 15)):
        assert replay(program, checker, moves, expected=good).ending.violation is not None
    for bad in (Violation("DEADLOCK"), Violation("ASSERT", "", file, 14), None):
        with pytest.raises(ReplayError, match=f"step {len(moves)}: the moves end in a violation"):
            replay(program, checker, moves, expected=bad)


def test_replaying_twice_gives_the_same_trace_and_leaves_the_checker_at_its_end(tmp_path: Path) -> None:
    program = compile_text(USE_AFTER_FREE, tmp_path)
    checker, moves = Checker(program.image, FINE), shortest_violation(program)
    first = replay(program, checker, moves)
    end = checker.pack()
    assert replay(program, checker, moves) == first
    assert checker.pack() == end


def test_switches_and_preemptions_are_counted(tmp_path: Path) -> None:
    trace = replayed(LOST_UPDATE, tmp_path)
    threads = [move.thread for move in trace.moves if isinstance(move, Step)]
    assert trace.switches == sum(one != other for one, other in pairwise(threads))
    assert 1 <= len(trace.preempted) < trace.switches
    assert all(threads[move] != threads[move - 1] for move in trace.preempted)


class LongStrides(Checker):
    """A checker whose moves are long: as many steps as a thread can do, at most five."""

    def step(self, thread: int, choice: int = 0) -> None:
        super().step(thread, choice)
        for _ in range(4):
            if self.moves(thread) == 1:
                super().step(thread)


def test_a_long_move_is_told_line_by_line(tmp_path: Path) -> None:
    program = compile_text(
        "#include <assert.h>\nstatic int a, b, c;\nint main(void) {\n    a = 1;\n    b = a + 1;\n    c = b + 1;\n"
        "    assert(c != 3);\n    return 0;\n}\n",
        tmp_path,
    )
    trace = replay(program, LongStrides(program.image, FINE), [Step(0)] * 2)
    told = [(step.location.line, step.move) for step in trace.steps if step.location and step.changes]
    assert told == [(4, 0), (5, 1), (6, 1)]
    assert changes(trace) == ["a: 0 -> 1", "b: 0 -> 2", "c: 0 -> 3"]


def test_a_move_that_cannot_be_followed_is_told_by_its_states(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = compile_text(USE_AFTER_FREE, tmp_path)
    moves = shortest_violation(program)
    precise = replay(program, Checker(program.image, FINE), moves)
    monkeypatch.setattr(recorder, "MOST_INSTRUCTIONS", 0)
    coarse = replay(program, Checker(program.image, FINE), moves)
    assert set(changes(coarse)) == set(changes(precise))
    assert coarse.ending.violation is not None
    assert {"allocates node#1 (16 bytes)", "frees node#2"} <= set(events(coarse))


def test_the_head_of_a_packed_state_is_what_the_recorder_skips() -> None:
    assert ffi.sizeof("VmHeader") == recorder.PROCESS_BYTES


def test_what_a_driver_does_is_part_of_the_trace(tmp_path: Path) -> None:
    program = compile_text(
        "int ticks, count;\nint holds(void) { return count < 2; }\nvoid tick(void) { ticks++; }\n"
        "void worker(int number) {\n    count += number;\n}\n",
        tmp_path,
        functions=("holds", "tick", "worker"),
    )
    checker = Checker(program.image, Settings(has_main=False, runs_alone=False))
    moves: list[Move] = [Call("tick"), Invariant("holds"), Start(0, "worker", 5), *[Step(0)] * 3]
    trace = replay(program, checker, moves)
    driver = [step for step in trace.steps if step.thread is None]
    assert [step.events for step in driver] == [
        ("calls tick",), ("requires holds to hold from here on",), ("starts thread 0: worker(5)",),
    ]  # fmt: skip
    assert [(change.path, change.old, change.new) for change in driver[0].changes] == [("ticks", "0", "1")]
    assert trace.ending.violation is not None
    assert (trace.ending.violation.text, trace.ending.violation.line) == ("invariant violated: holds", 5)
    with pytest.raises(UsageError, match="the program has no function tock"):
        replay(program, checker, [Call("tock")])


# Text


def test_text_has_an_entry_for_each_line_and_a_marker_for_each_switch(tmp_path: Path) -> None:
    trace = replayed(LOST_UPDATE, tmp_path)
    lines = render(trace).splitlines()
    assert re.fullmatch(r"\d+ steps, \d+ context switches \(\d+ preemptive\)", lines[0])
    markers = [line for line in lines if line.startswith("-- ")]
    assert markers[0].startswith("-- thread 0 (main) ---")
    assert any(line.startswith("-- thread 2 (worker) preempts thread 1 ---") for line in markers)
    assert any(re.search(r"T1  program\.c:5 +int old = counter; +reads counter = 0$", line) for line in lines)
    assert any(re.search(r"T\d  program\.c:6 +counter = old \+ 1; +counter: 1 -> 1$", line) for line in lines)
    assert lines[-2].endswith("program.c:15: assertion failed: counter == 2")
    assert lines[-1] == "    counter = 1"


@pytest.mark.parametrize("text", [LOST_UPDATE, DEADLOCK, USE_AFTER_FREE, IF_BUG])
@pytest.mark.parametrize("full", [False, True])
def test_text_is_at_most_as_wide_as_asked(tmp_path: Path, text: str, full: bool) -> None:
    trace = replayed(text, tmp_path)
    for width in (70, 100):
        lines = render(trace, full=full, width=width).splitlines()
        assert [line for line in lines if len(line) > width and str(tmp_path) not in line] == []
        assert "\033" not in "".join(lines)
    assert "\033[1m" in render(trace, colour=True)


def test_full_text_has_every_step(tmp_path: Path) -> None:
    trace = replayed(LOST_UPDATE, tmp_path)
    numbers = re.findall(r"^ +(\d+)  T\d", render(trace, full=True), re.MULTILINE)
    assert [int(number) for number in numbers] == [step.number for step in trace.steps]
    assert len(re.findall(r"^ +(\d+)  T\d", render(trace), re.MULTILINE)) < len(numbers) / 2
    assert "threads[0]: 0 -> thread 1" in render(trace, full=True)
    assert "threads[0]: 0 -> thread 1" not in render(trace)


def test_what_is_read_and_written_at_once_is_told_once(tmp_path: Path) -> None:
    text = render(ran(LOST_UPDATE.replace("int old = counter;\n    counter = old + 1;", "counter++;"), tmp_path))
    assert [line.split("  ")[-1].strip() for line in text.splitlines() if "counter++" in line] == [
        "counter: 0 -> 1",
        "counter: 1 -> 2",
    ]


def test_a_trace_that_repeats_shows_where(tmp_path: Path) -> None:
    program = compile_text("static int x;\nint main(void) {\n    for (;;) x = !x;\n}\n", tmp_path)
    moves = [Step(0)] * 12
    trace = replace(replay(program, Checker(program.image, FINE), moves, expected=None), cycle_start=6)
    assert "-- the following repeats for ever ---" in render(trace, full=True)


def test_cycles_of_waiting_threads_are_found() -> None:
    assert find_cycle({}) == ()
    assert find_cycle({1: (2,), 2: ()}) == ()
    assert find_cycle({0: (1,), 1: (2,), 2: (1,)}) == (1, 2)
    assert find_cycle({3: (3,)}) == (3,)
    assert find_cycle({1: (2, 3), 2: (), 3: (4,), 4: (1,)}) == (1, 3, 4)


def test_paths_of_expressions() -> None:
    assert list(paths_in("q->items[i + 1].x == *p && !done(n) || s[t[0]] < 3.5e2")) == [
        "q->items[i + 1].x", "*p", "n", "s[t[0]]", "i", "t[0]",
    ]  # fmt: skip
    assert list(paths_in("strcmp(\"a b\", name) == 'c' // x")) == ["name"]


def test_programs_without_debug_information_can_be_replayed(tmp_path: Path) -> None:
    (tmp_path / "program.c").write_text(LOST_UPDATE)
    options = BuildOptions(CompileOptions(extra_flags=("-g0",)))
    program = build_program([str(tmp_path / "program.c")], options, [], Timings())
    assert "counter" not in program.source_map.globals
    trace = replay(program, Checker(program.image, FINE), shortest_violation(program))
    violation = trace.ending.violation
    assert violation is not None
    assert (violation.text, violation.file, violation.line) == ("assertion failed: counter == 2", "", 0)
    assert "assertion failed: counter == 2" in render(trace)
