/* SPDX-License-Identifier: Apache-2.0
 *
 * Sets of numbers as bits with summary levels, for the ids and the space of heaps: the lowest free number is found in
 * a few steps, however many are taken. Every word is a function of the set alone, whatever order it was built in.
 */
#include "machine.h"

void bitmap_shape(VmBitmapShape *shape, uint32_t limit) {
    uint64_t bits = limit;
    memset(shape, 0, sizeof *shape);
    shape->limit = limit;
    do {
        uint64_t words = (bits + 63) / 64;
        shape->level_start[shape->levels++] = shape->words;
        shape->words += words;
        bits = words;
    } while (bits > 1);
}

static void mark_full(const VmBitmapShape *shape, uint64_t *words, uint64_t word) {
    for (uint32_t level = 0; level + 1 < shape->levels && words[shape->level_start[level] + word] == UINT64_MAX;
         level++) {
        words[shape->level_start[level + 1] + word / 64] |= (uint64_t)1 << word % 64;
        word /= 64;
    }
}

static void mark_not_full(const VmBitmapShape *shape, uint64_t *words, uint64_t word) {
    for (uint32_t level = 1; level < shape->levels; level++) {
        words[shape->level_start[level] + word / 64] &= ~((uint64_t)1 << word % 64);
        word /= 64;
    }
}

/* The bits of word `word` that belong to [first, end). */
static uint64_t range_mask(uint64_t word, uint64_t first, uint64_t end) {
    uint64_t low = first > word * 64 ? first - word * 64 : 0;
    uint64_t high = end < word * 64 + 64 ? end - word * 64 : 64;
    return (UINT64_MAX << low) & (UINT64_MAX >> (64 - high));
}

void bitmap_set(const VmBitmapShape *shape, uint64_t *words, uint32_t first, uint32_t count) {
    uint64_t end = (uint64_t)first + count;
    if (count == 0) return;
    for (uint64_t word = first / 64; word * 64 < end; word++) {
        words[word] |= range_mask(word, first, end);
        mark_full(shape, words, word);
    }
}

void bitmap_clear(const VmBitmapShape *shape, uint64_t *words, uint32_t first, uint32_t count) {
    uint64_t end = (uint64_t)first + count;
    if (count == 0) return;
    for (uint64_t word = first / 64; word * 64 < end; word++) {
        words[word] &= ~range_mask(word, first, end);
        mark_not_full(shape, words, word);
    }
}

/* First number from `from` on that is not in the set; at or above the limit: there is none. */
static uint64_t find_free(const VmBitmapShape *shape, const uint64_t *words, uint64_t from) {
    uint64_t position = from; /* on this level, the first bit not yet looked at */
    uint32_t level = 0;
    for (;;) {
        uint64_t word = position / 64;
        uint64_t level_words =
            (level + 1 < shape->levels ? shape->level_start[level + 1] : shape->words) - shape->level_start[level];
        if (word >= level_words) return shape->limit;
        uint64_t clear = ~words[shape->level_start[level] + word] & (UINT64_MAX << position % 64);
        if (clear == 0) { /* up: look for a word behind this one that is not full */
            if (level + 1 == shape->levels) return shape->limit;
            level++;
            position = word + 1;
            continue;
        }
        position = word * 64 + (uint64_t)__builtin_ctzll(clear);
        if (level == 0) return position;
        level--;
        position *= 64;
    }
}

/* First number in [from, end) that is in the set, or `end`. */
static uint64_t find_used(const uint64_t *words, uint64_t from, uint64_t end) {
    for (uint64_t word = from / 64; word * 64 < end; word++) {
        uint64_t used = words[word] & range_mask(word, from, end);
        if (used != 0) return word * 64 + (uint64_t)__builtin_ctzll(used);
    }
    return end;
}

/* The lowest start of `count` numbers that are not in the set, or the limit. */
uint32_t bitmap_find_run(const VmBitmapShape *shape, const uint64_t *words, uint32_t count) {
    uint64_t position = 0;
    for (;;) {
        position = find_free(shape, words, position);
        if (position + count > shape->limit) return shape->limit;
        uint64_t used = find_used(words, position, position + count);
        if (used == position + count) return (uint32_t)position;
        position = used + 1;
    }
}

/* 1 + the highest number below `end` in the set, or 0. */
uint32_t bitmap_end(const uint64_t *words, uint32_t end) {
    for (uint64_t word = ((uint64_t)end + 63) / 64; word-- > 0;) {
        uint64_t used = words[word];
        if (used != 0) return (uint32_t)(word * 64 + 64 - (uint64_t)__builtin_clzll(used));
    }
    return 0;
}
