# SPDX-License-Identifier: Apache-2.0
"""Formulas: how they are read, refused, written for SPIN, and judged on lassos."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import partial

import pytest

from pancam.errors import UsageError
from pancam.ltl import Formula, Lasso, holds, parse, spin_text

NAMES = ("p", "q")


def written(text: str) -> str:
    return spin_text(parse(text), str.upper)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[] (req -> <> ack)", "[] ((REQ) -> (<> (ACK)))"),
        ("always (req implies eventually ack)", "[] ((REQ) -> (<> (ACK)))"),
        ("p && q || !r -> s", "(((P) && (Q)) || (! (R))) -> (S)"),
        ("[] p && <> q", "([] (P)) && (<> (Q))"),
        ("!p until q", "(! (P)) U (Q)"),
        ("p U <> q", "(P) U (<> (Q))"),
        ("p W q", "((P) U (Q)) || ([] (P))"),
        ("p V q", "! ((! (P)) U (! (Q)))"),
        ("([]<>p) <-> true", "([] (<> (P))) <-> (true)"),
    ],
)
def test_formula_is_read_as_spin_reads_it(text: str, expected: str) -> None:
    assert written(text) == expected


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("X p", "X (next) is not supported"),
        ("[] next p", "next (next) is not supported"),
        ("[] p U q", "several ways"),
        ("! <> p U q", "several ways"),
        ("p U q U r", "several ways"),
        ("p U q && r", "several ways"),
        ("p -> q -> r", "several ways"),
        ("p > 0", "give expressions names with --prop"),
        ("(p", "not closed"),
        ("p)", "not expected"),
        ("p q", "not expected"),
        ("p &&", "missing at the end"),
        ("&& p", "missing before"),
        ("", "missing at the end"),
        ("!" * 1000 + "p", "more than 300 words"),
    ],
)
def test_formula_that_makes_no_sense_is_refused_in_one_line(text: str, reason: str) -> None:
    with pytest.raises(UsageError, match="--ltl") as problem:
        parse(text)
    assert reason in str(problem.value)


Truth = Callable[[int], bool]  # of an operand, at a state


def _until(left: Truth, right: Truth, at: int, end: int) -> bool:
    return any(right(i) and all(left(j) for j in range(at, i)) for i in range(at, end))


# The operators as the textbooks define them: truth of the operands, the state, and one behind which nothing new comes
MEANINGS: dict[str, Callable[..., bool]] = {
    "!": lambda p, at, _: not p(at),
    "[]": lambda p, at, end: all(p(i) for i in range(at, end)),
    "<>": lambda p, at, end: any(p(i) for i in range(at, end)),
    "&&": lambda p, q, at, _: p(at) and q(at),
    "||": lambda p, q, at, _: p(at) or q(at),
    "->": lambda p, q, at, _: not p(at) or q(at),
    "<->": lambda p, q, at, _: p(at) == q(at),
    "U": _until,
    "W": lambda p, q, at, end: _until(p, q, at, end) or all(p(i) for i in range(at, end)),
    "V": lambda p, q, at, end: not _until(lambda i: not p(i), lambda i: not q(i), at, end),
}


def unrolled(formula: Formula, lasso: Lasso, at: int) -> bool:
    """The truth of a formula by the definitions, on as many states as can make a difference."""
    size = len(lasso.states)
    at = at if at < size else lasso.loop + (at - size) % (size - lasso.loop)
    if not formula.operands:
        return formula.word == "true" or formula.word in lasso.states[at]
    parts = [partial(unrolled, operand, lasso) for operand in formula.operands]
    return MEANINGS[formula.word](*parts, at, at + 2 * size)


@pytest.mark.parametrize(
    "text",
    [
        "[] <> p", "<> [] p", "[] (p -> <> q)", "p U q", "p W q", "p V q", "[] (p -> (p U q))", "(<> p) <-> ([] <> q)",
        "[] (p V (! q))", "! ((! p) U (p && q))", "<> (p && <> (q && <> ! q))", "true U q",
    ],
)  # fmt: skip
def test_truth_on_every_small_lasso_is_that_of_the_definition(text: str) -> None:
    formula = parse(text)
    states = [frozenset(names) for count in range(3) for names in itertools.combinations(NAMES, count)]
    seen = set()
    for size in range(1, 4):
        for loop, word in itertools.product(range(size), itertools.product(states, repeat=size)):
            lasso = Lasso(word, loop)
            assert holds(formula, lasso) == unrolled(formula, lasso, 0), lasso
            seen.add(holds(formula, lasso))
    assert seen == {True, False}
