# SPDX-License-Identifier: Apache-2.0
"""A trace as text for a terminal: who did what on which line, in order, and what went wrong at the end.

Steps of one thread on one line are one entry, and steps that concern nobody else are left out; the numbers of the
steps show the gaps. With `full` every step is an entry, with everything it read and wrote.
"""

from __future__ import annotations

import os
import textwrap
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pancam.explain.ending import DEADLOCK
from pancam.explain.objects import quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pancam.errors import SourceLocation
    from pancam.explain.ending import Ending, Waiting
    from pancam.explain.trace import Change, Trace, TraceStep

WIDTH = 100
WIDEST_SOURCE = 44
MOST_NOTES = 8  # of one entry
MOST_READS = 4
NOTE_INDENT = 4
BOLD, RED, PLAIN = "\033[1m", "\033[31m", "\033[0m"


@dataclass
class Entry:
    """One line of the text: steps of one thread on one line of the source."""

    first: TraceStep
    last: TraceStep
    events: list[tuple[int, str]] = field(default_factory=list)  # with the step they belong to
    changes: dict[str, tuple[int, str, str]] = field(default_factory=dict)
    reads: dict[str, tuple[int, str]] = field(default_factory=dict)
    output: str = ""

    def takes(self, step: TraceStep) -> bool:
        """Whether a step that follows belongs to the same entry."""
        return _key(self.first) == _key(step)

    def add(self, step: TraceStep, *, full: bool) -> None:
        self.last = step
        for read in step.reads:
            if (full or read.contended) and read.path not in self.changes:
                self.reads[read.path] = step.number, read.value
        for change in step.changes:
            if full or change.shared:
                self._change(step.number, change)
        told = [event for _, event in self.events[-1:]]
        self.events.extend((step.number, event) for event in step.events if event not in told)
        if step.choice is not None and not step.events:
            self.events.append((step.number, f"choice {step.choice}"))
        self.output += step.output

    def _change(self, number: int, change: Change) -> None:
        _, old, _ = self.changes.pop(change.path, (number, change.old, ""))
        self.changes[change.path] = (number, old, change.new)
        if self.reads.get(change.path, (0, None))[1] == old:  # read and written at once: the change tells both
            del self.reads[change.path]

    def notes(self) -> list[str]:
        """What is told beside the source text, in the order in which it happened."""
        reads = [(number, f"reads {path} = {value}") for path, (number, value) in self.reads.items()]
        changes = [(number, f"{path}: {old} -> {new}") for path, (number, old, new) in self.changes.items()]
        notes = [*_at_most(MOST_READS, reads), *_at_most(MOST_NOTES, changes), *_at_most(MOST_NOTES, self.events)]
        told = [note for _, note in sorted(notes, key=lambda note: note[0])]
        return [*told, f"prints {quoted(self.output.encode())}"] if self.output else told


def _at_most(count: int, notes: list[tuple[int, str]]) -> list[tuple[int, str]]:
    if len(notes) <= count:
        return notes
    return [*notes[: count - 1], (notes[-1][0], f"... and {len(notes) - count + 1} more")]


def _key(step: TraceStep) -> tuple[object, ...]:
    place = step.location
    return step.thread, step.function, place and place.file, place and place.line


def entries(trace: Trace, *, full: bool = False) -> list[Entry]:
    """The steps to show, merged. Where the trace ends and where a cycle starts is always shown."""
    found: list[Entry] = []
    start = trace.cycle_start
    in_cycle = next((step for step in trace.steps if start is not None and step.move >= start), None)
    for step in trace.steps:
        is_last = step is trace.steps[-1] and step.location is not None
        if step.is_dull and not full and not is_last and step is not in_cycle:
            continue
        if full or not found or step is in_cycle or not found[-1].takes(step):
            found.append(Entry(step, step))
        found[-1].add(step, full=full)
    return found


def render(trace: Trace, *, full: bool = False, width: int = WIDTH, colour: bool = False) -> str:
    """The trace as lines of at most `width` characters; `colour` for terminals that have it."""
    shown = entries(trace, full=full)
    layout = _Layout(trace, shown, width, colour)
    lines = [layout.heading(), ""]
    previous: Entry | None = None
    for entry in shown:
        if trace.cycle_start is not None and _crosses(previous, entry, trace.cycle_start):
            lines.append(layout.marker("the following repeats for ever"))
        if previous is None or previous.first.thread != entry.first.thread:
            lines.append(layout.marker(_switch(trace, previous, entry)))
        lines.extend(layout.entry(entry))
        previous = entry
    lines += ["", *layout.ending(full=full)]
    return "\n".join(line.rstrip() for line in lines).rstrip() + "\n"


def _crosses(previous: Entry | None, entry: Entry, move: int) -> bool:
    return entry.first.move >= move and (previous is None or previous.last.move < move)


def thread_text(step: TraceStep) -> str:
    """`thread 1 (worker)`, or the driver."""
    if step.thread is None:
        return step.thread_name
    plain = f"thread {step.thread}"
    return plain if step.thread_name == plain else f"{plain} ({step.thread_name})"


def _switch(trace: Trace, previous: Entry | None, entry: Entry) -> str:
    """The text of a context switch; it tells when the thread before could have gone on."""
    text = thread_text(entry.first)
    if previous is None:
        return text
    for move in trace.preempted:
        before = getattr(trace.moves[move - 1], "thread", None)
        if previous.last.move < move <= entry.first.move and before == previous.first.thread:
            return f"{text} preempts thread {previous.first.thread}"
    return text


class _Layout:
    """Columns: number, thread, place, source, notes."""

    def __init__(self, trace: Trace, shown: list[Entry], width: int, colour: bool) -> None:
        self.trace = trace
        self.width = width
        self.colour = colour
        files = {entry.first.location.file for entry in shown if entry.first.location is not None}
        self.short = len({os.path.basename(file) for file in files}) == len(files)
        self.digits = max((len(str(entry.first.number)) for entry in shown), default=1)
        self.tag = max((len(self._tag(entry)) for entry in shown), default=2)
        self.place = max((len(self._step_place(entry.first)) for entry in shown), default=0)
        self.start = 2 + self.digits + 2 + self.tag + 2 + self.place + 2
        sources = [len(entry.first.source) for entry in shown if entry.notes()]
        fitting = [length for length in sources if length <= WIDEST_SOURCE]
        self.notes = self.start + max(fitting, default=WIDEST_SOURCE) + 2

    @staticmethod
    def _tag(entry: Entry) -> str:
        return "--" if entry.first.thread is None else f"T{entry.first.thread}"

    def _step_place(self, step: TraceStep) -> str:
        if step.location is None:
            return "" if step.thread is None else "(library)"  # what the driver does has no line in the program
        return self._place(step.location)

    def _place(self, location: SourceLocation) -> str:
        file = os.path.basename(location.file) if self.short else display_path(location.file)
        return f"{file}:{location.line}"

    def _paint(self, text: str, code: str) -> str:
        return f"{code}{text}{PLAIN}" if self.colour else text

    def heading(self) -> str:
        trace = self.trace
        moves = f"{len(trace.steps)} step{'s' if len(trace.steps) != 1 else ''}"
        if not trace.switches:
            return f"{moves}, no context switch"
        plural = "es" if trace.switches > 1 else ""
        return f"{moves}, {trace.switches} context switch{plural} ({len(trace.preempted)} preemptive)"

    def marker(self, text: str) -> str:
        return self._paint(f"-- {text} ".ljust(self.width, "-"), BOLD)

    def entry(self, entry: Entry) -> Iterator[str]:
        """The source line, and its notes beside it where they fit, below it where they do not."""
        step = entry.first
        tag, place = self._tag(entry), self._step_place(step)
        head = f"  {step.number:>{self.digits}}  {tag:<{self.tag}}  {place:<{self.place}}  "
        source = textwrap.shorten(step.source, max(self.width - self.start, 8), placeholder=" ...")
        line, notes = head + source, entry.notes()
        room = self.width - self.notes
        if len(line) + 2 <= self.notes and all(len(note) <= room for note in notes):
            yield line.ljust(self.notes) + notes[0] if notes else line
            yield from (" " * self.notes + note for note in notes[1:])
            return
        yield line
        for note in notes:
            yield from self._wrapped(note, " " * (self.start + NOTE_INDENT))

    # The end

    def ending(self, *, full: bool) -> Iterator[str]:
        ending = self.trace.ending
        if ending.violation is None:
            yield "the trace ends here without a violation"
        elif ending.violation.kind == DEADLOCK:
            yield self._paint("deadlock: no thread can move", RED)
            yield from self._indented(self._waiting(ending))
        else:
            where = f"{display_path(ending.location.file)}:{ending.location.line}: " if ending.location else ""
            yield self._paint(f"{where}{ending.violation.text}", RED)  # whole, as compilers write it
            yield from self._indented(f"{path} = {value}" for path, value in ending.values)
            yield from self._indented(ending.details)
            yield from self._accesses(ending)
            yield from self._indented(self._waiting(ending))
            if len(ending.stack) > 1:
                yield f"    stack of thread {ending.thread}:"
                yield from (f"        {line}" for line in ending.stack)
        yield from self.trace.notes
        if full:
            yield from ending.stacks

    def _accesses(self, ending: Ending) -> Iterator[str]:
        """Both sides of a data race, each with its stack."""
        for access in ending.accesses:
            where = f" at {self._place(access.location)}" if access.location else ""
            inside = f", in {access.library}" if access.library else ""
            how = f" {access.how}" if access.how else ""
            yield f"    thread {access.thread} ({access.name}) {access.access} {access.path}{how}{where}{inside}:"
            yield from (f"        {line}" for line in access.stack)

    def _indented(self, texts: Iterable[str]) -> Iterator[str]:
        for text in texts:
            yield from self._wrapped(text, " " * NOTE_INDENT)

    def _wrapped(self, text: str, indent: str) -> list[str]:
        return textwrap.wrap(
            text, self.width, initial_indent=indent, subsequent_indent=indent + " " * NOTE_INDENT,
            break_on_hyphens=False, break_long_words=False,
        )  # fmt: skip

    def _waiting(self, ending: Ending) -> Iterator[str]:
        for waiting in ending.waiting:
            yield self._wait_line(waiting)
        if len(ending.cycle) > 1:
            what = {waiting.thread: waiting.what for waiting in ending.waiting if waiting.held}
            links = [
                f"thread {thread} -> " + (f"{what[thread]} -> " if thread in what else "") for thread in ending.cycle
            ]
            yield f"cycle: {''.join(links)}thread {ending.cycle[0]}"

    def _wait_line(self, waiting: Waiting) -> str:
        where = f" at {self._place(waiting.location)}" if waiting.location else ""
        since = f" since {self._place(waiting.since)})" if waiting.since else ""
        held = waiting.held.removesuffix(")") + since if since else waiting.held
        return f"thread {waiting.thread} ({waiting.name}){where} waits for {waiting.what}{held}"


def display_path(file: str) -> str:
    """A path as a user would type it: relative where the file lies below the current folder."""
    try:
        relative = os.path.relpath(file)
    except ValueError:
        return file
    return file if relative.startswith("..") else relative
