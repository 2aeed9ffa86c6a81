/* SPDX-License-Identifier: Apache-2.0
 *
 * Hashing: CRC-32, Adler-32, FNV, SHA-256, an MD5-like mixing, SipHash-like rounds, a random generator.
 * also-with: --m32
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint32_t crc_table[256];

static void make_crc_table(void) {
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int k = 0; k < 8; k++) c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
        crc_table[i] = c;
    }
}

static uint32_t crc32(const void *data, size_t length) {
    const uint8_t *bytes = data;
    uint32_t crc = 0xffffffffu;
    while (length--) crc = crc_table[(crc ^ *bytes++) & 0xff] ^ crc >> 8;
    return ~crc;
}

static uint32_t adler32(const char *text) {
    uint32_t a = 1, b = 0;
    for (; *text; text++) a = (a + (uint8_t)*text) % 65521, b = (b + a) % 65521;
    return b << 16 | a;
}

static uint64_t fnv(const char *text) {
    uint64_t hash = 14695981039346656037ULL;
    for (; *text; text++) hash = (hash ^ (uint8_t)*text) * 1099511628211ULL;
    return hash;
}

static uint32_t rotate(uint32_t v, int n) { return v >> n | v << (32 - n); }

static const uint32_t sha_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static void sha_block(uint32_t state[8], const uint8_t block[64]) {
    uint32_t w[64], v[8];
    for (int i = 0; i < 16; i++) {
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 | (uint32_t)block[4 * i + 2] << 8 |
               block[4 * i + 3];
    }
    for (int i = 16; i < 64; i++) {
        uint32_t s0 = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3;
        uint32_t s1 = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    memcpy(v, state, sizeof v);
    for (int i = 0; i < 64; i++) {
        uint32_t s1 = rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25);
        uint32_t t1 = v[7] + s1 + ((v[4] & v[5]) ^ (~v[4] & v[6])) + sha_constants[i] + w[i];
        uint32_t s0 = rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22);
        uint32_t t2 = s0 + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += t1;
        v[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++) state[i] += v[i];
}

static void sha256(const char *text) {
    uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    size_t length = strlen(text), done = 0;
    uint8_t block[64];
    for (; length - done >= 64; done += 64) sha_block(state, (const uint8_t *)text + done);
    memset(block, 0, sizeof block);
    memcpy(block, text + done, length - done);
    block[length - done] = 0x80;
    if (length - done >= 56) {
        sha_block(state, block);
        memset(block, 0, sizeof block);
    }
    uint64_t bits = (uint64_t)length * 8;
    for (int i = 0; i < 8; i++) block[63 - i] = (uint8_t)(bits >> (8 * i));
    sha_block(state, block);
    for (int i = 0; i < 8; i++) printf("%08x", state[i]);
    printf("\n");
}

static uint32_t md5_like(const char *text) {
    uint32_t a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476;
    for (unsigned i = 0; i < 64; i++) {
        uint32_t f = i < 16 ? (b & c) | (~b & d) : i < 32 ? (d & b) | (~d & c) : i < 48 ? b ^ c ^ d : c ^ (b | ~d);
        f += a + (uint8_t)text[i % strlen(text)] + i * 0x9e3779b9u;
        a = d, d = c, c = b;
        b += f << (i % 4 * 5 + 7) % 32 | f >> (32 - (i % 4 * 5 + 7) % 32);
    }
    return a ^ b ^ c ^ d;
}

static uint64_t left(uint64_t v, int n) { return v << n | v >> (64 - n); }

static uint64_t sip_like(const char *text) {
    uint64_t v0 = 0x736f6d6570736575, v1 = 0x646f72616e646f6d, v2 = 0x6c7967656e657261, v3 = 0x7465646279746573;
    for (; *text; text++) {
        v3 ^= (uint8_t)*text;
        for (int i = 0; i < 2; i++) {
            v0 += v1, v1 = left(v1, 13) ^ v0, v0 = left(v0, 32);
            v2 += v3, v3 = left(v3, 16) ^ v2;
            v0 += v3, v3 = left(v3, 21) ^ v0;
            v2 += v1, v1 = left(v1, 17) ^ v2, v2 = left(v2, 32);
        }
        v0 ^= (uint8_t)*text;
    }
    return v0 ^ v1 ^ v2 ^ v3;
}

int main(void) {
    static const char *texts[] = {"",
                                  "a",
                                  "abc",
                                  "message digest",
                                  "The quick brown fox jumps over the lazy dog",
                                  "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopqxxxxx",
                                  "12345678901234567890123456789012345678901234567890123456789012345678901234567890"};
    make_crc_table();
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
        printf("%08x %08x %016llx ", crc32(texts[i], strlen(texts[i])), adler32(texts[i]),
               (unsigned long long)fnv(texts[i]));
        printf("%08x %016llx\n", *texts[i] ? md5_like(texts[i]) : 0, (unsigned long long)sip_like(texts[i]));
        sha256(texts[i]);
    }
    uint64_t s0 = 1, s1 = 2;
    for (int i = 0; i < 100; i++) {
        uint64_t t = s0 + s1;
        s1 ^= s0;
        s0 = left(s0, 24) ^ s1 ^ s1 << 16;
        s1 = left(s1, 37);
        if (i % 20 == 0) printf("%016llx\n", (unsigned long long)t);
    }
    return 0;
}
