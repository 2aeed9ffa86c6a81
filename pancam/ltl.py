# SPDX-License-Identifier: Apache-2.0
"""Linear temporal logic without "next": formulas as users write them, as SPIN reads them, and their truth on a lasso.

The syntax is SPIN's. What SPIN's own versions read differently (`[] p U q`, `p -> q -> r`, `p U q && r`) is refused
until parentheses say what is meant.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pancam.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

ALWAYS, EVENTUALLY, NOT = "[]", "<>", "!"
AND, OR, IMPLIES, EQUIVALENT = "&&", "||", "->", "<->"
UNTIL, WEAK_UNTIL, RELEASE = "U", "W", "V"
TRUE, FALSE = "true", "false"
_WORDS = {
    "always": ALWAYS, "eventually": EVENTUALLY, "not": NOT, "and": AND, "or": OR, "implies": IMPLIES,
    "equivalent": EQUIVALENT, "until": UNTIL, "stronguntil": UNTIL, "weakuntil": WEAK_UNTIL, "release": RELEASE,
    "U": UNTIL, "W": WEAK_UNTIL, "V": RELEASE, "R": RELEASE, "/\\": AND, "\\/": OR, "=>": IMPLIES, "<=>": EQUIVALENT,
    "~": NOT, "1": TRUE, "0": FALSE,
}  # fmt: skip
_NEXT = ("X", "next", "()")
_TOKEN = re.compile(r"\s*(?:(\[\]|<>|<->|<=>|->|=>|&&|\|\||/\\|\\/|\(\)|[()!~])|([A-Za-z_]\w*|[01]\b)|(\S))")
_UNARY = (ALWAYS, EVENTUALLY, NOT)
_TEMPORAL = (UNTIL, WEAK_UNTIL, RELEASE)
_LOOSE = (IMPLIES, EQUIVALENT, *_TEMPORAL)
_BINARY = (AND, OR, *_LOOSE)
_CONNECTIVES: dict[str, Callable[[bool, bool], bool]] = {
    AND: lambda a, b: a and b,
    OR: lambda a, b: a or b,
    IMPLIES: lambda a, b: b or not a,
    EQUIVALENT: lambda a, b: a == b,
}
MOST_WORDS = 300
RESERVED = frozenset({*_WORDS, *_NEXT, TRUE, FALSE})


@dataclass(frozen=True, slots=True)
class Formula:
    """An operator with its operands, or a name without."""

    word: str
    operands: tuple[Formula, ...] = ()

    def names(self) -> Iterator[str]:
        """The propositions in it, from left to right, each time they occur."""
        if not self.operands and self.word not in (TRUE, FALSE):
            yield self.word
        for operand in self.operands:
            yield from operand.names()


def parse(text: str) -> Formula:
    """The formula in a text; UsageError with one line says what is wrong with it."""
    parser = _Parser(text)
    formula = parser.binary()
    if parser.token is not None:
        raise parser.problem(f"{parser.token!r} is not expected")
    return formula


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = list(self._split())
        self.at = 0
        if len(self.tokens) > MOST_WORDS:
            raise self.problem(f"a formula of more than {MOST_WORDS} words")

    def problem(self, what: str) -> UsageError:
        return UsageError(f"--ltl '{self.text}': {what}")

    def _split(self) -> Iterator[str]:
        for match in _TOKEN.finditer(self.text):
            sign, name, rest = match.groups()
            if rest:
                raise self.problem(f"{rest!r} has no meaning in a formula; give expressions names with --prop")
            word = sign or name
            if word in _NEXT:
                raise self.problem(f"{word} (next) is not supported: how long a step is would decide what it means")
            yield _WORDS.get(word, word)

    @property
    def token(self) -> str | None:
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def take(self) -> str:
        token = self.token
        if token is None:
            raise self.problem("something is missing at the end")
        self.at += 1
        return token

    def binary(self) -> Formula:
        """Operands with operators between them: && binds more than ||, and that more than the others."""
        first = self.at
        operands, operators = [self.unary()], list[str]()
        while self.token in _BINARY:
            operators.append(self.take())
            operands.append(self.unary())
        self._refuse_ambiguity(first, operators)
        for group in ((AND,), (OR,), _LOOSE):
            at = 0
            while at < len(operators):
                if operators[at] in group:
                    operands[at : at + 2] = [Formula(operators.pop(at), (operands[at], operands[at + 1]))]
                else:
                    at += 1
        return operands[0]

    def _refuse_ambiguity(self, first: int, operators: list[str]) -> None:
        loose = [word for word in operators if word in _LOOSE]
        prefix = itertools.takewhile(_UNARY.__contains__, self.tokens[first:])
        for word in loose:
            mixed = len(operators) > 1 or any(sign != NOT for sign in prefix) if word in _TEMPORAL else len(loose) > 1
            if mixed:
                raise self.problem(f"it can be read in several ways: put parentheses around the parts of {word!r}")

    def unary(self) -> Formula:
        token = self.take()
        if token in _UNARY:
            return Formula(token, (self.unary(),))
        if token == "(":
            inner = self.binary()
            if self.token != ")":
                raise self.problem("a parenthesis is not closed")
            self.take()
            return inner
        if token == ")" or token in _BINARY:
            raise self.problem(f"something is missing before {token!r}")
        return Formula(token)


def spin_text(formula: Formula, name_of: Callable[[str], str]) -> str:
    """The formula for SPIN, every part in parentheses; `name_of` tells how SPIN calls a proposition."""
    words = [f"({spin_text(operand, name_of)})" for operand in formula.operands]
    match formula.word, words:
        case word, []:
            return word if word in (TRUE, FALSE) else name_of(word)
        case word, [operand]:
            return f"{word} {operand}"
        case word, [left, right] if word == WEAK_UNTIL:  # this and the next SPIN does not know in all its versions
            return f"({left} U {right}) || ([] {left})"
        case word, [left, right] if word == RELEASE:
            return f"! ((! {left}) U (! {right}))"
        case word, [left, right]:
            return f"{left} {word} {right}"
    raise AssertionError(formula.word)


@dataclass(frozen=True)
class Lasso:
    """An infinite sequence of states: all of `states`, then those from `loop` on again and again.

    A state is the set of names that are true in it.
    """

    states: Sequence[frozenset[str]]
    loop: int


def holds(formula: Formula, lasso: Lasso) -> bool:
    """Whether the formula is true of the sequence."""
    return _values(formula, lasso)[0]


def _values(formula: Formula, lasso: Lasso) -> list[bool]:
    """The truth of the formula at every state of the lasso."""
    size = len(lasso.states)
    parts = [_values(operand, lasso) for operand in formula.operands]
    yes, no = [True] * size, [False] * size
    match formula.word, parts:
        case (word, []):
            return yes if word == TRUE else [word in state for state in lasso.states]
        case (word, [part]) if word == NOT:
            return [not value for value in part]
        case (word, [part]) if word == ALWAYS:
            return _release(no, part, lasso.loop)
        case (word, [part]):
            return _until(yes, part, lasso.loop)
        case (word, [left, right]) if word in _TEMPORAL:
            if word == RELEASE:
                return _release(left, right, lasso.loop)
            until = _until(left, right, lasso.loop)
            stays = _release(no, left, lasso.loop) if word == WEAK_UNTIL else no
            return [a or b for a, b in zip(until, stays, strict=True)]
        case (word, [left, right]):
            return [_CONNECTIVES[word](a, b) for a, b in zip(left, right, strict=True)]
    raise AssertionError(formula.word)


def _until(left: list[bool], right: list[bool], loop: int) -> list[bool]:
    """Backwards twice: what the first round does not know yet of the loop's start, the second does."""
    size, result = len(left), list(right)
    for at in [*range(size - 1, -1, -1), *range(size - 1, -1, -1)]:
        following = result[at + 1] if at + 1 < size else result[loop]
        result[at] = right[at] or (left[at] and following)
    return result


def _release(left: list[bool], right: list[bool], loop: int) -> list[bool]:
    opposite = _until([not value for value in left], [not value for value in right], loop)
    return [not value for value in opposite]
