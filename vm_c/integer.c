/* SPDX-License-Identifier: Apache-2.0
 *
 * Integer operations that are too long for arith.h: checked and saturated arithmetic, 128 bits, atomic updates.
 */
#include "arith.h"

static int is_signed_operation(uint32_t operation) {
    return operation == CHECKED_SADD || operation == CHECKED_SSUB || operation == CHECKED_SMUL ||
           operation == CHECKED_SSHL;
}

static SignedWide extend(uint64_t value, uint32_t width, int is_signed) {
    return is_signed ? (SignedWide)(int64_t)sign_extend(value, width) : (SignedWide)low_bits(value, width);
}

/* The exact result, as a 128-bit number in which nothing can overflow: unsigned products are at most (2^64 - 1)^2 and
 * are told apart from negative differences by `operation`. */
static Wide exact_operation(uint32_t operation, uint32_t width, uint64_t b, uint64_t c) {
    int is_signed = is_signed_operation(operation);
    Wide left = (Wide)extend(b, width, is_signed), right = (Wide)extend(c, width, is_signed);
    switch (operation) {
    case CHECKED_SADD:
    case CHECKED_UADD: return left + right;
    case CHECKED_SSUB:
    case CHECKED_USUB: return left - right;
    case CHECKED_SMUL:
    case CHECKED_UMUL: return left * right;
    default: return left << (low_bits(c, width) < 64 ? low_bits(c, width) : 63); /* at most 127 bits */
    }
}

/* -1: below what the width can hold; 1: above; 0: it fits. */
static int out_of_range(uint32_t operation, uint32_t width, Wide exact) {
    if (is_signed_operation(operation)) {
        SignedWide value = (SignedWide)exact, limit = (SignedWide)1 << (width - 1);
        return value < -limit ? -1 : value >= limit;
    }
    if (operation == CHECKED_USUB && exact >> 127) return -1;
    return exact >> width != 0;
}

uint64_t checked_operation(uint32_t operation, uint32_t width, uint64_t b, uint64_t c, int *overflow) {
    Wide exact = exact_operation(operation, width, b, c);
    *overflow = out_of_range(operation, width, exact) != 0;
    return low_bits((uint64_t)exact, width);
}

uint64_t saturated_operation(uint32_t operation, uint32_t width, uint64_t b, uint64_t c) {
    Wide exact = exact_operation(operation, width, b, c);
    int direction = out_of_range(operation, width, exact);
    if (direction == 0) return low_bits((uint64_t)exact, width);
    if (!is_signed_operation(operation)) return direction < 0 ? 0 : low_bits(UINT64_MAX, width);
    uint64_t minimum = (uint64_t)1 << (width - 1);
    return direction < 0 ? minimum : minimum - 1;
}

static int is_negative(Wide value) { return (int)(value >> 127); }

static Wide magnitude_wide(Wide value) { return is_negative(value) ? 0 - value : value; }

static Wide multiply_wide(Wide b, Wide c, int *overflow) {
    Wide b_high = b >> 64, c_high = c >> 64, b_low = (uint64_t)b, c_low = (uint64_t)c;
    Wide low = b_low * c_low, cross = b_high * c_low + b_low * c_high; /* one factor of each is 0, or it overflows */
    Wide result = low + (cross << 64);
    *overflow = (b_high != 0 && c_high != 0) || cross >> 64 != 0 || result < low;
    return result;
}

Wide checked_wide(uint32_t operation, Wide b, Wide c, int *overflow) {
    Wide result, product;
    switch (operation) {
    case CHECKED_SADD:
        result = b + c;
        *overflow = is_negative(b) == is_negative(c) && is_negative(result) != is_negative(b);
        return result;
    case CHECKED_UADD:
        result = b + c;
        *overflow = result < b;
        return result;
    case CHECKED_SSUB:
        result = b - c;
        *overflow = is_negative(b) != is_negative(c) && is_negative(result) != is_negative(b);
        return result;
    case CHECKED_USUB: *overflow = b < c; return b - c;
    case CHECKED_SMUL:
        product = multiply_wide(magnitude_wide(b), magnitude_wide(c), overflow);
        if (is_negative(b) != is_negative(c)) {
            *overflow |= product > (Wide)1 << 127;
            return 0 - product;
        }
        *overflow |= is_negative(product);
        return product;
    default: return multiply_wide(b, c, overflow);
    }
}

Wide shift_wide(uint32_t opcode, Wide value, uint64_t count) {
    if (opcode == OP_ASHR128) {
        uint32_t bits = count >= 128 ? 127 : (uint32_t)count;
        Wide fill = is_negative(value) && bits > 0 ? ~(Wide)0 << (128 - bits) : 0;
        return value >> bits | fill;
    }
    if (count >= 128) return 0;
    return opcode == OP_SHL128 ? value << count : value >> count;
}

VmFault divide_wide(uint32_t opcode, Wide b, Wide c, Wide *result) {
    if (c == 0) return FAULT_DIV_ZERO;
    if (opcode == OP_UDIV128 || opcode == OP_UREM128) {
        *result = opcode == OP_UDIV128 ? b / c : b % c;
        return FAULT_NONE;
    }
    if (c == ~(Wide)0 && b == (Wide)1 << 127) return FAULT_DIV_OVERFLOW;
    if (opcode == OP_SDIV128) {
        Wide quotient = magnitude_wide(b) / magnitude_wide(c);
        *result = is_negative(b) != is_negative(c) ? 0 - quotient : quotient;
    } else {
        Wide rest = magnitude_wide(b) % magnitude_wide(c);
        *result = is_negative(b) ? 0 - rest : rest;
    }
    return FAULT_NONE;
}

static uint64_t rmw_float(uint32_t operation, uint32_t width, uint64_t old, uint64_t operand) {
    static const uint32_t opcodes32[] = {OP_FADD32, OP_FSUB32}, opcodes64[] = {OP_FADD64, OP_FSUB64};
    if (operation == RMW_FMAX || operation == RMW_FMIN) {
        uint32_t function = operation == RMW_FMAX ? MATH_fmax : MATH_fmin;
        return float_math(3 * function + (width == 32), old, operand);
    }
    return width == 32 ? float_binary32(opcodes32[operation - RMW_FADD], (uint32_t)old, (uint32_t)operand)
                       : float_binary64(opcodes64[operation - RMW_FADD], old, operand);
}

uint64_t rmw_operation(uint32_t operation, uint32_t width, uint64_t old, uint64_t operand) {
    uint64_t value = low_bits(operand, width);
    int less = (int64_t)sign_extend(old, width) < (int64_t)sign_extend(value, width);
    switch (operation) {
    case RMW_XCHG: return value;
    case RMW_ADD: return old + value;
    case RMW_SUB: return old - value;
    case RMW_AND: return old & value;
    case RMW_NAND: return ~(old & value);
    case RMW_OR: return old | value;
    case RMW_XOR: return old ^ value;
    case RMW_MAX: return less ? value : old;
    case RMW_MIN: return less ? old : value;
    case RMW_UMAX: return old < value ? value : old;
    case RMW_UMIN: return old < value ? old : value;
    case RMW_UINC_WRAP: return old >= value ? 0 : old + 1;
    case RMW_UDEC_WRAP: return old == 0 || old > value ? value : old - 1;
    default: return rmw_float(operation, width, old, value);
    }
}
