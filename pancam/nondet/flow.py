# SPDX-License-Identifier: Apache-2.0
"""Where the value of one nondeterministic call goes, and what it meets there.

The value is followed through copies, casts, additions of constants, cells, arguments and results. While it is followed
exactly, each copy has a View of it. What is computed from it otherwise is `derived`: it differs in ways nobody follows,
which does not matter unless it reaches something that decides what the program does. Everything that is not known to
be harmless counts as such. Where what is used takes few values, or depends only on the low bits, the value is split
so that each of these cases is tried: then it does not matter who uses it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from pancam.ir.values import Local
from pancam.nondet.cells import Cell
from pancam.nondet.uses import FollowThrough, Meeting, Nothing, Sink, effects_of
from pancam.nondet.views import Test, View, identity

if TYPE_CHECKING:
    from pancam.nondet.cells import Cells
    from pancam.nondet.program_view import ProgramView, Use
    from pancam.nondet.uses import Effect

MOST_VIEWS = 4  # of one copy; a value that is counted up in a loop has more, and is derived
MOST_CASES = 64  # of a view that are all tried where it is used

Node: TypeAlias = tuple[str, str] | Cell  # function and local, or a cell


class Spot(NamedTuple):
    """A use at which the exact value stops being followed, and what is used there."""

    use: Use
    node: Node


class Split(NamedTuple):
    """At this use, all that matters about the views of the used value is what they are modulo `period`."""

    spot: Spot
    period: int


@dataclass
class Flow:
    """All that was found out about one call."""

    width: int
    views: dict[Node, set[View]] = field(default_factory=dict)
    derived: set[Node] = field(default_factory=set)
    tests: set[Test] = field(default_factory=set)
    splits: list[Split] = field(default_factory=list)
    decisive: list[Spot] = field(default_factory=list)  # where more than the tests and splits tell matters
    hints: Counter[int] = field(default_factory=Counter)  # constants that the value, or one made from it, meets
    is_lost: bool = False  # it goes where it cannot be followed

    @property
    def is_idle(self) -> bool:
        """Whether nobody can tell the values apart."""
        return not (self.tests or self.splits or self.decisive)

    def split_views(self) -> list[tuple[View, int]]:
        """What matters modulo a period, with the period."""
        return [(view, split.period) for split in self.splits for view in self.views[split.spot.node]]

    def decide_splits(self) -> None:
        """Too many cases: where the value is split, the value itself matters."""
        self.decisive += [split.spot for split in self.splits]
        self.splits = []


def follow(program: ProgramView, cells: Cells, start: tuple[str, Local]) -> Flow:
    """Follow the result of a call."""
    return _Walk(program, cells).run(start)


class _Walk:
    def __init__(self, program: ProgramView, cells: Cells) -> None:
        self.program = program
        self.cells = cells
        self.flow = Flow(0)
        self._work: list[tuple[Node, View | None]] = []
        self._crossings: list[tuple[Split, Node]] = []  # from an exact value to a derived one; period 0: none
        self._before: dict[Node, set[Node]] = {}  # derived values, by what is made of them
        self._fatal: set[Node] = set()  # derived values that something decisive uses

    def run(self, start: tuple[str, Local]) -> Flow:
        function, local = start
        self.flow.width = self.program.layout.scalar_bits(local.type)
        self._reach((function, local.name), identity(self.flow.width))
        while self._work:
            node, view = self._work.pop()
            for use, effect in self._effects(node):
                self._apply(node, view, use, effect)
        relevant = self._relevant()
        crossings = [split for split, target in self._crossings if target in relevant]
        self.flow.splits = [split for split in crossings if split.period and not self._is_split(split.spot)]
        spots = [*self.flow.decisive, *(split.spot for split in crossings if not split.period)]
        self.flow.decisive = [spot for spot in spots if not self._is_split(spot)]
        return self.flow

    def _is_split(self, spot: Spot) -> bool:
        """Whether what is used takes few values. Then tests tell them apart."""
        views = self.flow.views.get(spot.node, set())
        images = [view.image for view in views]
        if not views or any(sum(high - low + 1 for low, high in image) > MOST_CASES for image in images):
            return False
        for view, image in zip(views, images, strict=True):
            values = (value for low, high in image for value in range(low, high + 1))
            self.flow.tests |= {Test(view, "uge", value) for value in values}
        return True

    def _effects(self, node: Node) -> list[tuple[Use, Effect]]:
        uses = self.cells.readers.get(node, []) if isinstance(node, Cell) else self.program.uses.get(node, [])
        return [(use, effect) for use in uses for effect in effects_of(self.program, self.cells, node, use)]

    def _reach(self, node: Node, view: View | None) -> None:
        """The value arrives here, as a view of it or as something derived."""
        if node in self.flow.derived:
            return
        known = self.flow.views.setdefault(node, set())
        if view is not None and (view in known or len(known) < MOST_VIEWS):
            if view not in known:
                known.add(view)
                self._work.append((node, view))
            return
        self.flow.derived.add(node)
        self._work.append((node, None))

    def _apply(self, node: Node, view: View | None, use: Use, effect: Effect) -> None:
        match effect:
            case Nothing():
                return
            case FollowThrough():
                self.flow.hints.update(effect.hints)
                result = effect.change(view) if view is not None and effect.change is not None else None
                self._step(Split(Spot(use, node), effect.period), view, effect.target, result)
            case Meeting():
                self.flow.hints.update(effect.constants)
                if view is not None and view.width == effect.width:
                    self.flow.tests |= {Test(view, effect.predicate, constant) for constant in effect.constants}
                else:
                    self._decide(Spot(use, node), view)
            case Sink():
                self.flow.is_lost |= effect.is_lost
                self._decide(Spot(use, node), view)

    def _step(self, step: Split, view: View | None, target: Node, result: View | None) -> None:
        self._reach(target, result)
        if target not in self.flow.derived:
            return
        if view is not None:
            self._crossings.append((step, target))
        else:
            self._before.setdefault(target, set()).add(step.spot.node)

    def _decide(self, spot: Spot, view: View | None) -> None:
        if view is not None:
            self.flow.decisive.append(spot)
        else:
            self._fatal.add(spot.node)

    def _relevant(self) -> set[Node]:
        """The derived values from which something decisive can be reached."""
        found, work = set(self._fatal), list(self._fatal)
        while work:
            for node in self._before.get(work.pop(), ()):
                if node not in found:
                    found.add(node)
                    work.append(node)
        return found
