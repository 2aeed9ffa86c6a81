/* SPDX-License-Identifier: Apache-2.0
 *
 * Peterson's algorithm as textbooks and Wikipedia print it, with plain variables. Translated word for word (-O0) it is
 * right. At -O2 Clang takes `turn` for what was stored just before, finds that the waiting loop changes nothing, may
 * assume that such a loop ends, and deletes it: both threads get into the critical section. See correct/peterson.c.
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

static bool flag[2] = {false, false};
static int turn;
static volatile int in_critical; /* volatile, so that the check itself survives optimisation */

static void critical_section(void) {
    in_critical++;
    assert(in_critical == 1);
    in_critical--;
}

static void *p0(void *unused) {
    (void)unused;
    flag[0] = true;
    turn = 1;
    while (flag[1] && turn == 1) {
        /* busy wait */
    }
    critical_section();
    flag[0] = false;
    return NULL;
}

static void *p1(void *unused) {
    (void)unused;
    flag[1] = true;
    turn = 0;
    while (flag[0] && turn == 0) {
        /* busy wait */
    }
    critical_section();
    flag[1] = false;
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, p0, NULL);
    pthread_create(&threads[1], NULL, p1, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
