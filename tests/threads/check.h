/* SPDX-License-Identifier: Apache-2.0
 *
 * For the programs of this folder: a check that ends the program with its line when it fails, and two deadlines.
 */
#ifndef CHECK_H
#define CHECK_H
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            printf("line %d: %s\n", __LINE__, #condition);                                                             \
            exit(99);                                                                                                  \
        }                                                                                                              \
    } while (0)

static const struct timespec PAST = {1, 0}, NO_TIME = {1, 1000000000};
#endif
