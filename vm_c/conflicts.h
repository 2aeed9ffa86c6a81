/* SPDX-License-Identifier: Apache-2.0
 *
 * What the threads' sequences from one state touch, all in one table, so that a test costs about the same for however
 * many threads and transitions. Accesses of the last transitions are told apart from those that come before them, and
 * can be taken back.
 */
#pragma once

#include "accesses.h"

enum { MOST_SEQUENCES = 64 }; /* one for each thread */

typedef enum { INDEPENDENT, CONFLICTS_WITH_LAST, CONFLICTS_BEFORE } Conflict;

/* What a thread does to the bytes of a word of 8: a bit for each. */
typedef struct {
    uint64_t word;
    uint8_t thread;
    uint8_t epoch; /* 0: before the last transition; otherwise it counts only in this epoch of the thread */
    uint8_t read, written;
} SequenceUse;

typedef struct {
    VmAccess access;
    uint32_t thread, epoch;
} LongUse;

typedef struct {
    SequenceUse *uses;
    uint32_t count, capacity;
    uint32_t *index; /* places in `uses` plus 1, by a hash of the word; 0: free */
    uint32_t index_size;
    LongUse *ranges;
    uint32_t range_count, range_capacity;
    uint8_t epochs[MOST_SEQUENCES];
} Conflicts;

void conflicts_clear(Conflicts *conflicts);
void conflicts_release(Conflicts *conflicts);
uint64_t conflicts_bytes(const Conflicts *conflicts);
void conflicts_add(Conflicts *conflicts, uint32_t thread, const VmAccess *access, int is_last);
void conflicts_forget_last(Conflicts *conflicts, uint32_t thread);

/* How an access of the thread goes with the sequences of the others. */
Conflict conflicts_with(const Conflicts *conflicts, uint32_t thread, const VmAccess *access);
