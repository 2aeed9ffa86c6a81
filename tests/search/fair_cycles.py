# SPDX-License-Identifier: Apache-2.0
"""A checker for infinite executions that shares nothing with SPIN's.

All states of a Checker are a graph, and what violates a property is an automaton that somebody wrote by hand. Looked at
are the strongly connected components of the two together: one is an infinite execution, and it is fair if each thread
moves in it or is somewhere disabled in it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from pancam.vm.checker import Checker, Outcome

Label = frozenset[str]
Guard = Callable[[Label], bool]
STUTTER = -1  # who moves when the program has ended
ENDED = "ended"


@dataclass
class Node:
    """A state: what is true in it, who can move, who is blocked, and where the moves lead."""

    label: Label
    enabled: frozenset[int]
    blocked: frozenset[int]
    edges: list[tuple[int, int]] = field(default_factory=list)  # thread, successor


@dataclass(frozen=True)
class Automaton:
    """Accepts what violates a property: edges (from, guard, to), from state 0; infinitely often in an accepting one."""

    edges: tuple[tuple[int, Guard, int], ...]
    accepting: frozenset[int]


def _always(_: Label) -> bool:
    return True


def has(name: str) -> Guard:
    return lambda label: name in label


def lacks(*names: str) -> Guard:
    return lambda label: not label & set(names)


def _p_without_q(label: Label) -> bool:
    return "p" in label and "q" not in label


def _stays(start: Guard, then: Guard) -> Automaton:
    """At some time `start`, and from then on always `then`."""
    return Automaton(((0, _always, 0), (0, start, 1), (1, then, 1)), frozenset({1}))


# Formulas and automata for what violates them
NEGATIONS = {
    "[] <> p": _stays(lacks("p"), lacks("p")),
    "<> [] p": Automaton(
        ((0, _always, 0), (0, lacks("p"), 1), (1, _always, 0), (1, lacks("p"), 1)), frozenset({1})
    ),
    "[] (p -> <> q)": _stays(_p_without_q, lacks("q")),
    "<> r": Automaton(((0, lacks("r"), 0),), frozenset({0})),
    "[] ! q": Automaton(((0, _always, 0), (0, has("q"), 1), (1, _always, 1)), frozenset({1})),
    "(! p) U q": Automaton(
        ((0, lacks("p", "q"), 0), (0, _p_without_q, 1), (1, _always, 1)),
        frozenset({0, 1}),
    ),
    "([] <> p) -> ([] <> q)": Automaton(
        ((0, _always, 0), (0, lacks("q"), 1), (1, lacks("q"), 1), (1, _p_without_q, 2),
         (2, lacks("q"), 1), (2, _p_without_q, 2)), frozenset({2}),
    ),
}  # fmt: skip
TERMINATION = Automaton(((0, lacks(ENDED), 0),), frozenset({0}))


def graph(checker: Checker, names: tuple[str, ...], most: int) -> list[Node] | None:
    """All states, the initial one first; None: there are more than `most`. Cut ones have no way out."""
    checker.reset()
    first = checker.pack()
    numbers, queue = {first: 0}, deque([first])
    nodes: list[Node] = []
    while queue:
        state = queue.popleft()
        checker.unpack(state)
        nodes.append(_node(checker, names))
        if checker.is_cut:
            continue
        if checker.outcome is not Outcome.RUNNING:
            nodes[-1].edges.append((STUTTER, numbers[state]))
        for thread in nodes[-1].enabled:
            for choice in range(_choices(checker, state, thread)):
                checker.unpack(state)
                checker.step(thread, choice)
                successor = checker.pack()
                if successor not in numbers:
                    numbers[successor] = len(numbers)
                    queue.append(successor)
                nodes[-1].edges.append((thread, numbers[successor]))
        if len(numbers) > most:
            return None
    return nodes


def _choices(checker: Checker, state: bytes, thread: int) -> int:
    checker.unpack(state)
    return checker.moves(thread)


def _node(checker: Checker, names: tuple[str, ...]) -> Node:
    bits, threads = checker.propositions, checker.machine.threads
    label = {name for number, name in enumerate(names) if bits >> number & 1}
    if checker.outcome is not Outcome.RUNNING:
        label.add(ENDED)
    return Node(
        frozenset(label),
        frozenset(thread for thread in threads if checker.moves(thread)),
        frozenset(thread for thread in threads if checker.is_blocked(thread)),
    )


Product = dict[tuple[int, int], list[tuple[int, tuple[int, int]]]]  # (state, automaton's state) to (thread, successor)


def is_violated(nodes: list[Node], automaton: Automaton, *, fair: bool) -> bool:
    """Whether some (fair) infinite execution is accepted."""
    product = _product(nodes, automaton)
    for component in _components(product):
        inside = [(at, thread) for at in component for thread, to in product[at] if to in component]
        if not inside or not any(state in automaton.accepting for _, state in component):
            continue
        movers = {thread for _, thread in inside}
        idle = frozenset.intersection(*(nodes[number].enabled for number, _ in component)) - movers
        if not (fair and idle):
            return True
    return False


def has_livelock(nodes: list[Node], *, fair: bool) -> bool:
    """Whether a thread is blocked again and again in an infinite execution in which it does not move any more."""
    for thread in range(max((max(node.blocked, default=-1) for node in nodes), default=-1) + 1):
        for start in _reachable_blocked(nodes, thread):
            component_edges = _component_without(nodes, start, thread)
            movers = {mover for mover, _ in component_edges}
            inside = {number for _, number in component_edges} | {start}
            idle = frozenset.intersection(*(nodes[number].enabled for number in inside)) - movers
            if component_edges and (not fair or not idle - {thread}):
                return True
    return False


def _reachable_blocked(nodes: list[Node], thread: int) -> Iterable[int]:
    return (number for number, node in enumerate(nodes) if thread in node.blocked)


def _component_without(nodes: list[Node], start: int, thread: int) -> list[tuple[int, int]]:
    """Moves (who, from where) of the component of `start` when the thread does not move."""
    graph_ = {number: [(t, to) for t, to in node.edges if t != thread] for number, node in enumerate(nodes)}
    forward = _closure({at: [to for _, to in edges] for at, edges in graph_.items()}, start)
    backward_edges: dict[int, list[int]] = {}
    for at, edges in graph_.items():
        for _, to in edges:
            backward_edges.setdefault(to, []).append(at)
    component = forward & _closure(backward_edges, start)
    return [(t, at) for at in component for t, to in graph_[at] if to in component]


def _closure(edges: dict[int, list[int]], start: int) -> set[int]:
    found, stack = {start}, [start]
    while stack:
        for to in edges.get(stack.pop(), ()):
            if to not in found:
                found.add(to)
                stack.append(to)
    return found


def _product(nodes: list[Node], automaton: Automaton) -> Product:
    product: Product = {}
    stack = [(0, 0)]
    while stack:
        at = stack.pop()
        if at in product:
            continue
        number, state = at
        node = nodes[number]
        states = [to for start, guard, to in automaton.edges if start == state and guard(node.label)]
        product[at] = [(thread, (to, s)) for thread, to in node.edges for s in states]
        stack += [to for _, to in product[at]]
    return product


def _components(product: Product) -> Iterable[set[tuple[int, int]]]:
    """Strongly connected components, by Tarjan's algorithm with a stack of its own."""
    index: dict[tuple[int, int], int] = {}
    low: dict[tuple[int, int], int] = {}
    stack: list[tuple[int, int]] = []
    on_stack: set[tuple[int, int]] = set()
    for root in product:
        if root in index:
            continue
        work = [(root, iter(product[root]))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            at, edges = work[-1]
            for _, to in edges:
                if to not in index:
                    index[to] = low[to] = len(index)
                    stack.append(to)
                    on_stack.add(to)
                    work.append((to, iter(product[to])))
                    break
                if to in on_stack:
                    low[at] = min(low[at], index[to])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[at])
                if low[at] == index[at]:
                    component = set(stack[stack.index(at) :])
                    del stack[stack.index(at) :]
                    on_stack -= component
                    yield component
