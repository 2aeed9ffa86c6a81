/* SPDX-License-Identifier: Apache-2.0
 *
 * Spinlocks, threads that create threads, main leaving through pthread_exit while others go on.
 */
#define _XOPEN_SOURCE 700
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

static pthread_spinlock_t spin;
static int leaves;

static void *tree(void *argument) {
    intptr_t depth = (intptr_t)argument;
    if (depth == 0) {
        pthread_spin_lock(&spin);
        leaves++;
        pthread_spin_unlock(&spin);
        return (void *)1;
    }
    pthread_t left;
    void *from_left, *from_right;
    pthread_create(&left, NULL, tree, (void *)(depth - 1));
    from_right = tree((void *)(depth - 1));
    pthread_join(left, &from_left);
    return (void *)((intptr_t)from_left + (intptr_t)from_right + 1);
}

static pthread_t main_thread;

static void *last(void *unused) {
    pthread_join(main_thread, NULL);
    printf("main is gone, %d leaves\n", leaves);
    return unused;
}

int main(void) {
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    printf("%d nodes\n", (int)(intptr_t)tree((void *)3));
    printf("%d leaves\n", leaves);
    pthread_spin_lock(&spin);
    printf("%d\n", pthread_spin_trylock(&spin) != 0);
    pthread_spin_unlock(&spin);
    printf("%d\n", pthread_spin_destroy(&spin));
    pthread_t after;
    main_thread = pthread_self();
    pthread_create(&after, NULL, last, NULL);
    pthread_exit(NULL);
}
