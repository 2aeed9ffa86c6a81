/* SPDX-License-Identifier: Apache-2.0
 *
 * What has no counterpart to compare with: the heap, output calls, exit handlers, start, faults, choices, constants.
 */
#include "harness.h"

#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#include "include/pancam.h"

GUEST(malloc);
GUEST(calloc);
GUEST(realloc);
GUEST(reallocarray);
GUEST(aligned_alloc);
GUEST(posix_memalign);
GUEST(malloc_usable_size);
GUEST(free);
GUEST(puts);
GUEST(fputs);
GUEST(fputc);
GUEST(fwrite);
GUEST(write);
GUEST(perror);
GUEST(stdout);
GUEST(stderr);
GUEST(stdin);
GUEST(atexit);
GUEST(on_exit);
GUEST(exit);
GUEST(quick_exit);
GUEST(at_quick_exit);
GUEST(abort);
GUEST(getenv);
GUEST(__errno_location);
GUEST(rand);
GUEST(srand);
GUEST(rand_r);
GUEST(drand48);
GUEST(lrand48);
GUEST(mrand48);
GUEST(srand48);
GUEST(time);
GUEST(getpid);
GUEST(sysconf);
GUEST(setlocale);
GUEST(localeconv);
GUEST(div);
GUEST(lldiv);
GUEST(wcslen);
GUEST(mbstowcs);
GUEST(pancam_nondet_range);
GUEST(pancam_assert_failed);
void guest___assert_fail(const char *, const char *, unsigned, const char *);
void guest_reach_error(void);
void guest___pancam_start(unsigned thread);
void *guest___memcpy_chk(void *, const void *, size_t, size_t);
char *guest___strcpy_chk(char *, const char *, size_t);
int guest___sprintf_chk(char *, int, size_t, const char *, ...);
int guest___snprintf_chk(char *, size_t, int, size_t, const char *, ...);

/* Not the compiler's idea of malloc: a request that is too large must reach the library. */
static size_t volatile too_large = (size_t)PTRDIFF_MAX + 1;

static void check_heap(void) {
    long live = live_objects;
    char *text = guest_malloc(10);
    strcpy(text, "123456789");
    text = guest_realloc(text, 20);
    EXPECT(strcmp(text, "123456789") == 0 && guest_malloc_usable_size(text) == 20, "realloc");
    text = guest_reallocarray(text, 2, 2);
    EXPECT(memcmp(text, "1234", 4) == 0 && guest_malloc_usable_size(text) == 4, "reallocarray");
    *guest___errno_location() = 0;
    EXPECT(guest_reallocarray(text, too_large, 4) == NULL && *guest___errno_location() == ENOMEM, "reallocarray");
    EXPECT(guest_realloc(text, 0) == NULL && live_objects == live, "realloc to nothing");
    *guest___errno_location() = 0;
    EXPECT(guest_calloc(too_large, 2) == NULL && *guest___errno_location() == ENOMEM, "calloc");
    *guest___errno_location() = 0;
    EXPECT(guest_malloc(too_large) == NULL && *guest___errno_location() == ENOMEM, "malloc");
    void *empty = guest_malloc(0);
    EXPECT(empty != NULL, "malloc(0)");
    guest_free(empty);
    void *aligned = guest_aligned_alloc(64, 100);
    EXPECT((uintptr_t)aligned % 64 == 0, "aligned_alloc");
    guest_free(aligned);
    EXPECT(guest_posix_memalign(&aligned, 3, 8) == EINVAL, "posix_memalign");
    EXPECT(guest_posix_memalign(&aligned, 32, 8) == 0 && (uintptr_t)aligned % 32 == 0, "posix_memalign");
    guest_free(aligned);
    guest_free(NULL);
    EXPECT(live_objects == live, "%ld objects left", live_objects - live);
}

static void check_output(void) {
    forget_output();
    guest_puts("a line");
    guest_fputs("text", guest_stderr);
    EXPECT(output_descriptor == 2, "descriptor");
    guest_fputc('!', guest_stdout);
    EXPECT(guest_fwrite("abcd", 2, 2, guest_stdout) == 2 && guest_write(1, "ef", 2) == 2, "fwrite");
    EXPECT(strcmp(output_text, "a line\ntext!abcdef") == 0 && output_calls == 5, "%s", output_text);
    EXPECT(guest_write(5, "x", 1) == -1 && *guest___errno_location() == EBADF, "write");
    EXPECT_FAULT(PANCAM_FAULT_LIBRARY_MISUSE, guest_fputs("x", guest_stdin));
    forget_output();
    *guest___errno_location() = ENOENT;
    guest_perror("file");
    EXPECT(strcmp(output_text, "file: No such file or directory\n") == 0 && output_calls == 1, "%s", output_text);
}

static char order[64];
static void note(char c) { strncat(order, &c, 1); }
static void first(void) { note('1'); }
static void second(void) {
    note('2');
    guest_atexit(first);
}
static void third(int status, void *argument) { note((char)(status + *(char *)argument)); }

void __pancam_run_constructors(void) { note('C'); }
void __pancam_run_destructors(void) { note('D'); }

#define EXPECT_EXIT(status, statement)                                                                                 \
    do {                                                                                                               \
        int ended = setjmp(machine_end);                                                                               \
        if (ended == 0) {                                                                                              \
            statement;                                                                                                 \
        }                                                                                                              \
        EXPECT(ended == END_EXIT && last_status == (status), "ended %d status %d", ended, last_status);                \
    } while (0)

static void check_exit(void) {
    static char letter = 'a';
    long live = live_objects;
    order[0] = '\0';
    guest_atexit(first);
    guest_atexit(second);
    guest_on_exit(third, &letter);
    EXPECT_EXIT(3, guest_exit(3));
    EXPECT(strcmp(order, "d211D") == 0 && live_objects == live, "%s", order);
    order[0] = '\0';
    for (int i = 0; i < 40; i++) EXPECT(guest_atexit(first) == 0, "atexit");
    guest_at_quick_exit(second);
    EXPECT_EXIT(1, guest_quick_exit(1));
    EXPECT(strcmp(order, "2") == 0, "%s", order);
    EXPECT_EXIT(0, guest_exit(256));
    EXPECT(strlen(order) == 1 + 41 + 1, "%s", order);
    int ended = setjmp(machine_end);
    if (ended == 0) guest_abort();
    EXPECT(ended == END_ABORT, "%d", ended);
}

int guest_main(int count, char **values, char **environment);
int guest_main(int count, char **values, char **environment) {
    note((char)('0' + count));
    return values[count] == NULL && environment[0] == NULL ? 7 : 8;
}

static void check_start(void) {
    static char *values[] = {(char *)"program", (char *)"argument", NULL};
    __pancam_arguments.count = 2;
    __pancam_arguments.values = values;
    order[0] = '\0';
    EXPECT_EXIT(7, guest___pancam_start(0));
    EXPECT(strcmp(order, "C2D") == 0, "%s", order);
}

static void check_faults_and_choices(void) {
    char memory[4];
    EXPECT_FAULT(PANCAM_FAULT_ASSERT, guest___assert_fail("x > 0", "f.c", 1, "f"));
    EXPECT(strcmp(last_message, "x > 0") == 0, "%s", last_message);
    EXPECT_FAULT(PANCAM_FAULT_ASSERT, guest_pancam_assert_failed("y"));
    EXPECT_FAULT(PANCAM_FAULT_ERROR_REACHED, guest_reach_error());
    EXPECT_FAULT(PANCAM_FAULT_LIBRARY_MISUSE, guest___memcpy_chk(memory, "12345", 5, 4));
    EXPECT_FAULT(PANCAM_FAULT_LIBRARY_MISUSE, guest___strcpy_chk(memory, "1234", 4));
    EXPECT_FAULT(PANCAM_FAULT_LIBRARY_MISUSE, guest___sprintf_chk(memory, 1, 4, "%d", 1234));
    EXPECT_FAULT(PANCAM_FAULT_LIBRARY_MISUSE, guest___snprintf_chk(memory, 5, 1, 4, "%d", 1));
    EXPECT(guest___sprintf_chk(memory, 1, 4, "%d", 123) == 3 && strcmp(memory, "123") == 0, "%s", memory);
    EXPECT_FAULT(PANCAM_FAULT_LIBRARY_MISUSE, guest_pancam_nondet_range(1, 0));
    next_choice = 3;
    EXPECT(guest_pancam_nondet_range(-1, 5) == 2 && last_choice_count == 7, "%llu", last_choice_count);
    guest_pancam_nondet_range(LONG_MIN, LONG_MAX);
    EXPECT(last_choice_count == (sizeof(long) == 8 ? 0 : 1ULL << 32), "%llu", last_choice_count);
}

static void check_numbers(void) {
    unsigned seed = 5, guest_seed = 5;
    for (int i = 0; i < 100; i++) {
        EXPECT(rand_r(&seed) == guest_rand_r(&guest_seed) && seed == guest_seed, "rand_r");
        if (i == 20) {
            srand48(12345678);
            guest_srand48(12345678);
        }
        EXPECT(drand48() == guest_drand48(), "drand48");
        EXPECT(lrand48() == guest_lrand48(), "lrand48");
        EXPECT(mrand48() == guest_mrand48(), "mrand48");
    }
    guest_srand(42);
    int once = guest_rand();
    guest_srand(42);
    EXPECT(once == guest_rand() && once >= 0, "rand");
    EXPECT(guest_div(-7, 2).quot == -3 && guest_lldiv(-7, 2).rem == -1, "div");
}

static void check_constants(void) {
    wchar_t wide[8];
    EXPECT(guest_getenv("HOME") == NULL, "getenv");
    EXPECT(guest_time(NULL) == 1700000000 && guest_getpid() == 4242, "time");
    EXPECT(guest_sysconf(_SC_NPROCESSORS_ONLN) == 4 && guest_sysconf(_SC_PAGESIZE) == 4096, "sysconf");
    EXPECT(guest_sysconf(-5) == -1 && *guest___errno_location() == EINVAL, "sysconf");
    EXPECT(strcmp(guest_setlocale(LC_ALL, ""), "C") == 0 && guest_setlocale(LC_ALL, "de_DE") == NULL, "setlocale");
    EXPECT(strcmp(guest_localeconv()->decimal_point, ".") == 0, "localeconv");
    EXPECT(guest_mbstowcs(wide, "abc", 8) == 3 && guest_wcslen(wide) == 3 && wide[2] == L'c', "mbstowcs");
}

void test_library(void) {
    check_heap();
    check_output();
    check_exit();
    check_start();
    check_faults_and_choices();
    check_numbers();
    check_constants();
}
