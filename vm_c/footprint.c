/* SPDX-License-Identifier: Apache-2.0
 *
 * Footprints: few words are looked at one by one, many are found by a hash, and long accesses are kept as they are.
 */
#include "footprint.h"

#include <stdlib.h>

enum { FEW = 12, FIRST_CAPACITY = 8 };

#define HASH_FACTOR 0x9e3779b97f4a7c15u

void *sure(void *memory) {
    if (memory == NULL) abort();
    return memory;
}

void *with_room(void *array, uint32_t count, uint32_t *capacity, size_t element) {
    if (count < *capacity) return array;
    uint32_t before = *capacity;
    *capacity = before == 0 ? FIRST_CAPACITY : 2 * before;
    array = sure(realloc(array, *capacity * element));
    memset((uint8_t *)array + before * element, 0, (*capacity - before) * element);
    return array;
}

void footprint_clear(Footprint *footprint) {
    if (footprint->is_indexed) memset(footprint->index, 0, footprint->index_size * sizeof *footprint->index);
    footprint->is_indexed = 0;
    footprint->count = footprint->range_count = 0;
    footprint->read_filter = footprint->write_filter = 0;
}

void footprint_release(Footprint *footprint) {
    free(footprint->uses);
    free(footprint->index);
    free(footprint->ranges);
    *footprint = (Footprint){0};
}

static uint64_t filter_bit(uint64_t word) { return (uint64_t)1 << (word * HASH_FACTOR >> 58); }

/* Where in the index the word is, or would be. The size is a power of two, and at least half of it is free. */
static uint32_t *index_place(const Footprint *footprint, uint64_t word) {
    uint32_t mask = footprint->index_size - 1, place = (uint32_t)(word * HASH_FACTOR >> 32) & mask;
    while (footprint->index[place] != 0 && footprint->uses[footprint->index[place] - 1].word != word)
        place = (place + 1) & mask;
    return footprint->index + place;
}

static void make_index(Footprint *footprint) {
    if (footprint->index_size < 2 * footprint->capacity) {
        free(footprint->index);
        footprint->index_size = 2 * footprint->capacity;
        footprint->index = sure(calloc(footprint->index_size, sizeof *footprint->index));
    }
    for (uint32_t i = 0; i < footprint->count; i++) *index_place(footprint, footprint->uses[i].word) = i + 1;
    footprint->is_indexed = 1;
}

static WordUse *find(const Footprint *footprint, uint64_t word) {
    if (footprint->is_indexed) {
        uint32_t number = *index_place(footprint, word);
        return number == 0 ? NULL : footprint->uses + number - 1;
    }
    for (uint32_t i = 0; i < footprint->count; i++) {
        if (footprint->uses[i].word == word) return footprint->uses + i;
    }
    return NULL;
}

static WordUse *find_or_add(Footprint *footprint, uint64_t word) {
    WordUse *use = find(footprint, word);
    if (use != NULL) return use;
    uint32_t capacity = footprint->capacity;
    footprint->uses = with_room(footprint->uses, footprint->count, &footprint->capacity, sizeof *footprint->uses);
    use = footprint->uses + footprint->count++;
    *use = (WordUse){.word = word};
    if (footprint->is_indexed && capacity == footprint->capacity)
        *index_place(footprint, word) = footprint->count;
    else if (footprint->count > FEW)
        make_index(footprint);
    return use;
}

static void add_range(Footprint *footprint, const VmAccess *access) {
    footprint->ranges =
        with_room(footprint->ranges, footprint->range_count, &footprint->range_capacity, sizeof *footprint->ranges);
    footprint->ranges[footprint->range_count++] = *access;
    footprint->read_filter = UINT64_MAX;
    if (access->flags & ACCESS_WRITES) footprint->write_filter = UINT64_MAX;
}

void footprint_add(Footprint *footprint, const VmAccess *access) {
    int writes = (access->flags & ACCESS_WRITES) != 0;
    if (is_long(access)) {
        add_range(footprint, access);
        return;
    }
    for (uint64_t word = access->start >> WORD_SHIFT; word <= last_word(access); word++) {
        WordUse *use = find_or_add(footprint, word);
        *(writes ? &use->written : &use->read) |= bytes_in(access, word);
        footprint->read_filter |= filter_bit(word);
        if (writes) footprint->write_filter |= filter_bit(word);
    }
}

static int use_conflicts(const WordUse *use, const VmAccess *access) {
    uint32_t others = access->flags & ACCESS_WRITES ? use->read | use->written : use->written;
    return (others & bytes_in(access, use->word)) != 0;
}

static int long_access_conflicts(const Footprint *footprint, const VmAccess *access) {
    uint64_t first = access->start >> WORD_SHIFT, last = last_word(access);
    for (uint32_t i = 0; i < footprint->count; i++) {
        const WordUse *use = footprint->uses + i;
        if (use->word >= first && use->word <= last && use_conflicts(use, access)) return 1;
    }
    return 0;
}

int footprint_conflicts(const Footprint *footprint, const VmAccess *access) {
    uint64_t filter = access->flags & ACCESS_WRITES ? footprint->read_filter : footprint->write_filter;
    if (filter == 0) return 0;
    for (uint32_t i = 0; i < footprint->range_count; i++) {
        if (accesses_conflict(footprint->ranges + i, access)) return 1;
    }
    if (is_long(access)) return long_access_conflicts(footprint, access);
    for (uint64_t word = access->start >> WORD_SHIFT; word <= last_word(access); word++) {
        if (!(filter & filter_bit(word))) continue;
        const WordUse *use = find(footprint, word);
        if (use != NULL && use_conflicts(use, access)) return 1;
    }
    return 0;
}
