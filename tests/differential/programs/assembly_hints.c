/* SPDX-License-Identifier: Apache-2.0
 *
 * Inline assembly that computes nothing: barriers and hints for waiting loops. also-with: --m32
 */
#include <stdio.h>

static int shared[4];

int main(void) {
    int sum = 0;
    for (int i = 0; i < 4; i++) {
        shared[i] = i * i;
        __asm__ volatile("" ::: "memory");
        __asm__ volatile("pause");
        __asm__ volatile("rep; nop" ::: "memory");
        __asm__ volatile("mfence" ::: "memory");
        __asm__ volatile("" : "+m"(shared[i]));
        sum += shared[i];
    }
    printf("%d\n", sum);
    return 0;
}
