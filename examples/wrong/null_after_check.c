/* SPDX-License-Identifier: Apache-2.0
 *
 * A handler is called if there is one, while another thread may remove it. The check and the call each read the
 * pointer, and between the two it becomes null. At -O2 the compiler reads it only once, and the error is hidden.
 */
#include <pthread.h>
#include <stddef.h>

struct handler {
    int calls;
};

static struct handler logger;
static struct handler *current = &logger;

static void *report(void *unused) {
    (void)unused;
    if (current != NULL) current->calls++;
    return NULL;
}

int main(void) {
    pthread_t reporter;
    pthread_create(&reporter, NULL, report, NULL);
    current = NULL;
    pthread_join(reporter, NULL);
    return 0;
}
