/* SPDX-License-Identifier: Apache-2.0
 *
 * A driver for functions without a main: set-up, an invariant, an initial function, and two threads with an argument each.
 *     pancam check peterson.c --driver peterson.pml
 */
c_decl {
\#include "pancam.h"
};
c_track "PAN_TRACKED" "PAN_TRACKED_BYTES" "Matched";

active proctype driver() {
  c_code {
    pan_setup(PAN_PROGRAM);
    pan_run_function("initialise");
    pan_register_invariant("exclusion");
    pan_start_thread(0, "process", 0);
    pan_start_thread(1, "process", 1);
  };
end:
  do
  :: d_step { c_expr { (pan_enabled(0)) } -> c_code { pan_step(0); }; assert(c_expr { (!pan_bad()) }) }
  :: d_step { c_expr { (pan_enabled(1)) } -> c_code { pan_step(1); }; assert(c_expr { (!pan_bad()) }) }
  od
}
