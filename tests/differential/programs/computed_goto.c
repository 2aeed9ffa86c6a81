/* SPDX-License-Identifier: Apache-2.0
 *
 * Computed goto: a threaded interpreter, tables of labels, label differences.
 * also-with: --m32
 */
#include <stdio.h>

enum { PUSH, ADD, MULTIPLY, DUPLICATE, DECREMENT, JUMP_IF, PRINT, SWAP, HALT };

static int interpret(const int *code) {
    static const void *const labels[] = {&&push,    &&add,   &&multiply, &&duplicate, &&decrement,
                                         &&jump_if, &&print, &&swap,     &&halt};
    int stack[32], top = 0, steps = 0;
    const int *pc = code;
#define NEXT()                                                                                                         \
    do {                                                                                                               \
        steps++;                                                                                                       \
        goto *labels[*pc++];                                                                                           \
    } while (0)
    NEXT();
push:
    stack[top++] = *pc++;
    NEXT();
add:
    top--;
    stack[top - 1] += stack[top];
    NEXT();
multiply:
    top--;
    stack[top - 1] *= stack[top];
    NEXT();
duplicate:
    stack[top] = stack[top - 1];
    top++;
    NEXT();
decrement:
    stack[top - 1]--;
    NEXT();
jump_if: {
    int target = *pc++;
    if (stack[top - 1]) pc = code + target;
    NEXT();
}
print:
    printf("%d\n", stack[top - 1]);
    NEXT();
swap: {
    int t = stack[top - 1];
    stack[top - 1] = stack[top - 2];
    stack[top - 2] = t;
    NEXT();
}
halt:
    return steps;
}

static int relative(int which) {
    static const int offsets[] = {&&one - &&one, &&two - &&one, &&three - &&one};
    goto *(&&one + offsets[which]);
one:
    return 100;
two:
    return 200;
three:
    return 300;
}

static int collatz(unsigned n) {
    void *next = n % 2 ? &&odd : &&even;
    int steps = 0;
loop:
    if (n == 1) return steps;
    steps++;
    goto *next;
odd:
    n = 3 * n + 1;
    next = &&even;
    goto loop;
even:
    n /= 2;
    next = n % 2 ? &&odd : &&even;
    goto loop;
}

int main(void) {
    static const int countdown[] = {PUSH, 5, PRINT, DECREMENT, JUMP_IF, 2, PRINT, HALT};
    static const int powers[] = {PUSH, 1, PUSH, 10, SWAP, PUSH, 2, MULTIPLY, PRINT, SWAP, DECREMENT, JUMP_IF, 4, HALT};
    static const int sums[] = {PUSH, 3, DUPLICATE, MULTIPLY, PUSH, 4, DUPLICATE, MULTIPLY, ADD, PRINT, HALT};
    printf("steps %d\n", interpret(countdown));
    printf("steps %d\n", interpret(powers));
    printf("steps %d\n", interpret(sums));
    for (int i = 0; i < 3; i++) printf("%d ", relative(i));
    for (unsigned n = 1; n < 30; n++) printf("%d ", collatz(n));
    printf("\n");
    return 0;
}
