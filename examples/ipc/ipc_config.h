/* SPDX-License-Identifier: Apache-2.0
 *
 * Sizes of everything that the module keeps in fixed memory. The defaults are small, for checking all executions; a
 * product sets its own on the compiler's command line.
 */
#ifndef IPC_CONFIG_H
#define IPC_CONFIG_H

/* Messages that can exist at once. */
#ifndef IPC_POOL_BLOCKS
#define IPC_POOL_BLOCKS 4
#endif

#ifndef IPC_PAYLOAD_BYTES
#define IPC_PAYLOAD_BYTES 4
#endif

/* Priority 0 is the most urgent. */
#ifndef IPC_PRIORITIES
#define IPC_PRIORITIES 2
#endif

/* Most messages of one priority in one port; each port chooses its own limit up to this. */
#ifndef IPC_LANE_CAPACITY
#define IPC_LANE_CAPACITY 2
#endif

#ifndef IPC_PORTS
#define IPC_PORTS 2
#endif

/* Longest name of a port, with the zero at its end. */
#ifndef IPC_NAME_BYTES
#define IPC_NAME_BYTES 8
#endif

/* Requests that can wait for their replies at once. */
#ifndef IPC_CALLS
#define IPC_CALLS 2
#endif

#ifndef IPC_SUBSCRIBERS
#define IPC_SUBSCRIBERS 2
#endif

#ifndef IPC_WATCHED_PORTS
#define IPC_WATCHED_PORTS 2
#endif

#ifndef IPC_HANDLERS
#define IPC_HANDLERS 2
#endif

/* Records that each port keeps of what happened to it, or 0. Off, since a history makes executions differ for ever that
 * are otherwise in the same state again. */
#ifndef IPC_LOG_LENGTH
#define IPC_LOG_LENGTH 0
#endif

/* Whether pools and ports count what happens; off for the same reason. */
#ifndef IPC_STATISTICS
#define IPC_STATISTICS 0
#endif

/* Whether messages carry a checksum that receivers can verify. */
#ifndef IPC_CHECKSUM
#define IPC_CHECKSUM 1
#endif

_Static_assert(IPC_POOL_BLOCKS >= 1 && IPC_POOL_BLOCKS < 0xfffe,
               "blocks have 16-bit numbers, two of which are special");
_Static_assert(IPC_PAYLOAD_BYTES >= 1 && IPC_PAYLOAD_BYTES <= 0xffff, "lengths have 16 bits");
_Static_assert(IPC_PRIORITIES >= 1 && IPC_PRIORITIES <= 0xff, "priorities have 8 bits");
_Static_assert(IPC_LANE_CAPACITY >= 1 && IPC_LANE_CAPACITY <= 0x7fff, "places of a ring are added in 16 bits");
_Static_assert(IPC_PORTS >= 1 && IPC_PORTS <= 0xff, "addresses hold the number of a port in 8 bits");
_Static_assert(IPC_NAME_BYTES >= 2, "a name has at least one character");
_Static_assert(IPC_CALLS >= 1 && IPC_CALLS <= 0xff, "correlations hold the number of a call in 8 bits");
_Static_assert(IPC_LOG_LENGTH >= 0, "a log cannot have less than no records");

#if IPC_STATISTICS
#define IPC_COUNT(counter) ((void)(counter)++)
#define IPC_RAISE(peak, value) ((void)((peak) < (value) ? (peak) = (value) : 0))
#else
#define IPC_COUNT(counter) ((void)0)
#define IPC_RAISE(peak, value) ((void)0)
#endif

#endif
