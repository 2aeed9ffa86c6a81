// SPDX-License-Identifier: Apache-2.0
// Threads of C11.
#include "check.h"
#include <threads.h>

static thrd_t main_thread;

static int negate(void *argument) {
    CHECK(!thrd_equal(thrd_current(), main_thread));
    thrd_yield();
    if (*(int *)argument == 5) thrd_exit(55);
    return -*(int *)argument;
}

static int set(void *argument) {
    *(_Atomic int *)argument = 1;
    return 0;
}

int main(void) {
    static _Atomic int detached;
    thrd_t id;
    int number = 4, result;
    main_thread = thrd_current();
    CHECK(thrd_create(&id, negate, &number) == thrd_success);
    CHECK(thrd_join(id, &result) == thrd_success);
    printf("%d\n", result);
    number = 5;
    CHECK(thrd_create(&id, negate, &number) == thrd_success);
    CHECK(thrd_join(id, &result) == thrd_success);
    printf("%d\n", result);
    CHECK(thrd_create(&id, negate, &number) == thrd_success);
    CHECK(thrd_join(id, NULL) == thrd_success);
    CHECK(thrd_create(&id, set, &detached) == thrd_success);
    CHECK(thrd_detach(id) == thrd_success);
    while (!detached) thrd_yield();
    CHECK(thrd_equal(thrd_current(), main_thread));
    CHECK(thrd_sleep(&(struct timespec){0, 1}, NULL) == 0);
    CHECK(thrd_sleep(&NO_TIME, NULL) < -1);
    CHECK(thrd_join(thrd_current(), NULL) == thrd_error);
    thrd_exit(3);
}
