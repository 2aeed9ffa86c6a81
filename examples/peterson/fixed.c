/* SPDX-License-Identifier: Apache-2.0
 *
 * As published.c, for Peterson's algorithm with atomics. For --thread worker:0 --thread worker:1.
 */
#include "../correct/peterson.c"
#include <pancam.h>

void keep_protocol(void) {
    pancam_abs[0] = wants[0];
    pancam_abs[1] = wants[1];
    pancam_abs[2] = (unsigned char)turn;
}
