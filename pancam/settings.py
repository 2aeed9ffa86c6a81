# SPDX-License-Identifier: Apache-2.0
"""What a check means by a step and by a violation: the settings of vm_c/check.c, written the way it reads them."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pancam.liveness import Liveness

STEPS = ("instruction", "global", "superstep")
DEFAULT_SUPERSTEP = 10_000  # instructions; docs/experiments.md compares limits


@dataclass(frozen=True, slots=True)
class Limits:
    """Sizes of the machine; 0 takes the machine's default. All but the first are for each thread."""

    max_threads: int = 0
    heap_bytes: int = 0
    heap_objects: int = 0
    stack_slots: int = 0
    stack_bytes: int = 0
    stack_objects: int = 0


@dataclass(frozen=True, slots=True)
class Start:
    """A thread that the harness starts: a function and its argument."""

    function: str
    argument: int = 0


@dataclass(frozen=True, slots=True)
class Settings:
    """A check of one program. Without `main`, threads come from `starts` or from a driver."""

    step: str = "global"
    max_superstep: int = DEFAULT_SUPERSTEP  # instructions after which a superstep ends
    holes: tuple[str, ...] = ()  # for tests: what the published algorithm of supersteps leaves open
    limits: Limits = field(default_factory=Limits)
    ignored: tuple[str, ...] = ()  # kinds of faults that end an execution without being reported
    reuse: bool = True  # a new heap block may get the number of a freed one, as it may get its place natively
    leaks: str = "none"  # blocks that are left at the end: none, lost (those that nothing leads to) or all
    races: bool = False  # data races are looked for
    has_main: bool = True
    runs_alone: bool = True  # nobody but the threads of the program changes its state: no driver of the user's
    spurious_wakeups: bool = False  # waits on condition variables may end without a reason
    calls: tuple[str, ...] = ()  # functions run before everything else
    abstraction: str | None = None
    keep_control: bool = False  # the abstraction keeps where every thread is, too
    invariants: tuple[str, ...] = ()
    liveness: Liveness | None = None  # what must hold on infinite executions
    starts: tuple[Start, ...] = ()

    def words(self) -> str:
        """The settings as check.c reads them."""
        words = [f"step={self.step}", f"max_superstep={self.max_superstep}"]
        words += [f"main={int(self.has_main)}", f"alone={int(self.runs_alone)}"]
        words += [f"{f.name}={value}" for f in fields(self.limits) if (value := getattr(self.limits, f.name))]
        words += ["spurious=1"] if self.spurious_wakeups else []
        words += [] if self.reuse else ["reuse=0"]
        words += [f"leaks={self.leaks}"] if self.leaks != "none" else []
        words += ["races=1"] if self.races else []
        words += [f"hole={name}" for name in self.holes]
        words += [f"ignore={kind}" for kind in self.ignored]
        if self.abstraction is not None:
            words += [f"abstraction={self.abstraction}", f"keep_control={int(self.keep_control)}"]
        words += [f"call={name}" for name in self.calls]
        words += [f"invariant={name}" for name in self.invariants]
        if self.liveness is not None:
            words += [f"proposition={name}" for name in self.liveness.functions]
        words += [f"start={n}:{start.function}:{start.argument}" for n, start in enumerate(self.starts)]
        return " ".join(words)
