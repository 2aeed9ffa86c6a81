/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrix product of doubles: nested loops, two-dimensional addressing.
 * Sized so that the slowest runner, LLVM's interpreter, takes a few seconds. ROUNDS can be set from outside, to 0 as
 * well.
 */
#include <stdio.h>

#ifndef ROUNDS
#define ROUNDS 6
#endif
enum { N = 64 };
static double a[N][N], b[N][N], c[N][N];

int main(void) {
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) a[i][j] = i * 0.5 + j, b[i][j] = i - j * 0.25;
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < N; i++) {
            for (int j = 0; j < N; j++) {
                double sum = 0;
                for (int k = 0; k < N; k++) sum += a[i][k] * b[k][j];
                c[i][j] = sum;
            }
        }
    }
    double trace = 0;
    for (int i = 0; i < N; i++) trace += c[i][i];
    printf("%.3f\n", trace);
    return 0;
}
