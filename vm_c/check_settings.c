/* SPDX-License-Identifier: Apache-2.0
 *
 * The settings of a check: words of the form key=value, with spaces between them.
 *
 * step=superstep|global|instruction  max_superstep=N (instructions)  hole=blocked|creation|ranges (for tests)
 * fuel=N  max_threads=N heap_bytes=N heap_objects=N stack_slots=N stack_bytes=N stack_objects=N  ignore=KIND
 * main=0|1 (whether thread 0 runs main, or only prepares the process)  alone=0|1  spurious=0|1  keep_control=0|1
 * races=0|1  leaks=none|lost|all  reuse=0|1 (of the ids of freed heap blocks)
 * and, as set-up in the order given: abstraction=FUNCTION  invariant=FUNCTION  proposition=FUNCTION  call=FUNCTION
 * start=THREAD:FUNCTION:ARGUMENT
 */
#include "superstep.h"

#include <stdlib.h>

enum { SETTING_BYTES = 256 };

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

static int *flag_called(VmCheck *check, const char *key) {
    if (strcmp(key, "main") == 0) return &check->has_main;
    if (strcmp(key, "alone") == 0) return &check->runs_alone;
    if (strcmp(key, "spurious") == 0) return &check->wakes_spuriously;
    if (strcmp(key, "reuse") == 0) return &check->reuses_ids;
    if (strcmp(key, "races") == 0) return &check->finds_races;
    return strcmp(key, "keep_control") == 0 ? &check->keeps_control : NULL;
}

static uint64_t *number_called(VmCheck *check, const char *key) {
    if (strcmp(key, "fuel") == 0) return &check->fuel;
    return strcmp(key, "max_superstep") == 0 ? &check->most_instructions : NULL;
}

/* The number of the name in a list that ends with a null; -1: it is not there. */
static int index_of(const char *const *names, const char *name) {
    for (int i = 0; names[i] != NULL; i++) {
        if (strcmp(names[i], name) == 0) return i;
    }
    return -1;
}

static int ignore_fault(VmCheck *check, const char *name) {
    for (uint32_t kind = 1; kind < vm_fault_count(); kind++) {
        if (strcmp(vm_fault_name(kind), name) != 0) continue;
        check->ignored |= (uint64_t)1 << kind;
        return 1;
    }
    return 0;
}

static int choose_step(VmCheck *check, const char *name) {
    static const char *const names[] = {"instruction", "global", "superstep", NULL};
    int size = index_of(names, name);
    check->mode = size == 0 ? VM_STEP_INSTRUCTION : VM_STEP_GLOBAL;
    check->takes_supersteps = size == 2;
    return size >= 0;
}

static int choose_leaks(VmCheck *check, const char *name) {
    static const char *const names[] = {"none", "lost", "all", NULL}; /* in the order of LEAKS_* */
    int kind = index_of(names, name);
    check->leaks = kind > 0 ? (CheckedLeaks)kind : LEAKS_NONE;
    return kind >= 0;
}

static int open_hole(VmCheck *check, const char *name) {
    static const char *const names[] = {"blocked", "creation", "ranges", NULL}; /* in the order of HOLE_* */
    int hole = index_of(names, name);
    if (hole >= 0) check->holes |= 1u << hole;
    return hole >= 0;
}

/* One word that is not set-up. */
static int apply_setting(VmCheck *check, const char *key, const char *value) {
    uint32_t *limit = limit_called(&check->limits, key);
    uint64_t *number = number_called(check, key);
    int *flag = flag_called(check, key);
    if (limit != NULL) *limit = (uint32_t)strtoul(value, NULL, 10);
    if (number != NULL) *number = strtoull(value, NULL, 10);
    if (flag != NULL) *flag = value[0] != '0';
    if (limit != NULL || number != NULL || flag != NULL) return 1;
    if (strcmp(key, "step") == 0) return choose_step(check, value);
    if (strcmp(key, "leaks") == 0) return choose_leaks(check, value);
    if (strcmp(key, "hole") == 0) return open_hole(check, value);
    return strcmp(key, "ignore") == 0 && ignore_fault(check, value);
}

static int is_setup(const char *key) {
    static const char *const names[] = {"abstraction", "invariant", "proposition", "call", "start", NULL};
    return index_of(names, key) >= 0;
}

static int apply_setup(VmCheck *check, const char *key, char *value, char *error, size_t capacity) {
    if (strcmp(key, "abstraction") == 0) return check_abstraction(check, value, error, capacity);
    if (strcmp(key, "invariant") == 0) return check_invariant(check, value, error, capacity);
    if (strcmp(key, "proposition") == 0) return check_add_proposition(check, value, error, capacity);
    if (strcmp(key, "call") == 0) return check_call(check, value, error, capacity);
    char *name = strchr(value, ':'), *argument = name == NULL ? NULL : strrchr(name + 1, ':');
    if (argument == NULL) return check_fail(error, capacity, "start=%s is not THREAD:FUNCTION:ARGUMENT", value);
    *name++ = *argument++ = '\0';
    return check_start(check, (uint32_t)strtoul(value, NULL, 10), name, strtoull(argument, NULL, 10), error, capacity);
}

int check_apply(VmCheck *check, int setup, char *error, size_t capacity) {
    char word[SETTING_BYTES];
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
