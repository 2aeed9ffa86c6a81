/* SPDX-License-Identifier: Apache-2.0
 *
 * For tests that compare searches: a file of all states in which executions end, each at least once.
 */
#pragma once

#include "../check.h"

void finals_open(const char *path); /* null: nobody wants them */
void finals_note(const VmCheck *check);
