/* SPDX-License-Identifier: Apache-2.0
 *
 * qsort, qsort_r, bsearch. Sorting is Shell's: in place, no allocation, no recursion, deterministic, and it stays
 * inside the array whatever the comparison answers. With the gap 1 alone (up to 4 elements) it is stable.
 */
#include "library.h"

#include <stdint.h>
#include <stdlib.h>

#undef bsearch /* a macro that keeps const in headers of C23 */

typedef unsigned long __attribute__((may_alias)) word;

static void swap_elements(char *left, char *right, size_t size) {
    if ((((uintptr_t)left | (uintptr_t)right | size) & (sizeof(word) - 1)) == 0) {
        for (size_t i = 0; i < size; i += sizeof(word)) {
            word *a = (word *)(void *)(left + i), *b = (word *)(void *)(right + i);
            word kept = *a;
            *a = *b;
            *b = kept;
        }
        return;
    }
    for (size_t i = 0; i < size; i++) {
        char kept = left[i];
        left[i] = right[i];
        right[i] = kept;
    }
}

/* Gaps 1, 4, 10, 23, 57, 132, 301, 701 (Ciura), then growing by 9/4. */
static size_t next_smaller_gap(size_t limit) {
    static const unsigned short gaps[] = {1, 4, 10, 23, 57, 132, 301, 701};
    size_t gap = 701;
    if (limit > gap) {
        while (gap / 4 * 9 < limit) gap = gap / 4 * 9;
        return gap;
    }
    for (size_t i = sizeof gaps / sizeof gaps[0]; i-- > 0;)
        if (gaps[i] < limit) return gaps[i];
    return 0;
}

void qsort_r(void *base, size_t count, size_t size, int (*compare)(const void *, const void *, void *), void *context) {
    char *first = base;
    for (size_t gap = next_smaller_gap(count); gap != 0; gap = next_smaller_gap(gap)) {
        for (size_t i = gap; i < count; i++) {
            for (size_t j = i; j >= gap; j -= gap) {
                char *here = first + j * size, *before = here - gap * size;
                if (compare(before, here, context) <= 0) break;
                swap_elements(before, here, size);
            }
        }
    }
}

struct plain_comparison {
    int (*compare)(const void *, const void *);
};

static int compare_plainly(const void *left, const void *right, void *context) {
    const struct plain_comparison *plain = context;
    return plain->compare(left, right);
}

void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *)) {
    struct plain_comparison plain = {compare};
    qsort_r(base, count, size, compare_plainly, &plain);
}

void *bsearch(const void *key, const void *base, size_t count, size_t size,
              int (*compare)(const void *, const void *)) {
    const char *first = base;
    while (count != 0) {
        const char *middle = first + count / 2 * size;
        int order = compare(key, middle);
        if (order == 0) return (void *)middle;
        if (order > 0) {
            first = middle + size;
            count--;
        }
        count /= 2;
    }
    return NULL;
}
