/* SPDX-License-Identifier: Apache-2.0
 *
 * Kept is what the abstraction function wrote, and: how an execution has ended, so that a violation is never taken for
 * a state that was seen before; how far a choice that is made digit by digit has got, which the program knows nothing
 * of; and, if wanted, where every thread is: at which instruction, and at which call in each function around it.
 */
#include "abstract.h"

#include <stdlib.h>

#include "shared.h"
#include "table.h"

typedef struct {
    uint32_t outcome, kind, thread, pc;
} Ending;

typedef struct {
    uint32_t place; /* in the table of calls; 0: the thread does not run, or nobody asks */
    uint16_t choice_start, choice_count;
} Control;

typedef struct {
    uint32_t inner; /* the place as far as it is known, from the instruction outwards; 0: this is the instruction */
    uint32_t pc;
} Call;

static Table abstracts, calls;
static uint8_t *kept;
static size_t kept_bytes;

enum { MOST_CALLS = 1 << 24 };

static uint32_t written_bytes(const VmCheck *check) {
    return check->machine->image.objects[check->properties[0].object].size;
}

void abstract_create(const VmCheck *check, uint64_t memory_limit) {
    kept_bytes = sizeof(Ending) + check->machine->limits.max_threads * sizeof(Control) + written_bytes(check);
    kept_bytes = (kept_bytes + 7) / 8 * 8;
    table_create(&abstracts, (uint32_t)kept_bytes, memory_limit / kept_bytes);
    table_create(&calls, sizeof(Call), MOST_CALLS);
    kept = malloc(kept_bytes);
    if (kept == NULL) search_fail("no memory for the abstraction");
}

static uint32_t place_of(const VmMachine *machine, uint32_t thread) {
    const uint64_t *registers = registers_of(machine, thread);
    uint32_t frame = machine->threads[thread].frame, pc = machine->threads[thread].pc, place = 0;
    while (frame != 0) {
        VmFrameHeader header = read_frame_header(registers + frame);
        place = table_intern(&calls, &(Call){.inner = place, .pc = pc});
        frame = header.caller;
        pc = header.return_pc;
    }
    return place;
}

static Control control_of(const VmCheck *check, uint32_t thread) {
    const VmThread *self = check->machine->threads + thread;
    Control control = {.choice_start = self->choice_start, .choice_count = self->choice_count};
    if (check->keeps_control && self->status == THREAD_RUNNING) control.place = place_of(check->machine, thread);
    return control;
}

uint32_t abstract_number(VmCheck *check) {
    VmMachine *machine = check->machine;
    const VmHeader *header = machine->header;
    Ending ending = {.outcome = check_outcome(check)};
    uint8_t *next = kept + sizeof ending;
    memset(kept, 0, kept_bytes);
    if (header->status != PROCESS_RUNNING) {
        ending.kind = header->fault_kind;
        ending.thread = header->fault_thread;
        ending.pc = header->fault_pc;
    } else {
        for (uint32_t thread = 0; thread < machine->limits.max_threads; thread++, next += sizeof(Control)) {
            Control control = control_of(check, thread);
            memcpy(next, &control, sizeof control);
        }
        property_update(check->properties, machine); /* a move that only narrows a choice down has not looked */
        memcpy(next, check->properties[0].filled, written_bytes(check));
    }
    memcpy(kept, &ending, sizeof ending);
    return table_intern(&abstracts, kept);
}
