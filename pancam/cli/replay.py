# SPDX-License-Identifier: Apache-2.0
"""`pancam replay`, and what a trace file must hold for it: how the program was built and what its check meant."""

from __future__ import annotations

import sys
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pancam.errors import ReplayError, UsageError
from pancam.explain.ending import same_violation
from pancam.explain.trace_file import Origin, TraceFile, dumps, load, program_files, sources_changed
from pancam.frontend.clang import CompileOptions
from pancam.liveness import Liveness, Proposition
from pancam.moves import Trail
from pancam.pipeline import BuildOptions, Timings, build_program
from pancam.settings import Limits, Settings, Start

if TYPE_CHECKING:
    import argparse

    from pancam.bytecode.program import Program
    from pancam.explain.trace import Trace

EXIT_REPRODUCED, EXIT_NOT_REPRODUCED = 1, 0


def origin_of(
    inputs: list[str], build: BuildOptions, arguments: list[str], program: Program, settings: Settings
) -> Origin:
    """All that is needed to build the same program and to check it in the same way again."""
    options = {**asdict(build), "compile": _with_absolute_paths(build.compile)}
    paths = tuple(str(Path(path).resolve()) for path in inputs)
    return Origin(paths, program_files(program, inputs), tuple(arguments), options, asdict(settings))


def _with_absolute_paths(options: CompileOptions) -> dict[str, Any]:
    """The trace may be replayed in another folder."""
    absolute = [str(Path(path).resolve()) for path in options.include_dirs]
    includes = [str(Path(path).resolve()) if Path(path).exists() else path for path in options.include_files]
    return asdict(replace(options, include_dirs=tuple(absolute), include_files=tuple(includes)))


def replay(options: argparse.Namespace) -> int:
    """Show a saved trace again: 1 when it still ends in its violation, 0 when it does not."""
    from pancam.explain.render import render

    recorded = load(Path(options.trace))
    changed = sources_changed(recorded)
    for path in changed:
        print(f"pancam: {path} has changed since the trace was recorded", file=sys.stderr)
    try:
        trace, origin = _again(recorded, options.clang)
    except ReplayError as problem:
        return _not_reproduced(str(problem), changed)
    if not same_violation(recorded.violation, trace.ending.violation):
        return _not_reproduced("the moves lead to another end", changed)
    text = dumps(trace, origin) if options.json else render(trace, full=options.full, colour=sys.stdout.isatty())
    print(text.rstrip("\n"))
    if not options.json:
        print("\nreproduced: the trace ends in the recorded violation")
    return EXIT_REPRODUCED


def _not_reproduced(reason: str, changed: list[str]) -> int:
    """Without a change of the sources the compiler or pancam is another one."""
    why = "the sources have changed" if changed else "another compiler or another pancam?"
    print(f"not reproduced: {reason} ({why})")
    return EXIT_NOT_REPRODUCED


def _again(recorded: TraceFile, clang: str | None) -> tuple[Trace, Origin]:
    from pancam.check import make_checker
    from pancam.explain.trace import replay_any

    origin = recorded.origin
    build, settings = _build_options(origin.options), _settings(origin.settings)
    if clang is not None:
        build = replace(build, clang=clang)
    program = build_program(origin.inputs, build, list(origin.arguments), Timings())
    trail = Trail(recorded.moves, recorded.cycle_start)
    return replay_any(program, make_checker(program, settings), trail), origin


def _build_options(value: Any) -> BuildOptions:  # noqa: ANN401
    try:
        compiling = CompileOptions(**_with_tuples(value["compile"]))
        rest = {f.name: value[f.name] for f in fields(BuildOptions) if f.name != "compile"}
        return BuildOptions(
            compile=compiling, **_with_tuples({**rest, "propositions": _propositions(value["propositions"])})
        )
    except (KeyError, TypeError, AttributeError) as problem:
        raise UsageError(f"the trace file's options are not those of this pancam: {problem}") from problem


def _settings(value: Any) -> Settings:  # noqa: ANN401
    try:
        starts = tuple(Start(**row) for row in value["starts"])
        rest = {**_with_tuples(value), "limits": Limits(**value["limits"]), "starts": starts}
        return Settings(**{**rest, "liveness": _liveness(value["liveness"])})
    except (KeyError, TypeError, AttributeError) as problem:
        raise UsageError(f"the trace file's settings are not those of this pancam: {problem}") from problem


def _liveness(value: Any) -> Liveness | None:  # noqa: ANN401
    if value is None:
        return None
    return Liveness(**{**_with_tuples(value), "propositions": _propositions(value["propositions"])})


def _propositions(rows: Any) -> tuple[Proposition, ...]:  # noqa: ANN401
    return tuple(Proposition(**row) for row in rows)


def _with_tuples(value: Any) -> dict[str, Any]:  # noqa: ANN401
    """JSON knows only lists."""
    return {name: tuple(v) if isinstance(v, list) else v for name, v in value.items()}
