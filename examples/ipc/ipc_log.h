/* SPDX-License-Identifier: Apache-2.0
 *
 * The latest events of a port, in a ring that belongs to the port's lock. Time is the number of events so far: what a
 * log shows depends on the order of events only, never on how fast the computer was.
 */
#ifndef IPC_LOG_H
#define IPC_LOG_H

#include "ipc_message.h"

enum ipc_event {
    IPC_EVENT_SENT,
    IPC_EVENT_RECEIVED,
    IPC_EVENT_DROPPED,
    IPC_EVENT_NOT_SENT,
    IPC_EVENT_CLOSED,
    IPC_EVENT_COUNT
};

struct ipc_record {
    uint32_t time;
    uint32_t sequence;
    ipc_address sender;
    uint8_t priority;
    uint8_t event;
};

struct ipc_log {
    struct ipc_record records[IPC_LOG_LENGTH > 0 ? IPC_LOG_LENGTH : 1];
    uint32_t time;
};

/* An event that concerns no message has no header. */
void ipc_log_append(struct ipc_log *log, enum ipc_event event, const struct ipc_header *header);
/* The latest records, the oldest of them first; how many there were. */
unsigned ipc_log_copy(const struct ipc_log *log, struct ipc_record *records, unsigned most);
/* As snprintf. */
int ipc_record_format(const struct ipc_record *record, char *text, size_t size);

#endif
