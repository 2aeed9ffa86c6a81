# SPDX-License-Identifier: Apache-2.0
"""The formats and rules of the software verification competition (SV-COMP)."""

TASK_SUFFIXES = (".yml", ".yaml")


def is_task_file(path: str) -> bool:
    """Whether a file is a task by its name."""
    return path.endswith(TASK_SUFFIXES)
