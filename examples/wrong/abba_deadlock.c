/* SPDX-License-Identifier: Apache-2.0
 *
 * Money is moved between two accounts, each with a lock of its own. Two transfers in opposite directions at the same
 * time lock the accounts in opposite orders, and each waits for the other: a deadlock. See correct/lock_order.c.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

struct account {
    pthread_mutex_t lock;
    int balance;
};

static struct account savings = {PTHREAD_MUTEX_INITIALIZER, 10};
static struct account current = {PTHREAD_MUTEX_INITIALIZER, 10};

static void transfer(struct account *from, struct account *to, int amount) {
    pthread_mutex_lock(&from->lock);
    pthread_mutex_lock(&to->lock);
    from->balance -= amount;
    to->balance += amount;
    pthread_mutex_unlock(&to->lock);
    pthread_mutex_unlock(&from->lock);
}

static void *spend(void *unused) {
    (void)unused;
    transfer(&savings, &current, 3);
    return NULL;
}

static void *save(void *unused) {
    (void)unused;
    transfer(&current, &savings, 5);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, spend, NULL);
    pthread_create(&threads[1], NULL, save, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    assert(savings.balance == 12 && current.balance == 8);
    return 0;
}
