/* SPDX-License-Identifier: Apache-2.0
 *
 * Entry i of level k of a segment stands for its lines from i * FAN^k on; above the segment's height all entries are 0.
 */
#define _GNU_SOURCE
#include "trees.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "shared.h"
#include "table.h"

enum { FAN_SHIFT = 4, FAN = 1 << FAN_SHIFT, MOST_LEVELS = 8 };

typedef struct {
    uint64_t first_line;
    uint32_t height;
    uint32_t *level[MOST_LEVELS];
    uint8_t *is_due[MOST_LEVELS]; /* whether an entry waits to be computed anew */
} Segment;

typedef struct {
    uint32_t segment, index;
} Due;

static Table blocks;
static Segment *segments;
static uint32_t segment_count;
static Due *due[MOST_LEVELS];
static uint32_t due_count[MOST_LEVELS];
static uint32_t *changed_entries; /* lines of heap entries that were replaced while loading */
static uint32_t changed_entry_count;

static void *reserve(uint64_t bytes) {
    void *place = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place == MAP_FAILED) search_fail("no memory for the state store: %llu bytes", (unsigned long long)bytes);
    return place;
}

static uint64_t lines_of(uint64_t bytes) { return (bytes + LINE_BYTES - 1) / LINE_BYTES; }

static uint32_t height_for(uint64_t bytes) {
    uint32_t height = 0;
    for (uint64_t lines = lines_of(bytes); lines > 1; lines = (lines + FAN - 1) / FAN) height++;
    return height;
}

/* --- segments --- */

static uint64_t segment_bytes(const VmMachine *machine, uint32_t kind) {
    const VmLimits *limits = &machine->limits;
    switch (kind) {
    case REGISTERS: return (uint64_t)limits->stack_slots * sizeof(uint64_t);
    case STACK_ENTRIES: return (uint64_t)limits->stack_objects * sizeof(VmObject);
    case STACK_MEMORY: return limits->stack_bytes;
    case HEAP_ENTRIES: return (uint64_t)limits->heap_objects * sizeof(VmObject);
    default: return limits->heap_bytes;
    }
}

const uint8_t *segment_start(const VmMachine *machine, uint32_t thread, uint32_t kind) {
    switch (kind) {
    case REGISTERS: return region_of(machine, thread);
    case STACK_ENTRIES: return (const uint8_t *)(machine->objects + stack_pool(machine, thread));
    case STACK_MEMORY: return region_of(machine, thread) + machine->stack_offset;
    case HEAP_ENTRIES: return (const uint8_t *)(machine->objects + heap_pool(machine, thread));
    default: return region_of(machine, thread) + machine->heap_offset;
    }
}

uint64_t segment_in_use(const VmMachine *machine, const VmThread *thread, const VmHeap *heap, uint32_t kind) {
    switch (kind) {
    case REGISTERS: return registers_in_use(machine, thread) * sizeof(uint64_t);
    case STACK_ENTRIES: return (uint64_t)thread->stack_ids * sizeof(VmObject);
    case STACK_MEMORY: return (uint64_t)thread->stack_top * GRANULE;
    case HEAP_ENTRIES: return (uint64_t)heap->id_end * sizeof(VmObject);
    default: return (uint64_t)heap->space_end * GRANULE;
    }
}

static void create_segment(const VmMachine *machine, Segment *segment, const uint8_t *start, uint64_t bytes) {
    uint64_t entries = lines_of(bytes);
    segment->first_line = (uint64_t)(start - machine->memory) / LINE_BYTES;
    for (uint32_t level = 0; level < MOST_LEVELS; level++) {
        uint64_t room = (entries + FAN) / FAN * FAN; /* a node reads all its children */
        segment->level[level] = reserve(room * sizeof(uint32_t));
        segment->is_due[level] = reserve(room);
        if (entries <= 1) break;
        entries = (entries + FAN - 1) / FAN;
    }
}

void trees_create(VmMachine *machine, uint64_t memory_limit) {
    uint64_t lines = machine->memory_size / LINE_BYTES + 1;
    table_create(&blocks, LINE_BYTES, memory_limit / LINE_BYTES);
    segment_count = machine->limits.max_threads * SEGMENTS + 1;
    segments = calloc(segment_count, sizeof *segments);
    if (segments == NULL) search_fail("no memory for the state store");
    for (uint32_t i = 0; i + 1 < segment_count; i++) {
        create_segment(machine, segments + i, segment_start(machine, i / SEGMENTS, i % SEGMENTS),
                       segment_bytes(machine, i % SEGMENTS));
    }
    create_segment(machine, segments + segment_count - 1, machine->memory + machine->globals_offset,
                   machine->image.globals_size);
    for (uint32_t level = 0; level < MOST_LEVELS; level++) due[level] = reserve(lines * sizeof(Due));
    changed_entries = reserve(lines * sizeof *changed_entries);
    VmChanges *changes = calloc(1, sizeof *changes);
    if (changes == NULL) search_fail("no memory for the state store");
    changes->marked = reserve(lines);
    changes->lines = reserve(lines * sizeof *changes->lines);
    machine->changes = changes;
}

uint32_t trees_globals(void) { return segment_count - 1; }

uint64_t trees_count(void) { return blocks.share->count; }

uint64_t trees_bytes(void) { return table_bytes(&blocks); }

/* Which segment a line of memory belongs to; segment_count: to none (records, bitmaps). */
static uint32_t segment_of(const VmMachine *machine, uint64_t line) {
    uint64_t offset = line * LINE_BYTES, thread, kind;
    if (offset >= machine->regions_offset) {
        thread = (offset - machine->regions_offset) / machine->region_size;
        uint64_t inside = (offset - machine->regions_offset) % machine->region_size;
        kind = inside < machine->stack_offset ? REGISTERS : inside < machine->heap_offset ? STACK_MEMORY : HEAP_MEMORY;
        if (inside >= machine->id_bits_offset) return segment_count;
    } else if (offset >= machine->globals_offset) {
        return segment_count - 1;
    } else {
        uint64_t id = (offset - (uint64_t)((const uint8_t *)machine->objects - machine->memory)) / sizeof(VmObject);
        if (id >= machine->id_count) return segment_count;
        kind = id >= stack_pool(machine, 0) ? STACK_ENTRIES : HEAP_ENTRIES;
        thread = kind == STACK_ENTRIES ? (id - stack_pool(machine, 0)) / machine->limits.stack_objects
                                       : (id - machine->dynamic_id) / machine->limits.heap_objects;
    }
    return thread < machine->limits.max_threads ? segment_of_thread((uint32_t)thread, (uint32_t)kind) : segment_count;
}

/* --- numbers of what the machine has --- */

static int is_zero(const void *block) {
    const uint64_t *words = block;
    return (words[0] | words[1] | words[2] | words[3] | words[4] | words[5] | words[6] | words[7]) == 0;
}

uint32_t trees_intern(const void *line) { return is_zero(line) ? 0 : table_intern(&blocks, line); }

const void *trees_line(uint32_t number) {
    static const uint64_t zeros[LINE_BYTES / sizeof(uint64_t)];
    return number == 0 ? zeros : table_record(&blocks, number);
}

static void make_due(uint32_t level, uint32_t segment, uint32_t index) {
    uint8_t *flag = segments[segment].is_due[level] + index;
    if (*flag) return;
    *flag = 1;
    due[level][due_count[level]++] = (Due){segment, index};
}

static void take_line(VmMachine *machine, uint64_t line, uint32_t segment) {
    machine->changes->marked[line] = 0;
    if (segment == segment_count) return;
    make_due(0, segment, (uint32_t)(line - segments[segment].first_line));
    if (segment + 1 < segment_count) machine->changes->threads |= (uint64_t)1 << segment / SEGMENTS;
}

void trees_take_all(VmMachine *machine) {
    VmChanges *changes = machine->changes;
    for (uint32_t i = 0; i < changes->count; i++)
        take_line(machine, changes->lines[i], segment_of(machine, changes->lines[i]));
    changes->count = 0;
}

void trees_take_local(VmMachine *machine, uint32_t thread) {
    VmChanges *changes = machine->changes;
    uint32_t kept = 0, first = segment_of_thread(thread, REGISTERS), last = segment_of_thread(thread, STACK_MEMORY);
    for (uint32_t i = 0; i < changes->count; i++) {
        uint32_t segment = segment_of(machine, changes->lines[i]);
        if (segment >= first && segment <= last)
            take_line(machine, changes->lines[i], segment);
        else
            changes->lines[kept++] = changes->lines[i];
    }
    changes->count = kept;
}

/* A tree that grows gets new top nodes. Comes after the lines have become due. */
void trees_fit(uint32_t number, uint64_t bytes) {
    Segment *segment = segments + number;
    uint32_t height = height_for(bytes);
    for (uint32_t level = segment->height + 1; level <= height; level++) make_due(level, number, 0);
    if (height > segment->height) segment->height = height;
}

void trees_compute(const VmMachine *machine) {
    for (uint32_t level = 0; level < MOST_LEVELS; level++) {
        for (uint32_t i = 0; i < due_count[level]; i++) {
            Due entry = due[level][i];
            Segment *segment = segments + entry.segment;
            const void *block = level == 0
                                    ? (const void *)(machine->memory + (segment->first_line + entry.index) * LINE_BYTES)
                                    : (const void *)(segment->level[level - 1] + (uint64_t)entry.index * FAN);
            uint32_t number = trees_intern(block);
            segment->is_due[level][entry.index] = 0;
            if (segment->level[level][entry.index] == number) continue;
            segment->level[level][entry.index] = number;
            if (level < segment->height) make_due(level + 1, entry.segment, entry.index / FAN);
        }
        due_count[level] = 0;
    }
}

/* A tree that has shrunk loses its top nodes. */
uint32_t trees_top(uint32_t number, uint64_t bytes) {
    Segment *segment = segments + number;
    for (uint32_t height = height_for(bytes); segment->height > height; segment->height--)
        segment->level[segment->height][0] = 0;
    return segment->level[segment->height][0];
}

/* --- loading --- */

/* Takes the objects of four heap entries out of the bitmaps of their heap, or puts them there. */
static void account_entries(VmMachine *machine, uint64_t line, int live) {
    const VmObject *entries = (const VmObject *)(machine->memory + line * LINE_BYTES);
    for (uint32_t i = 0; i < LINE_BYTES / sizeof(VmObject); i++) heap_account(machine, entries + i, live);
}

void trees_begin_loading(void) { changed_entry_count = 0; }

void trees_end_loading(VmMachine *machine) {
    for (uint32_t i = 0; i < changed_entry_count; i++) account_entries(machine, changed_entries[i], 1);
}

static void load_line(VmMachine *machine, uint32_t number, uint32_t index, uint32_t tree) {
    uint64_t line = segments[number].first_line + index;
    if (number + 1 < segment_count && number % SEGMENTS == HEAP_ENTRIES) {
        account_entries(machine, line, 0);
        changed_entries[changed_entry_count++] = (uint32_t)line;
    }
    memcpy(machine->memory + line * LINE_BYTES, trees_line(tree), LINE_BYTES);
}

/* Makes entry `index` of a level the given tree, and the memory below it accordingly. */
static void load_tree(VmMachine *machine, uint32_t number, uint32_t level, uint32_t index, uint32_t tree) {
    uint32_t *entry = segments[number].level[level] + index;
    if (*entry == tree) return;
    *entry = tree;
    if (level == 0) {
        load_line(machine, number, index, tree);
        return;
    }
    const uint32_t *children = trees_line(tree), *present = segments[number].level[level - 1] + (uint64_t)index * FAN;
    for (uint32_t i = 0; i < FAN; i++) { /* most are the same */
        if (children[i] != present[i]) load_tree(machine, number, level - 1, index * FAN + i, children[i]);
    }
}

/* Above its height a tree has no numbers, only zeros, so nothing can be compared there: what is on top of the lower of
 * the old and the new tree is gone through entry by entry. */
void trees_load(VmMachine *machine, uint32_t number, uint64_t bytes, uint32_t tree) {
    Segment *segment = segments + number;
    uint32_t height = height_for(bytes);
    for (; segment->height > height; segment->height--) {
        for (uint32_t i = 1; i < FAN; i++) load_tree(machine, number, segment->height - 1, i, 0);
        segment->level[segment->height][0] = 0;
    }
    for (uint32_t level = height; level > segment->height; level--) {
        const uint32_t *children = trees_line(tree);
        segment->level[level][0] = tree;
        for (uint32_t i = 1; i < FAN; i++) load_tree(machine, number, level - 1, i, children[i]);
        tree = children[0];
    }
    load_tree(machine, number, segment->height, 0, tree);
    segment->height = height;
}

void trees_put_back(VmMachine *machine) {
    VmChanges *changes = machine->changes;
    for (uint32_t i = 0; i < changes->count; i++) {
        uint64_t line = changes->lines[i];
        uint32_t number = segment_of(machine, line);
        changes->marked[line] = 0;
        if (number == segment_count) continue;
        uint32_t index = (uint32_t)(line - segments[number].first_line);
        load_line(machine, number, index, segments[number].level[0][index]);
    }
    changes->count = 0;
}
