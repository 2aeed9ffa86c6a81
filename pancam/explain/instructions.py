# SPDX-License-Identifier: Apache-2.0
"""What the trace notes about single instructions: accesses to memory, calls and returns, sections, threads, the heap.

An action gets the instruction and a function that does it, so that it can look at the state before and after.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pancam.bytecode.competition import is_atomic_function
from pancam.explain.nondet import nondet_text
from pancam.explain.notes import FrameView, Touched
from pancam.explain.sync_events import LibraryCall
from pancam.isa import OPCODES, WIDTHS, constants
from pancam.vm.machine import Status

if TYPE_CHECKING:
    from collections.abc import Callable

    from pancam.explain.notes import ThreadView
    from pancam.explain.recorder import Recorder
    from pancam.vm.machine import Stop

    Instruction = tuple[int, ...]  # op, a, b, c, x, y
    Run = Callable[[], Stop]
    Action = Callable[["Looking", ThreadView, Instruction, Run], Stop]

ATOMIC_BEGINS = ("pancam_atomic_begin", "__VERIFIER_atomic_begin")
ATOMIC_ENDS = ("pancam_atomic_end", "__VERIFIER_atomic_end")
ALLOCATORS = ("malloc", "calloc", "realloc", "reallocarray", "memalign", "aligned_alloc", "strdup", "strndup")
ROUTINE_ARGUMENT = {"pthread_create": 2, "thrd_create": 1}
SIGN = 1 << 31


def _is_in_atomic_function(view: ThreadView) -> bool:
    return bool(view.frames) and is_atomic_function(view.frames[-1].function.name)


def _signed(number: int) -> int:
    return number - (1 << 32) if number & SIGN else number


class Looking:
    """Does single instructions of a recorder's machine and writes down what they do."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.machine = recorder.machine
        self.tools = recorder.tools
        self._mask = (1 << self.machine.pointer_bits) - 1

    def _event(self, text: str) -> None:
        self.recorder.segment.events.append(text)

    # Memory

    def _address(self, view: ThreadView, instruction: Instruction) -> int:
        """Where an instruction with the operands `b + x` reads or writes."""
        return (self.machine.register(view.index, instruction[2]) + _signed(instruction[4])) & self._mask

    def load(self, view: ThreadView, instruction: Instruction, run: Run, size: int) -> Stop:
        return self._read(view, self._address(view, instruction), size, run)

    def load_at(self, view: ThreadView, instruction: Instruction, run: Run, size: int) -> Stop:
        return self._read(view, instruction[4] | instruction[5] << 32, size, run)

    def store(self, view: ThreadView, instruction: Instruction, run: Run, size: int) -> Stop:
        return self._write(view, self._address(view, instruction), size, run)

    def store_at(self, view: ThreadView, instruction: Instruction, run: Run, size: int) -> Stop:
        return self._write(view, instruction[4] | instruction[5] << 32, size, run)

    def update(self, view: ThreadView, instruction: Instruction, run: Run, size: int) -> Stop:
        return self._write(view, self.machine.register(view.index, instruction[2]), size, run)

    def exchange(self, view: ThreadView, instruction: Instruction, run: Run, size: int) -> Stop:
        """A compare-and-exchange that finds another value only reads."""
        pointer, expected = (self.machine.register(view.index, instruction[slot]) for slot in (2, 3))
        data = self.machine.read_memory(pointer, size)
        succeeds = data is None or int.from_bytes(data, "little") == expected
        return self._write(view, pointer, size, run) if succeeds else self._read(view, pointer, size, run)

    def _read(self, view: ThreadView, pointer: int, size: int, run: Run) -> Stop:
        target, leaves = self.tools.parts(pointer, size, view.call)
        if target is not None and not target.type:
            self.tools.learn_from_variables(view.index)
        segment = self.recorder.segment
        for leaf in leaves:
            assert target is not None
            data, low = self.tools.leaf_bytes(target, leaf), target.info.offset
            for noted in self.tools.noted(target, Touched(leaf, low, low + size, data, data), view.index):
                if noted.path not in segment.writes:
                    segment.reads[noted.path] = noted
        return run()

    def _write(self, view: ThreadView, pointer: int, size: int, run: Run) -> Stop:
        target, leaves = self.tools.parts(pointer, size, view.call)
        if target is None:
            return run()
        if not target.type:
            self.tools.learn_from_variables(view.index)
        old = [self.tools.leaf_bytes(target, leaf) for leaf in leaves]
        stop, low = run(), target.info.offset
        if self.machine.status is Status.FAULT:
            return stop
        for leaf, was in zip(leaves, old, strict=True):
            self.tools.learn_from_leaf(target, leaf)
            touched = Touched(leaf, low, low + size, was, self.tools.leaf_bytes(target, leaf))
            for noted in self.tools.noted(target, touched, view.index):
                self.recorder.segment.add_write(noted)
        return stop

    # Heap

    def allocate(self, view: ThreadView, instruction: Instruction, run: Run) -> Stop:
        size = self.machine.register(view.index, instruction[2])
        stop = run()
        if self.machine.status is Status.RUNNING:
            pointer = self.machine.register(view.index, instruction[1])
            call = view.call
            identifier = pointer >> self.machine.pointer_bits // 2
            self.tools.heap.allocate(identifier, size, view.index, view.stack(), call.name if call else "malloc")
            target = self.tools.objects.target(pointer)
            assert target is not None
            self._event(f"allocates {target.name} ({size} bytes)")
        return stop

    def free(self, view: ThreadView, instruction: Instruction, run: Run) -> Stop:
        pointer = self.machine.register(view.index, instruction[1])
        target = self.tools.objects.target(pointer)
        known = self.tools.objects.heap_history(pointer)
        stop = run()
        if self.machine.status is Status.RUNNING and target is not None:
            self._event(f"frees {target.name}")
            if known is not None:
                known.freed_by, known.freed_stack = view.index, view.stack()
        return stop

    def make_variable(self, view: ThreadView, instruction: Instruction, run: Run) -> Stop:
        """Somebody may use it when it is gone: what it was is remembered."""
        stop = run()
        if self.machine.status is Status.RUNNING:
            self.tools.objects.target(self.machine.register(view.index, instruction[1]))
        return stop

    # Calls

    def call(self, view: ThreadView, instruction: Instruction, run: Run) -> Stop:
        caller = view.frames[-1].function
        stop = run()
        if self.machine.status is Status.RUNNING:
            callee = self.tools.code.function_at(self.machine.pc(view.index))
            if callee.library and not caller.library:
                arguments = tuple(self.machine.register(view.index, slot) for slot in range(callee.parameter_slots))
                place = view.place()
                view.calls.append(LibraryCall(callee.name, arguments, len(view.frames), instruction[1], place))
            view.frames.append(FrameView(callee))
        return stop

    def give_back(self, view: ThreadView, _: Instruction, run: Run) -> Stop:
        stop = run()
        if self.machine.status is Status.RUNNING:
            view.frames.pop()
            if view.calls and view.calls[-1].depth == len(view.frames):
                self._returned(view, view.calls.pop())
        return stop

    def _returned(self, view: ThreadView, call: LibraryCall) -> None:
        if call.result_slot != constants()["NO_SLOT"]:
            text = nondet_text(
                call.name,
                call.arguments,
                self.machine.register(view.index, call.result_slot),
                self.machine.pointer_bits,
            )
            if not text and call.name in ALLOCATORS and not self.machine.register(view.index, call.result_slot):
                text = f"{call.name} gives NULL"
            if text:
                self._event(text)

    def jump_back(self, view: ThreadView, _: Instruction, run: Run) -> Stop:
        stop = run()
        left = len(self.machine.stack(view.index))
        del view.frames[left:]
        view.calls = [call for call in view.calls if call.depth < left]
        return stop

    # Sections and threads

    def begin(self, view: ThreadView, _: Instruction, run: Run) -> Stop:
        call = view.call
        if _is_in_atomic_function(view) or (call is not None and call.name in ATOMIC_BEGINS):
            self._event("enters an atomic section")
        elif call is not None:
            if call.nesting == 0:
                self.tools.sync.begin(call)
                call.timed_out = self.machine.waiting(view.index)
            call.nesting += 1
        return run()

    def end(self, view: ThreadView, _: Instruction, run: Run) -> Stop:
        stop, call = run(), view.call
        if _is_in_atomic_function(view) or (call is not None and call.name in ATOMIC_ENDS):
            self._event("leaves the atomic section")
        elif call is not None and call.nesting > 0:
            call.nesting -= 1
            if call.nesting == 0:
                self.recorder.segment.events.extend(self.tools.sync.end(call, view.index))
        return stop

    def spawn(self, view: ThreadView, instruction: Instruction, run: Run) -> Stop:
        thread = self.machine.register(view.index, instruction[1])
        stop, call = run(), view.call
        if self.machine.status is Status.RUNNING:
            at = ROUTINE_ARGUMENT.get(call.name) if call is not None else None
            if call is None or at is None:
                self.recorder.add_thread(thread, f"thread {thread}")
                return stop
            texts = [self.tools.objects.pointer_text(word, "", view.index) for word in call.arguments[at : at + 2]]
            self.recorder.add_thread(thread, texts[0])
            self._event(f"creates thread {thread}: {texts[0]}({texts[1]})")
        return stop

    def thread_end(self, view: ThreadView, _: Instruction, run: Run) -> Stop:
        self._event(f"thread {view.index} ends")
        return run()

    def leave(self, view: ThreadView, instruction: Instruction, run: Run) -> Stop:
        status = _signed(self.machine.register(view.index, instruction[1]) & 0xFFFFFFFF)
        self._event(f"the program exits with status {status}")
        return run()

    def look(self, _: ThreadView, __: Instruction, run: Run) -> Stop:
        """For instructions of which only the choice is noted."""
        return run()


def _sized(action: Callable[..., Stop], size: int) -> Action:
    return lambda looking, view, instruction, run: action(looking, view, instruction, run, size)


_PLAIN: dict[str, Action] = {
    "ALLOCA": Looking.make_variable,
    "ALLOCAV": Looking.make_variable,
    "ALLOC": Looking.allocate,
    "FREE": Looking.free,
    "CALL": Looking.call,
    "CALLPTR": Looking.call,
    "RET": Looking.give_back,
    "RETV": Looking.give_back,
    "RETI": Looking.give_back,
    "RETN": Looking.give_back,
    "LONGJMP": Looking.jump_back,
    "AWAIT": Looking.begin,
    "ATOMIC_BEGIN": Looking.begin,
    "ATOMIC_END": Looking.end,
    "SPAWN": Looking.spawn,
    "THREAD_END": Looking.thread_end,
    "EXIT": Looking.leave,
    "CHOOSE": Looking.look,
}
_SIZED: dict[str, Callable[..., Stop]] = {
    "LOAD": Looking.load,
    "STORE": Looking.store,
    "STOREI": Looking.store,
    "LOADA": Looking.load_at,
    "STOREA": Looking.store_at,
    "RMW": Looking.update,
    "CMPXCHG": Looking.exchange,
}
ACTIONS: dict[int, Action] = {OPCODES[name].number: action for name, action in _PLAIN.items()} | {
    OPCODES[f"{name}{width}"].number: _sized(action, width // 8) for name, action in _SIZED.items() for width in WIDTHS
}
