/* SPDX-License-Identifier: Apache-2.0
 *
 * A bus as text, for consoles and crash reports. Each part is locked only while it is copied, so a report slows nobody
 * down, and its parts may be from slightly different moments.
 */
#include "ipc_bus.h"
#include <stdarg.h>
#include <stdio.h>

struct text {
    char *bytes;
    size_t size;
    size_t length;
};

static void __attribute__((format(printf, 2, 3))) append(struct text *text, const char *format, ...) {
    size_t room = text->length < text->size ? text->size - text->length : 0;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(room > 0 ? text->bytes + text->length : NULL, room, format, arguments);
    va_end(arguments);
    if (length > 0) text->length += (size_t)length;
}

static void report_pool(struct ipc_pool *pool, struct text *text) {
    struct ipc_pool_statistics statistics;
    ipc_pool_statistics(pool, &statistics);
    append(text, "pool: %u of %u free, %u reserved\n", ipc_pool_free_count(pool), pool->memory.count,
           pool->memory.reserve);
    if (!IPC_STATISTICS) return;
    append(text, "  taken %u, returned %u, most used %u, waits %u, failures %u\n", statistics.taken,
           statistics.returned, statistics.most_used, statistics.waits, statistics.failures);
}

static void report_port_statistics(struct ipc_port *port, struct text *text) {
    struct ipc_port_statistics statistics;
    ipc_port_statistics(port, &statistics);
    append(text, "  sent %u, received %u, dropped %u, not sent %u\n", statistics.sent, statistics.received,
           statistics.dropped, statistics.not_sent);
    append(text, "  waits: %u to send, %u to receive; highest levels:", statistics.send_waits,
           statistics.receive_waits);
    for (unsigned priority = 0; priority < IPC_PRIORITIES; priority++)
        append(text, " %u", statistics.highest_level[priority]);
    append(text, "\n");
}

static void report_port_log(struct ipc_port *port, struct text *text) {
    struct ipc_record records[IPC_LOG_LENGTH > 0 ? IPC_LOG_LENGTH : 1];
    unsigned count = ipc_port_log(port, records, sizeof records / sizeof records[0]);
    for (unsigned i = 0; i < count; i++) {
        char line[64];
        ipc_record_format(&records[i], line, sizeof line);
        append(text, "  %s\n", line);
    }
}

static void report_port(struct ipc_port *port, const char *name, struct text *text) {
    append(text, "port %s (%04x):", name, port->address);
    for (unsigned priority = 0; priority < IPC_PRIORITIES; priority++)
        append(text, " %u", ipc_port_level(port, priority));
    append(text, "\n");
    if (IPC_STATISTICS) report_port_statistics(port, text);
    report_port_log(port, text);
}

size_t ipc_bus_report(struct ipc_bus *bus, char *bytes, size_t size) {
    struct text text = {bytes, size, 0};
    report_pool(&bus->pool, &text);
    for (unsigned place = 0; place < IPC_PORTS; place++) {
        struct ipc_port *port = NULL;
        char name[IPC_NAME_BYTES];
        if (ipc_registry_visit(&bus->registry, place, &port, name) != IPC_OK) continue;
        report_port(port, name, &text);
        ipc_registry_drop(&bus->registry, port);
    }
    return text.length;
}
