# SPDX-License-Identifier: Apache-2.0
"""What a computed value says about the chosen one: functions that move whole intervals, and what comparisons cut.

A View is a function of an unsigned number v below 2^n, given as pieces: for low <= v <= high it is (v + shift) / scale,
rounded down, a number below 2^width. Extensions, truncations, additions of constants and unsigned divisions by them are
such functions. Every comparison of one with a constant has the same outcome for all v between two neighbouring cuts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

MOST_PIECES = 64

Interval: TypeAlias = tuple[int, int]  # both ends are in it


class Piece(NamedTuple):
    """Numbers from low to high, and what is added to them."""

    low: int
    high: int
    shift: int


@dataclass(frozen=True, slots=True)
class View:
    """A function of the chosen value, of `width` bits."""

    width: int
    pieces: tuple[Piece, ...]
    scale: int = 1

    def at(self, value: int) -> int:
        """The function's value; `value` is unsigned."""
        found = next(value + piece.shift for piece in self.pieces if piece.low <= value <= piece.high)
        return found // self.scale

    def images(self, intervals: list[Interval]) -> list[Interval]:
        """What the function makes of the numbers in some intervals."""
        found = []
        for low, high in intervals:
            for piece in self.pieces:
                first, last = max(low, piece.low), min(high, piece.high)
                if first <= last:
                    found.append(((first + piece.shift) // self.scale, (last + piece.shift) // self.scale))
        return joined(found)

    @property
    def image(self) -> list[Interval]:
        """All values of the function."""
        return self.images([(piece.low, piece.high) for piece in self.pieces])

    @property
    def starts(self) -> set[int]:
        """Where its pieces begin, but for the first number of all."""
        return {piece.low for piece in self.pieces} - {0}

    def _moved(self, width: int, bounds: list[Interval], shifts: list[int]) -> View | None:
        """Each image is cut where the intervals of the image are, and moved by the shift of its interval."""
        pieces = []
        for piece in self.pieces:
            for (low, high), shift in zip(bounds, shifts, strict=True):
                first = max(piece.low, low * self.scale - piece.shift)
                last = min(piece.high, (high + 1) * self.scale - 1 - piece.shift)
                if first <= last:
                    pieces.append(Piece(first, last, piece.shift + shift * self.scale))
        return View(width, tuple(sorted(pieces)), self.scale) if len(pieces) <= MOST_PIECES else None

    def extended(self, width: int, *, signed: bool) -> View | None:
        """Zero- or sign-extended."""
        half, full = 1 << self.width - 1, 1 << self.width
        lift = (1 << width) - full if signed else 0
        return self._moved(width, [(0, half - 1), (half, full - 1)], [0, lift])

    def truncated(self, width: int) -> View | None:
        """The low bits; None when that would be too many pieces."""
        period = 1 << width
        wraps = {end // period for interval in self.image for end in interval}
        if max(wraps) - min(wraps) > MOST_PIECES:
            return None
        turns = range(min(wraps), max(wraps) + 1)
        return self._moved(width, [(t * period, (t + 1) * period - 1) for t in turns], [-t * period for t in turns])

    def added(self, number: int) -> View | None:
        """Plus a constant, modulo 2^width."""
        full = 1 << self.width
        number %= full
        return self._moved(self.width, [(0, full - number - 1), (full - number, full - 1)], [number, number - full])

    def divided(self, number: int) -> View:
        """Divided by a constant, rounded down."""
        return View(self.width, self.pieces, self.scale * number)


def identity(width: int) -> View:
    """The chosen value itself."""
    return View(width, (Piece(0, (1 << width) - 1, 0),))


@dataclass(frozen=True, slots=True)
class Test:
    """A comparison of a view with a constant: `predicate` is one of LLVM's for icmp."""

    view: View
    predicate: str
    constant: int

    @property
    def number(self) -> int:
        """The constant as the unsigned number that its bits are."""
        return self.constant % (1 << self.view.width)

    def outcome(self, value: int) -> bool:
        """What the comparison says when the chosen value is this (unsigned)."""
        return compare(self.predicate, self.view.at(value), self.number, self.view.width)

    def cuts(self) -> set[int]:
        """Values v such that the outcome for v - 1 and for v may differ; it is the same between two of them."""
        half = 1 << self.view.width - 1
        edges = {self.number, self.number + 1} | ({half} if self.predicate[0] == "s" else set())
        found = set()
        for piece in self.view.pieces:
            found.add(piece.low)
            starts = {edge * self.view.scale - piece.shift for edge in edges}
            found |= {start for start in starts if piece.low < start <= piece.high}
        return found - {0}


def compare(predicate: str, left: int, right: int, width: int) -> bool:
    """What icmp says about unsigned numbers below 2^width."""
    if predicate in ("eq", "ne"):
        return (left == right) == (predicate == "eq")
    if predicate[0] == "s":  # adding 2^(width-1) maps signed order to unsigned order
        half = 1 << width - 1
        left, right = left ^ half, right ^ half
    return {"lt": left < right, "le": left <= right, "gt": left > right, "ge": left >= right}[predicate[1:]]


def joined(intervals: list[Interval]) -> list[Interval]:
    """The same numbers in as few intervals as possible, in order."""
    result: list[Interval] = []
    for low, high in sorted(intervals):
        if result and low <= result[-1][1] + 1:
            result[-1] = (result[-1][0], max(result[-1][1], high))
        else:
            result.append((low, high))
    return result


def complement(intervals: list[Interval], limit: int) -> list[Interval]:
    """The numbers below the limit that are in none of the intervals."""
    result, start = [], 0
    for low, high in joined(intervals):
        if low > start:
            result.append((start, low - 1))
        start = high + 1
    return [*result, (start, limit - 1)] if start < limit else result
