/* SPDX-License-Identifier: Apache-2.0
 *
 * Moves, steps and outcomes of a program under check. Everything that decides a verdict is in the state: a violated
 * invariant and a deadlock become the fault of the state in which they are found.
 */
#include "leaks.h"
#include "memo.h"
#include "superstep.h"

#include <stdlib.h>

enum { DEFAULT_FUEL = 1 << 16, MOST_ABSTRACT_BYTES = 1 << 16 };
static const char ABSTRACT_OBJECT[] = "pancam_abs";

/* --- beginning --- */

VmCheck *check_create(const uint8_t *image, size_t size, const char *settings, char *error, size_t capacity) {
    VmCheck *check = calloc(1, sizeof *check);
    if (check == NULL || (check->settings = strdup(settings)) == NULL) {
        check_fail(error, capacity, "no memory for a check");
        free(check);
        return NULL;
    }
    check->mode = VM_STEP_GLOBAL;
    check->fuel = DEFAULT_FUEL;
    check->has_main = 1;
    check->reuses_ids = 1;
    check->most_instructions = DEFAULT_FUEL;
    if (check_apply(check, 0, error, capacity)) {
        check->machine = vm_create(image, size, &check->limits, error, capacity);
        if (check->machine != NULL) check->machine->wakes_spuriously = check->wakes_spuriously;
        if (check->machine != NULL) check->machine->keeps_ids = !check->reuses_ids;
        if (check->machine != NULL) check->machine->exit_sees_all = check->leaks != LEAKS_NONE;
        check->shows_presence = check->finds_races || check->leaks != LEAKS_NONE;
        if (check->machine != NULL && (check->takes_supersteps || check->finds_races))
            check->superstep = superstep_create(check->machine->limits.max_threads, check->finds_races);
        if (check->machine != NULL && check->finds_races && !races_create(check))
            check_fail(error, capacity, "no memory for lines");
        else if (check->machine != NULL && check_reset(check, error, capacity))
            return check;
    }
    check_destroy(check);
    return NULL;
}

static void drop_properties(VmCheck *check) {
    while (check->property_count > 0) property_destroy(check->properties + --check->property_count);
    check->has_abstraction = 0;
    check->proposition_count = 0;
}

void check_destroy(VmCheck *check) {
    superstep_destroy(check->superstep);
    memo_destroy(check->memo);
    races_destroy(check);
    crowd_destroy(check);
    drop_properties(check);
    vm_destroy(check->machine);
    free(check->settings);
    free(check->packed);
    free(check);
}

VmMachine *check_machine(VmCheck *check) { return check->machine; }

static void settle(VmCheck *check, uint32_t thread, uint32_t pc);

int check_reset(VmCheck *check, char *error, size_t capacity) {
    vm_reset(check->machine);
    drop_properties(check);
    if (!check->has_main) {
        while (vm_run(check->machine, 0, VM_RUN, check->fuel, 0, 0) == STOP_STEP) {
        }
        if (check->machine->threads[0].status == THREAD_RUNNING)
            return check_fail(error, capacity, "the constructors of the program do not end");
    }
    if (!check_apply(check, 1, error, capacity)) return 0;
    if (check->property_count > 0) settle(check, 0, check->machine->threads[0].pc);
    return 1;
}

static int find(const VmCheck *check, const char *name, uint32_t *function, char *error, size_t capacity) {
    *function = vm_find_function(check->machine, name);
    if (*function < vm_function_count(check->machine)) return 1;
    return check_fail(error, capacity, "the program has no function %s", name);
}

static int add_property(VmCheck *check, uint32_t function, uint32_t object, char *error, size_t capacity) {
    if (property_create(check->properties + check->property_count, check->machine, function, object)) {
        check->property_count++;
        return 1;
    }
    return check_fail(error, capacity, "no memory for a property");
}

/* A function that looks at the state and says yes or no. */
static int add_question(VmCheck *check, const char *kind, const char *name, char *error, size_t capacity) {
    uint32_t function;
    if (!find(check, name, &function, error, capacity)) return 0;
    if (check->machine->image.functions[function].parameter_slots > 0)
        return check_fail(error, capacity, "the %s %s has parameters", kind, name);
    if (check->machine->image.functions[function].result_slots != 1)
        return check_fail(error, capacity, "the %s %s returns no number", kind, name);
    return add_property(check, function, NO_OBJECT, error, capacity);
}

int check_add_invariant(VmCheck *check, const char *name, char *error, size_t capacity) {
    if (check->property_count - check->proposition_count - (uint32_t)check->has_abstraction == MOST_INVARIANTS)
        return check_fail(error, capacity, "too many invariants");
    return add_question(check, "invariant", name, error, capacity);
}

int check_add_proposition(VmCheck *check, const char *name, char *error, size_t capacity) {
    if (check->proposition_count == CHECK_MOST_PROPOSITIONS)
        return check_fail(error, capacity, "more than %d propositions", CHECK_MOST_PROPOSITIONS);
    if (!add_question(check, "proposition", name, error, capacity)) return 0;
    check->properties[check->property_count - 1].is_watched = 1;
    check->proposition_count++;
    return 1;
}

static uint32_t find_object(const VmImage *image, const char *name) {
    uint32_t object = 0;
    while (object < image->object_count && strcmp(image->strings + image->objects[object].name, name) != 0) object++;
    return object;
}

int check_abstraction(VmCheck *check, const char *name, char *error, size_t capacity) {
    uint32_t function, object = find_object(&check->machine->image, ABSTRACT_OBJECT);
    const VmImage *image = &check->machine->image;
    if (!find(check, name, &function, error, capacity)) return 0;
    if (image->functions[function].parameter_slots > 0)
        return check_fail(error, capacity, "the abstraction %s has parameters", name);
    if (object == image->object_count)
        return check_fail(error, capacity, "the abstraction %s does not write to pancam_abs", name);
    if (image->objects[object].flags & OBJECT_CONSTANT || image->objects[object].size > MOST_ABSTRACT_BYTES)
        return check_fail(error, capacity, "pancam_abs must be an array of at most %d bytes", MOST_ABSTRACT_BYTES);
    if (check->has_abstraction || check->property_count > 0)
        return check_fail(error, capacity, "there can be only one abstraction");
    check->has_abstraction = 1;
    return add_property(check, function, object, error, capacity);
}

int check_invariant(VmCheck *check, const char *name, char *error, size_t capacity) {
    if (!check_add_invariant(check, name, error, capacity)) return 0;
    settle(check, 0, check->machine->threads[0].pc);
    return 1;
}

int check_call(VmCheck *check, const char *name, char *error, size_t capacity) {
    uint32_t function;
    if (!find(check, name, &function, error, capacity)) return 0;
    vm_call(check->machine, function);
    settle(check, 0, check->machine->threads[0].pc);
    return 1;
}

int check_start(VmCheck *check, uint32_t thread, const char *name, uint64_t argument, char *error, size_t capacity) {
    uint32_t function;
    if (!find(check, name, &function, error, capacity)) return 0;
    if (check->machine->image.functions[function].parameter_slots > 1)
        return check_fail(error, capacity, "%s cannot be a thread: it has more than one parameter", name);
    uint32_t bits = check->machine->image.functions[function].flags >> FUNCTION_BITS_SHIFT;
    if (bits != 0) argument &= ((uint64_t)1 << bits) - 1; /* registers hold narrow integers zero-extended */
    vm_start_thread(check->machine, thread, function, argument);
    settle(check, thread, check->machine->threads[thread].pc);
    return 1;
}

/* --- moves --- */

/* The numbers that the CHOOSE before the thread can still give. */
static uint64_t open_choices(const VmCheck *check, uint32_t thread) {
    uint32_t narrowed = check->machine->threads[thread].choice_count;
    return narrowed != 0 ? narrowed : vm_choices(check->machine, thread);
}

uint32_t check_moves(const VmCheck *check, uint32_t thread) {
    if (vm_enabled(check->machine, thread) == THREAD_DISABLED) return 0;
    uint64_t choices = open_choices(check, thread);
    return choices < CHECK_FANOUT ? (uint32_t)choices : CHECK_FANOUT;
}

int check_is_partial(const VmCheck *check, uint32_t thread) { return open_choices(check, thread) > CHECK_FANOUT; }

uint64_t check_choice(const VmCheck *check, uint32_t thread, uint32_t choice) {
    return check->machine->threads[thread].choice_start + (uint64_t)choice;
}

/* Takes part number `choice` of CHECK_FANOUT parts of the numbers that are left. */
static void narrow(VmCheck *check, uint32_t thread, uint32_t choice) {
    VmThread *chooser = check->machine->threads + thread;
    uint64_t count = open_choices(check, thread);
    uint64_t start = count * choice / CHECK_FANOUT, end = count * (choice + 1) / CHECK_FANOUT;
    chooser->choice_start = (uint16_t)(chooser->choice_start + start);
    chooser->choice_count = (uint16_t)(end - start);
    note_thread(check->machine, thread);
}

VmStop check_transition(VmCheck *check, uint32_t thread, const uint32_t *choice) {
    VmMachine *machine = check->machine;
    uint32_t flags = VM_TIME_OUT;
    uint64_t number = 0;
    if (choice != NULL && vm_at_choice(machine, thread)) {
        if (check_is_partial(check, thread)) {
            narrow(check, thread, *choice);
            return STOP_CHOICE;
        }
        flags |= VM_WITH_CHOICE;
        number = check_choice(check, thread, *choice);
    }
    if (check->runs_alone && check->property_count == 0) flags |= VM_RUN_ALONE; /* a property sees every write */
    VmStop stop = vm_run(machine, thread, check->mode, check->fuel, flags, number);
    check->instructions += machine->executed;
    return stop;
}

/* Whoever wants more of a transition than its end has it executed each time: races and leaks want lines and presence,
 * marks of what was written are kept beside the bytes. */
void check_remember(VmCheck *check, const VmLocals *locals) {
    int is_plain = check->takes_supersteps && check->mode == VM_STEP_GLOBAL && check->holes == 0;
    if (locals == NULL || !is_plain || check->shows_presence || check->machine->image.tracks) return;
    check->locals = locals;
    check->memo = memo_create();
}

void check_identify(VmCheck *check, uint64_t slot, const void *identity, size_t size) {
    if (check->superstep != NULL) superstep_identify(check->superstep, slot, identity, size);
}

void check_go_back_here(VmCheck *check) {
    if (check->revert != NULL) return;
    size_t size = vm_pack(check->machine, check->packed, check->packed_capacity);
    if (size > check->packed_capacity) {
        check->packed = realloc(check->packed, size);
        if (check->packed == NULL) abort();
        check->packed_capacity = size;
        vm_pack(check->machine, check->packed, size);
    }
    check->packed_size = size;
}

void check_revert(VmCheck *check) {
    if (check->revert != NULL)
        check->revert(check);
    else
        vm_unpack(check->machine, check->packed, check->packed_size);
}

static uint32_t do_superstep(VmCheck *check, uint32_t thread, uint32_t choice) {
    for (uint32_t i = 0; i < check->property_count; i++) property_update(check->properties + i, check->machine);
    check_go_back_here(check);
    return superstep_do(check, thread, choice);
}

void check_step(VmCheck *check, uint32_t thread, uint32_t choice) {
    int is_partial = check_is_partial(check, thread);
    uint32_t pc = check->machine->threads[thread].pc;
    check->instructions = 0;
    check->transitions = 1;
    if (check->takes_supersteps)
        pc = do_superstep(check, thread, choice);
    else
        check_transition(check, thread, &choice);
    check->machine->executed = check->instructions;
    if (!is_partial) settle(check, thread, pc);
}

/* --- outcomes --- */

/* The fault belongs to the instruction that the last transition began with: that is what others could see. */
static void find_violated_invariant(VmCheck *check, uint32_t thread, uint32_t pc) {
    VmMachine *machine = check->machine;
    for (uint32_t i = 0; i < check->property_count; i++) {
        const Property *property = check->properties + i;
        if (!property_update(check->properties + i, machine)) return;
        if (property->object != NO_OBJECT || property->is_watched || property->result) continue;
        machine->detail[0] = property->function;
        machine->detail[1] = 0;
        record_fault(machine, FAULT_INVARIANT, thread, pc);
        return;
    }
}

static int some_thread_moves(const VmCheck *check) {
    for (uint32_t thread = 0; thread < check->machine->limits.max_threads; thread++) {
        if (check_moves(check, thread) > 0) return 1;
    }
    return 0;
}

/* The fault belongs to the first thread that waits: whoever moved last must not make a difference. Where deadlocks are
 * not reported, an execution goes on that only a spurious wake-up can save. */
static void find_deadlock(VmCheck *check) {
    VmMachine *machine = check->machine;
    uint32_t thread = 0;
    if (!vm_deadlocked(machine)) return;
    if ((check->ignored >> FAULT_DEADLOCK & 1) && some_thread_moves(check)) return;
    while (machine->threads[thread].status != THREAD_RUNNING) thread++;
    machine->detail[0] = machine->detail[1] = 0;
    record_fault(machine, FAULT_DEADLOCK, thread, machine->threads[thread].pc);
}

static int is_wanted(const VmCheck *check, uint32_t kind) { return !(check->ignored >> kind & 1); }

/* Blocks that are left when the process has ended. Nothing follows that could be cut off, so that what nobody wants to
 * hear of is no fault at all. */
static void find_leak(VmCheck *check, uint32_t thread) {
    VmMachine *machine = check->machine;
    Leaks leaks = leaks_find(machine);
    VmFault kind = FAULT_NONE;
    if (check->leaks == LEAKS_ALL && leaks.reachable.count > 0 && is_wanted(check, FAULT_LEAK_REACHABLE))
        kind = FAULT_LEAK_REACHABLE;
    if (leaks.lost.count > 0 && is_wanted(check, FAULT_LEAK)) kind = FAULT_LEAK;
    if (kind == FAULT_NONE) return;
    const LeftBlocks *blocks = kind == FAULT_LEAK ? &leaks.lost : &leaks.reachable;
    machine->detail[0] = blocks->first;
    machine->detail[1] = blocks->bytes << LEAK_COUNT_BITS | (blocks->count & (((uint64_t)1 << LEAK_COUNT_BITS) - 1));
    record_fault(machine, kind, thread, machine->threads[thread].pc);
}

/* After whatever changed the state: makes of it what the rules say. */
static void settle(VmCheck *check, uint32_t thread, uint32_t pc) {
    VmMachine *machine = check->machine;
    if (machine->header->status == PROCESS_RUNNING) find_violated_invariant(check, thread, pc);
    if (machine->header->status == PROCESS_EXITED && check->leaks != LEAKS_NONE) find_leak(check, thread);
    if (machine->header->status == PROCESS_RUNNING && vm_at_choice(machine, thread)) {
        uint64_t choices = vm_choices(machine, thread);
        machine->detail[0] = choices;
        machine->detail[1] = 0;
        if (choices == 0 || choices > CHECK_MOST_CHOICES)
            record_fault(machine, FAULT_CHOICE_LIMIT, thread, machine->threads[thread].pc);
    }
    if (machine->header->status == PROCESS_RUNNING) find_deadlock(check);
    if (machine->header->status != PROCESS_RUNNING) check_propositions(check); /* one may be a fault there */
}

static int is_limit(uint32_t kind) { return kind >= FAULT_STACK_LIMIT; } /* the last rows of faults.def */

static int some_thread_runs(const VmMachine *machine) {
    for (uint32_t thread = 0; thread < machine->limits.max_threads; thread++) {
        if (machine->threads[thread].status == THREAD_RUNNING) return 1;
    }
    return 0;
}

VmOutcome check_outcome(const VmCheck *check) {
    const VmHeader *header = check->machine->header;
    if (header->status == PROCESS_RUNNING) return some_thread_runs(check->machine) ? OUTCOME_RUNNING : OUTCOME_DONE;
    if (header->status != PROCESS_FAULT) return OUTCOME_DONE;
    if (is_limit(header->fault_kind)) return OUTCOME_LIMIT;
    if (header->fault_thread >= check->machine->limits.max_threads) return OUTCOME_VIOLATION; /* of a property's own */
    return check->ignored >> header->fault_kind & 1 ? OUTCOME_IGNORED : OUTCOME_VIOLATION;
}

/* --- properties --- */

uint64_t check_evaluations(const VmCheck *check, uint32_t property) {
    return property < check->property_count ? check->properties[property].runs : 0;
}

/* Faults that end an execution as abort() does: whoever ignores them still wants to know what never happens then. */
static int is_final_fault(uint32_t kind) { return kind == FAULT_DEADLOCK || kind == FAULT_ASSERT; }

int check_is_cut(const VmCheck *check) {
    const VmHeader *header = check->machine->header;
    VmOutcome outcome = check_outcome(check);
    if (outcome == OUTCOME_IGNORED) return !is_final_fault(header->fault_kind);
    return outcome == OUTCOME_VIOLATION || outcome == OUTCOME_LIMIT || header->status == PROCESS_PRUNED;
}

/* The memory of a process that has ended is still there. A proposition that faults is the state's own fault. */
uint32_t check_propositions(VmCheck *check) {
    VmHeader *header = check->machine->header, present = *header;
    uint32_t bits = 0, number = 0;
    if (check->proposition_count == 0 || check_is_cut(check)) return 0;
    header->status = PROCESS_RUNNING;
    for (uint32_t i = 0; i < check->property_count; i++) {
        Property *property = check->properties + i;
        if (!property->is_watched) continue;
        if (!property_update(property, check->machine)) return 0;
        bits |= (uint32_t)(property->result != 0) << number++;
    }
    *header = present;
    return bits;
}

int check_is_blocked(const VmCheck *check, uint32_t thread) {
    const VmMachine *machine = check->machine;
    return machine->header->status == PROCESS_RUNNING && thread < machine->limits.max_threads &&
           machine->threads[thread].status == THREAD_RUNNING && waits_for_ever(machine, thread);
}
