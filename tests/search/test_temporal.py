# SPDX-License-Identifier: Apache-2.0
"""Verdicts about infinite executions: the same with steps of all sizes, and those of one that knows all states."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path

import pytest
from fair_cycles import NEGATIONS
from temporal import compare, questions

from pancam.check import check_program
from pancam.liveness import Liveness, read_propositions
from pancam.pipeline import BuildOptions, Timings, build_program
from pancam.settings import Settings
from pancam.spin.options import Claim, SearchOptions
from pancam.spin.search import Watch
from pancam.verdict import Verdict

SEEDS = (8, 10, 13, 14)
FORMULAS = ("<> [] p", "[] (p -> <> q)", "(! p) U q")


@pytest.mark.parametrize("fair", [True, False], ids=["fair", "unfair"])
def test_verdicts_on_random_programs_are_those_of_another_checker(*, fair: bool) -> None:
    counted = Counter[str]()
    for seed in SEEDS:
        found, numbers = compare(seed, questions(FORMULAS, fair=(fair,)), "02"[seed % 2])
        assert not found
        counted += numbers
    kind = "fair" if fair else "unfair"
    assert min(counted[f"holds {kind}"], counted[f"violated {kind}"]) >= 4, counted
    assert counted["judged by the oracle"] == len(SEEDS) * (len(FORMULAS) + 2), counted
    assert set(FORMULAS) <= set(NEGATIONS)


FLAG = """
#include <assert.h>
#include <pthread.h>
static volatile int flag, seen;
static void *raise(void *unused) {
    flag = 1;
    return unused;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, raise, NULL);
    while (!flag) { }
    seen = 1;
    pthread_join(thread, NULL);
    assert(seen == EXPECTED);
    return 0;
}
"""


def verdict(
    text: str, formula: str, expression: str, *, fair: bool = True, **more: object
) -> tuple[Verdict, list[str]]:
    """The verdict, and the kinds of what is violated."""
    propositions = read_propositions([f"p={expression}"], [formula], from_c=True)
    liveness = Liveness((formula,), propositions, fair=fair)
    with tempfile.TemporaryDirectory(prefix="pancam-search-") as folder:
        file = Path(folder) / "program.c"
        file.write_text(text)
        options = BuildOptions(functions=liveness.functions, propositions=propositions, thread_limit=2)
        program = build_program([str(file)], options, [], Timings())
    claim = Claim(liveness.spin_formula, fair=fair)
    search = SearchOptions(claim=claim, cc_flags=("-O0",), **more)  # type: ignore[arg-type]
    outcome = check_program(program, Settings(step="superstep", liveness=liveness), search, Watch(), Timings())
    kinds = [trace.ending.violation.kind for trace in outcome.traces if trace.ending.violation is not None]
    return outcome.conclusion.verdict, kinds


GOOD, BAD = FLAG.replace("EXPECTED", "1"), FLAG.replace("EXPECTED", "2")


def test_a_property_may_hold_only_under_fairness() -> None:
    assert verdict(GOOD, "<> p", "seen") == (Verdict.HOLDS, [])
    assert verdict(GOOD, "<> p", "seen", fair=False) == (Verdict.VIOLATED, ["LTL"])


def test_violations_are_found_also_where_the_formula_is_already_decided() -> None:
    assert verdict(BAD, "<> p", "flag || 1") == (Verdict.VIOLATED, ["ASSERT"])


@pytest.mark.parametrize("more", [{"store": "raw"}, {"bitstate": True}, {"cores": 2}], ids=str)
def test_every_kind_of_search_tells_what_holds_and_what_does_not(more: dict[str, object]) -> None:
    best = Verdict.BOUNDED if "bitstate" in more else Verdict.HOLDS
    assert verdict(GOOD, "<> p", "seen", **more) == (best, [])  # type: ignore[arg-type]
    assert verdict(GOOD, "<> p", "seen", fair=False, **more) == (Verdict.VIOLATED, ["LTL"])  # type: ignore[arg-type]


# Nobody else touches what this thread writes: only the proposition can end its superstep.
FLASH = """
#include <pthread.h>
static volatile int light, other;
static void *work(void *unused) {
    other = 1;
    return unused;
}
int main(void) {
    pthread_t thread;
    if (THREADS) pthread_create(&thread, NULL, work, NULL);
    light = 1;
    light = 0;
    return 0;
}
"""


@pytest.mark.parametrize("threads", ["0", "1"])
def test_a_superstep_ends_with_a_write_to_what_a_proposition_reads(threads: str) -> None:
    text = FLASH.replace("THREADS", threads)
    assert verdict(text, "<> p", "light") == (Verdict.HOLDS, [])
    assert verdict(text, "<> p", "light == 2") == (Verdict.VIOLATED, ["LTL"])
