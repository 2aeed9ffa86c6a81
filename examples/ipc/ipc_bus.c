/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of a bus put together, in an order that can be undone.
 */
#include "ipc_bus.h"
#include <string.h>

static enum ipc_status init_pool(struct ipc_bus *bus, unsigned reserve) {
    if (reserve >= IPC_POOL_BLOCKS) return IPC_INVALID;
    struct ipc_pool_memory memory = {
        .storage = bus->messages,
        .blocks = bus->blocks,
        .block_size = sizeof bus->messages[0],
        .count = IPC_POOL_BLOCKS,
        .reserve = (uint16_t)reserve,
    };
    return ipc_pool_init(&bus->pool, &memory);
}

enum ipc_status ipc_bus_init(struct ipc_bus *bus, unsigned reserve) {
    if (bus == NULL) return IPC_INVALID;
    memset(bus, 0, sizeof *bus);
    enum ipc_status status = init_pool(bus, reserve);
    if (status != IPC_OK) return status;
    status = ipc_registry_init(&bus->registry);
    if (status == IPC_OK) {
        status = ipc_calls_init(&bus->calls);
        if (status == IPC_OK) return IPC_OK;
        ipc_registry_destroy(&bus->registry);
    }
    ipc_pool_destroy(&bus->pool);
    return status;
}

void ipc_bus_shutdown(struct ipc_bus *bus, enum ipc_close_mode mode) {
    ipc_registry_close(&bus->registry, mode);
    ipc_calls_close(&bus->calls);
    ipc_pool_close(&bus->pool);
}

enum ipc_status ipc_bus_destroy(struct ipc_bus *bus) {
    if (bus == NULL) return IPC_INVALID;
    bool unused = ipc_pool_free_count(&bus->pool) == IPC_POOL_BLOCKS && ipc_registry_is_empty(&bus->registry) &&
                  ipc_calls_are_over(&bus->calls);
    if (!unused) return IPC_BUSY;
    enum ipc_status status = ipc_registry_destroy(&bus->registry);
    if (status == IPC_OK) status = ipc_calls_destroy(&bus->calls);
    if (status == IPC_OK) status = ipc_pool_destroy(&bus->pool);
    return status;
}

enum ipc_status ipc_bus_open(struct ipc_bus *bus, const char *name, uint16_t capacity, struct ipc_port **port) {
    struct ipc_port_attributes attributes = {ipc_queue_limits_simple(capacity), IPC_OVERFLOW_BLOCK};
    return bus == NULL ? IPC_INVALID : ipc_registry_open(&bus->registry, name, &attributes, port);
}

void ipc_bus_drop(struct ipc_bus *bus, struct ipc_port *port) { ipc_registry_drop(&bus->registry, port); }

void ipc_bus_sender(struct ipc_bus *bus, const struct ipc_port *port, struct ipc_sender *sender) {
    ipc_sender_init(sender, &bus->pool, port != NULL ? port->address : IPC_NO_ADDRESS);
}
