/* SPDX-License-Identifier: Apache-2.0
 *
 * A driver with an environment: one process lets the threads of the program move, another one lets an interrupt come, at
 * most INTERRUPTS times, at any point of the C code. A handler runs from start to end as one transition.
 *     pancam check interrupt.c --driver interrupt.pml
 */
#ifndef INTERRUPTS
#define INTERRUPTS 1
#endif

c_decl {
\#include "pancam.h"
};
c_track "PAN_TRACKED" "PAN_TRACKED_BYTES" "Matched";

active proctype program() {
  c_code { pan_setup(PAN_PROGRAM); };
  run environment();
end:
  do
  :: d_step { c_expr { (pan_enabled(0)) } -> c_code { pan_step(0); }; assert(c_expr { (!pan_bad()) }) }
  od
}

proctype environment() {
  byte left = INTERRUPTS;
end:
  do
  :: d_step { left > 0 && c_expr { (pan_enabled(0)) } ->
       c_code { pan_run_function("interrupt"); }; left--; assert(c_expr { (!pan_bad()) }) }
  od
}
