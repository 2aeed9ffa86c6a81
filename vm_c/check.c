/* SPDX-License-Identifier: Apache-2.0
 *
 * Moves, steps and outcomes of a program under check. Everything that decides a verdict is in the state: a violated
 * invariant and a deadlock become the fault of the state in which they are found.
 */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>

enum { DEFAULT_FUEL = 1 << 16, WORD_BYTES = 256 };

#define check_fail image_error /* one line with its arguments, and 0 */

/* --- settings ---
 *
 * step=global|instruction  fuel=N  max_threads=N heap_bytes=N heap_objects=N stack_slots=N stack_bytes=N
 * stack_objects=N  ignore=KIND  main=0|1 (whether thread 0 runs main, or only prepares the process)  alone=0|1
 * invariant=FUNCTION  call=FUNCTION  start=THREAD:FUNCTION:ARGUMENT (set-up, in the order given) */

static uint32_t *limit_called(VmLimits *limits, const char *key) {
    const struct {
        const char *name;
        uint32_t *limit;
    } rows[] = {
        {"max_threads", &limits->max_threads},   {"heap_bytes", &limits->heap_bytes},
        {"heap_objects", &limits->heap_objects}, {"stack_slots", &limits->stack_slots},
        {"stack_bytes", &limits->stack_bytes},   {"stack_objects", &limits->stack_objects},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].name, key) == 0) return rows[i].limit;
    }
    return NULL;
}

static int is_setup(const char *key) {
    return strcmp(key, "invariant") == 0 || strcmp(key, "call") == 0 || strcmp(key, "start") == 0;
}

static int ignore_fault(VmCheck *check, const char *name) {
    for (uint32_t kind = 1; kind < vm_fault_count(); kind++) {
        if (strcmp(vm_fault_name(kind), name) != 0) continue;
        check->ignored |= (uint64_t)1 << kind;
        return 1;
    }
    return 0;
}

/* One word that is not set-up. */
static int apply_setting(VmCheck *check, const char *key, const char *value) {
    uint32_t *limit = limit_called(&check->limits, key);
    if (limit != NULL) {
        *limit = (uint32_t)strtoul(value, NULL, 10);
    } else if (strcmp(key, "step") == 0 && strcmp(value, "instruction") == 0) {
        check->mode = VM_STEP_INSTRUCTION;
    } else if (strcmp(key, "step") == 0 && strcmp(value, "global") == 0) {
        check->mode = VM_STEP_GLOBAL;
    } else if (strcmp(key, "fuel") == 0) {
        check->fuel = strtoull(value, NULL, 10);
    } else if (strcmp(key, "main") == 0) {
        check->has_main = value[0] != '0';
    } else if (strcmp(key, "alone") == 0) {
        check->runs_alone = value[0] != '0';
    } else {
        return strcmp(key, "ignore") == 0 && ignore_fault(check, value);
    }
    return 1;
}

static int apply_setup(VmCheck *check, const char *key, char *value, char *error, size_t capacity) {
    if (strcmp(key, "invariant") == 0) return check_invariant(check, value, error, capacity);
    if (strcmp(key, "call") == 0) return check_call(check, value, error, capacity);
    char *name = strchr(value, ':'), *argument = name == NULL ? NULL : strrchr(name + 1, ':');
    if (argument == NULL) return check_fail(error, capacity, "start=%s is not THREAD:FUNCTION:ARGUMENT", value);
    *name++ = *argument++ = '\0';
    return check_start(check, (uint32_t)strtoul(value, NULL, 10), name, strtoull(argument, NULL, 10), error, capacity);
}

/* Goes over the words: set-up, or all the others. */
static int apply_settings(VmCheck *check, int setup, char *error, size_t capacity) {
    char word[WORD_BYTES];
    const char *rest = check->settings;
    for (rest += strspn(rest, " "); *rest != '\0'; rest += strspn(rest, " ")) {
        size_t length = strcspn(rest, " ");
        if (length >= sizeof word) return check_fail(error, capacity, "a setting of %zu characters", length);
        memcpy(word, rest, length);
        word[length] = '\0';
        rest += length;
        char *value = strchr(word, '=');
        if (value == NULL) return check_fail(error, capacity, "the setting %s has no value", word);
        *value++ = '\0';
        if (is_setup(word) != setup) continue;
        int good = setup ? apply_setup(check, word, value, error, capacity) : apply_setting(check, word, value);
        if (!good) return setup ? 0 : check_fail(error, capacity, "there is no setting %s=%s", word, value);
    }
    return 1;
}

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
    if (apply_settings(check, 0, error, capacity)) {
        check->machine = vm_create(image, size, &check->limits, error, capacity);
        if (check->machine != NULL && check_reset(check, error, capacity)) return check;
    }
    check_destroy(check);
    return NULL;
}

void check_destroy(VmCheck *check) {
    vm_destroy(check->machine);
    free(check->settings);
    free(check);
}

VmMachine *check_machine(VmCheck *check) { return check->machine; }

static void settle(VmCheck *check, uint32_t thread, uint32_t pc);

int check_reset(VmCheck *check, char *error, size_t capacity) {
    vm_reset(check->machine);
    check->invariant_count = 0;
    if (!check->has_main) {
        while (vm_run(check->machine, 0, VM_RUN, check->fuel, 0, 0) == STOP_STEP) {
        }
        if (check->machine->threads[0].status == THREAD_RUNNING)
            return check_fail(error, capacity, "the constructors of the program do not end");
    }
    return apply_settings(check, 1, error, capacity);
}

static int find(const VmCheck *check, const char *name, uint32_t *function, char *error, size_t capacity) {
    *function = vm_find_function(check->machine, name);
    if (*function < vm_function_count(check->machine)) return 1;
    return check_fail(error, capacity, "the program has no function %s", name);
}

int check_add_invariant(VmCheck *check, const char *name, char *error, size_t capacity) {
    uint32_t function;
    if (!find(check, name, &function, error, capacity)) return 0;
    if (check->machine->image.functions[function].parameter_slots > 0)
        return check_fail(error, capacity, "the invariant %s has parameters", name);
    if (check->machine->image.functions[function].result_slots != 1)
        return check_fail(error, capacity, "the invariant %s returns no number", name);
    if (check->invariant_count == MOST_INVARIANTS) return check_fail(error, capacity, "too many invariants");
    check->invariants[check->invariant_count++] = function;
    return 1;
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

void check_step(VmCheck *check, uint32_t thread, uint32_t choice) {
    VmMachine *machine = check->machine;
    uint32_t flags = VM_TIME_OUT;
    uint64_t number = 0;
    machine->executed = 0;
    if (vm_at_choice(machine, thread)) {
        if (check_is_partial(check, thread)) {
            narrow(check, thread, choice);
            return;
        }
        flags |= VM_WITH_CHOICE;
        number = check_choice(check, thread, choice);
    }
    if (check->runs_alone && check->invariant_count == 0) flags |= VM_RUN_ALONE; /* an invariant sees every write */
    uint32_t pc = machine->threads[thread].pc;
    vm_run(machine, thread, check->mode, check->fuel, flags, number);
    settle(check, thread, pc);
}

/* --- outcomes --- */

/* The fault belongs to the instruction that the step began with: that is what others could see. */
static void find_violated_invariant(VmCheck *check, uint32_t thread, uint32_t pc) {
    VmMachine *machine = check->machine;
    for (uint32_t i = 0; i < check->invariant_count; i++) {
        uint64_t holds;
        if (!vm_evaluate(machine, check->invariants[i], &holds)) return;
        if (holds) continue;
        machine->detail[0] = check->invariants[i];
        machine->detail[1] = 0;
        record_fault(machine, FAULT_INVARIANT, thread, pc);
        return;
    }
}

/* The fault belongs to the first thread that waits: whoever moved last must not make a difference. */
static void find_deadlock(VmMachine *machine) {
    uint32_t thread = 0;
    if (!vm_deadlocked(machine)) return;
    while (machine->threads[thread].status != THREAD_RUNNING) thread++;
    machine->detail[0] = machine->detail[1] = 0;
    record_fault(machine, FAULT_DEADLOCK, thread, machine->threads[thread].pc);
}

/* After whatever changed the state: makes of it what the rules say. */
static void settle(VmCheck *check, uint32_t thread, uint32_t pc) {
    VmMachine *machine = check->machine;
    if (machine->header->status == PROCESS_RUNNING) find_violated_invariant(check, thread, pc);
    if (machine->header->status != PROCESS_RUNNING) return;
    if (vm_at_choice(machine, thread)) {
        uint64_t choices = vm_choices(machine, thread);
        machine->detail[0] = choices;
        machine->detail[1] = 0;
        if (choices == 0 || choices > CHECK_MOST_CHOICES)
            record_fault(machine, FAULT_CHOICE_LIMIT, thread, machine->threads[thread].pc);
    }
    if (machine->header->status == PROCESS_RUNNING) find_deadlock(machine);
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
    return check->ignored >> header->fault_kind & 1 ? OUTCOME_IGNORED : OUTCOME_VIOLATION;
}
