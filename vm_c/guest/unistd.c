/* SPDX-License-Identifier: Apache-2.0
 *
 * What unistd.h tells about the process and the system: documented constants, the same in every run. Output by write is
 * in stdio.c, sleeping in time.c.
 */
#include "library.h"

#include <errno.h>
#include <sys/types.h>
#include <unistd.h>

enum { PAGE_SIZE = 4096, PROCESSORS = 4, CLOCK_TICKS = 100, USER = 1000, PROCESS = 4242, PARENT_PROCESS = 4241 };

/* One process, not the first of the system, of an ordinary user. */
pid_t getpid(void) { return PROCESS; }
pid_t getppid(void) { return PARENT_PROCESS; }
pid_t getpgrp(void) { return PROCESS; }
uid_t getuid(void) { return USER; }
uid_t geteuid(void) { return USER; }
gid_t getgid(void) { return USER; }
gid_t getegid(void) { return USER; }

int getpagesize(void) { return PAGE_SIZE; }

/* Several processors, so that programs which size themselves by their number do use threads. */
long sysconf(int name) {
    switch (name) {
    case _SC_PAGESIZE: return PAGE_SIZE;
    case _SC_NPROCESSORS_CONF:
    case _SC_NPROCESSORS_ONLN: return PROCESSORS;
    case _SC_CLK_TCK: return CLOCK_TICKS;
    case _SC_THREADS: return _POSIX_VERSION;
    case _SC_THREAD_THREADS_MAX: return (long)__pancam_thread_limit;
    case _SC_VERSION: return _POSIX_VERSION;
    default: errno = EINVAL; return -1;
    }
}

/* No descriptor is a terminal. */
int isatty(int descriptor) {
    errno = descriptor >= 0 && descriptor <= 2 ? ENOTTY : EBADF;
    return 0;
}
