/* SPDX-License-Identifier: Apache-2.0
 *
 * Peterson's algorithm as published, with an abstraction that keeps flags and turn. The program's variables are static,
 * so the function must be in the same translation unit. For --thread p0 --thread p1, which take the place of main.
 */
#include "../wrong/peterson_wikipedia.c"
#include <pancam.h>

void keep_protocol(void) {
    pancam_abs[0] = flag[0];
    pancam_abs[1] = flag[1];
    pancam_abs[2] = (unsigned char)turn;
}
