/* SPDX-License-Identifier: Apache-2.0
 *
 * The inside of the machine: the loaded image, the map of its memory, and what the C files offer each other.
 *
 * Memory is one mapping: [constants][object table: static part | dynamic part][header][threads][heaps][globals]
 * [per slot: registers, stack memory, heap memory, bitmaps of heap ids and heap space]. The STATE is what starts with
 * the dynamic part of the object table. Fresh and freed memory is zero everywhere. There is a slot for each thread, and
 * one more for functions that are evaluated beside them: between two steps nothing of it is in use.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "image.h"
#include "vm_api.h"

#ifdef VM_PARANOID
#include <stdlib.h>
#define PARANOID(condition) ((condition) ? (void)0 : abort())
#else
#define PARANOID(condition) ((void)0)
#endif

#define LIKELY(condition) __builtin_expect(!!(condition), 1)
#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)

#define GRANULE 16u
#define PLACE_WORDS 5           /* 32-bit words that SETJMP writes */
#define ATOMIC_BOUND (1u << 20) /* instructions of an atomic section that one call may run beyond its fuel */

typedef enum {
#define OP(name, a, b, c, imm, visibility, meaning) OP_##name,
#include "op_widths.h"
#include "opcodes.def"
#undef OP
#undef OPW
    OPCODE_COUNT
} VmOpcode;

typedef enum {
#define FAULT(name, text) FAULT_##name,
#include "faults.def"
#undef FAULT
    FAULT_COUNT
} VmFault;

typedef enum {
#define MATH_FN(name, arguments) MATH_##name,
#include "math.def"
#undef MATH_FN
    MATH_COUNT
} VmMath;

/* A validated image. The arrays are the machine's own copies; unused operand fields of some instructions are filled in
 * by the loader: CALL.c is the caller's frame_slots, and RET.b, RETV.b, RETN.b the returning function's. */
typedef struct {
    uint32_t pointer_bits, entry;
    uint32_t code_count, function_count, object_count, tls_count, table_count, target_count;
    int tracks; /* some instruction asks what was written: there is shadow memory */
    uint32_t constants_size, globals_size, tls_data_size, live_word_count, strings_size;
    VmInstr *code;
    uint32_t *code_function; /* of each pc */
    VmFunction *functions;
    VmStaticObject *objects;
    uint8_t *constants, *globals, *tls_data;
    VmThreadLocal *tls;
    VmTable *tables;
    VmTarget *targets;
    uint32_t *live;
    uint64_t *live_bits;
    char *strings;
} VmImage;

/* A set of numbers below `limit`, as bits, with summaries: bit i of level k+1 says that word i of level k is full. */
enum { BITMAP_LEVELS = 6 };
typedef struct {
    uint32_t limit; /* a multiple of 64 */
    uint32_t levels;
    uint64_t level_start[BITMAP_LEVELS]; /* in words */
    uint64_t words;
} VmBitmapShape;

/* The four numbers in the two slots below slot 0 of a frame. */
typedef struct {
    uint32_t return_pc;
    uint32_t caller; /* frame of the caller; 0: this is the thread's first frame */
    uint32_t stack_ids;
    uint32_t stack_top;
} VmFrameHeader;

/* Which lines of 64 bytes of the memory, and which threads' records, were written since somebody last asked. */
enum { LINE_SHIFT = 6, LINE_BYTES = 1 << LINE_SHIFT };
typedef struct {
    uint8_t *marked; /* a byte for each line of the memory */
    uint32_t *lines; /* the marked ones, each once; as long as there are lines in the memory */
    uint32_t count;
    uint64_t threads; /* a bit each */
} VmChanges;

typedef struct VmAccessList VmAccessList; /* accesses.h */

struct VmMachine {
    VmImage image;
    VmLimits limits;
    uint32_t slots; /* max_threads and the one for evaluation */
    uint32_t shift;
    uint64_t pointer_mask;
    uint32_t label_id, static_id, dynamic_id, id_count;
    uint32_t *static_ids, *tls_ids; /* first id of each static object; of each thread-local variable, in its pool */
    uint32_t tls_id_count;

    uint8_t *mapping; /* memory with a guard on either side */
    uint64_t mapping_size;
    uint8_t *memory;
    uint64_t memory_size, state_offset;
    VmObject *objects;
    VmHeader *header;
    VmThread *threads;
    VmHeap *heaps;
    uint64_t globals_offset, regions_offset, region_size;                  /* from memory */
    uint64_t stack_offset, heap_offset, id_bits_offset, space_bits_offset; /* inside a thread's region */
    VmBitmapShape id_shape, space_shape;

    /* Not part of the state */
    uint64_t detail[2]; /* of the fault that a helper is reporting */
    uint64_t executed, total;
    uint64_t returned;                   /* by the first frame of the last thread that returned from it */
    uint64_t births;                     /* threads started so far */
    VmChanges *changes;                  /* null: nobody wants to know */
    uint8_t *notes;                      /* a byte for each note, set when it is taken; null: nobody wants to know */
    VmAccessList *accesses;              /* of the visible instructions of atomic sections and of properties; or null */
    int wakes_spuriously;                /* waits on condition variables may end without a reason */
    const uint32_t *lines;               /* for each pc the number of the user's line that it belongs to, 0: none */
    uint64_t scratch_start, scratch_end; /* memory that a property may write: the pointers of an object */
    int keeps_ids;                       /* ids of freed heap blocks are not given to new ones */
    int exit_sees_all;                   /* the end of the process depends on all memory and all registers: leaks */
    VmOutput *output;
    void *output_context;
};

static inline uint8_t *region_of(const VmMachine *machine, uint32_t thread) {
    return machine->memory + machine->regions_offset + thread * machine->region_size;
}

static inline uint64_t *registers_of(const VmMachine *machine, uint32_t thread) {
    return (uint64_t *)region_of(machine, thread);
}

static inline uint32_t granules(uint64_t size) { return (uint32_t)((size + GRANULE - 1) / GRANULE); }

static inline uint32_t ids_for(const VmMachine *machine, uint64_t size) {
    return 1 + (uint32_t)(size >> machine->shift);
}

static inline uint32_t heap_pool(const VmMachine *machine, uint32_t thread) {
    return machine->dynamic_id + thread * machine->limits.heap_objects;
}

static inline uint32_t stack_pool(const VmMachine *machine, uint32_t thread) {
    return machine->dynamic_id + machine->slots * machine->limits.heap_objects + thread * machine->limits.stack_objects;
}

static inline VmFrameHeader read_frame_header(const uint64_t *slots) {
    VmFrameHeader header;
    memcpy(&header, slots - FRAME_HEADER_SLOTS, sizeof header);
    return header;
}

static inline void note_line(VmChanges *changes, uint64_t line) {
    if (changes->marked[line]) return;
    changes->marked[line] = 1;
    changes->lines[changes->count++] = (uint32_t)line;
}

/* To be called for whatever is written to the state outside the records of header, threads and heaps. */
static inline void note_write(VmMachine *machine, const void *start, uint64_t size) {
    VmChanges *changes = machine->changes;
    if (changes == NULL || size == 0) return;
    uint64_t first = (uint64_t)((const uint8_t *)start - machine->memory);
    for (uint64_t line = first >> LINE_SHIFT; line <= (first + size - 1) >> LINE_SHIFT; line++)
        note_line(changes, line);
}

static inline void note_thread(VmMachine *machine, uint32_t thread) {
    if (machine->changes != NULL) machine->changes->threads |= (uint64_t)1 << thread % 64;
}

/* image.c, validate.c */
int image_load(VmImage *image, const uint8_t *bytes, size_t size, char *error, size_t capacity);
void image_release(VmImage *image);
uint32_t image_checksum(const uint8_t *image, size_t size);
int image_error(char *error, size_t capacity, const char *format, ...) __attribute__((format(printf, 3, 4)));
int image_check_code(VmImage *image, char *error, size_t capacity);

/* bitmap.c */
void bitmap_shape(VmBitmapShape *shape, uint32_t limit);
void bitmap_set(const VmBitmapShape *shape, uint64_t *words, uint32_t first, uint32_t count);
void bitmap_clear(const VmBitmapShape *shape, uint64_t *words, uint32_t first, uint32_t count);
uint32_t bitmap_find_run(const VmBitmapShape *shape, const uint64_t *words, uint32_t count);
uint32_t bitmap_end(const uint64_t *words, uint32_t end);

/* state.c */
void state_clear(VmMachine *machine);

/* memory.c: each returns a fault, FAULT_NONE when all is well, and fills machine->detail */
VmFault access_fault(VmMachine *machine, uint64_t pointer, uint64_t size, int write);
uint8_t *checked_access(VmMachine *machine, uint64_t pointer, uint64_t size, int write, VmFault *fault);
VmFault heap_allocate(VmMachine *machine, uint32_t thread, uint64_t size, uint64_t alignment, uint32_t site,
                      uint64_t *pointer);
void heap_hide(VmMachine *machine, uint64_t pointer);
void heap_initialise(VmMachine *machine, uint64_t pointer); /* a whole new object */
VmFault heap_free(VmMachine *machine, uint64_t pointer);
VmFault heap_size(VmMachine *machine, uint64_t pointer, uint64_t *size);
VmFault stack_allocate(VmMachine *machine, uint32_t thread, uint64_t size, uint32_t flags, uint32_t site,
                       uint64_t *pointer);
uint32_t stack_escaped(const VmMachine *machine, uint32_t thread, uint32_t first);
void stack_drop(VmMachine *machine, uint32_t thread, uint32_t keep_ids);
VmFault stack_clear_object(VmMachine *machine, uint64_t pointer);
void heap_forget(VmMachine *machine, uint32_t thread);
int heap_rebuild(VmMachine *machine, uint32_t thread);
void heap_account(VmMachine *machine, const VmObject *object, int live);

/* thread.c */
VmFault thread_start(VmMachine *machine, uint32_t thread, uint32_t function, const uint64_t *arguments, uint32_t count);
void thread_end(VmMachine *machine, uint32_t thread);
VmFault spawn(VmMachine *machine, uint64_t thread, uint64_t pointer);
VmFault resolve_call(VmMachine *machine, const VmInstr *call, uint64_t pointer, uint32_t *function);
typedef enum { AWAIT_UNSATISFIED, AWAIT_SATISFIED, AWAIT_FAULTY } AwaitState;
int is_private_access(const VmMachine *machine, uint32_t thread, const VmInstr *instr, const uint64_t *slots);
int concerns_others(const VmMachine *machine, uint32_t thread, const VmInstr *instr, const uint64_t *slots);
int waits_for_ever(const VmMachine *machine, uint32_t thread);    /* unless others do something */
int may_time_out(const VmMachine *machine, const VmInstr *await); /* while it does not hold */
AwaitState await_state(const VmMachine *machine, const VmInstr *await, const uint64_t *slots);
VmFault save_place(VmMachine *machine, uint32_t thread, uint32_t pc, uint32_t frame, uint64_t buffer);
VmFault return_to_place(VmMachine *machine, uint32_t thread, uint32_t pc, uint32_t frame, uint64_t buffer);
uint64_t registers_in_use(const VmMachine *machine, const VmThread *thread);
void canonicalise_from(VmMachine *machine, uint32_t thread, uint32_t lowest_frame);

/* call.c */
VmFault effect_of(VmMachine *machine, uint32_t thread, const VmInstr *instr, const uint64_t *slots);

/* exec.c: the loop for either width of pointers */
typedef struct {
    uint32_t thread;
    VmMode mode;
    uint64_t fuel;
    uint32_t flags;
    int alone; /* no other thread can see what this one does */
    uint64_t choice;
    uint32_t lowest_frame; /* out: the lowest frame in which something was written */
    uint32_t highest_slot; /* out: 1 + the highest register that may have been written */
} VmCall;
VmStop execute64(VmMachine *machine, VmCall *call);
VmStop execute32(VmMachine *machine, VmCall *call);
VmStop execute(VmMachine *machine, VmCall *call); /* whether the thread may go is the caller's business */
void record_fault(VmMachine *machine, VmFault fault, uint32_t thread, uint32_t pc); /* with machine->detail */
