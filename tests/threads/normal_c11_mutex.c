// SPDX-License-Identifier: Apache-2.0
// Mutexes of C11.
#include "check.h"
#include <threads.h>

static mtx_t plain, recursive, timed;

static int other(void *argument) {
    CHECK(mtx_trylock(&plain) == thrd_busy && mtx_trylock(&recursive) == thrd_busy);
    CHECK(mtx_timedlock(&timed, &PAST) == thrd_timedout);
    return argument != NULL;
}

int main(void) {
    thrd_t id;
    CHECK(mtx_init(&plain, mtx_plain) == thrd_success);
    CHECK(mtx_init(&recursive, mtx_plain | mtx_recursive) == thrd_success);
    CHECK(mtx_init(&timed, mtx_timed | mtx_recursive) == thrd_success);
    CHECK(mtx_lock(&plain) == thrd_success);
    CHECK(mtx_lock(&recursive) == thrd_success && mtx_trylock(&recursive) == thrd_success);
    CHECK(mtx_timedlock(&timed, &PAST) == thrd_success && mtx_timedlock(&timed, &PAST) == thrd_success);
    CHECK(thrd_create(&id, other, NULL) == thrd_success);
    CHECK(thrd_join(id, NULL) == thrd_success);
    CHECK(mtx_unlock(&plain) == thrd_success);
    CHECK(mtx_trylock(&plain) == thrd_success && mtx_unlock(&plain) == thrd_success);
    CHECK(mtx_unlock(&recursive) == thrd_success && mtx_unlock(&recursive) == thrd_success);
    CHECK(mtx_unlock(&timed) == thrd_success && mtx_unlock(&timed) == thrd_success);
    CHECK(mtx_unlock(&recursive) == thrd_error);
    mtx_destroy(&plain);
    mtx_destroy(&recursive);
    mtx_destroy(&timed);
    puts("mutexes");
    return 0;
}
