/* SPDX-License-Identifier: Apache-2.0
 *
 * What is kept of sequence_numbers.c: all numbers as distances from the message that is to be received next, and in
 * which slot that one is.
 */
#include "sequence_numbers.h"

#include <pancam.h>

void distances(void) {
    unsigned long next = received;
    pancam_abs[0] = (unsigned char)(next % SLOTS);
    pancam_abs[1] = (unsigned char)(sent - next);
    for (int i = 0; i < SLOTS; i++) pancam_abs[2 + i] = (unsigned char)(slots[i] - next);
}
