/* SPDX-License-Identifier: Apache-2.0
 *
 * A message is published before its text is written, so that a reader may find memory that malloc returned as it was.
 * On this machine that happens to be zero, and the assertion holds; --uninit reports the read. With -DFIXED the message
 * is complete before anybody can see it.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct message {
    int length;
    int text[2];
};

static struct message *_Atomic published;

static void *read_message(void *unused) {
    struct message *message = atomic_load(&published);
    if (message != NULL) assert(message->length <= 2);
    return unused;
}

int main(void) {
    pthread_t reader;
    pthread_create(&reader, NULL, read_message, NULL);
    struct message *message = malloc(sizeof *message);
#ifdef FIXED
    message->length = 1;
    atomic_store(&published, message);
#else
    atomic_store(&published, message);
    message->length = 1;
#endif
    pthread_join(reader, NULL);
    free(message);
    return 0;
}
