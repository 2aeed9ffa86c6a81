// SPDX-License-Identifier: Apache-2.0
// The largest of some numbers that threads have put down, with a start value that was forgotten unless it is FIXED.
// Memory that happens to be zero hides it, and so does reading zeros for what was never assigned.
#include <assert.h>
#include <pthread.h>

enum { WORKERS = 2 };
static int results[WORKERS];

static void *work(void *place) {
    *(int *)place = 3;
    return NULL;
}

static int largest(void) {
#ifdef FIXED
    int found = results[0];
#else
    int found;
#endif
    for (int i = 0; i < WORKERS; i++) {
        if (i == 0 && found > 100) return found;
        found = results[i];
    }
    return found;
}

int main(void) {
    pthread_t workers[WORKERS];
    for (int i = 0; i < WORKERS; i++) pthread_create(&workers[i], NULL, work, &results[i]);
    for (int i = 0; i < WORKERS; i++) pthread_join(workers[i], NULL);
    assert(largest() == 3);
    return 0;
}
