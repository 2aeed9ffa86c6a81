/* SPDX-License-Identifier: Apache-2.0
 *
 * What the ceiling's verifier is given as its program: how many threads have a counter, and how far it goes. The code
 * is never run: step.c bumps the counters.
 */
#ifndef THREADS
#define THREADS 4
#endif
#ifndef TOP
#define TOP 31
#endif

static const unsigned char sizes[2] = {THREADS, TOP};

int main(void) { return sizes[0]; }
