/* SPDX-License-Identifier: Apache-2.0
 *
 * Sieve of Eratosthenes: byte array, strided stores.
 * Sized so that the slowest runner, LLVM's interpreter, takes a few seconds. ROUNDS can be set from outside, to 0 as
 * well.
 */
#include <stdio.h>

#ifndef ROUNDS
#define ROUNDS 36
#endif
enum { LIMIT = 50000 };
static unsigned char composite[LIMIT];

int main(void) {
    int count = 0;
    for (int round = 0; round < ROUNDS; round++) {
        count = 0;
        for (int i = 0; i < LIMIT; i++) composite[i] = 0;
        for (int i = 2; i < LIMIT; i++) {
            if (composite[i]) continue;
            count++;
            for (int j = i + i; j < LIMIT; j += i) composite[j] = 1;
        }
    }
    printf("%d\n", count);
    return 0;
}
