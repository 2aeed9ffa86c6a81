/* SPDX-License-Identifier: Apache-2.0
 *
 * Static storage: locals, constructors and destructors in order, atexit, exit status.
 * also-with: --m32
 */
#include <stdio.h>
#include <stdlib.h>

static int order[8];
static int filled;

__attribute__((constructor(201))) static void second(void) { order[filled++] = 2; }
__attribute__((constructor(200))) static void first(void) { order[filled++] = 1; }
__attribute__((constructor)) static void last(void) { order[filled++] = 3; }
__attribute__((destructor(200))) static void leave_last(void) { printf("destructor 200\n"); }
__attribute__((destructor(300))) static void leave_first(void) { printf("destructor 300\n"); }

static int next_number(void) {
    static int number = 100;
    return number++;
}

static const char *rotate(void) {
    static char text[] = "abcd";
    static unsigned calls;
    char head = text[0];
    for (int i = 0; i < 3; i++) text[i] = text[i + 1];
    text[3] = head;
    calls++;
    return calls % 2 ? text : text + 1;
}

static int *counter(int which) {
    static int counters[3] = {10, 20};
    return &counters[which];
}

static void goodbye(void) { printf("goodbye\n"); }
static void farewell(void) {
    printf("farewell\n");
    atexit(goodbye);
}

extern int shared;
static int *const pointer_to_shared = &shared;
int shared = 7;
static struct {
    int *target;
    const char *label;
} linked = {&order[1], &"label"[2]};

int main(void) {
    printf("%d %d %d\n", order[0], order[1], order[2]);
    for (int i = 0; i < 4; i++) printf("%d ", next_number());
    for (int i = 0; i < 4; i++) printf("%s ", rotate());
    for (int i = 0; i < 6; i++) *counter(i % 3) += i;
    printf("%d %d %d\n", *counter(0), *counter(1), *counter(2));
    *pointer_to_shared += 5;
    printf("%d %d %s\n", shared, *linked.target, linked.label);
    {
        static int shadow = 1;
        int filled = shadow++;
        printf("%d %d\n", filled, shadow);
    }
    atexit(farewell);
    atexit(farewell);
    exit(42);
}
