/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver of `pancam check` for safety: one process lets any thread that can move make any of its moves, and asserts
 * in every state that nothing is wrong. When nobody can move the program has ended: the machine itself tells a deadlock.
 *
 * N_THREADS     threads that may be alive at once: 2, 4, 8, 16, 32 or 64 (threads 0 to N_THREADS - 1)
 * ABSTRACTION   what is matched is only what the abstraction keeps; the state goes along
 * BOUND         1: a context bound whose counter is matched; 2: one whose counter is not (as published: loses executions)
 */
#ifndef N_THREADS
#define N_THREADS 8
#endif

c_decl {
\#include "pancam.h"
};
#ifdef ABSTRACTION
c_track "PAN_TRACKED" "PAN_TRACKED_BYTES" "UnMatched";
c_track "&pan_abstract" "4" "Matched";
#else
c_track "PAN_TRACKED" "PAN_TRACKED_BYTES" "Matched";
#endif
#ifndef BOUND
#define CHOICES pan_choices
#else
#define CHOICES pan_choices_cb
#if BOUND == 1
c_track "&pan_bound" "4" "Matched";
#else
c_track "&pan_bound" "4" "UnMatched";
#endif
#endif

/* Guard and step are one d_step, so that no other move comes between them. SPIN wants a c_expr to start with (. */
#define MOVE(t, c) :: d_step { c_expr { (CHOICES(t) > c) } -> c_code { pan_step_choice(t, c); } }
#define THREAD(t)  MOVE(t, 0) MOVE(t, 1) MOVE(t, 2) MOVE(t, 3)
#define TWO(t)     THREAD(t) THREAD(t + 1)
#define FOUR(t)    TWO(t) TWO(t + 2)
#define EIGHT(t)   FOUR(t) FOUR(t + 4)
#define SIXTEEN(t) EIGHT(t) EIGHT(t + 8)

active proctype driver() {
  c_code { pan_setup(PAN_PROGRAM); };
end:
  do
  :: d_step { c_expr { (pan_bad()) } -> c_code { pan_report(); }; assert(false) } /* a move of its own: it ends the trail */
  TWO(0)
#if N_THREADS > 2
  TWO(2)
#endif
#if N_THREADS > 4
  FOUR(4)
#endif
#if N_THREADS > 8
  EIGHT(8)
#endif
#if N_THREADS > 16
  SIXTEEN(16)
#endif
#if N_THREADS > 32
  SIXTEEN(32)
  SIXTEEN(48)
#endif
  od
}
