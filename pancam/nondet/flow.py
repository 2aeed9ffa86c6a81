# SPDX-License-Identifier: Apache-2.0
"""Where the value of one nondeterministic call goes, and what it meets there.

The value is followed through copies, casts, additions of constants, cells, arguments and results. While it is followed
exactly, each copy has a View of it. What is computed from it otherwise is `derived`: it differs in ways nobody follows,
which does not matter unless it reaches something that decides what the program does. Everything that is not known to
be harmless counts as such.
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

Node: TypeAlias = tuple[str, str] | Cell  # function and local, or a cell


class Spot(NamedTuple):
    """A use at which the exact value stops being followed, and what is used there."""

    use: Use
    node: Node


@dataclass
class Flow:
    """All that was found out about one call."""

    width: int
    views: dict[Node, set[View]] = field(default_factory=dict)
    derived: set[Node] = field(default_factory=set)
    tests: set[Test] = field(default_factory=set)
    decisive: list[Spot] = field(default_factory=list)  # where more than the outcomes of the tests matters
    hints: Counter[int] = field(default_factory=Counter)  # constants that the value, or one made from it, meets
    is_lost: bool = False  # it goes where it cannot be followed


def follow(program: ProgramView, cells: Cells, start: tuple[str, Local]) -> Flow:
    """Follow the result of a call."""
    return _Walk(program, cells).run(start)


class _Walk:
    def __init__(self, program: ProgramView, cells: Cells) -> None:
        self.program = program
        self.cells = cells
        self.flow = Flow(0)
        self._work: list[tuple[Node, View | None]] = []
        self._crossings: list[tuple[Spot, Node]] = []  # from an exact value to a derived one
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
        self.flow.decisive += [spot for spot, target in self._crossings if target in relevant]
        return self.flow

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
                self._step(Spot(use, node), view, effect.target, result)
            case Meeting():
                self.flow.hints.update(effect.constants)
                if view is not None and view.width == effect.width:
                    self.flow.tests |= {Test(view, effect.predicate, constant) for constant in effect.constants}
                else:
                    self._decide(Spot(use, node), view)
            case Sink():
                self.flow.is_lost |= effect.is_lost
                self._decide(Spot(use, node), view)

    def _step(self, spot: Spot, view: View | None, target: Node, result: View | None) -> None:
        self._reach(target, result)
        if target not in self.flow.derived:
            return
        if view is not None:
            self._crossings.append((spot, target))
        else:
            self._before.setdefault(target, set()).add(spot.node)

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
