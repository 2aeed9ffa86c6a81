/* SPDX-License-Identifier: Apache-2.0
 *
 * Running a thread: the helpers of the dispatch loop that should be inlined, the loop itself (exec_loop.h) for 64-bit
 * and for 32-bit pointers, and vm_run, which decides whether the thread may go at all.
 */
#include "access.h"
#include "accesses.h"
#include "arith.h"
#include "shadow.h"

#ifdef VM_PARANOID
static int slot_is_in_frame(const VmMachine *machine, uint32_t thread, const VmInstr *ip, const uint64_t *r,
                            uint32_t slot) {
    const VmImage *image = &machine->image;
    uint32_t slots = image->functions[image->code_function[ip - image->code]].frame_slots;
    uint64_t frame = (uint64_t)(r - registers_of(machine, thread));
    return slot < slots && frame + slots <= machine->limits.stack_slots;
}
#endif

#define NO_TARGET UINT32_MAX

static uint32_t table_target(const VmImage *image, uint32_t table_index, uint64_t value, uint32_t otherwise) {
    const VmTable *table = image->tables + table_index;
    const VmTarget *targets = image->targets + table->first_target;
    uint32_t low = 0, high = table->target_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (targets[middle].value < value) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < table->target_count && targets[low].value == value ? targets[low].pc : otherwise;
}

/* The callee's slot 0, or null with the caller's frame in machine->detail[0] when there is no room. All that is left
 * of the caller's frame above the arguments becomes the callee's, and zero. */
static inline uint64_t *push_frame(VmMachine *machine, VmCall *run, uint64_t *r, const VmInstr *call,
                                   const VmFunction *callee, uint32_t caller_slots) {
    uint64_t *registers = registers_of(machine, run->thread);
    uint64_t caller = (uint64_t)(r - registers);
    uint64_t frame = caller + call->b + FRAME_HEADER_SLOTS;
    const VmThread *self = machine->threads + run->thread;
    if (UNLIKELY(frame + callee->frame_slots > machine->limits.stack_slots)) {
        machine->detail[0] = caller;
        return NULL;
    }
    VmFrameHeader header = {.return_pc = (uint32_t)(call - machine->image.code) + 1,
                            .caller = (uint32_t)caller,
                            .stack_ids = self->stack_ids,
                            .stack_top = self->stack_top};
    memcpy(registers + frame - FRAME_HEADER_SLOTS, &header, sizeof header);
    if (frame + callee->frame_slots > run->highest_slot) run->highest_slot = (uint32_t)(frame + callee->frame_slots);
    uint64_t *unused = registers + frame + callee->parameter_slots, *end = r + caller_slots;
    if (unused < end) memset(unused, 0, (size_t)(end - unused) * sizeof *unused);
    return registers + frame;
}

/* Zeroes the frame but for its first `kept` slots and drops its stack objects. */
static inline void pop_frame(VmMachine *machine, uint32_t thread, uint64_t *r, uint32_t stack_ids, uint32_t kept,
                             uint32_t frame_slots) {
    if (UNLIKELY(machine->threads[thread].stack_ids != stack_ids)) stack_drop(machine, thread, stack_ids);
    r[-2] = 0;
    r[-1] = 0;
    PARANOID(r + frame_slots <= registers_of(machine, thread) + machine->limits.stack_slots && kept <= frame_slots);
    if (frame_slots > kept) memset(r + kept, 0, (frame_slots - kept) * sizeof *r);
}

static inline uint32_t stack_flags(uint32_t escapes) {
    return (uint32_t)OBJECT_STACK | (escapes & STACK_ESCAPES ? OBJECT_ESCAPED : 0u);
}

#define LOOP_NAME execute64
#define LOOP_SHIFT 32
#include "exec_loop.h"
#undef LOOP_NAME
#undef LOOP_SHIFT

#define LOOP_NAME execute32
#define LOOP_SHIFT 16
#include "exec_loop.h"

static VmStop final_stop(uint32_t status) {
    switch (status) {
    case PROCESS_EXITED: return STOP_EXITED;
    case PROCESS_ABORTED: return STOP_ABORTED;
    case PROCESS_PRUNED: return STOP_PRUNED;
    default: return STOP_FAULT;
    }
}

/* Whether the thread can start with its next instruction; STOP_STEP: yes. */
static VmStop check_first(const VmMachine *machine, const VmCall *call) {
    VmEnabled enabled = vm_enabled(machine, call->thread);
    if (enabled == THREAD_DISABLED) return STOP_BLOCKED;
    if (enabled == THREAD_CAN_TIME_OUT && !(call->flags & VM_TIME_OUT)) return STOP_BLOCKED;
    if (vm_at_choice(machine, call->thread)) {
        uint64_t choices = vm_choices(machine, call->thread);
        if (!(call->flags & VM_WITH_CHOICE)) return STOP_CHOICE;
        if (choices != 0 && call->choice >= choices) return STOP_BAD_CHOICE;
    }
    return STOP_STEP;
}

void record_fault(VmMachine *machine, VmFault fault, uint32_t thread, uint32_t pc) {
    VmHeader *header = machine->header;
    header->status = PROCESS_FAULT;
    header->fault_kind = fault;
    header->fault_thread = thread;
    header->fault_pc = pc;
    header->fault_detail[0] = machine->detail[0];
    header->fault_detail[1] = machine->detail[1];
}

VmStop execute(VmMachine *machine, VmCall *call) {
    VmStop stop = machine->shift == 32 ? execute64(machine, call) : execute32(machine, call);
    machine->total += machine->executed;
    if (stop == STOP_THREAD_ENDED) return stop;
    if (call->mode == VM_STEP_INSTRUCTION || call->mode == VM_STEP_GLOBAL)
        canonicalise_from(machine, call->thread, call->lowest_frame);
    uint32_t first = call->lowest_frame - FRAME_HEADER_SLOTS;
    note_write(machine, registers_of(machine, call->thread) + first, (call->highest_slot - first) * sizeof(uint64_t));
    note_thread(machine, call->thread);
    return stop;
}

static int is_alone(const VmMachine *machine, uint32_t thread) {
    for (uint32_t other = 0; other < machine->limits.max_threads; other++) {
        if (other != thread && machine->threads[other].status == THREAD_RUNNING) return 0;
    }
    return 1;
}

VmStop vm_run(VmMachine *machine, uint32_t thread, VmMode mode, uint64_t fuel, uint32_t flags, uint64_t choice) {
    VmCall call = {.thread = thread, .mode = mode, .fuel = fuel, .flags = flags, .choice = choice};
    VmHeader *header = machine->header;
    machine->executed = 0;
    if (header->status != PROCESS_RUNNING) return final_stop(header->status);
    if (thread >= machine->limits.max_threads || machine->threads[thread].status != THREAD_RUNNING) {
        return STOP_NOT_RUNNING;
    }
    VmStop stop = check_first(machine, &call);
    if (stop != STOP_STEP || fuel == 0) return stop;
    if (mode == VM_STEP_INSTRUCTION || mode == VM_TRACE) call.fuel = 1;
    header->atomic_holder = machine->threads[thread].atomic_depth > 0 ? thread + 1 : 0;
    call.alone = (flags & VM_RUN_ALONE) && mode == VM_STEP_GLOBAL && is_alone(machine, thread);
    return execute(machine, &call);
}
