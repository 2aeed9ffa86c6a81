// SPDX-License-Identifier: Apache-2.0
// Every attribute of threads can be set and read; values that do not exist are refused.
#include "check.h"

int main(void) {
    pthread_attr_t attr;
    struct sched_param parameters = {0};
    int number;
    size_t size;
    CHECK(pthread_attr_init(&attr) == 0);
    CHECK(pthread_attr_getdetachstate(&attr, &number) == 0 && number == PTHREAD_CREATE_JOINABLE);
    CHECK(pthread_attr_setdetachstate(&attr, 77) == EINVAL);
    CHECK(pthread_attr_setstacksize(&attr, 1 << 20) == 0);
    CHECK(pthread_attr_getstacksize(&attr, &size) == 0 && size == 1 << 20);
    CHECK(pthread_attr_setstacksize(&attr, 1) == EINVAL);
    CHECK(pthread_attr_setguardsize(&attr, 8192) == 0);
    CHECK(pthread_attr_getguardsize(&attr, &size) == 0 && size == 8192);
    CHECK(pthread_attr_getschedpolicy(&attr, &number) == 0 && number == SCHED_OTHER);
    CHECK(pthread_attr_setschedpolicy(&attr, 77) == EINVAL);
    parameters.sched_priority = 5;
    CHECK(pthread_attr_setschedparam(&attr, &parameters) == EINVAL);
    CHECK(pthread_attr_setschedpolicy(&attr, SCHED_FIFO) == 0);
    CHECK(pthread_attr_getschedpolicy(&attr, &number) == 0 && number == SCHED_FIFO);
    CHECK(pthread_attr_setschedparam(&attr, &parameters) == 0);
    parameters.sched_priority = 0;
    CHECK(pthread_attr_getschedparam(&attr, &parameters) == 0 && parameters.sched_priority == 5);
    CHECK(pthread_attr_getinheritsched(&attr, &number) == 0 && number == PTHREAD_INHERIT_SCHED);
    CHECK(pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED) == 0);
    CHECK(pthread_attr_getinheritsched(&attr, &number) == 0 && number == PTHREAD_EXPLICIT_SCHED);
    CHECK(pthread_attr_setinheritsched(&attr, 77) == EINVAL);
    CHECK(pthread_attr_setscope(&attr, PTHREAD_SCOPE_SYSTEM) == 0);
    CHECK(pthread_attr_setscope(&attr, PTHREAD_SCOPE_PROCESS) == ENOTSUP);
    CHECK(pthread_attr_setscope(&attr, 77) == EINVAL);
    CHECK(pthread_attr_getscope(&attr, &number) == 0 && number == PTHREAD_SCOPE_SYSTEM);
    CHECK(pthread_attr_destroy(&attr) == 0);
    puts("attributes");
    return 0;
}
