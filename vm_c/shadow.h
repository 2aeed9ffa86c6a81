/* SPDX-License-Identifier: Apache-2.0
 *
 * Which bytes of heap and stack objects were ever written: a bit for each, behind the object's own bytes, if the
 * program asks for it (VmImage.tracks). Fresh memory is zero, and so are its bits: nothing has been written there.
 *
 * The bits are counted from the end of the object, rounded up to whole granules, so that an object with several ids
 * needs no look at the first one. Marks of an access, at most 8 bytes, are a number whose lowest bit is for its last
 * byte.
 */
#pragma once

#include "machine.h"

enum { MOST_MARKS = 8 };

static inline uint32_t all_marks(uint64_t size) { return (1u << size) - 1; }

/* Everything else is initialised when it comes to be. */
static inline int has_shadow(const VmMachine *machine, const VmObject *object) {
    uint32_t kind = object->flags & OBJECT_KIND_MASK;
    return machine->image.tracks && (kind == OBJECT_HEAP || kind == OBJECT_STACK);
}

/* Granules that an object takes, its shadow included. */
static inline uint32_t object_granules(const VmMachine *machine, const VmObject *object) {
    return granules(object->size) + (has_shadow(machine, object) ? granules(((uint64_t)object->size + 7) / 8) : 0);
}

/* memory.c: marks of valid accesses */
uint32_t shadow_read(const VmMachine *machine, uint64_t pointer, uint64_t size);
void shadow_write(VmMachine *machine, uint64_t pointer, uint64_t size, uint64_t marks);
