# SPDX-License-Identifier: Apache-2.0
"""Violation witnesses in the competition's YAML format 2.2, the first one with threads: a trace as a list of waypoints.

A segment is passed after the one before it, by the thread that it names: 0 is main, k the thread that the k-th
waypoint at a thread-creating call creates. A witness stands for a set of executions, and the trace is one of them: of
the schedule it tells where a thread goes on after another one, if a statement begins there.
"""

from __future__ import annotations

import hashlib
import re
import uuid
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pancam.errors import UsageError
from pancam.explain.sources import whole_line
from pancam.moves import Race

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pancam.errors import SourceLocation
    from pancam.explain.trace import Trace, TraceStep
    from pancam.svcomp.properties import Property

FORMAT_VERSION = "2.2"
_CREATES = re.compile(r"creates thread (\d+): ")
_CHOSEN = re.compile(r"(__VERIFIER_nondet_\w+)\(\) = (-?\d+|true|false|'\\?[^']')\Z")
# A line that begins like this does not begin with a statement that is come to each time when the line is.
_NO_STATEMENT = re.compile(r"(while|for|do|else|case|default|switch)\b|[^\w*(]")

_ENDS_STATEMENT = (";", "{", "}", ")", ":", "*/", "else", "do")


@dataclass(frozen=True)
class WitnessTask:
    """What a witness is about."""

    files: tuple[str, ...]
    wanted: Property
    m32: bool
    version: str  # of pancam


def violation_witness(trace: Trace, task: WitnessTask) -> list[dict[str, Any]]:
    """The witness of a trace, as the value that the YAML file has."""
    content = _Content(trace, {Path(path).name for path in task.files})
    assert trace.ending.violation is not None
    return [
        {
            "entry_type": "violation_sequence",
            "metadata": _metadata(task, task.wanted.formula_of(trace.ending.violation.kind)),
            "content": [{"segment": [{"waypoint": point} for point in segment]} for segment in content.segments()],
        }
    ]


def _metadata(task: WitnessTask, formula: str) -> dict[str, Any]:
    digests = {Path(path).name: _digest(path) for path in task.files}
    return {
        "format_version": FORMAT_VERSION,
        "uuid": str(uuid.uuid4()),
        "creation_time": datetime.now(UTC).isoformat(timespec="seconds"),
        "producer": {"name": "pancam", "version": task.version},
        "task": {
            "input_files": list(digests),
            "input_file_hashes": digests,
            "specification": formula,
            "data_model": "ILP32" if task.m32 else "LP64",
            "language": "C",
        },
    }


def _digest(path: str) -> str:
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError as problem:
        raise UsageError(f"{path}: {problem.strerror}") from problem


@dataclass
class _Content:
    """Goes over the steps of a trace."""

    trace: Trace
    files: set[str]
    threads: dict[int, int] = field(default_factory=lambda: {0: 0})  # numbers of the machine, which it gives out again
    created: int = 0
    lines: dict[int, tuple[str, int]] = field(default_factory=dict)  # where each thread was last

    def segments(self) -> Iterator[list[dict[str, Any]]]:
        previous: int | None = 0
        # Accesses that are still to be made are targets, not steps.
        made = [step for step in self.trace.steps if not isinstance(self.trace.moves[step.move], Race)]
        for step in made:
            if step.location is None or step.thread is None or not self._is_in_program(step.location):
                continue
            line = (step.function, step.location.line)
            if step.thread != previous and self.lines.get(step.thread) != line and _begins_statement(step):
                yield [self._waypoint("assumption", step, constraint={"value": "1", "format": "c_expression"})]
            previous, self.lines[step.thread] = step.thread, line
            yield from self._events(step)
        yield self._targets()

    def _events(self, step: TraceStep) -> Iterator[list[dict[str, Any]]]:
        for event in step.events:
            creates, chosen = _CREATES.match(event), _CHOSEN.match(event)
            if creates is not None:
                yield [self._waypoint("function_enter", step, column=_closing_parenthesis(step, "pthread_create"))]
                self.created += 1
                self.threads[int(creates.group(1))] = self.created
                self.lines.pop(int(creates.group(1)), None)
            elif chosen is not None:
                number = {"true": "1", "false": "0"}.get(chosen.group(2), chosen.group(2))
                constraint = {"value": f"\\result == {number}", "format": "acsl_expression"}
                column = _closing_parenthesis(step, chosen.group(1))
                yield [self._waypoint("function_return", step, column=column, constraint=constraint)]

    def _waypoint(
        self, kind: str, step: TraceStep, *, column: int = 0, constraint: dict[str, str] | None = None
    ) -> dict[str, Any]:
        assert step.location is not None
        assert step.thread is not None
        point = {"type": kind, "action": "follow", "thread_id": self.threads.get(step.thread, 0)}
        if constraint is not None:
            point |= {"constraint": constraint}
        return point | {"location": _location(step.location, column, step.function)}

    def _targets(self) -> list[dict[str, Any]]:
        """Where the property is violated: at one place, or at the two accesses of a data race, in no order."""
        ending = self.trace.ending
        if ending.accesses:
            return [self._target(access.location, access.thread, access.stack) for access in ending.accesses]
        is_call = ending.violation is not None and ending.violation.kind == "ERROR_REACHED"
        column = ending.location.column if ending.location is not None and is_call else 0
        return [self._target(ending.location, ending.thread or 0, ending.stack, column)]

    def _target(
        self, location: SourceLocation | None, thread: int, stack: tuple[str, ...], column: int = 0
    ) -> dict[str, Any]:
        """Only the place of a call is known to the column: an access is somewhere inside of its statement."""
        if location is None or not location.line:
            raise UsageError("the violation has no place in the program: there is no witness for it")
        function = stack[0].partition(" at ")[0] if stack else ""
        place = _location(location, column, function)
        return {"type": "target", "action": "follow", "thread_id": self.threads.get(thread, 0), "location": place}

    def _is_in_program(self, location: SourceLocation) -> bool:
        return bool(location.line) and Path(location.file).name in self.files


def _location(location: SourceLocation, column: int, function: str) -> dict[str, Any]:
    """Without a column it is the first place on the line that suits the type of the waypoint."""
    value: dict[str, Any] = {"file_name": Path(location.file).name, "line": location.line}
    if column:
        value["column"] = column
    return value | ({"function": function} if function else {})


def _begins_statement(step: TraceStep) -> bool:
    """Whether an assumption may stand on the line: it must be where a statement begins, as far as the text tells."""
    if not step.source or step.location is None or _NO_STATEMENT.match(step.source.strip()):
        return False
    before = whole_line(replace(step.location, line=step.location.line - 1)).rstrip()
    return not before or before.endswith(_ENDS_STATEMENT)


def _closing_parenthesis(step: TraceStep, callee: str) -> int:
    """The column behind the arguments of a call, where its waypoints are; 0 where the line does not tell."""
    text = whole_line(step.location) if step.location is not None else ""
    start = text.find(callee)
    if start < 0 or text.find(callee, start + 1) >= 0:
        return 0
    depth = 0
    for index in range(start + len(callee), len(text)):
        depth += {"(": 1, ")": -1}.get(text[index], 0)
        if text[index] == ")" and depth == 0:
            return index + 1
    return 0
