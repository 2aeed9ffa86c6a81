# SPDX-License-Identifier: Apache-2.0
"""Values in the words of C: every kind of type, pointers by what they point to, objects of the thread library."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from pathlib import Path

import pytest
from compiled import compile_text, step_to

from pancam.bytecode.program import Program
from pancam.explain.code_view import CodeView
from pancam.explain.local_variables import evaluate
from pancam.explain.notes import Toolbox
from pancam.explain.objects import Heap
from pancam.explain.survey import compare_states, survey_heap
from pancam.explain.values import format_char, format_float
from pancam.vm.machine import Enabled, Machine

PROGRAM = r"""
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
enum colour { RED, GREEN = 5, BLUE = -1 };
enum flags { A = 1, B = 2, C = 8 };
struct node { int value; struct node *next; };
struct flexible { int length; short data[]; };
struct tagged { unsigned kind : 2; int delta : 3; enum colour colour : 4; bool on : 1; };
struct outer { struct node node; struct { int x, y; }; int grid[2][3]; char name[8]; };
union number { int i; float f; };
signed char small = -3; unsigned char byte = 200; char letter = 'x', zero, newline = '\n', odd = -2;
short negative = -7; uint64_t most = UINT64_MAX; bool yes = true;
float third = 1.0f / 3; double tenth = 0.1, whole = 2, huge = 1e300; long double extended = -2.5L;
enum colour colour = GREEN, last = BLUE, none = 77; enum flags flags = A | C;
struct tagged tagged = {2, -1, GREEN, true};
struct outer outer = {{1, 0}, {2, 3}, {{1, 2, 3}, {4, 5, 6}}, "abc"};
union number number = {.f = 1.5f};
int array[12] = {1, 2, 3}, *third_element = &array[2], *past = array + 12;
const char *text = "tell \"me\"\n";
char buffer[16] = "hello", *inside = &buffer[1], bytes[4] = {1, 2, 3, 4};
void *nothing, *anything = &outer.grid[1][0], *start = &outer; int (*function)(void); uintptr_t fake = 3;
void *faked; struct node **link = &outer.node.next; struct outer *whole_object = &outer;
volatile const int constant = 4; _Atomic long atomic = 9; struct node *list, *dangling; int *numbers;
struct flexible *flexible; _Thread_local int own = 6; int *own_pointer, *local_pointer;
KEEP
__attribute__((noinline)) int here(void) { return array[0] + (kept[0] != 0); }
int main(void) {
    volatile int local[2] = {8, 9};
    function = here;
    faked = (void *)fake;
    list = malloc(sizeof *list);
    list->value = 1;
    list->next = malloc(sizeof *list);
    list->next->value = 2;
    numbers = malloc(3 * sizeof *numbers);
    numbers[2] = 30;
    flexible = malloc(sizeof *flexible + 4 * sizeof(short));
    flexible->data[3] = 33;
    dangling = malloc(sizeof *list);
    free(dangling);
    own_pointer = &own;
    local_pointer = (int *)&local[1];
    return here();
}
"""
EXPECTED = {
    "small": "-3", "byte": "200", "letter": "'x'", "zero": r"'\0'", "newline": r"'\n'", "odd": "-2", "negative": "-7",
    "most": "18446744073709551615", "yes": "true", "third": "0.33333334", "tenth": "0.1", "whole": "2.0",
    "huge": "1e+300", "extended": "-2.5", "colour": "GREEN", "last": "BLUE", "none": "77", "flags": "A | C",
    "tagged": "{.kind = 2, .delta = -1, .colour = GREEN, .on = true}",
    "outer": '{.node = {.value = 1, .next = NULL}, {.x = 2, .y = 3}, '
             '.grid = {[0][0] = 1, [0][1] = 2, [0][2] = 3, [1][0] = 4, [1][1] = 5, [1][2] = 6}, .name = "abc"}',
    "number": "{.i = 1069547520, .f = 1.5}", "array": "{1, 2, 3, 0, 0, 0, 0, 0, ...}", "third_element": "&array[2]",
    "past": "&array[12]", "text": r'"tell \"me\"\n"', "buffer": '"hello"', "inside": "&buffer[1]",
    "bytes": "{1, 2, 3, 4}", "nothing": "NULL", "anything": "&outer.grid[1][0]", "start": "&outer", "function": "here",
    "faked": "(void *)3", "link": "&outer.node.next", "whole_object": "&outer", "constant": "4", "atomic": "9",
    "list": "&node#1", "numbers": "&heap#3[0]", "flexible": "&flexible#4", "own_pointer": "&thread 0's own",
    "local_pointer": "&thread 0's local[1]",
}  # fmt: skip


def with_all_used(text: str, names: Iterable[str]) -> str:
    """A program that keeps all these variables, which would otherwise be dropped as unused."""
    return text.replace("KEEP", f"const volatile void *kept[] = {{{', '.join(f'&{name}' for name in names)}}};")


def tools_for(program: Program, machine: Machine) -> Toolbox:
    return Toolbox(program, machine, CodeView(program), Heap())


def shown(tools: Toolbox, name: str) -> str:
    """The value of a global variable, as nobody in particular sees it."""
    row = tools.code.source_map.globals[name]
    pointer = tools.machine.static_pointer(tools.code.static_names.index(name))
    data = tools.machine.read_memory(pointer, tools.types.size(row["type"]))
    assert data is not None
    return tools.values.format(row["type"], data, -1)


@pytest.fixture(scope="module", params=[False, True], ids=["LP64", "ILP32"])
def stopped(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Toolbox:
    program = compile_text(with_all_used(PROGRAM, EXPECTED), tmp_path_factory.mktemp("values"), m32=request.param)
    machine = Machine(program.image)
    step_to(machine, "here")
    tools = tools_for(program, machine)
    survey_heap(tools)
    return tools


@pytest.mark.parametrize("name", EXPECTED)
def test_a_variable_is_shown_as_c_writes_its_value(stopped: Toolbox, name: str) -> None:
    assert shown(stopped, name) == EXPECTED[name]


def test_a_heap_object_has_the_type_of_the_pointers_to_it(stopped: Toolbox) -> None:
    shift = stopped.machine.pointer_bits // 2
    found = {}
    for identifier in stopped.heap.by_id:
        target = stopped.objects.target(identifier << shift)
        assert target is not None
        for leaf in stopped.objects.leaves(target, 0, target.info.size):
            value = stopped.values.leaf(leaf, stopped.leaf_bytes(target, leaf), -1)
            found[target.name + leaf.path] = value
    assert found["node#1.value"] == "1"
    assert found["node#1.next"] == "&node#2"
    assert found["node#2.next"] == "NULL"
    assert found["heap#3[2]"] == "30"
    assert found["flexible#4.data[3]"] == "33"


def test_a_pointer_to_no_object_is_a_number(stopped: Toolbox) -> None:
    assert shown(stopped, "dangling").startswith("0x")
    assert stopped.objects.pointer_text(0, "", 0) == "NULL"
    wild = (1 << stopped.machine.pointer_bits) - 1
    assert stopped.objects.pointer_text(wild, "", 0) == hex(wild)


def test_a_part_is_found_at_its_bytes(stopped: Toolbox) -> None:
    key = stopped.code.source_map.globals["outer"]["type"]
    whole = [leaf.path for leaf in stopped.types.leaves(key, 0, stopped.types.size(key))]
    grid = [f".grid[{row}][{column}]" for row in range(2) for column in range(3)]
    assert whole == [".node.value", ".node.next", ".x", ".y", *grid, ".name"]
    at = next(leaf for leaf in stopped.types.leaves(key, 0, 999) if leaf.path == ".grid[1][0]").offset
    assert [leaf.path for leaf in stopped.types.leaves(key, at, at + 4)] == [".grid[1][0]"]
    assert [leaf.path for leaf in stopped.types.leaves(key, at + 3, at + 5)] == [".grid[1][0]", ".grid[1][1]"]


def test_bit_fields_share_their_bytes(stopped: Toolbox) -> None:
    key = stopped.code.source_map.globals["tagged"]["type"]
    assert [leaf.path for leaf in stopped.types.leaves(key, 0, 1)] == [".kind", ".delta", ".colour"]
    assert [leaf.bits for leaf in stopped.types.leaves(key, 0, 1)] == [(0, 2), (2, 3), (5, 4)]


def test_types_are_spelled_as_in_c(stopped: Toolbox) -> None:
    globals_ = stopped.code.source_map.globals
    spelled = {name: stopped.types.spell(globals_[name]["type"]) for name in ("list", "link", "array", "most", "text")}
    assert spelled == {
        "list": "struct node *", "link": "struct node **", "array": "int[12]", "most": "uint64_t",
        "text": "const char *",
    }  # fmt: skip


SYNC_PROGRAM = r"""
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>
pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER, locked = PTHREAD_MUTEX_INITIALIZER, destroyed, recursive;
mtx_t c11;
pthread_rwlock_t writing = PTHREAD_RWLOCK_INITIALIZER, reading = PTHREAD_RWLOCK_INITIALIZER, idle;
pthread_cond_t waited = PTHREAD_COND_INITIALIZER, quiet, over;
pthread_spinlock_t spin, spin_free, spin_unknown;
sem_t semaphore, no_semaphore;
pthread_barrier_t barrier, no_barrier;
pthread_once_t once = PTHREAD_ONCE_INIT, called = PTHREAD_ONCE_INIT;
pthread_t thread, nobody;
static void nothing(void) {}
KEEP
__attribute__((noinline)) const volatile void *here(void) { return kept[0]; }
static void *reader(void *p) { pthread_rwlock_rdlock(&reading); pthread_barrier_wait(&barrier); return p; }
static void *waiter(void *p) {
    pthread_mutex_lock(&plain);
    pthread_cond_wait(&waited, &plain);
    return p;
}
int main(void) {
    pthread_mutexattr_t attr;
    pthread_t other;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&recursive, &attr);
    pthread_mutex_lock(&recursive);
    pthread_mutex_lock(&recursive);
    pthread_mutex_lock(&locked);
    pthread_mutex_init(&destroyed, 0);
    pthread_mutex_destroy(&destroyed);
    mtx_init(&c11, mtx_plain);
    mtx_lock(&c11);
    pthread_rwlock_wrlock(&writing);
    pthread_rwlock_rdlock(&reading);
    pthread_spin_init(&spin, 0);
    pthread_spin_init(&spin_free, 0);
    pthread_spin_lock(&spin);
    pthread_cond_init(&over, 0);
    pthread_cond_destroy(&over);
    sem_init(&semaphore, 0, 3);
    pthread_barrier_init(&barrier, 0, 3);
    pthread_once(&called, nothing);
    pthread_create(&thread, 0, reader, 0);
    pthread_create(&other, 0, waiter, 0);
    here();
    return 0;
}
"""
SYNC_EXPECTED = {
    "plain": "unlocked", "locked": "locked by thread 0", "destroyed": "destroyed",
    "recursive": "locked by thread 0 2 times", "c11": "locked by thread 0", "writing": "locked by thread 0",
    "reading": "read-locked by threads 0 and 1", "idle": "unlocked", "waited": "thread 2 waiting",
    "quiet": "nobody waits", "over": "destroyed", "spin": "locked by thread 0", "spin_free": "unlocked",
    "spin_unknown": "not initialised", "semaphore": "3", "no_semaphore": "not initialised",
    "barrier": "1 of 3 threads have arrived", "no_barrier": "not initialised", "once": "not called", "called": "done",
    "thread": "thread 1", "nobody": "0",
}  # fmt: skip


@pytest.mark.parametrize("m32", [False, True], ids=["LP64", "ILP32"])
def test_objects_of_the_thread_library_are_shown_in_words(tmp_path: Path, m32: bool) -> None:
    program = compile_text(with_all_used(SYNC_PROGRAM, SYNC_EXPECTED), tmp_path, m32=m32)
    machine = Machine(program.image)
    step_to(machine, "here")
    for thread in (1, 2):
        while machine.enabled(thread) is Enabled.ENABLED:
            machine.step(thread)
    tools = tools_for(program, machine)
    assert {name: shown(tools, name) for name in SYNC_EXPECTED} == SYNC_EXPECTED


def test_two_states_are_compared_leaf_by_leaf(tmp_path: Path) -> None:
    program = compile_text(
        r"""
        #include <stdlib.h>
        #include <pthread.h>
        struct queue { int count; int items[1000]; } queue;
        struct node { int value; struct node *next; } *head;
        static _Thread_local int own;
        __attribute__((noinline)) void first(void) {}
        __attribute__((noinline)) void second(void) {}
        int main(void) {
            volatile int local[2] = {0, 0};
            head = calloc(1, sizeof *head);
            first();
            queue.count++;
            queue.items[900] = 7;
            head->next = head;
            own = 4;
            local[1] = 5;
            second();
            return 0;
        }
        """,
        tmp_path,
    )
    machine = Machine(program.image)
    step_to(machine, "first")
    before = machine.pack()
    step_to(machine, "second")
    after = machine.pack()
    assert compare_states(program, machine, before, after) == {
        "queue.count": ("0", "1"),
        "queue.items[900]": ("0", "7"),
        "node#1.next": ("NULL", "&node#1"),
        "thread 0's own": ("0", "4"),
        "thread 0's local[1]": ("0", "5"),
    }
    assert compare_states(program, machine, after, after) == {}
    assert machine.pack() == after


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.0, "0.0"), (-0.0, "-0.0"), (1.0, "1.0"), (0.1, "0.1"), (1e22, "1e+22"), (5e-324, "5e-324"),
        (1.7976931348623157e308, "1.7976931348623157e+308"), (float("inf"), "inf"), (float("nan"), "nan"),
    ],
)  # fmt: skip
def test_a_double_has_as_few_digits_as_identify_it(number: float, text: str) -> None:
    assert format_float(struct.pack("<d", number)) == text


def test_floats_of_other_widths() -> None:
    assert format_float(struct.pack("<f", 0.1)) == "0.1"
    assert format_float(struct.pack("<f", 16777216.0)) == "16777216.0"
    assert format_float(struct.pack("<e", 1.5)) == "1.5"
    assert format_float(bytes(7) + b"\x80\xff\x7f" + bytes(6), "long double") == "inf"
    assert format_float(bytes(7) + b"\xc0\xff\x7f" + bytes(6), "long double") == "nan"
    assert format_float(bytes(15) + b"\x40", "__float128") == hex(0x40 << 120)


@pytest.mark.parametrize(
    ("number", "text"), [(97, "'a'"), (39, r"'\''"), (92, r"'\\'"), (0, r"'\0'"), (7, "7"), (255, "-1"), (128, "-128")]
)
def test_a_char_is_a_character_or_a_number(number: int, text: str) -> None:
    assert format_char(number) == text


def test_expressions_of_debug_records_are_computed() -> None:
    assert evaluate([], [5]) == 5
    assert evaluate(["DW_OP_plus_uconst", 3, "DW_OP_stack_value"], [5]) == 8
    assert evaluate(["DW_OP_LLVM_arg", 1, "DW_OP_LLVM_arg", 0, "DW_OP_minus", "DW_OP_stack_value"], [5, 9]) == 4
    assert evaluate(["DW_OP_constu", 2, "DW_OP_shl", "DW_OP_neg"], [1]) == (1 << 64) - 4
    assert evaluate(["DW_OP_deref"], [5]) is None
    assert evaluate(["DW_OP_LLVM_arg", 4], [5]) is None
    assert evaluate(["DW_OP_plus"], [5]) is None
