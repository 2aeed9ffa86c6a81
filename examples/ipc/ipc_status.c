/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of the answers, and how those of the operating system become the module's.
 */
#include "ipc_status.h"
#include <stddef.h>

static const char *const names[IPC_STATUS_COUNT] = {
    [IPC_OK] = "ok",
    [IPC_TIMEOUT] = "timeout",
    [IPC_WOULD_BLOCK] = "would block",
    [IPC_FULL] = "full",
    [IPC_CLOSED] = "closed",
    [IPC_NO_SLOT] = "no slot",
    [IPC_NOT_FOUND] = "not found",
    [IPC_EXISTS] = "exists",
    [IPC_TOO_LARGE] = "too large",
    [IPC_CORRUPT] = "corrupt",
    [IPC_STALE] = "stale",
    [IPC_REFUSED] = "refused",
    [IPC_BUSY] = "busy",
    [IPC_INVALID] = "invalid",
};

const char *ipc_status_name(enum ipc_status status) {
    return (unsigned)status < IPC_STATUS_COUNT ? names[status] : "unknown";
}

enum ipc_status ipc_status_of(enum os_status status) {
    switch (status) {
    case OS_OK: return IPC_OK;
    case OS_TIMEOUT: return IPC_TIMEOUT;
    case OS_BUSY: return IPC_BUSY;
    case OS_NO_RESOURCES: return IPC_NO_SLOT;
    case OS_INVALID: break;
    }
    return IPC_INVALID;
}

enum ipc_status ipc_status_of_wait(const struct os_deadline *deadline) {
    return deadline->kind == OS_DEADLINE_PASSED ? IPC_WOULD_BLOCK : IPC_TIMEOUT;
}
