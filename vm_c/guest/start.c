/* SPDX-License-Identifier: Apache-2.0
 *
 * Where thread 0 begins: constructors, main, exit. Where a driver starts the threads there is no main; thread 0 then
 * prepares the process and is over.
 */
#include "library.h"

#include <stdlib.h>

/* Weak, because a module that only lends functions to a driver has no main. */
extern int main(int count, char **values, char **environment) __attribute__((weak));

PROTOTYPE(void, __pancam_start, (unsigned thread)) {
    (void)thread;
    __pancam_run_constructors();
    if (main == NULL) __pancam_fault(PANCAM_FAULT_LIBRARY_MISUSE, "the program has no function main");
    char **values = __pancam_arguments.values;
    int count = __pancam_arguments.count;
    exit(main(count, values, values + count)); /* the null at the end of the arguments is an empty environment */
}

PROTOTYPE(void, __pancam_prepare, (unsigned thread)) {
    (void)thread;
    __pancam_run_constructors();
}

/* Programs that are compiled for a search for data races call this first. */
PROTOTYPE(void, __tsan_init, (void)) {}
