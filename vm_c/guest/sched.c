/* SPDX-License-Identifier: Apache-2.0
 *
 * Giving way: an empty atomic section is a place where any other thread may go on.
 */
#include "threads.h"

#include <sched.h>

int sched_yield(void) {
    __pancam_atomic_begin();
    __pancam_atomic_end();
    return 0;
}

/* The header sends pthread_yield to sched_yield; this is for programs that declare it themselves. */
int __pancam_pthread_yield(void) __asm__("pthread_yield");
int __pancam_pthread_yield(void) { return sched_yield(); }
