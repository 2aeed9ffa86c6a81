/* SPDX-License-Identifier: Apache-2.0
 *
 * Trees over the machine's memory: a tree is a line of 64 bytes (height 0), or 16 numbers of trees one lower; each is
 * stored once, and number 0 is all zero. A segment is a stretch of memory with a tree of its own; how high it is
 * follows from how much of the segment is in use. The numbers of what the machine had when they were last computed or
 * loaded are kept beside it, so that computing costs what was written since, and loading copies what differs.
 */
#pragma once

#include "../machine.h"

enum { REGISTERS, STACK_ENTRIES, STACK_MEMORY, HEAP_ENTRIES, HEAP_MEMORY, SEGMENTS };

/* The segments of thread t are the numbers from t * SEGMENTS on; the globals come last. */
static inline uint32_t segment_of_thread(uint32_t thread, uint32_t kind) { return thread * SEGMENTS + kind; }

void trees_create(VmMachine *machine, uint64_t memory_limit);
uint32_t trees_globals(void); /* the number of the segment */
uint64_t trees_count(void);   /* pieces that are stored */
uint64_t trees_bytes(void);

uint32_t trees_intern(const void *line);
const void *trees_line(uint32_t number);

/* To compute: take what was noted, say what is in use, compute, and look. */
void trees_take_all(VmMachine *machine);                    /* sets changes->threads of the lines' owners */
void trees_take_local(VmMachine *machine, uint32_t thread); /* only registers, stack entries and stack memory */
void trees_fit(uint32_t segment, uint64_t bytes);
void trees_compute(const VmMachine *machine);
uint32_t trees_top(uint32_t segment, uint64_t bytes);

/* Between begin and end. */
void trees_begin_loading(void);
void trees_load(VmMachine *machine, uint32_t segment, uint64_t bytes, uint32_t tree);
void trees_put_back(VmMachine *machine); /* what was written since, and noted */
void trees_end_loading(VmMachine *machine);

uint64_t segment_in_use(const VmMachine *machine, const VmThread *thread, const VmHeap *heap,
                        uint32_t kind); /* bytes */
const uint8_t *segment_start(const VmMachine *machine, uint32_t thread, uint32_t kind);
