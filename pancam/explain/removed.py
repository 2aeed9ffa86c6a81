# SPDX-License-Identifier: Apache-2.0
"""What the optimiser left out: lines that have code at -O0 and none in the program that was checked.

A trace of an optimised program cannot show what is no longer there, and that is often the very reason of a violation.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from pancam.errors import SourceLocation
from pancam.explain.sources import source_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pancam.bytecode.source_map import SourceMap
    from pancam.explain.trace import Trace

MOST_NOTES = 4


def removed_lines(trace: Trace, optimised: SourceMap, plain: SourceMap) -> tuple[str, ...]:
    """One note for each function of the trace that lost lines."""
    kept = {place for _, place in _lines(optimised)}
    shown = {name for step in trace.steps for name in (step.function, step.thread_name) if name}
    lost: dict[tuple[str, str], set[int]] = {}
    for function, (file, line) in _lines(plain):
        if function in shown and (file, line) not in kept and _says_something(file, line):
            lost.setdefault((function, file), set()).add(line)
    notes = [
        f"the optimiser left no instruction of {_ranges(lines)} in {function} ({file.rpartition('/')[2]})"
        for (function, file), lines in sorted(lost.items())
    ]
    return tuple(notes[:MOST_NOTES])


def _lines(source_map: SourceMap) -> Iterable[tuple[str, tuple[str, int]]]:
    used = {index for index in source_map.pc_locations if index >= 0}
    for index in used:
        for function, file, line, _ in source_map.locations[index]:
            yield function, (file, line)


def _says_something(file: str, line: int) -> bool:
    """A line of nothing but braces has code at -O0, the end of the function, that nobody misses."""
    return bool(source_line(SourceLocation(file, line)).strip("{}; "))


def _ranges(lines: Iterable[int]) -> str:
    """`line 3`, `lines 3-5, 8`."""
    ordered = sorted(lines)
    runs = [[line for _, line in run] for _, run in groupby(enumerate(ordered), lambda item: item[1] - item[0])]
    parts = [str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs]
    return f"line{'s' if len(ordered) > 1 else ''} {', '.join(parts)}"
