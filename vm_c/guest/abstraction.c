/* SPDX-License-Identifier: Apache-2.0
 *
 * The buffer of abstraction functions, for programs that do not define it themselves.
 */
#include <pancam.h>

unsigned char pancam_abs[64];
