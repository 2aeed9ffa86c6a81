/* SPDX-License-Identifier: Apache-2.0
 *
 * A program with all its moves: what a transition is, for SPIN's verifier, for replays and for tests alike. A move is a
 * thread and the number of a choice; a list of moves from the start is a trace.
 * Declarations only, no includes: C includes vm_api.h first, cffi reads both as text.
 */
#pragma once

typedef struct VmCheck VmCheck;

enum {
    CHECK_FANOUT = 4,           /* moves of one thread in one state; more are chosen digit by digit */
    CHECK_MOST_CHOICES = 65536, /* at one place; beyond that nobody waits for the end */
    CHECK_MOST_PROPOSITIONS = 16
};

typedef enum {
    OUTCOME_RUNNING,   /* threads are left, and some can move */
    OUTCOME_DONE,      /* exited, aborted, pruned by an assumption, or all threads have ended */
    OUTCOME_VIOLATION, /* see the fault in VmHeader; a deadlock and a violated invariant are faults, too */
    OUTCOME_LIMIT,     /* a limit of the machine was reached: what comes behind it is not known */
    OUTCOME_IGNORED,   /* a fault of a kind that nobody wants to hear of ends this execution */
} VmOutcome;

/* One of two threads that are about to make accesses which conflict, and of which one at least is not atomic. */
typedef struct {
    uint32_t thread;
    uint32_t choice, transitions; /* so many transitions of this move of the thread lead to where it is */
    uint32_t line;                /* of the access; see check_lines */
    uint32_t writes, is_atomic;
} VmRaceSide;

typedef struct {
    VmRaceSide sides[2];
} VmRace;

/* The settings are words of the form key=value with spaces between them; see check.c. Null means that something is
 * wrong with the image or the settings; `error` then holds one line. */
VmCheck *check_create(const uint8_t *image, size_t size, const char *settings, char *error, size_t capacity);
void check_destroy(VmCheck *check);
int check_reset(VmCheck *check, char *error, size_t capacity); /* the initial state, all set-up of the settings done */
VmMachine *check_machine(VmCheck *check);

/* Each returns 0 and one line when there is no such function. What it does may end the process; see the outcome. */
int check_invariant(VmCheck *check, const char *function, char *error, size_t capacity);
int check_call(VmCheck *check, const char *function, char *error, size_t capacity);
int check_start(VmCheck *check, uint32_t thread, const char *function, uint64_t argument, char *error, size_t capacity);

uint32_t check_moves(const VmCheck *check, uint32_t thread); /* how many moves it has now, at most CHECK_FANOUT */
int check_is_partial(const VmCheck *check, uint32_t thread); /* its moves only narrow a choice down */
uint64_t check_choice(const VmCheck *check, uint32_t thread, uint32_t choice); /* the number that a CHOOSE would give */
void check_step(VmCheck *check, uint32_t thread, uint32_t choice);             /* choice < check_moves */
VmOutcome check_outcome(const VmCheck *check);

/* Data races (races=1). check_races looks for those that the threads can be brought to from the present state by parts
 * of their moves, or that are there if only what is pending counts; it returns their number, each pair of lines once.
 */
uint32_t check_races(VmCheck *check, int only_pending);
const VmRace *check_race(const VmCheck *check, uint32_t number);
void check_approach(VmCheck *check, uint32_t thread, uint32_t choice, uint32_t transitions); /* a part of a move */

/* Gives each pc the number of its line in the user's program; 0: it has none, and belongs to the line of the call. As
 * long as nobody says otherwise, every instruction is on a line of its own. */
void check_lines(VmCheck *check, const uint32_t *lines, uint32_t count);

/* For properties of infinite executions. One that has ended stays in its last state for ever. One that is cut does not
 * count, or is not known any further: an assumption failed, a limit was reached, or a fault is what there is to tell.
 */
uint32_t check_propositions(VmCheck *check); /* a bit for each; all 0 where the execution is cut */
int check_is_cut(const VmCheck *check);
int check_is_blocked(const VmCheck *check, uint32_t thread); /* waits, and only others can end that: not the time */
uint64_t check_evaluations(const VmCheck *check, uint32_t property); /* how often the function was run so far */
