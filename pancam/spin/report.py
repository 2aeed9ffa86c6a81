# SPDX-License-Identifier: Apache-2.0
"""What SPIN's verifier prints at its end, as a value. Its exit status says nothing: the text decides."""

from __future__ import annotations

import re
from dataclasses import dataclass

_NUMBER = r"([\d.]+(?:e[+-]?\d+)?)"
_STATES = re.compile(rf"^\s*{_NUMBER} states, stored", re.MULTILINE)
_MATCHED = re.compile(rf"^\s*{_NUMBER} states, matched", re.MULTILINE)
_TRANSITIONS = re.compile(rf"^\s*{_NUMBER} transitions \(=", re.MULTILINE)
_DEPTH_AND_ERRORS = re.compile(rf"^State-vector \d+ byte, depth reached {_NUMBER}, errors: (\d+)", re.MULTILINE)
_MEMORY = re.compile(rf"^\s*{_NUMBER}\s+total (?:actual|shared) memory usage", re.MULTILINE)
_HASH_FACTOR = re.compile(rf"^hash factor: {_NUMBER}", re.MULTILINE)
_INCOMPLETE = ("Search not completed", "search not completed")
_DEPTH_LIMIT = ("max search depth too small",)
_NO_MEMORY = ("out of memory", "reached -DMEMLIM", "cannot allocate", "no more memory", "hashtable is full")
_MIB = 1 << 20


@dataclass(frozen=True)
class Report:
    """A finished search in SPIN's own numbers."""

    is_there: bool  # the verifier got as far as reporting
    states: int = 0
    matched: int = 0
    transitions: int = 0
    depth: int = 0
    errors: int = 0
    memory: int = 0  # bytes
    hash_factor: float | None = None  # bitstate: above 100 nearly all states were seen
    is_complete: bool = False
    hit_depth: bool = False
    out_of_memory: bool = False


def read_report(text: str) -> Report:
    """The report in a verifier's output."""
    head = _DEPTH_AND_ERRORS.search(text)
    out_of_memory = any(words in text for words in _NO_MEMORY)
    if head is None:
        return Report(is_there=False, out_of_memory=out_of_memory)
    factor = _HASH_FACTOR.search(text)
    return Report(
        is_there=True,
        states=_number(_STATES, text),
        matched=_number(_MATCHED, text),
        transitions=_number(_TRANSITIONS, text),
        depth=int(float(head[1])),
        errors=int(head[2]),
        memory=int(float(_last(_MEMORY, text)) * _MIB),
        hash_factor=float(factor[1]) if factor else None,
        is_complete=not any(words in text for words in _INCOMPLETE) and not out_of_memory,
        hit_depth=any(words in text for words in _DEPTH_LIMIT),
        out_of_memory=out_of_memory,
    )


def _last(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.findall(text)
    return str(found[-1]) if found else "0"


def _number(pattern: re.Pattern[str], text: str) -> int:
    return int(float(_last(pattern, text)))
