# SPDX-License-Identifier: Apache-2.0
"""Runs a program to its end under one schedule: seeded random, or round robin. One run of many, not a check."""

from __future__ import annotations

import random
from dataclasses import dataclass
from enum import Enum

from pancam.vm.machine import Enabled, Machine, Status, Stop

ALONE_QUANTUM = 1 << 20  # a run also ends when a thread is started, so that a single thread may go on for long
RANDOM_QUANTUM = 100
ROUND_ROBIN_QUANTUM = 1000
IMPATIENCE = 1 / 16  # how often a timed wait times out although others could move


class Ending(Enum):
    """How a run ended."""

    EXITED = "exited"
    ABORTED = "aborted"
    FAULT = "fault"
    DEADLOCK = "deadlock"
    PRUNED = "pruned"
    OUT_OF_BUDGET = "out of budget"


@dataclass(frozen=True)
class Schedule:
    """Who goes next, and for how long."""

    round_robin: bool = False
    seed: int = 0


ENDINGS = {
    Status.EXITED: Ending.EXITED,
    Status.ABORTED: Ending.ABORTED,
    Status.PRUNED: Ending.PRUNED,
    Status.FAULT: Ending.FAULT,
}


class Scheduler:
    """Drives one machine."""

    def __init__(self, machine: Machine, schedule: Schedule) -> None:
        self.machine = machine
        self.round_robin = schedule.round_robin
        self.random = random.Random(schedule.seed)  # noqa: S311 - a reproducible schedule, not a secret
        self.last = 0

    def run(self, budget: int) -> Ending:
        """Run until the process ends, nothing can move, or `budget` instructions are done."""
        machine = self.machine
        while machine.status is Status.RUNNING:
            if machine.instructions >= budget:
                return Ending.OUT_OF_BUDGET
            chosen = self._choose()
            if chosen is None:
                return Ending.DEADLOCK if machine.threads else Ending.EXITED
            thread, time_out, alone = chosen
            fuel = min(self._quantum(alone=alone), budget - machine.instructions)
            stop = machine.run(thread, fuel=fuel, time_out=time_out)
            if stop is Stop.CHOICE:
                machine.run(thread, fuel=1, choice=self._number(machine.choices(thread)))
        return ENDINGS[machine.status]

    def _choose(self) -> tuple[int, bool, bool] | None:
        """(thread, let its wait time out, whether it is the only thread)."""
        states = [(thread, self.machine.enabled(thread)) for thread in self.machine.threads]
        ready = [thread for thread, state in states if state is Enabled.ENABLED]
        waiting = [thread for thread, state in states if state is Enabled.CAN_TIME_OUT]
        if waiting and (not ready or (not self.round_robin and self.random.random() < IMPATIENCE)):
            return self._pick(waiting), True, False
        if not ready:
            return None
        return self._pick(ready), False, len(states) == 1

    def _pick(self, threads: list[int]) -> int:
        if self.round_robin:
            self.last = next((thread for thread in threads if thread > self.last), threads[0])
            return self.last
        return self.random.choice(threads)

    def _quantum(self, *, alone: bool) -> int:
        if alone:
            return ALONE_QUANTUM
        return ROUND_ROBIN_QUANTUM if self.round_robin else self.random.randint(1, RANDOM_QUANTUM)

    def _number(self, count: int) -> int:
        return self.random.randrange(count or 1 << 64)
