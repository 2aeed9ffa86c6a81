/* SPDX-License-Identifier: Apache-2.0
 *
 * Running property functions, as seldom as possible.
 */
#include "property.h"

#include <stdlib.h>

static uint8_t *object_bytes(const VmMachine *machine, uint32_t object) {
    return machine->memory + machine->globals_offset + machine->image.objects[object].start;
}

static uint32_t object_size(const VmMachine *machine, uint32_t object) {
    return object == NO_OBJECT ? 0 : machine->image.objects[object].size;
}

int property_create(Property *property, const VmMachine *machine, uint32_t function, uint32_t object) {
    *property = (Property){.function = function, .object = object};
    property->reads.capacity = MOST_PROPERTY_READS;
    property->reads.with_objects = 1;
    property->reads.entries = malloc(MOST_PROPERTY_READS * sizeof(VmAccess));
    property->filled = malloc(2 * (size_t)object_size(machine, object) + 1); /* and what was there before */
    if (property->reads.entries != NULL && property->filled != NULL) return 1;
    property_destroy(property);
    return 0;
}

void property_destroy(Property *property) {
    free(property->reads.entries);
    footprint_release(&property->footprint);
    free(property->filled);
    free(property->values);
    *property = (Property){0};
}

static int is_current(const Property *property, const VmMachine *machine) {
    const uint8_t *value = property->values;
    if (!property->is_known) return 0;
    for (uint32_t i = 0; i < property->reads.count; i++) {
        const VmAccess *read = property->reads.entries + i;
        if (memcmp(machine->memory + read->start, value, read->end - read->start) != 0) return 0;
        value += read->end - read->start;
    }
    return 1;
}

/* What happens in the slot for evaluation is nobody else's: only reads outside it count. */
static int is_own(const VmMachine *machine, const VmAccess *read) {
    uint32_t slot = machine->limits.max_threads, stack = stack_pool(machine, slot);
    uint64_t region = (uint64_t)(region_of(machine, slot) - machine->memory);
    uint64_t entries = (uint64_t)((const uint8_t *)(machine->objects + stack) - machine->memory);
    uint64_t entries_end = entries + (uint64_t)machine->limits.stack_objects * sizeof(VmObject);
    return (read->start >= region && read->start < region + machine->region_size) ||
           (read->start >= entries && read->start < entries_end);
}

static void forget_own_reads(Property *property, const VmMachine *machine) {
    uint32_t kept = 0;
    VmAccess own = {0};
    if (property->object != NO_OBJECT) {
        own.start = (uint64_t)(object_bytes(machine, property->object) - machine->memory);
        own.end = own.start + object_size(machine, property->object);
    }
    for (uint32_t i = 0; i < property->reads.count; i++) {
        VmAccess read = property->reads.entries[i];
        if (!is_own(machine, &read) && !(read.start >= own.start && read.end <= own.end))
            property->reads.entries[kept++] = read;
    }
    property->reads.count = kept;
}

/* Too many reads, or no memory for their values: then nothing is known, and every state is evaluated. */
static void remember_values(Property *property, const VmMachine *machine) {
    uint64_t size = 0;
    property->is_known = 0;
    if (property->reads.overflowed || machine->image.tracks) return; /* marks are not among the bytes that it read */
    forget_own_reads(property, machine);
    for (uint32_t i = 0; i < property->reads.count; i++)
        size += property->reads.entries[i].end - property->reads.entries[i].start;
    if (size > property->values_capacity) {
        uint8_t *values = realloc(property->values, 2 * size);
        if (values == NULL) return;
        property->values = values;
        property->values_capacity = 2 * size;
    }
    uint8_t *value = property->values;
    footprint_clear(&property->footprint);
    for (uint32_t i = 0; i < property->reads.count; i++) {
        const VmAccess *read = property->reads.entries + i;
        footprint_add(&property->footprint, read);
        memcpy(value, machine->memory + read->start, read->end - read->start);
        value += read->end - read->start;
    }
    property->is_known = 1;
}

/* The object is the function's for as long as it runs: it finds zeros there, and the program what it had before. */
static int run(Property *property, VmMachine *machine) {
    uint32_t size = object_size(machine, property->object);
    if (size == 0) return vm_evaluate(machine, property->function, &property->result);
    uint8_t *bytes = object_bytes(machine, property->object), *before = property->filled + size;
    memcpy(before, bytes, size);
    memset(bytes, 0, size);
    machine->scratch_start = vm_static_pointer(machine, property->object);
    machine->scratch_end = machine->scratch_start + size;
    int good = vm_evaluate(machine, property->function, &property->result);
    machine->scratch_start = machine->scratch_end = 0;
    memcpy(property->filled, bytes, size);
    memcpy(bytes, before, size);
    return good;
}

int property_update(Property *property, VmMachine *machine) {
    if (is_current(property, machine)) return 1;
    property->runs++;
    property->reads.count = 0;
    property->reads.overflowed = 0;
    machine->accesses = &property->reads;
    int good = run(property, machine);
    machine->accesses = NULL;
    if (good)
        remember_values(property, machine);
    else
        property->is_known = 0;
    return good;
}

int property_is_touched(const Property *property, const VmAccess *access) {
    if (!(access->flags & ACCESS_WRITES)) return 0;
    return !property->is_known || footprint_conflicts(&property->footprint, access);
}
