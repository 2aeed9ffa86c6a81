/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver for liveness: one process for each thread, so that SPIN's weak fairness (-f) is fairness among threads. The
 * end labels hide deadlocks from SPIN: the machine itself tells them, and the monitor asserts that nothing is wrong.
 *
 * N_THREADS     threads that may be alive at once: 2, 4, 8, 16, 32 or 64 (threads 0 to N_THREADS - 1)
 * PROPERTY      a formula over the names below: every execution that counts must satisfy it
 * LIVELOCK      a thread that is blocked may be held back from then on; no execution may block it again and again
 */
#ifndef N_THREADS
#define N_THREADS 8
#endif

c_decl {
\#include "pancam.h"
};
c_track "PAN_TRACKED" "PAN_TRACKED_BYTES" "Matched";

#define PROPOSITION(number) (c_expr { (pan_proposition(number)) })
#define ended (c_expr { (pan_done()) })
#define cut   (c_expr { (pan_cut()) })
#define any   (c_expr { (1) }) /* true, but SPIN does not know: it keeps the claim going, so that no state is left out */

#ifdef LIVELOCK
byte held; /* 1 + the thread that is held back; 0: none */
#define unheld  (held == 0)
#define starved (c_expr { (now.held != 0 && pan_blocked(now.held - 1)) })
/* Who holds a thread back is unfair to it, unless it is blocked again and again: nothing else counts then. */
ltl property { ((PROPERTY) || <> (cut || !unheld)) && ((<> [] !starved) || <> cut) && [] any }
#else
#ifdef PROPERTY
ltl property { ((PROPERTY) || <> cut) && [] any }
#endif
#endif

#define MOVE(c) :: d_step { c_expr { (pan_choices(Pthread->self) > c) } -> c_code { pan_step_choice(Pthread->self, c); } }

active proctype monitor() {
  byte started;
  atomic {
    c_code { pan_setup(PAN_PROGRAM); };
    do
    :: started < N_THREADS -> run thread(started); started++
    :: else -> started = 0; break
    od
  };
end:
  do
  :: d_step { c_expr { (pan_bad()) } -> c_code { pan_report(); }; assert(false) }
  :: c_expr { (pan_done()) } /* what has ended stays so for ever; with -f, SPIN itself does not always extend it */
  od
}

proctype thread(byte self) {
end:
  do
  MOVE(0) MOVE(1) MOVE(2) MOVE(3)
#ifdef LIVELOCK
  :: d_step { held == 0 && c_expr { (pan_blocked(Pthread->self)) } -> held = self + 1 }; break
#endif
  od;
end_held:
  false
}
