/* SPDX-License-Identifier: Apache-2.0
 *
 * What the program shows to its abstraction.
 */
enum { SLOTS = 2 };

extern volatile unsigned long slots[SLOTS], sent, received;
