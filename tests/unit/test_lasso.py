# SPDX-License-Identifier: Apache-2.0
"""Infinite executions are judged anew in the machine: what is not one, not fair, or violates nothing is never shown."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from pancam.bytecode.program import Program
from pancam.errors import ReplayError, UsageError
from pancam.explain.lasso import judge
from pancam.liveness import ENDED, Liveness, read_propositions
from pancam.moves import Step, Trail
from pancam.pipeline import BuildOptions, Timings, build_program
from pancam.settings import Settings
from pancam.vm.checker import Checker, Outcome

# Thread 0 sets up and spins; thread 1 flips the flag.
FLIP = """
#include <pancam.h>
#include <pthread.h>
static volatile int flag;
static void *flip(void *unused) {
    for (;;) flag = !flag;
    return unused;
}
int main(void) {
    pthread_t thread;
    pancam_atomic_begin();
    pthread_create(&thread, NULL, flip, NULL);
    pancam_atomic_end();
    for (;;) { }
}
"""
ENDS = """
#include <pancam.h>
static int done;
static int flag = 1;
int main(void) {
    done = 1;
    if (pancam_nondet_bool()) pancam_assume(flag == 2);
    flag = 0;
    return 0;
}
"""


def built(text: str, folder: Path, liveness: Liveness) -> tuple[Program, Settings]:
    file = folder / "program.c"
    file.write_text(text)
    options = BuildOptions(functions=liveness.functions, propositions=liveness.propositions, labels=liveness.labels)
    settings = Settings(step="global", liveness=liveness)
    return build_program([str(file)], options, [], Timings()), settings


def asked(formula: str, *declared: str, fair: bool = True) -> Liveness:
    return Liveness((formula,), read_propositions(declared, [formula], from_c=True), fair=fair)


def flip_cycle(checker: Checker) -> tuple[Step, ...]:
    """Moves up to a state in which both threads are in their loops."""
    checker.reset()
    moves: list[Step] = []
    while 1 not in checker.machine.threads:
        checker.step(0)
        moves.append(Step(0))
    for thread in (0, 0, 1, 1, 1, 1):
        checker.step(thread)
        moves.append(Step(thread))
    return tuple(moves)


def period(checker: Checker, thread: int) -> int:
    """After how many moves of the thread the state is the same again."""
    start, count = checker.pack(), 0
    while count == 0 or checker.pack() != start:
        checker.step(thread)
        count += 1
    return count


def test_only_a_fair_violating_cycle_passes(tmp_path: Path) -> None:
    liveness = asked("[] <> up", "up=flag")
    program, settings = built(FLIP, tmp_path, replace(liveness, fair=False))
    checker = Checker(program.image, settings)
    stem = flip_cycle(checker)
    spinning, flipping = period(checker, 0), period(checker, 1)
    spin = Trail((*stem, *[Step(0)] * spinning), len(stem))
    both = Trail((*stem, *[Step(0)] * spinning, *[Step(1)] * flipping), len(stem))
    checker.reset()
    down = next(t for t in (spin, Trail((*stem, Step(1), Step(1), *spin.moves[len(stem) :]), len(stem) + 2))
                if not _is_up(checker, t))  # fmt: skip
    judgement = judge(checker, down, settings.liveness or liveness)
    assert [requirement.text for requirement in judgement.violated] == ["[] <> up"]
    with pytest.raises(ReplayError, match="not fair to thread 1"):
        judge(checker, down, liveness)
    with pytest.raises(ReplayError, match="violates nothing"):
        judge(checker, both, liveness)
    with pytest.raises(ReplayError, match="does not end where it starts"):
        judge(checker, Trail(both.moves[:-1], both.cycle_start), liveness)
    with pytest.raises(ReplayError, match="does not"):
        judge(checker, Trail(stem, len(stem)), liveness)
    with pytest.raises(ReplayError, match="cannot be made"):
        judge(checker, Trail((*stem, Step(5)), len(stem)), liveness)


def _is_up(checker: Checker, trail: Trail) -> bool:
    checker.reset()
    for move in trail.moves:
        assert isinstance(move, Step)
        checker.step(move.thread)
    return checker.propositions == 1


def test_cycle_whose_start_nobody_tells_is_found(tmp_path: Path) -> None:
    liveness = asked("<> never", "never=flag == 7")
    program, settings = built(FLIP, tmp_path, liveness)
    checker = Checker(program.image, settings)
    stem = flip_cycle(checker)
    moves = (*stem, *[Step(0)] * period(checker, 0), *[Step(1)] * period(checker, 1))
    judgement = judge(checker, Trail(moves), liveness)
    assert judgement.is_endless
    assert judgement.trail.cycle_start is not None


def test_an_execution_that_has_ended_stays_in_its_last_state(tmp_path: Path) -> None:
    liveness = asked("<> [] up", "up=flag")
    program, settings = built(ENDS, tmp_path, liveness)
    checker = Checker(program.image, settings)
    outcomes = {}
    for choice in (0, 1):
        checker.reset()
        moves = []
        while checker.outcome is Outcome.RUNNING:
            moves.append(Step(0, choice if checker.moves(0) > 1 else 0))
            checker.step(0, moves[-1].choice)
        outcomes[choice] = (checker.is_cut, checker.propositions, Trail(tuple(moves), len(moves)))
    assert [cut for cut, _, _ in outcomes.values()] == [False, True]  # the assumption fails
    assert [bits for _, bits, _ in outcomes.values()] == [0, 0]
    judgement = judge(checker, outcomes[0][2], liveness)
    assert not judgement.is_endless
    assert ENDED in judgement.lasso.states[-1]
    with pytest.raises(ReplayError, match="does not"):
        judge(checker, outcomes[1][2], liveness)


def test_propositions_see_static_variables_functions_and_several_files(tmp_path: Path) -> None:
    (tmp_path / "one.c").write_text("static int hidden = 3;\nstatic int is_set(void) { return hidden == 3; }\n")
    (tmp_path / "two.c").write_text("static struct { int n; } other;\nint main(void) { other.n = 1; return 0; }\n")
    formula = "set && deep && [] is_set"
    declared = ["set=hidden > 2 // a comment", "deep=other.n == 0"]
    propositions = read_propositions(declared, [formula], from_c=True)
    options = BuildOptions(functions=tuple(p.function for p in propositions), propositions=propositions)
    program = build_program([str(tmp_path / name) for name in ("one.c", "two.c")], options, [], Timings())
    settings = Settings(step="global", liveness=Liveness((formula,), propositions))
    checker = Checker(program.image, settings)
    assert checker.propositions == 0b111
    while checker.outcome is Outcome.RUNNING:
        checker.step(0)
    assert checker.propositions == 0b101


@pytest.mark.parametrize(
    ("declared", "reason"),
    [
        ("p=hiden > 2", "--prop p='hiden > 2': use of undeclared identifier 'hiden'"),
        ("p=takes", "address of function 'takes' will always evaluate to 'true'"),
        ("p=many", "address of array 'many' will always evaluate to 'true'"),
        ("p=absent()", "implicit"),
        ("p=1);}", "--prop p='1);}': expected"),
    ],
)
def test_expression_that_does_not_compile_is_refused_with_clangs_reason(
    tmp_path: Path, declared: str, reason: str
) -> None:
    text = "static int hidden, many[2];\nint takes(int x) { return x; }\nint main(void) { return hidden + many[0]; }\n"
    with pytest.raises(UsageError) as problem:
        built(text, tmp_path, asked("<> p", declared))
    assert reason in str(problem.value)


def test_passing_a_label_changes_its_bit_at_every_optimisation_level(tmp_path: Path) -> None:
    text = """
        static volatile int n;
        int main(void) {
            for (int i = 0; i < 3; i++) {
            here:
                n = n + 1;
            }
            return 0;
        }"""
    file = tmp_path / "program.c"
    file.write_text(text)
    liveness = Liveness(labels=("here",))
    for level in ("0", "2"):
        options = BuildOptions(functions=liveness.functions, labels=liveness.labels)
        options = replace(options, compile=replace(options.compile, opt_level=level))
        program = build_program([str(file)], options, [], Timings())
        checker = Checker(program.image, Settings(step="instruction", liveness=liveness))
        bits = [checker.propositions]
        while checker.outcome is Outcome.RUNNING:
            checker.step(0)
            bits.append(checker.propositions)
        assert sum(a != b for a, b in pairwise(bits)) == 3
    with pytest.raises(UsageError, match="--progress there: the compiled program has no such label"):
        build_program([str(file)], BuildOptions(labels=("there",)), [], Timings())
