/* SPDX-License-Identifier: Apache-2.0
 *
 * The map of the machine's memory: gives every object id and every region its place, creates and resets the machine,
 * and answers questions about what lies where.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "machine.h"

enum { PAGE = 4096, MAX_THREADS = 64 };

static uint64_t round_up(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit * unit; }

static uint32_t limit_or(uint32_t limit, uint32_t otherwise, uint32_t unit) {
    uint64_t value = round_up(limit == 0 ? otherwise : limit, unit);
    return value > UINT32_MAX ? UINT32_MAX / unit * unit : (uint32_t)value;
}

static int set_limits(VmMachine *machine, const VmLimits *limits, char *error, size_t capacity) {
    VmLimits *used = &machine->limits;
    used->max_threads = limits->max_threads == 0 ? 8 : limits->max_threads;
    machine->slots = used->max_threads + 1;
    used->heap_bytes = limit_or(limits->heap_bytes, 64u << 20, 64 * GRANULE);
    used->heap_objects = limit_or(limits->heap_objects, 1u << 20, 64);
    used->stack_slots = limit_or(limits->stack_slots, 1u << 20, 64);
    used->stack_bytes = limit_or(limits->stack_bytes, 8u << 20, GRANULE);
    used->stack_objects = limit_or(limits->stack_objects, 1u << 18, 64);
    if (used->max_threads > MAX_THREADS) {
        return image_error(error, capacity, "%u threads, at most %d are possible", used->max_threads, MAX_THREADS);
    }
    if (used->heap_objects > 1u << 25 || used->stack_objects > 1u << 24 || used->stack_slots > 1u << 28) {
        return image_error(error, capacity,
                           "a limit is too large: at most 2^25 heap objects, 2^24 stack objects and "
                           "2^28 stack slots for each thread");
    }
    return 1;
}

/* Gives ids to everything static, and cuts the dynamic pools to what is left where ids have 16 bits. */
static int number_objects(VmMachine *machine, char *error, size_t capacity) {
    const VmImage *image = &machine->image;
    VmLimits *limits = &machine->limits;
    uint64_t id = 1;
    id += ids_for(machine, (uint64_t)image->function_count * 16);
    machine->label_id = (uint32_t)id;
    id += LABEL_IDS;
    if ((uint64_t)image->code_count >> machine->shift >= LABEL_IDS)
        return image_error(error, capacity, "too many instructions");
    machine->static_id = (uint32_t)id;
    machine->static_ids = calloc((size_t)image->object_count + 1, sizeof(uint32_t));
    machine->tls_ids = calloc((size_t)image->tls_count + 1, sizeof(uint32_t));
    if (machine->static_ids == NULL || machine->tls_ids == NULL) return image_error(error, capacity, "no memory");
    for (uint32_t i = 0; i < image->object_count; i++) {
        machine->static_ids[i] = (uint32_t)id;
        id += ids_for(machine, image->objects[i].size);
    }
    for (uint32_t i = 0; i < image->tls_count; i++) {
        machine->tls_ids[i] = machine->tls_id_count;
        machine->tls_id_count += ids_for(machine, image->tls[i].size);
    }
    machine->dynamic_id = (uint32_t)id;
    if (image->pointer_bits == 32) {
        uint64_t pool = id < 65536 ? (65536 - id) / (2 * machine->slots) / 64 * 64 : 0;
        if (pool == 0)
            return image_error(error, capacity, "too many objects for 32-bit pointers: %llu ids",
                               (unsigned long long)id);
        if (limits->heap_objects > pool) limits->heap_objects = (uint32_t)pool;
        if (limits->stack_objects > pool) limits->stack_objects = (uint32_t)pool;
    }
    id += (uint64_t)machine->slots * (limits->heap_objects + limits->stack_objects);
    if (id > UINT32_MAX) return image_error(error, capacity, "too many objects: %llu ids", (unsigned long long)id);
    machine->id_count = (uint32_t)id;
    return 1;
}

/* Decides where everything is; the dynamic part of the object table, and so the state, starts on a page. */
static int lay_out(VmMachine *machine, char *error, size_t capacity) {
    const VmLimits *limits = &machine->limits;
    uint64_t static_bytes = (uint64_t)machine->dynamic_id * sizeof(VmObject);
    uint64_t state = round_up(round_up(machine->image.constants_size, GRANULE) + static_bytes, PAGE);
    uint64_t dynamic_bytes = (uint64_t)(machine->id_count - machine->dynamic_id) * sizeof(VmObject);
    uint64_t header = round_up(state + dynamic_bytes, 64);
    uint64_t threads = round_up(header + sizeof(VmHeader), 64);
    uint64_t heaps = threads + machine->slots * sizeof(VmThread);
    machine->state_offset = state;
    machine->globals_offset = round_up(heaps + machine->slots * sizeof(VmHeap), 64);
    machine->regions_offset = round_up(machine->globals_offset + machine->image.globals_size, PAGE);
    bitmap_shape(&machine->id_shape, limits->heap_objects);
    bitmap_shape(&machine->space_shape, limits->heap_bytes / GRANULE);
    machine->stack_offset = round_up((uint64_t)limits->stack_slots * 8, PAGE);
    machine->heap_offset = round_up(machine->stack_offset + limits->stack_bytes, PAGE);
    machine->id_bits_offset = round_up(machine->heap_offset + limits->heap_bytes, PAGE);
    machine->space_bits_offset = round_up(machine->id_bits_offset + machine->id_shape.words * 8, PAGE);
    machine->region_size = round_up(machine->space_bits_offset + machine->space_shape.words * 8, PAGE);
    machine->memory_size = machine->regions_offset + machine->slots * machine->region_size;
    if (machine->memory_size / GRANULE > UINT32_MAX) {
        return image_error(error, capacity, "the limits ask for %llu bytes of memory, more than 64 GiB",
                           (unsigned long long)machine->memory_size);
    }
    machine->mapping_size = machine->memory_size + 2 * PAGE;
    void *mapping = mmap(NULL, machine->mapping_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED) {
        return image_error(error, capacity, "no memory: the limits ask for %llu bytes of address space",
                           (unsigned long long)machine->memory_size);
    }
    machine->mapping = mapping;
    machine->memory = machine->mapping + PAGE;
    if (mprotect(machine->memory, machine->memory_size, PROT_READ | PROT_WRITE) != 0) {
        return image_error(error, capacity, "no memory: %llu bytes", (unsigned long long)machine->memory_size);
    }
    machine->objects = (VmObject *)(machine->memory + state) - machine->dynamic_id;
    machine->header = (VmHeader *)(machine->memory + header);
    machine->threads = (VmThread *)(machine->memory + threads);
    machine->heaps = (VmHeap *)(machine->memory + heaps);
    return 1;
}

static void fill_static_objects(VmMachine *machine) {
    const VmImage *image = &machine->image;
    VmObject *objects = machine->objects;
    memcpy(machine->memory, image->constants, image->constants_size);
    objects[0] = (VmObject){.flags = OBJECT_NULL};
    for (uint32_t id = 1; id < machine->label_id; id++) objects[id] = (VmObject){.flags = OBJECT_FUNCTION};
    for (uint32_t id = machine->label_id; id < machine->static_id; id++)
        objects[id] = (VmObject){.flags = OBJECT_LABEL};
    for (uint32_t id = 1; id < machine->static_id; id++) {
        if (id != 1 && id != machine->label_id) objects[id].flags |= OBJECT_CONTINUED;
    }
    for (uint32_t i = 0; i < image->object_count; i++) {
        const VmStaticObject *object = image->objects + i;
        int constant = (object->flags & OBJECT_CONSTANT) != 0;
        uint64_t base = (constant ? 0 : machine->globals_offset) + object->start;
        for (uint32_t k = 0; k < ids_for(machine, object->size); k++) {
            uint32_t skipped = k << machine->shift % 32; /* with a shift of 32 there is only k == 0 */
            objects[machine->static_ids[i] + k] = (VmObject){
                .base = (uint32_t)((base + skipped) / GRANULE),
                .size = object->size - skipped,
                .flags = (constant ? (uint32_t)OBJECT_CONST : (uint32_t)OBJECT_GLOBAL | OBJECT_WRITABLE) |
                         (k > 0 ? OBJECT_CONTINUED : 0),
                .site = i,
            };
        }
    }
}

/* Fresh zero pages for the whole state. */
void state_clear(VmMachine *machine) {
    uint8_t *start = machine->memory + machine->state_offset;
    size_t size = machine->memory_size - machine->state_offset;
    if (madvise(start, size, MADV_DONTNEED) != 0) memset(start, 0, size);
}

static VmFault start_process(VmMachine *machine) {
    memcpy(machine->memory + machine->globals_offset, machine->image.globals, machine->image.globals_size);
    uint64_t thread = 0;
    return thread_start(machine, 0, machine->image.entry, &thread, 1);
}

void vm_reset(VmMachine *machine) {
    state_clear(machine);
    machine->executed = 0;
    machine->total = 0;
    start_process(machine);
}

VmMachine *vm_create(const uint8_t *image, size_t size, const VmLimits *limits, char *error, size_t capacity) {
    static const VmLimits defaults;
    VmMachine *machine = calloc(1, sizeof *machine);
    if (machine == NULL) {
        image_error(error, capacity, "no memory for a machine");
        return NULL;
    }
    int good = image_load(&machine->image, image, size, error, capacity) &&
               set_limits(machine, limits == NULL ? &defaults : limits, error, capacity);
    machine->shift = machine->image.pointer_bits / 2;
    machine->pointer_mask = machine->image.pointer_bits == 32 ? UINT32_MAX : UINT64_MAX;
    good = good && number_objects(machine, error, capacity) && lay_out(machine, error, capacity);
    if (good) {
        fill_static_objects(machine);
        if (start_process(machine) != FAULT_NONE) {
            good =
                image_error(error, capacity, "the first frame and the thread-local variables exceed the stack limits");
        }
    }
    if (!good) {
        vm_destroy(machine);
        return NULL;
    }
    return machine;
}

void vm_destroy(VmMachine *machine) {
    if (machine == NULL) return;
    if (machine->mapping != NULL) munmap(machine->mapping, machine->mapping_size);
    free(machine->static_ids);
    free(machine->tls_ids);
    image_release(&machine->image);
    free(machine);
}
