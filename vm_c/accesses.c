/* SPDX-License-Identifier: Apache-2.0
 *
 * What each visible instruction touches. A valid access to guest memory is one to its bytes; whatever ends an object
 * counts as a write to all its bytes, so that the two conflict. An access that would be a fault depends on nothing but
 * the entry of the object table: it is a read of that.
 */
#include "access.h"
#include "footprint.h"
#include "memo.h"

typedef struct {
    const VmMachine *machine;
    VmAccess *found;
    uint32_t count, line;
    int with_objects;
} Finder;

static void add(Finder *finder, uint64_t start, uint64_t size, uint32_t flags) {
    if (size == 0) return;
    PARANOID(finder->count < MOST_ACCESSES);
    finder->found[finder->count++] = (VmAccess){start, start + size, flags, finder->line};
}

static void add_place(Finder *finder, const void *place, uint64_t size, uint32_t flags) {
    add(finder, (uint64_t)((const uint8_t *)place - finder->machine->memory), size, flags);
}

/* Entries of static objects never change. */
static void add_entries(Finder *finder, uint64_t id, uint64_t count, uint32_t flags) {
    const VmMachine *machine = finder->machine;
    if (id < machine->dynamic_id || id >= machine->id_count) return;
    add_place(finder, machine->objects + id, count * sizeof(VmObject), flags);
}

static uint64_t id_of(const VmMachine *machine, uint64_t pointer) {
    return (pointer & machine->pointer_mask) >> machine->shift;
}

static void add_bytes(Finder *finder, uint64_t pointer, uint64_t size, uint32_t flags) {
    const VmMachine *machine = finder->machine;
    pointer &= machine->pointer_mask;
    const uint8_t *bytes = accessible(machine, machine->shift, pointer, size, (flags & ACCESS_WRITES) != 0);
    if (bytes == NULL || finder->with_objects) add_entries(finder, id_of(machine, pointer), 1, 0);
    if (bytes == NULL) return;
    if ((machine->objects[id_of(machine, pointer)].flags & OBJECT_KIND_MASK) != OBJECT_CONST)
        add_place(finder, bytes, size, flags);
}

/* The stack objects of the thread from number `first` on come to their end. */
static void add_dropped(Finder *finder, uint32_t thread, uint32_t first) {
    const VmMachine *machine = finder->machine;
    uint32_t pool = stack_pool(machine, thread), count = machine->threads[thread].stack_ids;
    if (first >= count) return;
    uint64_t start = (uint64_t)machine->objects[pool + first].base * GRANULE;
    uint64_t end = (uint64_t)(region_of(machine, thread) - machine->memory) + machine->stack_offset +
                   (uint64_t)machine->threads[thread].stack_top * GRANULE;
    add_entries(finder, pool + first, count - first, ACCESS_WRITES);
    if (start < end) add(finder, start, end - start, ACCESS_WRITES);
}

static void add_thread(Finder *finder, uint64_t thread) {
    const VmMachine *machine = finder->machine;
    if (thread < machine->limits.max_threads)
        add_place(finder, machine->threads + thread, sizeof(VmThread), ACCESS_WRITES);
}

/* Where a thread allocates depends on what of its heap is free, which others change when they free. */
static void add_heap(Finder *finder, uint32_t thread) {
    add_place(finder, finder->machine->heaps + thread, sizeof(VmHeap), ACCESS_WRITES);
}

static void add_freed(Finder *finder, uint64_t pointer) {
    const VmMachine *machine = finder->machine;
    uint64_t id = id_of(machine, pointer);
    if (id < machine->dynamic_id || id >= machine->id_count) return;
    const VmObject *object = machine->objects + id;
    if ((object->flags & OBJECT_KIND_MASK) != OBJECT_HEAP) {
        add_entries(finder, id, 1, 0);
        return;
    }
    add_heap(finder, object->flags >> OBJECT_OWNER_SHIFT);
    add_entries(finder, id, ids_for(machine, object->size), ACCESS_WRITES);
    add(finder, (uint64_t)object->base * GRANULE, object->size, ACCESS_WRITES);
}

static void add_object(Finder *finder, uint64_t pointer) {
    const VmMachine *machine = finder->machine;
    uint64_t id = id_of(machine, pointer);
    if (id >= machine->id_count) return;
    const VmObject *object = machine->objects + id;
    add_entries(finder, id, 1, 0);
    add(finder, (uint64_t)object->base * GRANULE, object->size, ACCESS_WRITES);
}

static uint64_t width_of(const VmInstr *instr, VmOpcode first) { return (uint64_t)1 << (instr->op - first); }

/* A compare-and-exchange that fails is a read. */
static uint32_t exchange_flags(const VmMachine *machine, const VmInstr *instr, const uint64_t *slots) {
    uint64_t size = width_of(instr, OP_CMPXCHG8), old = 0, expected = slots[instr->c];
    const uint8_t *bytes = accessible(machine, machine->shift, slots[instr->b] & machine->pointer_mask, size, 1);
    uint32_t flags = ACCESS_IS_DATA | ACCESS_IS_ATOMIC;
    if (bytes == NULL) return flags | ACCESS_WRITES;
    memcpy(&old, bytes, size);
    if (size < sizeof expected) expected &= ((uint64_t)1 << 8 * size) - 1;
    return old == expected ? flags | ACCESS_WRITES : flags;
}

/* Loads and stores: four widths of five opcodes each. */
static void add_load_or_store(Finder *finder, const VmInstr *instr, const uint64_t *slots) {
    uint32_t kind = (uint32_t)(instr->op - OP_LOAD8) / 4;
    uint32_t flags = ACCESS_IS_DATA | (instr->c & ACCESS_ATOMIC ? ACCESS_IS_ATOMIC : 0u);
    uint64_t pointer = instr->op >= OP_LOADA8 ? (uint64_t)instr->x | (uint64_t)instr->y << 32
                                              : slots[instr->b] + (uint64_t)(int64_t)(int32_t)instr->x;
    int reads = kind == (OP_LOAD8 - OP_LOAD8) / 4 || kind == (OP_LOADA8 - OP_LOAD8) / 4;
    add_bytes(finder, pointer, (uint64_t)1 << (instr->op - OP_LOAD8) % 4, flags | (reads ? 0 : ACCESS_WRITES));
}

static void find_other(Finder *finder, uint32_t thread, const VmInstr *instr, const uint64_t *slots) {
    const VmMachine *machine = finder->machine;
    const VmThread *self = machine->threads + thread;
    VmFrameHeader frame = read_frame_header(slots);
    uint64_t ids;
    switch (instr->op) {
    case OP_RET:
    case OP_RETV:
    case OP_RETI:
    case OP_RETN:
        add_dropped(finder, thread, frame.caller == 0 ? 0 : frame.stack_ids);
        if (frame.caller == 0) add_thread(finder, thread);
        return;
    case OP_THREAD_END:
        add_dropped(finder, thread, 0);
        add_thread(finder, thread);
        return;
    case OP_ALLOCA:
    case OP_ALLOCAV:
        ids = ids_for(machine, instr->op == OP_ALLOCA ? instr->x : slots[instr->b] & UINT32_MAX);
        add_entries(finder, stack_pool(machine, thread) + self->stack_ids, ids, ACCESS_WRITES);
        return;
    case OP_STACKREST:
        ids = slots[instr->a] < frame.stack_ids ? frame.stack_ids : slots[instr->a];
        if (ids < self->stack_ids) add_dropped(finder, thread, (uint32_t)ids);
        return;
    case OP_CLEAR: add_object(finder, slots[instr->a]); return;
    case OP_OUTPUT: add_bytes(finder, slots[instr->b], slots[instr->c], 0); return;
    case OP_ALLOC:
        add_heap(finder, thread);
        add_entries(finder, heap_pool(machine, thread), machine->limits.heap_objects, ACCESS_WRITES);
        return;
    case OP_FREE: add_freed(finder, slots[instr->a]); return;
    case OP_OBJSIZE: add_entries(finder, id_of(machine, slots[instr->b]), 1, 0); return;
    case OP_AWAIT: add_bytes(finder, slots[instr->b], sizeof(uint32_t), ACCESS_IS_ATOMIC); return;
    case OP_SPAWN:
        add_thread(finder, slots[instr->a]);
        if (slots[instr->a] < machine->limits.max_threads)
            add_entries(finder, stack_pool(machine, (uint32_t)slots[instr->a]), machine->tls_id_count, ACCESS_WRITES);
        return;
    case OP_SETJMP: add_bytes(finder, slots[instr->b], PLACE_WORDS * sizeof(uint32_t), ACCESS_WRITES); return;
    case OP_LONGJMP:
        add_bytes(finder, slots[instr->a], PLACE_WORDS * sizeof(uint32_t), 0);
        add_dropped(finder, thread, machine->tls_id_count);
        return;
    case OP_EXIT:
        if (machine->exit_sees_all) {
            finder->found[finder->count++] = access_to_everything();
            return;
        }
        /* fall through */
    case OP_ABORT: /* what the others have not written by then is never written */
        add(finder, machine->globals_offset, machine->image.globals_size, 0);
        return;
    default: return;
    }
}

/* The line of the user's program that an instruction is executed for: its own or, in the library, that of the call. */
static uint32_t line_of(const VmMachine *machine, uint32_t thread, uint32_t pc, const uint64_t *slots) {
    const uint64_t *registers = registers_of(machine, thread);
    while (machine->lines[pc] == 0) {
        VmFrameHeader header = read_frame_header(slots);
        if (header.caller == 0) break;
        pc = header.return_pc - 1;
        slots = registers + header.caller;
    }
    return machine->lines[pc];
}

static uint32_t find_all(const VmMachine *machine, uint32_t thread, const VmInstr *instr, const uint64_t *slots,
                         int with_objects, VmAccess found[MOST_ACCESSES]) {
    Finder finder = {machine, found, 0, 0, with_objects};
    if (machine->lines != NULL) finder.line = line_of(machine, thread, (uint32_t)(instr - machine->image.code), slots);
    if (instr->op >= OP_LOAD8 && instr->op <= OP_STOREA64) {
        if (!is_private_access(machine, thread, instr, slots)) add_load_or_store(&finder, instr, slots);
    } else if (instr->op >= OP_RMW8 && instr->op <= OP_RMW64) {
        add_bytes(&finder, slots[instr->b], width_of(instr, OP_RMW8),
                  ACCESS_IS_DATA | ACCESS_WRITES | ACCESS_IS_ATOMIC);
    } else if (instr->op >= OP_CMPXCHG8 && instr->op <= OP_CMPXCHG64) {
        add_bytes(&finder, slots[instr->b], width_of(instr, OP_CMPXCHG8), exchange_flags(machine, instr, slots));
    } else {
        find_other(&finder, thread, instr, slots);
    }
    return finder.count;
}

uint32_t accesses_of(const VmMachine *machine, uint32_t thread, const VmInstr *instr, const uint64_t *slots,
                     VmAccess found[MOST_ACCESSES]) {
    return find_all(machine, thread, instr, slots, 0, found);
}

uint32_t accesses_with_objects(const VmMachine *machine, uint32_t thread, const VmInstr *instr, const uint64_t *slots,
                               VmAccess found[MOST_ACCESSES]) {
    return find_all(machine, thread, instr, slots, 1, found);
}

VmAccess access_to_everything(void) { return (VmAccess){0, UINT64_MAX, ACCESS_WRITES, 0}; }

/* Memory is often gone through byte by byte: what continues the access before it makes that one longer. */
void access_add(VmAccessList *list, VmAccess access) {
    if (list->is_exact) list->entries = with_room(list->entries, list->count, &list->capacity, sizeof *list->entries);
    VmAccess *before = list->count > 0 ? list->entries + list->count - 1 : NULL;
    if (before != NULL && before->flags == access.flags && before->start <= access.start &&
        access.start <= before->end && (before->line == access.line || !list->is_exact)) {
        if (access.end > before->end) before->end = access.end;
    } else if (list->count < list->capacity) {
        list->entries[list->count++] = access;
    } else {
        list->overflowed = 1;
        list->entries[0] = access_to_everything();
        list->count = 1;
    }
}

void accesses_note(VmMachine *machine, uint32_t thread, const VmInstr *instr, const uint64_t *slots) {
    VmAccess found[MOST_ACCESSES];
    uint32_t count = find_all(machine, thread, instr, slots, machine->accesses->with_objects, found);
    if (machine->accesses->capture != NULL) capture_note(machine, machine->accesses->capture, thread, instr, slots);
    for (uint32_t i = 0; i < count; i++) access_add(machine->accesses, found[i]);
}
