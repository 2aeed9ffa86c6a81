/* SPDX-License-Identifier: Apache-2.0
 *
 * Once, thread-specific keys with destructors, thread-local variables with initial values, addresses of locals of
 * threads.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int initialised, freed;
static _Thread_local int counter = 100;
static __thread char name[8] = "nobody";
_Thread_local struct {
    int values[4];
    int *self;
} record = {{1, 2, 3, 4}, NULL};

static void release(void *value) {
    pthread_mutex_lock(&lock);
    freed += *(int *)value;
    pthread_mutex_unlock(&lock);
    free(value);
}

static void initialise(void) {
    initialised++;
    pthread_key_create(&key, release);
}

static int bump(int by) {
    static _Thread_local int calls;
    return counter += by + calls++;
}

static void *work(void *argument) {
    int id = (int)(intptr_t)argument;
    pthread_once(&once, initialise);
    int *mine = malloc(sizeof *mine);
    *mine = id;
    pthread_setspecific(key, mine);
    for (int i = 0; i < 5; i++) bump(id);
    snprintf(name, sizeof name, "t%d", id);
    record.values[id] *= 10;
    record.self = &record.values[id];
    int sum = 0;
    for (int i = 0; i < 4; i++) sum += record.values[i];
    int same = *(int *)pthread_getspecific(key) == id && record.self == &record.values[id];
    return (void *)(intptr_t)(counter * 1000 + sum + same + (int)strlen(name));
}

int main(void) {
    pthread_t threads[3];
    for (intptr_t i = 0; i < 3; i++) pthread_create(&threads[i], NULL, work, (void *)(i + 1));
    for (int i = 0; i < 3; i++) {
        void *result;
        pthread_join(threads[i], &result);
        printf("%d ", (int)(intptr_t)result);
    }
    pthread_once(&once, initialise);
    printf("%d %d %d %s %d %d\n", initialised, freed, counter, name, record.values[1],
           pthread_getspecific(key) == NULL);
    printf("%d\n", pthread_key_delete(key));
    return 0;
}
