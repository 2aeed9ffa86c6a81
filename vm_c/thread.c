/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads: start and end, who can move, calls through pointers, setjmp and longjmp, and the canonical form of the
 * registers. An atomic section belongs to the thread in VmHeader.atomic_holder; a thread that has to wait inside its
 * section loses the privilege, keeps its depth, and has the privilege again from its next instruction on.
 */
#include "access.h"

VmFault thread_start(VmMachine *machine, uint32_t thread, uint32_t function, const uint64_t *arguments,
                     uint32_t count) {
    const VmImage *image = &machine->image;
    const VmFunction *entry = image->functions + function;
    VmThread *started = machine->threads + thread;
    machine->detail[0] = thread;
    machine->detail[1] = 0;
    if (FRAME_HEADER_SLOTS + entry->frame_slots > machine->limits.stack_slots) return FAULT_STACK_LIMIT;
    for (uint32_t i = 0; i < image->tls_count; i++) {
        const VmThreadLocal *variable = image->tls + i;
        uint64_t pointer;
        VmFault fault = stack_allocate(machine, thread, variable->size, OBJECT_THREAD_LOCAL, i, &pointer);
        if (fault != FAULT_NONE) {
            stack_drop(machine, thread, 0);
            return fault;
        }
        uint32_t base = machine->objects[pointer >> machine->shift].base;
        memcpy(machine->memory + (uint64_t)base * GRANULE, image->tls_data + variable->start, variable->size);
        note_write(machine, machine->memory + (uint64_t)base * GRANULE, variable->size);
    }
    VmFrameHeader header = {.stack_ids = started->stack_ids, .stack_top = started->stack_top};
    uint64_t *registers = registers_of(machine, thread);
    memcpy(registers, &header, sizeof header);
    for (uint32_t i = 0; i < count && i < entry->parameter_slots; i++) registers[FRAME_HEADER_SLOTS + i] = arguments[i];
    note_write(machine, registers, (FRAME_HEADER_SLOTS + (uint64_t)entry->frame_slots) * sizeof *registers);
    note_thread(machine, thread);
    machine->births++;
    started->status = THREAD_RUNNING;
    started->pc = entry->first_pc;
    started->frame = FRAME_HEADER_SLOTS;
    return FAULT_NONE;
}

void thread_end(VmMachine *machine, uint32_t thread) {
    VmThread *ended = machine->threads + thread;
    uint32_t top_slots = machine->image.functions[machine->image.code_function[ended->pc]].frame_slots;
    stack_drop(machine, thread, 0);
    memset(registers_of(machine, thread), 0, ((uint64_t)ended->frame + top_slots) * sizeof(uint64_t));
    note_write(machine, registers_of(machine, thread), ((uint64_t)ended->frame + top_slots) * sizeof(uint64_t));
    note_thread(machine, thread);
    memset(ended, 0, sizeof *ended);
    if (machine->header->atomic_holder == thread + 1) machine->header->atomic_holder = 0;
}

static int function_of_pointer(const VmMachine *machine, uint64_t pointer, uint32_t *function) {
    uint64_t distance = pointer - ((uint64_t)1 << machine->shift);
    *function = (uint32_t)(distance / 16);
    return distance % 16 == 0 && distance / 16 < machine->image.function_count;
}

VmFault spawn(VmMachine *machine, uint64_t thread, uint64_t pointer) {
    uint32_t function;
    machine->detail[0] = thread;
    machine->detail[1] = pointer;
    if (thread >= machine->limits.max_threads) return FAULT_THREAD_LIMIT;
    if (machine->threads[thread].status != THREAD_UNUSED) return FAULT_THREAD_LIMIT;
    if (!function_of_pointer(machine, pointer, &function)) return FAULT_BAD_CALL;
    const VmFunction *entry = machine->image.functions + function;
    if (entry->parameter_slots > 1 || (entry->flags & FUNCTION_VARIADIC)) return FAULT_CALL_MISMATCH;
    return thread_start(machine, (uint32_t)thread, function, &thread, 1);
}

/* Whether the function that a CALLPTR's pointer names can be called with the arguments and results of the call. */
VmFault resolve_call(VmMachine *machine, const VmInstr *call, uint64_t pointer, uint32_t *function) {
    machine->detail[0] = pointer;
    machine->detail[1] = 0;
    if (!function_of_pointer(machine, pointer, function)) return FAULT_BAD_CALL;
    const VmFunction *callee = machine->image.functions + *function;
    uint32_t expected = call->y >> 16;
    if (callee->flags & FUNCTION_VARIADIC) {
        if (!(call->y & 1) || callee->parameter_slots != call->x + 1) return FAULT_CALL_MISMATCH;
    } else if (callee->parameter_slots > call->x) {
        return FAULT_CALL_MISMATCH;
    }
    if ((callee->result_slots > 1 || expected > 1) && callee->result_slots != expected) return FAULT_CALL_MISMATCH;
    return FAULT_NONE;
}

static const VmObject *object_at(const VmMachine *machine, uint64_t pointer) {
    uint64_t id = (pointer & machine->pointer_mask) >> machine->shift;
    return machine->objects + (id < machine->id_count ? id : 0);
}

static int is_own(const VmObject *object, uint32_t thread) { return object->flags >> OBJECT_OWNER_SHIFT == thread; }

/* A visible instruction that nobody else can notice or disturb: it reads a constant, or accesses a variable of the
 * thread that nobody else knows. The object is looked at again, as an address may have left its variable. */
int is_private_access(const VmMachine *machine, uint32_t thread, const VmInstr *instr, const uint64_t *slots) {
    uint64_t pointer;
    if (instr->op < OP_LOAD8 || instr->op > OP_STOREA64) return 0;
    if (instr->op >= OP_LOADA8)
        pointer = (uint64_t)instr->x | (uint64_t)instr->y << 32;
    else
        pointer = slots[instr->b] + (uint64_t)(int64_t)(int32_t)instr->x;
    const VmObject *object = object_at(machine, pointer);
    uint32_t kind = object->flags & OBJECT_KIND_MASK;
    if (kind == OBJECT_CONST) return 1;
    if (kind == OBJECT_STACK) return is_own(object, thread) && !(object->flags & OBJECT_ESCAPED);
    return (instr->c & ACCESS_PRIVATE) && kind == OBJECT_THREAD_LOCAL && is_own(object, thread);
}

/* Whether a STACK instruction makes, ends, clears or shows an object that others may know. */
int concerns_others(const VmMachine *machine, uint32_t thread, const VmInstr *instr, const uint64_t *slots) {
    VmFrameHeader header = read_frame_header(slots);
    const VmObject *object;
    switch (instr->op) {
    case OP_ALLOCA:
    case OP_ALLOCAV: return machine->threads[thread].stack_ids < machine->heaps[thread].stale_ids;
    case OP_CLEAR: return (object_at(machine, slots[instr->a])->flags & OBJECT_ESCAPED) != 0;
    case OP_OUTPUT:
        object = object_at(machine, slots[instr->b]);
        return (object->flags & OBJECT_KIND_MASK) != OBJECT_CONST &&
               !((object->flags & OBJECT_KIND_MASK) == OBJECT_STACK && is_own(object, thread));
    case OP_STACKREST:
        return slots[instr->a] < machine->threads[thread].stack_ids &&
               stack_escaped(machine, thread, (uint32_t)slots[instr->a]) != 0;
    default: return header.caller == 0 || stack_escaped(machine, thread, header.stack_ids) != 0;
    }
}

AwaitState await_state(const VmMachine *machine, const VmInstr *await, const uint64_t *slots) {
    uint32_t word, mask = (uint32_t)slots[await->c];
    uint32_t value = (uint32_t)slots[await->c + 1], other = (uint32_t)slots[await->c + 2];
    const uint8_t *bytes = accessible(machine, machine->shift, slots[await->b], sizeof word, 0);
    if (bytes == NULL) return AWAIT_FAULTY;
    memcpy(&word, bytes, sizeof word);
    word &= mask;
    int satisfied = await->x == AWAIT_NOT ? word != value : word == value || word == other;
    return satisfied ? AWAIT_SATISFIED : AWAIT_UNSATISFIED;
}

int may_time_out(const VmMachine *machine, const VmInstr *await) {
    return await->y == AWAIT_TIMED || (await->y == AWAIT_SPURIOUS && machine->wakes_spuriously);
}

/* Whether the thread can move, atomic sections of others aside. */
static VmEnabled can_move(const VmMachine *machine, uint32_t thread) {
    const VmThread *mover = machine->threads + thread;
    if (mover->status != THREAD_RUNNING) return THREAD_DISABLED;
    const VmInstr *next = machine->image.code + mover->pc;
    if (next->op != OP_AWAIT) return THREAD_ENABLED;
    if (await_state(machine, next, registers_of(machine, thread) + mover->frame) != AWAIT_UNSATISFIED) {
        return THREAD_ENABLED;
    }
    return may_time_out(machine, next) ? THREAD_CAN_TIME_OUT : THREAD_DISABLED;
}

VmEnabled vm_enabled(const VmMachine *machine, uint32_t thread) {
    uint32_t holder = machine->header->atomic_holder;
    if (thread >= machine->limits.max_threads || machine->header->status != PROCESS_RUNNING) return THREAD_DISABLED;
    if (holder != 0 && holder != thread + 1 && can_move(machine, holder - 1) == THREAD_ENABLED) return THREAD_DISABLED;
    return can_move(machine, thread);
}

int vm_waiting(const VmMachine *machine, uint32_t thread) {
    return vm_thread(machine, thread) != NULL && machine->threads[thread].status == THREAD_RUNNING &&
           can_move(machine, thread) != THREAD_ENABLED;
}

/* A thread that could only wake up spuriously waits for something that nobody will do. */
int waits_for_ever(const VmMachine *machine, uint32_t thread) {
    VmEnabled enabled = can_move(machine, thread);
    return enabled == THREAD_DISABLED ||
           (enabled == THREAD_CAN_TIME_OUT && machine->image.code[machine->threads[thread].pc].y == AWAIT_SPURIOUS);
}

int vm_deadlocked(const VmMachine *machine) {
    int running = 0;
    if (machine->header->status != PROCESS_RUNNING) return 0;
    for (uint32_t thread = 0; thread < machine->limits.max_threads; thread++) {
        if (!waits_for_ever(machine, thread)) return 0;
        running |= machine->threads[thread].status == THREAD_RUNNING;
    }
    return running;
}

static const VmInstr *next_choose(const VmMachine *machine, uint32_t thread) {
    if (thread >= machine->limits.max_threads || machine->threads[thread].status != THREAD_RUNNING) return NULL;
    const VmInstr *next = machine->image.code + machine->threads[thread].pc;
    return next->op == OP_CHOOSE ? next : NULL;
}

int vm_at_choice(const VmMachine *machine, uint32_t thread) { return next_choose(machine, thread) != NULL; }

uint64_t vm_choices(const VmMachine *machine, uint32_t thread) {
    const VmInstr *choose = next_choose(machine, thread);
    return choose == NULL ? 1 : registers_of(machine, thread)[machine->threads[thread].frame + choose->b];
}

/* SETJMP: pc, frame, stack ids, thread and how many atomic sections are open go to guest memory. */
VmFault save_place(VmMachine *machine, uint32_t thread, uint32_t pc, uint32_t frame, uint64_t buffer) {
    VmFault fault;
    const VmThread *jumper = machine->threads + thread;
    uint32_t place[PLACE_WORDS] = {pc, frame, jumper->stack_ids, thread, jumper->atomic_depth};
    uint8_t *bytes = checked_access(machine, buffer, sizeof place, 1, &fault);
    if (bytes != NULL) {
        memcpy(bytes, place, sizeof place);
        note_write(machine, bytes, sizeof place);
    }
    return fault;
}

/* LONGJMP: unwinds to the frame of the place, if it is an active one, and leaves pc (at the SETJMP) and frame in the
 * thread. The guest may have written anything into the buffer, so nothing changes before all of it is checked. */
VmFault return_to_place(VmMachine *machine, uint32_t thread, uint32_t pc, uint32_t frame, uint64_t buffer) {
    VmFault fault;
    const VmImage *image = &machine->image;
    VmThread *jumper = machine->threads + thread;
    uint64_t *registers = registers_of(machine, thread);
    uint32_t place[PLACE_WORDS], stack_ids = jumper->stack_ids, callee = 0, function = image->code_function[pc];
    uint32_t end = frame + image->functions[function].frame_slots;
    const uint8_t *bytes = checked_access(machine, buffer, sizeof place, 0, &fault);
    if (bytes == NULL) return fault;
    memcpy(place, bytes, sizeof place);
    machine->detail[0] = buffer;
    machine->detail[1] = 0;
    while (frame != 0 && frame != place[1]) {
        VmFrameHeader header = read_frame_header(registers + frame);
        callee = frame;
        stack_ids = header.stack_ids;
        frame = header.caller;
        if (frame != 0) function = image->code_function[header.return_pc];
    }
    if (place[3] != thread) return FAULT_BAD_JUMP;
    if (frame == 0 || place[0] >= image->code_count || image->code[place[0]].op != OP_SETJMP) return FAULT_BAD_JUMP;
    if (image->code_function[place[0]] != function) return FAULT_BAD_JUMP;
    if (place[2] < read_frame_header(registers + frame).stack_ids) return FAULT_BAD_JUMP;
    if (place[4] != jumper->atomic_depth) return FAULT_ATOMIC_MISUSE; /* nobody would close the section */
    if (stack_ids > place[2]) stack_ids = place[2];
    stack_drop(machine, thread, stack_ids);
    if (callee != 0) {
        memset(registers + callee - FRAME_HEADER_SLOTS, 0, (end - callee + FRAME_HEADER_SLOTS) * sizeof(uint64_t));
    }
    jumper->pc = place[0];
    jumper->frame = frame;
    return FAULT_NONE;
}

uint64_t registers_in_use(const VmMachine *machine, const VmThread *thread) {
    if (thread->status != THREAD_RUNNING) return 0;
    return (uint64_t)thread->frame + machine->image.functions[machine->image.code_function[thread->pc]].frame_slots;
}

/* Zeroes the slots [0, count) of a frame that are dead before the instruction at pc, and slot `written`. */
static void clean_frame(VmMachine *machine, uint64_t *slots, uint32_t pc, uint32_t count, uint32_t written) {
    uint32_t set = machine->image.live[pc];
    if (written < count) slots[written] = 0;
    if (set == NO_LIVE_SET) return;
    const uint64_t *live = machine->image.live_bits + set;
    for (uint32_t first = 0; first < count; first += 64) {
        uint64_t dead = ~live[first / 64];
        if (count - first < 64) dead &= ((uint64_t)1 << (count - first)) - 1;
        for (; dead != 0; dead &= dead - 1) slots[first + (uint32_t)__builtin_ctzll(dead)] = 0;
    }
}

void canonicalise_from(VmMachine *machine, uint32_t thread, uint32_t lowest_frame) {
    const VmImage *image = &machine->image;
    const VmThread *cleaned = machine->threads + thread;
    uint64_t *registers = registers_of(machine, thread);
    uint32_t frame = cleaned->frame, pc = cleaned->pc;
    uint32_t count = image->functions[image->code_function[pc]].frame_slots, written = NO_SLOT;
    while (frame >= lowest_frame && frame != 0) {
        clean_frame(machine, registers + frame, pc, count, written);
        VmFrameHeader header = read_frame_header(registers + frame);
        if (header.caller == 0) return;
        count = frame - FRAME_HEADER_SLOTS - header.caller;
        frame = header.caller;
        pc = header.return_pc;
        written = image->code[pc - 1].a; /* the call's destination, dead until the call returns */
    }
}

void vm_canonicalise(VmMachine *machine, uint32_t thread) {
    if (thread >= machine->limits.max_threads || machine->threads[thread].status != THREAD_RUNNING) return;
    canonicalise_from(machine, thread, 0);
}
