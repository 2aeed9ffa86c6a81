/* SPDX-License-Identifier: Apache-2.0
 *
 * A task of the verification competition. Each increment is an atomic section, because of the name of its function, so
 * the counter never passes the number of threads. But main looks at it without one, while the threads run: a data race.
 */
typedef unsigned long int pthread_t;
extern int pthread_create(pthread_t *thread, const void *attributes, void *(*start)(void *), void *argument);
extern int pthread_join(pthread_t thread, void **result);
extern void abort(void);

void reach_error() { abort(); }

int counter;

void __VERIFIER_atomic_increment() { counter = counter + 1; }

void *work(void *argument) {
    __VERIFIER_atomic_increment();
    return argument;
}

int main() {
    pthread_t one, two;
    pthread_create(&one, 0, work, 0);
    pthread_create(&two, 0, work, 0);
    if (counter > 2) {
        reach_error();
    }
    pthread_join(one, 0);
    pthread_join(two, 0);
    if (counter != 2) {
        reach_error();
    }
    return 0;
}
