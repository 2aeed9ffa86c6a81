/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread's local state is its record, its registers, and its stack objects with their bytes, thread-local variables
 * included. It is kept as it looks in the slot CROWD_STAGE, in which every thread is put to make a step. So two threads
 * are in the same local state if and only if the bytes are the same, and pointers to a thread's own variables mean its
 * own ones, whoever moves. They must not mean anything to others: a step after which such a number is somewhere in what
 * threads share is given up, whether it is a pointer or not. Heap memory is shared; that of all threads but main is
 * allocated in the heap of CROWD_STAGE.
 */
#include "access.h"
#include "check.h"

#include "crowd_api.h"

#include <stdlib.h>

enum { MOST_STARTING_STEPS = 16 };
static const char RECORDS[] = "__pancam_threads";

struct CrowdBuffers {
    struct {
        uint8_t *bytes;
        size_t capacity;
    } shared, mover, child;
};

/* --- buffers: they belong to the check --- */

static uint8_t *room(uint8_t **bytes, size_t *capacity, size_t size) {
    if (size > *capacity) {
        *bytes = realloc(*bytes, 2 * size);
        if (*bytes == NULL) abort(); /* a few kilobytes: there is nothing that could be done instead */
        *capacity = 2 * size;
    }
    return *bytes;
}

static struct CrowdBuffers *buffers_of(VmCheck *check) {
    if (check->crowd == NULL) check->crowd = calloc(1, sizeof *check->crowd);
    if (check->crowd == NULL) abort();
    return check->crowd;
}

void crowd_destroy(VmCheck *check) {
    if (check->crowd == NULL) return;
    free(check->crowd->shared.bytes);
    free(check->crowd->mover.bytes);
    free(check->crowd->child.bytes);
    free(check->crowd);
}

/* --- local states --- */

static uint32_t stack_base(const VmMachine *machine, uint32_t slot) {
    return (uint32_t)((machine->regions_offset + slot * machine->region_size + machine->stack_offset) / GRANULE);
}

typedef struct {
    size_t registers, entries, memory; /* bytes */
} LocalSizes;

static LocalSizes sizes_of(const VmMachine *machine, const VmThread *thread) {
    return (LocalSizes){.registers = registers_in_use(machine, thread) * sizeof(uint64_t),
                        .entries = thread->stack_ids * sizeof(VmObject),
                        .memory = (size_t)thread->stack_top * GRANULE};
}

/* Entries say where objects lie from the start of the stack, and nothing about who owns them or may know them. */
static void write_entries(const VmMachine *machine, uint32_t slot, uint8_t *target) {
    for (uint32_t number = 0; number < machine->threads[slot].stack_ids; number++) {
        VmObject entry = machine->objects[stack_pool(machine, slot) + number];
        entry.base -= stack_base(machine, slot);
        entry.flags &= ((1u << OBJECT_OWNER_SHIFT) - 1) & ~(uint32_t)OBJECT_ESCAPED;
        memcpy(target + number * sizeof entry, &entry, sizeof entry);
    }
}

/* Takes the thread out of its slot, which is unused then. */
static size_t take_local(VmMachine *machine, uint32_t slot, uint8_t **bytes, size_t *capacity) {
    const VmThread *thread = machine->threads + slot;
    LocalSizes sizes = sizes_of(machine, thread);
    size_t size = sizeof *thread + sizes.registers + sizes.entries + sizes.memory;
    uint8_t *next = room(bytes, capacity, size);
    memcpy(next, thread, sizeof *thread);
    next += sizeof *thread;
    memcpy(next, registers_of(machine, slot), sizes.registers);
    next += sizes.registers;
    write_entries(machine, slot, next);
    memcpy(next + sizes.entries, region_of(machine, slot) + machine->stack_offset, sizes.memory);
    thread_end(machine, slot);
    machine->heaps[slot].stale_ids = 0; /* what others could know of its objects was looked for */
    return size;
}

static void put_local(VmMachine *machine, const uint8_t *next) {
    VmThread *thread = machine->threads + CROWD_STAGE;
    memcpy(thread, next, sizeof *thread);
    next += sizeof *thread;
    LocalSizes sizes = sizes_of(machine, thread);
    memcpy(registers_of(machine, CROWD_STAGE), next, sizes.registers);
    next += sizes.registers;
    for (uint32_t number = 0; number < thread->stack_ids; number++) {
        VmObject entry;
        memcpy(&entry, next + number * sizeof entry, sizeof entry);
        entry.base += stack_base(machine, CROWD_STAGE);
        entry.flags |= (uint32_t)CROWD_STAGE << OBJECT_OWNER_SHIFT;
        machine->objects[stack_pool(machine, CROWD_STAGE) + number] = entry;
    }
    memcpy(region_of(machine, CROWD_STAGE) + machine->stack_offset, next + sizes.entries, sizes.memory);
}

/* --- what is shared --- */

/* Whether the number is an id of a stack object of CROWD_STAGE, or of the slot behind it. */
static int is_local(const VmMachine *machine, uint64_t id) {
    return id - stack_pool(machine, CROWD_STAGE) < 2 * (uint64_t)machine->limits.stack_objects;
}

/* Whether there is the upper half of a pointer to such an object somewhere in the bytes, aligned or not. */
static int bytes_mention_locals(const VmMachine *machine, const uint8_t *bytes, uint64_t size) {
    uint64_t width = machine->shift / 8;
    for (uint64_t at = 0; at + width <= size; at++) {
        uint32_t id = 0;
        memcpy(&id, bytes + at, width);
        if (is_local(machine, id)) return 1;
    }
    return 0;
}

/* The registers of main. A slot holds one pointer, or two narrow ones that were copied together. */
static int registers_mention_locals(const VmMachine *machine) {
    const uint64_t *registers = registers_of(machine, 0);
    uint64_t frame = machine->threads[0].frame, end = registers_in_use(machine, machine->threads);
    while (frame != 0) {
        for (uint64_t slot = frame; slot < end; slot++) {
            uint64_t value = registers[slot], id = (value & machine->pointer_mask) >> machine->shift;
            if (is_local(machine, id) || (machine->shift < 32 && is_local(machine, value >> 48))) return 1;
        }
        end = frame - FRAME_HEADER_SLOTS;
        frame = read_frame_header(registers + frame).caller;
    }
    return 0;
}

static int shares_locals(const VmMachine *machine) {
    uint64_t stack_bytes = (uint64_t)machine->threads[0].stack_top * GRANULE;
    if (registers_mention_locals(machine)) return 1;
    if (bytes_mention_locals(machine, machine->memory + machine->globals_offset, machine->image.globals_size)) return 1;
    if (bytes_mention_locals(machine, region_of(machine, 0) + machine->stack_offset, stack_bytes)) return 1;
    for (uint32_t slot = 0; slot < CROWD_SLOTS; slot++) {
        uint64_t size = (uint64_t)machine->heaps[slot].space_end * GRANULE;
        if (bytes_mention_locals(machine, region_of(machine, slot) + machine->heap_offset, size)) return 1;
    }
    return 0;
}

static VmCrowdPart pack_shared(VmCheck *check) {
    struct CrowdBuffers *buffers = buffers_of(check);
    size_t size = vm_pack(check->machine, buffers->shared.bytes, buffers->shared.capacity);
    if (size > buffers->shared.capacity) {
        room(&buffers->shared.bytes, &buffers->shared.capacity, size);
        vm_pack(check->machine, buffers->shared.bytes, size);
    }
    return (VmCrowdPart){buffers->shared.bytes, size};
}

VmCrowdPart crowd_start(VmCheck *check) {
    vm_reset(check->machine);
    return pack_shared(check);
}

/* --- new threads --- */

/* Whether the record through which a new thread learns what to do is empty again. */
static int has_started(const VmMachine *machine) {
    const VmImage *image = &machine->image;
    for (uint32_t i = 0; i < image->object_count; i++) {
        const VmStaticObject *object = image->objects + i;
        if (strcmp(image->strings + object->name, RECORDS) != 0) continue;
        uint32_t record = object->size / CROWD_SLOTS;
        const uint8_t *bytes = machine->memory + machine->globals_offset + object->start + object->size - record;
        for (uint32_t at = 0; at < record; at++) {
            if (bytes[at] != 0) return 0;
        }
        return 1;
    }
    return 0;
}

/* A new thread learns what to do as a part of the step that has made it: nobody else looks at the record. */
static int start_child(VmCheck *check, VmCrowdPart *child) {
    VmMachine *machine = check->machine;
    struct CrowdBuffers *buffers = buffers_of(check);
    take_local(machine, CROWD_SLOTS - 1, &buffers->child.bytes, &buffers->child.capacity);
    put_local(machine, buffers->child.bytes);
    for (uint32_t count = 0; !has_started(machine); count++) {
        if (count == MOST_STARTING_STEPS) return 0;
        vm_run(machine, CROWD_STAGE, VM_STEP_GLOBAL, check->fuel, 0, 0);
    }
    if (machine->header->status != PROCESS_RUNNING || machine->header->atomic_holder != 0) return 0;
    if (machine->threads[CROWD_STAGE].status != THREAD_RUNNING) return 0;
    child->size = take_local(machine, CROWD_STAGE, &buffers->child.bytes, &buffers->child.capacity);
    child->bytes = buffers->child.bytes;
    return 1;
}

/* --- steps --- */

static VmCrowdOutcome outcome_of(const VmCheck *check) {
    switch (check_outcome(check)) {
    case OUTCOME_VIOLATION: return CROWD_VIOLATION;
    case OUTCOME_IGNORED: return CROWD_IGNORED;
    case OUTCOME_LIMIT: return CROWD_GAVE_UP;
    default: return CROWD_OVER;
    }
}

static void give_up(VmCrowdStep *step) {
    step->outcome = CROWD_GAVE_UP;
    step->fault = FAULT_CROWD_LIMIT;
}

/* The machine has made the step: what came of it is cut into its parts. */
static void cut(VmCheck *check, uint32_t slot, VmCrowdStep *step) {
    VmMachine *machine = check->machine;
    struct CrowdBuffers *buffers = buffers_of(check);
    step->holds = machine->header->atomic_holder == slot + 1;
    machine->header->atomic_holder = 0; /* `holds` says it, and a thread in a section takes it when it moves */
    if (slot == CROWD_STAGE && machine->threads[slot].status == THREAD_RUNNING) {
        step->mover.size = take_local(machine, slot, &buffers->mover.bytes, &buffers->mover.capacity);
        step->mover.bytes = buffers->mover.bytes;
    }
    machine->heaps[CROWD_STAGE].stale_ids = 0;
    int has_child = machine->threads[CROWD_SLOTS - 1].status == THREAD_RUNNING;
    if (shares_locals(machine) || (has_child && !start_child(check, &step->child)))
        give_up(step);
    else
        step->shared = pack_shared(check);
}

void crowd_step(VmCheck *check, VmCrowdPart shared, VmCrowdPart local, uint64_t choice, VmCrowdStep *step) {
    VmMachine *machine = check->machine;
    uint32_t slot = local.bytes == NULL ? 0 : CROWD_STAGE, flags = VM_TIME_OUT;
    *step = (VmCrowdStep){.outcome = CROWD_BLOCKED};
    if (machine->limits.max_threads != CROWD_SLOTS || !vm_unpack(machine, shared.bytes, shared.size)) {
        give_up(step);
        return;
    }
    if (local.bytes != NULL) put_local(machine, local.bytes);
    step->choices = vm_choices(machine, slot);
    if (vm_enabled(machine, slot) == THREAD_DISABLED) return;
    if (vm_at_choice(machine, slot)) flags |= VM_WITH_CHOICE;
    if (choice >= step->choices || step->choices > CHECK_MOST_CHOICES) {
        step->outcome = CROWD_GAVE_UP;
        step->fault = FAULT_CHOICE_LIMIT;
        return;
    }
    vm_run(machine, slot, VM_STEP_GLOBAL, check->fuel, flags, choice);
    step->outcome = CROWD_MOVED;
    if (machine->header->status == PROCESS_RUNNING) {
        cut(check, slot, step);
    } else {
        step->outcome = outcome_of(check);
        step->fault = machine->header->fault_kind;
    }
}
