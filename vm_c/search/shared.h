/* SPDX-License-Identifier: Apache-2.0
 *
 * What all processes of one search share. It is mapped before SPIN forks, so that every process finds it at the same
 * place; the first part lies in a file when somebody wants to watch the search from outside (PANCAM_PROGRESS).
 */
#pragma once

#include <stdint.h>

#include "../check.h"

#include "progress.h"

enum { MOST_PROCESSES = 64, PATH_BYTES = 4096, NAME_BYTES = 256, MOST_REPORTS = 1024 };

typedef struct {
    uint32_t busy; /* inside an operation on the tables */
    uint8_t padding[60];
} ProcessFlag;

typedef struct {
    ProcessFlag flags[MOST_PROCESSES];
    uint32_t processes;                           /* that have come to use the tables */
    uint32_t several;                             /* whether there may be more than one */
    uint32_t resizing;                            /* somebody wants the tables for himself */
    char image_path[PATH_BYTES];                  /* the program, for processes that did not see pan_setup */
    char invariants[MOST_INVARIANTS][NAME_BYTES]; /* that the driver registered */
    uint32_t invariant_count;
    uint64_t reported[MOST_REPORTS]; /* violations reported so far: kind and pc */
} SharedState;

extern PanProgress *pan_progress;
extern SharedState *pan_shared;

void *search_map(uint64_t bytes); /* zeroed, reserved only; ends the process with a message when there is no room */
uint32_t search_process(void);    /* of this process, below MOST_PROCESSES */
void search_stop(uint32_t reason) __attribute__((noreturn)); /* one of PAN_STOP_*: SPIN reports what it has */
void search_fail(const char *format, ...)
    __attribute__((format(printf, 1, 2), noreturn)); /* for what should never be */
