/* SPDX-License-Identifier: Apache-2.0
 *
 * Each thread notes an event in a log that is part of a larger struct. Whether there is room is asked before the place
 * is taken, so that with three events the last one lands on the member behind the array: inside the object, outside the
 * array. With -DFIXED the place is taken first.
 */
#include <pthread.h>
#include <stdatomic.h>

enum { ROOM = 2, THREADS = 3 };

static struct {
    atomic_uint used;
    int events[ROOM];
    int state;
} device;

static void *note_event(void *event) {
#ifdef FIXED
    unsigned place = atomic_fetch_add(&device.used, 1);
    if (place < ROOM) device.events[place] = *(int *)event;
#else
    if (atomic_load(&device.used) < ROOM) {
        unsigned place = atomic_fetch_add(&device.used, 1);
        device.events[place] = *(int *)event;
    }
#endif
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    int events[THREADS] = {1, 2, 3};
    for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, note_event, &events[i]);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    return device.state;
}
