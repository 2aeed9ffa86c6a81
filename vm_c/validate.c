/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks every instruction of an image. What an operand must be comes from the columns of opcodes.def; what opcodes.def
 * leaves to the opcode (NUMS) is the switch below. Also fills in the unused fields that machine.h names.
 */
#include "machine.h"

typedef enum {
    KIND_NONE,
    KIND_NUM,
    KIND_D,
    KIND_D2,
    KIND_D3,
    KIND_DOPT,
    KIND_S,
    KIND_S2,
    KIND_S3,
    KIND_BASE
} OperandKind;
typedef enum {
    IMM_NONE,
    IMM_IMM,
    IMM_OFFSET,
    IMM_JUMP,
    IMM_FUNC,
    IMM_TABLE,
    IMM_SLOT,
    IMM_TLS,
    IMM_NUMS
} ImmediateKind;

static const struct {
    const char *name;
    uint8_t a, b, c, imm, visible;
} opcodes[] = {
#define VISIBLE_LOCAL 0
#define VISIBLE_VISIBLE 1
#define VISIBLE_STACK 0
#define OP(name, a, b, c, imm, visibility, meaning)                                                                    \
    {#name, KIND_##a, KIND_##b, KIND_##c, IMM_##imm, VISIBLE_##visibility},
#include "op_widths.h"
#include "opcodes.def"
#undef OP
#undef OPW
};

static const char *const fault_names[] = {
#define FAULT(name, text) #name,
#include "faults.def"
#undef FAULT
};

static const char *const fault_texts[] = {
#define FAULT(name, text) text,
#include "faults.def"
#undef FAULT
};

static const char *const math_names[] = {
#define MATH_FN(name, arguments) #name,
#include "math.def"
#undef MATH_FN
};

uint32_t vm_opcode_count(void) { return OPCODE_COUNT; }
const char *vm_opcode_name(uint32_t opcode) { return opcode < OPCODE_COUNT ? opcodes[opcode].name : ""; }
int vm_opcode_visible(uint32_t opcode) { return opcode < OPCODE_COUNT && opcodes[opcode].visible; }
uint32_t vm_fault_count(void) { return FAULT_COUNT; }
const char *vm_fault_name(uint32_t kind) { return kind < FAULT_COUNT ? fault_names[kind] : ""; }
const char *vm_fault_text(uint32_t kind) { return kind < FAULT_COUNT ? fault_texts[kind] : ""; }
uint32_t vm_math_count(void) { return MATH_COUNT; }
const char *vm_math_name(uint32_t function) { return function < MATH_COUNT ? math_names[function] : ""; }

typedef struct {
    VmImage *image;
    uint32_t pc;
    const VmFunction *function; /* that the instruction belongs to */
    char *error;
    size_t capacity;
} Check;

static int reject(const Check *check, const char *reason, uint64_t value) {
    return image_error(check->error, check->capacity, "instruction %u (%s): %s: %llu", check->pc,
                       opcodes[check->image->code[check->pc].op].name, reason, (unsigned long long)value);
}

static int check_operand(const Check *check, unsigned kind, uint32_t value) {
    static const uint8_t slots[] = {
        [KIND_D] = 1,  [KIND_D2] = 2, [KIND_D3] = 3,   [KIND_S] = 1,
        [KIND_S2] = 2, [KIND_S3] = 3, [KIND_BASE] = 2, [KIND_DOPT] = 1,
    };
    if (kind == KIND_NONE) return value == 0 || reject(check, "unused operand is not zero", value);
    if (kind == KIND_NUM || (kind == KIND_DOPT && value == NO_SLOT)) return 1;
    return value + slots[kind] <= check->function->frame_slots || reject(check, "slot outside the frame", value);
}

static int in_function(const Check *check, uint32_t pc) {
    return pc >= check->function->first_pc && pc < check->function->end_pc;
}

static int check_table(const Check *check, const VmInstr *instr) {
    const VmImage *image = check->image;
    if (instr->x >= image->table_count) return reject(check, "no such table", instr->x);
    const VmTable *table = image->tables + instr->x;
    const VmTarget *targets = image->targets + table->first_target;
    if (instr->op == OP_SWITCH && !in_function(check, table->default_pc)) {
        return reject(check, "default target outside the function", table->default_pc);
    }
    for (uint32_t i = 0; i < table->target_count; i++) {
        if (!in_function(check, targets[i].pc)) return reject(check, "target outside the function", targets[i].pc);
    }
    return 1;
}

static int check_immediate(const Check *check, const VmInstr *instr) {
    switch (opcodes[instr->op].imm) {
    case IMM_NONE:
        return (instr->x == 0 && instr->y == 0) || reject(check, "unused immediate is not zero", instr->x | instr->y);
    case IMM_JUMP: return in_function(check, instr->x) || reject(check, "jump out of the function", instr->x);
    case IMM_FUNC: return instr->x < check->image->function_count || reject(check, "no such function", instr->x);
    case IMM_TABLE: return check_table(check, instr);
    case IMM_SLOT: return instr->x < check->function->frame_slots || reject(check, "slot outside the frame", instr->x);
    case IMM_TLS: return instr->x < check->image->tls_count || reject(check, "no such thread-local variable", instr->x);
    default: return 1;
    }
}

/* The outgoing frame must lie in the caller's: header, arguments, and results that are left in place. */
static int check_call(const Check *check, VmInstr *instr, uint32_t arguments, uint32_t results) {
    uint32_t left = results > 1 && results > arguments ? results : arguments;
    if (instr->b + FRAME_HEADER_SLOTS + left > check->function->frame_slots) {
        return reject(check, "arguments or results outside the frame", left);
    }
    if (results > 1 && instr->a != NO_SLOT) return reject(check, "one destination for several results", results);
    return 1;
}

static int check_return(const Check *check, VmInstr *instr, uint32_t results) {
    if (results != check->function->result_slots) return reject(check, "wrong number of results", results);
    instr->b = check->function->frame_slots;
    return 1;
}

static int is_width(uint32_t width) { return width >= 1 && width <= 64; }

static int is_float(uint32_t kind) { return kind == 32 || kind == 64; }

static int check_rmw(const Check *check, uint32_t operation, int wide_enough) {
    int is_float_operation = operation >= RMW_FADD && operation <= RMW_FMIN;
    return (operation < RMW_COUNT && (wide_enough || !is_float_operation)) ||
           reject(check, "no such operation", operation);
}

static int check_checked(const Check *check, const VmInstr *instr) {
    int shift = instr->x == CHECKED_SSHL || instr->x == CHECKED_USHL;
    if (instr->x >= CHECKED_COUNT || (shift && instr->op != OP_SATURATE)) {
        return reject(check, "no such checked operation", instr->x);
    }
    if (instr->op == OP_OVERFLOW128) return instr->y == 0 || instr->y == 128 || reject(check, "wrong width", instr->y);
    return is_width(instr->y) || reject(check, "wrong width", instr->y);
}

static int check_math(const Check *check, uint32_t function, int fp80) {
    return (function < 3u * MATH_COUNT && (function % 3 == 2) == fp80) || reject(check, "no such function", function);
}

static int check_conversion(const Check *check, const VmInstr *instr) {
    uint32_t x = instr->x, y = instr->y;
    int good = 0;
    switch (instr->op) {
    case OP_FTOF: good = is_float(x) && is_float(y); break;
    case OP_FTO80: good = is_float(x); break;
    case OP_FFROM80: good = is_float(y); break;
    case OP_STOF:
    case OP_UTOF: good = is_width(x) && is_float(y); break;
    case OP_FTOS:
    case OP_FTOU: good = is_float(x) && is_width(y); break;
    case OP_STOF80:
    case OP_UTOF80: good = is_width(x); break;
    case OP_F80TOS:
    case OP_F80TOU: good = is_width(y); break;
    case OP_S128TOF:
    case OP_U128TOF: good = is_float(y) || y == 80; break;
    case OP_FTOS128:
    case OP_FTOU128: good = is_float(x) || x == 80; break;
    default: break;
    }
    return good || reject(check, "wrong kind or width of a conversion", (uint64_t)x << 32 | y);
}

/* Loads and stores whose marks are in the next slot; that there are any makes the machine keep marks. */
static int check_tracked(const Check *check, const VmInstr *instr) {
    uint32_t kind = (uint32_t)(instr->op - OP_LOAD8) / 4;
    int is_load = kind == 0 || kind == (OP_LOADA8 - OP_LOAD8) / 4, is_store = kind == (OP_STORE8 - OP_LOAD8) / 4;
    if (!(instr->c & ACCESS_TRACKED)) return 1;
    if (!is_load && (!is_store || (instr->c & ACCESS_TRACKED) != ACCESS_MARKED))
        return reject(check, "wrong flags of an access", instr->c);
    check->image->tracks = 1;
    return !(instr->c & ACCESS_MARKED) || instr->a + 2u <= check->function->frame_slots ||
           reject(check, "slot outside the frame", instr->a);
}

/* What the columns of opcodes.def cannot say. */
static int check_special(const Check *check, VmInstr *instr) {
    const VmImage *image = check->image;
    switch (instr->op) {
    case OP_CALL:
        if (!check_call(check, instr, image->functions[instr->x].parameter_slots,
                        image->functions[instr->x].result_slots)) {
            return 0;
        }
        instr->c = check->function->frame_slots;
        return 1;
    case OP_CALLPTR:
        if (instr->y & 0xfffe) return reject(check, "unknown flags", instr->y);
        if (instr->x >= NO_SLOT) return reject(check, "too many arguments", instr->x);
        return check_call(check, instr, instr->x + (instr->y & 1), instr->y >> 16);
    case OP_RET: return check_return(check, instr, 0);
    case OP_RETV:
    case OP_RETI: return check_return(check, instr, 1);
    case OP_RETN: return check_return(check, instr, instr->a);
    case OP_TRAP:
    case OP_TRAPV: return (instr->x > FAULT_NONE && instr->x < FAULT_COUNT) || reject(check, "no such fault", instr->x);
    case OP_SEXT: return (is_width(instr->x) && is_width(instr->y)) || reject(check, "wrong width", instr->x);
    case OP_ALLOCA:
    case OP_ALLOCAV: return instr->c <= 12 || reject(check, "alignment too large", instr->c);
    case OP_CTPOP:
    case OP_CTLZ:
    case OP_CTTZ:
    case OP_BITREV: return is_width(instr->y) || reject(check, "wrong width", instr->y);
    case OP_BSWAP: return (is_width(instr->y) && instr->y % 8 == 0) || reject(check, "wrong width", instr->y);
    case OP_OVERFLOW:
    case OP_SATURATE:
    case OP_OVERFLOW128: return check_checked(check, instr);
    case OP_RMW8:
    case OP_RMW16: return check_rmw(check, instr->x, 0);
    case OP_RMW32:
    case OP_RMW64: return check_rmw(check, instr->x, 1);
    case OP_FCMP32:
    case OP_FCMP64:
    case OP_FCMP80: return instr->x < FCMP_COUNT || reject(check, "no such comparison", instr->x);
    case OP_MATH: return check_math(check, instr->x, 0);
    case OP_MATH80: return check_math(check, instr->x, 1);
    case OP_NOTE: return (instr->x < NOTES && instr->y == 0) || reject(check, "no such note", instr->x);
    case OP_AWAIT:
        return (instr->x <= AWAIT_NOT && instr->y <= AWAIT_SPURIOUS) || reject(check, "no such condition", instr->x);
    case OP_ALLOC: return instr->x <= (ALLOC_INITIALISED | ALLOC_HIDDEN) || reject(check, "unknown flags", instr->x);
    default:
        if (instr->op >= OP_LOAD8 && instr->op <= OP_STOREA64) return check_tracked(check, instr);
        return instr->op < OP_FTOF || instr->op > OP_FTOU128 || check_conversion(check, instr);
    }
}

static int ends_control_flow(uint32_t opcode) {
    switch (opcode) {
    case OP_JMP:
    case OP_SWITCH:
    case OP_JMPIND:
    case OP_RET:
    case OP_RETV:
    case OP_RETI:
    case OP_RETN:
    case OP_TRAP:
    case OP_TRAPV:
    case OP_THREAD_END:
    case OP_EXIT:
    case OP_ABORT:
    case OP_FAULT:
    case OP_LONGJMP: return 1;
    default: return 0;
    }
}

int image_check_code(VmImage *image, char *error, size_t capacity) {
    for (uint32_t pc = 0; pc < image->code_count; pc++) {
        VmInstr *instr = image->code + pc;
        const VmFunction *function = image->functions + image->code_function[pc];
        Check check = {.image = image, .pc = pc, .function = function, .error = error, .capacity = capacity};
        if (instr->op >= OPCODE_COUNT) {
            return image_error(error, capacity, "instruction %u: no such opcode: %u", pc, instr->op);
        }
        if (!check_operand(&check, opcodes[instr->op].a, instr->a) ||
            !check_operand(&check, opcodes[instr->op].b, instr->b) ||
            !check_operand(&check, opcodes[instr->op].c, instr->c) || !check_immediate(&check, instr) ||
            !check_special(&check, instr)) {
            return 0;
        }
        if (pc + 1 == function->end_pc && !ends_control_flow(instr->op)) {
            return reject(&check, "the function does not end here, its code does", pc);
        }
    }
    return 1;
}
