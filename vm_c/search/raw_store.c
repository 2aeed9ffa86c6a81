/* SPDX-License-Identifier: Apache-2.0
 *
 * The raw store: SPIN tracks the packed state itself, with the summary in front of it, in a buffer whose size is fixed
 * when the verifier is compiled. A state that does not fit stops the search.
 */
#include "pancam.h"
#include "shared.h"
#include "store.h"

enum { MOST_THREADS = 64 };

typedef struct {
    uint32_t size; /* of the packed state; 0: there is none yet */
    StateSummary summary;
    uint8_t more_moves[MOST_THREADS - 1], padding;
} RawHead;
_Static_assert(sizeof(RawHead) == PAN_RAW_HEAD_BYTES, "the driver reserves room for the summary");

uint8_t pan_tracked[PAN_RAW_HEAD_BYTES + PAN_STATE_BYTES];

static uint8_t loaded[sizeof pan_tracked]; /* what the machine is in */

static RawHead *head_of(uint8_t *state) { return (RawHead *)(void *)state; }

void store_create(VmCheck *check, uint64_t memory_limit) {
    (void)check;
    (void)memory_limit;
}

void store_touch(VmCheck *check) { (void)check; }

void store_save(VmCheck *check) {
    const VmMachine *machine = check->machine;
    RawHead *head = head_of(pan_tracked);
    memset(pan_tracked, 0, sizeof pan_tracked);
    size_t size = vm_pack(machine, pan_tracked + sizeof *head, PAN_STATE_BYTES);
    if (size > pan_progress->largest_state) pan_progress->largest_state = (uint32_t)size;
    if (size > PAN_STATE_BYTES) search_stop(PAN_STOP_STATE_SIZE);
    head->size = (uint32_t)size;
    summarise(check, &head->summary);
    memcpy(loaded, pan_tracked, sizeof *head + size);
}

void store_load(VmCheck *check) {
    const RawHead *head = head_of(pan_tracked);
    if (memcmp(loaded, pan_tracked, sizeof *head + head->size) == 0) return;
    if (!vm_unpack(check->machine, pan_tracked + sizeof *head, head->size)) search_fail("a tracked state is damaged");
    memcpy(loaded, pan_tracked, sizeof *head + head->size);
}

void store_revert(VmCheck *check) {
    const RawHead *head = head_of(pan_tracked);
    if (!vm_unpack(check->machine, pan_tracked + sizeof *head, head->size)) search_fail("a tracked state is damaged");
}

const void *store_identity(size_t *size) {
    *size = sizeof(RawHead) + head_of(pan_tracked)->size;
    return pan_tracked;
}

const StateSummary *store_summary(void) {
    const RawHead *head = head_of(pan_tracked);
    return head->size == 0 ? NULL : &head->summary;
}

const VmLocals *store_locals(void) { return NULL; }
