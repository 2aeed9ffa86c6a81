/* SPDX-License-Identifier: Apache-2.0
 *
 * The Bluetooth driver with its race repaired: a request counts itself before it looks whether the driver is stopping,
 * and takes that back if it is. So the driver cannot reach its last step between the two. See wrong/bluetooth.c.
 */
#include <pancam.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

static volatile int pending_io = 1; /* the requests under way, and one for the driver itself */
static volatile bool stopping_flag;
static volatile bool stopping_event;
static volatile bool stopped;

/* The InterlockedIncrement and -Decrement of the original; gives the new value. */
static int count(int change) {
    pancam_atomic_begin();
    pending_io += change;
    int now = pending_io;
    pancam_atomic_end();
    return now;
}

static void io_decrement(void) {
    if (count(-1) == 0) stopping_event = true;
}

static bool io_increment(void) {
    count(1);
    if (!stopping_flag) return true;
    io_decrement();
    return false;
}

static void *add_request(void *unused) {
    (void)unused;
    if (io_increment()) {
        pancam_assert(!stopped);
        io_decrement();
    }
    return NULL;
}

static void stop_driver(void) {
    stopping_flag = true;
    io_decrement();
    pancam_assume(stopping_event); /* waits for the event */
    stopped = true;
}

int main(void) {
    pthread_t requests[2];
    for (int i = 0; i < 2; i++) pthread_create(&requests[i], NULL, add_request, NULL);
    stop_driver();
    for (int i = 0; i < 2; i++) pthread_join(requests[i], NULL);
    return 0;
}
