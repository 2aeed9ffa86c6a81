# SPDX-License-Identifier: Apache-2.0
"""Two result files side by side: what became faster, slower, smaller."""

from dataclasses import replace

from experiments import record
from suite.measure import Run
from suite.results import Results


def lines(old: Results, new: Results) -> list[str]:
    """A table of the searches that both have: factors above 1 mean that the new one is better."""
    before = {run.name: (run, beside) for run, beside in zip(old.programs, old.beside, strict=True)}
    body = []
    for run, beside in zip(new.programs, new.beside, strict=True):
        if run.name in before:
            body.append(_row(*before[run.name], run, beside, (old.empty, new.empty)))
    alone = [run.name for run in new.programs if run.name not in before]
    heads = [
        "Program",
        "States before",
        "States now",
        "Transitions/s, factor",
        "Time, factor",
        "Bytes/state, factor",
        "Of ceiling before",
        "Now",
    ]
    told = [f"not in the old file: {', '.join(alone)}"] if alone else []
    names = {run.name for run in new.programs} & set(before)
    return [*_means(_only(old, names), _only(new, names)), "", *record.table(heads, body), *told]


def _only(one: Results, names: set[str]) -> Results:
    """Without the searches that the other file does not have."""
    kept = [(run, beside) for run, beside in zip(one.programs, one.beside, strict=True) if run.name in names]
    return replace(one, programs=[run for run, _ in kept], beside=[beside for _, beside in kept])


def _row(old: Run, old_beside: float, new: Run, new_beside: float, empty: tuple[int, int]) -> list[str]:
    sizes = old.bytes_per_state(empty[0]), new.bytes_per_state(empty[1])
    return [
        new.name,
        f"{old.states:,}",
        f"{new.states:,}",
        record.factor(new.transitions_per_second / old.transitions_per_second),
        record.factor(old.busy_seconds / new.busy_seconds),
        record.factor(sizes[0] / sizes[1]) if sizes[1] else "",
        f"{old.transitions_per_second / old_beside:.2f}" if old_beside else "",
        f"{new.transitions_per_second / new_beside:.2f}" if new_beside else "",
    ]


def _means(old: Results, new: Results) -> list[str]:
    shares, sizes = (old.mean_ratio(), new.mean_ratio()), (old.mean_bytes(), new.mean_bytes())
    rates = [max((run.transitions_per_second for run in one.ceilings), default=0.0) for one in (old, new)]
    return [
        f"part of the ceiling, geometric mean: {_number(shares[0], 2)} before, {_number(shares[1], 2)} now",
        f"bytes/state, geometric mean: {_number(sizes[0], 0)} before, {_number(sizes[1], 0)} now",
        f"the ceiling's transitions/s: {rates[0]:,.0f} before, {rates[1]:,.0f} now",
    ]


def _number(value: float | None, digits: int) -> str:
    return "none" if value is None else f"{value:.{digits}f}"
