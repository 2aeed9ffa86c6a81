/* SPDX-License-Identifier: Apache-2.0
 *
 * Data races: two threads that are about to make accesses which conflict, and not both are atomic. What an atomic
 * section does is atomic.
 *
 * With supersteps it is enough to compare the last transitions of the threads' supersteps. Where two threads race, take
 * the way there from a state of the search and move to the front whatever supersteps are completed on it. What is left
 * are beginnings of supersteps, so that both accesses lie in supersteps of one state; and since they conflict, each is
 * in the last transition of its own. The other way round, all that comes before the last transitions is independent of
 * the other thread, so that both can be brought to their accesses. With smaller steps the next transitions are
 * compared.
 */
#include "superstep.h"

#include <stdlib.h>

int races_create(VmCheck *check) {
    uint32_t count = check->machine->image.code_count;
    check->lines = malloc((count + 1) * sizeof *check->lines);
    if (check->lines == NULL) return 0;
    for (uint32_t pc = 0; pc < count; pc++) check->lines[pc] = pc + 1;
    check->machine->lines = check->lines;
    return 1;
}

void races_destroy(VmCheck *check) {
    free(check->lines);
    free(check->races);
}

void check_lines(VmCheck *check, const uint32_t *lines, uint32_t count) {
    if (check->lines != NULL && count == check->machine->image.code_count)
        memcpy(check->lines, lines, count * sizeof *lines);
}

static VmRaceSide side_of(const StateTables *tables, uint32_t thread, const VmAccess *access) {
    const ThreadTable *table = tables->threads + thread;
    VmRaceSide side = {.thread = thread, .choice = access->flags >> ACCESS_CHOICE_SHIFT, .line = access->line};
    if (table->known != 0) side.transitions = table->lengths[side.choice] - 1;
    side.writes = (access->flags & ACCESS_WRITES) != 0;
    side.is_atomic = (access->flags & ACCESS_IS_ATOMIC) != 0;
    return side;
}

static int is_known(const VmCheck *check, const VmAccess *one, const VmAccess *other) {
    for (uint32_t i = 0; i < check->race_count; i++) {
        uint32_t first = check->races[i].sides[0].line, second = check->races[i].sides[1].line;
        if ((first == one->line && second == other->line) || (first == other->line && second == one->line)) return 1;
    }
    return 0;
}

/* The access is not atomic. Of two such ones the pair is found when it is the turn of the thread with the lower number.
 */
static void find_races_of(VmCheck *check, const StateTables *tables, uint32_t thread, const VmAccess *access) {
    for (uint32_t other = 0; other < check->machine->limits.max_threads; other++) {
        const ThreadTable *table = tables->threads + other;
        for (uint32_t i = 0; i < table->last_count && other != thread; i++) {
            const VmAccess *theirs = table->last + i;
            if (!(theirs->flags & ACCESS_IS_DATA) || !accesses_conflict(access, theirs)) continue;
            if (!(theirs->flags & ACCESS_IS_ATOMIC) && other < thread) continue;
            if (is_known(check, access, theirs)) continue;
            check->races = with_room(check->races, check->race_count, &check->race_capacity, sizeof *check->races);
            check->races[check->race_count++] =
                (VmRace){{side_of(tables, thread, access), side_of(tables, other, theirs)}};
        }
    }
}

uint32_t check_races(VmCheck *check, int only_pending) {
    check->race_count = 0;
    if (!check->finds_races || check->machine->header->status != PROCESS_RUNNING) return 0;
    for (uint32_t i = 0; i < check->property_count; i++) property_update(check->properties + i, check->machine);
    check_go_back_here(check);
    const StateTables *tables = superstep_tables(check, check->takes_supersteps && !only_pending);
    for (uint32_t thread = 0; thread < check->machine->limits.max_threads; thread++) {
        const ThreadTable *table = tables->threads + thread;
        for (uint32_t i = 0; i < table->last_count; i++) {
            if ((table->last[i].flags & (ACCESS_IS_DATA | ACCESS_IS_ATOMIC)) == ACCESS_IS_DATA)
                find_races_of(check, tables, thread, table->last + i);
        }
    }
    return check->race_count;
}

const VmRace *check_race(const VmCheck *check, uint32_t number) {
    return number < check->race_count ? check->races + number : NULL;
}

void check_approach(VmCheck *check, uint32_t thread, uint32_t choice, uint32_t transitions) {
    check->instructions = 0;
    for (uint32_t i = 0; i < transitions; i++) check_transition(check, thread, i == 0 ? &choice : NULL);
    check->machine->executed = check->instructions;
}
