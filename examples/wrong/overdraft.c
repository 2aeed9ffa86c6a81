/* SPDX-License-Identifier: Apache-2.0
 *
 * Check, then act: whether there is enough money is looked up under the lock, and so is the money taken, but the lock
 * is given back in between. Two withdrawals pass the check together and overdraw the account. No access is unprotected,
 * so a race detector sees nothing.
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 10;

static bool can_pay(int amount) {
    pthread_mutex_lock(&lock);
    bool enough = balance >= amount;
    pthread_mutex_unlock(&lock);
    return enough;
}

static void pay(int amount) {
    pthread_mutex_lock(&lock);
    balance -= amount;
    pthread_mutex_unlock(&lock);
}

static void *shop(void *unused) {
    (void)unused;
    if (can_pay(7)) pay(7);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, shop, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    assert(balance >= 0);
    return 0;
}
