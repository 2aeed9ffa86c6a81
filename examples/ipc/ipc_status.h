/* SPDX-License-Identifier: Apache-2.0
 *
 * What the functions of the module answer.
 */
#ifndef IPC_STATUS_H
#define IPC_STATUS_H

#include "os.h"

enum ipc_status {
    IPC_OK,
    IPC_TIMEOUT,     /* waited as long as was allowed */
    IPC_WOULD_BLOCK, /* was not allowed to wait */
    IPC_FULL,        /* the port rejects what it has no place for */
    IPC_CLOSED,
    IPC_NO_SLOT, /* a table of fixed size is full */
    IPC_NOT_FOUND,
    IPC_EXISTS,
    IPC_TOO_LARGE,
    IPC_CORRUPT,
    IPC_STALE,   /* nobody waits for this reply any more */
    IPC_REFUSED, /* the service has no answer to this request */
    IPC_BUSY,
    IPC_INVALID,
    IPC_STATUS_COUNT
};

const char *ipc_status_name(enum ipc_status status);
enum ipc_status ipc_status_of(enum os_status status);

/* What a wait without success answers. */
enum ipc_status ipc_status_of_wait(const struct os_deadline *deadline);

#endif
