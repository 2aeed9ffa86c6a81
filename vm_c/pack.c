/* SPDX-License-Identifier: Apache-2.0
 *
 * Packed snapshots: header, threads, heaps, globals, then of each thread the registers, stack entries, stack memory,
 * heap entries and heap memory in use. The first three say how long the rest is. Everything else in the state is zero
 * or (the bitmaps of the heaps) follows from the entries of the object table.
 */
#include "machine.h"

typedef struct {
    uint8_t *bytes;
    size_t size;
} Extent;

enum { FIXED_EXTENTS = 4, THREAD_EXTENTS = 5 };

static void fixed_extents(const VmMachine *machine, Extent *extents) {
    uint32_t threads = machine->limits.max_threads;
    extents[0] = (Extent){(uint8_t *)machine->header, sizeof *machine->header};
    extents[1] = (Extent){(uint8_t *)machine->threads, threads * sizeof *machine->threads};
    extents[2] = (Extent){(uint8_t *)machine->heaps, threads * sizeof *machine->heaps};
    extents[3] = (Extent){machine->memory + machine->globals_offset, machine->image.globals_size};
}

static void thread_extents(const VmMachine *machine, uint32_t index, Extent *extents) {
    const VmThread *thread = machine->threads + index;
    const VmHeap *heap = machine->heaps + index;
    uint8_t *region = region_of(machine, index);
    extents[0] = (Extent){region, registers_in_use(machine, thread) * sizeof(uint64_t)};
    extents[1] =
        (Extent){(uint8_t *)(machine->objects + stack_pool(machine, index)), thread->stack_ids * sizeof(VmObject)};
    extents[2] = (Extent){region + machine->stack_offset, (size_t)thread->stack_top * GRANULE};
    extents[3] = (Extent){(uint8_t *)(machine->objects + heap_pool(machine, index)), heap->id_end * sizeof(VmObject)};
    extents[4] = (Extent){region + machine->heap_offset, (size_t)heap->space_end * GRANULE};
}

size_t vm_pack(const VmMachine *machine, uint8_t *buffer, size_t capacity) {
    Extent extents[FIXED_EXTENTS + 64 * THREAD_EXTENTS];
    size_t count = FIXED_EXTENTS, total = 0;
    fixed_extents(machine, extents);
    for (uint32_t thread = 0; thread < machine->limits.max_threads; thread++, count += THREAD_EXTENTS) {
        thread_extents(machine, thread, extents + count);
    }
    for (size_t i = 0; i < count; i++) total += extents[i].size;
    if (total > capacity) return total;
    for (size_t i = 0; i < count; i++) {
        memcpy(buffer, extents[i].bytes, extents[i].size);
        buffer += extents[i].size;
    }
    return total;
}

/* Whether a thread and its heap, as unpacked, say lengths that exist. */
static int extents_fit(const VmMachine *machine, uint32_t index) {
    const VmThread *thread = machine->threads + index;
    const VmHeap *heap = machine->heaps + index;
    const VmLimits *limits = &machine->limits;
    if (thread->pc >= machine->image.code_count || thread->status > THREAD_RUNNING) return 0;
    if (registers_in_use(machine, thread) > limits->stack_slots) return 0;
    return thread->stack_ids <= limits->stack_objects && thread->stack_top <= limits->stack_bytes / GRANULE &&
           heap->id_end <= limits->heap_objects && heap->space_end <= limits->heap_bytes / GRANULE;
}

static int take(const Extent *extents, size_t count, const uint8_t **buffer, size_t *size) {
    for (size_t i = 0; i < count; i++) {
        if (extents[i].size > *size) return 0;
        memcpy(extents[i].bytes, *buffer, extents[i].size);
        *buffer += extents[i].size;
        *size -= extents[i].size;
    }
    return 1;
}

/* Zeroes what is in use, which costs less than the whole state. */
static void clear_extents(VmMachine *machine) {
    Extent extents[THREAD_EXTENTS];
    for (uint32_t thread = 0; thread < machine->limits.max_threads; thread++) {
        thread_extents(machine, thread, extents);
        for (size_t i = 0; i < THREAD_EXTENTS; i++) memset(extents[i].bytes, 0, extents[i].size);
        heap_forget(machine, thread);
    }
}

static int unpack(VmMachine *machine, const uint8_t *buffer, size_t size) {
    Extent extents[FIXED_EXTENTS + THREAD_EXTENTS];
    fixed_extents(machine, extents);
    if (!take(extents, FIXED_EXTENTS, &buffer, &size)) return 0;
    for (uint32_t thread = 0; thread < machine->limits.max_threads; thread++) {
        if (!extents_fit(machine, thread)) return 0;
    }
    for (uint32_t thread = 0; thread < machine->limits.max_threads; thread++) {
        thread_extents(machine, thread, extents);
        if (!take(extents, THREAD_EXTENTS, &buffer, &size) || !heap_rebuild(machine, thread)) return 0;
    }
    return size == 0;
}

int vm_unpack(VmMachine *machine, const uint8_t *buffer, size_t size) {
    clear_extents(machine);
    if (unpack(machine, buffer, size)) return 1;
    vm_reset(machine);
    return 0;
}
