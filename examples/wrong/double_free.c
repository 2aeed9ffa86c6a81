/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads may close the same connection. The check whether it is still open and the note that it is closed are two
 * steps: both threads find it open, and both free its buffer.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

struct connection {
    atomic_bool open;
    char *buffer;
};

static struct connection connection;

static void *close_connection(void *unused) {
    (void)unused;
    if (atomic_load(&connection.open)) {
        atomic_store(&connection.open, false);
        free(connection.buffer);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    connection.buffer = malloc(16);
    atomic_store(&connection.open, true);
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, close_connection, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    return 0;
}
