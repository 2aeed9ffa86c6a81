# SPDX-License-Identifier: Apache-2.0
"""Properties of the competition: what a .prp file says, and which faults of a program violate it.

A fault that a property says nothing about ends an execution without being reported. Unless nothing of the program can
follow such a fault anyhow, the answer is then not `true` (pancam/verdict.py).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pancam.errors import SourceLocation, UnsupportedError, UsageError
from pancam.liveness import TERMINATION

if TYPE_CHECKING:
    from collections.abc import Mapping

DEREFERENCES = (
    "NULL_POINTER", "WILD_POINTER", "OUT_OF_BOUNDS", "USE_AFTER_FREE", "USE_AFTER_RETURN", "DATA_ACCESS_TO_CODE",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula of the competition: the name that an answer gives to its violation, and what is one."""

    name: str
    kinds: tuple[str, ...]  # of faults, and of what infinite executions violate
    options: tuple[str, ...] = ()  # of `pancam check`, without which these faults are not noticed


FORMULAS = {
    "G valid-deref": Formula("valid-deref", DEREFERENCES),
    "G valid-free": Formula("valid-free", ("DOUBLE_FREE", "INVALID_FREE")),
    "G valid-memtrack": Formula("valid-memtrack", ("LEAK",), ("leaks",)),
    "G valid-memcleanup": Formula("valid-memcleanup", ("LEAK", "LEAK_REACHABLE"), ("leaks",)),
    "G ! data-race": Formula("no-data-race", ("DATA_RACE",), ("races",)),
    # A program that cannot go on does not end either.
    "F end": Formula("termination", (TERMINATION, "DEADLOCK"), ("termination",)),
    "G ! overflow": Formula("no-overflow", ("OVERFLOW", "DIV_OVERFLOW"), ("overflow",)),
}
# Formulas of the competition that need what pancam does not have.
UNSUPPORTED = {
    "G def-behavior": "def-behavior",
}
# The same properties by name, for those who have no .prp file at hand.
NAMED = {
    "unreach-call": "CHECK( init(main()), LTL(G ! call(reach_error())) )",
    "valid-memsafety": "CHECK( init(main()), LTL(G valid-free) )\n"
    "CHECK( init(main()), LTL(G valid-deref) )\n"
    "CHECK( init(main()), LTL(G valid-memtrack) )",
    "valid-memcleanup": "CHECK( init(main()), LTL(G valid-memcleanup) )",
    "no-overflow": "CHECK( init(main()), LTL(G ! overflow) )",
    "no-data-race": "CHECK( init(main()), LTL(G ! data-race) )",
    "termination": "CHECK( init(main()), LTL(F end) )",
}
UNREACH_CALL = "unreach-call"
MEMSAFETY = frozenset({"valid-deref", "valid-free", "valid-memtrack"})
_CHECK = re.compile(r"CHECK\(\s*init\(\s*(\w+)\s*\(\s*\)\s*\)\s*,\s*LTL\((.*)\)\s*\)\s*\Z")
_CALL = re.compile(r"G ! call\( ?(\w+) ?\( ?\) ?\)\Z")
_LABEL = re.compile(r"G ! label\( ?(\w+) ?\)\Z")


@dataclass(frozen=True)
class Property:
    """What a program is checked for. `kinds` tells for each kind of fault which part of the property it violates."""

    name: str
    text: str  # as the file has it
    kinds: Mapping[str, str] = field(default_factory=dict)
    functions: tuple[str, ...] = ()  # that must not be called
    labels: tuple[str, ...] = ()  # that must not be reached
    options: tuple[str, ...] = ()  # of `pancam check` that it takes

    def answer_to(self, kind: str) -> str:
        """The competition's word for a violation that ends in this kind of fault."""
        return f"false({self.kinds[kind]})"

    def formula_of(self, kind: str) -> str:
        """The formula that such a violation breaks."""
        if self.kinds[kind] == UNREACH_CALL:
            return f"G ! call({self.functions[0]}())" if self.functions else f"G ! label({self.labels[0]})"
        return next(text for text, formula in FORMULAS.items() if formula.name == self.kinds[kind])


def is_property_file(name: str) -> bool:
    """Whether the user means a file and not one of the names."""
    return name.endswith(".prp") or "/" in name


def read_property(name: str) -> Property:
    """The property in a .prp file, or the one of this name."""
    if not is_property_file(name):
        if name not in NAMED:
            raise UsageError(f"there is no property {name!r}: {', '.join(NAMED)}, or a .prp file")
        return parse_property(NAMED[name], name)
    try:
        text = Path(name).read_text(encoding="utf-8")
    except OSError as problem:
        raise UsageError(f"{name}: {problem.strerror}") from problem
    except UnicodeDecodeError:
        raise UsageError(f"{name}: not a text file") from None
    return parse_property(text, name)


def parse_property(text: str, source: str) -> Property:
    """The property that the lines of a .prp file are together."""
    kinds: dict[str, str] = {}
    functions: list[str] = []
    labels: list[str] = []
    missing: list[str] = []
    options: list[str] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        formula = _formula(line, SourceLocation(source, number))
        call, label = _CALL.match(formula), _LABEL.match(formula)
        if call is not None:
            functions.append(call.group(1))
        elif label is not None:
            labels.append(label.group(1))
        elif formula in FORMULAS:
            kinds |= dict.fromkeys(FORMULAS[formula].kinds, FORMULAS[formula].name)
            options += FORMULAS[formula].options
        elif formula in UNSUPPORTED:
            missing.append(UNSUPPORTED[formula])
        else:
            raise UnsupportedError(f"the property {formula!r} is not supported", SourceLocation(source, number))
    if functions or labels:
        kinds["ERROR_REACHED"] = UNREACH_CALL
    if missing:
        raise UnsupportedError(f"the property {missing[0]} is not supported yet", SourceLocation(source))
    if TERMINATION in kinds and len(set(kinds.values())) > 1:
        raise UnsupportedError("termination is checked alone", SourceLocation(source))
    if not kinds:
        raise UsageError("the file has no property", SourceLocation(source))
    return Property(_name(set(kinds.values())), text.strip(), kinds, tuple(functions), tuple(labels), tuple(options))


def _formula(line: str, location: SourceLocation) -> str:
    """The LTL formula of a line, with single spaces."""
    match = _CHECK.match(line.strip())
    if match is None:
        what = "coverage is not a property that a program has" if line.strip().startswith("COVER") else "not a property"
        raise UnsupportedError(f"{what}: {line.strip()}", location)
    if match.group(1) != "main":
        raise UnsupportedError(f"programs begin in main, not in {match.group(1)}", location)
    return " ".join(match.group(2).replace("!", " ! ").split())


def _name(parts: set[str]) -> str:
    if parts <= MEMSAFETY and len(parts) > 1:
        return "valid-memsafety"
    return ", ".join(sorted(parts))
