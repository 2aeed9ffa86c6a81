# SPDX-License-Identifier: Apache-2.0
"""Propositions: C expressions that are compiled in the scope of a file of the program, its static variables included.

Such a file is compiled once more, included by one that has a function for each expression behind it. Its name stays as
the user typed it, in debug information and in __FILE__.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from pancam.errors import CompileError, UsageError
from pancam.frontend.clang import SOURCE_SUFFIXES, Clang, CompileOptions, compile_source

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pancam.liveness import Proposition

_NAME = re.compile(r"[A-Za-z_]\w*\Z")
# A function that is not called, and one that does not exist, must not pass for a value.
_WARNING_FLAG = re.compile(r" \[-W\S*\]\Z")
_STRICT = ("pointer-bool-conversion", "implicit-function-declaration")


@dataclass(frozen=True)
class _Scope:
    """A file of the program, and what to compile it with."""

    path: str
    options: CompileOptions
    clang: Clang
    folder: Path

    def compile(self, bodies: Sequence[tuple[Proposition, str]]) -> Path:
        source = self.folder / "propositions.c"
        absolute = str(Path(self.path).resolve())
        source.write_text("\n".join([f'#include "{_escaped(absolute)}"', *_functions(bodies), ""]))
        more = (*self.options.extra_flags, f"-ffile-prefix-map={absolute}={self.path}")
        return compile_source(str(source), replace(self.options, extra_flags=more), self.clang, self.folder)

    def refusal(self, proposition: Proposition, body: str) -> CompileError | None:
        """Why the expression does not compile here; None: it does."""
        try:
            self.compile([(proposition, body)])
        except CompileError as problem:
            return problem
        return None


def _escaped(path: str) -> str:
    return path.replace("\\", "\\\\").replace('"', '\\"')


def _functions(bodies: Sequence[tuple[Proposition, str]]) -> list[str]:
    lines = [f'#pragma clang diagnostic error "-W{name}"' for name in _STRICT]
    for proposition, body in bodies:
        name = proposition.function
        lines += [f"int {name}(void);", f"int {name}(void) {{ return !!(", f'#line 1 "--prop {proposition.name}"', body]
        lines += ["); }"]
    return lines


def compile_propositions(
    paths: Sequence[str], propositions: Sequence[Proposition], options: CompileOptions, clang: Clang, folder: Path
) -> dict[int, Path]:
    """Bitcode of the files that propositions were added to, by the number of the file."""
    scopes = {}
    for number, path in enumerate(paths):
        if Path(path).suffix in SOURCE_SUFFIXES:
            own = folder / f"scope{number}"
            own.mkdir()
            scopes[number] = _Scope(path, options, clang, own)
    placed: dict[int, list[tuple[Proposition, str]]] = {}
    for proposition in propositions:
        number, body = _place(proposition, scopes)
        placed.setdefault(number, []).append((proposition, body))
    return {number: scopes[number].compile(bodies) for number, bodies in placed.items()}


def _place(proposition: Proposition, scopes: dict[int, _Scope]) -> tuple[int, str]:
    """The first file in which the expression compiles, and what to compile: a function that is named is called."""
    expression = proposition.expression
    bodies = [f"{expression}()", expression] if _NAME.match(expression) else [expression]
    problems: list[CompileError] = []
    for number, scope in scopes.items():
        for body in bodies:
            problem = scope.refusal(proposition, body)
            if problem is None:
                return number, body
            problems.append(problem)
    told = _WARNING_FLAG.sub("", problems[len(bodies) - 1].message)
    if proposition.name == expression:
        raise UsageError(f"--ltl: {expression} is neither declared with --prop nor a function of the program: {told}")
    raise UsageError(f"--prop {proposition.name}='{expression}': {told}")
