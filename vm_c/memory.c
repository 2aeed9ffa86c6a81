/* SPDX-License-Identifier: Apache-2.0
 *
 * Objects: why an access is wrong, the heaps, the stack objects. Each thread has a pool of heap ids and heap space and
 * one of stack ids and stack space, so that the order in which different threads allocate does not show in the state.
 * Heap ids and space are always the lowest that fit: they depend on what is alive, not on the order of frees.
 */
#include "access.h"
#include "shadow.h"

static uint32_t object_kind(const VmObject *object) { return object->flags & OBJECT_KIND_MASK; }

static int is_heap_id(const VmMachine *machine, uint64_t id) {
    return id >= machine->dynamic_id && id < stack_pool(machine, 0);
}

VmFault access_fault(VmMachine *machine, uint64_t pointer, uint64_t size, int write) {
    uint64_t id = pointer >> machine->shift;
    machine->detail[0] = pointer;
    machine->detail[1] = size;
    if (id == 0) return FAULT_NULL_POINTER;
    if (id >= machine->id_count) return FAULT_WILD_POINTER;
    const VmObject *object = machine->objects + id;
    switch (object_kind(object)) {
    case OBJECT_DEAD: return is_heap_id(machine, id) ? FAULT_USE_AFTER_FREE : FAULT_USE_AFTER_RETURN;
    case OBJECT_FUNCTION:
    case OBJECT_LABEL: return FAULT_DATA_ACCESS_TO_CODE;
    default: break;
    }
    uint64_t offset = pointer & (((uint64_t)1 << machine->shift) - 1);
    if (size > object->size || offset > object->size - size) return FAULT_OUT_OF_BOUNDS;
    return write && !(object->flags & OBJECT_WRITABLE) ? FAULT_WRITE_CONST : FAULT_NONE;
}

uint8_t *checked_access(VmMachine *machine, uint64_t pointer, uint64_t size, int write, VmFault *fault) {
    uint8_t *bytes = accessible(machine, machine->shift, pointer, size, write);
    *fault = bytes == NULL ? access_fault(machine, pointer, size, write) : FAULT_NONE;
    return bytes;
}

/* Writes the entries of an object that owns `ids` ids. */
static void make_object(VmMachine *machine, uint32_t id, uint32_t ids, VmObject first) {
    for (uint32_t k = 0; k < ids; k++) {
        uint32_t skipped = k << machine->shift % 32; /* with a shift of 32 there is only k == 0 */
        VmObject *entry = machine->objects + id + k;
        *entry = first;
        entry->base += skipped / GRANULE;
        entry->size -= skipped;
        if (k > 0) entry->flags |= OBJECT_CONTINUED;
    }
    note_write(machine, machine->objects + id, ids * sizeof(VmObject));
}

static uint32_t object_flags(uint32_t kind, uint32_t owner) {
    return kind | OBJECT_WRITABLE | owner << OBJECT_OWNER_SHIFT;
}

static uint64_t *id_bits(const VmMachine *machine, uint32_t thread) {
    return (uint64_t *)(region_of(machine, thread) + machine->id_bits_offset);
}

static uint64_t *space_bits(const VmMachine *machine, uint32_t thread) {
    return (uint64_t *)(region_of(machine, thread) + machine->space_bits_offset);
}

static uint32_t heap_base(const VmMachine *machine, uint32_t thread) {
    return (uint32_t)((machine->regions_offset + thread * machine->region_size + machine->heap_offset) / GRANULE);
}

/* Takes ids and space, both relative to the thread's pool, into the bookkeeping of the heap. */
static void heap_take(VmMachine *machine, uint32_t thread, uint32_t id, uint32_t ids, uint32_t start, uint32_t space) {
    VmHeap *heap = machine->heaps + thread;
    note_thread(machine, thread);
    bitmap_set(&machine->id_shape, id_bits(machine, thread), id, ids);
    bitmap_set(&machine->space_shape, space_bits(machine, thread), start, space);
    heap->live_ids += ids;
    if (id + ids > heap->id_end) heap->id_end = id + ids;
    if (space > 0 && start + space > heap->space_end) heap->space_end = start + space;
}

/* The first of `ids` ids for a new block, or the limit: the lowest that are free, or those that were never given out.
 */
static uint32_t free_ids(const VmMachine *machine, uint32_t thread, uint32_t ids) {
    uint32_t end = machine->heaps[thread].id_end, limit = machine->id_shape.limit;
    if (!machine->keeps_ids) return bitmap_find_run(&machine->id_shape, id_bits(machine, thread), ids);
    return ids <= limit - end ? end : limit;
}

static VmObject heap_object(uint64_t size, uint32_t thread, uint32_t site) {
    return (VmObject){.size = (uint32_t)size, .flags = object_flags(OBJECT_HEAP, thread), .site = site};
}

VmFault heap_allocate(VmMachine *machine, uint32_t thread, uint64_t size, uint64_t alignment, uint32_t site,
                      uint64_t *pointer) {
    machine->detail[0] = size;
    machine->detail[1] = alignment;
    if (alignment == 0 || (alignment & (alignment - 1)) != 0) return FAULT_LIBRARY_MISUSE;
    /* The start of any object is a multiple of 2^shift; nobody is given more than that. */
    if (size > machine->limits.heap_bytes || alignment >> machine->shift > 1) return FAULT_HEAP_LIMIT;
    VmObject object = heap_object(size, thread, site);
    uint32_t ids = ids_for(machine, size), space = object_granules(machine, &object), start = 0;
    uint32_t id = free_ids(machine, thread, ids);
    if (id == machine->id_shape.limit) return FAULT_HEAP_LIMIT;
    if (space > 0) {
        start = bitmap_find_run(&machine->space_shape, space_bits(machine, thread), space);
        if (start == machine->space_shape.limit) return FAULT_HEAP_LIMIT;
    }
    heap_take(machine, thread, id, ids, start, space);
    object.base = heap_base(machine, thread) + start;
    make_object(machine, heap_pool(machine, thread) + id, ids, object);
    *pointer = (uint64_t)(heap_pool(machine, thread) + id) << machine->shift;
    return FAULT_NONE;
}

/* The live heap object that the pointer points to the start of. */
static VmFault find_heap_object(VmMachine *machine, uint64_t pointer, VmObject **object) {
    uint64_t id = pointer >> machine->shift;
    machine->detail[0] = pointer;
    machine->detail[1] = 0;
    if (!is_heap_id(machine, id)) return FAULT_INVALID_FREE;
    *object = machine->objects + id;
    if (object_kind(*object) == OBJECT_DEAD) return FAULT_DOUBLE_FREE;
    if (id << machine->shift != pointer || ((*object)->flags & OBJECT_CONTINUED)) return FAULT_INVALID_FREE;
    return FAULT_NONE;
}

/* Zeroes an object and its shadow. */
static void clear_bytes(VmMachine *machine, const VmObject *object) {
    uint8_t *bytes = machine->memory + (uint64_t)object->base * GRANULE;
    uint64_t size = has_shadow(machine, object) ? (uint64_t)object_granules(machine, object) * GRANULE : object->size;
    memset(bytes, 0, size);
    note_write(machine, bytes, size);
}

VmFault heap_free(VmMachine *machine, uint64_t pointer) {
    VmObject *object;
    if (pointer == 0) return FAULT_NONE;
    VmFault fault = find_heap_object(machine, pointer, &object);
    if (fault != FAULT_NONE) return fault;
    uint32_t thread = object->flags >> OBJECT_OWNER_SHIFT, size = object->size;
    uint32_t ids = ids_for(machine, size), space = object_granules(machine, object);
    uint32_t id = (uint32_t)(pointer >> machine->shift) - heap_pool(machine, thread);
    uint32_t start = object->base - heap_base(machine, thread);
    VmHeap *heap = machine->heaps + thread;
    PARANOID(thread < machine->limits.max_threads && id + ids <= machine->limits.heap_objects);
    PARANOID(start + space <= machine->space_shape.limit);
    clear_bytes(machine, object);
    memset(object, 0, ids * sizeof *object);
    note_write(machine, object, ids * sizeof *object);
    note_thread(machine, thread);
    bitmap_clear(&machine->id_shape, id_bits(machine, thread), id, ids);
    bitmap_clear(&machine->space_shape, space_bits(machine, thread), start, space);
    heap->live_ids -= ids;
    if (id + ids == heap->id_end && !machine->keeps_ids)
        heap->id_end = bitmap_end(id_bits(machine, thread), heap->id_end);
    if (start + space == heap->space_end) heap->space_end = bitmap_end(space_bits(machine, thread), heap->space_end);
    return FAULT_NONE;
}

VmFault heap_size(VmMachine *machine, uint64_t pointer, uint64_t *size) {
    VmObject *object;
    VmFault fault = find_heap_object(machine, pointer, &object);
    if (fault == FAULT_NONE) *size = object->size;
    return fault;
}

/* Empties the bitmaps; the entries and the bytes are the caller's business. */
void heap_forget(VmMachine *machine, uint32_t thread) {
    VmHeap *heap = machine->heaps + thread;
    bitmap_clear(&machine->id_shape, id_bits(machine, thread), 0, heap->id_end);
    bitmap_clear(&machine->space_shape, space_bits(machine, thread), 0, heap->space_end);
}

/* Builds the bitmaps anew from the entries of the object table; 0 when those are not what the heap says. */
int heap_rebuild(VmMachine *machine, uint32_t thread) {
    VmHeap *heap = machine->heaps + thread, expected = *heap;
    uint32_t ids;
    *heap = (VmHeap){.stale_ids = expected.stale_ids, .id_end = machine->keeps_ids ? expected.id_end : 0};
    for (uint32_t id = 0; id < expected.id_end; id += ids) {
        const VmObject *object = machine->objects + heap_pool(machine, thread) + id;
        ids = 1;
        if (object_kind(object) == OBJECT_DEAD) continue;
        ids = ids_for(machine, object->size);
        uint64_t start = (uint64_t)object->base - heap_base(machine, thread), space = object_granules(machine, object);
        if (start > expected.space_end || space > expected.space_end - start || ids > expected.id_end - id) return 0;
        heap_take(machine, thread, id, ids, (uint32_t)start, (uint32_t)space);
    }
    return memcmp(heap, &expected, sizeof expected) == 0;
}

/* Takes the object of an entry out of the bitmaps, or puts it there; the records of the heap are the caller's. */
void heap_account(VmMachine *machine, const VmObject *object, int live) {
    if (object_kind(object) != OBJECT_HEAP || (object->flags & OBJECT_CONTINUED)) return;
    uint32_t thread = object->flags >> OBJECT_OWNER_SHIFT;
    uint32_t id = (uint32_t)(object - machine->objects) - heap_pool(machine, thread);
    void (*update)(const VmBitmapShape *, uint64_t *, uint32_t, uint32_t) = live ? bitmap_set : bitmap_clear;
    update(&machine->id_shape, id_bits(machine, thread), id, ids_for(machine, object->size));
    update(&machine->space_shape, space_bits(machine, thread), object->base - heap_base(machine, thread),
           object_granules(machine, object));
}

/* `flags` are a kind, and OBJECT_ESCAPED if others may get to know the address; they may know it already from an object
 * that had the same id. */
VmFault stack_allocate(VmMachine *machine, uint32_t thread, uint64_t size, uint32_t flags, uint32_t site,
                       uint64_t *pointer) {
    VmThread *owner = machine->threads + thread;
    machine->detail[0] = size;
    machine->detail[1] = 0;
    if (size > machine->limits.stack_bytes) return FAULT_STACK_LIMIT;
    VmObject object = {.size = (uint32_t)size, .flags = object_flags(flags, thread), .site = site};
    uint32_t ids = ids_for(machine, size), space = object_granules(machine, &object);
    if (ids > machine->limits.stack_objects - owner->stack_ids) return FAULT_STACK_LIMIT;
    if (space > machine->limits.stack_bytes / GRANULE - owner->stack_top) return FAULT_STACK_LIMIT;
    uint64_t stack = machine->regions_offset + thread * machine->region_size + machine->stack_offset;
    uint32_t id = stack_pool(machine, thread) + owner->stack_ids;
    if (owner->stack_ids < machine->heaps[thread].stale_ids) object.flags |= OBJECT_ESCAPED;
    object.base = (uint32_t)(stack / GRANULE) + owner->stack_top;
    make_object(machine, id, ids, object);
    owner->stack_ids += ids;
    owner->stack_top += space;
    *pointer = (uint64_t)id << machine->shift;
    return FAULT_NONE;
}

/* 1 + the highest stack object from number `first` on that others may know; 0: there is none. */
uint32_t stack_escaped(const VmMachine *machine, uint32_t thread, uint32_t first) {
    const VmObject *pool = machine->objects + stack_pool(machine, thread);
    uint32_t number = machine->threads[thread].stack_ids;
    while (number > first && !(pool[number - 1].flags & OBJECT_ESCAPED)) number--;
    return number > first ? number : 0;
}

/* Drops the stack objects of the thread from number `keep_ids` on; never a part of an object. */
void stack_drop(VmMachine *machine, uint32_t thread, uint32_t keep_ids) {
    VmThread *owner = machine->threads + thread;
    VmObject *pool = machine->objects + stack_pool(machine, thread);
    while (keep_ids < owner->stack_ids && (pool[keep_ids].flags & OBJECT_CONTINUED)) keep_ids++;
    if (keep_ids >= owner->stack_ids) return;
    uint8_t *start = machine->memory + (uint64_t)pool[keep_ids].base * GRANULE;
    uint8_t *stack = region_of(machine, thread) + machine->stack_offset;
    uint8_t *end = stack + (uint64_t)owner->stack_top * GRANULE;
    PARANOID(start >= stack && start <= end);
    uint32_t stale = stack_escaped(machine, thread, keep_ids);
    if (stale > machine->heaps[thread].stale_ids) machine->heaps[thread].stale_ids = stale;
    memset(start, 0, (size_t)(end - start));
    note_write(machine, start, (uint64_t)(end - start));
    memset(pool + keep_ids, 0, (owner->stack_ids - keep_ids) * sizeof *pool);
    note_write(machine, pool + keep_ids, (owner->stack_ids - keep_ids) * sizeof *pool);
    owner->stack_ids = keep_ids;
    owner->stack_top = (uint32_t)((uint64_t)(start - stack) / GRANULE);
}

VmFault stack_clear_object(VmMachine *machine, uint64_t pointer) {
    uint64_t id = pointer >> machine->shift;
    VmFault fault = access_fault(machine, id << machine->shift, 0, 1);
    if (fault != FAULT_NONE) return fault;
    while (machine->objects[id].flags & OBJECT_CONTINUED) id--;
    const VmObject *object = machine->objects + id;
    if (object_kind(object) != OBJECT_STACK) return FAULT_WILD_POINTER;
    clear_bytes(machine, object);
    return FAULT_NONE;
}

/* --- what was written --- */

/* The number of the bit of an access's last byte, and where the bits of its object begin; null: it has none. */
static uint8_t *shadow_of(const VmMachine *machine, uint64_t pointer, uint64_t size, uint64_t *first) {
    const VmObject *object = machine->objects + (pointer >> machine->shift);
    if (!has_shadow(machine, object)) return NULL;
    uint64_t whole = (uint64_t)granules(object->size) * GRANULE;
    *first = whole - (pointer & (((uint64_t)1 << machine->shift) - 1)) - size;
    return machine->memory + (uint64_t)object->base * GRANULE + whole;
}

uint32_t shadow_read(const VmMachine *machine, uint64_t pointer, uint64_t size) {
    uint64_t first;
    const uint8_t *shadow = shadow_of(machine, pointer, size, &first);
    if (shadow == NULL) return all_marks(size);
    uint32_t bits = shadow[first / 8];
    if (first % 8 + size > 8) bits |= (uint32_t)shadow[first / 8 + 1] << 8;
    return bits >> first % 8 & all_marks(size);
}

void shadow_write(VmMachine *machine, uint64_t pointer, uint64_t size, uint64_t marks) {
    uint64_t first;
    uint8_t *shadow = shadow_of(machine, pointer, size, &first);
    if (shadow == NULL) return;
    uint32_t mask = all_marks(size) << first % 8, bits = ((uint32_t)marks & all_marks(size)) << first % 8;
    shadow += first / 8;
    shadow[0] = (uint8_t)((shadow[0] & ~mask) | bits);
    if (first % 8 + size > 8) shadow[1] = (uint8_t)((shadow[1] & ~(mask >> 8)) | bits >> 8);
    note_write(machine, shadow, first % 8 + size > 8 ? 2 : 1);
}

void heap_hide(VmMachine *machine, uint64_t pointer) {
    VmObject *object = machine->objects + (pointer >> machine->shift);
    object->flags |= OBJECT_HIDDEN;
    note_write(machine, object, sizeof *object);
}

void heap_initialise(VmMachine *machine, uint64_t pointer) {
    const VmObject *object = machine->objects + (pointer >> machine->shift);
    uint64_t size = has_shadow(machine, object) ? object->size : 0;
    for (uint64_t at = 0; at < size; at += MOST_MARKS) {
        uint64_t left = size - at;
        shadow_write(machine, pointer + at, left < MOST_MARKS ? left : MOST_MARKS, UINT64_MAX);
    }
}

int vm_initialised(const VmMachine *machine, uint64_t pointer, uint64_t size) {
    pointer &= machine->pointer_mask;
    if (size == 0) return 1;
    if (accessible(machine, machine->shift, pointer, size, 0) == NULL) return 0;
    for (; size > MOST_MARKS; size -= MOST_MARKS, pointer += MOST_MARKS) {
        if (shadow_read(machine, pointer, MOST_MARKS) != all_marks(MOST_MARKS)) return 0;
    }
    return shadow_read(machine, pointer, size) == all_marks(size);
}

const uint8_t *vm_read(const VmMachine *machine, uint64_t pointer, uint64_t size) {
    return size == 0 ? NULL : accessible(machine, machine->shift, pointer, size, 0);
}

int vm_object_info(const VmMachine *machine, uint64_t pointer, VmObjectInfo *info) {
    uint64_t id = pointer >> machine->shift;
    memset(info, 0, sizeof *info);
    if (id >= machine->id_count || object_kind(machine->objects + id) == OBJECT_DEAD) return 0;
    while (machine->objects[id].flags & OBJECT_CONTINUED) id--;
    const VmObject *object = machine->objects + id;
    info->id = (uint32_t)id;
    info->kind = object_kind(object);
    info->owner = object->flags >> OBJECT_OWNER_SHIFT;
    info->site = object->site;
    info->size = object->size;
    info->offset = pointer - (id << machine->shift);
    return 1;
}
