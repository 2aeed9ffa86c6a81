# SPDX-License-Identifier: Apache-2.0
"""What the bytes of mutexes, condition variables, semaphores and their like say.

The layouts are those of vm_c/guest/: mutex.c, rwlock.c, cond.c, semaphore.c, barrier.c, spin.c; threads of sets are
bits of two words. tests/unit/test_values.py compares them with what the library really writes.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

MUTEX_OWNER, MUTEX_DESTROYED = 0x7FFF, 0x10000
RWLOCK_WRITER, RWLOCK_READERS, RWLOCK_WAITING, RWLOCK_DESTROYED = 0xFF, 0xFF00, 0xFF0000, 0x1000000
RWLOCK_LARGE = 56  # bytes of a pthread_rwlock_t that has eight words of counters and not four
SEMAPHORE_INITIALISED = 0x80000000
SPIN_FREE, SPIN_FIRST_OWNER = 1, 2
WORD = 4


@dataclass(frozen=True, slots=True)
class GuestLayout:
    """What the layouts depend on."""

    thread_limit: int
    pointer_bytes: int


@dataclass(frozen=True, slots=True)
class LockState:
    """Who has a lock: one thread, or several that read; `depth` counts the locks of a recursive mutex."""

    owners: tuple[int, ...] = ()
    depth: int = 0
    note: str = ""
    reading: bool = False


def _words(data: bytes) -> tuple[int, ...]:
    return struct.unpack_from(f"<{len(data) // WORD}I", data)


def _members(low: int, high: int) -> tuple[int, ...]:
    bits = low | high << 32
    return tuple(thread for thread in range(64) if bits >> thread & 1)


def mutex_state(data: bytes) -> LockState:
    """Who has a mutex."""
    lock, count, *_ = _words(data)
    if lock & MUTEX_DESTROYED:
        return LockState(note="destroyed")
    owner = lock & MUTEX_OWNER
    return LockState((owner - 1,), count + 1) if owner else LockState()


def rwlock_state(data: bytes, thread_limit: int) -> LockState:
    """Who has a read-write lock; it has a counter for each of `thread_limit` threads."""
    words = _words(data)
    lock = words[0]
    if lock & RWLOCK_DESTROYED:
        return LockState(note="destroyed")
    waiting = (lock & RWLOCK_WAITING) >> 16
    note = f"{waiting} waiting to write" if waiting else ""
    if lock & RWLOCK_WRITER:
        return LockState(((lock & RWLOCK_WRITER) - 1,), 1, note)
    if not lock & RWLOCK_READERS:
        return LockState(note=note)
    count_words = 8 if len(data) >= RWLOCK_LARGE else 4
    per_word = -(-thread_limit // count_words)
    bits = 32 // per_word
    counts = words[1 : 1 + count_words]
    held = [counts[t // per_word] >> t % per_word * bits & ((1 << bits) - 1) for t in range(thread_limit)]
    return LockState(tuple(t for t, count in enumerate(held) if count), 1, note, reading=True)


def spinlock_state(data: bytes) -> LockState:
    """Who has a spinlock."""
    word = _words(data)[0]
    if word == 0:
        return LockState(note="not initialised")
    return LockState() if word == SPIN_FREE else LockState((word - SPIN_FIRST_OWNER,), 1)


def condition_waiters(data: bytes) -> tuple[int, ...]:
    """The threads that wait on a condition variable."""
    return _members(*_words(data)[:2])


def semaphore_value(data: bytes) -> int | None:
    """The value; None when it is not initialised, or destroyed."""
    word = _words(data)[0]
    return word & ~SEMAPHORE_INITIALISED if word & SEMAPHORE_INITIALISED else None


def barrier_state(data: bytes) -> tuple[int, tuple[int, ...]]:
    """How many threads have to arrive (0: not initialised), and who waits."""
    threads, low, high = _words(data)[:3]
    return threads, _members(low, high)


def threads_text(threads: tuple[int, ...]) -> str:
    """`thread 1`, or `threads 1 and 2`."""
    if len(threads) == 1:
        return f"thread {threads[0]}"
    numbers = [str(thread) for thread in threads]
    return f"threads {', '.join(numbers[:-1])} and {numbers[-1]}" if numbers else "no thread"


def _lock_text(state: LockState) -> str:
    if not state.owners:
        return state.note or "unlocked"
    text = f"{'read-locked' if state.reading else 'locked'} by {threads_text(state.owners)}"
    if state.depth > 1:
        text += f" {state.depth} times"
    return f"{text}, {state.note}" if state.note else text


def _condition_text(data: bytes, layout: GuestLayout) -> str:
    if _words(data)[(8 + layout.pointer_bytes) // WORD]:
        return "destroyed"
    waiters = condition_waiters(data)
    return f"{threads_text(waiters)} waiting" if waiters else "nobody waits"


def _semaphore_text(data: bytes) -> str:
    value = semaphore_value(data)
    return "not initialised" if value is None else str(value)


def _barrier_text(data: bytes) -> str:
    threads, waiting = barrier_state(data)
    if not threads:
        return "not initialised"
    return f"{len(waiting)} of {threads} threads have arrived"


def _thread_text(data: bytes) -> str:
    number = int.from_bytes(data, "little")
    return f"thread {number - 1}" if number else "0"


def _once_text(data: bytes) -> str:
    return {0: "not called", 1: "running", 2: "done"}.get(_words(data)[0], "not initialised")


def describe_sync_object(special: str, data: bytes, layout: GuestLayout) -> str:
    """The state of an object of the thread library, by what CTypes.special calls its type."""
    if len(data) < WORD:
        return "?"
    if special == "read-write lock":
        return _lock_text(rwlock_state(data, layout.thread_limit))
    if special == "condition variable":
        return _condition_text(data, layout)
    describe = {
        "mutex": lambda data: _lock_text(mutex_state(data)),
        "spinlock": lambda data: _lock_text(spinlock_state(data)),
        "semaphore": _semaphore_text,
        "barrier": _barrier_text,
        "once control": _once_text,
        "thread": _thread_text,
    }
    return describe[special](data)
