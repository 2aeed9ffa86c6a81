/* SPDX-License-Identifier: Apache-2.0
 *
 * malloc and its relatives over the machine's heap objects. A request that no machine could satisfy (more than
 * PTRDIFF_MAX bytes) gives a null pointer and ENOMEM, and with --malloc-may-fail any request can; one that exceeds the
 * machine's heap limit is a fault.
 */
#include "library.h"

#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_ALIGNMENT = 16 };

/* Whether a request fails: because no machine could satisfy it, or because the check wants to see that, too. */
static int fails(size_t size) {
    if (size <= PTRDIFF_MAX && !(__pancam_malloc_may_fail && __pancam_choose(2))) return 0;
    errno = ENOMEM;
    return 1;
}

/* With --nondet-uninit there is a function that gives fresh memory its contents (pancam/nondet/uninitialised.py). */
extern void __pancam_fill(void *memory, size_t size) __attribute__((weak));

static void *allocate(size_t size, size_t alignment) {
    if (fails(size)) return NULL;
    void *memory = __pancam_alloc(size, alignment);
    if (__pancam_fill != NULL) __pancam_fill(memory, size);
    return memory;
}

static int is_power_of_two(size_t number) { return number != 0 && (number & (number - 1)) == 0; }

void *malloc(size_t size) { return allocate(size, DEFAULT_ALIGNMENT); }

void *calloc(size_t count, size_t size) {
    size_t total;
    if (__builtin_mul_overflow(count, size, &total)) {
        errno = ENOMEM;
        return NULL;
    }
    return fails(total) ? NULL : __pancam_alloc_zeros(total, DEFAULT_ALIGNMENT);
}

/* Which block a new one may be mistaken for depends on who allocates it, which searches with any number of threads do
 * not know (docs/adr/0021). */
static void release(void *pointer) {
#ifdef PANCAM_CROWD
    if (pointer != NULL) __pancam_fault(PANCAM_FAULT_CROWD_LIMIT, "memory is freed");
#endif
    __pancam_free(pointer);
}

void free(void *pointer) { release(pointer); }

PROTOTYPE(void, cfree, (void *pointer)) { release(pointer); }

/* Always moves, so that a program cannot rely on an address staying. Size 0 frees, as in glibc. */
void *realloc(void *pointer, size_t size) {
    if (pointer == NULL) return malloc(size);
    size_t old_size = __pancam_object_size(pointer);
    if (size == 0) {
        release(pointer);
        return NULL;
    }
    void *copy = malloc(size);
    if (copy == NULL) return NULL;
    memcpy(copy, pointer, old_size < size ? old_size : size);
    release(pointer);
    return copy;
}

void *reallocarray(void *pointer, size_t count, size_t size) {
    size_t total;
    if (__builtin_mul_overflow(count, size, &total)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(pointer, total);
}

void *memalign(size_t alignment, size_t size) {
    if (!is_power_of_two(alignment)) {
        errno = EINVAL;
        return NULL;
    }
    return allocate(size, alignment < DEFAULT_ALIGNMENT ? DEFAULT_ALIGNMENT : alignment);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **result, size_t alignment, size_t size) {
    if (!is_power_of_two(alignment) || alignment % sizeof(void *) != 0) return EINVAL;
    void *memory = memalign(alignment, size);
    if (memory == NULL) return ENOMEM;
    *result = memory;
    return 0;
}

size_t malloc_usable_size(void *pointer) { return pointer == NULL ? 0 : __pancam_object_size(pointer); }
