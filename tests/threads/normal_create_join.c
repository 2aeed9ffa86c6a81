// SPDX-License-Identifier: Apache-2.0
// Arguments and results of threads, ids, and more threads one after the other than may live at once.
#include "check.h"

static pthread_t main_thread, ids[3];

static void *square(void *argument) {
    long number = (long)argument;
    CHECK(!pthread_equal(pthread_self(), main_thread));
    return (void *)(number * number);
}

static void *outer(void *argument) {
    pthread_t inner;
    void *result;
    CHECK(pthread_create(&inner, NULL, square, (void *)9) == 0);
    CHECK(!pthread_equal(inner, pthread_self()));
    CHECK(pthread_join(inner, &result) == 0);
    *(long *)argument = (long)result;
    return argument;
}

int main(void) {
    void *result;
    long number = 0;
    main_thread = pthread_self();
    for (long i = 0; i < 3; i++) CHECK(pthread_create(&ids[i], NULL, square, (void *)i) == 0);
    for (int i = 2; i >= 0; i--) {
        CHECK(pthread_join(ids[i], &result) == 0);
        printf("%ld\n", (long)result);
    }
    for (int i = 0; i < 20; i++) {
        number = 0;
        CHECK(pthread_create(&ids[0], NULL, outer, &number) == 0);
        CHECK(pthread_join(ids[0], i % 2 ? NULL : &result) == 0);
        CHECK(number == 81);
    }
    CHECK(pthread_join(pthread_self(), NULL) == EDEADLK);
    CHECK(pthread_equal(pthread_self(), pthread_self()));
    return 7;
}
