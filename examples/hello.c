/* Four threads greet in whatever order the schedule gives; main waits for them and counts. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int greeted;

static void *greet(void *name) {
    pthread_mutex_lock(&lock);
    printf("hello from %s\n", (const char *)name);
    greeted++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    char *names[] = {"thread one", "thread two", "thread three", "thread four"};
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, greet, names[i]);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    printf("%d greetings\n", greeted);
    return greeted == 4 ? 0 : 1;
}
