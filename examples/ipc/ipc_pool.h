/* SPDX-License-Identifier: Apache-2.0
 *
 * A pool of blocks of one size with reference counts, in memory that the caller provides. Some blocks can be kept back
 * for urgent use, so that what must get through still does when the rest of the system has used up everything else.
 */
#ifndef IPC_POOL_H
#define IPC_POOL_H

#include "ipc_config.h"
#include "ipc_status.h"
#include <stddef.h>

/* The bookkeeping of a block is apart from the block: who writes beyond a block or too late does not break the pool. */
struct ipc_block {
    uint16_t next;
    uint16_t references;
};

struct ipc_pool_memory {
    void *storage; /* count blocks of block_size bytes, aligned for what they will hold */
    struct ipc_block *blocks;
    size_t block_size;
    uint16_t count;
    uint16_t reserve;
};

struct ipc_pool_statistics {
    uint32_t taken;
    uint32_t returned;
    uint32_t waits;
    uint32_t failures;
    uint16_t most_used;
};

struct ipc_pool {
    struct os_mutex lock;
    struct os_cond returned;
    struct ipc_pool_memory memory;
    uint16_t first_free;
    uint16_t free_count;
    bool closed;
    struct ipc_pool_statistics statistics;
};

enum ipc_use { IPC_USE_NORMAL, IPC_USE_URGENT };

enum ipc_status ipc_pool_init(struct ipc_pool *pool, const struct ipc_pool_memory *memory);
/* IPC_BUSY, and nothing has happened, while blocks are in use. */
enum ipc_status ipc_pool_destroy(struct ipc_pool *pool);
/* Nobody gets a block any more, and nobody waits for one. */
void ipc_pool_close(struct ipc_pool *pool);

/* A block with one reference. */
enum ipc_status ipc_pool_take(struct ipc_pool *pool, enum ipc_use use, os_timeout timeout, void **block);
/* Only who has a reference may make another or give one up. */
void ipc_pool_retain(struct ipc_pool *pool, const void *block);
void ipc_pool_release(struct ipc_pool *pool, const void *block);

unsigned ipc_pool_free_count(struct ipc_pool *pool);
void ipc_pool_statistics(struct ipc_pool *pool, struct ipc_pool_statistics *statistics);

#endif
