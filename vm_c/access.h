/* SPDX-License-Identifier: Apache-2.0
 *
 * The fast path of every access to guest memory: pointer and size in, host address or null out. When it is null,
 * access_fault() of memory.c finds out why. `shift` is machine->shift, as a constant where the caller knows it.
 */
#pragma once

#include "machine.h"

static inline void check_object_place(const VmMachine *machine, const VmObject *object) {
#ifdef VM_PARANOID
    uint64_t start = (uint64_t)object->base * GRANULE, end = start + object->size;
    uint32_t kind = object->flags & OBJECT_KIND_MASK, owner = object->flags >> OBJECT_OWNER_SHIFT;
    uint64_t region = machine->regions_offset + owner * machine->region_size;
    PARANOID(owner < machine->slots);
    if (kind == OBJECT_CONST) {
        PARANOID(end <= machine->image.constants_size);
    } else if (kind == OBJECT_GLOBAL) {
        PARANOID(start >= machine->globals_offset && end <= machine->globals_offset + machine->image.globals_size);
    } else if (kind == OBJECT_HEAP) {
        PARANOID(start >= region + machine->heap_offset && end <= region + machine->id_bits_offset);
    } else {
        PARANOID(kind == OBJECT_STACK || kind == OBJECT_THREAD_LOCAL);
        PARANOID(start >= region + machine->stack_offset &&
                 end <= region + machine->stack_offset + (uint64_t)machine->threads[owner].stack_top * GRANULE);
    }
#else
    (void)machine;
    (void)object;
#endif
}

static inline uint8_t *accessible(const VmMachine *machine, uint32_t shift, uint64_t pointer, uint64_t size,
                                  int write) {
    uint64_t id = pointer >> shift;
    uint64_t offset = pointer & (((uint64_t)1 << shift) - 1);
    if (UNLIKELY(id >= machine->id_count)) return NULL;
    const VmObject *object = machine->objects + id;
    if (UNLIKELY(size > UINT32_MAX || offset + size > object->size)) return NULL;
    if (write && UNLIKELY(!(object->flags & OBJECT_WRITABLE))) return NULL;
    check_object_place(machine, object);
    return machine->memory + (uint64_t)object->base * GRANULE + offset;
}
