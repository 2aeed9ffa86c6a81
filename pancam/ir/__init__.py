# SPDX-License-Identifier: Apache-2.0
"""LLVM IR in memory: the values (`model`), the parser of LLVM's text (`parser`) and C types (`debuginfo`)."""
