/* SPDX-License-Identifier: Apache-2.0
 *
 * The operating system as POSIX threads. Deadlines are on the monotonic clock, so that setting the time of day neither
 * ends waits nor prolongs them.
 */
#define _POSIX_C_SOURCE 200809L
#include "os.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MS_PER_SECOND = 1000, NS_PER_MS = 1000 * 1000, NS_PER_SECOND = 1000 * 1000 * 1000 };

void os_panic(const char *operation, int error) {
    fprintf(stderr, "panic: %s: %s\n", operation, strerror(error));
    abort();
}

static void must_work(const char *operation, int error) {
    if (error != 0) os_panic(operation, error);
}

static enum os_status status_of(int error) {
    switch (error) {
    case 0: return OS_OK;
    case ETIMEDOUT: return OS_TIMEOUT;
    case EBUSY: return OS_BUSY;
    case ENOMEM:
    case EAGAIN: return OS_NO_RESOURCES;
    default: return OS_INVALID;
    }
}

struct os_deadline os_deadline_in(os_timeout timeout) {
    struct os_deadline deadline = {.kind = OS_DEADLINE_AT};
    if (timeout < 0) deadline.kind = OS_DEADLINE_NEVER;
    if (timeout == 0) deadline.kind = OS_DEADLINE_PASSED;
    if (deadline.kind != OS_DEADLINE_AT) return deadline;
    if (clock_gettime(CLOCK_MONOTONIC, &deadline.at) != 0) os_panic("clock_gettime", errno);
    deadline.at.tv_sec += timeout / MS_PER_SECOND;
    deadline.at.tv_nsec += (long)(timeout % MS_PER_SECOND) * NS_PER_MS;
    if (deadline.at.tv_nsec >= NS_PER_SECOND) {
        deadline.at.tv_nsec -= NS_PER_SECOND;
        deadline.at.tv_sec++;
    }
    return deadline;
}

enum os_status os_mutex_init(struct os_mutex *mutex) { return status_of(pthread_mutex_init(&mutex->handle, NULL)); }

void os_mutex_destroy(struct os_mutex *mutex) {
    must_work("pthread_mutex_destroy", pthread_mutex_destroy(&mutex->handle));
}

void os_mutex_lock(struct os_mutex *mutex) { must_work("pthread_mutex_lock", pthread_mutex_lock(&mutex->handle)); }

void os_mutex_unlock(struct os_mutex *mutex) {
    must_work("pthread_mutex_unlock", pthread_mutex_unlock(&mutex->handle));
}

enum os_status os_cond_init(struct os_cond *cond) {
    pthread_condattr_t attributes;
    int error = pthread_condattr_init(&attributes);
    if (error != 0) return status_of(error);
    error = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    if (error == 0) error = pthread_cond_init(&cond->handle, &attributes);
    must_work("pthread_condattr_destroy", pthread_condattr_destroy(&attributes));
    return status_of(error);
}

void os_cond_destroy(struct os_cond *cond) { must_work("pthread_cond_destroy", pthread_cond_destroy(&cond->handle)); }

enum os_status os_cond_wait_until(struct os_cond *cond, struct os_mutex *mutex, const struct os_deadline *deadline) {
    if (deadline->kind == OS_DEADLINE_PASSED) return OS_TIMEOUT;
    int error = deadline->kind == OS_DEADLINE_NEVER
                    ? pthread_cond_wait(&cond->handle, &mutex->handle)
                    : pthread_cond_timedwait(&cond->handle, &mutex->handle, &deadline->at);
    if (error != ETIMEDOUT) must_work("pthread_cond_wait", error);
    return status_of(error);
}

void os_cond_signal(struct os_cond *cond) { must_work("pthread_cond_signal", pthread_cond_signal(&cond->handle)); }

void os_cond_broadcast(struct os_cond *cond) {
    must_work("pthread_cond_broadcast", pthread_cond_broadcast(&cond->handle));
}

enum os_status os_event_init(struct os_event *event, enum os_event_kind kind) {
    enum os_status status = os_mutex_init(&event->lock);
    if (status != OS_OK) return status;
    status = os_cond_init(&event->changed);
    if (status != OS_OK) os_mutex_destroy(&event->lock);
    event->kind = kind;
    event->set = false;
    return status;
}

void os_event_destroy(struct os_event *event) {
    os_cond_destroy(&event->changed);
    os_mutex_destroy(&event->lock);
}

void os_event_set(struct os_event *event) {
    os_mutex_lock(&event->lock);
    event->set = true;
    if (event->kind == OS_EVENT_AUTO)
        os_cond_signal(&event->changed);
    else
        os_cond_broadcast(&event->changed);
    os_mutex_unlock(&event->lock);
}

void os_event_reset(struct os_event *event) {
    os_mutex_lock(&event->lock);
    event->set = false;
    os_mutex_unlock(&event->lock);
}

enum os_status os_event_wait_until(struct os_event *event, const struct os_deadline *deadline) {
    enum os_status status = OS_OK;
    os_mutex_lock(&event->lock);
    while (!event->set && status == OS_OK) status = os_cond_wait_until(&event->changed, &event->lock, deadline);
    if (event->set) {
        status = OS_OK;
        if (event->kind == OS_EVENT_AUTO) event->set = false;
    }
    os_mutex_unlock(&event->lock);
    return status;
}

static void *thread_main(void *argument) {
    struct os_thread *thread = argument;
    thread->entry(thread->argument);
    return NULL;
}

enum os_status os_thread_start(struct os_thread *thread, os_thread_entry entry, void *argument) {
    if (entry == NULL) return OS_INVALID;
    thread->entry = entry;
    thread->argument = argument;
    enum os_status status = status_of(pthread_create(&thread->handle, NULL, thread_main, thread));
    thread->started = status == OS_OK;
    return status;
}

enum os_status os_thread_join(struct os_thread *thread) {
    if (!thread->started) return OS_INVALID;
    thread->started = false;
    return status_of(pthread_join(thread->handle, NULL));
}
