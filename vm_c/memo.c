/* SPDX-License-Identifier: Apache-2.0
 *
 * A hash from thread and local state to a chain of remembered transitions, which differ in the bytes that they read.
 * Remembering stops when it has taken its share of memory, and ends for good when it does not pay.
 */
#include "memo.h"

#include <stdlib.h>

#include "footprint.h"
#include "superstep.h"

enum {
    MOST_WORDS = 32,            /* of one transition */
    MOST_VARIANTS = 64,         /* of one local state */
    FIRST_PLACES = 1 << 12,     /* of the hash */
    ARENA_WORDS = 6 << 20,      /* 48 MiB */
    TRIAL = 1 << 16,            /* look-ups after which it must have paid */
    LEAST_HITS = TRIAL * 2 / 3, /* of them */
};

typedef struct {
    uint64_t key;   /* thread and local state; 0: free */
    uint32_t first; /* of the chain; 0: none */
    uint32_t variants;
} MemoPlace;

struct VmCapture {
    MemoWord words[MOST_WORDS];
    uint32_t count;
    int is_simple; /* only what can be remembered has happened */
};

struct Memo {
    MemoPlace *places;
    uint64_t capacity, count;
    uint64_t *arena;
    uint32_t used; /* words */
    VmCapture capture;
    uint64_t lookups, hits, applied;
    int is_off;
};

Memo *memo_create(void) {
    Memo *memo = sure(calloc(1, sizeof *memo));
    memo->capacity = FIRST_PLACES;
    memo->places = sure(calloc(memo->capacity, sizeof *memo->places));
    memo->arena = sure(malloc(ARENA_WORDS * sizeof *memo->arena)); /* only what is used costs memory */
    memo->used = 1;
    return memo;
}

void memo_destroy(Memo *memo) {
    if (memo == NULL) return;
    free(memo->places);
    free(memo->arena);
    free(memo);
}

uint64_t memo_applied(const Memo *memo) { return memo->applied; }

int memo_is_used(const Memo *memo) { return memo != NULL && !memo->is_off; }

static void turn_off(Memo *memo) {
    free(memo->places);
    free(memo->arena);
    memo->places = NULL;
    memo->arena = NULL;
    memo->capacity = memo->used = 0;
    memo->is_off = 1;
}

/* --- finding --- */

static uint64_t key_of(uint32_t thread, uint32_t local) { return (uint64_t)(thread + 1) << 32 | local; }

static MemoPlace *place_of(const Memo *memo, uint64_t key) {
    uint64_t slot = (key * 0x9e3779b97f4a7c15u >> 20) & (memo->capacity - 1);
    while (memo->places[slot].key != 0 && memo->places[slot].key != key) slot = (slot + 1) & (memo->capacity - 1);
    return memo->places + slot;
}

static void grow(Memo *memo) {
    MemoPlace *old = memo->places;
    uint64_t capacity = memo->capacity;
    memo->capacity = 2 * capacity;
    memo->places = sure(calloc(memo->capacity, sizeof *memo->places));
    for (uint64_t i = 0; i < capacity; i++) {
        if (old[i].key != 0) *place_of(memo, old[i].key) = old[i];
    }
    free(old);
}

static const MemoWord *words_of(const Remembered *known) {
    return (const MemoWord *)(memo_accesses(known) + known->access_count);
}

static uint64_t *word_at(const VmMachine *machine, uint64_t place) {
    return (uint64_t *)(void *)(machine->memory + place);
}

static int applies(const VmMachine *machine, const Remembered *known) {
    const MemoWord *words = words_of(known);
    for (uint32_t i = 0; i < known->word_count; i++) {
        if ((*word_at(machine, words[i].place) ^ words[i].before) & words[i].read_mask) return 0;
    }
    return 1;
}

/* Whether it pays is decided once, early: programs whose threads are hardly ever twice in the same local state only
 * lose time and memory. */
static int counts(Memo *memo) {
    memo->lookups++;
    if (memo->lookups == TRIAL && memo->hits < LEAST_HITS) turn_off(memo);
    return !memo->is_off;
}

const Remembered *memo_recall(VmCheck *check, uint32_t thread) {
    Memo *memo = check->memo;
    if (memo->is_off || !counts(memo)) return NULL;
    const MemoPlace *place = place_of(memo, key_of(thread, check->locals->find(check, thread)));
    for (uint32_t number = place->first; number != 0;) {
        const Remembered *known = (const Remembered *)(memo->arena + number);
        if (applies(check->machine, known)) {
            memo->hits++;
            return known;
        }
        number = known->next;
    }
    return NULL;
}

/* --- learning --- */

static int is_simple_instruction(const VmInstr *instr, const uint64_t *slots) {
    if (instr->op >= OP_LOAD8 && instr->op <= OP_CMPXCHG64) return 1;
    switch (instr->op) {
    case OP_RET:
    case OP_RETV:
    case OP_RETN: return read_frame_header(slots).caller != 0;
    case OP_ATOMIC_BEGIN:
    case OP_ATOMIC_END:
    case OP_AWAIT:
    case OP_ASSUME:
    case OP_ALLOCA:
    case OP_ALLOCAV:
    case OP_STACKREST:
    case OP_CLEAR: return 1;
    default: return 0;
    }
}

/* Memory that belongs to the thread's local state. */
static int is_local(const VmMachine *machine, uint32_t thread, const VmAccess *access) {
    uint64_t region = (uint64_t)(region_of(machine, thread) - machine->memory);
    uint64_t entries = (uint64_t)((const uint8_t *)(machine->objects + stack_pool(machine, thread)) - machine->memory);
    uint64_t entries_end = entries + machine->limits.stack_objects * sizeof(VmObject);
    return (access->start >= region && access->end <= region + machine->heap_offset) ||
           (access->start >= entries && access->end <= entries_end);
}

/* Memory that belongs to no local state: globals, heaps, and the entries of heap objects. */
static int is_shared(const VmMachine *machine, const VmAccess *access) {
    uint64_t entries = (uint64_t)((const uint8_t *)(machine->objects + machine->dynamic_id) - machine->memory);
    uint64_t entries_end = (uint64_t)((const uint8_t *)(machine->objects + stack_pool(machine, 0)) - machine->memory);
    if (access->start >= entries && access->end <= entries_end) return 1;
    if (access->start < machine->regions_offset)
        return access->start >= machine->globals_offset &&
               access->end <= machine->globals_offset + machine->image.globals_size;
    uint64_t inside = (access->start - machine->regions_offset) % machine->region_size;
    return inside >= machine->heap_offset && inside + (access->end - access->start) <= machine->id_bits_offset;
}

static MemoWord *capture_word(const VmMachine *machine, VmCapture *capture, uint64_t place) {
    uint32_t i = 0;
    while (i < capture->count && capture->words[i].place != place) i++;
    if (i == MOST_WORDS) {
        capture->is_simple = 0;
        return NULL;
    }
    if (i == capture->count) /* nothing of this transition has touched it so far */
        capture->words[capture->count++] = (MemoWord){.place = place, .before = *word_at(machine, place)};
    return capture->words + i;
}

static uint64_t mask_of(uint64_t first, uint64_t end) {
    uint64_t below_end = end >= 8 ? UINT64_MAX : ((uint64_t)1 << 8 * end) - 1;
    return below_end & ~(((uint64_t)1 << 8 * first) - 1);
}

/* Bytes that the transition itself has written before do not matter to it. */
static void capture_access(const VmMachine *machine, VmCapture *capture, const VmAccess *access, int reads) {
    for (uint64_t place = access->start & ~(uint64_t)7; place < access->end && capture->is_simple; place += 8) {
        MemoWord *word = capture_word(machine, capture, place);
        if (word == NULL) return;
        uint64_t first = access->start > place ? access->start - place : 0;
        uint64_t mask = mask_of(first, access->end - place);
        if (reads) word->read_mask |= mask & ~word->write_mask;
        if (access->flags & ACCESS_WRITES) word->write_mask |= mask;
    }
}

void capture_note(VmMachine *machine, VmCapture *capture, uint32_t thread, const VmInstr *instr,
                  const uint64_t *slots) {
    VmAccess found[MOST_ACCESSES];
    int reads_too = instr->op >= OP_RMW8 && instr->op <= OP_CMPXCHG64;
    if (!is_simple_instruction(instr, slots)) capture->is_simple = 0;
    if (!capture->is_simple) return;
    uint32_t count = accesses_with_objects(machine, thread, instr, slots, found);
    for (uint32_t i = 0; i < count; i++) {
        if (is_local(machine, thread, found + i)) continue;
        if (!is_shared(machine, found + i)) capture->is_simple = 0;
        if (capture->is_simple)
            capture_access(machine, capture, found + i, reads_too || !(found[i].flags & ACCESS_WRITES));
    }
}

/* Puts the written bytes back and remembers what they had become. */
static void take_back(VmMachine *machine, VmCapture *capture) {
    for (uint32_t i = 0; i < capture->count; i++) {
        MemoWord *word = capture->words + i;
        uint64_t *now = word_at(machine, word->place);
        word->after = *now & word->write_mask;
        *now = (*now & ~word->write_mask) | (word->before & word->write_mask);
    }
}

static const Remembered *remember(Memo *memo, uint64_t key, const VmAccessList *list, Remembered transition) {
    const VmCapture *capture = &memo->capture;
    uint64_t access_bytes = list->count * sizeof(VmAccess), word_bytes = capture->count * sizeof(MemoWord);
    uint32_t size = (uint32_t)((sizeof transition + access_bytes + word_bytes) / sizeof *memo->arena);
    if (2 * (memo->count + 1) > memo->capacity) grow(memo);
    MemoPlace *place = place_of(memo, key);
    Remembered *known = (Remembered *)(void *)(memo->arena + memo->used);
    memo->count += place->key == 0;
    place->key = key;
    place->variants++;
    transition.next = place->first;
    transition.access_count = (uint16_t)list->count;
    transition.word_count = (uint16_t)capture->count;
    *known = transition;
    memcpy(known + 1, list->entries, access_bytes);
    memcpy((uint8_t *)(known + 1) + access_bytes, capture->words, word_bytes);
    place->first = memo->used;
    memo->used += size;
    return known;
}

static int has_room(const Memo *memo, uint64_t key) {
    uint64_t most = sizeof(Remembered) + MOST_WORDS * (sizeof(MemoWord) + 2 * sizeof(VmAccess));
    const MemoPlace *place = place_of(memo, key);
    return place->variants < MOST_VARIANTS && memo->used + most / sizeof *memo->arena < ARENA_WORDS;
}

/* Something happens after this local state that cannot be remembered: not to be tried again. */
static void give_up(Memo *memo, uint64_t key) {
    if (2 * (memo->count + 1) > memo->capacity) grow(memo);
    MemoPlace *place = place_of(memo, key);
    memo->count += place->key == 0;
    place->key = key;
    place->variants = MOST_VARIANTS;
}

const Remembered *memo_learn(VmCheck *check, uint32_t thread, int *is_disturbed) {
    VmMachine *machine = check->machine;
    Memo *memo = check->memo;
    *is_disturbed = 0;
    if (memo->is_off) return NULL;
    uint32_t local = check->locals->find(check, thread);
    uint64_t key = key_of(thread, local), births = machine->births, instructions = check->instructions;
    if (!has_room(memo, key)) return NULL;
    check->locals->arrive(check, thread);
    VmHeader header = *machine->header;
    Remembered transition = {.waits_for_ever = waits_for_ever(machine, thread) != 0};
    memo->capture.count = 0;
    memo->capture.is_simple = 1;
    const VmAccessList *list;
    VmStop stop = superstep_run_section(check, thread, &memo->capture, &list);
    transition.instructions = (uint32_t)(check->instructions - instructions);
    check->instructions = instructions;
    *is_disturbed = 1;
    if (stop != STOP_STEP || births != machine->births || !memo->capture.is_simple || list->overflowed ||
        list->count > 2 * MOST_WORDS || memcmp(&header, machine->header, sizeof header) != 0) {
        give_up(memo, key);
        return NULL;
    }
    transition.successor = check->locals->find(check, thread);
    take_back(machine, &memo->capture);
    check->locals->go(check, thread, local);
    *is_disturbed = 0;
    return remember(memo, key, list, transition);
}

/* --- doing --- */

void memo_apply(VmCheck *check, uint32_t thread, const Remembered *known) {
    VmMachine *machine = check->machine;
    const MemoWord *words = words_of(known);
    for (uint32_t i = 0; i < known->word_count; i++) {
        if (words[i].write_mask == 0) continue;
        uint64_t *now = word_at(machine, words[i].place);
        *now = (*now & ~words[i].write_mask) | words[i].after;
        note_write(machine, now, sizeof *now);
    }
    check->locals->go(check, thread, known->successor);
    check->instructions += known->instructions;
    check->memo->applied++;
}
