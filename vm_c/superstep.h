/* SPDX-License-Identifier: Apache-2.0
 *
 * Supersteps: a thread goes on for as long as nothing that it does can matter to, or depend on, what the others can do
 * first. superstep.c says how this is decided. From a given state the superstep of each move is always the same, in
 * whatever order the moves are tried, so that a search may come back, fork, or start again from a trail.
 */
#pragma once

#include "check.h"
#include "conflicts.h"

enum {
    HOLE_BLOCKED = 1,  /* what a blocked thread waits for is not looked at */
    HOLE_CREATION = 2, /* a new thread does not end a step */
    HOLE_RANGES = 4,   /* accesses conflict only if they start at the same byte */
};

enum { STATE_SLOTS = 4096 }; /* states whose tables are kept; the others' are made again when they are needed */

/* What one thread does first in a state: its next transition, and later its supersteps, one for each choice. */
typedef struct {
    VmAccess *last; /* accesses of the last transitions; as long as nothing is known, of the next one */
    uint32_t last_count, last_capacity;
    uint32_t known;                 /* a bit for each choice whose superstep is in the table */
    uint32_t lengths[CHECK_FANOUT]; /* in transitions */
} ThreadTable;

typedef struct {
    uint8_t *identity;
    size_t identity_size, identity_capacity;
    int remembers; /* transitions from here may be taken from the memo: several threads run, and nobody looks on */
    int is_single; /* only one thread may move, until its atomic section ends: every superstep is one transition */
    Conflicts conflicts;
    ThreadTable threads[];
} StateTables;

/* All that a thread which only reads can change: to notice that it goes round in circles. */
typedef struct {
    uint32_t local; /* the number, where local states have one; otherwise: */
    VmThread thread;
    uint32_t stale_ids;
    uint64_t *copy; /* its registers, its stack memory, and the entries of its stack objects */
    uint64_t registers, stack_words, entry_words, capacity;
} Checkpoint;

struct Superstep {
    StateTables *slots[STATE_SLOTS];
    VmAccessList section; /* accesses of an atomic section that was tried */
    VmAccess *latest;     /* accesses of the latest transition of the superstep that is being made */
    uint32_t latest_count, latest_capacity;
    Checkpoint checkpoint;
    uint32_t thread_count;

    /* Which state the machine is in, if somebody says so: the slot for its tables, and bytes that no other state has.
     */
    uint32_t slot;
    const void *identity;
    size_t identity_size;
};

Superstep *superstep_create(uint32_t thread_count, int is_exact);
void superstep_destroy(Superstep *superstep);
uint64_t superstep_bytes(const Superstep *superstep); /* of all tables that are kept */
void superstep_identify(Superstep *superstep, uint64_t slot, const void *identity, size_t size);

/* The tables of the state that the machine is in: with the next transition of every thread, or with its supersteps. */
const StateTables *superstep_tables(VmCheck *check, int complete);

/* Does the move and returns the pc of its last transition. */
uint32_t superstep_do(VmCheck *check, uint32_t thread, uint32_t choice);

/* Executes the next transition of the thread; what it touches is in *list until the next one, and told to `capture`. */
VmStop superstep_run_section(VmCheck *check, uint32_t thread, VmCapture *capture, const VmAccessList **list);
