/* SPDX-License-Identifier: Apache-2.0
 *
 * Finding leaks: every word at an aligned place that could be a pointer into a live heap block is taken for one. Only
 * the bytes of objects and the slots of frames are looked at, not what the machine keeps between them.
 */
#include "leaks.h"

#include <stdlib.h>

typedef struct {
    const VmMachine *machine;
    uint32_t end;     /* of the heap ids in use */
    uint8_t *reached; /* of each heap id in use */
    uint32_t *work;   /* reached blocks whose bytes were not looked at yet */
    uint32_t work_count;
} Search;

static uint32_t kind_of(const VmObject *object) { return object->flags & OBJECT_KIND_MASK; }

/* Heaps lie one after the other in the ids; the last one may be in use up to here. */
static uint32_t heap_ids_end(const VmMachine *machine) {
    uint32_t end = machine->dynamic_id;
    for (uint32_t thread = 0; thread < machine->limits.max_threads; thread++) {
        if (machine->heaps[thread].id_end > 0) end = heap_pool(machine, thread) + machine->heaps[thread].id_end;
    }
    return end;
}

static void follow(Search *search, uint64_t word) {
    const VmMachine *machine = search->machine;
    uint64_t id = word >> machine->shift;
    if (id < machine->dynamic_id || id >= search->end) return;
    if (kind_of(machine->objects + id) != OBJECT_HEAP) return;
    while (machine->objects[id].flags & OBJECT_CONTINUED) id--;
    if (search->reached[id - machine->dynamic_id]) return;
    search->reached[id - machine->dynamic_id] = 1;
    search->work[search->work_count++] = (uint32_t)id;
}

static void scan_bytes(Search *search, const uint8_t *bytes, uint64_t size) {
    uint64_t width = search->machine->image.pointer_bits / 8;
    for (uint64_t at = 0; at + width <= size; at += width) {
        uint64_t word = 0;
        memcpy(&word, bytes + at, width);
        follow(search, word);
    }
}

static void scan_object(Search *search, const VmObject *object) {
    scan_bytes(search, search->machine->memory + (uint64_t)object->base * GRANULE, object->size);
}

static void scan_registers(Search *search, uint32_t thread) {
    const VmMachine *machine = search->machine;
    const uint64_t *registers = registers_of(machine, thread);
    uint64_t frame = machine->threads[thread].frame, end = registers_in_use(machine, machine->threads + thread);
    while (frame != 0) {
        for (uint64_t slot = frame; slot < end; slot++) follow(search, registers[slot] & machine->pointer_mask);
        end = frame - FRAME_HEADER_SLOTS;
        frame = read_frame_header(registers + frame).caller;
    }
}

static void scan_thread(Search *search, uint32_t thread) {
    const VmMachine *machine = search->machine;
    const VmObject *pool = machine->objects + stack_pool(machine, thread);
    if (machine->threads[thread].status != THREAD_RUNNING) return;
    scan_registers(search, thread);
    for (uint32_t number = 0; number < machine->threads[thread].stack_ids; number++) {
        if (!(pool[number].flags & OBJECT_CONTINUED)) scan_object(search, pool + number);
    }
}

static void add_block(LeftBlocks *blocks, const VmMachine *machine, uint32_t id) {
    if (blocks->count++ == 0) blocks->first = (uint64_t)id << machine->shift;
    blocks->bytes += machine->objects[id].size;
}

Leaks leaks_find(const VmMachine *machine) {
    Leaks leaks = {0};
    uint32_t end = heap_ids_end(machine), ids = end - machine->dynamic_id;
    if (ids == 0) return leaks;
    Search search = {.machine = machine, .end = end, .reached = calloc(ids, 1), .work = malloc(ids * sizeof(uint32_t))};
    if (search.reached == NULL || search.work == NULL) abort(); /* there is nothing that could be done instead */
    scan_bytes(&search, machine->memory + machine->globals_offset, machine->image.globals_size);
    for (uint32_t thread = 0; thread < machine->limits.max_threads; thread++) scan_thread(&search, thread);
    while (search.work_count > 0) scan_object(&search, machine->objects + search.work[--search.work_count]);
    for (uint32_t id = machine->dynamic_id; id < end; id++) {
        const VmObject *object = machine->objects + id;
        if (kind_of(object) != OBJECT_HEAP || (object->flags & (OBJECT_CONTINUED | OBJECT_HIDDEN))) continue;
        add_block(search.reached[id - machine->dynamic_id] ? &leaks.reachable : &leaks.lost, machine, id);
    }
    free(search.reached);
    free(search.work);
    return leaks;
}
