/* SPDX-License-Identifier: Apache-2.0
 *
 * Floating point, computed by the host. A float is the low 32 bits of a slot, a double a slot, an x86_fp80 two slots:
 * the mantissa, then sign and exponent.
 */
#define _GNU_SOURCE
#include "arith.h"

#include <math.h> /* after machine.h: it defines names that opcodes.def uses too */

static float get32(uint64_t slot) {
    uint32_t bits = (uint32_t)slot;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t put32(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double get64(uint64_t slot) {
    double value;
    memcpy(&value, &slot, sizeof value);
    return value;
}

static uint64_t put64(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static long double get80(const uint64_t *slots) {
    long double value = 0;
    uint16_t exponent = (uint16_t)slots[1];
    memcpy(&value, slots, 8);
    memcpy((uint8_t *)&value + 8, &exponent, 2);
    return value;
}

static void put80(uint64_t *slots, long double value) {
    uint16_t exponent;
    memcpy(slots, &value, 8);
    memcpy(&exponent, (const uint8_t *)&value + 8, 2);
    slots[1] = exponent;
}

uint32_t float_binary32(uint32_t opcode, uint32_t b, uint32_t c) {
    float left = get32(b), right = get32(c);
    switch (opcode) {
    case OP_FADD32: return put32(left + right);
    case OP_FSUB32: return put32(left - right);
    case OP_FMUL32: return put32(left * right);
    case OP_FDIV32: return put32(left / right);
    default: return put32(fmodf(left, right));
    }
}

uint64_t float_binary64(uint32_t opcode, uint64_t b, uint64_t c) {
    double left = get64(b), right = get64(c);
    switch (opcode) {
    case OP_FADD64: return put64(left + right);
    case OP_FSUB64: return put64(left - right);
    case OP_FMUL64: return put64(left * right);
    case OP_FDIV64: return put64(left / right);
    default: return put64(fmod(left, right));
    }
}

void float_binary80(uint32_t opcode, uint64_t *result, const uint64_t *b, const uint64_t *c) {
    long double left = get80(b), right = get80(c);
    switch (opcode) {
    case OP_FADD80: put80(result, left + right); break;
    case OP_FSUB80: put80(result, left - right); break;
    case OP_FMUL80: put80(result, left * right); break;
    case OP_FDIV80: put80(result, left / right); break;
    default: put80(result, fmodl(left, right)); break;
    }
}

/* LLVM numbers the predicates so that bit 0 says equal, bit 1 greater, bit 2 less, bit 3 unordered. */
uint64_t float_compare(uint32_t opcode, uint32_t predicate, const uint64_t *b, const uint64_t *c) {
    long double left, right;
    if (opcode == OP_FCMP80) {
        left = get80(b);
        right = get80(c);
    } else {
        left = opcode == OP_FCMP32 ? (long double)get32(*b) : (long double)get64(*b);
        right = opcode == OP_FCMP32 ? (long double)get32(*c) : (long double)get64(*c);
    }
    uint32_t relation = isunordered(left, right) ? 8 : left == right ? 1 : left > right ? 2 : 4;
    return (predicate & relation) != 0;
}

uint64_t float_fma(uint32_t opcode, uint64_t b, uint64_t c, uint64_t d) {
    if (opcode == OP_FMA32) return put32(fmaf(get32(b), get32(c), get32(d)));
    return put64(fma(get64(b), get64(c), get64(d)));
}

#define ARGUMENTS_1(b, c) (b)
#define ARGUMENTS_2(b, c) (b, c)

uint64_t float_math(uint32_t function, uint64_t b, uint64_t c) {
    switch (function) {
#define MATH_FN(name, arguments)                                                                                       \
    case 3 * MATH_##name: return put64(name ARGUMENTS_##arguments(get64(b), get64(c)));                                \
    case 3 * MATH_##name + 1: return put32(name##f ARGUMENTS_##arguments(get32(b), get32(c)));
#include "math.def"
#undef MATH_FN
    default: return 0;
    }
}

void float_math80(uint32_t function, uint64_t *result, const uint64_t *b, const uint64_t *c) {
    switch (function) {
#define MATH_FN(name, arguments)                                                                                       \
    case 3 * MATH_##name + 2: put80(result, name##l ARGUMENTS_##arguments(get80(b), get80(c))); break;
#include "math.def"
#undef MATH_FN
    default: break;
    }
}

/* Cut to an integer; 0 when it does not fit into `width` bits. Every float, double and x86_fp80 is a long double. */
static Wide to_integer(long double value, uint32_t width, int is_signed) {
    long double whole = truncl(value), limit = ldexpl(1, (int)(is_signed ? width - 1 : width));
    if (isnan(whole) || whole >= limit || whole < (is_signed ? -limit : 0)) return 0;
    return whole < 0 ? 0 - (Wide)-whole : (Wide)whole;
}

static void from_wide(uint32_t kind, uint64_t *result, Wide value, int is_signed) {
    result[1] = 0;
    if (kind == 32) {
        result[0] = put32(is_signed ? (float)(SignedWide)value : (float)value);
    } else if (kind == 64) {
        result[0] = put64(is_signed ? (double)(SignedWide)value : (double)value);
    } else {
        put80(result, is_signed ? (long double)(SignedWide)value : (long double)value);
    }
}

static long double get_kind(uint32_t kind, const uint64_t *slots) {
    return kind == 32 ? (long double)get32(*slots) : kind == 64 ? (long double)get64(*slots) : get80(slots);
}

/* The result has one slot or two, as opcodes.def says for the opcode. */
void float_convert(const VmInstr *instr, uint64_t *result, const uint64_t *b) {
    uint32_t x = instr->x, y = instr->y;
    uint64_t pair[2] = {0, 0};
    switch (instr->op) {
    case OP_FTOF:
        result[0] = x == y ? low_bits(*b, x) : x == 32 ? put64((double)get32(*b)) : put32((float)get64(*b));
        break;
    case OP_FTO80: put80(result, get_kind(x, b)); break;
    case OP_FFROM80: result[0] = y == 32 ? put32((float)get80(b)) : put64((double)get80(b)); break;
    case OP_STOF:
        from_wide(y, pair, (Wide)(SignedWide)(int64_t)sign_extend(*b, x), 1);
        result[0] = pair[0];
        break;
    case OP_UTOF:
        from_wide(y, pair, low_bits(*b, x), 0);
        result[0] = pair[0];
        break;
    case OP_FTOS: result[0] = low_bits((uint64_t)to_integer(get_kind(x, b), y, 1), y); break;
    case OP_FTOU: result[0] = (uint64_t)to_integer(get_kind(x, b), y, 0); break;
    case OP_STOF80: from_wide(80, result, (Wide)(SignedWide)(int64_t)sign_extend(*b, x), 1); break;
    case OP_UTOF80: from_wide(80, result, low_bits(*b, x), 0); break;
    case OP_F80TOS: result[0] = low_bits((uint64_t)to_integer(get80(b), y, 1), y); break;
    case OP_F80TOU: result[0] = (uint64_t)to_integer(get80(b), y, 0); break;
    case OP_S128TOF: from_wide(y, result, get_wide(b), 1); break;
    case OP_U128TOF: from_wide(y, result, get_wide(b), 0); break;
    case OP_FTOS128: put_wide(result, to_integer(get_kind(x, b), 128, 1)); break;
    case OP_FTOU128: put_wide(result, to_integer(get_kind(x, b), 128, 0)); break;
    default: break;
    }
}
