/* SPDX-License-Identifier: Apache-2.0
 *
 * A footprint is the set of bytes that some instructions read and write. Whether an access conflicts with it costs
 * about the same however large it is.
 */
#pragma once

#include "accesses.h"

/* What is done to the bytes of one word of 8: a bit for each. */
typedef struct {
    uint64_t word;
    uint8_t read, written;
} WordUse;

typedef struct {
    WordUse *uses; /* each word once, in the order of their coming */
    uint32_t count, capacity;
    uint32_t *index; /* places in `uses` plus 1, by hash; only while there are many */
    uint32_t index_size;
    int is_indexed;
    uint64_t read_filter, write_filter; /* for most tests enough to tell that there is no conflict */
    VmAccess *ranges;                   /* long accesses */
    uint32_t range_count, range_capacity;
} Footprint;

void footprint_clear(Footprint *footprint);
void footprint_release(Footprint *footprint);
void footprint_add(Footprint *footprint, const VmAccess *access);
int footprint_conflicts(const Footprint *footprint, const VmAccess *access);

void *sure(void *memory); /* does not return without: there is nothing that could be done instead */

/* An array with room for one element more; what it has grown by is zero. Does not return without. */
void *with_room(void *array, uint32_t count, uint32_t *capacity, size_t element);
