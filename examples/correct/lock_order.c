/* SPDX-License-Identifier: Apache-2.0
 *
 * Money is moved between two accounts, each with a lock of its own. The locks are always taken in the order of the
 * accounts' numbers, so that opposite transfers do not wait for each other as in wrong/abba_deadlock.c.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

struct account {
    int number;
    int balance;
    pthread_mutex_t lock;
};

static struct account savings = {1, 10, PTHREAD_MUTEX_INITIALIZER};
static struct account current = {2, 10, PTHREAD_MUTEX_INITIALIZER};

static void transfer(struct account *from, struct account *to, int amount) {
    struct account *first = from->number < to->number ? from : to;
    struct account *second = first == from ? to : from;
    pthread_mutex_lock(&first->lock);
    pthread_mutex_lock(&second->lock);
    from->balance -= amount;
    to->balance += amount;
    pthread_mutex_unlock(&second->lock);
    pthread_mutex_unlock(&first->lock);
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
