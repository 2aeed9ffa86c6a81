/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread replaces a configuration that others may have replaced meanwhile: it frees the one that it has seen, and not
 * the one that was there when it stored its own, which is then lost. With -DEXCHANGE one step does both, and what is
 * left is the last configuration, which a global variable still points to; with -DEXCHANGE -DFREE it is freed at the
 * end.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static int *_Atomic current;

static void *replace(void *unused) {
    int *fresh = malloc(sizeof *fresh);
    *fresh = 1;
#ifdef EXCHANGE
    int *old = atomic_exchange(&current, fresh);
#else
    int *old = atomic_load(&current);
    atomic_store(&current, fresh);
#endif
    if (old != NULL) *old = 2;
#ifdef EXCHANGE
    free(old);
#endif
    return unused;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, replace, NULL);
    replace(NULL);
    pthread_join(other, NULL);
#ifdef FREE
    free(current);
#endif
    return 0;
}
