# SPDX-License-Identifier: Apache-2.0
"""The search with few preemptions finds what a list of all executions shows, and without a bound what the oracle finds.

The list is made by plain recursion: executions are kept whole, and nothing is recognised as seen before.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import pytest
from bounded import TooManyStatesError, explore_bounded, fewest_preemptions
from granularity import compile_text, final_values
from oracle import NO_PC, Exploration, explore
from programs import program_text

from pancam.settings import Settings
from pancam.vm.checker import Checker, Outcome
from pancam.vm.machine import Status

SEEDS = range(40)
MOST_STATES = 400  # of a random program; larger ones are left out

HEADERS = "".join(f"#include <{name}.h>\n" for name in ("assert", "pancam", "pthread", "semaphore", "stdlib", "time"))
SHARED = """
static volatile int x, y;
static sem_t s;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
"""


def two_threads(first: str, second: str, check: str = "") -> str:
    """A program of main, which only waits, and two threads that end at once when they are done."""
    return f"""{HEADERS}{SHARED}
        static void *one(void *unused) {{ {first} pancam_atomic_begin(); return NULL; }}
        static void *two(void *unused) {{ {second} pancam_atomic_begin(); return NULL; }}
        int main(void) {{
            pthread_t a, b;
            pancam_atomic_begin();
            sem_init(&s, 0, 0);
            pthread_create(&a, NULL, one, NULL);
            pthread_create(&b, NULL, two, NULL);
            pthread_join(a, NULL);
            pthread_join(b, NULL);
            {check}
            return 0;
        }}"""


LOCK_BOTH = (
    "pthread_mutex_lock(&{0}); pthread_mutex_lock(&{1}); pthread_mutex_unlock(&{1}); pthread_mutex_unlock(&{0});"
)
# A program, and how many preemptions its nearest violation takes
PROGRAMS = {
    "writes": (two_threads("x = 1; y = 1;", "x = 2; y = 2;"), None),
    "lost update": (two_threads("x++;", "x++;", "assert(x == 2);"), 1),
    "order": (two_threads("x = 1;", "assert(x == 1);"), 0),
    "in between twice": (
        two_threads("x = 1; x = 2;", "int a = x; int b = x; assert(a != 1 || b != 2);"),
        2,
    ),
    "deadlock": (two_threads(LOCK_BOTH.format("m", "n"), LOCK_BOTH.format("n", "m")), 1),
    "waiting": (two_threads("x = 1; sem_wait(&s); assert(x == 1);", "sem_post(&s); x = 2;"), 0),
    "choices": (two_threads("x = pancam_nondet_bool();", "int a = x; assert(x == a);"), 1),
    "time-out": (
        two_threads(
            "struct timespec soon = {0}; if (sem_timedwait(&s, &soon)) assert(x == 0);", "x = 1; sem_post(&s);"
        ),
        1,  # who could time out could move
    ),
    "assumption": (two_threads("x = 1; pancam_assume(y == 0); assert(y == 0);", "y = 1;"), 1),
    "process ends": (two_threads("x = 1; exit(0);", "assert(x == 0); y = 1;"), 1),
}


@dataclass(frozen=True)
class Execution:
    """An execution from its first state to its end."""

    states: tuple[bytes, ...]
    movers: tuple[int, ...]
    able: tuple[frozenset[int], ...]  # who could move in each state

    @property
    def preemptions(self) -> int:
        return preemptions(self.movers, self.able)


def preemptions(movers: tuple[int, ...], able: tuple[frozenset[int], ...]) -> int:
    """How many times another one moved than before, although that one could have gone on."""
    switches = zip(pairwise(movers), able[1:], strict=False)
    return sum(before != now and before in then for (before, now), then in switches)


def executions(
    checker: Checker,
    states: tuple[bytes, ...] = (),
    movers: tuple[int, ...] = (),
    able: tuple[frozenset[int], ...] = (),
) -> Iterator[Execution]:
    """All executions that begin like this, with the checker at the state after the last move."""
    here = checker.pack()
    states, able = (*states, here), (*able, frozenset(t for t in checker.machine.threads if checker.moves(t)))
    if not able[-1]:
        yield Execution(states, movers, able)
    for thread in sorted(able[-1]):
        checker.unpack(here)
        for choice in range(checker.moves(thread)):
            checker.unpack(here)
            checker.step(thread, choice)
            yield from executions(checker, states, (*movers, thread), able)


@cache
def checker_of(text: str) -> Checker:
    return Checker(compile_text(text).image, Settings(step="global"))


@cache
def all_executions(name: str) -> list[Execution]:
    checker = checker_of(PROGRAMS[name][0])
    checker.reset()
    return list(executions(checker))


def nodes_of(runs: list[Execution], bound: int) -> set[tuple[bytes, int, int]]:
    """Each state on the way of an execution, with who moved last and the preemptions up to there."""
    nodes: set[tuple[bytes, int, int]] = set()
    for run in runs:
        for length, state in enumerate(run.states):
            used = preemptions(run.movers[:length], run.able)
            last = run.movers[length - 1] if length else -1
            nodes |= {(state, last, used)} if used <= bound else set()
    return nodes


def violation_at(checker: Checker, state: bytes) -> tuple[str, int] | None:
    checker.unpack(state)
    fault = checker.machine.fault
    if checker.outcome is not Outcome.VIOLATION or fault is None:
        return None
    return fault.kind, NO_PC if fault.kind == "DEADLOCK" else fault.pc


def is_final(checker: Checker, state: bytes) -> bool:
    checker.unpack(state)
    return checker.machine.status in (Status.EXITED, Status.ABORTED)


@pytest.mark.parametrize("bound", range(5))
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_bounded_search_finds_what_all_executions_show(name: str, bound: int) -> None:
    runs = all_executions(name)
    checker = checker_of(PROGRAMS[name][0])
    checker.reset()
    found = explore_bounded(checker, bound)
    ends = {run.states[-1] for run in runs if run.preemptions <= bound}
    violations = {end: violation_at(checker, end) for end in ends}
    final_states = {end for end in ends if is_final(checker, end)}
    assert found.complete
    assert not found.limit_met
    assert found.refused == any(run.preemptions > bound for run in runs)
    assert found.violations == set(violations.values()) - {None}
    assert found.deadlocks == {end for end, violation in violations.items() if violation == ("DEADLOCK", NO_PC)}
    assert found.final_states == final_states
    assert found.final_values == final_values(checker, Exploration(final_states=final_states))
    assert found.nodes == len(nodes_of(runs, bound))


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_fewest_preemptions_are_those_of_the_best_execution(name: str) -> None:
    runs = all_executions(name)
    text, expected = PROGRAMS[name]
    checker = checker_of(text)
    bad = [run.preemptions for run in runs if violation_at(checker, run.states[-1]) is not None]
    checker.reset()
    assert fewest_preemptions(checker) == min(bad, default=None) == expected


def test_searches_say_when_there_are_too_many_states() -> None:
    checker = checker_of(PROGRAMS["writes"][0])
    checker.reset()
    nodes = explore_bounded(checker, 2).nodes
    for most, complete in ((nodes, True), (nodes - 1, False)):
        checker.reset()
        found = explore_bounded(checker, 2, most)
        assert (found.nodes, found.complete) == (most, complete)
    checker.reset()
    with pytest.raises(TooManyStatesError):
        fewest_preemptions(checker, 5)


@pytest.mark.parametrize("seed", SEEDS)
def test_bounds_of_random_programs_lead_to_what_the_oracle_finds(seed: int) -> None:
    checker = checker_of(program_text(seed))
    checker.reset()
    all_there_is = explore(checker, MOST_STATES)
    if not all_there_is.complete:
        pytest.skip("too many states")
    everything = final_values(checker, all_there_is), all_there_is.violations
    checker.reset()
    nearest = fewest_preemptions(checker)
    values, violations = frozenset[tuple[object, ...]](), set[tuple[str, int]]()
    enough = len(all_there_is.within)  # no state is so many moves away
    for bound in (0, 1, 2, enough):
        checker.reset()
        found = explore_bounded(checker, bound)
        assert found.complete
        assert values <= found.final_values
        assert violations <= found.violations
        assert bool(found.violations) == (nearest is not None and nearest <= bound)
        values, violations = found.final_values, found.violations
        if bound == enough or not found.refused:
            assert (values, violations) == everything
