# SPDX-License-Identifier: Apache-2.0
"""Random programs with nondeterministic values of eight and four bits, small enough to try all of them.

They do with the values whatever might mislead an analysis of what matters about them: casts of all kinds, sums,
variables of several kinds, functions, threads, arrays, pointers, and comparisons with constants or with each other.
"""

from choices import Choices, SeededChoices

HEAD = """#include <assert.h>
#include <pancam.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
extern unsigned _BitInt(4) pancam_nondet_u4(void);
extern _BitInt(4) pancam_nondet_s4(void);
static int g, h;
static unsigned char small;
static volatile short v;
static _Atomic int atom;
static int array[4];
static struct { int first; char second; long third; } pair;
static int *pointer = &g;
static int pass(int x) { return x; }
static long wide(signed char x) { return x; }
static int twice(int x) { return pass(x) + 1; }
static int either(int x, int y) { return x ? y : 3; }
static int judge(unsigned x) { switch (x) { case 0: return 1; case 7: return 2; case 255: return 3; } return 0; }
static void put(int x) { h = x; }
static void through(int *place, int x) { *place = x; }
static int count(int x) { int n = 0; while (n < 3 && x > 0) { x--; n++; } return n; }
static void *thread(void *argument) { THREAD return RESULT; }
"""
LOCALS = {"a": "int", "b": "unsigned char", "c": "signed char", "d": "long", "e": "unsigned", "f": "short"}
CONSTANTS = (0, 1, 2, 3, 5, 7, 8, 15, 16, 100, 127, 128, 200, 255, 256, -1, -2, -8, -127, -128)
PLACES = (*LOCALS, "g", "h", "small", "v", "atom", "pair.first", "pair.second", "pair.third", "array[1]", "*pointer")
SOURCES = ("pancam_nondet_uchar()", "pancam_nondet_schar()", "pancam_nondet_u4()", "pancam_nondet_s4()")
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")


class _Writer:
    def __init__(self, choices: Choices) -> None:
        self.choices = choices
        self.values = choices.integer(1, 2)  # nondeterministic ones that may still be asked for
        self.places = [choices.pick(PLACES) for _ in range(choices.integer(2, 5))]  # few, so that values meet

    def place(self) -> str:
        return self.choices.pick(self.places)

    def constant(self) -> str:
        return str(self.choices.pick(CONSTANTS))

    def value(self) -> str:
        """An expression without conditions."""
        name, number = self.place(), self.constant()
        return self.choices.weighted(
            {
                name: 10, f"(int)(signed char){name}": 2, f"(unsigned char){name}": 2, f"{name} + {number}": 3,
                f"{name} - {number}": 2, f"pass((int){name})": 3, f"wide((signed char){name})": 2,
                f"twice((int){name})": 2, f"judge((unsigned){name})": 2, f"!{name}": 2, f"{name} * 3": 1,
                f"({name} & 6)": 1, f"({name} ^ 1)": 1, f"~{name}": 1, f"{name} / 4": 1, f"{name} % 5": 1,
                f"-{name}": 1, f"{name} + {self.place()}": 1, f"count((int){name})": 1,
                f"either((int){name}, (int){self.place()})": 2, f"({self.condition()} ? {name} : {number})": 2,
                f"array[{name} & 3]": 1, f"(short)({name} + {number})": 1, f"atomic_exchange(&atom, (int){name})": 1,
                f"atomic_fetch_add(&atom, (int){name})": 1,
                f"((unsigned char){name} >> {self.choices.integer(0, 7)})": 1,
                f"((unsigned){name} >> 30)": 1, f"array[(unsigned char){name} >> 6]": 1, f"((unsigned){name} / 50)": 1,
                f"((unsigned){name} % 3)": 1, f"array[(unsigned){name} % 4]": 1, f"(({name} + {number}) & 12)": 1,
            }
        )  # fmt: skip

    def condition(self) -> str:
        name, compared = self.place(), self.choices.pick(COMPARISONS)
        other = self.constant() if self.choices.chance(85) else self.place()
        plain = f"{name} {compared} {other}"
        return self.choices.weighted({plain: 8, f"(unsigned){name} {compared} (unsigned){other}": 1,
                                      f"{name}": 2, f"!({plain})": 1,
                                      f"({plain} && {self.place()} != {self.constant()})": 1})  # fmt: skip

    def _switch(self, depth: int) -> str:
        inner = self.statement(depth + 1) if depth < 2 else ";"
        cases = f"case 1: g = 2; break; case 5: h++; break; case 127: {inner} break; default: break;"
        return f"switch ({self.choices.pick(('a', 'g', 'b', 'c', 'e'))}) {{ {cases} }}"

    def statement(self, depth: int = 0) -> str:
        if self.values and self.choices.chance(35):
            self.values -= 1
            return f"{self.place()} = {self.choices.pick(SOURCES)};"
        kind = self.choices.integer(0, 15)
        if kind < 5:
            return f"{self.place()} = {self.value()};"
        if kind < 8 and depth < 2:
            inner = " ".join(self.statement(depth + 1) for _ in range(self.choices.integer(1, 2)))
            orelse = f" else {{ {self.statement(depth + 1)} }}" if self.choices.chance(40) else ""
            return f"if ({self.condition()}) {{ {inner} }}{orelse}"
        return self.choices.pick(
            (
                f"assert({self.condition()} || {self.condition()});",
                f"assert({self.condition()});",
                f"pancam_assume({self.condition()});",
                f"put((int){self.place()});",
                f'printf("%d, %x%%", (int){self.place()}, (unsigned){self.place()});',
                f"through(&{self.choices.pick(('g', 'h', 'pair.first', 'a'))}, (int){self.place()});",
                f"array[{self.choices.integer(0, 3)}] = {self.value()};",
                f"if ({self.place()} >= 0 && e < 4) array[e] = 1;",
                f"memcpy(&{self.choices.pick(('g', 'a'))}, &{self.choices.pick(('h', 'pair.first', 'a'))}, 4);",
                f"if ({self.condition()}) d = 10 / {self.place()};",
                self._switch(depth),
                f"for (int i = 0; i < 2; i++) {self.place()} += {self.constant()};",
                f"a = atomic_compare_exchange_strong(&atom, &(int){{{self.constant()}}}, {self.constant()});",
            )
        )


def nondet_program(seed: int) -> str:
    """A program that depends on the seed only."""
    choices = SeededChoices(seed)
    writer = _Writer(choices)
    lines = [writer.statement() for _ in range(choices.integer(4, 10))]
    lines.insert(choices.integer(0, 1), f"{writer.place()} = {choices.pick(SOURCES)};")
    threaded = choices.chance(30)
    body = "g = (int)(long)argument; " + writer.statement(1) if threaded else "(void)argument;"
    for name in LOCALS:
        body = body.replace(f" {name} ", " g ")
    head = HEAD.replace("THREAD", "int a = 0, c = 0, e = 0; unsigned char b = 0; long d = 0; short f = 0; " + body)
    head = head.replace("RESULT", choices.pick(("0", "(void *)(long)a", "(void *)(long)g")))
    if threaded:
        joined = choices.pick(("0", "0", "(void **)&d"))
        create = f"pthread_t t; pthread_create(&t, 0, thread, (void *)(long){writer.place()});"
        lines = [*lines[:-1], create, lines[-1], f"pthread_join(t, {joined});", writer.statement()]
    declared = " ".join(f"{type_} {name} = {choices.pick(CONSTANTS)};" for name, type_ in LOCALS.items())
    return head + f"int main(void) {{\n    {declared}\n    " + "\n    ".join(lines) + "\n    return a;\n}\n"
