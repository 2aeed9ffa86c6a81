# SPDX-License-Identifier: Apache-2.0
"""Which values of a nondeterministic call are tried, and what that leaves out.

The tests that the value meets cut the numbers of its type into intervals; between two cuts all tests agree. When only
the tests matter, one number for each possible outcome of all tests stands for all; where the low bits matter, too, one
for each outcome and each of their values. Otherwise small intervals are tried
completely, and of the others some numbers; `complete` tells which numbers need no others to stand for.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from pancam.nondet.views import complement, joined

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pancam.nondet.flow import Flow
    from pancam.nondet.views import Interval

SMALL_TYPE = 256  # values of a type that is always enumerated
SMALL_INTERVAL = 64
MOST_ENUMERATED = 512
MOST_TESTS = 256  # beyond that, every interval gets a number, though others may have the same outcomes
MOST_HINTS = 12
MOST_SPLIT = 4096  # numbers that are looked at for all cases of tests and splits
ALWAYS = (0, 1, 2, -1)


@dataclass(frozen=True)
class Values:
    """The numbers to try, unsigned, the most telling first; and the intervals in which nothing is left out."""

    tried: tuple[int, ...]
    complete: list[Interval] = field(default_factory=list)
    is_exact: bool = True  # nothing that was left out makes a difference anywhere


def _intervals(flow: Flow) -> list[Interval]:
    cuts = {0, 1 << flow.width}.union(*(test.cuts() for test in flow.tests))
    cuts = cuts.union(*(view.starts for view, _ in flow.split_views()))
    return [(low, high - 1) for low, high in pairwise(sorted(cuts))]


def _period(flow: Flow) -> int:
    """Two numbers of one interval that are equal modulo this are equal at all splits."""
    return math.lcm(*(view.scale * period for view, period in flow.split_views()))


def has_few_cases(flow: Flow) -> bool:
    """Whether one number for each case of all tests and splits can be found in a moment."""
    return len(_intervals(flow)) * _period(flow) <= MOST_SPLIT or not flow.splits


def representatives(flow: Flow, *, signed: bool) -> Values:
    """Where only tests and splits matter: one number for each possible outcome of all of them."""
    return Values(_ordered(_one_for_each_outcome(flow, signed=signed), flow.width, signed=signed))


def every_value(width: int, *, signed: bool) -> Values:
    """All numbers of a type."""
    return Values(_ordered(range(1 << width), width, signed=signed))


def _one_for_each_outcome(flow: Flow, *, signed: bool) -> list[int]:
    found: dict[tuple[int, ...], int] = {}
    tests, splits, period = list(flow.tests), flow.split_views(), _period(flow)
    numbers = [
        number
        for interval in _intervals(flow)
        for number in _one_for_each_rest(interval, _simplest(interval, flow.width, signed=signed), period)
    ]
    if len(tests) > MOST_TESTS:
        return numbers
    for number in numbers:
        outcome = (*(test.outcome(number) for test in tests), *(view.at(number) % rest for view, rest in splits))
        if outcome not in found or _plainness(number, flow.width, signed=signed) < _plainness(
            found[outcome], flow.width, signed=signed
        ):
            found[outcome] = number
    return list(found.values())


def _one_for_each_rest(interval: Interval, near: int, period: int) -> list[int]:
    """A number of the interval for each rest modulo the period that there is, close to one that is in it."""
    low, high = interval
    found = []
    for step in range(period):
        if near + step <= high:
            found.append(near + step)
        elif near + step - period >= low:
            found.append(near + step - period)
    return found


def _simplest(interval: Interval, width: int, *, signed: bool) -> int:
    low, high = interval
    candidates = [low, high, *(number for number in (0, 1, (1 << width) - 1) if low <= number <= high)]
    return min(candidates, key=lambda number: _plainness(number, width, signed=signed))


def _plainness(number: int, width: int, *, signed: bool) -> tuple[int, bool]:
    negative = signed and number >> width - 1
    return ((1 << width) - number if negative else number), bool(negative)


def _ordered(numbers: Iterable[int], width: int, *, signed: bool) -> tuple[int, ...]:
    return tuple(sorted(set(numbers), key=lambda number: _plainness(number, width, signed=signed)))


def restricted(flow: Flow, *, signed: bool, common: Iterable[int]) -> Values:
    """Numbers that probably matter, for values that more than tests depend on; `common` are constants to try, too."""
    limit = 1 << flow.width
    tried = {number % limit for number in ALWAYS} | {limit - 1, limit // 2, limit // 2 - 1}
    hints = [number for number, _ in flow.hints.most_common(MOST_HINTS)]
    for number in (*hints, *common):
        tried |= {(number + near) % limit for near in (-1, 0, 1)}
    complete: list[Interval] = []
    left = MOST_ENUMERATED
    for low, high in sorted(_intervals(flow), key=lambda interval: interval[1] - interval[0]):
        size = high - low + 1
        if size <= min(SMALL_INTERVAL, left):
            left -= size
            complete.append((low, high))
            tried |= set(range(low, high + 1))
        elif left > 0:
            tried |= {low, high}
    return Values(_ordered(tried, flow.width, signed=signed), joined(complete), is_exact=False)


def left_out(values: Values, width: int) -> list[Interval]:
    """The numbers for which others stand that differ where it matters."""
    return [] if values.is_exact else complement(values.complete, 1 << width)


FLOATS = (0.0, 1.0, -1.0, 0.5, 2.0, float("inf"), float("-inf"), float("nan"))
FLOAT_CODES = {"float": ("<f", "<I"), "double": ("<d", "<Q")}
FLOAT_LIMITS = {
    "float": (0x7F7FFFFF, 0xFF7FFFFF, 1),
    "double": (0x7FEFFFFFFFFFFFFF, 0xFFEFFFFFFFFFFFFF, 1),
}
EXTENDED = (0, 0x3FFF << 64 | 1 << 63, 0xBFFF << 64 | 1 << 63, 0x3FFE << 64 | 1 << 63, 0x7FFF << 64 | 3 << 62)


def float_bits(kind: str, number: float) -> int:
    """The bits of a number as a float or double."""
    number_code, bits_code = FLOAT_CODES[kind]
    bits: int = struct.unpack(bits_code, struct.pack(number_code, number))[0]
    return bits


def float_values(kind: str, constants: Iterable[int]) -> tuple[int, ...]:
    """The bits of floating-point numbers to try: simple ones, constants of the program and neighbours, the limits."""
    if kind not in FLOAT_CODES:
        return EXTENDED
    bits = [float_bits(kind, number) for number in FLOATS]
    top = 1 << (32 if kind == "float" else 64)
    near = [(constant + step) % top for constant in sorted(constants)[:MOST_HINTS] for step in (0, 1, -1)]
    return tuple(dict.fromkeys([*bits, *FLOAT_LIMITS[kind], *near]))
