/* SPDX-License-Identifier: Apache-2.0
 *
 * setjmp and longjmp: error handling through several frames, loops, volatile locals.
 * also-with: --m32
 */
#include <setjmp.h>
#include <stdio.h>

static jmp_buf handler;
static int depth_reached;

static int dive(int depth, int limit) {
    depth_reached = depth;
    if (depth == limit) longjmp(handler, depth);
    int below = dive(depth + 1, limit);
    return below + 1;
}

static int protect(int limit) {
    volatile int attempts = 0;
    int code = setjmp(handler);
    attempts++;
    if (code == 0) dive(0, limit);
    return code * 10 + attempts;
}

static int divide(int a, int b, jmp_buf error) {
    if (b == 0) longjmp(error, 2);
    if (a < 0) longjmp(error, 0); /* arrives as 1 */
    return a / b;
}

int main(void) {
    for (int limit = 1; limit < 5; limit++) {
        int result = protect(limit);
        printf("%d %d\n", result, depth_reached);
    }
    static const int pairs[][2] = {{10, 2}, {1, 0}, {-4, 2}, {9, 3}};
    for (volatile int i = 0; i < 4; i++) {
        jmp_buf error;
        switch (setjmp(error)) {
        case 0: printf("quotient %d\n", divide(pairs[i][0], pairs[i][1], error)); break;
        case 1: printf("negative\n"); break;
        case 2: printf("division by zero\n"); break;
        }
    }
    volatile int rounds = 0;
    jmp_buf again;
    int value = setjmp(again);
    rounds += 1;
    printf("round %d value %d\n", rounds, value);
    if (rounds < 4) longjmp(again, rounds * 100);
    return rounds;
}
