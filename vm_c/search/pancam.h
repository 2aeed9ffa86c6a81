/* SPDX-License-Identifier: Apache-2.0
 *
 * What a Promela driver may ask of the machine: docs/drivers.md explains it with examples. A driver includes this file
 * in a c_decl, tracks PAN_TRACKED as Matched data, calls pan_setup before anything else, and decides who moves.
 */
#ifndef PANCAM_DRIVER_H
#define PANCAM_DRIVER_H

#include <stdint.h>

/* What SPIN tracks: the number of the state in the tree store, or the whole packed state (PAN_STATE_BYTES of it). */
#define PAN_RAW_HEAD_BYTES 72
#ifdef PAN_STATE_BYTES
extern uint8_t pan_tracked[];
#define PAN_TRACKED pan_tracked
#define PAN_TRACKED_BYTES (PAN_RAW_HEAD_BYTES + PAN_STATE_BYTES)
#else
extern uint32_t pan_tracked;
#define PAN_TRACKED (&pan_tracked)
#define PAN_TRACKED_BYTES 4
#endif

/* With a context bound (--cb): who moved last and how often a thread was preempted; to be tracked, too. */
extern uint32_t pan_bound;

/* With an abstraction (--abstraction): the number of what it keeps of the state. This is Matched then, and PAN_TRACKED
 * UnMatched. */
extern uint32_t pan_abstract;

#define PAN_PROGRAM ((const char *)0) /* for pan_setup: the program that pancam was given */

/* Set-up, in the driver's first c_code. */
void pan_setup(const char *image);
void pan_register_invariant(const char *function); /* int f(void), holds in every state; without side effects */
void pan_start_thread(unsigned thread, const char *function, unsigned long argument);

/* Runs void f(void) from start to end as a part of one transition: initialisation, an interrupt, a reset. */
void pan_run_function(const char *function);

/* Who can move. A thread has pan_choices moves (0: it cannot move), numbered from 0: more than one where it waits for a
 * nondeterministic value. All are cheap: they look at what was stored with the state. */
int pan_enabled(unsigned thread);
unsigned pan_choices(unsigned thread);
int pan_enabled_cb(unsigned thread); /* the same, but 0 where the move is one preemption more than the bound allows */
unsigned pan_choices_cb(unsigned thread);
void pan_step(unsigned thread); /* move 0 */
void pan_step_choice(unsigned thread, unsigned choice);

/* What has become of the program. With --races, pan_bad also tells of data races near the state. */
int pan_done(void);    /* it has ended, and nothing is wrong */
int pan_bad(void);     /* a violation that was not reported before: to be asserted not to be so */
void pan_report(void); /* from now on the same fault at the same place is no news */

/* For claims about infinite executions: promela_templates/liveness.pml. Before pan_setup they tell of the initial
 * state, since SPIN asks before the first move of a driver. */
int pan_proposition(unsigned number); /* whether the proposition with this number is true */
int pan_cut(void);                    /* an execution that does not count, or whose rest is not known */
int pan_blocked(unsigned thread);     /* it waits for what only others can do */

#endif
