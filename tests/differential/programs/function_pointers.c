/* SPDX-License-Identifier: Apache-2.0
 *
 * Function pointers: tables, callbacks, returned functions, comparisons, in structs, casts there and back.
 * also-with: --m32
 */
#include <stdio.h>
#include <stdlib.h>

typedef int (*binary)(int, int);
typedef void (*visitor)(int value, void *context);

static int add(int a, int b) { return a + b; }
static int subtract(int a, int b) { return a - b; }
static int multiply(int a, int b) { return a * b; }
static int divide(int a, int b) { return b ? a / b : -1; }

static const struct operation {
    const char *name;
    binary apply;
    int priority;
} operations[] = {{"add", add, 1}, {"sub", subtract, 1}, {"mul", multiply, 2}, {"div", divide, 2}, {NULL, NULL, 0}};

static binary choose(char symbol) {
    switch (symbol) {
    case '+': return add;
    case '-': return subtract;
    case '*': return multiply;
    case '/': return divide;
    default: return NULL;
    }
}

static void each(const int *values, int count, visitor visit, void *context) {
    for (int i = 0; i < count; i++) visit(values[i], context);
}
static void sum_up(int value, void *context) { *(long *)context += value; }
static void count_even(int value, void *context) { *(int *)context += value % 2 == 0; }

struct shape {
    const struct shape_methods *methods;
    double a, b;
};
struct shape_methods {
    double (*area)(const struct shape *);
    const char *(*name)(void);
};
static double rectangle_area(const struct shape *s) { return s->a * s->b; }
static double triangle_area(const struct shape *s) { return s->a * s->b / 2; }
static const char *rectangle_name(void) { return "rectangle"; }
static const char *triangle_name(void) { return "triangle"; }
static const struct shape_methods rectangle = {rectangle_area, rectangle_name};
static const struct shape_methods triangle = {triangle_area, triangle_name};

typedef struct state (*state_function)(int input);
struct state {
    state_function next;
};
static struct state start(int input);
static struct state middle(int input);
static struct state finish(int input);
static struct state start(int input) { return (struct state){input > 2 ? middle : start}; }
static struct state middle(int input) { return (struct state){input % 3 == 0 ? finish : input % 5 ? middle : start}; }
static struct state finish(int input) {
    (void)input;
    return (struct state){NULL};
}

static int apply_twice(int (*f)(int), int x) { return f(f(x)); }
static int increment(int x) { return x + 1; }
static int square(int x) { return x * x; }

int main(void) {
    for (const struct operation *o = operations; o->name; o++)
        printf("%s %d %d\n", o->name, o->apply(17, 5), o->priority);
    const char symbols[] = "+-*/?";
    for (int i = 0; symbols[i]; i++) {
        binary f = choose(symbols[i]);
        printf("%c %d\n", symbols[i], f ? (*f)(9, -4) : 999);
    }
    printf("%d %d %d\n", choose('+') == add, choose('-') == add, choose('?') == NULL);
    int values[] = {3, 8, -2, 7, 10, 6};
    long sum = 0;
    int even = 0;
    each(values, 6, sum_up, &sum);
    each(values, 6, count_even, &even);
    printf("%ld %d\n", sum, even);
    struct shape shapes[] = {{&rectangle, 3, 4}, {&triangle, 3, 4}, {&rectangle, 1.5, 2.5}};
    for (int i = 0; i < 3; i++) printf("%s %.3f\n", shapes[i].methods->name(), shapes[i].methods->area(&shapes[i]));
    struct state state = {start};
    int steps = 0;
    for (int input = 0; state.next && steps < 100; input++, steps++) state = state.next(input);
    printf("%d\n", steps);
    printf("%d %d\n", apply_twice(increment, 5), apply_twice(square, 3));
    void (*erased)(void) = (void (*)(void))multiply;
    printf("%d\n", ((binary)erased)(6, 7));
    binary grid[2][2] = {{add, subtract}, {multiply, divide}};
    int result = 100;
    for (int i = 0; i < 8; i++) result = grid[i / 2 % 2][i % 2](result, i + 2);
    printf("%d\n", result);
    volatile binary hidden = subtract;
    return hidden(50, 8);
}
