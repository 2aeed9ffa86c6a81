/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread gets the address of a local variable of the function that starts it. When that function has returned before
 * the thread reads its argument, the variable is gone.
 */
#include <pthread.h>
#include <stddef.h>

static int area;

static void *compute(void *argument) {
    const int *side = argument;
    area = *side * *side;
    return NULL;
}

__attribute__((noinline)) static pthread_t start(void) {
    int side = 4;
    pthread_t thread;
    pthread_create(&thread, NULL, compute, &side);
    return thread;
}

int main(void) {
    pthread_t thread = start();
    pthread_join(thread, NULL);
    return area == 16 ? 0 : 1;
}
