# SPDX-License-Identifier: Apache-2.0
"""Makes a program note that it passes certain labels, between linking and parsing: LLVM text in, LLVM text out.

Clang's debug information has a record where each label of the source stands. Where a wanted one is, a bit of a hidden
variable changes, in one atomic instruction; a function tells the bit.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pancam.errors import UsageError
from pancam.liveness import LABEL_PREFIX

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_DECLARED = re.compile(r'^!(\d+) = !DILabel\(.*\bname: "([^"]*)"', re.MULTILINE)
_PASSED = re.compile(r"    #dbg_label\(!(\d+), !(\d+)\)")
_RECORD, _PHI = re.compile(r"    #dbg_"), re.compile(r"  \S+ = phi ")


def note_labels(text: str, labels: Sequence[str]) -> str:
    """The program, with a function for each label whose result changes whenever the label is passed."""
    if not labels:
        return text
    declared = {number: name for number, name in _DECLARED.findall(text) if name in labels}
    passed = {declared[number] for number, _ in _PASSED.findall(text) if number in declared}
    for label in labels:
        if label not in passed:
            raise UsageError(f"--progress {label}: the compiled program has no such label")
    return "\n".join([*map(_definition, labels), *_with_notes(text.split("\n"), declared)])


def _with_notes(lines: Sequence[str], declared: dict[str, str]) -> Iterator[str]:
    """Nothing may stand between the phi instructions at the start of a block: what concerns them comes behind them."""
    waiting: list[str] = []
    for number, line in enumerate(lines):
        found = _PASSED.match(line)
        if found is not None and found[1] in declared:
            variable = f"@{LABEL_PREFIX}{declared[found[1]]}.bit"
            change = f"atomicrmw xor ptr {variable}, i32 1 seq_cst, align 4"
            waiting.append(f"  %pancam.pass.{number} = {change}, !dbg !{found[2]}")
            continue
        if waiting and not _RECORD.match(line) and not _PHI.match(line):
            yield from waiting
            waiting = []
        yield line


def _definition(label: str) -> str:
    name = f"@{LABEL_PREFIX}{label}"
    body = f"  %bit = load i32, ptr {name}.bit, align 4\n  ret i32 %bit"
    return f"{name}.bit = internal global i32 0, align 4\n\ndefine i32 {name}() {{\n{body}\n}}"
