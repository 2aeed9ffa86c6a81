/* SPDX-License-Identifier: Apache-2.0
 *
 * Transitions that were made before. What a transition of a thread does depends on the thread's local state (registers,
 * stack, where it is) and on the shared bytes that it reads; it leads to another local state and writes shared bytes.
 * Whoever numbers local states (VmLocals) need not execute it again: the bytes are compared, and those that it
 * writes are written. What is not that simple (threads that start or end, the heap's bookkeeping, other threads'
 * variables, faults, the end of the process) is never remembered.
 */
#pragma once

#include "accesses.h"
#include "check.h"

/* Some bytes of one word of the machine's memory: what they have to be, and what becomes of them. */
typedef struct {
    uint64_t place;
    uint64_t read_mask, before;
    uint64_t write_mask, after;
} MemoWord;

/* Followed by its accesses, then by its words. */
typedef struct {
    uint32_t next;      /* another one from the same local state; 0: none */
    uint32_t successor; /* the number of the local state */
    uint32_t instructions;
    uint16_t access_count, word_count;
    uint64_t waits_for_ever; /* what waits_for_ever says before it */
} Remembered;

Memo *memo_create(void);
void memo_destroy(Memo *memo);
uint64_t memo_applied(const Memo *memo); /* transitions that were not executed */
int memo_is_used(const Memo *memo);      /* 0: there is none, or it did not pay */

/* The next transition of the thread, if it was made before in the present circumstances; null: not known. */
const Remembered *memo_recall(VmCheck *check, uint32_t thread);

/* Makes the next transition, remembers it, and takes it back, but for what it wrote into the thread's own segments
 * (VmLocals.arrive). Null: it cannot be remembered; if *is_disturbed, the machine is no longer in the state it was in.
 */
const Remembered *memo_learn(VmCheck *check, uint32_t thread, int *is_disturbed);

void memo_apply(VmCheck *check, uint32_t thread, const Remembered *known);

static inline const VmAccess *memo_accesses(const Remembered *known) { return (const VmAccess *)(known + 1); }

/* What a transition touches while it is learned. */
void capture_note(VmMachine *machine, VmCapture *capture, uint32_t thread, const VmInstr *instr, const uint64_t *slots);
