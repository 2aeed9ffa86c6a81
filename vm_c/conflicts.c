/* SPDX-License-Identifier: Apache-2.0
 *
 * Open addressing; short accesses are kept by words, long ones as they are.
 */
#include "conflicts.h"

#include <stdlib.h>

#include "footprint.h"

enum { FIRST_INDEX = 32 };

void conflicts_clear(Conflicts *conflicts) {
    if (conflicts->count > 0) memset(conflicts->index, 0, conflicts->index_size * sizeof *conflicts->index);
    conflicts->count = conflicts->range_count = 0;
    memset(conflicts->epochs, 1, sizeof conflicts->epochs);
}

void conflicts_release(Conflicts *conflicts) {
    free(conflicts->uses);
    free(conflicts->index);
    free(conflicts->ranges);
    *conflicts = (Conflicts){0};
}

uint64_t conflicts_bytes(const Conflicts *conflicts) {
    return conflicts->capacity * sizeof *conflicts->uses + conflicts->index_size * sizeof *conflicts->index +
           conflicts->range_capacity * sizeof *conflicts->ranges;
}

void conflicts_forget_last(Conflicts *conflicts, uint32_t thread) { conflicts->epochs[thread]++; }

static uint32_t slot_of(const Conflicts *conflicts, uint64_t word) {
    return (uint32_t)(word * 0x9e3779b97f4a7c15u >> 32) & (conflicts->index_size - 1);
}

static uint32_t next_slot(const Conflicts *conflicts, uint32_t slot) {
    return (slot + 1) & (conflicts->index_size - 1);
}

/* --- adding --- */

/* Where in the index the use of the word by the thread in this epoch is, or would be. */
static uint32_t *find_place(const Conflicts *conflicts, SequenceUse wanted) {
    uint32_t slot = slot_of(conflicts, wanted.word);
    for (; conflicts->index[slot] != 0; slot = next_slot(conflicts, slot)) {
        const SequenceUse *use = conflicts->uses + conflicts->index[slot] - 1;
        if (use->word == wanted.word && use->thread == wanted.thread && use->epoch == wanted.epoch) break;
    }
    return conflicts->index + slot;
}

/* At least half of the index is free. */
static void grow_index(Conflicts *conflicts) {
    free(conflicts->index);
    conflicts->index_size = conflicts->index_size == 0 ? FIRST_INDEX : 2 * conflicts->index_size;
    conflicts->index = sure(calloc(conflicts->index_size, sizeof *conflicts->index));
    for (uint32_t i = 0; i < conflicts->count; i++) *find_place(conflicts, conflicts->uses[i]) = i + 1;
}

static void add_word(Conflicts *conflicts, SequenceUse added) {
    if (2 * (conflicts->count + 1) > conflicts->index_size) grow_index(conflicts);
    uint32_t *place = find_place(conflicts, added);
    if (*place != 0) {
        SequenceUse *use = conflicts->uses + *place - 1;
        use->read |= added.read;
        use->written |= added.written;
        return;
    }
    conflicts->uses = with_room(conflicts->uses, conflicts->count, &conflicts->capacity, sizeof *conflicts->uses);
    conflicts->uses[conflicts->count++] = added;
    *place = conflicts->count;
}

void conflicts_add(Conflicts *conflicts, uint32_t thread, const VmAccess *access, int is_last) {
    uint8_t epoch = is_last ? conflicts->epochs[thread] : 0;
    int writes = (access->flags & ACCESS_WRITES) != 0;
    if (is_long(access)) {
        conflicts->ranges =
            with_room(conflicts->ranges, conflicts->range_count, &conflicts->range_capacity, sizeof *conflicts->ranges);
        conflicts->ranges[conflicts->range_count++] = (LongUse){*access, thread, epoch};
        return;
    }
    for (uint64_t word = access->start >> WORD_SHIFT; word <= last_word(access); word++) {
        uint8_t bytes = bytes_in(access, word);
        add_word(conflicts, (SequenceUse){.word = word,
                                          .thread = (uint8_t)thread,
                                          .epoch = epoch,
                                          .read = writes ? 0 : bytes,
                                          .written = writes ? bytes : 0});
    }
}

/* --- testing --- */

static Conflict kind_of(const Conflicts *conflicts, uint32_t thread, uint32_t epoch) {
    if (epoch == 0) return CONFLICTS_BEFORE;
    return epoch == conflicts->epochs[thread] ? CONFLICTS_WITH_LAST : INDEPENDENT;
}

static Conflict conflict_with_use(const Conflicts *conflicts, uint32_t thread, const VmAccess *access,
                                  const SequenceUse *use) {
    uint32_t others = access->flags & ACCESS_WRITES ? use->read | use->written : use->written;
    if (use->thread == thread || !(others & bytes_in(access, use->word))) return INDEPENDENT;
    return kind_of(conflicts, use->thread, use->epoch);
}

static Conflict conflict_in_word(const Conflicts *conflicts, uint32_t thread, const VmAccess *access, uint64_t word) {
    uint32_t slot = slot_of(conflicts, word);
    Conflict worst = INDEPENDENT;
    for (; conflicts->index[slot] != 0; slot = next_slot(conflicts, slot)) {
        const SequenceUse *use = conflicts->uses + conflicts->index[slot] - 1;
        if (use->word != word) continue;
        Conflict kind = conflict_with_use(conflicts, thread, access, use);
        if (kind > worst) worst = kind;
    }
    return worst;
}

/* The words of a long access are not gone through: those that others touch are fewer. */
static Conflict conflict_of_long(const Conflicts *conflicts, uint32_t thread, const VmAccess *access) {
    uint64_t first = access->start >> WORD_SHIFT, last = last_word(access);
    Conflict worst = INDEPENDENT;
    for (uint32_t i = 0; i < conflicts->count; i++) {
        const SequenceUse *use = conflicts->uses + i;
        if (use->word < first || use->word > last) continue;
        Conflict kind = conflict_with_use(conflicts, thread, access, use);
        if (kind > worst) worst = kind;
    }
    return worst;
}

static Conflict conflict_with_ranges(const Conflicts *conflicts, uint32_t thread, const VmAccess *access) {
    Conflict worst = INDEPENDENT;
    for (uint32_t i = 0; i < conflicts->range_count; i++) {
        const LongUse *use = conflicts->ranges + i;
        if (use->thread == thread || !accesses_conflict(&use->access, access)) continue;
        Conflict kind = kind_of(conflicts, use->thread, use->epoch);
        if (kind > worst) worst = kind;
    }
    return worst;
}

Conflict conflicts_with(const Conflicts *conflicts, uint32_t thread, const VmAccess *access) {
    Conflict worst = conflicts->range_count == 0 ? INDEPENDENT : conflict_with_ranges(conflicts, thread, access);
    if (conflicts->count == 0 || worst == CONFLICTS_BEFORE) return worst;
    if (is_long(access)) {
        Conflict kind = conflict_of_long(conflicts, thread, access);
        return kind > worst ? kind : worst;
    }
    for (uint64_t word = access->start >> WORD_SHIFT; word <= last_word(access); word++) {
        Conflict kind = conflict_in_word(conflicts, thread, access, word);
        if (kind > worst) worst = kind;
    }
    return worst;
}
