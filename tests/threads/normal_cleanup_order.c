// SPDX-License-Identifier: Apache-2.0
// A thread that exits runs its cleanup handlers first, then the destructors of its values.
#include "check.h"

static pthread_key_t key;

static void say(void *text) { puts(text); }

static void set_value(void *text) { CHECK(pthread_setspecific(key, text) == 0); }

static void *work(void *argument) {
    pthread_cleanup_push(say, "handler");
    pthread_cleanup_push(set_value, "destructor");
    pthread_cleanup_push_defer_np(say, "deferred");
    pthread_exit(argument);
    pthread_cleanup_pop_restore_np(0);
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(0);
}

int main(void) {
    pthread_t id;
    CHECK(pthread_key_create(&key, say) == 0);
    CHECK(pthread_create(&id, NULL, work, NULL) == 0);
    CHECK(pthread_join(id, NULL) == 0);
    return 0;
}
