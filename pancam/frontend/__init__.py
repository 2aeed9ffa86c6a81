# SPDX-License-Identifier: Apache-2.0
"""From C files to one linked LLVM module."""
