# SPDX-License-Identifier: Apache-2.0
"""Property functions are run exactly when they must be: whenever a byte that the last run read has changed.

A depth-first search in Python, in SPIN's order, knows of each function what it reads, and counts by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

import pytest
from granularity import compile_text

from pancam.bytecode.image import OBJECT, read_sections
from pancam.bytecode.program import Program
from pancam.settings import Settings
from pancam.spin.options import SearchOptions
from pancam.spin.search import Watch, search
from pancam.vm.checker import Checker, Outcome

HEADERS = "".join(f"#include <{name}.h>\n" for name in ("pancam", "pthread", "stdlib", "string"))
FUNCTIONS = """
int invariant(void) { return look() >= 0; }
void abstraction(void) {
    int seen = look();
    memcpy(pancam_abs, &seen, sizeof seen);
}
"""
MAIN = """
int main(void) {{
    pthread_t other;
    {0}
    pthread_create(&other, NULL, act, NULL);
    {1}
    pthread_join(other, NULL);
    {2}
    return 0;
}}
"""
VARIABLES = f"""{HEADERS}
static volatile int x, y, z;
static int look(void) {{ return x == 0 ? x : 10 * x + y; }}
static void *act(void *unused) {{
    for (int i = 0; i < 3; i++) {{
        z++;
        y = i;
        x = i % 2;
    }}
    return unused;
}}
{FUNCTIONS}{MAIN.format("", "y = 7; x = x; z = 5; x = 1;", "")}"""
LIST = f"""{HEADERS}
struct node {{
    int value;
    struct node *next;
}};
static struct node *volatile head;
static volatile int z;
static int look(void) {{
    int sum = 0;
    for (struct node *node = head; node != NULL; node = node->next) sum = 10 * sum + node->value;
    return sum;
}}
static void push(int value) {{
    struct node *node = malloc(sizeof *node);
    node->value = value;
    node->next = head;
    head = node;
}}
static void *act(void *unused) {{
    struct node *first = head;
    z = 1;
    first->next->value = 5;
    head = first->next;
    free(first);
    z = 2;
    push(3);
    return unused;
}}
{FUNCTIONS}{MAIN.format("push(1); push(2);", "z = 3; z = 4;", "")}"""
OWN_NUMBERS = "volatile int own[3] = {1, 2, 3}; numbers = own; count = 3;"
STACK = f"""{HEADERS}
static volatile int *volatile numbers;
static volatile int count, z;
static int look(void) {{
    int sum = 0;
    for (int i = 0; i < count; i++) sum = 10 * sum + numbers[i];
    return sum;
}}
static void *act(void *unused) {{
    z = 1;
    numbers[2] = 4;
    numbers[0] = 1;
    numbers[0] = 1;
    count = 1;
    numbers[1] = 9;
    return unused;
}}
{FUNCTIONS}{MAIN.format(OWN_NUMBERS, "z = 2; own[0] = 8;", "count = 0;")}"""
MANY = f"""{HEADERS}
static volatile int numbers[10000], z;
static int look(void) {{
    int sum = 0;
    for (int i = 0; i < 10000; i += 2) sum += numbers[i]; /* more places than are remembered */
    return sum;
}}
static void *act(void *unused) {{
    z = 1;
    numbers[4] = 1;
    return unused;
}}
{FUNCTIONS}{MAIN.format("", "z = 2;", "")}"""


@dataclass
class Memory:
    """The variables of a program in the state that its checker is in; what is read is noted."""

    program: Program
    checker: Checker
    pointers: dict[str, int] = field(default_factory=dict)
    reads: dict[tuple[int, int], bytes | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        sections = read_sections(self.program.image)[0]
        rows, strings = sections["OBJECTS"], sections["STRINGS"]
        for number in range(len(rows) // OBJECT.size):
            name = OBJECT.unpack_from(rows, number * OBJECT.size)[3]
            text = strings[name : strings.index(b"\0", name)].decode()
            self.pointers[text] = self.checker.machine.static_pointer(number)

    def read(self, pointer: int, size: int = 4) -> int:
        data = self.checker.machine.read_memory(pointer, size)
        assert data is not None
        self.reads[pointer, size] = data
        return int.from_bytes(data, "little", signed=True)

    def variable(self, name: str, size: int = 4) -> int:
        return self.read(self.pointers[name], size)

    def has_changed(self) -> bool:
        return any(self.checker.machine.read_memory(*place) != data for place, data in self.reads.items())


def look_at_variables(memory: Memory) -> int:
    x = memory.variable("x")
    return x and 10 * x + memory.variable("y")


def look_at_list(memory: Memory) -> int:
    total, node = 0, memory.variable("head", 8)
    while node:
        total = 10 * total + memory.read(node)
        node = memory.read(node + 8, 8)
    return total


def look_at_stack(memory: Memory) -> int:
    total = 0
    for number in range(memory.variable("count")):
        total = 10 * total + memory.read(memory.variable("numbers", 8) + 4 * number)
    return total


# Programs with their function `look` written in Python
PROGRAMS: dict[str, tuple[str, Callable[[Memory], int]]] = {
    "variables": (VARIABLES, look_at_variables),
    "list": (LIST, look_at_list),
    "stack": (STACK, look_at_stack),
}


@dataclass
class Count:
    """A depth-first search that knows when the function must be run."""

    memory: Memory
    look: Callable[[Memory], int]
    settings: Settings
    runs: int = 0
    transitions: int = 0
    seen: set[object] = field(default_factory=set)

    def search(self) -> None:
        checker = self.memory.checker
        state = checker.pack()
        self.seen.add(self.key())
        moves = [(thread, choice) for thread in checker.machine.threads for choice in range(checker.moves(thread))]
        for move in moves:
            checker.unpack(state)
            if self.settings.step == "superstep":
                self.visit()  # what ends a superstep depends on what the function reads at its start
            checker.step(*move)
            self.transitions += 1
            self.visit()
            if self.key() not in self.seen:
                self.search()

    def visit(self) -> None:
        if self.memory.checker.outcome is Outcome.RUNNING and (not self.runs or self.memory.has_changed()):
            self.runs += 1
            self.memory.reads.clear()
            self.look(self.memory)

    def key(self) -> object:
        """What SPIN matches."""
        checker = self.memory.checker
        if self.settings.abstraction is None:
            return checker.pack()
        if checker.outcome is not Outcome.RUNNING:
            return checker.outcome
        before = dict(self.memory.reads)
        value = self.look(self.memory)
        self.memory.reads = before
        places = {thread: [frame.pc for frame in checker.machine.stack(thread)] for thread in checker.machine.threads}
        return value, str(places)


@cache
def compiled(text: str) -> Program:
    return compile_text(text, functions=("invariant", "abstraction"))


def settings_for(kind: str, step: str) -> Settings:
    if kind == "invariant":
        return Settings(step=step, invariants=(kind,))
    return Settings(step=step, abstraction=kind, keep_control=True)


def count(name: str, settings: Settings) -> tuple[Count, Checker]:
    text, look = PROGRAMS[name]
    checker = Checker(compiled(text).image, settings)
    counted = Count(Memory(compiled(text), checker), look, settings)
    counted.visit()
    counted.search()
    return counted, checker


@pytest.mark.parametrize("kind", ["invariant", "abstraction"])
@pytest.mark.parametrize("step", ["instruction", "global", "superstep"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_function_is_run_when_a_byte_that_it_read_has_changed_and_never_else(name: str, step: str, kind: str) -> None:
    settings = settings_for(kind, step)
    counted, checker = count(name, settings)
    assert checker.evaluations() == counted.runs
    assert 1 < counted.runs < counted.transitions


@pytest.mark.parametrize("kind", ["invariant", "abstraction"])
@pytest.mark.parametrize("step", ["global", "superstep"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_search_runs_it_as_seldom(name: str, step: str, kind: str) -> None:
    settings = settings_for(kind, step)
    counted, _ = count(name, settings)
    program = compiled(PROGRAMS[name][0])
    result = search(program.image, settings, SearchOptions(), program.thread_limit, Watch())
    assert not result.trails
    assert (result.progress.transitions, result.progress.evaluations) == (counted.transitions, counted.runs)


def test_what_reads_more_than_can_be_remembered_is_run_in_every_state() -> None:
    program = compiled(MANY)
    for kind in ("invariant", "abstraction"):
        checker = Checker(program.image, settings_for(kind, "global"))
        before, states = checker.evaluations(), 0
        while checker.outcome is Outcome.RUNNING:
            checker.step(max(thread for thread in checker.machine.threads if checker.moves(thread)))
            states += checker.outcome is Outcome.RUNNING
        assert checker.evaluations() - before == states > 5
