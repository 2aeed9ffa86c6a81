/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread writes into the text that a pointer leads to. Until another one has put a buffer there, that is a string
 * literal. With -DFIXED the buffer is there before the thread starts.
 */
#include <pthread.h>
#include <stdatomic.h>

static char buffer[] = "none";
static char *_Atomic text = "none";

static void *capitalise(void *unused) {
    char *first = text;
    *first = 'N';
    return unused;
}

int main(void) {
    pthread_t thread;
#ifdef FIXED
    text = buffer;
#endif
    pthread_create(&thread, NULL, capitalise, NULL);
    text = buffer;
    pthread_join(thread, NULL);
    return 0;
}
