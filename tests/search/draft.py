# SPDX-License-Identifier: Apache-2.0
"""Draft: a random program while it is being made, and the small pieces of C that scenarios put into it."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from choices import Choices

Lines = list[str]

INITIAL = {
    "pthread_mutex_t": " = PTHREAD_MUTEX_INITIALIZER",
    "pthread_cond_t": " = PTHREAD_COND_INITIALIZER",
    "pthread_rwlock_t": " = PTHREAD_RWLOCK_INITIALIZER",
}
SCALAR_TYPES = ("int", "unsigned char", "long", "_Bool", "volatile int", "_Atomic int", "_Atomic unsigned char")
FLAG_TYPES = ("volatile int", "_Atomic int", "atomic_bool")  # an optimiser may not take a loop on these for endless


@dataclass
class Draft:
    """The parts of a program. An actor is a thread with a body of its own; which of them is main is decided later."""

    choices: Choices
    actors: int
    bodies: list[Lines]
    declared: dict[str, str] = field(default_factory=dict)  # name of a shared variable: its declaration
    functions: dict[str, str] = field(default_factory=dict)
    setup: Lines = field(default_factory=list)  # what main does before there are other threads
    checks: Lines = field(default_factory=list)  # what main does when it has joined them
    scalars: dict[str, str] = field(default_factory=dict)  # variables that any statement may use: their types

    def share(self, name: str, kind: str, suffix: str = "") -> str:
        """The name of a shared variable, declared the first time that it is asked for."""
        self.declared.setdefault(name, f"static {kind} {name}{suffix}{INITIAL.get(kind, '')};")
        return name

    def semaphore(self, name: str, value: int) -> str:
        """The name of a semaphore, initialised by main."""
        if name not in self.declared:
            self.setup.append(f"sem_init(&{self.share(name, 'sem_t')}, 0, {value});")
        return name

    def scalar(self) -> str:
        """The name of a variable that any statement may use."""
        name = self.choices.pick(("x", "y", "z")[: self.actors])
        if name not in self.scalars:
            self.scalars[name] = self.choices.pick(SCALAR_TYPES)
            self.share(name, self.scalars[name])
        return name

    def call(self, actor: int, lines: Lines) -> None:
        """Add lines to an actor's body, now and then as a function of their own."""
        if lines and self.actors == 2 and self.choices.chance(15):
            name = f"part_{len(self.functions)}"
            self.functions[name] = block(f"static void {name}(void)", lines)
            lines = [f"{name}();"]
        self.bodies[actor] += lines


def indented(lines: Sequence[str]) -> Lines:
    """The lines, one level deeper."""
    return [f"    {line}" for text in lines for line in text.split("\n")]


def block(head: str, lines: Sequence[str], tail: str = "}") -> str:
    """A head with lines in braces, as one text."""
    return "\n".join([f"{head} {{", *indented(lines), tail])


# Ways to keep others out, by name; each takes the critical lines and gives all lines.
PROTECTIONS = {
    "mutex": 6,
    "none": 3,
    "section": 2,
    "semaphore": 2,
    "trylock": 2,
    "rwlock": 1,
    "spinning": 1,
}


def protect(draft: Draft, protection: str, lines: Lines) -> Lines:
    """The lines behind a protection of PROTECTIONS; behind a trylock they may be skipped."""
    if protection == "none":
        return lines
    if protection == "section":
        return ["pancam_atomic_begin();", *lines, "pancam_atomic_end();"]
    if protection == "semaphore":
        name = draft.semaphore("gate", 1)
        return [f"sem_wait(&{name});", *lines, f"sem_post(&{name});"]
    if protection == "rwlock":
        name = draft.share("guard", "pthread_rwlock_t")
        return [f"pthread_rwlock_wrlock(&{name});", *lines, f"pthread_rwlock_unlock(&{name});"]
    if protection == "spinning":
        name = draft.share("busy", "atomic_int")
        return [f"while (atomic_exchange(&{name}, 1))\n    ;", *lines, f"atomic_store(&{name}, 0);"]
    return locked(draft, "m", lines, attempt=protection == "trylock")


def locked(draft: Draft, mutex: str, lines: Lines, *, attempt: bool = False) -> Lines:
    """The lines with a mutex; now and then it is not given back."""
    name = draft.share(mutex, "pthread_mutex_t")
    unlock = [] if draft.choices.chance(6) else [f"pthread_mutex_unlock(&{name});"]
    if attempt:
        return [block(f"if (pthread_mutex_trylock(&{name}) == 0)", [*lines, *unlock])]
    return [f"pthread_mutex_lock(&{name});", *lines, *unlock]
