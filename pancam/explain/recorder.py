# SPDX-License-Identifier: Apache-2.0
"""Replays moves: the checker does each one, then the machine does it again instruction by instruction, looked at.

What a move means is the checker's business alone. Looking begins in the state before the move and ends in the state
that the checker's move led to; when it gets nowhere near, the two states are compared instead.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pancam.explain.code_view import Place
from pancam.explain.expressions import Scope
from pancam.explain.instructions import ACTIONS, Looking
from pancam.explain.notes import FrameView, Segment, ThreadView, Toolbox
from pancam.explain.objects import Heap
from pancam.explain.sources import source_line
from pancam.explain.survey import changes_since, survey_heap
from pancam.vm.machine import Mode, Status, Stop

if TYPE_CHECKING:
    from pancam.bytecode.program import Program
    from pancam.explain.code_view import CodeView
    from pancam.vm.checker import Checker

PROCESS_BYTES = 40  # VmHeader at the start of a packed state: what became of the process, which others may decide
MOST_INSTRUCTIONS = 1 << 18  # of one move that are looked at one by one


@dataclass
class Watch:
    """Texts of which the values are wanted when a thread is on a line for the last time.

    `found` has for each text the last values that were known there. A variable may be dead when the fault happens, in a
    move that is not the first one on the line: then a second replay watches from the move `since` on.
    """

    thread: int
    place: Place
    texts: tuple[str, ...]
    since: int
    found: dict[str, dict[str, tuple[str, str]]] = field(default_factory=dict)

    @property
    def values(self) -> dict[str, str]:
        """Of the first text that names anything known."""
        return dict(next((self.found[text] for text in self.texts if self.found.get(text)), {}).values())


@dataclass
class Kept:
    """What one replay hands to the next: types of heap objects, and what to watch."""

    heap: Heap = field(default_factory=Heap)
    watch: Watch | None = None


class Recorder:
    """Follows one execution and keeps its segments."""

    def __init__(self, program: Program, checker: Checker, code: CodeView, kept: Kept) -> None:
        self.checker = checker
        self.machine = checker.machine
        self.tools = Toolbox(program, self.machine, code, kept.heap)
        self.segments: list[Segment] = []
        self.threads: dict[int, ThreadView] = {0: self._new_view(0, "main")}
        self.watch: Watch | None = kept.watch
        self.move = 0
        self._looking = Looking(self)
        self.is_listening = False
        self.machine.set_output(self._output)

    def close(self) -> None:
        self.machine.set_output(None)

    # Segments

    @property
    def segment(self) -> Segment:
        return self.segments[-1]

    def open_segment(self, view: ThreadView) -> Segment:
        """A new segment for what a thread does where it is."""
        self.segments.append(Segment(self.move, view.index, view.name, view.place(), view.born))
        return self.segment

    def _follow(self, view: ThreadView, pc: int) -> None:
        """Notice which line an instruction belongs to."""
        top = view.frames[-1]
        if not top.function.library:
            top.place = self.tools.code.place(pc) or top.place
        here, shown = view.place(), self.segment.place
        if here is not None and here.line != view.line:
            view.line = here.line
            view.arrived[here.line] = self.move
            if self.watch is not None and self.watch.thread == view.index and self.watch.place.line == here.line:
                self.watch.found.clear()
        if here is not shown and (here is None or shown is None or here.line != shown.line):
            if self.segment.is_empty and self.segment.move == self.move and self.segment.thread == view.index:
                self.segments.pop()
            self.open_segment(view)

    def _output(self, _: int, data: bytes) -> None:
        if self.is_listening:
            self.segment.output += data

    def _new_view(self, thread: int, name: str) -> ThreadView:
        frames = [FrameView(self.tools.code.functions[frame.function]) for frame in self.machine.stack(thread)]
        view = ThreadView(thread, name, len(self.segments), frames[::-1])
        for seen, frame in zip(frames, self.machine.stack(thread), strict=True):
            seen.place = None if seen.function.library else self.tools.code.place(frame.pc)
        return view

    def add_thread(self, thread: int, name: str) -> ThreadView:
        view = self.threads[thread] = self._new_view(thread, name)
        return view

    # Moves

    def step(self, thread: int, choice: int, transitions: int | None = None) -> None:
        """Do a move of the checker, or so many transitions of it, and note it."""
        before, value = self.checker.pack(), self.checker.chosen_value(thread, choice)
        if transitions is None:
            self.checker.step(thread, choice)
        else:
            self.checker.approach(thread, choice, transitions)
        if not self.machine.executed:  # a choice among many values was narrowed down
            return
        after, goal = self.checker.pack(), self.machine.pack()
        self.watch = self.watch or self._watch_of_fault()
        self.checker.unpack(before)
        view = self.threads.get(thread) or self.add_thread(thread, f"thread {thread}")
        self.open_segment(view)
        begin = len(self.segments)
        if not self._look(view, value, goal, self._goal_pc(goal, before, thread)):
            del self.segments[begin - 1 :]  # what was noted did not happen
            self.open_segment(view)
            self._compare(view, before, after)
        self.checker.unpack(after)
        if thread not in self.machine.threads:
            self.threads.pop(thread, None)
        elif self.machine.status is Status.RUNNING or self.machine.fault is not None:
            self._note_wait(view)
        if self.watch is not None:
            self.watch.since = min(self.watch.since, view.arrived.get(self.watch.place.line, self.move))

    def _goal_pc(self, goal: bytes, before: bytes, thread: int) -> int | None:
        self.machine.unpack(goal)
        pc = self.machine.pc(thread) if thread in self.machine.threads else None
        self.checker.unpack(before)
        return pc

    def _look(self, view: ThreadView, choice: int | None, goal: bytes, goal_pc: int | None) -> bool:
        """Do the move one instruction at a time, up to the state `goal`; False when it is not reached."""
        self.is_listening = True
        try:
            offered = choice
            for count in range(MOST_INSTRUCTIONS):
                chooses = self.machine.at_choice(view.index)
                stop = self._instruction(view, offered, first=count == 0)
                offered = None if chooses else offered
                if self._is_there(view, stop, goal, goal_pc):
                    return True
                if stop is not Stop.STEP:
                    return False
        finally:
            self.is_listening = False
        return False

    def _is_there(self, view: ThreadView, stop: Stop, goal: bytes, goal_pc: int | None) -> bool:
        if stop is Stop.THREAD_ENDED:
            return goal_pc is None
        if self.machine.pc(view.index) != goal_pc:
            return False
        self.machine.canonicalise(view.index)
        return self.machine.pack()[PROCESS_BYTES:] == goal[PROCESS_BYTES:]

    def _instruction(self, view: ThreadView, choice: int | None, *, first: bool) -> Stop:
        pc = self.machine.pc(view.index)
        self._follow(view, pc)
        if self.watch is not None:
            self._sample(view, anywhere=first)
        instruction = self.tools.code.instructions[pc]

        def run() -> Stop:
            return self.machine.run(view.index, Mode.TRACE, 1, choice=choice, time_out=first)

        action = ACTIONS.get(instruction[0])
        if action is None:
            return run()
        if choice is not None and self.machine.at_choice(view.index):
            self.segment.choice = choice
        return action(self._looking, view, instruction, run)

    def user_place(self, thread: int) -> Place | None:
        """The line of the user that a thread is at, read from its stack."""
        places = (self.tools.code.place(frame.pc) for frame in self.machine.stack(thread))
        return next((place for place in places if place is not None), None)

    def _watch_of_fault(self) -> Watch | None:
        """What to look out for while a move that ends in a fault is looked at: the condition, or the line itself."""
        fault = self.machine.fault
        places = [self.tools.code.place(frame.pc) for frame in self.machine.stack(fault.thread)] if fault else []
        mine = [place for place in places if place is not None]
        if fault is None or not mine:
            return None
        place = next((place for place in mine if "assert" not in place.function.lower()), mine[0])
        message = self.machine.read_string(fault.detail[0]) if fault.kind == "ASSERT" else None
        condition = (message.decode(errors="replace"),) if message else ()
        return Watch(fault.thread, place, (*condition, source_line(place.location)), self.move)

    def _sample(self, view: ThreadView, *, anywhere: bool) -> None:
        """Look at the watched values in the user's own code, or `anywhere` below it, which takes long each time."""
        watch, place = self.watch, view.place()
        if watch is None or place is None or place.line != watch.place.line:
            return
        if view.index != watch.thread or self.move < watch.since:
            return
        if view.frames[-1].function.library and not anywhere:
            return
        frames = self.machine.stack(view.index)
        frame = next(frame for frame in frames if self.tools.code.place(frame.pc) is not None)
        for text in watch.texts:
            found = self.tools.expressions.values_in(text, Scope(view.index, frame, place))
            watch.found[text] = {**watch.found.get(text, {}), **found}

    def _compare(self, view: ThreadView, before: bytes, after: bytes) -> None:
        """Note what a move changed from the states on both sides of it."""
        self.checker.unpack(before)
        old = self.tools.memory.snapshot(self.tools.objects)
        self.checker.unpack(after)
        self.note_differences(old, view.index)
        if view.index in self.machine.threads:
            known = self._new_view(view.index, view.name)
            view.frames, view.calls = known.frames, []
        for thread in self.machine.threads:
            if thread not in self.threads:
                self.add_thread(thread, f"thread {thread}")

    def note_differences(self, old: dict[int, bytes], viewer: int) -> None:
        """Note where memory is not what it was, and which heap objects came and went, in the current segment."""
        news = survey_heap(self.tools)
        for made in news.found:
            self.segment.events.append(f"allocates {self.tools.objects.heap_name(made)} ({made.size} bytes)")
        self.segment.events.extend(f"frees {self.tools.objects.heap_name(lost)}" for lost in news.gone)
        for noted in changes_since(self.tools, old, viewer):
            self.segment.writes[noted.path] = noted

    def _note_wait(self, view: ThreadView) -> None:
        wait = self.tools.sync.wait(view.index, view.call)
        if wait is not None and not wait.told:
            self.segment.events.append(f"waits for {wait.what}{wait.held}")
