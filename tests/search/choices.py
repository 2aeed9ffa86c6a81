# SPDX-License-Identifier: Apache-2.0
"""Where a grammar takes its decisions from: a seeded generator, or Hypothesis, which can take them back one by one.

Hypothesis makes a failing example smaller by making numbers smaller. So in every decision 0 stands for the least.
"""

import random
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TypeVar

from hypothesis import strategies
from hypothesis.strategies import DrawFn

T = TypeVar("T")


class Choices(ABC):
    """Decides; everything is a number in the end."""

    @abstractmethod
    def integer(self, low: int, high: int) -> int:
        """A number from low to high, both included."""

    def pick(self, options: Sequence[T]) -> T:
        """One of the options; the simplest should be first."""
        return options[self.integer(0, len(options) - 1)]

    def chance(self, percent: int) -> bool:
        """True in this many cases of a hundred."""
        return self.integer(0, 99) >= 100 - percent

    def weighted(self, weights: dict[T, int]) -> T:
        """One of the keys, as often as its weight says; the simplest should be first."""
        number = self.integer(0, sum(weights.values()) - 1)
        for option, weight in weights.items():
            if number < weight:
                return option
            number -= weight
        raise AssertionError("the weights do not sum up")


class SeededChoices(Choices):
    """The same decisions for the same seed, on every machine."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311 - reproducible, not secret

    def integer(self, low: int, high: int) -> int:
        return self._random.randint(low, high)


class DrawnChoices(Choices):
    """Decisions of Hypothesis."""

    def __init__(self, draw: DrawFn) -> None:
        self._draw = draw

    def integer(self, low: int, high: int) -> int:
        return self._draw(strategies.integers(low, high))
