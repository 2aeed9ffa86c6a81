/* SPDX-License-Identifier: Apache-2.0
 *
 * Open addressing over an append-only array of records. A record is written first and then published with one
 * compare-and-swap in the index, so that readers need no lock. Growing the index needs the table alone: every process
 * raises a flag of its own around an operation, and whoever grows the index waits until all other flags are down.
 */
#define _GNU_SOURCE
#include "table.h"

#include <string.h>
#include <sys/mman.h>

#include "shared.h"

/* The index has at most 2^31 slots. */
#define MOST_RECORDS 1300000000u
#define SMALL_BYTES ((uint64_t)4 << 20)
enum { FIRST_CAPACITY = 1 << 12, INDEX_LOAD_NUMERATOR = 5, INDEX_LOAD_DENOMINATOR = 8 };

/* Tables are looked up at random places, each of which would cost a walk through the page tables, too. Small ones stay
 * small. It is only advice. */
static void wish_large_pages(void *start, uint64_t bytes) {
#ifdef MADV_HUGEPAGE
    if (bytes > SMALL_BYTES) madvise((uint8_t *)start + SMALL_BYTES, bytes - SMALL_BYTES, MADV_HUGEPAGE);
#else
    (void)start, (void)bytes;
#endif
}

void table_create(Table *table, uint32_t record_bytes, uint64_t most) {
    uint64_t capacity = FIRST_CAPACITY;
    memset(table, 0, sizeof *table);
    if (most > MOST_RECORDS) most = MOST_RECORDS;
    while (capacity * INDEX_LOAD_NUMERATOR / INDEX_LOAD_DENOMINATOR <= most + MOST_PROCESSES) capacity *= 2;
    table->record_bytes = record_bytes;
    table->most = (uint32_t)most;
    table->records = search_map((most + 1) * record_bytes);
    wish_large_pages(table->records, (most + 1) * record_bytes);
    table->share = search_map(sizeof *table->share);
    table->index_room_bytes = capacity * sizeof(uint64_t);
    for (int i = 0; i < 2; i++) {
        table->index_room[i] = search_map(table->index_room_bytes);
        wish_large_pages(table->index_room[i], table->index_room_bytes);
    }
    table->share->capacity = FIRST_CAPACITY;
    table->share->index = table->index_room[0];
}

uint64_t table_bytes(const Table *table) {
    return (uint64_t)table->share->count * table->record_bytes + (uint64_t)table->share->capacity * sizeof(uint64_t);
}

static uint64_t mix(uint64_t word, uint64_t hash, uint64_t factor) {
    unsigned __int128 product = (unsigned __int128)(word ^ hash) * factor;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Two chains, since each multiplication waits for the one before it. */
static uint64_t hash_record(const uint64_t *words, uint32_t count) {
    uint64_t one = 0x9e3779b97f4a7c15u, other = 0xc2b2ae3d27d4eb4fu;
    uint32_t i = 0;
    for (; i + 1 < count; i += 2) {
        one = mix(words[i], one, 0xd1342543de82ef95u) + i;
        other = mix(words[i + 1], other, 0xaef17502108ef2d9u) + i;
    }
    if (i < count) one = mix(words[i], one, 0xd1342543de82ef95u);
    return mix(one, other, 0xbf58476d1ce4e5b9u);
}

static int is_same(const uint64_t *record, const uint64_t *words, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (record[i] != words[i]) return 0;
    }
    return 1;
}

static void begin(void) {
    if (!pan_shared->several) return;
    ProcessFlag *own = pan_shared->flags + search_process();
    for (;;) {
        __atomic_store_n(&own->busy, 1, __ATOMIC_SEQ_CST);
        if (!__atomic_load_n(&pan_shared->resizing, __ATOMIC_SEQ_CST)) return;
        __atomic_store_n(&own->busy, 0, __ATOMIC_SEQ_CST);
        while (__atomic_load_n(&pan_shared->resizing, __ATOMIC_SEQ_CST)) __builtin_ia32_pause();
    }
}

static void end(void) {
    if (pan_shared->several) __atomic_store_n(&pan_shared->flags[search_process()].busy, 0, __ATOMIC_RELEASE);
}

static uint64_t make_entry(uint64_t hash, uint32_t number) { return (hash & 0xffffffff00000000u) | number; }

static void rebuild(Table *table, uint32_t capacity) {
    TableShare *share = table->share;
    uint64_t *old = share->index, *new = old == table->index_room[0] ? table->index_room[1] : table->index_room[0];
    uint32_t words = table->record_bytes / 8;
    for (uint32_t i = 0; i < share->capacity; i++) {
        uint32_t number = (uint32_t)old[i];
        if (number == 0) continue;
        uint64_t hash = hash_record(table_record(table, number), words);
        uint32_t slot = (uint32_t)hash & (capacity - 1);
        while (new[slot] != 0) slot = (slot + 1) & (capacity - 1);
        new[slot] = make_entry(hash, number);
    }
    madvise(old, share->capacity * sizeof *old, pan_shared->several ? MADV_REMOVE : MADV_DONTNEED);
    share->index = new;
    share->capacity = capacity;
}

/* Outside any operation. Whoever else had the same idea finds the work done. */
static void grow(Table *table, uint32_t seen_capacity) {
    if (pan_shared->several) {
        uint32_t self = search_process();
        while (__atomic_exchange_n(&pan_shared->resizing, 1, __ATOMIC_SEQ_CST)) __builtin_ia32_pause();
        for (uint32_t other = 0; other < MOST_PROCESSES; other++) {
            while (other != self && __atomic_load_n(&pan_shared->flags[other].busy, __ATOMIC_SEQ_CST))
                __builtin_ia32_pause();
        }
    }
    if (table->share->capacity == seen_capacity) rebuild(table, 2 * seen_capacity);
    if (pan_shared->several) __atomic_store_n(&pan_shared->resizing, 0, __ATOMIC_SEQ_CST);
}

static uint32_t take_number(Table *table) {
    uint32_t number = table->spare;
    table->spare = 0;
    if (number != 0) return number;
    number = 1 + __atomic_fetch_add(&table->share->count, 1, __ATOMIC_RELAXED);
    if (number > table->most) search_stop(PAN_STOP_MEMORY);
    return number;
}

/* The number of the record if it is there, or is put there now; 0: another process took the slot just before. */
static uint32_t probe(Table *table, const uint64_t *words, uint64_t hash) {
    TableShare *share = table->share;
    uint64_t *index = share->index;
    uint32_t slot = (uint32_t)hash & (share->capacity - 1);
    for (;; slot = (slot + 1) & (share->capacity - 1)) {
        uint64_t entry = __atomic_load_n(index + slot, __ATOMIC_ACQUIRE);
        if (entry == 0) break;
        if ((entry ^ hash) >> 32 == 0 && is_same(table_record(table, (uint32_t)entry), words, table->record_bytes / 8))
            return (uint32_t)entry;
    }
    uint32_t number = take_number(table);
    uint64_t free_slot = 0;
    memcpy(table->records + (uint64_t)number * table->record_bytes, words, table->record_bytes);
    if (__atomic_compare_exchange_n(index + slot, &free_slot, make_entry(hash, number), 0, __ATOMIC_RELEASE,
                                    __ATOMIC_RELAXED))
        return number;
    table->spare = number;
    return 0;
}

uint32_t table_intern(Table *table, const void *record) {
    uint64_t hash = hash_record(record, table->record_bytes / 8);
    uint32_t number = 0, capacity;
    do {
        begin();
        capacity = table->share->capacity;
        if ((uint64_t)table->share->count + MOST_PROCESSES <
            (uint64_t)capacity * INDEX_LOAD_NUMERATOR / INDEX_LOAD_DENOMINATOR)
            number = probe(table, record, hash);
        else
            number = UINT32_MAX; /* too full */
        end();
        if (number == UINT32_MAX) grow(table, capacity);
    } while (number == 0 || number == UINT32_MAX);
    return number;
}
