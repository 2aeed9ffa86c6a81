/* SPDX-License-Identifier: Apache-2.0
 *
 * The pool: a list of free blocks through an array of numbers. All of it, the reference counts too, belongs to the
 * lock.
 */
#include "ipc_pool.h"
#include <assert.h>
#include <string.h>

enum { END_OF_LIST = 0xffff, IN_USE = 0xfffe };

static bool is_usable(const struct ipc_pool_memory *memory) {
    return memory != NULL && memory->storage != NULL && memory->blocks != NULL && memory->block_size > 0 &&
           memory->count > 0 && memory->count < IN_USE && memory->reserve < memory->count;
}

static void link_all(struct ipc_pool *pool) {
    uint16_t count = pool->memory.count;
    for (uint16_t i = 0; i < count; i++) {
        pool->memory.blocks[i].references = 0;
        pool->memory.blocks[i].next = (uint16_t)(i + 1 < count ? i + 1 : END_OF_LIST);
    }
    pool->first_free = 0;
    pool->free_count = count;
}

enum ipc_status ipc_pool_init(struct ipc_pool *pool, const struct ipc_pool_memory *memory) {
    if (pool == NULL || !is_usable(memory)) return IPC_INVALID;
    memset(pool, 0, sizeof *pool);
    enum os_status status = os_mutex_init(&pool->lock);
    if (status != OS_OK) return ipc_status_of(status);
    status = os_cond_init(&pool->returned);
    if (status != OS_OK) {
        os_mutex_destroy(&pool->lock);
        return ipc_status_of(status);
    }
    pool->memory = *memory;
    link_all(pool);
    return IPC_OK;
}

enum ipc_status ipc_pool_destroy(struct ipc_pool *pool) {
    if (pool == NULL) return IPC_INVALID;
    if (ipc_pool_free_count(pool) != pool->memory.count) return IPC_BUSY;
    os_cond_destroy(&pool->returned);
    os_mutex_destroy(&pool->lock);
    return IPC_OK;
}

void ipc_pool_close(struct ipc_pool *pool) {
    os_mutex_lock(&pool->lock);
    pool->closed = true;
    os_cond_broadcast(&pool->returned);
    os_mutex_unlock(&pool->lock);
}

/* With the lock held, as all functions below that do not take it. */
static bool has_block_for(const struct ipc_pool *pool, enum ipc_use use) {
    return pool->free_count > (use == IPC_USE_URGENT ? 0 : pool->memory.reserve);
}

static enum ipc_status await_block(struct ipc_pool *pool, enum ipc_use use, const struct os_deadline *deadline) {
    enum os_status waited = OS_OK;
    while (!pool->closed) {
        if (has_block_for(pool, use)) return IPC_OK;
        if (waited != OS_OK) return ipc_status_of_wait(deadline);
        IPC_COUNT(pool->statistics.waits);
        waited = os_cond_wait_until(&pool->returned, &pool->lock, deadline);
    }
    return IPC_CLOSED;
}

static void *unlink_first(struct ipc_pool *pool) {
    uint16_t index = pool->first_free;
    struct ipc_block *block = &pool->memory.blocks[index];
    assert(block->references == 0);
    pool->first_free = block->next;
    pool->free_count--;
    block->next = IN_USE;
    block->references = 1;
    IPC_COUNT(pool->statistics.taken);
    IPC_RAISE(pool->statistics.most_used, (uint16_t)(pool->memory.count - pool->free_count));
    return (unsigned char *)pool->memory.storage + index * pool->memory.block_size;
}

static void put_back(struct ipc_pool *pool, uint16_t index) {
    struct ipc_block *block = &pool->memory.blocks[index];
    assert(block->next == IN_USE);
    block->next = pool->first_free;
    pool->first_free = index;
    pool->free_count++;
    IPC_COUNT(pool->statistics.returned);
    /* Urgent and other threads wait for different numbers of blocks: one of them alone might be the wrong one. */
    os_cond_broadcast(&pool->returned);
}

enum ipc_status ipc_pool_take(struct ipc_pool *pool, enum ipc_use use, os_timeout timeout, void **block) {
    if (pool == NULL || block == NULL) return IPC_INVALID;
    struct os_deadline deadline = os_deadline_in(timeout);
    os_mutex_lock(&pool->lock);
    enum ipc_status status = await_block(pool, use, &deadline);
    if (status == IPC_OK)
        *block = unlink_first(pool);
    else
        IPC_COUNT(pool->statistics.failures);
    os_mutex_unlock(&pool->lock);
    return status;
}

/* What the pool is made of never changes, so no lock is needed. */
static uint16_t index_of(const struct ipc_pool *pool, const void *block) {
    size_t offset = (size_t)((const unsigned char *)block - (const unsigned char *)pool->memory.storage);
    assert(offset % pool->memory.block_size == 0 && offset / pool->memory.block_size < pool->memory.count);
    return (uint16_t)(offset / pool->memory.block_size);
}

void ipc_pool_retain(struct ipc_pool *pool, const void *block) {
    struct ipc_block *kept = &pool->memory.blocks[index_of(pool, block)];
    os_mutex_lock(&pool->lock);
    assert(kept->references > 0 && kept->references < UINT16_MAX);
    kept->references++;
    os_mutex_unlock(&pool->lock);
}

void ipc_pool_release(struct ipc_pool *pool, const void *block) {
    uint16_t index = index_of(pool, block);
    struct ipc_block *released = &pool->memory.blocks[index];
#ifdef IPC_BUG_UNLOCKED_RELEASE
    released->references--;
    os_mutex_lock(&pool->lock);
#else
    os_mutex_lock(&pool->lock);
    assert(released->references > 0);
    released->references--;
#endif
    if (released->references == 0) put_back(pool, index);
    os_mutex_unlock(&pool->lock);
}

unsigned ipc_pool_free_count(struct ipc_pool *pool) {
    os_mutex_lock(&pool->lock);
    unsigned count = pool->free_count;
    os_mutex_unlock(&pool->lock);
    return count;
}

void ipc_pool_statistics(struct ipc_pool *pool, struct ipc_pool_statistics *statistics) {
    os_mutex_lock(&pool->lock);
    *statistics = pool->statistics;
    os_mutex_unlock(&pool->lock);
}
