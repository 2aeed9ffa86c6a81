/* SPDX-License-Identifier: Apache-2.0
 *
 * All that differs between two states must be in the number: the driver is always at the same place when SPIN asks
 * (safety.pml), and nothing else is matched. The one state before the set-up has no number, and SPIN has stored it
 * in its own way by then.
 */
#include "visited.h"

#ifdef PAN_VISITED
#include "pancam.h"
#include "shared.h"

extern int (*b_store)(char *state, int size); /* SPIN's own: whether the state was there already */

static uint64_t *bits;

void visited_create(uint64_t most_states) { bits = search_map((most_states / 64 + 1) * sizeof *bits); }

static int visit(char *state, int size) {
    uint64_t *word = bits + pan_tracked / 64, bit = (uint64_t)1 << pan_tracked % 64;
    (void)state, (void)size;
    if (pan_shared->several) return (__atomic_fetch_or(word, bit, __ATOMIC_RELAXED) & bit) != 0;
    int was_there = (*word & bit) != 0;
    *word |= bit;
    return was_there;
}

void visited_serve(void) { b_store = visit; }
#else
void visited_create(uint64_t most_states) { (void)most_states; }

void visited_serve(void) {}
#endif
