/* SPDX-License-Identifier: Apache-2.0
 *
 * Places get numbers: the bytes of a place, cut into pieces, are a chain of records in a table, and the number of the
 * last one is that of the place. With each goes the fewest preemptions that it was reached with. The count of places
 * that matter is kept up to date in the record of progress; processes that search together keep it together.
 */
#include "bound.h"

#include <string.h>

#include "shared.h"
#include "table.h"

enum { PIECE_BYTES = 24 };

typedef struct {
    uint32_t before; /* number of the record with the piece before; 0: this is the first */
    uint32_t last_mover;
    uint8_t piece[PIECE_BYTES];
} PlacePart;

static Table places;
/* Of each number: 2 * (1 + preemptions), and 1 more if the place counts; 0: not a whole place, or not reached yet. */
static uint32_t *fewest;
static uint32_t most;

void bound_create(uint32_t most_preemptions, uint64_t memory_limit) {
    table_create(&places, sizeof(PlacePart), memory_limit / (sizeof(PlacePart) + sizeof *fewest));
    fewest = search_map((places.most + 1ull) * sizeof *fewest);
    most = most_preemptions;
}

static uint32_t number_of(const uint8_t *identity, size_t size, uint32_t last_mover) {
    uint32_t number = 0;
    for (size_t start = 0; start < size; start += PIECE_BYTES) {
        PlacePart part = {.before = number, .last_mover = last_mover};
        memcpy(part.piece, identity + start, size - start < PIECE_BYTES ? size - start : PIECE_BYTES);
        number = table_intern(&places, &part);
    }
    return number;
}

void bound_note(const void *identity, size_t size, uint32_t last_mover, uint32_t preemptions, int would_refuse) {
    uint32_t *known = fewest + number_of(identity, size, last_mover);
    uint32_t before = __atomic_load_n(known, __ATOMIC_RELAXED);
    uint32_t now = 2 * (preemptions + 1) + (preemptions == most && would_refuse);
    do {
        if (before != 0 && before / 2 <= now / 2) return;
    } while (!__atomic_compare_exchange_n(known, &before, now, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    __atomic_fetch_add(&pan_progress->process[0].refused, (uint64_t)(now & 1) - (before & 1), __ATOMIC_RELAXED);
}
