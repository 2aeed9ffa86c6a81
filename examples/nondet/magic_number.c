// SPDX-License-Identifier: Apache-2.0
// A parser that forgets to unlock for one of 2^32 inputs. Nobody finds that one by trying numbers at random; here the
// numbers to try come from the program's own comparisons.
#include <pancam.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned packets;

static void receive(unsigned header) {
    pthread_mutex_lock(&lock);
    packets++;
    if (header - 16 == 0xcafef00du) return; // a packet of the old format
    pthread_mutex_unlock(&lock);
}

static void *receiver(void *unused) {
    receive(pancam_nondet_uint());
    return unused;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, receiver, NULL);
    receive(0);
    pthread_join(other, NULL);
    pthread_mutex_destroy(&lock);
    return 0;
}
