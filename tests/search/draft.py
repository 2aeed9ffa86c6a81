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
    "pthread_once_t": " = PTHREAD_ONCE_INIT",
}
# Of variables that any statement may use: their types, and how many bytes they have
SCALAR_TYPES = {
    "int": 4,
    "unsigned char": 1,
    "long": 8,
    "_Bool": 1,
    "volatile int": 4,
    "_Atomic int": 4,
    "_Atomic unsigned char": 1,
}
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
    always: list[str] = field(default_factory=list)  # conditions without side effects that may be meant to hold always
    scalars: dict[str, str] = field(default_factory=dict)  # variables that any statement may use: their types

    def share(self, name: str, kind: str, suffix: str = "") -> str:
        """The name of a shared variable, declared the first time that it is asked for."""
        initial = "" if suffix else INITIAL.get(kind, "")  # elements of arrays are fine with zeros
        self.declared.setdefault(name, f"static {kind} {name}{suffix}{initial};")
        return name

    def prepared(self, name: str, kind: str, preparation: str) -> str:
        """The name of a shared variable that main prepares by a statement."""
        if name not in self.declared:
            self.setup.append(preparation)
        return self.share(name, kind)

    def semaphore(self, name: str, value: int) -> str:
        """The name of a semaphore, initialised by main."""
        return self.prepared(name, "sem_t", f"sem_init(&{name}, 0, {value});")

    def deadline(self) -> str:
        """The name of a point in time for timed waits, which may be over whenever a thread has to wait for it."""
        return self.share("soon", "struct timespec")

    def scalar(self) -> str:
        """The name of a variable that any statement may use."""
        name = self.choices.pick(("x", "y", "z")[: self.actors])
        if name not in self.scalars:
            self.scalars[name] = self.choices.pick(list(SCALAR_TYPES))
            self.share(name, self.scalars[name])
        return name

    def outline(self, lines: Lines) -> Lines:
        """The lines as a function of their own: a call of it."""
        name = f"part_{len(self.functions)}"
        self.functions[name] = block(f"static void {name}(void)", lines)
        return [f"{name}();"]

    def call(self, actor: int, lines: Lines) -> None:
        """Add lines to an actor's body, now and then as a function of their own."""
        if lines and self.actors == 2 and self.choices.chance(15):
            lines = self.outline(lines)
        self.bodies[actor] += lines


def indented(lines: Sequence[str]) -> Lines:
    """The lines, one level deeper."""
    return [f"    {line}" for text in lines for line in text.split("\n")]


def block(head: str, lines: Sequence[str], tail: str = "}") -> str:
    """A head with lines in braces, as one text."""
    return "\n".join([f"{head} {{", *indented(lines), tail])


def scope(lines: Sequence[str]) -> Lines:
    """The lines with variables of their own."""
    return [block("", lines).strip()]


def section(lines: Sequence[str]) -> Lines:
    """The lines as an atomic section."""
    return ["pancam_atomic_begin();", *lines, "pancam_atomic_end();"]


# Ways to keep others out, by name; each takes the critical lines and gives all lines.
PROTECTIONS = {
    "mutex": 6,
    "none": 3,
    "section": 2,
    "semaphore": 2,
    "trylock": 2,
    "rwlock": 1,
    "spinning": 1,
    "spinlock": 1,
}


def protect(draft: Draft, protection: str, lines: Lines, *, reading: bool = False) -> Lines:
    """The lines behind a protection of PROTECTIONS; behind a trylock they may be skipped."""
    if protection == "none":
        return lines
    if protection == "section":
        return section(lines)
    if protection == "semaphore":
        name = draft.semaphore("gate", 1)
        return [f"sem_wait(&{name});", *lines, f"sem_post(&{name});"]
    if protection == "rwlock":
        return _with_rwlock(draft, lines, reading=reading)
    if protection == "spinning":
        name = draft.share("busy", "atomic_int")
        return [f"while (atomic_exchange(&{name}, 1))\n    ;", *lines, f"atomic_store(&{name}, 0);"]
    if protection == "spinlock":
        name = draft.prepared("whirl", "pthread_spinlock_t", "pthread_spin_init(&whirl, PTHREAD_PROCESS_PRIVATE);")
        return [f"pthread_spin_lock(&{name});", *lines, f"pthread_spin_unlock(&{name});"]
    return locked(draft, "m", lines, attempt=protection == "trylock")


def _with_rwlock(draft: Draft, lines: Lines, *, reading: bool) -> Lines:
    """Readers may be let in at the same time; some take a lock for reading where they should not."""
    name = draft.share("guard", "pthread_rwlock_t")
    kind = "rdlock" if reading or draft.choices.chance(8) else "wrlock"
    if draft.choices.chance(20):
        how = draft.choices.pick([f"try{kind}(&{name})", f"timed{kind}(&{name}, &{draft.deadline()})"])
        return [block(f"if (pthread_rwlock_{how} == 0)", [*lines, f"pthread_rwlock_unlock(&{name});"])]
    return [f"pthread_rwlock_{kind}(&{name});", *lines, f"pthread_rwlock_unlock(&{name});"]


def locked(draft: Draft, mutex: str, lines: Lines, *, attempt: bool = False) -> Lines:
    """The lines with a mutex; now and then it is not given back."""
    name = draft.share(mutex, "pthread_mutex_t")
    unlock = [] if draft.choices.chance(6) else [f"pthread_mutex_unlock(&{name});"]
    if attempt:
        how = f"timedlock(&{name}, &{draft.deadline()})" if draft.choices.chance(30) else f"trylock(&{name})"
        return [block(f"if (pthread_mutex_{how} == 0)", [*lines, *unlock])]
    return [f"pthread_mutex_lock(&{name});", *lines, *unlock]
