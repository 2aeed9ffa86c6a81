/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of ports. Its lock is held for looking things up and for counting references, not while ports are closed or
 * emptied: those take other locks.
 */
#include "ipc_registry.h"
#include <assert.h>
#include <string.h>

enum { PLACE_BITS = 8, PLACE_MASK = 0xff };

enum ipc_status ipc_registry_init(struct ipc_registry *registry) {
    if (registry == NULL) return IPC_INVALID;
    memset(registry, 0, sizeof *registry);
    enum os_status status = os_mutex_init(&registry->lock);
    if (status != OS_OK) return ipc_status_of(status);
    status = os_cond_init(&registry->opened);
    if (status != OS_OK) os_mutex_destroy(&registry->lock);
    return ipc_status_of(status);
}

bool ipc_registry_is_empty(struct ipc_registry *registry) {
    bool empty = true;
    os_mutex_lock(&registry->lock);
    for (unsigned i = 0; i < IPC_PORTS; i++) empty = empty && registry->entries[i].state == IPC_ENTRY_FREE;
    os_mutex_unlock(&registry->lock);
    return empty;
}

enum ipc_status ipc_registry_destroy(struct ipc_registry *registry) {
    if (registry == NULL) return IPC_INVALID;
    if (!ipc_registry_is_empty(registry)) return IPC_BUSY;
    os_cond_destroy(&registry->opened);
    os_mutex_destroy(&registry->lock);
    return IPC_OK;
}

static bool is_name(const char *name) {
    if (name == NULL || name[0] == '\0') return false;
    return memchr(name, '\0', IPC_NAME_BYTES) != NULL;
}

/* Place 0 has number 1, since address 0 is nobody's. */
static ipc_address address_of(unsigned place, uint8_t generation) {
    return (ipc_address)((unsigned)generation << PLACE_BITS | (place + 1));
}

static struct ipc_entry *entry_of(struct ipc_registry *registry, const struct ipc_port *port) {
    return &registry->entries[(port->address & PLACE_MASK) - 1u];
}

/* With the lock held, as the functions below that do not take it. */
static struct ipc_port *retain(struct ipc_entry *entry) {
    assert(entry->state == IPC_ENTRY_OPEN && entry->references > 0);
    entry->references++;
    return &entry->port;
}

static struct ipc_entry *find_open(struct ipc_registry *registry, const char *name) {
    for (unsigned i = 0; i < IPC_PORTS; i++) {
        struct ipc_entry *entry = &registry->entries[i];
        if (entry->state == IPC_ENTRY_OPEN && strcmp(entry->name, name) == 0) return entry;
    }
    return NULL;
}

static struct ipc_entry *find_free(struct ipc_registry *registry) {
    for (unsigned i = 0; i < IPC_PORTS; i++)
        if (registry->entries[i].state == IPC_ENTRY_FREE) return &registry->entries[i];
    return NULL;
}

static enum ipc_status add_entry(struct ipc_registry *registry, const char *name,
                                 const struct ipc_port_attributes *attributes, struct ipc_port **port) {
    if (registry->closed) return IPC_CLOSED;
    if (find_open(registry, name) != NULL) return IPC_EXISTS;
    struct ipc_entry *entry = find_free(registry);
    if (entry == NULL) return IPC_NO_SLOT;
    ipc_address address = address_of((unsigned)(entry - registry->entries), entry->generation);
    enum ipc_status status = ipc_port_init(&entry->port, address, attributes);
    if (status != IPC_OK) return status;
    strcpy(entry->name, name);
    entry->generation++;
    entry->references = 1;
    entry->state = IPC_ENTRY_OPEN;
    *port = &entry->port;
    os_cond_broadcast(&registry->opened);
    return IPC_OK;
}

enum ipc_status ipc_registry_open(struct ipc_registry *registry, const char *name,
                                  const struct ipc_port_attributes *attributes, struct ipc_port **port) {
    if (registry == NULL || port == NULL || !is_name(name)) return IPC_INVALID;
    os_mutex_lock(&registry->lock);
    enum ipc_status status = add_entry(registry, name, attributes, port);
    os_mutex_unlock(&registry->lock);
    return status;
}

static enum ipc_status await_entry(struct ipc_registry *registry, const char *name, const struct os_deadline *deadline,
                                   struct ipc_port **port) {
    enum os_status waited = OS_OK;
    while (!registry->closed) {
        struct ipc_entry *entry = find_open(registry, name);
        if (entry != NULL) {
            *port = retain(entry);
            return IPC_OK;
        }
        if (waited != OS_OK) return IPC_NOT_FOUND;
        waited = os_cond_wait_until(&registry->opened, &registry->lock, deadline);
    }
    return IPC_CLOSED;
}

enum ipc_status ipc_registry_find(struct ipc_registry *registry, const char *name, os_timeout timeout,
                                  struct ipc_port **port) {
    if (registry == NULL || port == NULL || !is_name(name)) return IPC_INVALID;
    struct os_deadline deadline = os_deadline_in(timeout);
    os_mutex_lock(&registry->lock);
    enum ipc_status status = await_entry(registry, name, &deadline, port);
    os_mutex_unlock(&registry->lock);
    return status;
}

enum ipc_status ipc_registry_resolve(struct ipc_registry *registry, ipc_address address, struct ipc_port **port) {
    unsigned number = address & PLACE_MASK;
    if (registry == NULL || port == NULL || number == 0 || number > IPC_PORTS) return IPC_INVALID;
    struct ipc_entry *entry = &registry->entries[number - 1];
    enum ipc_status status = IPC_NOT_FOUND;
    os_mutex_lock(&registry->lock);
    if (entry->state == IPC_ENTRY_OPEN && entry->port.address == address) {
        *port = retain(entry);
        status = IPC_OK;
    }
    os_mutex_unlock(&registry->lock);
    return status;
}

/* Whether it was the last reference. The place stays taken then, until the port in it has been destroyed. */
static bool drop_reference(struct ipc_registry *registry, struct ipc_entry *entry) {
    os_mutex_lock(&registry->lock);
    assert(entry->state == IPC_ENTRY_OPEN && entry->references > 0);
    bool last = --entry->references == 0;
    if (last) entry->state = IPC_ENTRY_LEAVING;
    os_mutex_unlock(&registry->lock);
    return last;
}

void ipc_registry_drop(struct ipc_registry *registry, struct ipc_port *port) {
    if (registry == NULL || port == NULL) return;
    struct ipc_entry *entry = entry_of(registry, port);
    if (!drop_reference(registry, entry)) return;
    ipc_port_destroy(port);
    os_mutex_lock(&registry->lock);
    entry->state = IPC_ENTRY_FREE;
    os_mutex_unlock(&registry->lock);
}

enum ipc_status ipc_registry_visit(struct ipc_registry *registry, unsigned place, struct ipc_port **port,
                                   char name[IPC_NAME_BYTES]) {
    if (registry == NULL || port == NULL || place >= IPC_PORTS) return IPC_INVALID;
    struct ipc_entry *entry = &registry->entries[place];
    enum ipc_status status = IPC_NOT_FOUND;
    os_mutex_lock(&registry->lock);
    if (entry->state == IPC_ENTRY_OPEN) {
        *port = retain(entry);
        strcpy(name, entry->name);
        status = IPC_OK;
    }
    os_mutex_unlock(&registry->lock);
    return status;
}

void ipc_registry_close(struct ipc_registry *registry, enum ipc_close_mode mode) {
    os_mutex_lock(&registry->lock);
    registry->closed = true;
    os_cond_broadcast(&registry->opened);
    os_mutex_unlock(&registry->lock);
    for (unsigned place = 0; place < IPC_PORTS; place++) {
        struct ipc_port *port = NULL;
        char name[IPC_NAME_BYTES];
        if (ipc_registry_visit(registry, place, &port, name) != IPC_OK) continue;
        ipc_port_close(port, mode);
        ipc_registry_drop(registry, port);
    }
}
