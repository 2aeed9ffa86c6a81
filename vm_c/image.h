/* SPDX-License-Identifier: Apache-2.0
 *
 * The bytecode image (.pcb): a header, a table of sections, the sections. Little-endian, all offsets from the start of
 * the file, every section aligned to 8 bytes. Written by pancam/bytecode/image.py, read and validated by image.c.
 * Declarations only, no includes: cffi reads this file too.
 */
#pragma once

#define IMAGE_MAGIC 0x4d414350u /* "PCAM" */
#define IMAGE_VERSION 5u
#define NO_SLOT 0xffffu
#define FRAME_HEADER_SLOTS 2u
#define NO_LIVE_SET 0xffffffffu
#define NOTES 1024u   /* numbers of notes */
#define LABEL_IDS 16u /* object ids for code labels: enough for 2^20 instructions with 32-bit pointers */

typedef enum {
    SECTION_CODE,      /* VmInstr[] */
    SECTION_FUNCTIONS, /* VmFunction[] */
    SECTION_OBJECTS,   /* VmStaticObject[]: constants first, then globals; see below for the ids */
    SECTION_CONSTANTS, /* bytes of all constant objects */
    SECTION_GLOBALS,   /* initial bytes of all global objects */
    SECTION_TLS,       /* VmThreadLocal[] */
    SECTION_TLS_DATA,  /* initial bytes of thread-local variables */
    SECTION_TABLES,    /* VmTable[] */
    SECTION_TARGETS,   /* VmTarget[]: what the tables point into */
    SECTION_LIVE,      /* uint32[] one per instruction: index of its live set in SECTION_LIVE_BITS, or NO_LIVE_SET */
    SECTION_LIVE_BITS, /* uint64[]: live sets, ceil(frame_slots of the function / 64) words each, bit s = slot s */
    SECTION_STRINGS,   /* zero-terminated names */
    SECTION_DEBUG,     /* source map, read by Python only */
    SECTION_COUNT
} VmSectionKind;

typedef struct {
    uint32_t offset;
    uint32_t size; /* bytes */
} VmSection;

typedef struct {
    uint32_t magic;
    uint32_t version;
    uint32_t checksum; /* CRC-32 (zlib's) of everything after this field */
    uint32_t file_size;
    uint32_t pointer_bits;  /* 64 or 32 */
    uint32_t entry;         /* function that thread 0 runs, with argument 0 */
    VmSection sections[13]; /* indexed by VmSectionKind */
} VmImageHeader;

typedef struct {
    uint16_t op, a, b, c;
    uint32_t x, y;
} VmInstr;

typedef struct {
    uint32_t first_pc, end_pc; /* half open; functions lie one after the other and cover the code */
    uint32_t name;             /* offset in SECTION_STRINGS */
    uint16_t parameter_slots;  /* with the hidden varargs pointer, if there is one */
    uint16_t result_slots;
    uint16_t frame_slots; /* all slots that the function names, outgoing frame headers and arguments included */
    uint16_t flags;       /* FUNCTION_* */
} VmFunction;

enum {
    FUNCTION_VARIADIC = 1,   /* the last parameter slot is the hidden pointer to the variable arguments */
    FUNCTION_BITS_SHIFT = 8, /* from here on: bits of the first parameter, if it is an integer of less than 64 */
    FUNCTION_MOST_BITS = 0x3f,
};

typedef struct {
    uint32_t start; /* offset in SECTION_CONSTANTS or SECTION_GLOBALS, a multiple of the alignment and of 16 */
    uint32_t size;
    uint32_t flags; /* OBJECT_CONSTANT or 0; constants come first */
    uint32_t name;  /* offset in SECTION_STRINGS */
} VmStaticObject;

typedef struct {
    uint32_t start; /* offset in SECTION_TLS_DATA, a multiple of 16 */
    uint32_t size;
    uint32_t name;
    uint32_t reserved;
} VmThreadLocal;

typedef struct {
    uint32_t first_target; /* index into SECTION_TARGETS, sorted by value */
    uint32_t target_count;
    uint32_t default_pc;
    uint32_t reserved;
} VmTable;

typedef struct {
    uint64_t value;
    uint32_t pc;
    uint32_t reserved;
} VmTarget;

/* A pointer is a number: object id << OBJECT_SHIFT | byte offset, OBJECT_SHIFT being 32 (16 where pointer_bits is 32).
 * An object of `size` bytes owns 1 + (size >> OBJECT_SHIFT) consecutive ids, so that any offset inside it, and the one
 * just past its end, is a plain sum. Ids: 0 null; from 1 the functions (function f is the pointer
 * (1 << OBJECT_SHIFT) + 16 * f, so they own as many ids as that needs); then LABEL_IDS for code labels (label of pc p
 * is (label id << OBJECT_SHIFT) + p); then the static objects in order; then the dynamic ones, given out at run time.
 */
enum {
    OBJECT_CONSTANT = 1,
};

enum {
    ACCESS_ATOMIC = 1,
    ACCESS_VOLATILE = 2,
    ACCESS_PRIVATE = 4,  /* to a variable nobody else can know */
    ACCESS_CHECKED = 8,  /* a load of what was never written is a fault */
    ACCESS_PARTLY = 16,  /* with CHECKED: only if no byte of it was written */
    ACCESS_MARKED = 32,  /* slot a + 1 holds which of the bytes are initialised: a copy */
    ACCESS_TRACKED = 56, /* any of the last three: programs with such accesses have shadow memory (shadow.h) */
};
enum {
    ALLOC_INITIALISED = 1, /* the zeros of the new object count as written */
    ALLOC_HIDDEN = 2,      /* it is the library's own: never a leak */
};
enum { TRAP_ADD, TRAP_SUB, TRAP_MUL, TRAP_NEGATE, TRAP_INDEX, TRAP_SHL, TRAP_SHR }; /* what the numbers of TRAPV are */
enum { LEAK_COUNT_BITS = 24 }; /* of a leak's second detail: how many blocks; the rest: their bytes */
enum { STACK_ESCAPES = 1 };    /* of a stack object whose address others may get to know */
enum { AWAIT_EITHER, AWAIT_NOT };
enum { AWAIT_FOREVER, AWAIT_TIMED, AWAIT_SPURIOUS }; /* how a wait may end whose condition does not hold */
enum {
    RMW_XCHG,
    RMW_ADD,
    RMW_SUB,
    RMW_AND,
    RMW_NAND,
    RMW_OR,
    RMW_XOR,
    RMW_MAX,
    RMW_MIN,
    RMW_UMAX,
    RMW_UMIN,
    RMW_FADD,
    RMW_FSUB,
    RMW_FMAX,
    RMW_FMIN,
    RMW_UINC_WRAP,
    RMW_UDEC_WRAP,
    RMW_COUNT
};
enum {
    CHECKED_SADD,
    CHECKED_UADD,
    CHECKED_SSUB,
    CHECKED_USUB,
    CHECKED_SMUL,
    CHECKED_UMUL,
    CHECKED_SSHL,
    CHECKED_USHL,
    CHECKED_COUNT
};
enum {
    FCMP_FALSE,
    FCMP_OEQ,
    FCMP_OGT,
    FCMP_OGE,
    FCMP_OLT,
    FCMP_OLE,
    FCMP_ONE,
    FCMP_ORD,
    FCMP_UNO,
    FCMP_UEQ,
    FCMP_UGT,
    FCMP_UGE,
    FCMP_ULT,
    FCMP_ULE,
    FCMP_UNE,
    FCMP_TRUE,
    FCMP_COUNT
};
