/* SPDX-License-Identifier: Apache-2.0
 *
 * qsort and bsearch: sorted, a permutation, and inside the array even when the comparison answers at random.
 */
#include "harness.h"

#include <stdlib.h>
#include <string.h>

GUEST(qsort);
GUEST(qsort_r);
GUEST(bsearch);

enum { LARGEST = 3000, LARGEST_SIZE = 24 };

static size_t element_size;

static int compare_bytes(const void *left, const void *right) { return memcmp(left, right, element_size); }

static int compare_with_context(const void *left, const void *right, void *context) {
    return memcmp(left, right, *(size_t *)context);
}

static int compare_at_random(const void *left, const void *right) {
    (void)left, (void)right;
    return (int)random_below(3) - 1;
}

static void check_sort(unsigned limit) {
    static char host[LARGEST * LARGEST_SIZE + 16], guest[LARGEST * LARGEST_SIZE + 16];
    size_t count = random_below(limit), offset = random_below(9);
    element_size = 1 + random_below(LARGEST_SIZE);
    unsigned letters = 1 + random_below(255);
    for (size_t i = 0; i < sizeof host; i++) host[i] = guest[i] = (char)random_below(letters);
    qsort(host + offset, count, element_size, compare_bytes);
    if (random_below(2) == 0)
        guest_qsort(guest + offset, count, element_size, compare_bytes);
    else
        guest_qsort_r(guest + offset, count, element_size, compare_with_context, &element_size);
    EXPECT(memcmp(host, guest, sizeof host) == 0, "%zu elements of %zu bytes", count, element_size);
    const char *key = host + random_below((unsigned)(sizeof host - LARGEST_SIZE));
    void *found = bsearch(key, host + offset, count, element_size, compare_bytes);
    void *guest_found = guest_bsearch(key, host + offset, count, element_size, compare_bytes);
    EXPECT((found == NULL) == (guest_found == NULL), "bsearch");
    EXPECT(found == NULL || memcmp(found, guest_found, element_size) == 0, "bsearch");
}

static void check_random_comparison(void) {
    unsigned char bytes[102], seen[102] = {0};
    unsigned char count = (unsigned char)random_below(100);
    bytes[0] = 200;
    bytes[count + 1] = 201;
    for (unsigned char i = 0; i < count; i++) bytes[i + 1] = i;
    guest_qsort(bytes + 1, count, 1, compare_at_random);
    EXPECT(bytes[0] == 200 && bytes[count + 1] == 201, "outside the array");
    for (unsigned i = 0; i < count; i++) seen[bytes[i + 1]]++;
    for (unsigned i = 0; i < count; i++) EXPECT(seen[i] == 1, "lost %u", i);
}

void test_sort(unsigned rounds) {
    for (unsigned i = 0; i < rounds / 20; i++) {
        check_sort(40);
        check_random_comparison();
    }
    for (unsigned i = 0; i < 20; i++) check_sort(LARGEST);
}
