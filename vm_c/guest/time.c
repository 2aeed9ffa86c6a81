/* SPDX-License-Identifier: Apache-2.0
 *
 * Clocks and sleeping. Time stands still: every clock shows the same fixed instant and sleeping takes none of it, so
 * that time adds nothing to the state. Which thread runs next is the search's choice, not a matter of how long one
 * sleeps: any order of threads is possible after a sleep of any length, as it is on a real machine.
 */
#include "library.h"

#include <errno.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { FIXED_TIME = 1700000000 }; /* 14 November 2023, 22:13:20 UTC */

time_t time(time_t *result) {
    if (result != NULL) *result = FIXED_TIME;
    return FIXED_TIME;
}

clock_t clock(void) { return 0; } /* no processor time is ever used */

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    now->tv_sec = FIXED_TIME;
    now->tv_usec = 0;
    if (zone != NULL) *(struct timezone *)zone = (struct timezone){0, 0}; /* UTC */
    return 0;
}

/* All clocks show the same; the monotonic ones may start anywhere. */
int clock_gettime(clockid_t id, struct timespec *now) {
    if (id < 0 || id > CLOCK_TAI) {
        errno = EINVAL;
        return -1;
    }
    now->tv_sec = FIXED_TIME;
    now->tv_nsec = 0;
    return 0;
}

int clock_getres(clockid_t id, struct timespec *resolution) {
    if (id < 0 || id > CLOCK_TAI) {
        errno = EINVAL;
        return -1;
    }
    if (resolution != NULL) {
        resolution->tv_sec = 0;
        resolution->tv_nsec = 1;
    }
    return 0;
}

int timespec_get(struct timespec *now, int base) {
    if (base != TIME_UTC) return 0;
    now->tv_sec = FIXED_TIME;
    now->tv_nsec = 0;
    return base;
}

double difftime(time_t later, time_t earlier) { return (double)later - (double)earlier; }

/* All sleeps are over at once and are never interrupted. */
unsigned sleep(unsigned seconds) {
    (void)seconds;
    return 0;
}

int usleep(useconds_t microseconds) {
    (void)microseconds;
    return 0;
}

static int is_duration(const struct timespec *duration) {
    return duration->tv_sec >= 0 && duration->tv_nsec >= 0 && duration->tv_nsec < 1000000000;
}

int nanosleep(const struct timespec *duration, struct timespec *rest) {
    if (!is_duration(duration)) {
        errno = EINVAL;
        return -1;
    }
    if (rest != NULL) *rest = (struct timespec){.tv_sec = 0, .tv_nsec = 0};
    return 0;
}

int clock_nanosleep(clockid_t id, int flags, const struct timespec *duration, struct timespec *rest) {
    if (id < 0 || id > CLOCK_TAI || !is_duration(duration)) return EINVAL;
    if (rest != NULL && (flags & TIMER_ABSTIME) == 0) *rest = (struct timespec){.tv_sec = 0, .tv_nsec = 0};
    return 0;
}
