/* SPDX-License-Identifier: Apache-2.0
 *
 * N queens: recursion, bit masks and an array of columns.
 * Sized so that the slowest runner, LLVM's interpreter, takes a few seconds. ROUNDS can be set from outside, to 0 as
 * well.
 */
#include <stdio.h>

#ifndef ROUNDS
#define ROUNDS 25
#endif
enum { N = 8 };
static int columns[N];

static int safe(int row, int column) {
    for (int i = 0; i < row; i++) {
        int distance = columns[i] - column;
        if (distance == 0 || distance == row - i || distance == i - row) return 0;
    }
    return 1;
}

static int place(int row) {
    if (row == N) return 1;
    int solutions = 0;
    for (int column = 0; column < N; column++) {
        if (!safe(row, column)) continue;
        columns[row] = column;
        solutions += place(row + 1);
    }
    return solutions;
}

static int place_masks(unsigned used, unsigned left, unsigned right) {
    unsigned all = (1u << (N + 1)) - 1;
    if (used == all) return 1;
    int solutions = 0;
    for (unsigned open = all & ~(used | left | right); open; open &= open - 1) {
        unsigned bit = open & -open;
        solutions += place_masks(used | bit, (left | bit) << 1, (right | bit) >> 1);
    }
    return solutions;
}

int main(void) {
    int solutions = 0;
    for (int round = 0; round < ROUNDS; round++) solutions = place(0) * 1000 + place_masks(0, 0, 0);
    printf("%d\n", solutions);
    return 0;
}
