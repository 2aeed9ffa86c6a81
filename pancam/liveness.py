# SPDX-License-Identifier: Apache-2.0
"""What a check asks of infinite executions: formulas, labels to be passed, termination, no livelock; and fairness.

All of it is one formula for SPIN, over the propositions of the program and a few names of the driver
(promela_templates/liveness.pml). Each part is kept as a requirement of its own, to be judged on a lasso.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pancam import ltl
from pancam.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_PROPOSITIONS = 16  # CHECK_MOST_PROPOSITIONS of vm_c/check_api.h
PROPOSITION_PREFIX = "__pancam_prop_"  # of the functions that pancam makes of expressions
LABEL_PREFIX = "__pancam_passed_"  # and of those that tell whether a label was passed an odd number of times
ENDED = "#ended"  # the process is over; no name of the user's looks like this
LTL, PROGRESS, TERMINATION, LIVELOCK = "LTL", "PROGRESS", "TERMINATION", "LIVELOCK"
_NAME = re.compile(r"[A-Za-z_]\w*\Z")


@dataclass(frozen=True, slots=True)
class Proposition:
    """A name in formulas, the C expression that it stands for, and the function of the program that tells it."""

    name: str
    expression: str
    function: str


@dataclass(frozen=True, slots=True)
class Requirement:
    """One thing that must hold on every (fair) execution; a livelock is judged without a formula."""

    kind: str
    text: str
    formula: ltl.Formula | None
    label: str = ""


@dataclass(frozen=True, slots=True)
class Liveness:
    """What the user wants to know about infinite executions."""

    formulas: tuple[str, ...] = ()
    propositions: tuple[Proposition, ...] = ()
    labels: tuple[str, ...] = ()
    termination: bool = False
    livelock: bool = False
    fair: bool = True

    @property
    def functions(self) -> tuple[str, ...]:
        """The functions behind all propositions, in the order of their numbers."""
        return (*(p.function for p in self.propositions), *(LABEL_PREFIX + label for label in self.labels))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all propositions, in the order of their numbers; that of a label is its function's."""
        return (*(p.name for p in self.propositions), *(LABEL_PREFIX + label for label in self.labels))

    def requirements(self) -> list[Requirement]:
        """Everything that must hold, in the order in which it is told."""
        found = [Requirement(LTL, text, ltl.parse(text)) for text in self.formulas]
        passed = "the label {0} is passed again and again"
        found += [Requirement(PROGRESS, passed.format(label), _progress(label), label) for label in self.labels]
        if self.termination:
            formula = ltl.Formula(ltl.EVENTUALLY, (ltl.Formula(ENDED),))
            found.append(Requirement(TERMINATION, "the program ends", formula))
        if self.livelock:
            found.append(Requirement(LIVELOCK, "no thread waits for ever while others run", None))
        return found

    @property
    def spin_formula(self) -> str:
        """All requirements but that about livelocks, for the driver."""
        names = {name: f"PROPOSITION({number})" for number, name in enumerate(self.names)}
        names[ENDED] = ENDED.removeprefix("#")
        parts = [r.formula for r in self.requirements() if r.formula is not None]
        return " && ".join(f"({ltl.spin_text(part, names.__getitem__)})" for part in parts) or ltl.TRUE


def _progress(label: str) -> ltl.Formula:
    """The bit that changes with each pass is both 0 and 1 again and again; who ends need not pass any more."""

    def again_and_again(part: ltl.Formula) -> ltl.Formula:
        return ltl.Formula(ltl.ALWAYS, (ltl.Formula(ltl.EVENTUALLY, (part,)),))

    bit = ltl.Formula(LABEL_PREFIX + label)
    both = ltl.Formula(ltl.AND, (again_and_again(bit), again_and_again(ltl.Formula(ltl.NOT, (bit,)))))
    return ltl.Formula(ltl.OR, (both, ltl.Formula(ltl.EVENTUALLY, (ltl.Formula(ENDED),))))


def read_propositions(declared: Sequence[str], formulas: Sequence[str], *, from_c: bool) -> tuple[Proposition, ...]:
    """What the formulas speak of: NAME=EXPRESSION as declared, and names that stand for themselves.

    In C files functions are made of the expressions; LLVM files must have them.
    """
    expressions: dict[str, str] = {}
    for text in declared:
        name, _, expression = (part.strip() for part in text.partition("="))
        if not _NAME.match(name) or name in ltl.RESERVED:
            raise UsageError(f"--prop {text}: not of the form NAME=EXPRESSION with a name that formulas can use")
        if not expression or "\n" in expression:
            raise UsageError(f"--prop {text}: the expression must be one line of C")
        if name in expressions:
            raise UsageError(f"--prop {text}: there is another proposition of this name")
        expressions[name] = expression
    used = list(dict.fromkeys(name for text in formulas for name in ltl.parse(text).names()))
    unused = [name for name in expressions if name not in used]
    if unused:
        raise UsageError(f"--prop {unused[0]}: no --ltl speaks of it")
    if len(used) > MOST_PROPOSITIONS:
        raise UsageError(f"--ltl: more than {MOST_PROPOSITIONS} propositions")
    return tuple(_proposition(name, expressions.get(name, name), from_c=from_c) for name in used)


def _proposition(name: str, expression: str, *, from_c: bool) -> Proposition:
    if from_c:
        return Proposition(name, expression, PROPOSITION_PREFIX + name)
    if not _NAME.match(expression):
        raise UsageError(f"--prop {name}={expression}: in LLVM files a proposition must be the name of a function")
    return Proposition(name, expression, expression)
