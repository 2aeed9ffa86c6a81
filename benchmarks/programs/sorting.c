/* SPDX-License-Identifier: Apache-2.0
 *
 * Sorting: recursive quicksort and heapsort of pseudo-random integers.
 * Sized so that the slowest runner, LLVM's interpreter, takes a few seconds. ROUNDS can be set from outside, to 0 as
 * well.
 */
#include <stdio.h>

#ifndef ROUNDS
#define ROUNDS 9
#endif
enum { COUNT = 8000 };
static int values[COUNT];

static void fill(unsigned seed) {
    for (int i = 0; i < COUNT; i++) {
        seed = seed * 1664525u + 1013904223u;
        values[i] = (int)(seed >> 8);
    }
}

static void quick(int *v, int low, int high) {
    if (low >= high) return;
    int pivot = v[(low + high) / 2], i = low, j = high;
    while (i <= j) {
        while (v[i] < pivot) i++;
        while (v[j] > pivot) j--;
        if (i <= j) {
            int t = v[i];
            v[i++] = v[j], v[j--] = t;
        }
    }
    quick(v, low, j);
    quick(v, i, high);
}

static void sift(int *v, int root, int end) {
    for (int child; (child = 2 * root + 1) < end; root = child) {
        if (child + 1 < end && v[child + 1] > v[child]) child++;
        if (v[root] >= v[child]) return;
        int t = v[root];
        v[root] = v[child], v[child] = t;
    }
}

int main(void) {
    unsigned hash = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        fill(round);
        quick(values, 0, COUNT - 1);
        hash = hash * 31 + (unsigned)values[COUNT / 2];
        fill(round + 100);
        for (int i = COUNT / 2 - 1; i >= 0; i--) sift(values, i, COUNT);
        for (int end = COUNT - 1; end > 0; end--) {
            int t = values[0];
            values[0] = values[end], values[end] = t;
            sift(values, 0, end);
        }
        hash = hash * 31 + (unsigned)values[COUNT / 3];
    }
    printf("%u\n", hash);
    return 0;
}
