/* SPDX-License-Identifier: Apache-2.0
 *
 * A transition is what a step at granularity `global` does. From a state, each thread gets a sequence of transitions of
 * which only the last may conflict with anything in the others' sequences; at most the last changes what a property has
 * read. Then of every execution from the state, the sequence that is completed first can be moved to the front, and it
 * is enough to try whole sequences.
 *
 * The tables start with the next transition of every thread, blocked ones included. Then the sequences are made longer,
 * thread after thread in the order of their numbers: a transition that conflicts with the last one of another's
 * sequence ends its own, one that conflicts with an earlier one is left out. A thread that starts another, or ends,
 * ends its sequence; a process that exits reads all that others could still write. A thread that waits in a loop for
 * what others do ends its sequence where it is back at a state that it has been in.
 */
#include "superstep.h"

#include <stdlib.h>

#include "footprint.h"
#include "memo.h"

enum { SECTION_ACCESSES = 8192, SECOND_CHECKPOINT = 16 };

/* --- tables --- */

Superstep *superstep_create(uint32_t thread_count, int is_exact) {
    Superstep *superstep = sure(calloc(1, sizeof *superstep));
    superstep->thread_count = thread_count;
    superstep->section.capacity = SECTION_ACCESSES;
    superstep->section.is_exact = is_exact;
    superstep->section.entries = sure(malloc(SECTION_ACCESSES * sizeof(VmAccess)));
    return superstep;
}

static void destroy_tables(StateTables *tables, uint32_t thread_count) {
    if (tables == NULL) return;
    for (uint32_t thread = 0; thread < thread_count; thread++) free(tables->threads[thread].last);
    conflicts_release(&tables->conflicts);
    free(tables->identity);
    free(tables);
}

void superstep_destroy(Superstep *superstep) {
    if (superstep == NULL) return;
    for (uint32_t slot = 0; slot < STATE_SLOTS; slot++) destroy_tables(superstep->slots[slot], superstep->thread_count);
    free(superstep->section.entries);
    free(superstep->latest);
    free(superstep->checkpoint.copy);
    free(superstep);
}

void superstep_identify(Superstep *superstep, uint64_t slot, const void *identity, size_t size) {
    superstep->slot = (uint32_t)(slot % STATE_SLOTS);
    superstep->identity = identity;
    superstep->identity_size = size;
}

uint64_t superstep_bytes(const Superstep *superstep) {
    uint64_t bytes = 0;
    for (uint32_t slot = 0; slot < STATE_SLOTS; slot++) {
        const StateTables *tables = superstep->slots[slot];
        if (tables == NULL) continue;
        bytes += sizeof *tables + superstep->thread_count * sizeof(ThreadTable) + tables->identity_capacity;
        bytes += conflicts_bytes(&tables->conflicts);
        for (uint32_t i = 0; i < superstep->thread_count; i++)
            bytes += tables->threads[i].last_capacity * sizeof(VmAccess);
    }
    return bytes;
}

/* For tests: as if locations were variables that are only touched as a whole. */
static VmAccess seen(const VmCheck *check, const VmAccess *access) {
    VmAccess result = *access;
    if (check->holes & HOLE_RANGES) result.end = result.start + 1;
    return result;
}

static void add_last(StateTables *tables, uint32_t thread, VmAccess access, uint32_t choice) {
    ThreadTable *table = tables->threads + thread;
    conflicts_add(&tables->conflicts, thread, &access, 1);
    access.flags |= choice << ACCESS_CHOICE_SHIFT;
    table->last = with_room(table->last, table->last_count, &table->last_capacity, sizeof *table->last);
    table->last[table->last_count++] = access;
}

static int changes_property(const VmCheck *check, const VmAccess *access) {
    for (uint32_t i = 0; i < check->property_count; i++) {
        if (property_is_touched(check->properties + i, access)) return 1;
    }
    return 0;
}

/* How the accesses of a transition of the thread go with the sequences of the others. */
static Conflict conflict_of(const VmCheck *check, const StateTables *tables, uint32_t thread, const VmAccess *accesses,
                            uint32_t count) {
    Conflict worst = INDEPENDENT;
    for (uint32_t i = 0; i < count && worst != CONFLICTS_BEFORE; i++) {
        VmAccess access = seen(check, accesses + i);
        if (worst == INDEPENDENT && changes_property(check, accesses + i)) worst = CONFLICTS_WITH_LAST;
        Conflict conflict = conflicts_with(&tables->conflicts, thread, &access);
        if (conflict > worst) worst = conflict;
    }
    return worst;
}

/* --- transitions --- */

static const VmInstr *next_instruction(const VmMachine *machine, uint32_t thread) {
    return machine->image.code + machine->threads[thread].pc;
}

static const uint64_t *top_frame(const VmMachine *machine, uint32_t thread) {
    return registers_of(machine, thread) + machine->threads[thread].frame;
}

/* What a transition that touches nothing touches where races or leaks are looked for: a byte that nobody writes. A
 * section that others have to wait for conflicts with it, too, so that it is tried before and behind the section; and
 * so does the end of the process, which sees what each thread has in its registers. */
static VmAccess presence(const VmMachine *machine, uint32_t thread) {
    uint64_t start = (uint64_t)((const uint8_t *)(machine->threads + thread) - machine->memory);
    return (VmAccess){start, start + 1, 0, 0};
}

/* What the next instruction of the thread touches. */
static uint32_t next_accesses(const VmCheck *check, uint32_t thread, VmAccess found[MOST_ACCESSES]) {
    const VmMachine *machine = check->machine;
    const VmInstr *next = next_instruction(machine, thread);
    uint32_t count = accesses_of(machine, thread, next, top_frame(machine, thread), found);
    if (count == 0 && check->shows_presence) found[count++] = presence(machine, thread);
    return count;
}

/* Whether the next transition is a whole section, so that only running it tells what it touches. */
static int enters_section(const VmMachine *machine, uint32_t thread) {
    uint32_t op = next_instruction(machine, thread)->op;
    return machine->threads[thread].atomic_depth > 0 || op == OP_ATOMIC_BEGIN || op == OP_AWAIT;
}

/* Runs the next transition and leaves what it touches in superstep->section. The machine notes that only in steps of
 * granularity `global`; with smaller ones a section is one step, too. */
static VmStop run_section(VmCheck *check, uint32_t thread, const uint32_t *choice) {
    VmMachine *machine = check->machine;
    VmAccessList *list = &check->superstep->section;
    VmMode mode = check->mode;
    list->count = 0;
    list->overflowed = 0;
    machine->accesses = list;
    accesses_note(machine, thread, next_instruction(machine, thread), top_frame(machine, thread));
    check->mode = VM_STEP_GLOBAL;
    VmStop stop = check_transition(check, thread, choice);
    check->mode = mode;
    machine->accesses = NULL;
    for (uint32_t i = 0; i < list->count; i++) list->entries[i].flags |= ACCESS_IS_ATOMIC;
    if (list->count == 0 && check->shows_presence) access_add(list, presence(machine, thread));
    /* The others may not move before the section has ended, so they are concerned, whatever it touches then. */
    if (machine->header->status == PROCESS_RUNNING && machine->header->atomic_holder != 0)
        access_add(list, access_to_everything());
    return stop;
}

VmStop superstep_run_section(VmCheck *check, uint32_t thread, VmCapture *capture, const VmAccessList **list) {
    VmAccessList *section = &check->superstep->section;
    section->capture = capture;
    VmStop stop = run_section(check, thread, NULL);
    section->capture = NULL;
    *list = section;
    return stop;
}

/* --- transitions that were made before --- */

/* The next transition, recalled or learned; null: it has to be executed. */
static const Remembered *recall_or_learn(VmCheck *check, uint32_t thread, int *is_disturbed) {
    const Remembered *known = memo_recall(check, thread);
    *is_disturbed = 0;
    return known != NULL ? known : memo_learn(check, thread, is_disturbed);
}

/* A choice inside a section: what comes behind it belongs to the section. The others may not move, so that only data
 * races, which are between them and the whole section, depend on it. */
static void find_accesses_behind_choice(VmCheck *check, uint32_t thread, StateTables *tables) {
    const VmAccessList *section = &check->superstep->section;
    uint32_t moves = check_moves(check, thread);
    for (uint32_t choice = 0; choice < moves; choice++) {
        run_section(check, thread, &choice);
        for (uint32_t i = 0; i < section->count; i++) add_last(tables, thread, section->entries[i], choice);
        check_revert(check);
    }
}

/* What an atomic section that comes next touches; the machine is in the same state afterwards. */
static uint32_t find_section(VmCheck *check, uint32_t thread, int remembers, const VmAccess **accesses) {
    int is_disturbed = 0;
    const Remembered *known = remembers ? recall_or_learn(check, thread, &is_disturbed) : NULL;
    if (known != NULL) {
        check->locals->arrive(check, thread);
        *accesses = memo_accesses(known);
        return known->access_count;
    }
    if (is_disturbed) check_revert(check);
    run_section(check, thread, NULL);
    check_revert(check);
    *accesses = check->superstep->section.entries;
    return check->superstep->section.count;
}

/* The accesses of the thread's next transition; the machine is in the same state afterwards. */
static void find_next_accesses(VmCheck *check, uint32_t thread, StateTables *tables) {
    VmMachine *machine = check->machine;
    VmAccess found[MOST_ACCESSES];
    const VmAccess *accesses = found;
    uint32_t count;
    if (machine->threads[thread].status != THREAD_RUNNING) return;
    if (vm_at_choice(machine, thread)) {
        if (check->finds_races && machine->threads[thread].atomic_depth > 0)
            find_accesses_behind_choice(check, thread, tables);
        else if (check->shows_presence)
            add_last(tables, thread, presence(machine, thread), 0);
        return;
    }
    VmEnabled enabled = vm_enabled(machine, thread);
    if (enabled == THREAD_DISABLED && (check->holes & HOLE_BLOCKED)) return;
    if (enabled != THREAD_DISABLED && enters_section(machine, thread)) {
        count = find_section(check, thread, tables->remembers, &accesses);
    } else {
        count = next_accesses(check, thread, found);
    }
    for (uint32_t i = 0; i < count; i++) add_last(tables, thread, seen(check, accesses + i), 0);
}

/* --- the tables of a state --- */

static void set_identity(StateTables *tables, const Superstep *superstep) {
    if (superstep->identity_size > tables->identity_capacity) {
        tables->identity = sure(realloc(tables->identity, superstep->identity_size));
        tables->identity_capacity = superstep->identity_size;
    }
    tables->identity_size = superstep->identity_size;
    if (superstep->identity_size > 0) memcpy(tables->identity, superstep->identity, superstep->identity_size);
}

static int is_identified(const StateTables *tables, const Superstep *superstep) {
    return superstep->identity_size > 0 && tables->identity_size == superstep->identity_size &&
           memcmp(tables->identity, superstep->identity, superstep->identity_size) == 0;
}

static void start_tables(VmCheck *check, StateTables *tables) {
    VmMachine *machine = check->machine;
    uint32_t running = 0;
    tables->is_single = machine->header->atomic_holder != 0;
    conflicts_clear(&tables->conflicts);
    for (uint32_t thread = 0; thread < machine->limits.max_threads; thread++) {
        tables->threads[thread].last_count = tables->threads[thread].known = 0;
        running += machine->threads[thread].status == THREAD_RUNNING;
    }
    tables->remembers = memo_is_used(check->memo) && check->property_count == 0 && running > 1 && !tables->is_single;
    if (tables->is_single && !check->finds_races) return;
    if (running < 2 && check->property_count == 0) return;
    for (uint32_t thread = 0; thread < machine->limits.max_threads; thread++) find_next_accesses(check, thread, tables);
}

/* The tables of the state that the machine is in. */
static StateTables *find_tables(VmCheck *check) {
    Superstep *superstep = check->superstep;
    StateTables **slot = superstep->slots + superstep->slot;
    if (*slot == NULL)
        *slot = sure(calloc(1, sizeof **slot + check->machine->limits.max_threads * sizeof(ThreadTable)));
    if (!is_identified(*slot, superstep)) {
        (*slot)->identity_size = 0;
        start_tables(check, *slot);
        set_identity(*slot, superstep);
    }
    return *slot;
}

/* --- circles --- */

static const uint8_t *stack_memory(const VmMachine *machine, uint32_t thread) {
    return region_of(machine, thread) + machine->stack_offset;
}

static const uint8_t *stack_entries(const VmMachine *machine, uint32_t thread) {
    return (const uint8_t *)(machine->objects + stack_pool(machine, thread));
}

static void copy_checkpoint(Checkpoint *point, const VmMachine *machine, uint32_t thread) {
    point->thread = machine->threads[thread];
    point->stale_ids = machine->heaps[thread].stale_ids;
    point->registers = registers_in_use(machine, &point->thread);
    point->stack_words = (uint64_t)point->thread.stack_top * GRANULE / sizeof *point->copy;
    point->entry_words = (uint64_t)point->thread.stack_ids * sizeof(VmObject) / sizeof *point->copy;
    uint64_t words = point->registers + point->stack_words + point->entry_words;
    if (words > point->capacity) {
        point->capacity = 2 * words;
        point->copy = sure(realloc(point->copy, point->capacity * sizeof *point->copy));
    }
    uint64_t *stack = point->copy + point->registers, *entries = stack + point->stack_words;
    memcpy(point->copy, registers_of(machine, thread), point->registers * sizeof *point->copy);
    memcpy(stack, stack_memory(machine, thread), point->stack_words * sizeof *stack);
    memcpy(entries, stack_entries(machine, thread), point->entry_words * sizeof *entries);
}

static int is_at_copy(const Checkpoint *point, const VmMachine *machine, uint32_t thread) {
    const uint64_t *stack = point->copy + point->registers, *entries = stack + point->stack_words;
    return memcmp(machine->threads + thread, &point->thread, sizeof point->thread) == 0 &&
           machine->heaps[thread].stale_ids == point->stale_ids &&
           memcmp(registers_of(machine, thread), point->copy, point->registers * sizeof *point->copy) == 0 &&
           memcmp(stack_memory(machine, thread), stack, point->stack_words * sizeof *stack) == 0 &&
           memcmp(stack_entries(machine, thread), entries, point->entry_words * sizeof *entries) == 0;
}

/* Numbers and copies tell the same local states apart: a superstep is the same wherever it is made. */
static void set_checkpoint(VmCheck *check, uint32_t thread, int remembers) {
    Checkpoint *point = &check->superstep->checkpoint;
    if (remembers)
        point->local = check->locals->find(check, thread);
    else
        copy_checkpoint(point, check->machine, thread);
}

static int is_at_checkpoint(VmCheck *check, uint32_t thread, int remembers) {
    const Checkpoint *point = &check->superstep->checkpoint;
    return remembers ? check->locals->find(check, thread) == point->local : is_at_copy(point, check->machine, thread);
}

/* --- supersteps --- */

typedef struct {
    VmCheck *check;
    StateTables *tables;
    ThreadTable *table;
    uint32_t thread, choice;
    uint32_t length;          /* transitions so far */
    uint32_t pc;              /* of the last transition */
    uint32_t last;            /* where its accesses start in the table */
    uint32_t next_checkpoint; /* is at this length */
    int may_return;           /* nothing was written since the last checkpoint */
    const Remembered *known;  /* the next transition; null: it has to be executed */
} Run;

static void arrive(const Run *run) {
    if (run->tables->remembers) run->check->locals->arrive(run->check, run->thread);
}

static void repeat(Run *run, uint32_t length) {
    VmCheck *check = run->check;
    check->instructions = 0;
    for (run->length = 0; run->length < length; run->length++) {
        run->pc = check->machine->threads[run->thread].pc;
        check_transition(check, run->thread, run->length == 0 ? &run->choice : NULL);
    }
}

/* The accesses of one more transition; with it, the one before is no longer the last. */
static void append(Run *run, const VmAccess *accesses, uint32_t count) {
    Superstep *superstep = run->check->superstep;
    for (uint32_t i = 0; i < superstep->latest_count; i++)
        conflicts_add(&run->tables->conflicts, run->thread, superstep->latest + i, 0);
    superstep->latest_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        superstep->latest = with_room(superstep->latest, superstep->latest_count, &superstep->latest_capacity,
                                      sizeof *superstep->latest);
        superstep->latest[superstep->latest_count++] = seen(run->check, accesses + i);
    }
}

static int has_written(const Superstep *superstep) {
    for (uint32_t i = 0; i < superstep->latest_count; i++) {
        if (superstep->latest[i].flags & ACCESS_WRITES) return 1;
    }
    return 0;
}

/* Whether the thread is back where it was at its checkpoint, which is the beginning of the superstep, and later a place
 * that moves on by doubling the length: a circle is noticed soon after it was entered, and copies are few. */
static int has_gone_round(Run *run) {
    int remembers = run->tables->remembers;
    if (has_written(run->check->superstep)) run->may_return = 0;
    if (run->may_return && is_at_checkpoint(run->check, run->thread, remembers)) return 1;
    if (run->length != run->next_checkpoint) return 0;
    set_checkpoint(run->check, run->thread, remembers);
    run->may_return = 1;
    run->next_checkpoint *= 2;
    return 0;
}

static int may_remember(const Run *run) {
    return run->tables->remembers && run->check->machine->header->atomic_holder == 0;
}

/* Whether the thread is still there after a transition, and all the others were in the tables. */
static int may_follow(const Run *run, VmStop stop, uint64_t births) {
    int created = run->check->machine->births != births && !(run->check->holes & HOLE_CREATION);
    return stop == STOP_STEP && !created;
}

/* One more transition, which is known; whether it may be followed by another. */
static int follow(Run *run) {
    VmCheck *check = run->check;
    const VmAccess *accesses = memo_accesses(run->known);
    Conflict conflict = conflict_of(check, run->tables, run->thread, accesses, run->known->access_count);
    if (conflict == CONFLICTS_BEFORE) return 0;
    run->pc = check->machine->threads[run->thread].pc;
    append(run, accesses, run->known->access_count);
    memo_apply(check, run->thread, run->known);
    run->length++;
    return conflict == INDEPENDENT;
}

/* One more transition; whether it may be followed by another. */
static int go_on(Run *run) {
    VmCheck *check = run->check;
    VmMachine *machine = check->machine;
    VmAccess found[MOST_ACCESSES];
    int is_disturbed = 0;
    if (run->known == NULL && may_remember(run)) run->known = memo_learn(check, run->thread, &is_disturbed);
    if (run->known != NULL) return follow(run);
    if (is_disturbed) {
        check_revert(check);
        repeat(run, run->length);
    }
    uint32_t pc = machine->threads[run->thread].pc;
    uint32_t count = next_accesses(check, run->thread, found);
    Conflict conflict = conflict_of(check, run->tables, run->thread, found, count);
    if (conflict == CONFLICTS_BEFORE) return 0;
    uint64_t births = machine->births;
    VmStop stop;
    if (enters_section(machine, run->thread)) {
        const VmAccessList *section = &check->superstep->section;
        stop = run_section(check, run->thread, NULL);
        conflict = conflict_of(check, run->tables, run->thread, section->entries, section->count);
        if (conflict == CONFLICTS_BEFORE) { /* which could not be known before */
            check_revert(check);
            repeat(run, run->length);
            return 0;
        }
        append(run, section->entries, section->count);
    } else {
        append(run, found, count);
        stop = check_transition(check, run->thread, NULL);
    }
    run->length++;
    run->pc = pc;
    return conflict == INDEPENDENT && may_follow(run, stop, births);
}

/* Where only a spurious wake-up goes on, the state may be a deadlock, which must be seen. */
static int can_go_on(Run *run) {
    const VmMachine *machine = run->check->machine;
    if (run->check->instructions >= run->check->most_instructions) return 0;
    run->known = may_remember(run) ? memo_recall(run->check, run->thread) : NULL;
    if (run->known != NULL) return !run->known->waits_for_ever;
    arrive(run);
    return vm_enabled(machine, run->thread) != THREAD_DISABLED && !vm_at_choice(machine, run->thread) &&
           !waits_for_ever(machine, run->thread);
}

/* The accesses of the first transition go from the table to the run; after a choice there are none. */
static void take_first(Run *run) {
    run->check->superstep->latest_count = 0;
    if (run->table->known == 0) {
        append(run, run->table->last, run->table->last_count);
        run->table->last_count = 0;
        conflicts_forget_last(&run->tables->conflicts, run->thread);
    } else if (run->check->shows_presence) {
        VmAccess nothing = presence(run->check->machine, run->thread);
        append(run, &nothing, 1);
    }
}

/* Whether it may be followed by another one. */
static int do_first(Run *run) {
    VmCheck *check = run->check;
    uint64_t births = check->machine->births;
    int is_disturbed = 0;
    run->pc = check->machine->threads[run->thread].pc;
    run->length = 1;
    if (may_remember(run) && !vm_at_choice(check->machine, run->thread)) {
        const Remembered *known = recall_or_learn(check, run->thread, &is_disturbed);
        if (known != NULL) {
            memo_apply(check, run->thread, known);
            return 1;
        }
        if (is_disturbed) check_revert(check);
    }
    return may_follow(run, check_transition(check, run->thread, &run->choice), births);
}

/* Does the superstep for the first time, and puts it into the table of its thread. */
static void explore(Run *run) {
    VmCheck *check = run->check;
    Superstep *superstep = check->superstep;
    take_first(run);
    Conflict conflict = conflict_of(check, run->tables, run->thread, superstep->latest, superstep->latest_count);
    int more = conflict == INDEPENDENT && !run->tables->is_single;
    if (more) set_checkpoint(check, run->thread, run->tables->remembers);
    run->may_return = 1;
    run->next_checkpoint = SECOND_CHECKPOINT;
    more &= do_first(run);
    while (more && can_go_on(run) && !has_gone_round(run)) more = go_on(run);
    arrive(run);
    for (uint32_t i = 0; i < superstep->latest_count; i++)
        add_last(run->tables, run->thread, superstep->latest[i], run->choice);
    run->table->known |= 1u << run->choice;
    run->table->lengths[run->choice] = run->length;
}

static Run start_run(VmCheck *check, StateTables *tables, uint32_t thread, uint32_t choice) {
    check->instructions = 0;
    return (Run){
        .check = check, .tables = tables, .table = tables->threads + thread, .thread = thread, .choice = choice};
}

/* What comes before the thread in the order of numbers must be in the tables. */
static void complete_tables(VmCheck *check, StateTables *tables, uint32_t thread) {
    for (uint32_t before = 0; before < thread; before++) {
        uint32_t moves = check_moves(check, before);
        for (uint32_t choice = 0; choice < moves; choice++) {
            if (tables->threads[before].known >> choice & 1) continue;
            Run run = start_run(check, tables, before, choice);
            explore(&run);
            check_revert(check);
        }
    }
}

const StateTables *superstep_tables(VmCheck *check, int complete) {
    StateTables *tables = find_tables(check);
    if (complete && !tables->is_single) complete_tables(check, tables, check->machine->limits.max_threads);
    return tables;
}

uint32_t superstep_do(VmCheck *check, uint32_t thread, uint32_t choice) {
    StateTables *tables = find_tables(check);
    if (!tables->is_single) complete_tables(check, tables, thread);
    Run run = start_run(check, tables, thread, choice);
    if (run.table->known >> choice & 1)
        repeat(&run, run.table->lengths[choice]);
    else
        explore(&run);
    check->transitions = run.length;
    return run.pc;
}
