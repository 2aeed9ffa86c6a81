/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver for liveness: one process for each thread, so that SPIN's weak fairness (-f) is fairness among threads. The
 * end labels hide deadlocks from SPIN: the machine itself tells them, and the monitor asserts that nothing is wrong.
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

/* Process 0 is the monitor, so thread t is process t + 1. */
#define SELF (Pthread->_pid - 1)
#define MOVE(c) :: d_step { c_expr { (CHOICES(SELF) > c) } -> c_code { pan_step_choice(SELF, c); } }

active proctype monitor() {
  byte started;
  atomic {
    c_code { pan_setup(PAN_PROGRAM); };
    do
    :: started < N_THREADS -> run thread(); started++
    :: else -> started = 0; break
    od
  };
end:
  do
  :: d_step { c_expr { (pan_bad()) } -> c_code { pan_report(); }; assert(false) }
  od
}

proctype thread() {
end:
  do
  MOVE(0) MOVE(1) MOVE(2) MOVE(3)
  od
}
