// SPDX-License-Identifier: Apache-2.0
// A thread sends a copy of a message to another. Whether there is memory for the copy is not looked at, unless it is
// FIXED: seen only when malloc may fail.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *mailbox;

static void *send(void *text) {
    char *copy = malloc(strlen(text) + 1);
#ifdef FIXED
    if (copy == NULL) return NULL;
#endif
    strcpy(copy, text);
    pthread_mutex_lock(&lock);
    mailbox = copy;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t sender;
    pthread_create(&sender, NULL, send, "hello");
    pthread_mutex_lock(&lock);
    char *early = mailbox;
    pthread_mutex_unlock(&lock);
    pthread_join(sender, NULL);
    if (early != NULL && early != mailbox) abort();
    free(mailbox);
    return 0;
}
