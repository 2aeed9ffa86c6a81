/* SPDX-License-Identifier: Apache-2.0
 *
 * First include of every file of the guest library. It makes the system's headers declare plain functions: no inline
 * bodies, no checked variants, no redirections to other symbol names. Then the machine, and what the files share.
 */
#ifndef PANCAM_GUEST_LIBRARY_H
#define PANCAM_GUEST_LIBRARY_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#undef _FORTIFY_SOURCE
#ifndef __NO_INLINE__
#define __NO_INLINE__ 1
#endif
#include <features.h>
/* Newer headers rename strtol and sscanf to their C23 forms; the library defines both under their own names. */
#undef __GLIBC_USE_C2X_STRTOL
#define __GLIBC_USE_C2X_STRTOL 0
#undef __GLIBC_USE_C23_STRTOL
#define __GLIBC_USE_C23_STRTOL 0
#undef __GLIBC_USE_DEPRECATED_SCANF
#define __GLIBC_USE_DEPRECATED_SCANF 1

#include "machine.h"

/* For a definition of what no header declares: a prototype precedes it. */
#define PROTOTYPE(result, name, parameters)                                                                            \
    result name parameters;                                                                                            \
    result name parameters

/* The generated lists of constructors and destructors of the program. */
void __pancam_run_constructors(void);
void __pancam_run_destructors(void);

#endif
