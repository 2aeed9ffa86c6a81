/* SPDX-License-Identifier: Apache-2.0
 *
 * The tree store: a state is one number. It is taken apart, and each part is stored once (table.c, trees.c):
 *
 *     root      number of the summary, of what is shared, and of four groups of threads
 *     shared    line of the header, tree of the globals, number of the heaps
 *     heaps     numbers of all heaps
 *     heap      the heap's record, and the trees of its two segments
 *     group     numbers of the local states of some threads
 *     local     the thread's record, and the trees of its three segments: all that nobody but the thread looks at,
 * except through pointers to its variables
 *
 * A thread's local state has a number of its own, so that a transition that was made before from the same one need not
 * be made again (memo.c); that thread goes from number to number, and the machine's memory follows when it is needed.
 */
#include <stdlib.h>

#include "pancam.h"
#include "shared.h"
#include "store.h"
#include "table.h"
#include "trees.h"
#include "visited.h"

enum { GROUPS = 4, MOST_THREADS = 64, LOCAL_SEGMENTS = HEAP_ENTRIES, HEAP_SEGMENTS = SEGMENTS - LOCAL_SEGMENTS };

typedef struct {
    VmThread thread;
    uint32_t stale_ids; /* of VmHeap, but it is about the stack, and only the thread itself looks at it */
    uint32_t trees[LOCAL_SEGMENTS], padding;
} Local;

typedef struct {
    uint32_t live_ids, id_end, space_end; /* as in VmHeap */
    uint32_t trees[HEAP_SEGMENTS], padding;
} Heap;

typedef struct {
    uint32_t header, globals, heaps, padding;
} Shared;

typedef struct {
    uint32_t summary, shared, groups[GROUPS];
} Root;

_Static_assert(sizeof(Local) % 8 == 0 && sizeof(Heap) % 8 == 0 && sizeof(Shared) % 8 == 0 && sizeof(Root) % 8 == 0,
               "records are made of words");
_Static_assert(sizeof(VmHeader) <= LINE_BYTES, "the header fits into a line");

uint32_t pan_tracked;

static Table local_table, heap_table, heaps_table, shared_table, group_table, summary_table, root_table;
static uint32_t thread_count, group_size; /* threads of a group */

/* The parts of the state that the machine was in when it was last loaded, saved or reverted to. */
static Root root;
static uint32_t root_number;
static Shared shared;
static uint32_t heap_numbers[MOST_THREADS];
static Heap heaps[MOST_THREADS];
static VmHeader header;
static StateSummary *summary, *known_summary; /* the one that is made, the one of the root */

/* Of each thread, the local state that it is in, and the one that the memory of its segments has. */
static uint32_t local_numbers[MOST_THREADS], loaded_numbers[MOST_THREADS];
static uint64_t moved; /* threads that have left the local state that the root has */

/* --- beginning --- */

static void create_tables(uint64_t memory_limit) {
    uint64_t most = memory_limit / sizeof root; /* there are never more of the parts than roots */
    uint32_t summary_bytes = (uint32_t)(sizeof *summary + thread_count + 7) / 8 * 8;
    group_size = ((thread_count + GROUPS - 1) / GROUPS + 1) & ~1u; /* even, so that a group is made of words */
    table_create(&local_table, sizeof(Local), most);
    table_create(&heap_table, sizeof(Heap), most);
    table_create(&heaps_table, (thread_count + 1) / 2 * 8, most);
    table_create(&shared_table, sizeof(Shared), most);
    table_create(&group_table, group_size * (uint32_t)sizeof *local_numbers, most);
    table_create(&summary_table, summary_bytes, most);
    table_create(&root_table, sizeof(Root), most);
    summary = calloc(1, summary_bytes);
    known_summary = calloc(1, summary_bytes);
    if (summary == NULL || known_summary == NULL) search_fail("no memory for the state store");
    visited_create(most);
}

static uint64_t bytes_of_tables(void) {
    return trees_bytes() + table_bytes(&local_table) + table_bytes(&heap_table) + table_bytes(&heaps_table) +
           table_bytes(&shared_table) + table_bytes(&group_table) + table_bytes(&summary_table) +
           table_bytes(&root_table);
}

void store_touch(VmCheck *check) {
    VmMachine *machine = check->machine;
    note_write(machine, machine->memory + machine->globals_offset, machine->image.globals_size);
    for (uint32_t thread = 0; thread < thread_count; thread++) {
        note_thread(machine, thread);
        for (uint32_t kind = 0; kind < SEGMENTS; kind++) {
            note_write(machine, segment_start(machine, thread, kind),
                       segment_in_use(machine, machine->threads + thread, machine->heaps + thread, kind));
        }
    }
}

void store_create(VmCheck *check, uint64_t memory_limit) {
    thread_count = check->machine->limits.max_threads;
    create_tables(memory_limit);
    trees_create(check->machine, memory_limit);
    /* The numbers stand for a state of zeros: everything that is in use has changed. Saving it makes them those of the
     * machine's state. Every process must start from there, those that only ever load states of others, too. */
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

/* --- local states --- */

static const Local *local_record(uint32_t number) {
    static const Local nothing;
    return number == 0 ? &nothing : table_record(&local_table, number);
}

static int has_bytes(const void *record, size_t size) {
    const uint64_t *words = record;
    for (size_t i = 0; i < size / sizeof *words; i++) {
        if (words[i] != 0) return 1;
    }
    return 0;
}

static void fit_local(VmMachine *machine, uint32_t thread) {
    for (uint32_t kind = 0; kind < LOCAL_SEGMENTS; kind++)
        trees_fit(segment_of_thread(thread, kind), segment_in_use(machine, machine->threads + thread, NULL, kind));
}

/* After the trees were computed. */
static void save_local(VmMachine *machine, uint32_t thread) {
    Local local = {.thread = machine->threads[thread], .stale_ids = machine->heaps[thread].stale_ids};
    for (uint32_t kind = 0; kind < LOCAL_SEGMENTS; kind++)
        local.trees[kind] =
            trees_top(segment_of_thread(thread, kind), segment_in_use(machine, &local.thread, NULL, kind));
    uint32_t number = loaded_numbers[thread];
    if (memcmp(&local, local_record(number), sizeof local) != 0)
        number = has_bytes(&local, sizeof local) ? table_intern(&local_table, &local) : 0;
    loaded_numbers[thread] = local_numbers[thread] = number;
    moved |= (uint64_t)1 << thread;
}

static void load_local(VmMachine *machine, uint32_t thread, uint32_t number) {
    const Local *local = local_record(number);
    for (uint32_t kind = 0; kind < LOCAL_SEGMENTS; kind++)
        trees_load(machine, segment_of_thread(thread, kind), segment_in_use(machine, &local->thread, NULL, kind),
                   local->trees[kind]);
    loaded_numbers[thread] = number;
}

static void become_local(VmMachine *machine, uint32_t thread, uint32_t number) {
    const Local *local = local_record(number);
    machine->threads[thread] = local->thread;
    machine->heaps[thread].stale_ids = local->stale_ids;
    local_numbers[thread] = number;
}

static uint32_t find_local(VmCheck *check, uint32_t thread) {
    VmMachine *machine = check->machine;
    uint64_t bit = (uint64_t)1 << thread, others = machine->changes->threads & ~bit;
    if (!(machine->changes->threads & bit)) return local_numbers[thread];
    trees_take_local(machine, thread);
    fit_local(machine, thread);
    trees_compute(machine);
    save_local(machine, thread);
    machine->changes->threads = others; /* a change of the heap's record shows when everything is saved */
    return local_numbers[thread];
}

static void go_to_local(VmCheck *check, uint32_t thread, uint32_t number) {
    become_local(check->machine, thread, number);
    moved |= (uint64_t)1 << thread;
}

static void arrive_at_local(VmCheck *check, uint32_t thread) {
    if (loaded_numbers[thread] == local_numbers[thread]) return;
    trees_begin_loading();
    load_local(check->machine, thread, local_numbers[thread]);
    trees_end_loading(check->machine);
}

const VmLocals *store_locals(void) {
    static const VmLocals locals = {.find = find_local, .go = go_to_local, .arrive = arrive_at_local};
    return &locals;
}

/* --- saving --- */

static void save_heap(VmMachine *machine, uint32_t thread) {
    const VmHeap *record = machine->heaps + thread;
    Heap heap = {.live_ids = record->live_ids, .id_end = record->id_end, .space_end = record->space_end};
    for (uint32_t i = 0; i < HEAP_SEGMENTS; i++)
        heap.trees[i] = trees_top(segment_of_thread(thread, HEAP_ENTRIES + i),
                                  segment_in_use(machine, NULL, record, HEAP_ENTRIES + i));
    if (memcmp(&heap, heaps + thread, sizeof heap) == 0) return;
    heaps[thread] = heap;
    heap_numbers[thread] = has_bytes(&heap, sizeof heap) ? table_intern(&heap_table, &heap) : 0;
    shared.heaps = 0; /* to be interned anew */
}

static void save_changed_threads(VmMachine *machine) {
    uint64_t changed = machine->changes->threads;
    for (uint64_t left = changed; left != 0; left &= left - 1) {
        uint32_t thread = (uint32_t)__builtin_ctzll(left);
        fit_local(machine, thread);
        for (uint32_t kind = HEAP_ENTRIES; kind < SEGMENTS; kind++)
            trees_fit(segment_of_thread(thread, kind), segment_in_use(machine, NULL, machine->heaps + thread, kind));
    }
    trees_compute(machine);
    for (uint64_t left = changed; left != 0; left &= left - 1) {
        uint32_t thread = (uint32_t)__builtin_ctzll(left);
        save_local(machine, thread);
        save_heap(machine, thread);
    }
    machine->changes->threads = 0;
}

/* A group of threads that do not exist is number 0. */
static uint32_t intern_group(uint32_t group) {
    const uint32_t *numbers = local_numbers + group * group_size;
    return has_bytes(numbers, group_size * sizeof *numbers) ? table_intern(&group_table, numbers) : 0;
}

static void save_groups(void) {
    uint32_t changed = 0;
    for (uint64_t left = moved; left != 0; left &= left - 1)
        changed |= 1u << (uint32_t)__builtin_ctzll(left) / group_size;
    for (; changed != 0; changed &= changed - 1) {
        uint32_t group = (uint32_t)__builtin_ctz(changed);
        root.groups[group] = intern_group(group);
    }
    moved = 0;
}

static void save_shared(const VmMachine *machine, Shared before) {
    if (memcmp(&header, machine->header, sizeof header) != 0) {
        uint8_t line[LINE_BYTES] = {0};
        header = *machine->header;
        memcpy(line, &header, sizeof header);
        shared.header = trees_intern(line);
    }
    shared.globals = trees_top(trees_globals(), machine->image.globals_size);
    if (shared.heaps == 0) shared.heaps = table_intern(&heaps_table, heap_numbers);
    if (root.shared == 0 || memcmp(&before, &shared, sizeof shared) != 0)
        root.shared = table_intern(&shared_table, &shared);
}

static void save_summary(VmCheck *check) {
    summarise(check, summary);
    if (root.summary != 0 && memcmp(summary, known_summary, summary_table.record_bytes) == 0) return;
    memcpy(known_summary, summary, summary_table.record_bytes);
    root.summary = table_intern(&summary_table, summary);
}

void store_save(VmCheck *check) {
    VmMachine *machine = check->machine;
    Shared before = shared;
    trees_take_all(machine);
    trees_fit(trees_globals(), machine->image.globals_size);
    save_changed_threads(machine);
    save_groups();
    save_shared(machine, before);
    save_summary(check);
    root_number = pan_tracked = table_intern(&root_table, &root);
    verify(machine, root_number, "saves");
    pan_progress->states = root_table.share->count;
    pan_progress->blocks = trees_count();
    pan_progress->store_bytes = bytes_of_tables();
}

/* --- loading --- */

static void load_group(VmMachine *machine, uint32_t group, uint32_t number) {
    static const uint32_t nobody[MOST_THREADS];
    const uint32_t *numbers = number == 0 ? nobody : table_record(&group_table, number);
    for (uint32_t i = 0; i < group_size; i++) {
        uint32_t thread = group * group_size + i;
        if (numbers[i] != loaded_numbers[thread]) load_local(machine, thread, numbers[i]);
        if (numbers[i] != local_numbers[thread]) become_local(machine, thread, numbers[i]);
    }
}

static void load_heap(VmMachine *machine, uint32_t thread, uint32_t number) {
    static const Heap nothing;
    const Heap *heap = number == 0 ? &nothing : table_record(&heap_table, number);
    VmHeap *record = machine->heaps + thread;
    record->live_ids = heap->live_ids;
    record->id_end = heap->id_end;
    record->space_end = heap->space_end;
    for (uint32_t i = 0; i < HEAP_SEGMENTS; i++)
        trees_load(machine, segment_of_thread(thread, HEAP_ENTRIES + i),
                   segment_in_use(machine, NULL, record, HEAP_ENTRIES + i), heap->trees[i]);
    heaps[thread] = *heap;
    heap_numbers[thread] = number;
}

static void load_shared(VmMachine *machine, uint32_t number) {
    const Shared *wanted = table_record(&shared_table, number);
    trees_load(machine, trees_globals(), machine->image.globals_size, wanted->globals);
    if (wanted->heaps != shared.heaps) {
        const uint32_t *numbers = table_record(&heaps_table, wanted->heaps);
        for (uint32_t thread = 0; thread < thread_count; thread++) {
            if (numbers[thread] != heap_numbers[thread]) load_heap(machine, thread, numbers[thread]);
        }
    }
    if (wanted->header != shared.header) {
        memcpy(&header, trees_line(wanted->header), sizeof header);
        *machine->header = header;
    }
    shared = *wanted;
}

void store_load(VmCheck *check) {
    VmMachine *machine = check->machine;
    if (root_number == pan_tracked) return;
    const Root *wanted = table_record(&root_table, pan_tracked);
    trees_begin_loading();
    for (uint32_t group = 0; group < GROUPS; group++) {
        if (wanted->groups[group] != root.groups[group]) load_group(machine, group, wanted->groups[group]);
    }
    if (wanted->shared != root.shared) load_shared(machine, wanted->shared);
    trees_end_loading(machine);
    if (wanted->summary != root.summary)
        memcpy(known_summary, table_record(&summary_table, wanted->summary), summary_table.record_bytes);
    root = *wanted;
    root_number = pan_tracked;
    verify(machine, root_number, "loads");
}

/* Puts back what was written since the machine was in the state that the numbers stand for. */
void store_revert(VmCheck *check) {
    VmMachine *machine = check->machine;
    VmChanges *changes = machine->changes;
    trees_begin_loading();
    trees_put_back(machine);
    for (uint64_t left = changes->threads | moved; left != 0; left &= left - 1) {
        uint32_t thread = (uint32_t)__builtin_ctzll(left);
        VmHeap *heap = machine->heaps + thread;
        heap->live_ids = heaps[thread].live_ids;
        heap->id_end = heaps[thread].id_end;
        heap->space_end = heaps[thread].space_end;
        become_local(machine, thread, local_numbers[thread]);
    }
    for (uint64_t left = moved; left != 0; left &= left - 1) {
        uint32_t group = (uint32_t)__builtin_ctzll(left) / group_size;
        load_group(machine, group, root.groups[group]);
    }
    trees_end_loading(machine);
    changes->threads = moved = 0;
    *machine->header = header;
    verify(machine, root_number, "reverts to");
}

const void *store_identity(size_t *size) {
    *size = sizeof pan_tracked;
    return &pan_tracked;
}

const StateSummary *store_summary(void) {
    if (pan_tracked == 0) return NULL;
    const Root *tracked = table_record(&root_table, pan_tracked);
    return table_record(&summary_table, tracked->summary);
}
