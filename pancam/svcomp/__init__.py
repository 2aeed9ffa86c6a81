# SPDX-License-Identifier: Apache-2.0
"""The formats and rules of the software verification competition (SV-COMP)."""
