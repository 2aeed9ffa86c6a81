# SPDX-License-Identifier: Apache-2.0
"""From the linked module to the bytecode program: lowering, slot allocation, the image."""
