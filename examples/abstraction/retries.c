/* SPDX-License-Identifier: Apache-2.0
 *
 * A client that tries again when the line drops, at most twice; the third time it gives up, and forgets to let go of
 * the line. An abstraction that keeps whether the line is up, but not how often the client has tried, takes the second
 * try for the first: it never sees the third. One that keeps the count finds the deadlock.
 */
#include <pancam.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum { MOST_TRIES = 3 };

static pthread_mutex_t line = PTHREAD_MUTEX_INITIALIZER;
static volatile bool is_up;
static volatile int tries;

void only_the_line(void) { pancam_abs[0] = is_up; }

void line_and_tries(void) {
    pancam_abs[0] = is_up;
    pancam_abs[1] = (unsigned char)tries;
}

static void *drop(void *unused) {
    for (;;) {
        pthread_mutex_lock(&line);
        is_up = false;
        pthread_mutex_unlock(&line);
    }
    return unused;
}

int main(void) {
    pthread_t dropper;
    pthread_create(&dropper, NULL, drop, NULL);
    for (;;) {
        pthread_mutex_lock(&line);
        if (is_up) tries = 0;
        if (!is_up && ++tries == MOST_TRIES) break; /* with the lock */
        is_up = true;
        pthread_mutex_unlock(&line);
    }
    pthread_exit(NULL);
}
