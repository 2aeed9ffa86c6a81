/* SPDX-License-Identifier: Apache-2.0
 *
 * Heap blocks that are left when the process ends: lost ones, which nothing leads to any more, and the others.
 */
#pragma once

#include "machine.h"

typedef struct {
    uint64_t count, bytes;
    uint64_t first; /* pointer to the block with the lowest id */
} LeftBlocks;

typedef struct {
    LeftBlocks lost, reachable;
} Leaks;

/* Pointers are looked for in global and thread-local variables, in the registers and stack objects of threads that
 * still run, and in blocks that they lead to. A pointer into the middle of a block leads to it. */
Leaks leaks_find(const VmMachine *machine);
