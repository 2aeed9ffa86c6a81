/* SPDX-License-Identifier: Apache-2.0
 *
 * The tree store: a state is one number. Everything is cut into blocks of 64 bytes, each stored once (table.c):
 *
 *     root           number of the summary, of the pair of header and globals, and of four groups of threads
 *     pair           block of the header, tree of the globals
 *     group          blocks of some threads
 *     thread block   the thread's record, its heap's record, and the trees of its five segments
 *     tree           a line of memory (height 0), or 16 numbers of trees one lower; number 0 is all zero
 *
 * How high a segment's tree is follows from how much of the segment is in use, which the records tell. The numbers of
 * the state that the machine is in are kept beside it, so that saving costs what was written since the last save, and
 * loading copies what differs.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>

#include "pancam.h"
#include "shared.h"
#include "store.h"
#include "table.h"
#include "visited.h"

enum { FAN_SHIFT = 4, FAN = 1 << FAN_SHIFT, MOST_LEVELS = 8, SEGMENTS = 5 };
enum { GROUPS = 4, MOST_THREADS = 64 };
enum { REGISTERS, STACK_ENTRIES, STACK_MEMORY, HEAP_ENTRIES, HEAP_MEMORY };

typedef struct {
    VmThread thread;
    VmHeap heap;
    uint32_t trees[SEGMENTS];
} ThreadBlock;
_Static_assert(sizeof(ThreadBlock) == LINE_BYTES, "a thread is a block");
_Static_assert(sizeof(VmHeader) <= LINE_BYTES, "the header fits into a block");

typedef struct {
    uint32_t header, globals;
} Pair;

typedef struct {
    uint32_t summary, pair, groups[GROUPS];
} Root;
_Static_assert(sizeof(Root) % 8 == 0 && sizeof(Pair) % 8 == 0, "records are made of words");

/* A stretch of the machine's memory, and the numbers of the trees over it. Entry i of level k stands for the lines from
 * i * FAN^k on; above `height` all entries are 0. */
typedef struct {
    uint64_t first_line;
    uint32_t height;
    uint32_t *level[MOST_LEVELS];
    uint8_t *is_due[MOST_LEVELS]; /* whether an entry waits to be computed anew */
} Segment;

typedef struct {
    uint32_t segment, index;
} Due;

uint32_t pan_tracked;

static Table blocks, summaries, pairs, groups, roots;
static Segment *segments; /* of thread t: from t * SEGMENTS on; then the globals */
static uint32_t segment_count;

/* The state that the machine is in, taken apart; `summary` may be newer than `root` while it is made. */
static ThreadBlock *threads;
static uint32_t thread_numbers[MOST_THREADS]; /* of their blocks; group after group */
static uint32_t group_size;                   /* threads of a group */
static Pair pair;
static Root root;
static uint32_t root_number;
static VmHeader header;
static StateSummary *summary, *known_summary;

static Due *due[MOST_LEVELS];
static uint32_t due_count[MOST_LEVELS];
static uint32_t *changed_entries; /* lines of heap entries that a load has replaced */
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

static const uint8_t *segment_start(const VmMachine *machine, uint32_t thread, uint32_t kind) {
    switch (kind) {
    case REGISTERS: return region_of(machine, thread);
    case STACK_ENTRIES: return (const uint8_t *)(machine->objects + stack_pool(machine, thread));
    case STACK_MEMORY: return region_of(machine, thread) + machine->stack_offset;
    case HEAP_ENTRIES: return (const uint8_t *)(machine->objects + heap_pool(machine, thread));
    default: return region_of(machine, thread) + machine->heap_offset;
    }
}

/* Bytes in use, as the records say. */
static uint64_t used_bytes(const VmMachine *machine, const VmThread *thread, const VmHeap *heap, uint32_t kind) {
    switch (kind) {
    case REGISTERS: return registers_in_use(machine, thread) * sizeof(uint64_t);
    case STACK_ENTRIES: return (uint64_t)thread->stack_ids * sizeof(VmObject);
    case STACK_MEMORY: return (uint64_t)thread->stack_top * GRANULE;
    case HEAP_ENTRIES: return (uint64_t)heap->id_end * sizeof(VmObject);
    default: return (uint64_t)heap->space_end * GRANULE;
    }
}

void store_touch(VmCheck *check) {
    VmMachine *machine = check->machine;
    note_write(machine, machine->memory + machine->globals_offset, machine->image.globals_size);
    for (uint32_t thread = 0; thread < machine->limits.max_threads; thread++) {
        note_thread(machine, thread);
        for (uint32_t kind = 0; kind < SEGMENTS; kind++) {
            note_write(machine, segment_start(machine, thread, kind),
                       used_bytes(machine, machine->threads + thread, machine->heaps + thread, kind));
        }
    }
}

/* There are never more of the parts than roots, but for blocks. */
static void create_tables(uint32_t thread_count, uint64_t memory_limit) {
    uint64_t most = memory_limit / sizeof root;
    uint32_t summary_bytes = (uint32_t)(sizeof *summary + thread_count + 7) / 8 * 8;
    group_size = ((thread_count + GROUPS - 1) / GROUPS + 1) & ~1u; /* even, so that a group is made of words */
    table_create(&blocks, LINE_BYTES, memory_limit / LINE_BYTES);
    table_create(&summaries, summary_bytes, most);
    table_create(&pairs, sizeof pair, most);
    table_create(&groups, group_size * (uint32_t)sizeof *thread_numbers, most);
    table_create(&roots, sizeof root, most);
    summary = calloc(1, summary_bytes);
    known_summary = calloc(1, summary_bytes);
    if (summary == NULL || known_summary == NULL) search_fail("no memory for the state store");
    visited_create(most);
}

void store_create(VmCheck *check, uint64_t memory_limit) {
    VmMachine *machine = check->machine;
    uint32_t count = machine->limits.max_threads;
    create_tables(count, memory_limit);
    segment_count = count * SEGMENTS + 1;
    segments = calloc(segment_count, sizeof *segments);
    threads = calloc(count, sizeof *threads);
    if (segments == NULL || threads == NULL) search_fail("no memory for the state store");
    for (uint32_t i = 0; i + 1 < segment_count; i++) {
        create_segment(machine, segments + i, segment_start(machine, i / SEGMENTS, i % SEGMENTS),
                       segment_bytes(machine, i % SEGMENTS));
    }
    Segment *globals = segments + segment_count - 1;
    create_segment(machine, globals, machine->memory + machine->globals_offset, machine->image.globals_size);
    globals->height = height_for(machine->image.globals_size);
    uint64_t lines = machine->memory_size / LINE_BYTES + 1;
    for (uint32_t level = 0; level < MOST_LEVELS; level++) due[level] = reserve(lines * sizeof(Due));
    changed_entries = reserve(lines * sizeof *changed_entries);
    VmChanges *changes = calloc(1, sizeof *changes);
    if (changes == NULL) search_fail("no memory for the state store");
    changes->marked = reserve(lines);
    changes->lines = reserve(lines * sizeof *changes->lines);
    /* The numbers stand for a state of zeros: everything that is in use has changed. Saving it makes them those of the
     * machine's state. Every process must start from there, those that only ever load states of others, too. */
    machine->changes = changes;
    store_touch(check);
    store_save(check);
    pan_tracked = 0; /* for SPIN there is no state before pan_setup */
}

/* --- a check of the store itself: -DSTORE_VERIFY keeps every state packed as well, and compares --- */

#ifdef STORE_VERIFY
static struct {
    uint8_t *bytes;
    size_t size;
} copies[1 << 20];

static void verify(const VmMachine *machine, uint32_t number, const char *occasion) {
    size_t size = vm_pack(machine, NULL, 0);
    uint8_t *bytes = malloc(size);
    if (bytes == NULL || number >= sizeof copies / sizeof *copies) search_fail("too many states to verify the store");
    vm_pack(machine, bytes, size);
    if (copies[number].bytes == NULL) {
        copies[number].bytes = bytes;
        copies[number].size = size;
        return;
    }
    if (copies[number].size != size || memcmp(copies[number].bytes, bytes, size) != 0)
        search_fail("the tree store is wrong when it %s state %u", occasion, number);
    free(bytes);
}
#else
static void verify(const VmMachine *machine, uint32_t number, const char *occasion) {
    (void)machine, (void)number, (void)occasion;
}
#endif

/* --- saving --- */

static int is_zero(const void *block) {
    const uint64_t *words = block;
    return (words[0] | words[1] | words[2] | words[3] | words[4] | words[5] | words[6] | words[7]) == 0;
}

static uint32_t intern_block(const void *block) { return is_zero(block) ? 0 : table_intern(&blocks, block); }

static void make_due(uint32_t level, uint32_t segment, uint32_t index) {
    uint8_t *flag = segments[segment].is_due[level] + index;
    if (*flag) return;
    *flag = 1;
    due[level][due_count[level]++] = (Due){segment, index};
}

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
    return thread < machine->limits.max_threads ? (uint32_t)(thread * SEGMENTS + kind) : segment_count;
}

/* A tree that grows gets new top nodes; one that shrinks loses them. Comes after the lines have become due. */
static void set_height(uint32_t number, uint32_t height) {
    Segment *segment = segments + number;
    for (uint32_t level = segment->height + 1; level <= height; level++) make_due(level, number, 0);
    segment->height = height > segment->height ? height : segment->height;
}

static void drop_height(Segment *segment, uint32_t height) {
    for (; segment->height > height; segment->height--) segment->level[segment->height][0] = 0;
}

static void compute_due(VmMachine *machine) {
    for (uint32_t level = 0; level < MOST_LEVELS; level++) {
        for (uint32_t i = 0; i < due_count[level]; i++) {
            Due entry = due[level][i];
            Segment *segment = segments + entry.segment;
            const void *block = level == 0
                                    ? (const void *)(machine->memory + (segment->first_line + entry.index) * LINE_BYTES)
                                    : (const void *)(segment->level[level - 1] + (uint64_t)entry.index * FAN);
            uint32_t number = intern_block(block);
            segment->is_due[level][entry.index] = 0;
            if (segment->level[level][entry.index] == number) continue;
            segment->level[level][entry.index] = number;
            if (level < segment->height) make_due(level + 1, entry.segment, entry.index / FAN);
        }
        due_count[level] = 0;
    }
}

/* A line may belong to a thread that did not move. */
static void save_lines(VmMachine *machine) {
    VmChanges *changes = machine->changes;
    for (uint32_t i = 0; i < changes->count; i++) {
        uint64_t line = changes->lines[i];
        changes->marked[line] = 0;
        uint32_t segment = segment_of(machine, line);
        if (segment == segment_count) continue;
        make_due(0, segment, (uint32_t)(line - segments[segment].first_line));
        if (segment + 1 < segment_count) changes->threads |= (uint64_t)1 << segment / SEGMENTS;
    }
    changes->count = 0;
}

static uint32_t top_of(const Segment *segment) { return segment->level[segment->height][0]; }

static void save_thread(VmMachine *machine, uint32_t thread) {
    ThreadBlock *block = threads + thread;
    block->thread = machine->threads[thread];
    block->heap = machine->heaps[thread];
    for (uint32_t kind = 0; kind < SEGMENTS; kind++) {
        Segment *segment = segments + thread * SEGMENTS + kind;
        drop_height(segment, height_for(used_bytes(machine, &block->thread, &block->heap, kind)));
        block->trees[kind] = top_of(segment);
    }
    thread_numbers[thread] = intern_block(block);
}

/* A group of threads that do not exist is number 0. */
static uint32_t intern_group(uint32_t group) {
    const uint32_t *numbers = thread_numbers + group * group_size;
    uint32_t any = 0;
    for (uint32_t i = 0; i < group_size; i++) any |= numbers[i];
    return any == 0 ? 0 : table_intern(&groups, numbers);
}

static void save_threads(VmMachine *machine, uint64_t changed) {
    uint32_t changed_groups = 0;
    for (uint64_t left = changed; left != 0; left &= left - 1) {
        uint32_t thread = (uint32_t)__builtin_ctzll(left);
        save_thread(machine, thread);
        changed_groups |= 1u << thread / group_size;
    }
    for (; changed_groups != 0; changed_groups &= changed_groups - 1) {
        uint32_t group = (uint32_t)__builtin_ctz(changed_groups);
        root.groups[group] = intern_group(group);
    }
}

static void save_header(const VmMachine *machine) {
    uint8_t block[LINE_BYTES] = {0};
    if (memcmp(&header, machine->header, sizeof header) == 0) return;
    header = *machine->header;
    memcpy(block, &header, sizeof header);
    pair.header = intern_block(block);
}

static void save_pair(const VmMachine *machine) {
    Pair before = pair;
    save_header(machine);
    pair.globals = top_of(segments + segment_count - 1);
    if (root.pair == 0 || memcmp(&before, &pair, sizeof pair) != 0) root.pair = table_intern(&pairs, &pair);
}

static void save_summary(VmCheck *check) {
    summarise(check, summary);
    if (root.summary != 0 && memcmp(summary, known_summary, summaries.record_bytes) == 0) return;
    memcpy(known_summary, summary, summaries.record_bytes);
    root.summary = table_intern(&summaries, summary);
}

static uint64_t bytes_of_tables(void) {
    return table_bytes(&roots) + table_bytes(&blocks) + table_bytes(&groups) + table_bytes(&pairs) +
           table_bytes(&summaries);
}

void store_save(VmCheck *check) {
    VmMachine *machine = check->machine;
    VmChanges *changes = machine->changes;
    save_lines(machine);
    uint64_t changed = changes->threads;
    for (uint64_t left = changed; left != 0; left &= left - 1) {
        uint32_t thread = (uint32_t)__builtin_ctzll(left);
        for (uint32_t kind = 0; kind < SEGMENTS; kind++) {
            set_height(thread * SEGMENTS + kind,
                       height_for(used_bytes(machine, machine->threads + thread, machine->heaps + thread, kind)));
        }
    }
    compute_due(machine);
    save_threads(machine, changed);
    changes->threads = 0;
    save_pair(machine);
    save_summary(check);
    root_number = pan_tracked = table_intern(&roots, &root);
    verify(machine, root_number, "saves");
    pan_progress->states = roots.share->count;
    pan_progress->blocks = blocks.share->count;
    pan_progress->store_bytes = bytes_of_tables();
}

/* --- loading --- */

/* Takes the objects of four heap entries out of the bitmaps of their heap, or puts them there. */
static void account_entries(VmMachine *machine, uint64_t line, int live) {
    const VmObject *entries = (const VmObject *)(machine->memory + line * LINE_BYTES);
    for (uint32_t i = 0; i < LINE_BYTES / sizeof(VmObject); i++) heap_account(machine, entries + i, live);
}

static void load_line(VmMachine *machine, uint32_t number, uint32_t index, uint32_t tree) {
    static const uint8_t zeros[LINE_BYTES];
    uint64_t line = segments[number].first_line + index;
    if (number + 1 < segment_count && number % SEGMENTS == HEAP_ENTRIES) {
        account_entries(machine, line, 0);
        changed_entries[changed_entry_count++] = (uint32_t)line;
    }
    memcpy(machine->memory + line * LINE_BYTES, tree == 0 ? zeros : table_record(&blocks, tree), LINE_BYTES);
}

/* Makes entry `index` of a level the given tree, and the memory below it accordingly. */
static void load_tree(VmMachine *machine, uint32_t number, uint32_t level, uint32_t index, uint32_t tree) {
    static const uint32_t zeros[FAN];
    uint32_t *entry = segments[number].level[level] + index;
    if (*entry == tree) return;
    *entry = tree;
    if (level == 0) {
        load_line(machine, number, index, tree);
        return;
    }
    const uint32_t *children = tree == 0 ? zeros : table_record(&blocks, tree);
    for (uint32_t i = 0; i < FAN; i++) load_tree(machine, number, level - 1, index * FAN + i, children[i]);
}

/* Above its height a tree has no numbers, only zeros, so nothing can be compared there: what is on top of the lower of
 * the old and the new tree is gone through entry by entry. */
static void load_segment(VmMachine *machine, uint32_t number, uint32_t height, uint32_t tree) {
    static const uint32_t zeros[FAN];
    Segment *segment = segments + number;
    for (; segment->height > height; segment->height--) {
        for (uint32_t i = 1; i < FAN; i++) load_tree(machine, number, segment->height - 1, i, 0);
        segment->level[segment->height][0] = 0;
    }
    for (uint32_t level = height; level > segment->height; level--) {
        const uint32_t *children = tree == 0 ? zeros : table_record(&blocks, tree);
        segment->level[level][0] = tree;
        for (uint32_t i = 1; i < FAN; i++) load_tree(machine, number, level - 1, i, children[i]);
        tree = children[0];
    }
    load_tree(machine, number, segment->height, 0, tree);
    segment->height = height;
}

static void load_thread(VmMachine *machine, uint32_t thread, uint32_t number) {
    static const ThreadBlock unused;
    const ThreadBlock *block = number == 0 ? &unused : table_record(&blocks, number);
    for (uint32_t kind = 0; kind < SEGMENTS; kind++) {
        load_segment(machine, thread * SEGMENTS + kind,
                     height_for(used_bytes(machine, &block->thread, &block->heap, kind)), block->trees[kind]);
    }
    machine->threads[thread] = block->thread;
    machine->heaps[thread] = block->heap;
    threads[thread] = *block;
}

static void load_group(VmMachine *machine, uint32_t group, uint32_t number) {
    static const uint32_t nobody[MOST_THREADS];
    const uint32_t *numbers = number == 0 ? nobody : table_record(&groups, number);
    for (uint32_t i = 0; i < group_size; i++) {
        uint32_t thread = group * group_size + i;
        if (numbers[i] == thread_numbers[thread]) continue;
        load_thread(machine, thread, numbers[i]);
        thread_numbers[thread] = numbers[i];
    }
}

static void load_pair(VmMachine *machine, uint32_t number) {
    uint32_t globals = segment_count - 1;
    const Pair *wanted = table_record(&pairs, number);
    load_tree(machine, globals, segments[globals].height, 0, wanted->globals);
    if (wanted->header != pair.header) {
        memset(&header, 0, sizeof header);
        if (wanted->header != 0) memcpy(&header, table_record(&blocks, wanted->header), sizeof header);
        *machine->header = header;
    }
    pair = *wanted;
}

void store_load(VmCheck *check) {
    VmMachine *machine = check->machine;
    if (root_number == pan_tracked) return;
    const Root *wanted = table_record(&roots, pan_tracked);
    changed_entry_count = 0;
    for (uint32_t group = 0; group < GROUPS; group++) {
        if (wanted->groups[group] != root.groups[group]) load_group(machine, group, wanted->groups[group]);
    }
    for (uint32_t i = 0; i < changed_entry_count; i++) account_entries(machine, changed_entries[i], 1);
    if (wanted->pair != root.pair) load_pair(machine, wanted->pair);
    if (wanted->summary != root.summary)
        memcpy(known_summary, table_record(&summaries, wanted->summary), summaries.record_bytes);
    root = *wanted;
    root_number = pan_tracked;
    verify(machine, root_number, "loads");
}

/* Puts back what was written since the machine was in the state that the numbers stand for. */
void store_revert(VmCheck *check) {
    VmMachine *machine = check->machine;
    VmChanges *changes = machine->changes;
    changed_entry_count = 0;
    for (uint32_t i = 0; i < changes->count; i++) {
        uint64_t line = changes->lines[i];
        uint32_t number = segment_of(machine, line);
        changes->marked[line] = 0;
        if (number == segment_count) continue;
        uint32_t index = (uint32_t)(line - segments[number].first_line);
        load_line(machine, number, index, segments[number].level[0][index]);
    }
    for (uint32_t i = 0; i < changed_entry_count; i++) account_entries(machine, changed_entries[i], 1);
    for (uint64_t left = changes->threads; left != 0; left &= left - 1) {
        uint32_t thread = (uint32_t)__builtin_ctzll(left);
        machine->threads[thread] = threads[thread].thread;
        machine->heaps[thread] = threads[thread].heap;
    }
    changes->count = 0;
    changes->threads = 0;
    *machine->header = header;
    verify(machine, root_number, "reverts to");
}

const void *store_identity(size_t *size) {
    *size = sizeof pan_tracked;
    return &pan_tracked;
}

const StateSummary *store_summary(void) {
    if (pan_tracked == 0) return NULL;
    const Root *tracked = table_record(&roots, pan_tracked);
    return table_record(&summaries, tracked->summary);
}
