/* SPDX-License-Identifier: Apache-2.0
 *
 * No store at all: what SPIN tracks are the counters themselves, a byte each of the number that would be the state's.
 * benchmarks/ceiling/check.py puts this at the end of vm_c/search/pancam.h, for SPIN's pan.c alone.
 */
#ifdef ALONE_THREADS

static void alone_setup(const char *image) {
    (void)image;
    pan_tracked = 0;
}

static unsigned alone_choices(unsigned thread) {
    return thread < ALONE_THREADS && (pan_tracked >> 8 * thread & 0xff) < ALONE_TOP;
}

static void alone_step(unsigned thread, unsigned choice) {
    (void)choice;
    pan_tracked += 1u << 8 * thread;
}

static int alone_bad(void) { return 0; }

#define pan_setup alone_setup
#define pan_choices alone_choices
#define pan_step_choice alone_step
#define pan_bad alone_bad

#endif
