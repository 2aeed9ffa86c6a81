// SPDX-License-Identifier: Apache-2.0
// A buffer goes from hand to hand: filled by one thread, used and freed by another. A semaphore says when.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

static char *buffer;
static sem_t full;

static void *produce(void *unused) {
    buffer = malloc(4);
    memcpy(buffer, "abc", 4);
    sem_post(&full);
    return unused;
}

int main(void) {
    pthread_t producer;
    sem_init(&full, 0, 0);
    pthread_create(&producer, NULL, produce, NULL);
    sem_wait(&full);
    assert(strlen(buffer) == 3);
    free(buffer);
    pthread_join(producer, NULL);
    return 0;
}
