# SPDX-License-Identifier: Apache-2.0
"""What a thread does to mutexes, condition variables, threads and their like, told from the calls of the library.

Every operation of vm_c/guest/ is one atomic section, or several with waits before them. An event is told at the end of
a section, by comparing the object with what it was when the section began.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pancam.explain.sync_objects import (
    LockState,
    barrier_state,
    condition_waiters,
    mutex_state,
    rwlock_state,
    semaphore_value,
    spinlock_state,
    threads_text,
)
from pancam.isa import OPCODES

if TYPE_CHECKING:
    from pancam.errors import SourceLocation
    from pancam.explain.code_view import CodeView, Place
    from pancam.explain.objects import Objects
    from pancam.explain.sync_objects import GuestLayout
    from pancam.vm.machine import Machine

PREFIXES = {
    "pthread_mutex_": "mutex",
    "mtx_": "mutex",
    "pthread_cond_": "condition variable",
    "cnd_": "condition variable",
    "pthread_rwlock_": "read-write lock",
    "pthread_barrier_": "barrier",
    "pthread_spin_": "spinlock",
    "sem_": "semaphore",
}
JOINS = ("pthread_join", "pthread_timedjoin_np", "pthread_clockjoin_np", "pthread_tryjoin_np", "thrd_join")
DETACHES = ("pthread_detach", "thrd_detach")
LOCKS = ("mutex", "read-write lock", "spinlock")
AWAIT = OPCODES["AWAIT"].number
SMALL_RWLOCK, LARGE_RWLOCK = 32, 56
BYTES = {"mutex": 8, "condition variable": 8, "barrier": 12, "spinlock": 4, "semaphore": 4}


@dataclass
class LibraryCall:
    """A call from the user's code into the library that has not returned."""

    name: str
    arguments: tuple[int, ...]
    depth: int  # frames of the thread when it was made
    result_slot: int
    place: Place | None
    sections: int = 0
    nesting: int = 0  # of sections that are open now
    timed_out: bool = False
    before: dict[int, bytes] = field(default_factory=dict)  # by pointer, when the current section began

    @property
    def special(self) -> str:
        """What kind of object the call works on; empty for other functions."""
        if self.name in JOINS or self.name in DETACHES:
            return "thread"
        return next((kind for prefix, kind in PREFIXES.items() if self.name.startswith(prefix)), "")

    @property
    def operation(self) -> str:
        return next((self.name.removeprefix(p) for p in PREFIXES if self.name.startswith(p)), self.name)

    @property
    def object(self) -> int:
        return self.arguments[0] if self.arguments else 0

    def is_inside(self, pointer: int) -> bool:
        """Whether a pointer points into an object that the call works on."""
        mutex = self.arguments[1:2] if self.special == "condition variable" else ()
        return any(0 <= pointer - start < LARGE_RWLOCK for start in (self.object, *mutex) if start)


@dataclass(frozen=True, slots=True)
class Wait:
    """What a thread waits for, and which threads could end that."""

    thread: int
    what: str
    held: str = ""  # ` (held by thread 2)`
    holders: tuple[int, ...] = ()
    since: SourceLocation | None = None  # where the holder got it
    told: bool = False  # an event has said so already


class SyncEvents:
    """Describes library calls of threads that run in a machine."""

    def __init__(self, machine: Machine, code: CodeView, objects: Objects, layout: GuestLayout) -> None:
        self.machine = machine
        self.code = code
        self.objects = objects
        self.layout = layout
        self.acquired: dict[int, Place | None] = {}  # lock to where its owner got it

    # Sections

    def begin(self, call: LibraryCall) -> None:
        """A section of the call begins."""
        call.before = {call.object: self._bytes(call.special, call.object)} if call.special in BYTES else {}
        if call.special == "read-write lock":
            call.before = {call.object: self._bytes(call.special, call.object)}
        if call.special == "condition variable" and len(call.arguments) > 1:
            call.before[call.arguments[1]] = self._bytes("mutex", call.arguments[1])

    def end(self, call: LibraryCall, thread: int) -> list[str]:
        """What the section that ends now did; nothing when the call is not about threads."""
        special = call.special
        if special in LOCKS:
            events = [self._lock(call, thread)]
        elif special == "condition variable":
            events = [self._condition(call, thread)]
        elif special == "semaphore":
            events = [self._semaphore(call, thread)]
        elif special == "barrier":
            events = [self._barrier(call, thread)]
        elif special == "thread":
            events = [self._thread(call)]
        else:
            events = []
        call.sections += 1
        return [event for event in events if event]

    def _bytes(self, special: str, pointer: int) -> bytes:
        wide = self.layout.pointer_bytes > 4  # noqa: PLR2004 - bytes of a narrow pointer
        size = BYTES.get(special, LARGE_RWLOCK if wide else SMALL_RWLOCK)
        return self.machine.read_memory(pointer, size) or bytes(size)

    def _state(self, special: str, data: bytes) -> LockState:
        if special == "read-write lock":
            return rwlock_state(data, self.layout.thread_limit)
        return mutex_state(data) if special == "mutex" else spinlock_state(data)

    def _lock(self, call: LibraryCall, me: int) -> str:
        name, operation = self.objects.part_name(call.object, me), call.operation
        before = self._state(call.special, call.before.get(call.object, b"\0" * LARGE_RWLOCK))
        after = self._state(call.special, self._bytes(call.special, call.object))
        if operation in ("init", "destroy"):
            return f"{'initialises' if operation == 'init' else 'destroys'} {name}"
        if call.timed_out:
            return f"wait for {name} times out"
        if me in after.owners and me not in before.owners:
            self.acquired[call.object] = call.place
            kind = {True: "read-", False: "write-"}[after.reading] if call.special == "read-write lock" else ""
            return f"{kind}locks {name}"
        if me in before.owners and me not in after.owners:
            return f"unlocks {name}"
        if after.depth != before.depth:
            verb = "locks" if after.depth > before.depth else "unlocks"
            return f"{verb} {name} ({after.depth} {'locks' if after.depth > 1 else 'lock'} held now)"
        if operation.startswith("try"):
            return f"cannot lock {name}{self._held(after, me)}"
        return f"{operation} of {name} fails{self._held(after, me)}"

    @staticmethod
    def _held(state: LockState, me: int) -> str:
        if not state.owners:
            return ""
        return " (held by this thread itself)" if state.owners == (me,) else f" (held by {threads_text(state.owners)})"

    def _condition(self, call: LibraryCall, me: int) -> str:
        name, operation = self.objects.part_name(call.object, me), call.operation
        if operation.endswith("wait"):
            return self._condition_wait(call, name, me)
        if operation in ("init", "destroy"):
            return f"{'initialises' if operation == 'init' else 'destroys'} {name}"
        before = condition_waiters(call.before.get(call.object, bytes(8)))
        left = condition_waiters(self._bytes(call.special, call.object))
        woken = tuple(thread for thread in before if thread not in left)
        verb = "broadcasts" if operation == "broadcast" else "signals"
        return f"{verb} {name}: {f'wakes {threads_text(woken)}' if woken else 'nobody waits'}"

    def _condition_wait(self, call: LibraryCall, name: str, me: int) -> str:
        mutex = self.objects.part_name(call.arguments[1], me)
        owned_before = me in mutex_state(call.before.get(call.arguments[1], bytes(8))).owners
        owned = me in mutex_state(self._bytes("mutex", call.arguments[1])).owners
        if call.sections == 0:
            return f"waits on {name}, unlocks {mutex}" if owned_before and not owned else f"wait on {name} fails"
        if owned:
            self.acquired[call.arguments[1]] = call.place
        how = "wakes up"
        if call.timed_out:
            how = f"wait on {name} times out" if call.operation != "wait" else "wakes up spuriously"
        if call.sections > 1:
            return f"locks {mutex}"
        return f"{how}, locks {mutex}" if owned else f"{how}, waits for {mutex}"

    def _semaphore(self, call: LibraryCall, me: int) -> str:
        name, operation = self.objects.part_name(call.object, me), call.operation
        before = semaphore_value(call.before.get(call.object, bytes(4)))
        after = semaphore_value(self._bytes(call.special, call.object))
        if operation == "init":
            return f"initialises {name} to {after}"
        if operation == "destroy":
            return f"destroys {name}"
        if call.timed_out:
            return f"wait for {name} times out"
        if after == before:
            return f"cannot take {name} (it is {after})" if operation == "trywait" else ""
        return f"{'posts' if operation == 'post' else 'takes'} {name} ({before} -> {after})"

    def _barrier(self, call: LibraryCall, me: int) -> str:
        name = self.objects.part_name(call.object, me)
        if call.operation in ("init", "destroy"):
            return f"{'initialises' if call.operation == 'init' else 'destroys'} {name}"
        if call.sections > 0:
            return f"goes on from {name}"
        _, before = barrier_state(call.before.get(call.object, bytes(12)))
        threads, waiting = barrier_state(self._bytes(call.special, call.object))
        if me in waiting:
            return f"waits at {name} ({len(waiting)} of {threads} threads are there)"
        return f"arrives last at {name}" + (f", wakes {threads_text(before)}" if before else "")

    def _thread(self, call: LibraryCall) -> str:
        other = f"thread {call.object - 1}"
        if call.name in DETACHES:
            return f"detaches {other}"
        if call.timed_out:
            return f"join of {other} times out"
        if call.name == "pthread_tryjoin_np" and call.object - 1 in self.machine.threads:
            return f"cannot join {other} yet"
        return f"joins {other}"

    # Waiting

    def wait(self, thread: int, call: LibraryCall | None) -> Wait | None:
        """What a thread that stands at a wait that does not hold waits for."""
        if not self.machine.waiting(thread):
            return None
        instruction = self.code.instructions[self.machine.pc(thread)]
        word = self.machine.register(thread, instruction[2]) if instruction[0] == AWAIT else 0
        if call is None:
            return Wait(thread, self.objects.part_name(word, thread))
        special = call.special
        if special == "thread":
            return Wait(thread, f"thread {call.object - 1} to end", holders=(call.object - 1,))
        if special in LOCKS or (special == "condition variable" and word in call.arguments[1:2]):
            return self._lock_wait(thread, special if special in LOCKS else "mutex", word)
        name = self.objects.part_name(call.object, thread)
        if special == "condition variable":
            return Wait(thread, f"a signal on {name}", told=True)
        if special == "barrier":
            threads, waiting = barrier_state(self._bytes(special, call.object))
            return Wait(thread, f"the others at {name} ({len(waiting)} of {threads} threads are there)", told=True)
        if special == "semaphore":
            return Wait(thread, f"{name} (it is 0)")
        return Wait(thread, f"the end of {call.name} in another thread" if "once" in call.name else call.name)

    def _lock_wait(self, thread: int, special: str, pointer: int) -> Wait:
        state = self._state(special, self._bytes(special, pointer))
        place = self.acquired.get(pointer)
        since = place.location if place and state.owners else None
        name = self.objects.part_name(pointer, thread)
        return Wait(thread, name, self._held(state, thread), state.owners, since)
