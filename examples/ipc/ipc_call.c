/* SPDX-License-Identifier: Apache-2.0
 *
 * A call waits in a slot of a table. A correlation is the number of the slot and its generation: the reply that carries
 * it fits that one call and no later one.
 */
#include "ipc_call.h"
#include <assert.h>
#include <string.h>

enum { SLOT_BITS = 8, SLOT_MASK = 0xff };

static void destroy_conditions(struct ipc_calls *calls, unsigned count) {
    while (count > 0) os_cond_destroy(&calls->slots[--count].answered);
}

enum ipc_status ipc_calls_init(struct ipc_calls *calls) {
    if (calls == NULL) return IPC_INVALID;
    memset(calls, 0, sizeof *calls);
    enum os_status status = os_mutex_init(&calls->lock);
    if (status != OS_OK) return ipc_status_of(status);
    for (unsigned i = 0; i < IPC_CALLS; i++) {
        status = os_cond_init(&calls->slots[i].answered);
        if (status == OS_OK) continue;
        destroy_conditions(calls, i);
        os_mutex_destroy(&calls->lock);
        return ipc_status_of(status);
    }
    return IPC_OK;
}

/* With the lock held, as the other functions that do not take it. */
static struct ipc_call_slot *find_idle(struct ipc_calls *calls) {
    for (unsigned i = 0; i < IPC_CALLS; i++)
        if (calls->slots[i].state == IPC_CALL_IDLE) return &calls->slots[i];
    return NULL;
}

bool ipc_calls_are_over(struct ipc_calls *calls) {
    bool over = true;
    os_mutex_lock(&calls->lock);
    for (unsigned i = 0; i < IPC_CALLS; i++) over = over && calls->slots[i].state == IPC_CALL_IDLE;
    os_mutex_unlock(&calls->lock);
    return over;
}

enum ipc_status ipc_calls_destroy(struct ipc_calls *calls) {
    if (calls == NULL) return IPC_INVALID;
    if (!ipc_calls_are_over(calls)) return IPC_BUSY;
    destroy_conditions(calls, IPC_CALLS);
    os_mutex_destroy(&calls->lock);
    return IPC_OK;
}

void ipc_calls_close(struct ipc_calls *calls) {
    os_mutex_lock(&calls->lock);
    calls->closed = true;
    for (unsigned i = 0; i < IPC_CALLS; i++) os_cond_signal(&calls->slots[i].answered);
    os_mutex_unlock(&calls->lock);
}

/* Slots count from 1, as correlation 0 is that of messages which are no calls. */
static ipc_correlation correlation_of(const struct ipc_calls *calls, const struct ipc_call_slot *slot) {
    return slot->generation << SLOT_BITS | (ipc_correlation)(slot - calls->slots + 1);
}

static struct ipc_call_slot *find_slot(struct ipc_calls *calls, ipc_correlation correlation) {
    unsigned number = correlation & SLOT_MASK;
    if (number == 0 || number > IPC_CALLS) return NULL;
    struct ipc_call_slot *slot = &calls->slots[number - 1];
    return slot->state == IPC_CALL_WAITING && correlation_of(calls, slot) == correlation ? slot : NULL;
}

static enum ipc_status open_call(struct ipc_calls *calls, struct ipc_call_slot **slot, ipc_correlation *correlation) {
    os_mutex_lock(&calls->lock);
    struct ipc_call_slot *idle = find_idle(calls);
    enum ipc_status status = calls->closed ? IPC_CLOSED : idle == NULL ? IPC_NO_SLOT : IPC_OK;
    if (status == IPC_OK) {
        idle->state = IPC_CALL_WAITING;
        *slot = idle;
        *correlation = correlation_of(calls, idle);
    }
    os_mutex_unlock(&calls->lock);
    return status;
}

/* Answered or not, the call is over: its correlation must not fit the next call in this slot. */
static void close_call(struct ipc_call_slot *slot) {
#ifdef IPC_BUG_STALE_REPLY
    if (slot->state == IPC_CALL_ANSWERED) slot->generation++;
#else
    slot->generation++;
#endif
    slot->state = IPC_CALL_IDLE;
    slot->reply = NULL;
}

static void abandon_call(struct ipc_calls *calls, struct ipc_call_slot *slot) {
    os_mutex_lock(&calls->lock);
    close_call(slot);
    os_mutex_unlock(&calls->lock);
}

static enum ipc_status await_reply(struct ipc_calls *calls, struct ipc_call_slot *slot,
                                   const struct os_deadline *deadline, struct ipc_message **reply) {
    enum ipc_status status = IPC_OK;
    enum os_status waited = OS_OK;
    os_mutex_lock(&calls->lock);
    while (slot->state == IPC_CALL_WAITING && !calls->closed && waited == OS_OK)
        waited = os_cond_wait_until(&slot->answered, &calls->lock, deadline);
    if (slot->state == IPC_CALL_ANSWERED)
        *reply = slot->reply;
    else
        status = calls->closed ? IPC_CLOSED : ipc_status_of_wait(deadline);
    close_call(slot);
    os_mutex_unlock(&calls->lock);
    return status;
}

static bool is_writable(const struct ipc_message *message) {
    return message != NULL && !ipc_message_is_sealed(message);
}

enum ipc_status ipc_call(struct ipc_calls *calls, struct ipc_port *port, struct ipc_message *request,
                         os_timeout timeout, struct ipc_message **reply) {
    if (calls == NULL || port == NULL || !is_writable(request) || reply == NULL) return IPC_INVALID;
    struct os_deadline deadline = os_deadline_in(timeout);
    struct ipc_call_slot *slot = NULL;
    enum ipc_status status = open_call(calls, &slot, &request->header.correlation);
    if (status != IPC_OK) {
        ipc_message_release(request);
        return status;
    }
    ipc_message_seal(request);
    status = ipc_port_send_until(port, request, &deadline);
    if (status == IPC_OK) return await_reply(calls, slot, &deadline, reply);
    abandon_call(calls, slot);
    ipc_message_release(request);
    return status;
}

bool ipc_is_call(const struct ipc_message *request) { return request->header.correlation != IPC_NO_CORRELATION; }

enum ipc_status ipc_reply(struct ipc_calls *calls, const struct ipc_message *request, struct ipc_message *reply) {
    if (calls == NULL || request == NULL || !is_writable(reply)) return IPC_INVALID;
    reply->header.correlation = request->header.correlation;
    ipc_message_seal(reply);
    os_mutex_lock(&calls->lock);
    struct ipc_call_slot *slot = find_slot(calls, request->header.correlation);
    if (slot != NULL) {
        slot->reply = reply;
        slot->state = IPC_CALL_ANSWERED;
        os_cond_signal(&slot->answered);
    }
    os_mutex_unlock(&calls->lock);
    if (slot != NULL) return IPC_OK;
    ipc_message_release(reply);
    return IPC_STALE;
}
