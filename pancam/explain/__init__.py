# SPDX-License-Identifier: Apache-2.0
"""From the machine's state to what a C programmer understands."""
