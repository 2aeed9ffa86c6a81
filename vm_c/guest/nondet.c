/* SPDX-License-Identifier: Apache-2.0
 *
 * A choice among numbers that the program names. All other pancam_nondet_X and __VERIFIER_nondet_X are not functions
 * of the library: pancam/nondet/ makes code for each call, which chooses among the values that matter there.
 */
#include "library.h"

#include "include/pancam.h"

long pancam_nondet_range(long low, long high) {
    if (low > high) __pancam_fault(PANCAM_FAULT_LIBRARY_MISUSE, "pancam_nondet_range: an empty range");
    unsigned long long count = (unsigned long long)high - (unsigned long long)low + 1; /* 0 for the whole of 64 bits */
    return (long)((unsigned long long)low + __pancam_choose(count));
}
