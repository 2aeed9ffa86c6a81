// SPDX-License-Identifier: Apache-2.0
// Two threads add readings of a sensor; the readings are computed with, so that no few of them stand for all. How far
// one wants to go is said with --nondet; without it, the verdict is bounded by the values that pancam tried.
#include <assert.h>
#include <pancam.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long sum, count;

static void *sample(void *unused) {
    int reading = pancam_nondet_int();
    pthread_mutex_lock(&lock);
    sum += reading;
    count++;
    assert(sum / count <= 2147483647);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, sample, NULL);
    sample(NULL);
    pthread_join(other, NULL);
#ifdef WRONG
    assert(sum != 18);
#endif
    return 0;
}
