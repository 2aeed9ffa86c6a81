# SPDX-License-Identifier: Apache-2.0
"""Shared memory that SPIN's multicore search leaves behind: in bitstate mode after a violation, and when it is killed.

It outlives its processes, and a later search whose keys happen to be the same finds it and fails.
"""

from __future__ import annotations

import contextlib
import ctypes
from pathlib import Path

_SEGMENTS = Path("/proc/sysvipc/shm")
_REMOVE = 0  # IPC_RMID


def remove_segments(creator: int) -> None:
    """Remove the segments that a process has created, which is no more."""
    with contextlib.suppress(OSError):
        lines = _SEGMENTS.read_text().splitlines()
        columns = lines[0].split()
        identifier, made_by = columns.index("shmid"), columns.index("cpid")
        for fields in (line.split() for line in lines[1:]):
            if int(fields[made_by]) == creator:
                ctypes.CDLL(None).shmctl(int(fields[identifier]), _REMOVE, None)
