/* SPDX-License-Identifier: Apache-2.0
 *
 * What is matched under an abstraction (--abstraction), as a number: that of all that is kept of a state.
 */
#pragma once

#include "../check.h"

void abstract_create(const VmCheck *check, uint64_t memory_limit);
uint32_t abstract_number(VmCheck *check);
