/* SPDX-License-Identifier: Apache-2.0
 *
 * Values of any kind that the check chooses: pancam_nondet_* and the names of the software verification competition.
 * Each is one choice of the machine (two for 128 bits).
 */
#include "library.h"

#include <stdint.h>

#include "floatbits.h"
#include "include/pancam.h"

/* Count 0 means any 64-bit number. */
#define VALUES_OF(type) (sizeof(type) >= 8 ? 0 : 1ULL << (8 * sizeof(type) % 64))

#define NONDET(type, name, attributes)                                                                                 \
    type name(void) attributes;                                                                                        \
    type name(void) { return (type)__pancam_choose(VALUES_OF(type)); }

#define NO_ATTRIBUTES
NONDET(char, pancam_nondet_char, NO_ATTRIBUTES)
NONDET(signed char, pancam_nondet_schar, NO_ATTRIBUTES)
NONDET(unsigned char, pancam_nondet_uchar, NO_ATTRIBUTES)
NONDET(short, pancam_nondet_short, NO_ATTRIBUTES)
NONDET(unsigned short, pancam_nondet_ushort, NO_ATTRIBUTES)
NONDET(int, pancam_nondet_int, NO_ATTRIBUTES)
NONDET(unsigned, pancam_nondet_uint, NO_ATTRIBUTES)
NONDET(long, pancam_nondet_long, NO_ATTRIBUTES)
NONDET(unsigned long, pancam_nondet_ulong, NO_ATTRIBUTES)
NONDET(long long, pancam_nondet_longlong, NO_ATTRIBUTES)
NONDET(unsigned long long, pancam_nondet_ulonglong, NO_ATTRIBUTES)
NONDET(size_t, pancam_nondet_size_t, NO_ATTRIBUTES)

_Bool pancam_nondet_bool(void) { return __pancam_choose(2) != 0; }

float pancam_nondet_float(void) {
    union float_bits any;
    any.bits = (uint32_t)__pancam_choose(1ULL << 32);
    return any.value;
}

double pancam_nondet_double(void) {
    union double_bits any;
    any.bits = __pancam_choose(0);
    return any.value;
}

long pancam_nondet_range(long low, long high) {
    if (low > high) __pancam_fault(PANCAM_FAULT_LIBRARY_MISUSE, "pancam_nondet_range: an empty range");
    unsigned long long count = (unsigned long long)high - (unsigned long long)low + 1; /* 0 for the whole of 64 bits */
    return (long)((unsigned long long)low + __pancam_choose(count));
}

/* Weak: a program that defines one of these itself means its own. */
#define WEAK __attribute__((weak))
NONDET(char, __VERIFIER_nondet_char, WEAK)
NONDET(signed char, __VERIFIER_nondet_schar, WEAK)
NONDET(unsigned char, __VERIFIER_nondet_uchar, WEAK)
NONDET(short, __VERIFIER_nondet_short, WEAK)
NONDET(unsigned short, __VERIFIER_nondet_ushort, WEAK)
NONDET(int, __VERIFIER_nondet_int, WEAK)
NONDET(unsigned, __VERIFIER_nondet_uint, WEAK)
NONDET(unsigned, __VERIFIER_nondet_unsigned, WEAK)
NONDET(unsigned, __VERIFIER_nondet_unsigned_int, WEAK)
NONDET(long, __VERIFIER_nondet_long, WEAK)
NONDET(unsigned long, __VERIFIER_nondet_ulong, WEAK)
NONDET(long long, __VERIFIER_nondet_longlong, WEAK)
NONDET(unsigned long long, __VERIFIER_nondet_ulonglong, WEAK)
NONDET(size_t, __VERIFIER_nondet_size_t, WEAK)
NONDET(int8_t, __VERIFIER_nondet_s8, WEAK)
NONDET(uint8_t, __VERIFIER_nondet_u8, WEAK)
NONDET(int16_t, __VERIFIER_nondet_s16, WEAK)
NONDET(uint16_t, __VERIFIER_nondet_u16, WEAK)
NONDET(int32_t, __VERIFIER_nondet_s32, WEAK)
NONDET(uint32_t, __VERIFIER_nondet_u32, WEAK)
NONDET(int64_t, __VERIFIER_nondet_s64, WEAK)
NONDET(uint64_t, __VERIFIER_nondet_u64, WEAK)
NONDET(long long, __VERIFIER_nondet_loff_t, WEAK)
NONDET(unsigned long, __VERIFIER_nondet_sector_t, WEAK)

_Bool __VERIFIER_nondet_bool(void) WEAK;
_Bool __VERIFIER_nondet_bool(void) { return __pancam_choose(2) != 0; }

_Bool __VERIFIER_nondet__Bool(void) WEAK;
_Bool __VERIFIER_nondet__Bool(void) { return __pancam_choose(2) != 0; }

float __VERIFIER_nondet_float(void) WEAK;
float __VERIFIER_nondet_float(void) { return pancam_nondet_float(); }

double __VERIFIER_nondet_double(void) WEAK;
double __VERIFIER_nondet_double(void) { return pancam_nondet_double(); }

#ifdef __SIZEOF_INT128__
unsigned __int128 __VERIFIER_nondet_uint128(void) WEAK;
unsigned __int128 __VERIFIER_nondet_uint128(void) {
    unsigned __int128 high = __pancam_choose(0);
    return high << 64 | __pancam_choose(0);
}

__int128 __VERIFIER_nondet_int128(void) WEAK;
__int128 __VERIFIER_nondet_int128(void) { return (__int128)__VERIFIER_nondet_uint128(); }
#endif
