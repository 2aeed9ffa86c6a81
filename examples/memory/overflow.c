/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads add to an account that has a limit. The test for the limit and the addition are two steps, and only both
 * additions together exceed what an int holds. Without --overflow the sum is whatever the processor makes of it; with
 * -DFIXED both are done under a lock.
 */
#include <limits.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int balance;

static void *deposit(void *unused) {
    int amount = INT_MAX / 2 + 1;
#ifdef FIXED
    pthread_mutex_lock(&lock);
#endif
    if (balance <= INT_MAX - amount) {
        int before = balance;
        balance = before + amount;
    }
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
    return unused;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, deposit, NULL);
    deposit(NULL);
    pthread_join(other, NULL);
    return 0;
}
