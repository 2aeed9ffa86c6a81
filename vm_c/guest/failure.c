/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether allocations may fail. A file of its own, so that no compiler knows the value where it is used: with
 * --malloc-may-fail it becomes 1 (pancam/nondet/rewrite.py).
 */
#include "library.h"

const unsigned __pancam_malloc_may_fail = 0;
