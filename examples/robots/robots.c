/* SPDX-License-Identifier: Apache-2.0
 *
 * Two robots sweep a board of N x N squares, to and fro. One sweeps the rows of the upper right half, the other the
 * columns of the lower left half, so they may meet on the diagonal, which belongs to both halves, and nowhere else.
 * With -DWRONG_TURN the second one begins each column a square too early, and that square is in the first one's half.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 4
#endif

#ifdef WRONG_TURN
#define FIRST_ROW(column) ((column) > 0 ? (column) - 1 : 0)
#else
#define FIRST_ROW(column) (column)
#endif

static atomic_int robots_on[N][N];

static void visit(int row, int column) {
    int others = atomic_fetch_add(&robots_on[row][column], 1);
    assert(others == 0 || row == column);
    atomic_fetch_sub(&robots_on[row][column], 1);
}

static void *sweep_rows(void *unused) {
    for (int row = 0; row < N; row++) {
        for (int i = row; i < N; i++) visit(row, row % 2 == 0 ? i : N - 1 - (i - row));
    }
    return unused;
}

static void *sweep_columns(void *unused) {
    for (int column = 0; column < N; column++) {
        int first = FIRST_ROW(column);
        for (int i = first; i < N; i++) visit(column % 2 == 0 ? i : N - 1 - (i - first), column);
    }
    return unused;
}

int main(void) {
    pthread_t robots[2];
    pthread_create(&robots[0], NULL, sweep_rows, NULL);
    pthread_create(&robots[1], NULL, sweep_columns, NULL);
    for (int i = 0; i < 2; i++) pthread_join(robots[i], NULL);
    return 0;
}
