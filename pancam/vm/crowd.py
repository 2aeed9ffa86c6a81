# SPDX-License-Identifier: Apache-2.0
"""A search with any number of threads: threads in the same local state are one crowd, whatever their number (ADR 21).

A state is what threads share (main included), the local states of a few threads that are counted, and the set of local
states in which there are crowds: any number of threads, perhaps none. More threads only add behaviour, so what is not
found here no number of threads can do; what is found may be the work of threads that are never there together.
"""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from pancam.vm.crowd_steps import MAIN, NOBODY, SLOTS, CrowdLimits, CrowdSteps, EndOfSearch

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pancam.vm.crowd_steps import Step

__all__ = ["SLOTS", "CrowdLimits", "CrowdResult", "CrowdSearch", "CrowdSteps", "search_crowds"]
ROUNDS = (0, 1, 2)  # so many threads in the same local state are counted, one more makes them a crowd


class Key(NamedTuple):
    """A state but for its crowds. A thread that all others have to wait for is not among the counted ones."""

    shared: int
    counted: tuple[int, ...]  # sorted
    main_holds: bool = False
    holder: int = NOBODY

    @property
    def is_held(self) -> bool:
        return self.main_holds or self.holder != NOBODY


@dataclass(slots=True)
class Node:
    """What is known of the states with the same key."""

    crowds: set[int] = field(default_factory=set)  # of all of them together
    moved: set[int] = field(default_factory=set)  # crowds whose steps have been made
    followers: set[Key] = field(default_factory=set)  # states that steps lead to: they have all the crowds, too
    is_new: bool = True
    is_waiting: bool = False  # to be looked at


@dataclass(frozen=True)
class CrowdResult:
    """`reason` is empty if nothing was found, by any number of threads."""

    reason: str
    states: int = 0
    steps: int = 0
    seconds: float = 0.0


class CrowdSearch:
    """One search. `counted` threads in the same local state are counted before they become a crowd."""

    def __init__(self, steps: CrowdSteps, counted: int, *, finds_deadlocks: bool) -> None:
        self._steps = steps
        self._counted = counted
        self._finds_deadlocks = finds_deadlocks
        self._common: set[int] = set()  # local states in which there was a crowd somewhere
        self._waiting: deque[Key] = deque()
        self.nodes: dict[Key, Node] = {}

    def run(self) -> None:
        """Raises EndOfSearch unless everything was looked at and nothing found."""
        self._reach(Key(self._steps.start, ()), ())
        while self._waiting:
            key = self._waiting.popleft()
            self._steps.look_at_limits()
            self.nodes[key].is_waiting = False
            self._look_at(key, self.nodes[key])
        self._steps.look_at_limits()

    def _reach(self, key: Key, crowds: Iterable[int]) -> Key:
        """A state that is there now. What belongs to a crowd is not counted; crowds do what changes nothing shared."""
        all_crowds = {*crowds, *self._common.intersection(key.counted)}
        if not key.is_held:
            all_crowds = self._with_silent_steps(key.shared, all_crowds)
        self._common |= all_crowds
        if not all_crowds.isdisjoint(key.counted):
            key = key._replace(counted=tuple(local for local in key.counted if local not in all_crowds))
        node = self.nodes.setdefault(key, Node())
        if not node.is_new and all_crowds <= node.crowds:
            return key
        node.crowds |= all_crowds
        if not node.is_waiting:
            node.is_waiting = True
            self._waiting.append(key)
        return key

    def _with_silent_steps(self, shared: int, crowds: Iterable[int]) -> set[int]:
        """A step after which all that is shared is as before can be made by as many threads as one likes."""
        found: set[int] = set()
        todo = list(crowds)
        while todo:
            local = todo.pop()
            if local in found or local == NOBODY:
                continue
            found.add(local)
            for step in self._steps.of(shared, local) or ():
                if step.shared == shared and not step.holds:
                    todo += (step.mover, step.child)
        return found

    def _look_at(self, key: Key, node: Node) -> None:
        fresh = node.crowds - node.moved
        node.moved |= fresh
        if not node.crowds.isdisjoint(key.counted):  # a state in which fewer threads are counted covers this one
            node.is_new = False
            node.followers = {self._reach(key, node.crowds)}
            return
        for follower in tuple(node.followers):
            self._reach(follower, fresh)
        if node.is_new:
            node.is_new = False
            self._move_single_threads(key, node)
        if key.is_held:
            return
        for local in fresh:
            for step in self._steps.of(key.shared, local) or ():
                if step.shared != key.shared or step.holds:
                    self._follow(key, node, step, key.counted)

    def _move_single_threads(self, key: Key, node: Node) -> None:
        """Main and the threads that are counted; each of them is there for certain."""
        movers = [MAIN, *dict.fromkeys(key.counted)]
        if key.is_held:
            movers = [key.holder or MAIN]
        can_move = False
        for mover in movers:
            steps = self._steps.of(key.shared, mover)
            can_move |= steps is not None
            others = list(key.counted)
            if mover != MAIN and not key.is_held:
                others.remove(mover)
            for step in steps or ():
                self._follow(key, node, step, tuple(others), is_main=mover == MAIN)
        if self._finds_deadlocks and not can_move:
            raise EndOfSearch("whether some thread can always move is not known", spurious=True)

    def _follow(self, key: Key, node: Node, step: Step, others: tuple[int, ...], *, is_main: bool = False) -> None:
        """The state after a step, in which the other counted threads are where they were."""
        counted, crowds = list(others), set(node.crowds)
        holder = step.mover if step.holds else NOBODY
        for local in (step.child, NOBODY if step.holds else step.mover):
            if local == NOBODY or local in crowds:
                continue
            counted.append(local)
            if counted.count(local) > self._counted:
                counted = [other for other in counted if other != local]
                crowds.add(local)
        after = Key(step.shared, tuple(sorted(counted)), is_main and step.holds, holder)
        follower = self._reach(after, crowds)
        if follower != key:
            node.followers.add(follower)


def search_crowds(steps: CrowdSteps, limits: CrowdLimits, *, finds_deadlocks: bool) -> CrowdResult:
    """Searches that count more and more threads, until one finds nothing; the last one's reason otherwise."""
    start = time.monotonic()
    states, reason = 0, ""
    for number, counted in enumerate(ROUNDS):
        now = time.monotonic()
        left = None if limits.deadline is None else now + (limits.deadline - now) / (len(ROUNDS) - number)
        steps.limits = replace(limits, deadline=left)
        search = CrowdSearch(steps, counted, finds_deadlocks=finds_deadlocks)
        try:
            search.run()
            reason = ""
        except EndOfSearch as end:
            reason, spurious = end.reason, end.spurious
        states += len(search.nodes)
        if not reason or not spurious:
            break
    return CrowdResult(reason, states, len(steps), time.monotonic() - start)
