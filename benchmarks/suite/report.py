# SPDX-License-Identifier: Apache-2.0
"""The tables of a run, and what must hold beside what was measured."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from experiments import record
from suite.check_start import PYTHON, WHOLE
from suite.measure import Run
from suite.results import MANY_STATES, Results

CEILING_SHARE = 0.5
STATES_PER_SECOND = 300_000
CEILING_STATES_PER_SECOND = 1_000_000
BYTES_PER_STATE = 64
MEMORY_RATIO = 1.5
WHOLE_SECONDS, PYTHON_SECONDS = 0.4, 0.15
SPEED_UP = 1.6
MANY_FOR_CORES = 5_000_000
ENOUGH_SECONDS = 0.1  # of processor, for a rate that means something
HEADS = (
    "Program",
    "States",
    "Transitions",
    "Seconds",
    "Transitions/s",
    "States/s",
    "Bytes/state",
    "Peak MB",
    "Of ceiling",
)


@dataclass(frozen=True)
class Aim:
    """One thing that must hold."""

    what: str
    aim: str
    measured: str
    is_met: bool | None  # None: there was nothing to measure it on

    def line(self) -> str:
        """As it is printed."""
        told = {True: "met", False: "MISSED", None: "not measured"}[self.is_met]
        return f"{self.what}: aim {self.aim} / measured {self.measured}: {told}"


def row(run: Run, empty: int, beside: float | None) -> list[str]:
    """One search as cells of a table."""
    return [
        run.name,
        f"{run.states:,}" if run.verdict != "unknown" else f"more than {run.states:,} ({run.verdict})",
        f"{run.transitions:,}",
        f"{run.busy_seconds:.2f}",
        f"{run.transitions_per_second:,.0f}",
        f"{run.states_per_second:,.0f}",
        f"{run.bytes_per_state(empty):,.0f}",
        f"{run.memory / 1e6:,.0f}",
        f"{run.transitions_per_second / beside:.2f}" if beside and run.processor >= ENOUGH_SECONDS else "",
    ]


def program_table(results: Results) -> list[str]:
    """All searches on one core; times are processor time."""
    body = [row(run, results.empty, None) for run in (results.alone, *results.ceilings[:1]) if run is not None]
    body += [row(run, results.empty, beside) for run, beside in zip(results.programs, results.beside, strict=True)]
    share, size = results.mean_ratio(), results.mean_bytes()
    if share is not None and size is not None:
        name = f"geometric mean, at least {MANY_STATES:,} states"
        body.append([name, "", "", "", "", "", f"**{size:.0f}**", "", f"**{share:.2f}**"])
    return record.table(HEADS, body)


def memory_table(results: Results) -> list[str]:
    """Much memory beside little."""
    body = [row(run, results.empty, None)[:-1] for run in results.memory]
    return record.table(HEADS[:-1], body)


def cores_table(results: Results) -> list[str]:
    """Two cores beside one, by the wall."""
    body = [
        [
            one.name,
            f"{one.states:,}",
            f"{one.seconds:.1f}",
            f"{two.seconds:.1f}",
            f"{one.transitions / one.seconds:,.0f}",
            f"{two.transitions / two.seconds:,.0f}",
            f"{ratio:.2f}",
        ]
        for one, (two, ratio) in zip(results.cores[::2], results.speed_ups(), strict=True)
    ]
    heads = ["Program", "States", "Seconds, 1 core", "2 cores", "Transitions/s, 1 core", "2 cores", "Factor"]
    return record.table(heads, body)


def foreign_table(results: Results) -> list[str]:
    """Other tools on the same programs."""
    lines = [f"{tool}: not found on PATH" for tool in results.missing]
    if not results.foreign:
        return lines
    body = [
        [f"{one.program} {one.size}", one.tool, one.verdict, f"{one.seconds:.2f}", f"{one.ratio:.2f}"]
        for one in results.foreign
    ]
    return [*record.table(["Program", "Tool", "Verdict", "Seconds", "Times pancam's"], body, left=3), "", *lines]


def _speed_aims(results: Results) -> list[Aim]:
    share, size, slowest = results.mean_ratio(), results.mean_bytes(), results.slowest()
    ceiling = max((run.states_per_second for run in results.ceilings), default=0.0)
    fast_enough = ceiling >= CEILING_STATES_PER_SECOND
    rate = "none" if slowest is None else f"{slowest.states_per_second:,.0f} at least ({slowest.name})"
    is_met = None if slowest is None or not fast_enough else slowest.states_per_second >= STATES_PER_SECOND
    return [
        Aim(
            "part of the ceiling's transitions/s, geometric mean",
            f"at least {CEILING_SHARE}",
            "none" if share is None else f"{share:.2f} on {len(results.many)} runs",
            None if share is None else share >= CEILING_SHARE,
        ),
        Aim(
            f"states/s on one core where the ceiling has {CEILING_STATES_PER_SECOND:,} or more",
            f"at least {STATES_PER_SECOND:,}",
            f"{rate}; the ceiling has {ceiling:,.0f}",
            is_met,
        ),
        Aim(
            "bytes for a stored state, geometric mean",
            f"at most {BYTES_PER_STATE}",
            "none" if size is None else f"{size:.0f}",
            None if size is None else size <= BYTES_PER_STATE,
        ),
    ]


def aims(results: Results) -> list[Aim]:
    """All that must hold."""
    ratios = results.memory_ratios()
    ups = [ratio for run, ratio in results.speed_ups() if run.states > MANY_FOR_CORES]
    whole, python = (median(results.checks, name) for name in (WHOLE, PYTHON))
    return [
        *_speed_aims(results),
        Aim(
            "a transition with 1 MiB beside 1 KiB, globals and heap",
            f"at most {MEMORY_RATIO} times",
            ", ".join(f"{ratio:.2f}" for ratio in ratios) or "none",
            max(ratios) <= MEMORY_RATIO if ratios else None,
        ),
        Aim(
            "a small check, median",
            f"at most {WHOLE_SECONDS} s, {PYTHON_SECONDS} s of it Python",
            "none" if whole is None or python is None else f"{whole:.3f} s, {python:.3f} s of it Python",
            None if whole is None or python is None else whole <= WHOLE_SECONDS and python <= PYTHON_SECONDS,
        ),
        Aim(
            f"--cores 2 beside one core, more than {MANY_FOR_CORES:,} states",
            f"at least {SPEED_UP} times",
            ", ".join(f"{ratio:.2f}" for ratio in ups) or "none",
            min(ups) >= SPEED_UP if ups else None,
        ),
    ]


def median(rows: Sequence[dict[str, float]], name: str) -> float | None:
    """Of one phase of the small checks."""
    return statistics.median(row.get(name, 0.0) for row in rows) if rows else None
