# SPDX-License-Identifier: Apache-2.0
"""pancam checks multithreaded C programs: Clang in front, a bytecode machine in C inside, SPIN behind."""
