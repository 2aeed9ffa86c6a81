# SPDX-License-Identifier: Apache-2.0
"""SPIN's searches with a context bound find exactly what all executions with so few preemptions lead to.

Judged by tests/search/bounded.py, which enumerates them in Python, on random programs that are small enough for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice

import pytest
from bounded import Bounded, explore_bounded, fewest_preemptions
from granularity import final_values
from oracle import explore
from programs import program_text
from reduction import Findings, compile_program, find

from pancam.bytecode.image import OBJECT, read_sections
from pancam.bytecode.program import Program
from pancam.check import CheckResult, check_program, check_with_growing_bound
from pancam.isa import constants
from pancam.pipeline import Timings
from pancam.settings import Settings
from pancam.spin.options import SearchOptions
from pancam.spin.search import Watch
from pancam.verdict import Conclusion, Verdict
from pancam.vm.checker import Checker
from pancam.vm.machine import Status

SHARDS, PROGRAMS_PER_SHARD = 10, 20
BOUNDS = range(4)
MOST_NODES = 2000  # of a program with the largest bound; those with more are left out
MOST_SEEDS = 100  # of a shard; with so many, there must be enough small programs
GROWING_SHARDS, GROWING_PER_SHARD, FEW_NODES = range(0, SHARDS, 2), 3, 400  # programs for what takes many searches
ALL = SearchOptions(all_errors=0)
SEARCHES = (
    ALL,
    replace(ALL, store="raw"),
    replace(ALL, breadth_first=True),
    replace(ALL, breadth_first=True, store="raw"),
)
HEAD_WORDS = 4  # of a record of vm_c/search/finals.c


@dataclass(frozen=True)
class Subject:
    """A program that is small enough, and what there is to find with each bound."""

    seed: int
    program: Program
    settings: Settings
    bounded: tuple[Bounded, ...]

    def checker(self) -> Checker:
        return Checker(self.program.image, self.settings)


def subjects(shard: int, most_nodes: int = MOST_NODES) -> Iterator[Subject]:
    """The small programs among those of a shard."""
    for seed in range(shard, shard + MOST_SEEDS * SHARDS, SHARDS):
        subject = subject_of(seed)
        if subject is not None and subject.bounded[-1].nodes <= most_nodes:
            yield subject


@cache
def subject_of(seed: int) -> Subject | None:
    program, settings = compile_program(program_text(seed))
    settings = replace(settings, step="global")
    found = []
    for bound in BOUNDS:
        found.append(explore_bounded(Checker(program.image, settings), bound, MOST_NODES))
        if not found[-1].complete:
            return None
    return Subject(seed, program, settings, tuple(found))


@dataclass(frozen=True)
class Ends:
    """The records of final states, in the form that the enumeration has them."""

    values: frozenset[tuple[object, ...]]
    deadlocks: frozenset[bytes]


def ends_of(program: Program, records: frozenset[bytes]) -> Ends:
    rows = read_sections(program.image)[0]["OBJECTS"]
    objects = [OBJECT.unpack_from(rows, at) for at in range(0, len(rows), OBJECT.size)]
    variables = [(start, size) for start, size, flags, _ in objects if not flags & constants()["OBJECT_CONSTANT"]]
    values, deadlocks = set[tuple[object, ...]](), set[bytes]()
    for record in records:
        _, status, exit_status, fault = (int.from_bytes(record[4 * i : 4 * i + 4], "little") for i in range(HEAD_WORDS))
        data = record[4 * HEAD_WORDS :]
        if fault:
            deadlocks.add(data)
        else:
            memory = tuple(data[start : start + size] or None for start, size in variables)
            values.add((Status(status), exit_status, *memory))
    return Ends(frozenset(values), frozenset(deadlocks))


def expected_verdict(found: Bounded) -> str:
    if found.violations:
        return "violated"
    if found.limit_met:
        return "unknown"
    return "holds" if found.exhaustive else "bounded"


def search(subject: Subject, options: SearchOptions, step: str = "global") -> Findings:
    found = find(subject.program, replace(subject.settings, step=step), options)
    assert found is not None
    return found


@pytest.mark.parametrize("shard", range(SHARDS))
def test_a_bound_reaches_exactly_what_so_few_preemptions_lead_to(shard: int) -> None:
    compared = 0
    for number, subject in enumerate(islice(subjects(shard), PROGRAMS_PER_SHARD)):
        before = Findings("", frozenset(), frozenset())
        for bound in BOUNDS:
            options = replace(SEARCHES[(number + bound) % len(SEARCHES)], bound=bound)
            found, expected = search(subject, options), subject.bounded[bound]
            ends = ends_of(subject.program, found.finals)
            about = f"seed {subject.seed}, {options}"
            assert found.kinds == {kind for kind, _ in expected.violations}, about
            assert ends.values == expected.final_values, about
            assert ends.deadlocks == expected.deadlocks, about
            assert found.verdict == expected_verdict(expected), about
            assert before.kinds <= found.kinds, about
            assert before.finals <= found.finals, about
            before = found
        compared += 1
    assert compared == PROGRAMS_PER_SHARD


def grow(subject: Subject, step: str, options: SearchOptions = ALL) -> tuple[CheckResult, int]:
    """The result of --cb-iterate, and the bound that it ended with."""
    settings = replace(subject.settings, step=step)
    outcome, used = check_with_growing_bound(subject.program, settings, replace(options, bound=0), Watch(), Timings())
    assert used.bound is not None
    return outcome, used.bound


@pytest.mark.parametrize("shard", GROWING_SHARDS)
def test_growing_bounds_find_the_fewest_preemptions_or_leave_nothing_out(shard: int) -> None:
    for subject in islice(subjects(shard, FEW_NODES), GROWING_PER_SHARD):
        everything = explore(subject.checker(), MOST_NODES)
        assert everything.complete
        outcome, bound = grow(subject, "global")
        assert outcome.conclusion.verdict.value == everything.verdict, subject.seed
        if everything.violations:
            assert bound == fewest_preemptions(subject.checker()), subject.seed
            assert {len(trace.preempted) for trace in outcome.traces} == {bound}, subject.seed
        elif everything.verdict == "holds":
            found = search(subject, replace(ALL, bound=bound))
            values = final_values(subject.checker(), everything)
            assert ends_of(subject.program, found.finals).values == values, subject.seed


@pytest.mark.parametrize("shard", GROWING_SHARDS)
def test_bounds_between_supersteps_show_only_what_is_there_and_grow_to_all_of_it(shard: int) -> None:
    for subject in islice(subjects(shard, FEW_NODES), GROWING_PER_SHARD):
        everything = explore(subject.checker(), MOST_NODES)
        values = final_values(subject.checker(), everything)
        for bound in BOUNDS:
            found = search(subject, replace(ALL, bound=bound), "superstep")
            assert found.kinds <= everything.kinds, subject.seed
            assert ends_of(subject.program, found.finals).values <= values, subject.seed
            assert found.verdict in ("bounded", everything.verdict), subject.seed
        assert grow(subject, "superstep")[0].conclusion.verdict.value == everything.verdict, subject.seed


def test_two_cores_keep_the_bound() -> None:
    for subject in islice((subject for subject in subjects(0) if not subject.bounded[2].violations), 2):
        found, expected = search(subject, SearchOptions(cores=2, bound=2)), subject.bounded[2]
        ends = ends_of(subject.program, found.finals)
        assert (found.verdict, found.kinds) == (expected_verdict(expected), frozenset()), subject.seed
        assert (ends.values, ends.deadlocks) == (expected.final_values, expected.deadlocks), subject.seed


# --- one program at a time ---

HEADERS = "#include <assert.h>\n#include <pthread.h>\n#include <stddef.h>\n"
# Two threads that never end; after three preemptions, all there is has been seen.
CIRCLES = f"""{HEADERS}
static volatile int x, y;
static void *blink(void *unused) {{
    for (;;) x = 1 - x;
    return unused;
}}
int main(void) {{
    pthread_t other;
    pthread_create(&other, NULL, blink, NULL);
    for (;;) y = x;
}}
"""


def subject_with(text: str) -> Subject:
    program, settings = compile_program(text)
    return Subject(-1, program, replace(settings, step="global"), ())


def test_a_counter_that_is_not_matched_loses_a_bug_and_the_verdict_says_so() -> None:
    """That x is 1 takes one preemption; but states on the way are met first with none left."""
    text = f"""{HEADERS}
static volatile int x;
static void *set(void *unused) {{
    x = 2;
    return unused;
}}
static void *count(void *unused) {{
    x++;
    return unused;
}}
int main(void) {{
    pthread_t one, two;
    pthread_create(&one, NULL, set, NULL);
    pthread_create(&two, NULL, count, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(x != 1);
    return 0;
}}
"""
    subject = subject_with(text)
    matched, unmatched = (
        check_program(
            subject.program, subject.settings, SearchOptions(bound=1, bound_matched=is_matched), Watch(), Timings()
        ).conclusion
        for is_matched in (True, False)
    )
    assert matched.verdict is Verdict.VIOLATED
    assert unmatched == Conclusion(
        Verdict.BOUNDED, ("within 1 preemption, but not all executions with so few (--cb-unmatched)",)
    )


def test_a_counter_that_is_not_matched_loses_final_states_but_invents_none() -> None:
    lost = 0
    for subject in islice(subjects(0), 10):
        found = search(subject, replace(ALL, bound=1, bound_matched=False))
        values = ends_of(subject.program, found.finals).values
        assert values <= subject.bounded[1].final_values
        assert found.kinds <= {kind for kind, _ in subject.bounded[1].violations}
        lost += values != subject.bounded[1].final_values
    assert lost > 0


@pytest.mark.parametrize(
    "options", [ALL, replace(ALL, store="raw"), replace(ALL, bitstate=True)], ids=["tree", "raw", "bitstate"]
)
@pytest.mark.parametrize("step", ["global", "superstep"])
def test_growing_bounds_come_to_an_end_where_threads_go_round_in_circles(step: str, options: SearchOptions) -> None:
    outcome, bound = grow(subject_with(CIRCLES), step, options)
    assert outcome.conclusion.verdict is (Verdict.BOUNDED if options.bitstate else Verdict.HOLDS)
    assert not any("preemption" in reason for reason in outcome.conclusion.reasons)
    assert 0 < bound < 20


def test_a_limit_that_few_executions_reach_does_not_end_the_growth() -> None:
    """Without a preemption the thread that waits for x chooses among too many values; with one, the bug is found."""
    text = f"""{HEADERS}#include <pancam.h>
static volatile int x;
static void *count(void *unused) {{
    x++;
    return unused;
}}
int main(void) {{
    pthread_t one, two;
    pthread_create(&one, NULL, count, NULL);
    pthread_create(&two, NULL, count, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    if (x == 2) return (int)pancam_nondet_range(0, 1 << 20);
    assert(x == 2);
    return 0;
}}
"""
    outcome, bound = grow(subject_with(text), "global")
    assert (outcome.conclusion.verdict, bound) == (Verdict.VIOLATED, 1)
