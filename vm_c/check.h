/* SPDX-License-Identifier: Apache-2.0
 *
 * The inside of a check: the machine, and what counts as a step and as a violation.
 */
#pragma once

#include "machine.h"

#include "check_api.h"

enum { MOST_INVARIANTS = 32 };

struct VmCheck {
    VmMachine *machine;
    char *settings;
    VmLimits limits;
    VmMode mode;
    uint64_t fuel;    /* of one step, so that a loop without visible instructions does not hang it */
    uint64_t ignored; /* a bit for each kind of fault */
    int has_main;
    int runs_alone; /* a thread that is the only one is disturbed by nobody: the driver calls and starts nothing */
    uint32_t invariants[MOST_INVARIANTS]; /* functions */
    uint32_t invariant_count;
};

int check_add_invariant(VmCheck *check, const char *function, char *error, size_t capacity); /* without a look at it */
