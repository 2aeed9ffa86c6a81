/* SPDX-License-Identifier: Apache-2.0
 *
 * The machine as its drivers see it: create it from an image, run or step a thread, ask who can move, look inside.
 * Declarations only, no includes: C includes <stdint.h>, <stddef.h> and image.h first, cffi reads both files as text.
 */
#pragma once

typedef struct VmMachine VmMachine;

/* Zero means the default. With 32-bit pointers the two numbers of objects are cut to what 16-bit ids leave. */
typedef struct {
    uint32_t max_threads;   /* alive at the same time; at most 64 */
    uint32_t heap_bytes;    /* heap memory of each thread */
    uint32_t heap_objects;  /* object ids of each thread's heap */
    uint32_t stack_slots;   /* registers of all frames of a thread */
    uint32_t stack_bytes;   /* memory for stack objects of a thread, thread-local variables included */
    uint32_t stack_objects; /* object ids of each thread's stack */
} VmLimits;

typedef enum {
    VM_RUN,              /* until the fuel is used up or a thread was started */
    VM_STEP_INSTRUCTION, /* one instruction; a whole atomic section if it enters one */
    VM_STEP_GLOBAL,      /* the next instruction, then all up to the next VISIBLE one, or to the end of the fuel */
    VM_TRACE,            /* one instruction, also inside an atomic section: for looking, the state is between steps */
    VM_PURE,             /* as VM_RUN, but what others could notice is the fault SIDE_EFFECT; see vm_evaluate */
} VmMode;

enum {
    VM_WITH_CHOICE = 1, /* the first CHOOSE takes the given choice */
    VM_TIME_OUT = 2,    /* if the first instruction is an unsatisfied timed AWAIT, let it time out */
    VM_RUN_ALONE = 4,   /* VM_STEP_GLOBAL: while no other thread exists, nothing is visible to anybody */
};

typedef enum {
    STOP_STEP,         /* the step is complete, or the fuel is used up */
    STOP_BLOCKED,      /* the next instruction is an unsatisfied AWAIT, or another thread's atomic section goes first */
    STOP_CHOICE,       /* the next instruction is a CHOOSE and wants a choice */
    STOP_BAD_CHOICE,   /* the choice given is not below the count; nothing was done */
    STOP_THREAD_ENDED, /* the thread is over */
    STOP_EXITED,       /* the process is over, see VmHeader.exit_status */
    STOP_ABORTED,
    STOP_PRUNED,      /* an ASSUME failed: this execution does not count */
    STOP_FAULT,       /* see the fault fields of VmHeader */
    STOP_NOT_RUNNING, /* there is no such thread; nothing was done */
} VmStop;

typedef enum { PROCESS_RUNNING, PROCESS_EXITED, PROCESS_ABORTED, PROCESS_PRUNED, PROCESS_FAULT } VmProcessStatus;
typedef enum { THREAD_UNUSED, THREAD_RUNNING } VmThreadStatus;

typedef enum {
    THREAD_DISABLED,    /* not running, blocked, or kept waiting by another thread's atomic section */
    THREAD_ENABLED,     /* can do its next instruction */
    THREAD_CAN_TIME_OUT /* waits, and can move only with VM_TIME_OUT */
} VmEnabled;

/* What concerns the whole process. In the state. */
typedef struct {
    uint32_t status;        /* VmProcessStatus */
    uint32_t exit_status;   /* low 32 bits of EXIT's operand */
    uint32_t atomic_holder; /* 1 + index of the thread whose atomic section goes first; 0: none */
    uint32_t fault_kind;    /* of faults.def */
    uint32_t fault_thread;
    uint32_t fault_pc;
    uint64_t fault_detail[2]; /* accesses: pointer and size; FAULT: message pointer; limits: what was asked for */
} VmHeader;

/* One thread. In the state; all zero when the thread does not run. */
typedef struct {
    uint32_t status;       /* VmThreadStatus */
    uint32_t pc;           /* next instruction */
    uint32_t frame;        /* index of slot 0 of the top frame in the thread's registers */
    uint32_t stack_ids;    /* stack object ids in use, thread-local variables included */
    uint32_t stack_top;    /* granules of stack memory in use */
    uint32_t atomic_depth; /* nesting of atomic sections */
    uint16_t choice_start; /* at a CHOOSE with many numbers, how far the choice has been made (check.c): */
    uint16_t choice_count; /* it will be one of so many numbers from choice_start on; 0: nothing chosen yet */
} VmThread;

/* The heap of one thread; outlives the thread. In the state. All but the last follows from the set of live objects. */
typedef struct {
    uint32_t live_ids;  /* ids in use */
    uint32_t id_end;    /* 1 + highest id in use, relative to the pool; if ids are kept, 1 + highest that ever was */
    uint32_t space_end; /* 1 + highest granule in use */
    uint32_t stale_ids; /* stack object ids below this may be known to others from an object that is gone */
} VmHeap;

typedef enum {
    OBJECT_DEAD,
    OBJECT_NULL,
    OBJECT_FUNCTION,
    OBJECT_LABEL,
    OBJECT_CONST,
    OBJECT_GLOBAL,
    OBJECT_HEAP,
    OBJECT_STACK,
    OBJECT_THREAD_LOCAL,
} VmObjectKind;

enum {
    OBJECT_KIND_MASK = 0xff,
    OBJECT_WRITABLE = 0x100,
    OBJECT_CONTINUED = 0x200,
    OBJECT_ESCAPED = 0x400,
    OBJECT_HIDDEN = 0x800, /* a heap block of the library's own: never a leak */
    OBJECT_OWNER_SHIFT = 16
};

/* One entry of the object table. An object with several ids has one entry each, for what lies at and behind its id. */
typedef struct {
    uint32_t base; /* in granules of 16 bytes from the start of the machine's memory */
    uint32_t size; /* bytes from base to the end of the object */
    uint32_t
        flags;     /* VmObjectKind, OBJECT_WRITABLE, OBJECT_CONTINUED (not its first id), owner << OBJECT_OWNER_SHIFT */
    uint32_t site; /* pc of the allocation; of static and thread-local objects: their number */
} VmObject;

typedef struct {
    uint32_t id; /* the first one of the object */
    uint32_t kind;
    uint32_t owner;
    uint32_t site;
    uint64_t size;
    uint64_t offset; /* of the pointer from the start of the object */
} VmObjectInfo;

typedef struct {
    uint32_t function;
    uint32_t pc;    /* next instruction of the top frame; of the others, their call instruction */
    uint32_t frame; /* index of slot 0 in the thread's registers */
    uint32_t slots;
} VmFrameInfo;

typedef void VmOutput(void *context, uint64_t descriptor, const uint8_t *data, uint64_t size);

/* Null if the image is not valid or the memory is not to be had; then `error` holds one line saying why. */
VmMachine *vm_create(const uint8_t *image, size_t size, const VmLimits *limits, char *error, size_t capacity);
void vm_destroy(VmMachine *machine);
void vm_reset(VmMachine *machine); /* back to the initial state */
void vm_set_output(VmMachine *machine, VmOutput *output, void *context);
void vm_set_notes(VmMachine *machine, uint8_t *notes); /* NOTES bytes; the one of each note that is taken becomes 1 */

VmStop vm_run(VmMachine *machine, uint32_t thread, VmMode mode, uint64_t fuel, uint32_t flags, uint64_t choice);
uint64_t vm_executed(const VmMachine *machine);     /* instructions done by the last vm_run */
uint64_t vm_instructions(const VmMachine *machine); /* instructions done in all */
VmEnabled vm_enabled(const VmMachine *machine, uint32_t thread);
int vm_waiting(const VmMachine *machine, uint32_t thread);      /* at an unsatisfied AWAIT, process over or not */
int vm_at_choice(const VmMachine *machine, uint32_t thread);    /* the thread's next instruction is a CHOOSE */
uint64_t vm_choices(const VmMachine *machine, uint32_t thread); /* its count (0: any number); 1 if it is not */
int vm_deadlocked(const VmMachine *machine);
void vm_canonicalise(VmMachine *machine, uint32_t thread); /* zero the dead registers of all frames of the thread */

/* Calls from outside. A function is run from its start to its end, as part of one transition.
 * vm_call lets an unused thread do it, as the program's own code: what it does stays. vm_evaluate runs it beside all
 * threads and without effects, and gives its result. Both return 0 when the process is over afterwards, by a fault
 * or otherwise. vm_start_thread gives an unused thread to a function, as pthread_create does. */
uint32_t vm_find_function(const VmMachine *machine, const char *name); /* vm_function_count: there is none */
int vm_call(VmMachine *machine, uint32_t function);
int vm_evaluate(VmMachine *machine, uint32_t function, uint64_t *result);
int vm_start_thread(VmMachine *machine, uint32_t thread, uint32_t function, uint64_t argument);

/* The bytes that tell states apart, in a fixed order: equal states have equal packed bytes. vm_pack returns the size,
 * and writes nothing when that is above the capacity. vm_unpack takes what vm_pack gave for the same image and limits;
 * 0 means that the bytes are something else, and the machine is reset. */
size_t vm_pack(const VmMachine *machine, uint8_t *buffer, size_t capacity);
int vm_unpack(VmMachine *machine, const uint8_t *buffer, size_t size);

/* Looking inside. Pointers into the machine stay valid until vm_destroy. */
uint8_t *vm_state(VmMachine *machine);
uint64_t vm_state_size(const VmMachine *machine);
const VmHeader *vm_header(const VmMachine *machine);
const VmThread *vm_thread(const VmMachine *machine, uint32_t thread); /* null: no such index */
const VmHeap *vm_heap(const VmMachine *machine, uint32_t thread);
const VmLimits *vm_limits(const VmMachine *machine); /* as they are, with defaults filled in */
uint32_t vm_pointer_bits(const VmMachine *machine);
uint64_t vm_function_pointer(const VmMachine *machine, uint32_t function);
uint64_t vm_label_pointer(const VmMachine *machine, uint32_t pc);
uint64_t vm_static_pointer(const VmMachine *machine, uint32_t object);
uint32_t vm_function_count(const VmMachine *machine);
const VmFunction *vm_function(const VmMachine *machine, uint32_t function);
uint32_t vm_function_at(const VmMachine *machine, uint32_t pc);
const char *vm_string(const VmMachine *machine, uint32_t offset);
uint32_t vm_instruction_count(const VmMachine *machine);
const VmInstr *vm_instruction(const VmMachine *machine, uint32_t pc);
uint32_t vm_frames(const VmMachine *machine, uint32_t thread, VmFrameInfo *frames, uint32_t capacity); /* top first */
uint64_t vm_register(const VmMachine *machine, uint32_t thread, uint32_t index);    /* 0 outside the registers */
const uint8_t *vm_read(const VmMachine *machine, uint64_t pointer, uint64_t size);  /* null: not inside one object */
int vm_initialised(const VmMachine *machine, uint64_t pointer, uint64_t size);      /* as far as it is tracked */
int vm_object_info(const VmMachine *machine, uint64_t pointer, VmObjectInfo *info); /* 0: no live object */
uint32_t vm_heap_ids(const VmMachine *machine, uint32_t thread);  /* first object id of the thread's heap */
uint32_t vm_stack_ids(const VmMachine *machine, uint32_t thread); /* and of its stack */

/* What the machine was compiled with, so that the other side can compare. */
uint32_t vm_opcode_count(void);
const char *vm_opcode_name(uint32_t opcode);
int vm_opcode_visible(uint32_t opcode);
uint32_t vm_fault_count(void);
const char *vm_fault_name(uint32_t kind);
const char *vm_fault_text(uint32_t kind);
uint32_t vm_math_count(void);
const char *vm_math_name(uint32_t function);
