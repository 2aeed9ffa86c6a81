/* SPDX-License-Identifier: Apache-2.0
 *
 * What instructions touch, as ranges of the machine's memory: the bytes of guest objects, and the machine's own records
 * where threads meet in them (the object table, the heaps, the threads). Two accesses conflict when they overlap and
 * one of them writes.
 */
#pragma once

#include "machine.h"

enum {
    ACCESS_WRITES = 1,
    ACCESS_IS_ATOMIC = 2,
    ACCESS_IS_DATA = 4,     /* a load or store of guest memory: what data races are about */
    ACCESS_CHOICE_SHIFT = 8 /* in a table: the choice of the move that leads to it */
};

enum { MOST_ACCESSES = 4 }; /* of one instruction */

typedef struct {
    uint64_t start, end; /* from the start of the machine's memory */
    uint32_t flags;
    uint32_t line; /* of the user's that it happens on, if somebody wants to know: VmMachine.lines */
} VmAccess;

/* A list of fixed capacity, since the machine does not allocate in a step. One that overflows becomes one access to
 * everything: whoever asks for conflicts is on the safe side, whoever asks for bytes looks at `overflowed`. */
typedef struct VmCapture VmCapture; /* memo.h */

struct VmAccessList {
    VmAccess *entries;
    uint32_t count, capacity;
    int overflowed;
    int with_objects;   /* what the object table says about an accessed object counts as read, too */
    VmCapture *capture; /* gets to know every instruction, too; or null */
    int is_exact;       /* never overflows: it grows instead, and an access never gets the line of another */
};

static inline int accesses_overlap(const VmAccess *a, const VmAccess *b) {
    return a->start < b->end && b->start < a->end;
}

static inline int accesses_conflict(const VmAccess *a, const VmAccess *b) {
    return ((a->flags | b->flags) & ACCESS_WRITES) && accesses_overlap(a, b);
}

/* Sets of touched bytes are kept by words of 8, with a bit for each byte; long accesses as they are. */
enum { WORD_SHIFT = 3, WORD_BYTES = 1 << WORD_SHIFT, LONG_ACCESS = 8 * WORD_BYTES };

static inline int is_long(const VmAccess *access) { return access->end - access->start > LONG_ACCESS; }

static inline uint64_t last_word(const VmAccess *access) { return (access->end - 1) >> WORD_SHIFT; }

static inline uint8_t bytes_in(const VmAccess *access, uint64_t word) {
    uint64_t start = word << WORD_SHIFT, first = access->start > start ? access->start - start : 0;
    uint64_t end = access->end - start < WORD_BYTES ? access->end - start : WORD_BYTES;
    return (uint8_t)((1u << end) - (1u << first));
}

/* What the instruction, the next one of the thread, would touch in the present state. Of an AWAIT and of the beginning
 * of an atomic section it is only what these instructions themselves look at. */
uint32_t accesses_of(const VmMachine *machine, uint32_t thread, const VmInstr *instr, const uint64_t *slots,
                     VmAccess found[MOST_ACCESSES]);
/* The same with what the object table says about accessed objects. */
uint32_t accesses_with_objects(const VmMachine *machine, uint32_t thread, const VmInstr *instr, const uint64_t *slots,
                               VmAccess found[MOST_ACCESSES]);
VmAccess access_to_everything(void);
void access_add(VmAccessList *list, VmAccess access);
void accesses_note(VmMachine *machine, uint32_t thread, const VmInstr *instr, const uint64_t *slots);
