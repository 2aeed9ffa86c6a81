/* SPDX-License-Identifier: Apache-2.0
 *
 * What the module needs of an operating system: mutexes, condition variables, events, threads and deadlines. Nothing
 * above this header knows which system it is.
 */
#ifndef OS_H
#define OS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

enum os_status { OS_OK, OS_TIMEOUT, OS_BUSY, OS_NO_RESOURCES, OS_INVALID };

/* Milliseconds from now; any negative number is for ever. */
typedef int32_t os_timeout;
#define OS_NO_WAIT ((os_timeout)0)
#define OS_FOREVER ((os_timeout) - 1)

enum os_deadline_kind { OS_DEADLINE_PASSED, OS_DEADLINE_AT, OS_DEADLINE_NEVER };

/* A timeout fixed to a point in time, so that waiting in a loop does not begin anew each time. */
struct os_deadline {
    enum os_deadline_kind kind;
    struct timespec at;
};

struct os_deadline os_deadline_in(os_timeout timeout);

/* The error of a wait that its deadline has ended is the same everywhere; misuse of an object ends the program, as
 * there is nothing that a caller could do about it. */
struct os_mutex {
    pthread_mutex_t handle;
};

enum os_status os_mutex_init(struct os_mutex *mutex);
void os_mutex_destroy(struct os_mutex *mutex);
void os_mutex_lock(struct os_mutex *mutex);
void os_mutex_unlock(struct os_mutex *mutex);

struct os_cond {
    pthread_cond_t handle;
};

enum os_status os_cond_init(struct os_cond *cond);
void os_cond_destroy(struct os_cond *cond);
/* OS_OK means nothing but that it is worth looking at the condition again. */
enum os_status os_cond_wait_until(struct os_cond *cond, struct os_mutex *mutex, const struct os_deadline *deadline);
void os_cond_signal(struct os_cond *cond);
void os_cond_broadcast(struct os_cond *cond);

enum os_event_kind { OS_EVENT_MANUAL, OS_EVENT_AUTO };

/* A flag to wait for. An automatic one is taken back by the thread that it lets through. */
struct os_event {
    struct os_mutex lock;
    struct os_cond changed;
    enum os_event_kind kind;
    bool set;
};

enum os_status os_event_init(struct os_event *event, enum os_event_kind kind);
void os_event_destroy(struct os_event *event);
void os_event_set(struct os_event *event);
void os_event_reset(struct os_event *event);
enum os_status os_event_wait_until(struct os_event *event, const struct os_deadline *deadline);

typedef void (*os_thread_entry)(void *argument);

/* Must stay where it is until it has been joined. */
struct os_thread {
    pthread_t handle;
    os_thread_entry entry;
    void *argument;
    bool started;
};

enum os_status os_thread_start(struct os_thread *thread, os_thread_entry entry, void *argument);
enum os_status os_thread_join(struct os_thread *thread);

/* Tells what is wrong and ends the program. */
void os_panic(const char *operation, int error) __attribute__((noreturn));

#endif
