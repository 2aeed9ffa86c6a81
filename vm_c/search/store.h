/* SPDX-License-Identifier: Apache-2.0
 *
 * How SPIN keeps states of the machine. Two stores, one interface: the raw store lets SPIN track the whole packed
 * state, the tree store cuts it into pieces that are stored once and lets SPIN track one number. A verifier has one of
 * them. `pan_tracked` is what SPIN saves, compares and puts back.
 */
#pragma once

#include "../check.h"

/* What is asked of a state again and again, kept with it. */
typedef struct {
    uint16_t propositions; /* a bit each */
    uint8_t outcome;       /* VmOutcome, and SUMMARY_CUT */
    uint8_t moves[1];      /* of each thread, and SUMMARY_BLOCKED */
} StateSummary;

enum { SUMMARY_CUT = 0x80, SUMMARY_BLOCKED = 0x80, SUMMARY_NUMBER = 0x7f };

void summarise(VmCheck *check, StateSummary *summary); /* of the state that the machine is in */

void store_create(VmCheck *check, uint64_t memory_limit);
void store_load(VmCheck *check);          /* brings the machine to the tracked state */
void store_touch(VmCheck *check);         /* everything in use counts as changed */
void store_revert(VmCheck *check);        /* brings the machine back to the tracked state, in which it was before */
void store_save(VmCheck *check);          /* makes the machine's state the tracked one */
const void *store_identity(size_t *size); /* bytes of the tracked state that no other state has */
const StateSummary *store_summary(void);  /* of the tracked state; null: there is none yet */
const VmLocals *store_locals(void);       /* null: this store does not number local states */
