/* SPDX-License-Identifier: Apache-2.0
 *
 * Which states of the tree store were visited. A state's number stands for its content, so one bit for each number is
 * an exact set, and SPIN needs no table of its own. SPIN's bitstate search asks a function behind a pointer whether a
 * state is new: in verifiers with PAN_VISITED it is made to ask here. Others keep SPIN's tables, and this is nothing.
 */
#pragma once

#include <stdint.h>

void visited_create(uint64_t most_states);
void visited_serve(void); /* from now on SPIN asks here; once in each process, after SPIN's main has begun */
