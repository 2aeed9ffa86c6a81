/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether a context bound was met where it matters. A place is a state together with the thread that moved last. What
 * can follow depends on the place and on the preemptions that are left: the bound makes a difference only at places
 * that are never reached with fewer preemptions than all.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

void bound_create(uint32_t most_preemptions, uint64_t memory_limit);

/* The search is at a place. If all preemptions are used up and others could move there, the place is counted in the
 * record of progress as refused, until it is reached with fewer. */
void bound_note(const void *identity, size_t size, uint32_t last_mover, uint32_t preemptions, int would_refuse);
