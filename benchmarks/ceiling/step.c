/* SPDX-License-Identifier: Apache-2.0
 *
 * The step of the ceiling's verifier: a counter in the record of a thread goes up by one, and nothing else changes.
 * These functions take the place of the machine's own in a verifier that is otherwise the same: SPIN, the driver,
 * vm_c/search and its store. benchmarks/ceiling/check.py builds it; the machine's definitions become weak there.
 */
#include "check.h"

typedef struct {
    uint8_t threads, top;
} Sizes; /* as in counters.c */

static const Sizes *sizes_of(const VmCheck *check) {
    static const Sizes *found;
    const VmImage *image = &check->machine->image;
    uint32_t object = 0;
    if (found != NULL) return found;
    while (strcmp(image->strings + image->objects[object].name, "sizes") != 0) object++;
    return found = (const Sizes *)(image->constants + image->objects[object].start);
}

static uint16_t *counter_of(const VmCheck *check, uint32_t thread) {
    return &check->machine->threads[thread].choice_start; /* a number that nobody else uses */
}

void check_step(VmCheck *check, uint32_t thread, uint32_t choice) {
    (void)choice;
    ++*counter_of(check, thread);
    note_thread(check->machine, thread);
    check->instructions = check->transitions = 1;
}

uint32_t check_moves(const VmCheck *check, uint32_t thread) {
    const Sizes *sizes = sizes_of(check);
    return thread < sizes->threads && *counter_of(check, thread) < sizes->top;
}

VmOutcome check_outcome(const VmCheck *check) {
    uint32_t threads = sizes_of(check)->threads;
    for (uint32_t thread = 0; thread < threads; thread++) {
        if (check_moves(check, thread) > 0) return OUTCOME_RUNNING;
    }
    return OUTCOME_DONE;
}

uint32_t check_propositions(VmCheck *check) {
    (void)check;
    return 0;
}

int check_is_cut(const VmCheck *check) {
    (void)check;
    return 0;
}

int check_is_blocked(const VmCheck *check, uint32_t thread) {
    (void)check, (void)thread;
    return 0;
}

void check_identify(VmCheck *check, uint64_t slot, const void *identity, size_t size) {
    (void)check, (void)slot, (void)identity, (void)size;
}
