# SPDX-License-Identifier: Apache-2.0
"""Which accesses of a trace concern more than one thread: the ones that a reader of the trace has to see."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pancam.explain.notes import Noted, Segment

WORD = 8
Identity = tuple[int, int, int]


class _Write(NamedTuple):
    low: int
    high: int
    thread: int | None
    time: int
    born: int


class Sharing:
    """All accesses of a trace; times are the numbers of its segments. Writes are filed by the words they touch."""

    def __init__(self, segments: list[Segment]) -> None:
        self._segments = segments
        self._writes: dict[tuple[Identity, int], list[_Write]] = {}
        self._writers: dict[tuple[Identity, int], set[int | None]] = {}
        self._users: dict[Identity, set[int | None]] = {}
        for time, segment in enumerate(segments):
            for noted in segment.writes.values():
                write = _Write(noted.low, noted.high, segment.thread, time, segment.born)
                for key in _words(noted):
                    self._writes.setdefault(key, []).append(write)
                    self._writers.setdefault(key, set()).add(segment.thread)
            for noted in (*segment.writes.values(), *segment.reads.values()):
                self._users.setdefault(noted.identity, set()).add(segment.thread)
        self._alone = len({segment.thread for segment in segments}) <= 1

    def is_shared(self, noted: Noted) -> bool:
        """Whether a written object concerns others: all but a thread's own that no other ever touches."""
        return self._alone or not noted.is_private or len(self._users[noted.identity]) > 1

    def is_contended(self, time: int, noted: Noted) -> bool:
        """Whether another thread writes what is accessed, and both exist when the earlier one of them does so."""
        segment = self._segments[time]
        return any(
            write.thread != segment.thread
            and (segment.born <= write.time if write.time < time else write.born <= time)
            and write.low < noted.high
            and noted.low < write.high
            for key in _words(noted)
            if self._writers.get(key, set()) - {segment.thread}
            for write in self._writes[key]
        )

    def is_worth(self, time: int, noted: Noted) -> bool:
        """Whether a write is to be told: a value that stays what it was matters only when others write there."""
        return noted.old != noted.new or self.is_contended(time, noted)


def _words(noted: Noted) -> Iterator[tuple[Identity, int]]:
    for word in range(noted.low // WORD, (noted.high + WORD - 1) // WORD):
        yield noted.identity, word
