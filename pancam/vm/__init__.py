# SPDX-License-Identifier: Apache-2.0
"""The virtual machine of vm_c/, compiled into a Python extension."""
