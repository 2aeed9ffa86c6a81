/* SPDX-License-Identifier: Apache-2.0
 *
 * A message that two threads share by reference count. The worker drops its reference and looks at the message once
 * more: if main has dropped its own before, the message is freed already.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct message {
    atomic_int references;
    int length;
};

static int total;

static void drop(struct message *message) {
    if (atomic_fetch_sub(&message->references, 1) == 1) free(message);
}

static void *receive(void *argument) {
    struct message *message = argument;
    drop(message);
    total += message->length;
    return NULL;
}

int main(void) {
    pthread_t receiver;
    struct message *message = malloc(sizeof *message);
    if (message == NULL) abort();
    atomic_init(&message->references, 2);
    message->length = 5;
    pthread_create(&receiver, NULL, receive, message);
    drop(message);
    pthread_join(receiver, NULL);
    return total == 5 ? 0 : 1;
}
