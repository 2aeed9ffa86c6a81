/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions that are called from outside: set-up and interrupts (vm_call), properties (vm_evaluate), and the first
 * functions of threads that a driver starts. A property runs in the slot behind the last thread, so that no thread is
 * disturbed, and may write only what belongs to that slot.
 */
#include "machine.h"

enum { CALL_FUEL = 1 << 24 };

uint32_t vm_find_function(const VmMachine *machine, const char *name) {
    const VmImage *image = &machine->image;
    uint32_t function = 0;
    while (function < image->function_count && strcmp(image->strings + image->functions[function].name, name) != 0)
        function++;
    return function;
}

/* Whether others would notice the visible instruction: FAULT_SIDE_EFFECT. Reads, and writes to own memory, are none. */
VmFault effect_of(VmMachine *machine, uint32_t thread, const VmInstr *instr, const uint64_t *slots) {
    uint64_t pointer;
    machine->detail[0] = machine->detail[1] = 0;
    if (instr->op >= OP_LOAD8 && instr->op <= OP_LOAD64) return FAULT_NONE;
    if (instr->op >= OP_LOADA8 && instr->op <= OP_LOADA64) return FAULT_NONE;
    if (instr->op == OP_OBJSIZE) return FAULT_NONE;
    if (instr->op >= OP_STORE8 && instr->op <= OP_STOREI64) {
        pointer = slots[instr->b] + (uint64_t)(int64_t)(int32_t)instr->x;
    } else if (instr->op >= OP_STOREA8 && instr->op <= OP_STOREA64) {
        pointer = (uint64_t)instr->x | (uint64_t)instr->y << 32;
    } else if (instr->op >= OP_RMW8 && instr->op <= OP_CMPXCHG64) {
        pointer = slots[instr->b];
    } else {
        return FAULT_SIDE_EFFECT;
    }
    uint64_t id = (pointer & machine->pointer_mask) >> machine->shift;
    uint64_t own = stack_pool(machine, thread), end = own + machine->threads[thread].stack_ids;
    if (id >= own && id < end) return FAULT_NONE;
    pointer &= machine->pointer_mask;
    if (pointer >= machine->scratch_start && pointer < machine->scratch_end) return FAULT_NONE;
    machine->detail[0] = pointer;
    return FAULT_SIDE_EFFECT;
}

/* Where in its first function the thread is. */
static uint32_t outermost_pc(const VmMachine *machine, uint32_t thread) {
    const VmThread *self = machine->threads + thread;
    uint32_t pc = self->pc;
    VmFrameHeader frame = read_frame_header(registers_of(machine, thread) + self->frame);
    while (frame.caller != 0) {
        pc = frame.return_pc - 1;
        frame = read_frame_header(registers_of(machine, thread) + frame.caller);
    }
    return pc;
}

int vm_evaluate(VmMachine *machine, uint32_t function, uint64_t *result) {
    uint32_t slot = machine->limits.max_threads;
    VmCall call = {.thread = slot, .mode = VM_PURE, .fuel = CALL_FUEL};
    VmChanges *changes = machine->changes;
    uint64_t executed = machine->executed, total = machine->total;
    machine->changes = NULL; /* what happens in the slot is over before anybody looks */
    VmFault fault = thread_start(machine, slot, function, NULL, 0);
    VmStop stop = STOP_FAULT;
    if (fault == FAULT_NONE) {
        stop = execute(machine, &call);
        if (stop == STOP_STEP) fault = FAULT_CALL_LIMIT;
        if (stop == STOP_FAULT && machine->header->fault_detail[1] == 0)
            machine->header->fault_detail[1] = outermost_pc(machine, slot); /* the fault itself may be in the library */
    }
    if (fault != FAULT_NONE) record_fault(machine, fault, slot, machine->image.functions[function].first_pc);
    if (machine->threads[slot].status == THREAD_RUNNING) thread_end(machine, slot);
    machine->changes = changes;
    machine->executed = executed;
    machine->total = total;
    *result = machine->returned;
    return machine->header->status == PROCESS_RUNNING;
}

/* Thread 0 if it is not in use, as before the program has started; otherwise the last one. */
static uint32_t unused_thread(const VmMachine *machine) {
    uint32_t thread = machine->limits.max_threads;
    if (machine->threads[0].status == THREAD_UNUSED) return 0;
    while (--thread > 0 && machine->threads[thread].status != THREAD_UNUSED) {
    }
    return thread == 0 ? machine->limits.max_threads : thread;
}

/* Lets a thread that does not run yet do the function, alone, until that is over. */
static VmFault run_to_end(VmMachine *machine, uint32_t thread, uint32_t function, const uint64_t *arguments,
                          uint32_t count) {
    VmFault fault = thread_start(machine, thread, function, arguments, count);
    uint64_t fuel = CALL_FUEL;
    if (fault != FAULT_NONE) return fault;
    for (;;) {
        VmCall call = {.thread = thread, .mode = VM_RUN, .fuel = fuel};
        machine->header->atomic_holder = machine->threads[thread].atomic_depth > 0 ? thread + 1 : 0;
        VmStop stop = execute(machine, &call);
        if (stop == STOP_BLOCKED || stop == STOP_CHOICE) return FAULT_CALL_WAITS;
        if (stop != STOP_STEP) return FAULT_NONE;
        if (machine->executed >= fuel) return FAULT_CALL_LIMIT;
        fuel -= machine->executed; /* a thread was started: that ends a run */
    }
}

static int call_in(VmMachine *machine, uint32_t thread, uint32_t function, const uint64_t *arguments, uint32_t count) {
    machine->detail[0] = machine->detail[1] = 0;
    VmFault fault = FAULT_THREAD_LIMIT;
    if (thread < machine->limits.max_threads) fault = run_to_end(machine, thread, function, arguments, count);
    if (fault != FAULT_NONE) {
        uint32_t at = thread < machine->limits.max_threads ? thread : 0;
        int runs = machine->threads[at].status == THREAD_RUNNING;
        record_fault(machine, fault, at, runs ? machine->threads[at].pc : machine->image.functions[function].first_pc);
    }
    return machine->header->status == PROCESS_RUNNING;
}

int vm_call(VmMachine *machine, uint32_t function) {
    if (machine->header->status != PROCESS_RUNNING) return 0;
    uint32_t holder = machine->header->atomic_holder;
    int running = call_in(machine, unused_thread(machine), function, NULL, 0);
    machine->header->atomic_holder = holder;
    return running;
}

int vm_start_thread(VmMachine *machine, uint32_t thread, uint32_t function, uint64_t argument) {
    uint32_t enter = vm_find_function(machine, "__pancam_enter_thread");
    uint32_t begin = vm_find_function(machine, "__pancam_begin_thread");
    uint64_t number = thread, arguments[2] = {vm_function_pointer(machine, function), argument};
    if (machine->header->status != PROCESS_RUNNING) return 0;
    machine->detail[0] = thread;
    machine->detail[1] = 0;
    if (enter == machine->image.function_count || begin == machine->image.function_count ||
        thread >= machine->limits.max_threads || machine->threads[thread].status != THREAD_UNUSED) {
        record_fault(machine, FAULT_THREAD_LIMIT, 0, machine->image.functions[function].first_pc);
        return 0;
    }
    if (!call_in(machine, thread, enter, &number, 1)) return 0;
    VmFault fault = thread_start(machine, thread, begin, arguments, 2);
    if (fault != FAULT_NONE) record_fault(machine, fault, thread, machine->image.functions[begin].first_pc);
    return fault == FAULT_NONE;
}
