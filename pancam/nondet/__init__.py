# SPDX-License-Identifier: Apache-2.0
"""Nondeterministic values: which of them matter to a program (`flow`, `values`), and code that chooses (`rewrite`)."""
