/* SPDX-License-Identifier: Apache-2.0
 *
 * Integer arithmetic behind the cases of the loop: what needs more than one expression. All of it works on unsigned
 * numbers, so that nothing overflows in the sense of C.
 */
#pragma once

#include <stdint.h>
#include <string.h>

#include "machine.h"

typedef unsigned __int128 Wide;
typedef __int128 SignedWide;

static inline uint64_t low_bits(uint64_t value, uint32_t width) {
    return width >= 64 ? value : value & (((uint64_t)1 << width) - 1);
}

static inline uint64_t sign_extend(uint64_t value, uint32_t width) {
    uint64_t sign = (uint64_t)1 << (width - 1);
    return (low_bits(value, width) ^ sign) - sign;
}

static inline Wide get_wide(const uint64_t *slots) { return (Wide)slots[1] << 64 | slots[0]; }

static inline void put_wide(uint64_t *slots, Wide value) {
    slots[0] = (uint64_t)value;
    slots[1] = (uint64_t)(value >> 64);
}

static inline uint64_t shift_left(uint64_t value, uint64_t count, uint32_t width) {
    return count >= width ? 0 : low_bits(value << count, width);
}

static inline uint64_t shift_right(uint64_t value, uint64_t count, uint32_t width) {
    return count >= width ? 0 : value >> count;
}

static inline uint64_t shift_right_signed(uint64_t value, uint64_t count, uint32_t width) {
    uint64_t extended = sign_extend(value, width), bits = count >= width ? width - 1 : count;
    uint64_t fill = extended >> 63 && bits > 0 ? UINT64_MAX << (64 - bits) : 0;
    return low_bits(extended >> bits | fill, width);
}

static inline uint64_t magnitude(uint64_t value, uint32_t width) {
    uint64_t extended = sign_extend(value, width);
    return extended >> 63 ? 0 - extended : extended;
}

static inline VmFault division_fault(uint64_t dividend, uint64_t divisor, uint32_t width, int is_signed) {
    if (divisor == 0) return FAULT_DIV_ZERO;
    if (is_signed && low_bits(divisor, width) == low_bits(UINT64_MAX, width) &&
        low_bits(dividend, width) == (uint64_t)1 << (width - 1)) {
        return FAULT_DIV_OVERFLOW;
    }
    return FAULT_NONE;
}

/* Both for operands that division_fault() let pass. */
static inline uint64_t divide_signed(uint64_t dividend, uint64_t divisor, uint32_t width) {
    uint64_t quotient = magnitude(dividend, width) / magnitude(divisor, width);
    int negative = (sign_extend(dividend, width) ^ sign_extend(divisor, width)) >> 63 != 0;
    return low_bits(negative ? 0 - quotient : quotient, width);
}

static inline uint64_t remainder_signed(uint64_t dividend, uint64_t divisor, uint32_t width) {
    uint64_t rest = magnitude(dividend, width) % magnitude(divisor, width);
    return low_bits(sign_extend(dividend, width) >> 63 ? 0 - rest : rest, width);
}

static inline uint64_t reverse_bits(uint64_t value) {
    value = (value >> 1 & 0x5555555555555555u) | (value & 0x5555555555555555u) << 1;
    value = (value >> 2 & 0x3333333333333333u) | (value & 0x3333333333333333u) << 2;
    value = (value >> 4 & 0x0f0f0f0f0f0f0f0fu) | (value & 0x0f0f0f0f0f0f0f0fu) << 4;
    return __builtin_bswap64(value);
}

/* integer.c */
uint64_t checked_operation(uint32_t operation, uint32_t width, uint64_t b, uint64_t c, int *overflow);
uint64_t saturated_operation(uint32_t operation, uint32_t width, uint64_t b, uint64_t c);
Wide checked_wide(uint32_t operation, Wide b, Wide c, int *overflow);
Wide shift_wide(uint32_t opcode, Wide value, uint64_t count);
VmFault divide_wide(uint32_t opcode, Wide b, Wide c, Wide *result);
uint64_t rmw_operation(uint32_t operation, uint32_t width, uint64_t old, uint64_t operand);

/* float.c: slots in, slots out */
uint32_t float_binary32(uint32_t opcode, uint32_t b, uint32_t c);
uint64_t float_binary64(uint32_t opcode, uint64_t b, uint64_t c);
void float_binary80(uint32_t opcode, uint64_t *result, const uint64_t *b, const uint64_t *c);
uint64_t float_compare(uint32_t opcode, uint32_t predicate, const uint64_t *b, const uint64_t *c);
uint64_t float_fma(uint32_t opcode, uint64_t b, uint64_t c, uint64_t d);
uint64_t float_math(uint32_t function, uint64_t b, uint64_t c);
void float_math80(uint32_t function, uint64_t *result, const uint64_t *b, const uint64_t *c);
void float_convert(const VmInstr *instr, uint64_t *result, const uint64_t *b);
