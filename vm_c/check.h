/* SPDX-License-Identifier: Apache-2.0
 *
 * The inside of a check: the machine, and what counts as a step and as a violation.
 */
#pragma once

#include "machine.h"
#include "property.h"

#include "check_api.h"

enum { MOST_INVARIANTS = 32, MOST_PROPERTIES = 1 + MOST_INVARIANTS + CHECK_MOST_PROPOSITIONS };

typedef struct Superstep Superstep; /* superstep.h */

typedef enum { LEAKS_NONE, LEAKS_LOST, LEAKS_ALL } CheckedLeaks;

/* Numbers for what is local to a thread: its record, registers and stack. Equal numbers, equal local states. */
typedef struct {
    uint32_t (*find)(struct VmCheck *check, uint32_t thread);            /* of the present one */
    void (*go)(struct VmCheck *check, uint32_t thread, uint32_t number); /* the thread's record at once, but ... */
    void (*arrive)(struct VmCheck *check, uint32_t thread);              /* its registers and its stack only here */
} VmLocals;

typedef struct Memo Memo; /* memo.h */

struct VmCheck {
    VmMachine *machine;
    char *settings;
    VmLimits limits;
    VmMode mode;
    uint64_t fuel;    /* of one transition, so that a loop without visible instructions does not hang it */
    uint64_t ignored; /* a bit for each kind of fault */
    int has_main;
    int runs_alone; /* a thread that is the only one is disturbed by nobody: the driver calls and starts nothing */
    int wakes_spuriously; /* spurious wake-ups are wanted */
    int takes_supersteps; /* or a step is one transition */
    Superstep *superstep;
    uint64_t most_instructions;           /* after which a superstep ends */
    uint32_t holes;                       /* HOLE_*: what the published algorithm leaves open, for tests */
    Property properties[MOST_PROPERTIES]; /* the abstraction, if there is one; then invariants and propositions */
    uint32_t property_count, proposition_count;
    int has_abstraction, keeps_control;

    int finds_races;
    CheckedLeaks leaks;
    int reuses_ids;     /* a new heap block may get the number of a freed one */
    int shows_presence; /* for races and leaks: a transition that touches nothing is one that others could notice */
    uint32_t *lines;    /* the machine's; see check_lines */
    VmRace *races;      /* of the state that was looked at last: races.c */
    uint32_t race_count, race_capacity;

    const VmLocals *locals; /* null: nobody numbers local states */
    Memo *memo;             /* null: every transition is executed */

    uint64_t instructions; /* of the last step */
    uint32_t transitions;

    /* Brings the machine back to the state before the step; null: to a copy that was made of it. */
    void (*revert)(struct VmCheck *check);
    uint8_t *packed;
    size_t packed_size, packed_capacity;
    struct CrowdBuffers *crowd; /* crowd.c; null: nobody has made such a step */
};

#define check_fail image_error /* one line with its arguments, and 0 */

/* check_settings.c: goes over the words of the settings, those for set-up or all the others. */
int check_apply(VmCheck *check, int setup, char *error, size_t capacity);

int check_abstraction(VmCheck *check, const char *function, char *error, size_t capacity);
int check_add_invariant(VmCheck *check, const char *function, char *error, size_t capacity); /* without a look at it */
int check_add_proposition(VmCheck *check, const char *function, char *error, size_t capacity);

/* The next transition of the thread, with the number of a choice if it is the first one of a move. */
VmStop check_transition(VmCheck *check, uint32_t thread, const uint32_t *choice);
void check_revert(VmCheck *check);

void check_go_back_here(VmCheck *check); /* to where check_revert is to lead, unless the owner knows */

/* races.c: each instruction is on a line of its own until somebody says otherwise. 0: no memory. */
int races_create(VmCheck *check);
void races_destroy(VmCheck *check);

void crowd_destroy(VmCheck *check); /* crowd.c */

/* Which state the machine is in: bytes that no other state has, and a number that tells where to remember things. */
void check_identify(VmCheck *check, uint64_t slot, const void *identity, size_t size);

/* From now on local states have numbers, and transitions may be remembered where that is possible. */
void check_remember(VmCheck *check, const VmLocals *locals);
