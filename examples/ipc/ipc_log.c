/* SPDX-License-Identifier: Apache-2.0
 *
 * The ring of events. A record's place follows from its time.
 */
#include "ipc_log.h"
#include <stdio.h>

enum { PLACES = IPC_LOG_LENGTH > 0 ? IPC_LOG_LENGTH : 1 };

static const char *const names[IPC_EVENT_COUNT] = {
    [IPC_EVENT_SENT] = "sent",         [IPC_EVENT_RECEIVED] = "received", [IPC_EVENT_DROPPED] = "dropped",
    [IPC_EVENT_NOT_SENT] = "not sent", [IPC_EVENT_CLOSED] = "closed",
};

void ipc_log_append(struct ipc_log *log, enum ipc_event event, const struct ipc_header *header) {
    if (IPC_LOG_LENGTH == 0) return;
    struct ipc_record *record = &log->records[log->time % PLACES];
    *record = (struct ipc_record){.time = log->time, .event = (uint8_t)event};
    if (header != NULL) {
        record->sequence = header->sequence;
        record->sender = header->sender;
        record->priority = header->priority;
    }
    log->time++;
}

unsigned ipc_log_copy(const struct ipc_log *log, struct ipc_record *records, unsigned most) {
    uint32_t count = log->time < PLACES ? log->time : PLACES;
    if (count > most) count = most;
    for (uint32_t i = 0; i < count; i++) records[i] = log->records[(log->time - count + i) % PLACES];
    return count;
}

int ipc_record_format(const struct ipc_record *record, char *text, size_t size) {
    const char *name = record->event < IPC_EVENT_COUNT ? names[record->event] : "unknown";
    if (record->event == IPC_EVENT_CLOSED) return snprintf(text, size, "%u %s", record->time, name);
    return snprintf(text, size, "%u %s %04x/%u priority %u", record->time, name, record->sender, record->sequence,
                    record->priority);
}
