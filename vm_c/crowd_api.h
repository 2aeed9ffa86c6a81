/* SPDX-License-Identifier: Apache-2.0
 *
 * Steps for searches with any number of threads (docs/adr/0021). A state is cut in two: what threads share, main
 * included, and for each other thread its local state, which says nothing about which thread it is: every thread makes
 * its steps in the same slot. For programs whose library was compiled with PANCAM_CROWD.
 * Declarations only, no includes: C includes check_api.h first, cffi reads both as text.
 */
#pragma once

enum {
    CROWD_STAGE = 1, /* the slot in which all threads but main move */
    CROWD_SLOTS = 3, /* threads of the machine: main, the one that moves, and in the last slot a new one */
};

typedef enum {
    CROWD_MOVED,     /* the step is done */
    CROWD_BLOCKED,   /* the thread cannot move, or does not run */
    CROWD_OVER,      /* the process has ended, or the execution does not count */
    CROWD_VIOLATION, /* see `fault` */
    CROWD_IGNORED,   /* a fault of a kind that nobody wants to hear of */
    CROWD_GAVE_UP,   /* a limit was reached, or threads would have to be told apart: see `fault` */
} VmCrowdOutcome;

typedef struct {
    const uint8_t *bytes; /* null: there is none; valid until the next step */
    size_t size;
} VmCrowdPart;

typedef struct {
    uint32_t outcome;                 /* VmCrowdOutcome */
    uint32_t fault;                   /* of faults.def */
    uint64_t choices;                 /* of the step before it was made: choice 0 is one of so many; 0: any number */
    uint32_t holds;                   /* the thread is in an atomic section: it goes on before all others */
    VmCrowdPart shared, mover, child; /* afterwards; no mover: it is main, or has ended */
} VmCrowdStep;

/* The step that a thread makes (main, if no local state is given). Parts may be those of another step. */
void crowd_step(VmCheck *check, VmCrowdPart shared, VmCrowdPart local, uint64_t choice, VmCrowdStep *step);
VmCrowdPart crowd_start(VmCheck *check); /* what is shared in the initial state */
