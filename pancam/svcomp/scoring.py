# SPDX-License-Identifier: Apache-2.0
"""How the competition scores answers, and sums by category."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class Outcome(Enum):
    """What an answer is worth, told by the expected verdict."""

    RIGHT_TRUE = "right true"
    RIGHT_FALSE = "right false"
    WRONG_TRUE = "wrong true"
    WRONG_FALSE = "wrong false"
    UNKNOWN = "unknown"
    ERROR = "error"
    UNJUDGED = "no expected verdict"

    @property
    def score(self) -> int:
        return SCORES.get(self, 0)

    @property
    def is_wrong(self) -> bool:
        return self in (Outcome.WRONG_TRUE, Outcome.WRONG_FALSE)


SCORES = {Outcome.RIGHT_TRUE: 2, Outcome.RIGHT_FALSE: 1, Outcome.WRONG_TRUE: -32, Outcome.WRONG_FALSE: -16}
UNKNOWN = "unknown"
ERROR = "error"  # an answer of ours: there is none


@dataclass(frozen=True)
class Row:
    """One run: a property of a task, what was expected, what came of it. `reason` is why an answer is not more."""

    category: str
    task: str
    property_name: str
    expected: bool | None
    subproperty: str | None = None
    answer: str = ERROR  # true, false(...), unknown, error
    reason: str = ""
    seconds: float = 0.0  # on the wall
    cpu: float = 0.0
    memory: int = 0  # bytes

    @property
    def outcome(self) -> Outcome:
        return judge(self.answer, expected=self.expected, subproperty=self.subproperty)


def judge(answer: str, *, expected: bool | None, subproperty: str | None) -> Outcome:
    """The outcome of an answer. A violation of another part of the property than the expected one is a wrong one."""
    if answer == ERROR:
        return Outcome.ERROR
    if answer == UNKNOWN:
        return Outcome.UNKNOWN
    if expected is None:
        return Outcome.UNJUDGED
    if answer == "true":
        return Outcome.RIGHT_TRUE if expected else Outcome.WRONG_TRUE
    part = answer.removeprefix("false(").removesuffix(")")
    is_right = not expected and subproperty in (None, part)
    return Outcome.RIGHT_FALSE if is_right else Outcome.WRONG_FALSE


@dataclass
class Sums:
    """A line of the table."""

    name: str
    outcomes: Counter[Outcome] = field(default_factory=Counter)
    score: int = 0
    best_score: int = 0
    cpu: float = 0.0
    memory: int = 0  # of the run that needed most

    def add(self, row: Row) -> None:
        self.outcomes[row.outcome] += 1
        self.score += row.outcome.score
        self.cpu += row.cpu
        self.memory = max(self.memory, row.memory)
        if row.expected is not None:
            self.best_score += SCORES[Outcome.RIGHT_TRUE if row.expected else Outcome.RIGHT_FALSE]

    @property
    def tasks(self) -> int:
        return self.outcomes.total()


def sums_by_category(rows: Iterable[Row]) -> list[Sums]:
    """A line for each category, in the order of their names, and one for all."""
    categories: dict[str, Sums] = {}
    total = Sums("total")
    for row in rows:
        categories.setdefault(row.category, Sums(row.category)).add(row)
        total.add(row)
    return [*(categories[name] for name in sorted(categories)), total]
