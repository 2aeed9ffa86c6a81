# SPDX-License-Identifier: Apache-2.0
"""--nondet: the values that the user wants tried, for a type (int=-2..10) or for one line (file.c:17=0,1,7)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING

from pancam.errors import UsageError
from pancam.nondet.kinds import canonical, is_known

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pancam.errors import SourceLocation

MOST_VALUES = 65_536
_PLACE = re.compile(r"(?P<file>.+):(?P<line>\d+)\Z", re.ASCII)
_RANGE = re.compile(r"(?P<low>[-+]?\w+)\.\.(?P<high>[-+]?\w+)\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class Override:
    """What the user said, checked as far as that is possible without the program."""

    text: str  # as given
    kind: str  # or empty, for a line
    file: str
    line: int
    ranges: tuple[tuple[int, int], ...]
    floats: tuple[float, ...]

    @property
    def wanted(self) -> str:
        """What stands behind the equals sign."""
        return self.text.partition("=")[2]

    def is_about(self, kind: str, place: SourceLocation | None) -> bool:
        if self.kind:
            return self.kind == kind
        if place is None or place.line != self.line:
            return False
        wanted, found = PurePath(self.file).parts, PurePath(place.file).parts
        return found[-len(wanted) :] == wanted

    def numbers(self, width: int) -> tuple[int, ...]:
        """The values, in the order given, as unsigned numbers of a type of so many bits."""
        for low, high in self.ranges:
            outside = next((n for n in (low, high) if not -(1 << width - 1) <= n < 1 << width), None)
            if outside is not None:
                raise UsageError(f"--nondet {self.text}: {outside} is no value of a type of {width} bits")
        every = (number % (1 << width) for low, high in self.ranges for number in range(low, high + 1))
        return tuple(dict.fromkeys(every))


def parse_override(text: str) -> Override:
    """One --nondet option."""
    where, equals, what = text.partition("=")
    if not equals or not where.strip() or not what.strip():
        raise UsageError(f"--nondet {text}: expected TYPE=VALUES or FILE:LINE=VALUES, such as int=-2..10")
    place = _PLACE.match(where)
    kind = "" if place else canonical(where)
    if not place and not is_known(kind):
        raise UsageError(f"--nondet {text}: {where} is neither a type that pancam knows nor FILE:LINE")
    ranges, floats = [], []
    for word in what.split(","):
        value = _range(text, word.strip())
        if isinstance(value, float):
            floats.append(value)
        else:
            ranges.append(value)
    if sum(high - low + 1 for low, high in ranges) > MOST_VALUES:
        raise UsageError(f"--nondet {text}: more than {MOST_VALUES} values")
    file, line = (place["file"], int(place["line"])) if place else ("", 0)
    return Override(text, kind, file, line, tuple(ranges), tuple(floats))


def _range(text: str, word: str) -> tuple[int, int] | float:
    ends = _RANGE.match(word)
    try:
        low, high = (int(ends["low"], 0), int(ends["high"], 0)) if ends else (int(word, 0),) * 2
    except ValueError:
        if ends is None:
            try:
                return float(word)
            except ValueError:
                pass
        raise UsageError(f"--nondet {text}: {word!r} is neither a number nor a range such as -2..10") from None
    if low > high:
        raise UsageError(f"--nondet {text}: the range {word} is empty")
    return low, high


def override_for(overrides: Sequence[Override], kind: str, place: SourceLocation | None) -> Override | None:
    """The override of a call: one for its line wins over one for its type, and later ones over earlier ones."""
    fitting = [override for override in overrides if override.is_about(kind, place)]
    by_line = [override for override in fitting if not override.kind]
    return next(reversed(by_line or fitting), None)
