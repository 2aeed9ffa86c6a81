/* SPDX-License-Identifier: Apache-2.0
 *
 * Arithmetic of stdlib.h and its pseudo-random numbers. Their generators are small and deterministic: the seed is an
 * ordinary variable of the program's state. rand gives other numbers than glibc's; the 48-bit family and rand_r give
 * the same.
 */
#include "library.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>

int abs(int number) { return number < 0 ? -number : number; }

long labs(long number) { return number < 0 ? -number : number; }

long long llabs(long long number) { return number < 0 ? -number : number; }

intmax_t imaxabs(intmax_t number) { return number < 0 ? -number : number; }

div_t div(int number, int divisor) {
    div_t result = {number / divisor, number % divisor};
    return result;
}

ldiv_t ldiv(long number, long divisor) {
    ldiv_t result = {number / divisor, number % divisor};
    return result;
}

lldiv_t lldiv(long long number, long long divisor) {
    lldiv_t result = {number / divisor, number % divisor};
    return result;
}

imaxdiv_t imaxdiv(intmax_t number, intmax_t divisor) {
    imaxdiv_t result = {number / divisor, number % divisor};
    return result;
}

/* Knuth's multiplier for 64 bits; the top bits are the good ones. */
static uint64_t random_state = 1;

long random(void) {
    __pancam_atomic_begin(); /* random may be called by several threads */
    uint64_t next = random_state * 6364136223846793005ULL + 1442695040888963407ULL;
    random_state = next;
    __pancam_atomic_end();
    return (long)(next >> 33);
}

void srandom(unsigned seed) { __atomic_store_n(&random_state, seed, __ATOMIC_RELAXED); }

int rand(void) { return (int)random(); }

void srand(unsigned seed) { srandom(seed); }

static unsigned step_of_rand_r(unsigned *seed) {
    *seed = *seed * 1103515245 + 12345;
    return *seed / 65536;
}

int rand_r(unsigned *seed) {
    unsigned result = step_of_rand_r(seed) % 2048;
    result = result << 10 ^ step_of_rand_r(seed) % 1024;
    result = result << 10 ^ step_of_rand_r(seed) % 1024;
    return (int)result;
}

/* The 48-bit family: X := 0x5deece66d X + 0xb modulo 2^48, as POSIX prescribes. lcong48 is not provided. */
static unsigned short state48[3];

static uint64_t step48(unsigned short state[3]) {
    uint64_t x = (uint64_t)state[2] << 32 | (uint64_t)state[1] << 16 | state[0];
    x = (x * 0x5deece66dULL + 0xb) & 0xffffffffffffULL;
    state[0] = (unsigned short)x;
    state[1] = (unsigned short)(x >> 16);
    state[2] = (unsigned short)(x >> 32);
    return x;
}

double erand48(unsigned short state[3]) { return (double)step48(state) / 281474976710656.0; }

double drand48(void) { return erand48(state48); }

long nrand48(unsigned short state[3]) { return (long)(step48(state) >> 17); }

long lrand48(void) { return nrand48(state48); }

long jrand48(unsigned short state[3]) { return (int32_t)(step48(state) >> 16); }

long mrand48(void) { return jrand48(state48); }

void srand48(long seed) {
    state48[0] = 0x330e;
    state48[1] = (unsigned short)seed;
    state48[2] = (unsigned short)((unsigned long)seed >> 16);
}

unsigned short *seed48(unsigned short seed[3]) {
    static unsigned short previous[3];
    for (int i = 0; i < 3; i++) {
        unsigned short replaced = state48[i];
        state48[i] = seed[i];
        previous[i] = replaced;
    }
    return previous;
}
