/* SPDX-License-Identifier: Apache-2.0
 *
 * What a search tells while it runs and when it has ended, in memory that pancam maps, too. Written without locks: each
 * process has its own row. Declarations only: cffi reads this file, too (pancam/vm/progress.py).
 */
#pragma once

enum { PROGRESS_PROCESSES = 64, PROGRESS_FAULTS = 64, PROGRESS_TEXT = 1024, PROGRESS_NOTES = 1024 };
enum { PAN_STOP_NONE, PAN_STOP_MEMORY, PAN_STOP_STATE_SIZE, PAN_STOP_DEPTH, PAN_STOP_THREADS, PAN_STOP_ERROR };

typedef struct {
    uint64_t transitions, instructions, depth;
    uint64_t small_steps;              /* transitions of the granularity `global` that the transitions consist of */
    uint64_t refused;                  /* where the context bound kept a thread from moving, and it mattered: bound.h */
    uint64_t evaluations;              /* runs of property functions */
    uint64_t recalled;                 /* of the small steps, those that were not executed: ../memo.h */
    uint64_t table_bytes;              /* of the access tables for supersteps */
    uint64_t limits[PROGRESS_FAULTS];  /* executions that ended at a limit, by kind of fault */
    uint64_t ignored[PROGRESS_FAULTS]; /* executions that ended at a fault that is not to be reported */
} PanProcess;

typedef struct {
    uint32_t version, processes;
    uint32_t stop;          /* why the search was stopped from inside: PAN_STOP_* */
    uint32_t largest_state; /* bytes of the largest packed state, raw store only */
    uint64_t states;        /* distinct states in the tree store */
    uint64_t store_bytes;   /* of the tree store's tables */
    uint64_t blocks;        /* pieces of states in the tree store */
    char text[PROGRESS_TEXT];
    uint8_t notes[PROGRESS_NOTES]; /* 1 for each note that was taken: NOTE in opcodes.def */
    PanProcess process[PROGRESS_PROCESSES];
} PanProgress;
