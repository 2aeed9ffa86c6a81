# SPDX-License-Identifier: Apache-2.0
"""Trace files: JSON that says how to build a program, which moves to do, and what goes wrong then.

docs/trace-format.md describes every field. A file is enough to replay a trace elsewhere; its steps are for other tools
and are not needed for that. A file that makes no sense is a UsageError of one line.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pancam.errors import UsageError
from pancam.explain.code_view import is_library_file
from pancam.explain.ending import Violation
from pancam.moves import Approach, Call, Invariant, Move, Race, Start, Step

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pancam.bytecode.program import Program
    from pancam.explain.ending import RaceAccess
    from pancam.explain.trace import Trace, TraceStep

FORMAT = "pancam-trace"
VERSION = 1
MOVES: dict[str, type[Move]] = {
    "step": Step,
    "call": Call,
    "start": Start,
    "invariant": Invariant,
    "approach": Approach,
    "race": Race,
}


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file of the program as it was; `path` is absolute."""

    path: str
    sha256: str


@dataclass(frozen=True)
class Origin:
    """How a trace came about: all that is needed to build the same program and checker again.

    `inputs` are what the command line named, `files` all that went into the program, headers included. `options` and
    `settings` belong to the command line, which writes them and reads them back; they must be JSON.
    """

    inputs: tuple[str, ...]
    files: tuple[SourceFile, ...]
    arguments: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class TraceFile:
    """What a trace file says."""

    origin: Origin
    moves: tuple[Move, ...]
    violation: Violation | None
    cycle_start: int | None = None


# Sources


def file_digest(path: str) -> str | None:
    """SHA-256 of a file's content; None when it cannot be read."""
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError:
        return None


def program_files(program: Program, inputs: Sequence[str]) -> tuple[SourceFile, ...]:
    """The files that a program was made of: what the command line named, and the user's headers."""
    source_map = program.source_map
    named = {file for chain in source_map.locations for _, file, _, _ in chain}
    named |= {function["file"] for function in source_map.functions}
    named |= {row["file"] for row in source_map.globals.values()}
    paths = {str(Path(path).resolve()) for path in (*inputs, *(f for f in named if not is_library_file(f)))}
    digests = ((path, file_digest(path)) for path in sorted(paths))
    return tuple(SourceFile(path, digest) for path, digest in digests if digest is not None)


def sources_changed(trace_file: TraceFile) -> list[str]:
    """The files of the program that are not what they were, or are gone."""
    return [file.path for file in trace_file.origin.files if file_digest(file.path) != file.sha256]


# Writing


def save(trace: Trace, origin: Origin, path: Path) -> None:
    """Write a trace to a file, whole or not at all."""
    temporary = path.with_name(f".{path.name}.new")
    try:
        temporary.write_text(dumps(trace, origin))
        temporary.replace(path)
    except OSError as problem:
        temporary.unlink(missing_ok=True)
        raise UsageError(f"{path}: {problem.strerror}") from problem


def dumps(trace: Trace, origin: Origin) -> str:
    """The text of a trace file."""
    document = {
        "format": FORMAT,
        "version": VERSION,
        "program": {
            "inputs": list(origin.inputs),
            "files": [asdict(file) for file in origin.files],
            "arguments": list(origin.arguments),
        },
        "options": dict(origin.options),
        "settings": dict(origin.settings),
        **trace_row(trace),
    }
    return json.dumps(document, indent=1) + "\n"


def trace_row(trace: Trace) -> dict[str, Any]:
    """The trace itself, as it stands in a trace file and in the result of a check."""
    ending = trace.ending
    return {
        "violation": asdict(ending.violation) if ending.violation is not None else None,
        "moves": [_move_row(move) for move in trace.moves],
        "cycle_start": trace.cycle_start,
        "context_switches": trace.switches,
        "preempted": list(trace.preempted),
        "values": dict(ending.values),
        "details": list(ending.details),
        "object": asdict(ending.object) if ending.object is not None else None,
        "accesses": [_access_row(access) for access in ending.accesses],
        "waiting": [_without_columns(asdict(waiting)) for waiting in ending.waiting],
        "wait_cycle": list(ending.cycle),
        "stacks": list(ending.stacks),
        "notes": list(trace.notes),
        "steps": [_step_row(step) for step in trace.steps],
    }


def _move_row(move: Move) -> list[Any]:
    """`["step", thread, choice]`: the kind of the move, then its fields in order."""
    kind = next(name for name, cls in MOVES.items() if isinstance(move, cls))
    return [kind, *asdict(move).values()]


def _step_row(step: TraceStep) -> dict[str, Any]:
    """A step without what it does not have."""
    row = asdict(step)
    location = row.pop("location")
    if location is not None:
        row = {**row, "file": location["file"], "line": location["line"], "column": location["column"]}
    kept = ("number", "move", "thread", "thread_name")
    return {key: value for key, value in row.items() if key in kept or value not in ((), "", None)}


def _access_row(access: RaceAccess) -> dict[str, Any]:
    place = access.location
    return {**asdict(access), "location": f"{place.file}:{place.line}" if place else ""}


def _without_columns(row: dict[str, Any]) -> dict[str, Any]:
    places = {key: f"{row[key]['file']}:{row[key]['line']}" if row[key] else "" for key in ("location", "since")}
    return {**row, **places}


# Reading


def load(path: Path) -> TraceFile:
    """The trace in a file."""
    try:
        text = path.read_text()
    except (OSError, UnicodeDecodeError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else "not a trace file: it is not UTF-8"
        raise UsageError(f"{path}: {reason}") from problem
    try:
        return loads(text)
    except UsageError as problem:
        raise UsageError(f"{path}: {problem.message}") from problem


def loads(text: str) -> TraceFile:
    """The trace in the text of a file."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise UsageError(f"not a trace file: {problem}") from problem
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise UsageError("not a trace file of pancam")
    version = document.get("version")
    if version != VERSION:
        raise UsageError(f"the trace file has version {version}, this pancam reads {VERSION}")
    reader = _Reader("the trace file")
    program = reader.get(document, "program", dict)
    origin = Origin(
        tuple(reader.each(program, "inputs", str)),
        tuple(_source_file(reader, row) for row in reader.each(program, "files", dict)),
        tuple(reader.each(program, "arguments", str)),
        reader.get(document, "options", dict),
        reader.get(document, "settings", dict),
    )
    moves = tuple(_move(row) for row in reader.each(document, "moves", list))
    cycle_start = document.get("cycle_start")
    if cycle_start is not None and not (_is_count(cycle_start) and cycle_start <= len(moves)):
        raise UsageError("the trace file's field cycle_start is not the number of a move")
    return TraceFile(origin, moves, _violation(reader, document), cycle_start)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


class _Reader:
    """Takes fields out of JSON objects; what is missing or of another type is an error that names the field."""

    def __init__(self, where: str) -> None:
        self.where = where

    def get(self, row: Mapping[str, Any], name: str, kind: type) -> Any:  # noqa: ANN401
        value = row.get(name)
        if not isinstance(value, kind) or (kind is int and not _is_count(value)):
            raise UsageError(f"{self.where}'s field {name} is missing or of the wrong type")
        return value

    def each(self, row: Mapping[str, Any], name: str, kind: type) -> Iterable[Any]:
        values = self.get(row, name, list)
        if not all(isinstance(value, kind) for value in values):
            raise UsageError(f"{self.where}'s list {name} has an entry of the wrong type")
        return list(values)


def _source_file(reader: _Reader, row: dict[str, Any]) -> SourceFile:
    return SourceFile(reader.get(row, "path", str), reader.get(row, "sha256", str))


def _violation(reader: _Reader, document: dict[str, Any]) -> Violation | None:
    if document.get("violation") is None:
        return None
    row = reader.get(document, "violation", dict)
    kind, text, file = (reader.get(row, name, str) for name in ("kind", "text", "file"))
    return Violation(kind, text, file, reader.get(row, "line", int))


def _move(row: list[Any]) -> Move:
    cls = MOVES.get(row[0]) if row and isinstance(row[0], str) else None
    if cls is None:
        raise UsageError(f"the trace file has a move of an unknown kind: {row[0] if row else 'nothing'}")
    names = list(cls.__dataclass_fields__)
    numbers = [name != "function" for name in names]
    fits = len(row) == len(names) + 1 and all(
        _is_count(value) if number else isinstance(value, str) for value, number in zip(row[1:], numbers, strict=True)
    )
    if not fits:
        raise UsageError(f"the trace file has a {row[0]} that is not {', '.join(names)}")
    return cls(*row[1:])
