/* SPDX-License-Identifier: Apache-2.0
 *
 * A table of records of one size, each stored once: the same bytes always get the same number. It grows, never forgets,
 * and several processes may use it at the same time.
 */
#pragma once

#include <stdint.h>

typedef struct {
    uint32_t count;    /* numbers given out, from 1 on; 0 stands for no record */
    uint32_t capacity; /* of the index, a power of two */
    uint64_t *index;   /* hash in the upper half, number in the lower; 0: free */
    uint64_t index_bytes;
} TableShare;

typedef struct {
    uint32_t record_bytes; /* a multiple of 8 */
    uint32_t most;         /* records that fit into the room that was reserved */
    uint8_t *records;
    TableShare *share;
    uint64_t *index_room[2]; /* the index lies in one of them, and grows into the other */
    uint64_t index_room_bytes;
    uint32_t spare; /* a number that this process has taken and not used; 0: none */
    char padding[4];
} Table;

void table_create(Table *table, uint32_t record_bytes, uint64_t most);
uint32_t table_intern(Table *table, const void *record);
uint64_t table_bytes(const Table *table);

static inline const void *table_record(const Table *table, uint32_t number) {
    return table->records + (uint64_t)number * table->record_bytes;
}
