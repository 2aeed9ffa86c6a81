/* SPDX-License-Identifier: Apache-2.0
 *
 * Hashing: 32-bit mixing with rotations, calls of a small function, table lookups of a CRC.
 * Sized so that the slowest runner, LLVM's interpreter, takes a few seconds. ROUNDS can be set from outside, to 0 as
 * well.
 */
#include <stdint.h>
#include <stdio.h>

#ifndef ROUNDS
#define ROUNDS 600000
#endif
static uint32_t table[256];

static uint32_t rotate(uint32_t v, unsigned n) { return v << n | v >> (32 - n); }

int main(void) {
    uint32_t hash = 0x811c9dc5u, crc = ~0u;
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int k = 0; k < 8; k++) c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
        table[i] = c;
    }
    for (uint32_t i = 0; i < ROUNDS; i++) {
        uint32_t k = i * 0xcc9e2d51u;
        k = rotate(k, 15) * 0x1b873593u;
        hash = rotate(hash ^ k, 13) * 5 + 0xe6546b64u;
        for (unsigned shift = 0; shift < 32; shift += 8) crc = table[(crc ^ hash >> shift) & 0xff] ^ crc >> 8;
    }
    printf("%08x %08x\n", hash, ~crc);
    return 0;
}
