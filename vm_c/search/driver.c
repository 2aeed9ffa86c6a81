/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions of pancam.h: between SPIN, which decides who moves and keeps states, and the check, which knows what a
 * move is. Everything a process needs to interpret a state is made before SPIN forks (make_ready), or when it is first
 * needed. Told through the environment: PANCAM_IMAGE, PANCAM_SETTINGS, PANCAM_MEMORY, PANCAM_PROCESSES,
 * PANCAM_PROGRESS, PANCAM_DEPTH, PANCAM_BOUND (the context bound), PANCAM_PLACES (bound.c is to be used),
 * PANCAM_LINES (check_lines: a file of 32-bit numbers), PANCAM_FINALS (finals.c), PANCAM_STOP_AT_THREADS (an execution
 * with too many threads ends the search) and, when a trail is being re-executed, PANCAM_MOVES, the file that every call
 * which changes the state is written to.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "abstract.h"
#include "bound.h"
#include "finals.h"
#include "pancam.h"
#include "shared.h"
#include "store.h"
#include "visited.h"

#include "../memo.h"
#include "../superstep.h"

enum { ERROR_BYTES = 512, EXIT_BROKEN = 70 };
_Static_assert((unsigned)PROGRESS_NOTES == NOTES, "as many notes as an image can name");
#define DEFAULT_MEMORY ((uint64_t)4 << 30)

PanProgress *pan_progress;
SharedState *pan_shared;

extern long depth; /* SPIN's own */

uint32_t pan_bound, pan_abstract;

static VmCheck *check;
static FILE *moves_file;
static uint32_t own_number, known_invariants;
static uint32_t most_preemptions = UINT32_MAX;
static int knows_places; /* what the context bound refuses counts only where no other way leads to with fewer */
static int stops_at_threads;
static long depth_limit = LONG_MAX; /* beyond it SPIN would lose states, and a longer stack is to be tried */

/* --- ends of the search --- */

void search_fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (pan_progress != NULL) {
        pan_progress->stop = PAN_STOP_ERROR;
        vsnprintf(pan_progress->text, sizeof pan_progress->text, format, arguments);
        fprintf(stderr, "pancam: %s\n", pan_progress->text);
    }
    va_end(arguments);
    fflush(NULL);
    _exit(EXIT_BROKEN);
}

/* As if the user had interrupted the search: SPIN prints what it has, and that it is not complete. */
void search_stop(uint32_t reason) {
    pan_progress->stop = reason;
    for (;;) raise(SIGINT);
}

/* --- what is known of a state without loading it --- */

static uint16_t first_propositions; /* of the initial state */

void summarise(VmCheck *checked, StateSummary *summary) {
    summary->propositions = (uint16_t)check_propositions(checked);
    summary->outcome = (uint8_t)(check_outcome(checked) | (check_is_cut(checked) ? SUMMARY_CUT : 0));
    for (uint32_t thread = 0; thread < checked->machine->limits.max_threads; thread++) {
        int blocked = check_is_blocked(checked, thread) ? SUMMARY_BLOCKED : 0;
        summary->moves[thread] = (uint8_t)(check_moves(checked, thread) | (uint32_t)blocked);
    }
}

static VmOutcome outcome_now(void) {
    const StateSummary *summary = store_summary();
    return summary == NULL ? OUTCOME_RUNNING : (VmOutcome)(summary->outcome & SUMMARY_NUMBER);
}

int pan_proposition(unsigned number) {
    const StateSummary *summary = store_summary();
    return (summary == NULL ? first_propositions : summary->propositions) >> number & 1;
}

int pan_cut(void) {
    const StateSummary *summary = store_summary();
    return summary != NULL && summary->outcome & SUMMARY_CUT;
}

static unsigned thread_summary(unsigned thread) {
    const StateSummary *summary = store_summary();
    return summary == NULL || thread >= check->machine->limits.max_threads ? 0 : summary->moves[thread];
}

unsigned pan_choices(unsigned thread) { return thread_summary(thread) & SUMMARY_NUMBER; }

int pan_blocked(unsigned thread) { return (thread_summary(thread) & SUMMARY_BLOCKED) != 0; }

/* --- what the processes share --- */

static void *map(uint64_t bytes, int flags, int file) {
    void *place = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, file, 0);
    if (place == MAP_FAILED) search_fail("no memory: %llu bytes", (unsigned long long)bytes);
    return place;
}

void *search_map(uint64_t bytes) {
    int kind = pan_shared == NULL || pan_shared->several ? MAP_SHARED : MAP_PRIVATE;
    return map(bytes, kind | MAP_ANONYMOUS | MAP_NORESERVE, -1);
}

static void map_progress(void) {
    const char *path = getenv("PANCAM_PROGRESS");
    int file = path == NULL ? -1 : open(path, O_RDWR);
    if (file >= 0 && ftruncate(file, sizeof *pan_progress) == 0)
        pan_progress = map(sizeof *pan_progress, MAP_SHARED, file);
    else
        pan_progress = search_map(sizeof *pan_progress);
    if (file >= 0) close(file);
    pan_progress->version = 1;
}

/* For every process, the first one and those that SPIN forks. */
static void take_number(void) {
    own_number = __atomic_fetch_add(&pan_shared->processes, 1, __ATOMIC_SEQ_CST);
    pan_progress->processes = pan_shared->processes;
    if (own_number >= MOST_PROCESSES) search_fail("more than %d processes", MOST_PROCESSES);
}

uint32_t search_process(void) { return own_number; }

static PanProcess *own_progress(void) { return pan_progress->process + own_number; }

/* --- the program --- */

static uint8_t *read_file(const char *path, size_t *size) {
    int file = open(path, O_RDONLY);
    struct stat status;
    if (file < 0 || fstat(file, &status) != 0) search_fail("%s: %s", path, strerror(errno));
    *size = (size_t)status.st_size;
    uint8_t *bytes = malloc(*size + 1);
    if (bytes == NULL || read(file, bytes, *size) != status.st_size) search_fail("%s: cannot be read", path);
    close(file);
    return bytes;
}

static void load_lines(const char *path) {
    size_t size;
    uint32_t *lines = (uint32_t *)(void *)read_file(path, &size);
    check_lines(check, lines, (uint32_t)(size / sizeof *lines));
    free(lines);
}

static void load_program(void) {
    char error[ERROR_BYTES] = "";
    const char *settings = getenv("PANCAM_SETTINGS"), *memory = getenv("PANCAM_MEMORY");
    size_t size;
    uint8_t *image = read_file(pan_shared->image_path, &size);
    check = check_create(image, size, settings == NULL ? "" : settings, error, sizeof error);
    free(image);
    if (check == NULL) search_fail("%s", error);
    if (getenv("PANCAM_LINES") != NULL) load_lines(getenv("PANCAM_LINES"));
    vm_set_notes(check->machine, pan_progress->notes); /* set-up is done again by pan_setup, and its notes taken then */
    uint64_t limit = memory == NULL ? DEFAULT_MEMORY : strtoull(memory, NULL, 10);
    store_create(check, limit);
    first_propositions = (uint16_t)check_propositions(check);
    if (check->has_abstraction) abstract_create(check, limit);
    if (knows_places) bound_create(most_preemptions, limit);
    check->revert = store_revert;
    check_remember(check, store_locals());
}

static void remember_image(const char *path) {
    size_t length = strlen(path);
    if (check != NULL && strcmp(path, pan_shared->image_path) != 0)
        search_fail("the driver wants the program %s, but the search was started with another one", path);
    if (length >= sizeof pan_shared->image_path) search_fail("%s: the name is too long", path);
    memcpy(pan_shared->image_path, path, length + 1);
}

/* Before SPIN's main. */
__attribute__((constructor)) static void make_ready(void) {
    const char *image = getenv("PANCAM_IMAGE"), *processes = getenv("PANCAM_PROCESSES"),
               *moves = getenv("PANCAM_MOVES");
    if (getenv("PANCAM_DEPTH") != NULL) depth_limit = atol(getenv("PANCAM_DEPTH"));
    if (getenv("PANCAM_BOUND") != NULL) most_preemptions = (uint32_t)atol(getenv("PANCAM_BOUND"));
    knows_places = most_preemptions != UINT32_MAX && getenv("PANCAM_PLACES") != NULL;
    stops_at_threads = getenv("PANCAM_STOP_AT_THREADS") != NULL;
    finals_open(getenv("PANCAM_FINALS"));
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a search whose pancam was killed is of no use to anybody */
    map_progress();
    pan_shared = search_map(sizeof *pan_shared);
    pan_shared->several = processes != NULL && atoi(processes) > 1;
    take_number();
    pthread_atfork(NULL, NULL, take_number);
    pthread_atfork(NULL, NULL, visited_serve);
    if (moves != NULL && (moves_file = fopen(moves, "w")) == NULL) search_fail("%s: %s", moves, strerror(errno));
    if (image == NULL) return;
    remember_image(image);
    load_program();
}

/* Only one process of a parallel search runs the driver's set-up; the others learn here what it has registered. */
static void learn_invariants(void) {
    char error[ERROR_BYTES] = "";
    while (known_invariants < pan_shared->invariant_count) {
        if (!check_add_invariant(check, pan_shared->invariants[known_invariants++], error, sizeof error))
            search_fail("%s", error);
    }
}

static VmCheck *ready(void) {
    if (check == NULL) {
        if (pan_shared->image_path[0] == '\0') search_fail("the driver moves before pan_setup");
        if (pan_shared->several) search_fail("a parallel search needs its program in PANCAM_IMAGE, before it forks");
        load_program();
    }
    if (known_invariants < pan_shared->invariant_count) learn_invariants();
    return check;
}

/* --- the interface: set-up --- */

#define LOG_MOVE(...)                                                                                                  \
    do {                                                                                                               \
        if (moves_file != NULL) {                                                                                      \
            fprintf(moves_file, __VA_ARGS__);                                                                          \
            fflush(moves_file);                                                                                        \
        }                                                                                                              \
    } while (0)

static void save_state(void) {
    store_save(check);
    if (check->has_abstraction) pan_abstract = abstract_number(check);
}

static void count_outcome(void) {
    uint32_t kind = check->machine->header->fault_kind % PROGRESS_FAULTS;
    VmOutcome outcome = check_outcome(check);
    if (outcome == OUTCOME_LIMIT) own_progress()->limits[kind]++;
    if (outcome == OUTCOME_LIMIT && kind == FAULT_THREAD_LIMIT && stops_at_threads) search_stop(PAN_STOP_THREADS);
    if (outcome == OUTCOME_IGNORED) own_progress()->ignored[kind]++;
}

void pan_setup(const char *image) {
    char error[ERROR_BYTES] = "";
    if (image != NULL) remember_image(image);
    store_touch(ready()); /* a driver may come here again from another branch of its own */
    if (!check_reset(check, error, sizeof error)) search_fail("%s", error);
    store_touch(check);
    count_outcome();
    save_state();
    pan_bound = 0;
    visited_serve();
}

/* Makes the tracked state the machine's, lets a function change it, and tracks what comes out. */
#define CHANGE_STATE(change)                                                                                           \
    do {                                                                                                               \
        char error[ERROR_BYTES] = "";                                                                                  \
        store_load(ready());                                                                                           \
        if (!(change)) search_fail("%s", error);                                                                       \
        count_outcome();                                                                                               \
        save_state();                                                                                                  \
    } while (0)

void pan_register_invariant(const char *function) {
    uint32_t number = pan_shared->invariant_count;
    LOG_MOVE("invariant %s\n", function);
    if (number >= MOST_INVARIANTS || strlen(function) >= NAME_BYTES) search_fail("too many invariants: %s", function);
    CHANGE_STATE(check_invariant(check, function, error, sizeof error));
    for (uint32_t i = 0; i < number; i++) {
        if (strcmp(pan_shared->invariants[i], function) == 0) return;
    }
    strcpy(pan_shared->invariants[number], function);
    pan_shared->invariant_count = known_invariants = number + 1;
}

void pan_start_thread(unsigned thread, const char *function, unsigned long argument) {
    LOG_MOVE("start %u %s %lu\n", thread, function, argument);
    CHANGE_STATE(check_start(check, thread, function, argument, error, sizeof error));
}

void pan_run_function(const char *function) {
    LOG_MOVE("call %s\n", function);
    CHANGE_STATE(check_call(check, function, error, sizeof error));
}

/* --- the interface: moving --- */

int pan_enabled(unsigned thread) { return pan_choices(thread) > 0; }

/* Who moved last and can go on: 1 + its number, or 0; and the preemptions so far. */
static uint32_t last_mover(void) { return pan_bound & 0xff; }
static uint32_t preemptions(void) { return pan_bound >> 8; }

static int preempts(unsigned thread) { return last_mover() != 0 && last_mover() != thread + 1; }

unsigned pan_choices_cb(unsigned thread) {
    unsigned choices = pan_choices(thread);
    if (choices == 0 || !preempts(thread) || preemptions() < most_preemptions) return choices;
    if (!knows_places) own_progress()->refused++;
    return 0;
}

int pan_enabled_cb(unsigned thread) { return pan_choices_cb(thread) > 0; }

static void note_place(void) {
    size_t size = sizeof pan_abstract;
    const void *identity = check->has_abstraction ? &pan_abstract : store_identity(&size);
    int would_refuse = 0;
    for (unsigned thread = 0; thread < check->machine->limits.max_threads && !would_refuse; thread++)
        would_refuse = preempts(thread) && pan_enabled(thread);
    bound_note(identity, size, last_mover(), preemptions(), would_refuse);
}

/* Comes after the step. A state that nobody leaves is the same, however it was reached. */
static void count_preemption(unsigned thread, int was_preemption) {
    uint32_t used = preemptions() + (uint32_t)was_preemption, last = pan_enabled(thread) ? thread + 1 : 0;
    pan_bound = outcome_now() == OUTCOME_RUNNING ? used << 8 | last : 0;
    if (knows_places) note_place();
}

static void count_step(void) {
    PanProcess *progress = own_progress();
    progress->transitions++;
    progress->small_steps += check->transitions;
    progress->instructions += check->instructions;
    progress->depth = (uint64_t)depth;
    if (check->memo != NULL) progress->recalled = memo_applied(check->memo);
    if (check->superstep != NULL && (progress->transitions & (progress->transitions - 1)) == 0)
        progress->table_bytes = superstep_bytes(check->superstep); /* now and then: it only grows */
    progress->evaluations = 0;
    for (uint32_t i = 0; i < check->property_count; i++) progress->evaluations += check_evaluations(check, i);
}

/* The machine gets to the tracked state. */
static void load_state(void) {
    size_t size;
    store_load(ready());
    const void *identity = store_identity(&size);
    check_identify(check, (uint64_t)depth, identity, size);
}

void pan_step_choice(unsigned thread, unsigned choice) {
    LOG_MOVE("step %u %u\n", thread, choice);
    if (choice >= pan_choices(thread))
        search_fail("the driver lets thread %u make a move that it does not have", thread);
    int is_preemption = preempts(thread);
    load_state();
    check_step(check, thread, choice);
    count_step();
    if (depth >= depth_limit) search_stop(PAN_STOP_DEPTH);
    count_outcome();
    save_state();
    if (most_preemptions != UINT32_MAX) count_preemption(thread, is_preemption);
    finals_note(check);
}

void pan_step(unsigned thread) { pan_step_choice(thread, 0); }

/* --- the interface: outcomes --- */

int pan_done(void) { return outcome_now() != OUTCOME_RUNNING && outcome_now() != OUTCOME_VIOLATION; }

/* Of several executions that end at the same place with the same fault, the first is reported: that is one bug. The
 * place is all calls that led there, since the fault itself is often somewhere in the library. */
static uint64_t report_key(const VmMachine *machine) {
    enum { MOST_FRAMES = 64 };
    const VmHeader *header = machine->header;
    VmFrameInfo frames[MOST_FRAMES];
    uint32_t count = vm_frames(machine, header->fault_thread, frames, MOST_FRAMES);
    uint64_t key = (uint64_t)header->fault_kind << 32 | (header->fault_pc + 1u);
    for (uint32_t i = 1; i < count && i < MOST_FRAMES; i++) key = key * 0x100000001b3u ^ frames[i].pc;
    return key == 0 ? 1 : key;
}

/* Of two lines, in whichever order, whatever the threads do there. */
static uint64_t race_key(const VmRace *race) {
    uint64_t one = race->sides[0].line, other = race->sides[1].line;
    return (uint64_t)1 << 63 | (one < other ? one << 31 | other : other << 31 | one);
}

/* Where the key is or would be; MOST_REPORTS: there is no room. */
static uint32_t report_slot(uint64_t key) {
    uint32_t slot = 0;
    while (slot < MOST_REPORTS && pan_shared->reported[slot] != 0 && pan_shared->reported[slot] != key) slot++;
    return slot;
}

/* What does not fit is not reported: there are reports enough. */
static int is_new_race(const VmRace *race) {
    uint32_t slot = report_slot(race_key(race));
    return slot < MOST_REPORTS && pan_shared->reported[slot] == 0;
}

/* Races do not end an execution: they are looked for in the states that threads leave. */
static int has_new_race(void) {
    load_state();
    uint32_t count = check_races(check, 0), number = 0;
    while (number < count && !is_new_race(check_race(check, number))) number++;
    return number < count;
}

static void report_races(void) {
    load_state();
    uint32_t count = check_races(check, 0);
    for (uint32_t number = 0; number < count; number++) {
        uint64_t key = race_key(check_race(check, number));
        uint32_t slot = report_slot(key);
        if (slot < MOST_REPORTS) pan_shared->reported[slot] = key;
    }
}

int pan_bad(void) {
    if (outcome_now() == OUTCOME_RUNNING) return store_summary() != NULL && check->finds_races && has_new_race();
    if (outcome_now() != OUTCOME_VIOLATION) return 0;
    store_load(check);
    uint32_t slot = report_slot(report_key(check->machine));
    return slot == MOST_REPORTS || pan_shared->reported[slot] == 0;
}

void pan_report(void) {
    if (outcome_now() == OUTCOME_RUNNING) {
        report_races();
        return;
    }
    store_load(check);
    uint64_t key = report_key(check->machine);
    uint32_t slot = report_slot(key);
    if (slot < MOST_REPORTS) pan_shared->reported[slot] = key;
}
