# SPDX-License-Identifier: Apache-2.0
"""What a running search tells: the record of vm_c/search/progress.h in a file that the verifier maps, too."""

from __future__ import annotations

import mmap
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pancam.vm._machine import ffi, lib

if TYPE_CHECKING:
    from pathlib import Path

_ffi: Any = ffi
_lib: Any = lib

STOPS = {
    _lib.PAN_STOP_NONE: "",
    _lib.PAN_STOP_MEMORY: "memory",
    _lib.PAN_STOP_STATE_SIZE: "state size",
    _lib.PAN_STOP_DEPTH: "depth",
    _lib.PAN_STOP_THREADS: "threads",
    _lib.PAN_STOP_ERROR: "error",
}


@dataclass(frozen=True)
class Progress:
    """A look at a search."""

    transitions: int = 0
    instructions: int = 0
    depth: int = 0
    small_steps: int = 0  # steps of the granularity `global` that the transitions consist of
    recalled: int = 0  # of them, those that were made before and not executed again
    refused: int = 0  # where the context bound kept a thread from moving, and fewer preemptions do not lead there
    evaluations: int = 0  # runs of property functions
    table_bytes: int = 0  # of the access tables for supersteps
    states: int = 0  # of the tree store; 0 with the raw store
    store_bytes: int = 0
    largest_state: int = 0
    stop: str = ""  # why the verifier itself stopped the search
    text: str = ""
    limits: dict[str, int] = field(default_factory=dict)  # executions that ended at a limit, by kind of fault
    ignored: dict[str, int] = field(default_factory=dict)  # executions that ended at an ignored fault
    notes: tuple[int, ...] = ()  # numbers of the notes that were taken


def read_progress(path: Path) -> Progress:
    """What the verifier has written so far; zeros before it has started."""
    size = _ffi.sizeof("PanProgress")
    with path.open("rb") as file:
        if path.stat().st_size < size:
            return Progress()
        with mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ) as view:
            data = view[:]
    record = _ffi.new("PanProgress *")
    _ffi.memmove(record, data, size)
    rows = [record.process[i] for i in range(min(record.processes, _lib.PROGRESS_PROCESSES))]
    return Progress(
        transitions=sum(row.transitions for row in rows),
        instructions=sum(row.instructions for row in rows),
        small_steps=sum(row.small_steps for row in rows),
        recalled=sum(row.recalled for row in rows),
        refused=sum(row.refused for row in rows),
        evaluations=sum(row.evaluations for row in rows),
        table_bytes=sum(row.table_bytes for row in rows),
        depth=max((row.depth for row in rows), default=0),
        states=record.states,
        store_bytes=record.store_bytes,
        largest_state=record.largest_state,
        stop=STOPS.get(record.stop, "error"),
        text=_ffi.string(record.text).decode(errors="replace"),
        limits=_by_kind([row.limits for row in rows]),
        ignored=_by_kind([row.ignored for row in rows]),
        notes=tuple(number for number, taken in enumerate(record.notes) if taken),
    )


def _by_kind(tables: list[Any]) -> dict[str, int]:
    counts = {kind: sum(table[kind] for table in tables) for kind in range(_lib.vm_fault_count())}
    return {_ffi.string(_lib.vm_fault_name(kind)).decode(): count for kind, count in counts.items() if count}
