// SPDX-License-Identifier: Apache-2.0
// Thread-specific values: own ones in each thread, destructors in rounds, a key that is created anew is empty.
#include "check.h"

static pthread_key_t plain, counting, renewing;
static int destroyed, renewed;

static void count(void *value) {
    CHECK(pthread_getspecific(counting) == NULL);
    destroyed += (int)(long)value;
}

static void renew(void *value) {
    renewed++;
    CHECK(pthread_setspecific(renewing, value) == 0);
}

static void *work(void *argument) {
    CHECK(pthread_getspecific(plain) == NULL && pthread_getspecific(counting) == NULL);
    CHECK(pthread_setspecific(plain, argument) == 0);
    CHECK(pthread_setspecific(counting, argument) == 0);
    if ((long)argument == 2) CHECK(pthread_setspecific(renewing, argument) == 0);
    CHECK(pthread_getspecific(counting) == argument && pthread_getspecific(plain) == argument);
    if ((long)argument == 1) pthread_exit(NULL);
    return NULL;
}

int main(void) {
    pthread_t id;
    CHECK(pthread_key_create(&plain, NULL) == 0);
    CHECK(pthread_key_create(&counting, count) == 0);
    CHECK(pthread_key_create(&renewing, renew) == 0);
    CHECK(plain != counting && counting != renewing);
    for (long i = 1; i < 4; i++) {
        CHECK(pthread_create(&id, NULL, work, (void *)i) == 0);
        CHECK(pthread_join(id, NULL) == 0);
    }
    printf("%d destroyed, renewed %d times\n", destroyed, renewed);
    CHECK(pthread_setspecific(plain, &id) == 0);
    CHECK(pthread_key_delete(plain) == 0);
    CHECK(pthread_key_create(&plain, NULL) == 0);
    CHECK(pthread_getspecific(plain) == NULL);
    CHECK(pthread_setspecific(counting, &id) == 0);
    CHECK(pthread_setspecific(counting, NULL) == 0);
    return 0;
}
