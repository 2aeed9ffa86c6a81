# SPDX-License-Identifier: Apache-2.0
"""The oracle finds what can be counted by hand, and the random programs are what they are meant to be."""

from collections import Counter
from types import SimpleNamespace

import pytest
from choices import SeededChoices
from granularity import compare_steps, compile_text, final_values
from hypothesis import given, settings
from oracle import NO_PC, Exploration, explore, replay
from programs import program_text, programs

from pancam.vm.checker import Checker, Outcome, Settings
from pancam.vm.machine import Enabled, Status

STEPS = ("global", "instruction")
START = """
#include <assert.h>
#include <pancam.h>
#include <pthread.h>
#include <stdlib.h>
static int x, y;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
"""


class Grid:
    """A Checker without a program: threads count to `length`, and pairs of counts may be bad."""

    def __init__(self, length: int, bad: tuple[int, int] | None = None) -> None:
        self.length, self.bad = length, bad
        self.place = [0, 0]
        self.machine = SimpleNamespace(
            threads=[0, 1],
            enabled=lambda thread: Enabled.DISABLED,
            status=Status.EXITED,
            fault=SimpleNamespace(kind="ASSERT", pc=7),
        )

    def moves(self, thread: int) -> int:
        return int(self.outcome is Outcome.RUNNING and self.place[thread] < self.length)

    def step(self, thread: int, choice: int) -> None:
        assert choice == 0
        self.place[thread] += 1

    def pack(self) -> bytes:
        return bytes(self.place)

    def unpack(self, packed: bytes) -> None:
        self.place = list(packed)

    @property
    def outcome(self) -> Outcome:
        if tuple(self.place) == self.bad:
            return Outcome.VIOLATION
        return Outcome.DONE if self.place == [self.length] * 2 else Outcome.RUNNING


def two_threads(first: str, second: str, check: str = "") -> str:
    """A program with two threads; main waits for them."""
    return f"""{START}
        static void *one(void *unused) {{ {first} return NULL; }}
        static void *two(void *unused) {{ {second} return NULL; }}
        int main(void) {{
            pthread_t a, b;
            pancam_atomic_begin();
            pthread_create(&a, NULL, one, NULL);
            pthread_create(&b, NULL, two, NULL);
            pthread_join(a, NULL);
            pthread_join(b, NULL);
            {check}
            return 0;
        }}"""


def one_thread(body: str) -> str:
    """A program with nothing but main."""
    return f"{START} int main(void) {{ {body} return 0; }}"


def checker_of(text: str, step: str = "global") -> Checker:
    """A checker with this text in it."""
    return Checker(compile_text(text).image, Settings(step=step))


def explored(text: str, step: str = "global") -> Exploration:
    """All that can happen in the program with this text."""
    return explore(checker_of(text, step))


def test_all_states_and_transitions_of_a_grid_are_counted() -> None:
    found = explore(Grid(3))
    assert (found.states, found.transitions) == (16, 24)
    assert found.final_states == {bytes([3, 3])}
    assert found.verdict == "holds"


def test_a_violation_counts_as_a_state_and_ends_its_path() -> None:
    found = explore(Grid(2, bad=(1, 1)))
    assert (found.states, found.transitions) == (9, 10)
    assert found.violations == {("ASSERT", 7)}
    assert sorted(found.traces["ASSERT"]) == [(0, 0), (1, 0)]
    assert found.verdict == "violated"


def test_everything_behind_a_violation_at_the_start_is_left_out() -> None:
    found = explore(Grid(2, bad=(0, 0)))
    assert (found.states, found.transitions, found.traces) == (1, 0, {"ASSERT": []})


@pytest.mark.parametrize(("max_states", "complete", "verdict"), [(16, True, "holds"), (15, False, "unknown")])
def test_an_exploration_knows_whether_it_saw_all(max_states: int, complete: bool, verdict: str) -> None:
    found = explore(Grid(3), max_states)
    assert (found.states, found.complete, found.verdict) == (max_states, complete, verdict)


@pytest.mark.parametrize("step", STEPS)
def test_threads_that_do_the_same_have_one_final_state(step: str) -> None:
    found = explored(two_threads("x = 1; y = 1;", "x = 1; y = 1;"), step)
    assert len(found.final_states) == 1


@pytest.mark.parametrize("step", STEPS)
def test_threads_that_write_two_variables_have_four_final_states(step: str) -> None:
    found = explored(two_threads("x = 1; y = 1;", "x = 2; y = 2;"), step)
    assert len(found.final_states) == 4


@pytest.mark.parametrize("step", STEPS)
def test_a_lost_update_is_found_and_its_trace_leads_there(step: str) -> None:
    checker = checker_of(two_threads("x++;", "x++;", "assert(x == 2);"), step)
    found = explore(checker)
    assert (found.kinds, len(found.final_states)) == ({"ASSERT"}, 1)
    assert replay(checker, found.traces["ASSERT"]) is Outcome.VIOLATION
    assert replay(checker, found.traces["ASSERT"][:-1]) is Outcome.RUNNING


def test_locked_updates_are_not_lost() -> None:
    body = "pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m);"
    assert explored(two_threads(body, body, "assert(x == 2);")).verdict == "holds"


@pytest.mark.parametrize("step", STEPS)
def test_a_deadlock_is_found_beside_the_runs_that_end(step: str) -> None:
    first = "pthread_mutex_lock(&m); pthread_mutex_lock(&n); pthread_mutex_unlock(&n); pthread_mutex_unlock(&m);"
    second = "pthread_mutex_lock(&n); pthread_mutex_lock(&m); pthread_mutex_unlock(&m); pthread_mutex_unlock(&n);"
    found = explored(two_threads(first, second), step)
    assert found.violations == {("DEADLOCK", NO_PC)}
    assert len(found.final_states) == 1


@pytest.mark.parametrize("step", STEPS)
def test_each_choice_is_a_path_of_its_own(step: str) -> None:
    found = explored(one_thread("x = (int)pancam_nondet_range(0, 2); y = (int)pancam_nondet_range(0, 1);"), step)
    assert len(found.final_states) == 6
    assert found.transitions == found.states - 1  # a tree


def test_a_failing_assumption_prunes() -> None:
    found = explored(one_thread("x = (int)pancam_nondet_range(0, 2); pancam_assume(x != 1); assert(x != 1);"))
    assert (len(found.final_states), found.pruned, found.verdict) == (2, 1, "holds")


def test_a_choice_inside_an_atomic_section_is_a_choice() -> None:
    found = explored(one_thread("pancam_atomic_begin(); x = (int)pancam_nondet_range(0, 1); pancam_atomic_end();"))
    assert len(found.final_states) == 2


def test_a_limit_of_the_machine_leaves_the_verdict_open() -> None:
    text = f"{START} static int deep(int k) {{ return deep(k + 1) + x; }} int main(void) {{ return deep(0); }}"
    found = explored(text)
    assert (found.limit_met, found.verdict) == (True, "unknown")


def test_a_choice_among_all_numbers_leaves_the_verdict_open() -> None:
    found = explored(one_thread("x = pancam_nondet_range(-5, 1 << 20) == 5;"))
    assert (found.limit_met, found.verdict) == (True, "unknown")


@pytest.mark.parametrize("step", STEPS)
def test_the_order_of_allocations_in_different_threads_does_not_show(step: str) -> None:
    body = "void *p = malloc(8), *q = malloc(24), *r = malloc(8); free(q); {} = p != NULL; free(p); (void)r;"
    found = explored(two_threads(body.format("x"), body.format("y")), step)
    assert len(found.final_states) == 1


def test_packing_an_unpacked_state_gives_the_same_bytes() -> None:
    text = two_threads("int *p = malloc(4); *p = 1; x = *p; pthread_mutex_lock(&m);", "free(malloc(9)); y = 1;")
    checker = checker_of(text, "instruction")
    chance = SeededChoices(1)
    seen: list[bytes] = []
    while checker.outcome is Outcome.RUNNING:
        seen.append(checker.pack())
        checker.step(chance.pick([thread for thread in checker.machine.threads if checker.moves(thread)]))
    for state in sorted(seen):
        checker.unpack(state)
        assert checker.pack() == state


def test_final_values_tell_final_states_apart() -> None:
    checker = checker_of(two_threads("x = 1; y = 1;", "x = 2; y = 2;"))
    assert len(final_values(checker, explore(checker))) == 4


def test_a_seed_always_gives_the_same_program() -> None:
    assert [program_text(seed) for seed in range(20)] == [program_text(seed) for seed in range(20)]
    assert len({program_text(seed) for seed in range(20)}) == 20


@settings(max_examples=10, deadline=None, database=None, derandomize=True)
@given(programs())
def test_drawn_programs_can_be_explored(text: str) -> None:
    assert explored(text).complete


@pytest.mark.slow
def test_the_mix_of_random_programs_is_as_promised() -> None:
    results = [explored(program_text(seed)) for seed in range(200)]
    verdicts = Counter(found.verdict for found in results)
    kinds = Counter(kind for found in results for kind in found.kinds)
    sizes = sorted(found.states for found in results)
    assert set(verdicts) == {"holds", "violated"}
    assert 80 <= verdicts["holds"] <= 130
    assert kinds["ASSERT"] >= 20
    assert kinds["DEADLOCK"] >= 15
    assert sum(kinds.values()) - kinds["ASSERT"] - kinds["DEADLOCK"] >= 3
    assert 80 <= sizes[100] <= 500
    assert sizes[-1] <= 50_000


@pytest.mark.slow
def test_steps_of_both_sizes_find_the_same_in_random_programs() -> None:
    differences = [compare_steps(compile_text(program_text(seed)), 5_000) for seed in range(40)]
    assert differences.count(None) <= 20
    assert [difference for difference in differences if difference] == []
