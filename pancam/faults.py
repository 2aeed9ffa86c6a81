# SPDX-License-Identifier: Apache-2.0
"""Which faults a check reports: names that users choose from, made of the kinds in vm_c/faults.def."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pancam.errors import UsageError
from pancam.isa import faults

if TYPE_CHECKING:
    from collections.abc import Sequence

GROUPS = {
    "assert": ("ASSERT", "ERROR_REACHED"),
    "deadlock": ("DEADLOCK",),
    "invariant": ("INVARIANT",),
    "race": ("DATA_RACE",),
    "memory": (
        "NULL_POINTER", "WILD_POINTER", "OUT_OF_BOUNDS", "INDEX_BOUNDS", "MISALIGNED", "USE_AFTER_FREE",
        "USE_AFTER_RETURN", "WRITE_CONST", "DATA_ACCESS_TO_CODE", "UNINITIALISED", "DOUBLE_FREE",
        "INVALID_FREE",
    ),
    "leak": ("LEAK", "LEAK_REACHABLE"),
    "arithmetic": ("DIV_ZERO", "DIV_OVERFLOW"),
    "overflow": ("OVERFLOW", "SHIFT_RANGE"),
    "control": ("UNREACHABLE", "TRAP", "BAD_CALL", "UNDEFINED_CALL", "CALL_MISMATCH", "BAD_JUMP"),
    "misuse": (
        "MUTEX_MISUSE", "COND_MISUSE", "RWLOCK_MISUSE", "BARRIER_MISUSE", "SPIN_MISUSE", "SEM_MISUSE", "THREAD_MISUSE",
        "KEY_MISUSE", "LIBRARY_MISUSE", "ATOMIC_MISUSE",
    ),
}  # fmt: skip
# Mistakes in what the user gave to the check, not in the checked program: they are errors, whatever is ignored.
HARNESS_FAULTS = ("SIDE_EFFECT", "CALL_WAITS")


def kinds_of(words: Sequence[str]) -> set[str]:
    """The kinds behind names of groups and kinds, separated by commas, in any case."""
    known = {kind for group in GROUPS.values() for kind in group}
    found: set[str] = set()
    for word in (part.strip() for text in words for part in text.split(",")):
        if word.lower() in GROUPS:
            found.update(GROUPS[word.lower()])
        elif word.upper() in known:
            found.add(word.upper())
        else:
            names = ", ".join(GROUPS)
            raise UsageError(f"there is no kind of fault {word!r}: {names}, or a kind of docs/isa.md")
    return found


def ignored_kinds(only: Sequence[str], ignore: Sequence[str]) -> tuple[str, ...]:
    """The kinds that are not to be reported; in the order of faults.def."""
    known = {kind for group in GROUPS.values() for kind in group}
    ignored = (known - kinds_of(only) if only else set()) | kinds_of(ignore)
    return tuple(kind for kind in faults() if kind in ignored)
