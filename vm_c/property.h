/* SPDX-License-Identifier: Apache-2.0
 *
 * Properties: functions of the program that look at its state and change nothing. What an evaluation read, and the
 * values it found there, are remembered: while they are the same, so is the result, and the function is not run again.
 */
#pragma once

#include "footprint.h"

enum { MOST_PROPERTY_READS = 4096 };

typedef struct {
    uint32_t function;
    uint32_t object; /* static object that the function fills; NO_OBJECT: it returns a number */
    int is_watched;  /* a proposition: what it returns is noted, and need not be true */
    int is_known;    /* whether the following tells of an evaluation */
    uint64_t result;
    uint8_t *filled; /* bytes of the object, as the function left them */
    VmAccessList reads;
    Footprint footprint; /* the same, to test for conflicts */
    uint8_t *values;     /* of all reads, one after the other */
    uint64_t values_capacity;
    uint64_t runs; /* how often the function was run */
} Property;

#define NO_OBJECT UINT32_MAX

int property_create(Property *property, const VmMachine *machine, uint32_t function, uint32_t object);
void property_destroy(Property *property);

/* Makes result or `filled` those of the machine's state. 0: the function did something wrong, and the process has ended
 * with a fault. */
int property_update(Property *property, VmMachine *machine);

/* Whether the access changes what the last evaluation read. */
int property_is_touched(const Property *property, const VmAccess *access);
