/* SPDX-License-Identifier: Apache-2.0
 *
 * The account of the papers on sequentialization: one thread deposits, one withdraws, main checks the balance once both
 * say that they are done. The amounts are any small numbers. Every access is made under the lock, but the withdrawal
 * reads the balance and writes it back in two sections; a deposit in between is overwritten.
 */
#include <pancam.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance, deposit, withdrawal;
static bool deposit_done, withdrawal_done;

static void *make_deposit(void *unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    balance += deposit;
    deposit_done = true;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *make_withdrawal(void *unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    int seen = balance;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    balance = seen - withdrawal;
    withdrawal_done = true;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    const int start = 2;
    balance = start;
    deposit = (int)pancam_nondet_range(1, 2);
    withdrawal = (int)pancam_nondet_range(1, 3);
    pancam_assume(withdrawal <= start);
    pthread_create(&threads[0], NULL, make_deposit, NULL);
    pthread_create(&threads[1], NULL, make_withdrawal, NULL);
    pthread_mutex_lock(&lock);
    if (deposit_done && withdrawal_done) pancam_assert(balance == start + deposit - withdrawal);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    return 0;
}
