# SPDX-License-Identifier: Apache-2.0
"""The functions of the guest library that programs begin with, and what else comes with every program."""

ENTRY = "__pancam_start"
HARNESS_ENTRY = "__pancam_prepare"  # of a program whose threads are started from outside
HARNESS_FUNCTIONS = ("__pancam_enter_thread", "__pancam_begin_thread")
# What the program needs without naming it.
ALWAYS_NEEDED = (ENTRY, HARNESS_ENTRY, *HARNESS_FUNCTIONS, "memcpy", "memmove", "memset")
