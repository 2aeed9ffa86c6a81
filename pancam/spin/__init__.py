# SPDX-License-Identifier: Apache-2.0
"""SPIN drives the machine: builds verifiers, runs them, reads what they found."""
