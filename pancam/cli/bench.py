# SPDX-License-Identifier: Apache-2.0
"""`pancam bench`: tasks of the verification competition, one after the other, and a table of what came of them."""

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pancam.cli.programs import split_flags
from pancam.errors import UsageError
from pancam.svcomp.results import ResultsFile, as_value
from pancam.svcomp.runner import RunLimits, run_all
from pancam.svcomp.scoring import Outcome, Row, Sums, sums_by_category
from pancam.svcomp.suite import collect

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from pancam.svcomp.suite import Run

EXIT_GOOD, EXIT_WRONG, EXIT_INTERRUPTED = 0, 1, 3
MIB = 1 << 20
COLUMNS = (
    Outcome.RIGHT_TRUE, Outcome.RIGHT_FALSE, Outcome.WRONG_TRUE, Outcome.WRONG_FALSE, Outcome.UNKNOWN, Outcome.ERROR,
)  # fmt: skip


def bench(options: argparse.Namespace) -> int:
    """Run all tasks that were not run before; 1 when an answer is wrong, 3 when interrupted."""
    limits = RunLimits(options.time, options.memory, options.jobs)
    if limits.jobs < 1 or limits.seconds <= 0 or limits.memory <= 0:
        raise UsageError("--jobs must be at least 1, --time and --memory more than 0")
    flags = split_flags(options.options, "--options")
    settings: dict[str, Any] = {
        "version": version("pancam"), "time": options.time, "memory": options.memory, "options": list(flags),
    }  # fmt: skip
    _check_targets(options)
    runs = collect(options.paths, options.property)
    file = ResultsFile(Path(options.output), settings) if options.output else None
    wanted = {run.key for run in runs}
    rows = [row for row in file.rows if (row.task, row.property_name) in wanted] if file else []
    interrupted = False
    try:
        for row in _new_rows(runs, rows, limits, flags):
            rows.append(row)
            if file is not None:
                file.add(row)
            if not options.quiet:
                print(f"[{len(rows)}/{len(runs)}] {_line(row)}", file=sys.stderr, flush=True)
    except KeyboardInterrupt:
        interrupted = True
    finally:
        if file is not None:
            file.close()
    _write_reports(options, rows, settings)
    print("\n".join(report(rows)))
    if interrupted:
        again = f"; the same command with --output {options.output} goes on" if options.output else ""
        print(f"pancam: interrupted after {len(rows)} of {len(runs)} runs{again}", file=sys.stderr)
        return EXIT_INTERRUPTED
    return EXIT_WRONG if any(row.outcome.is_wrong for row in rows) else EXIT_GOOD


def _new_rows(runs: Sequence[Run], rows: Sequence[Row], limits: RunLimits, flags: Sequence[str]) -> Iterator[Row]:
    """What comes of the runs that are not there yet."""
    done = {(row.task, row.property_name) for row in rows}
    if done:
        print(f"{len(done)} of {len(runs)} runs are there already", file=sys.stderr)
    return run_all([run for run in runs if run.key not in done], limits, flags)


def _check_targets(options: argparse.Namespace) -> None:
    """A benchmark takes hours: that its results can be written is seen before it starts."""
    for name in ("output", "json", "html"):
        path = getattr(options, name)
        if path and (not Path(path).absolute().parent.is_dir() or Path(path).is_dir()):
            raise UsageError(f"--{name} {path}: no file can be written there")


def _write_reports(options: argparse.Namespace, rows: Sequence[Row], settings: dict[str, Any]) -> None:
    from pancam.pipeline import write_file
    from pancam.svcomp.html import page

    if options.json:
        write_file(Path(options.json), json.dumps(as_value(rows, settings), indent=2).encode() + b"\n")
    if options.html:
        write_file(Path(options.html), page(rows, settings).encode())


def report(rows: Sequence[Row]) -> list[str]:
    """The table, the wrong answers, and for what is not answered the reason."""
    lines = table(sums_by_category(rows))
    for title, chosen in (
        ("wrong", [row for row in rows if row.outcome.is_wrong]),
        ("errors", [row for row in rows if row.outcome is Outcome.ERROR]),
        ("unknown", [row for row in rows if row.outcome is Outcome.UNKNOWN]),
    ):
        if chosen:
            lines += ["", f"{title}:", *(f"  {_line(row)}" for row in chosen)]
    return lines


def table(sums: Sequence[Sums]) -> list[str]:
    """A line for each category and one for all, under a line of titles."""
    titles = ["category", "tasks", *(outcome.value for outcome in COLUMNS), "score", "CPU s", "peak MB"]
    cells = [titles]
    for line in sums:
        counts = [str(line.outcomes[outcome]) for outcome in COLUMNS]
        score = f"{line.score} of {line.best_score}"
        cells.append([line.name, str(line.tasks), *counts, score, f"{line.cpu:.0f}", f"{line.memory / MIB:.0f}"])
    widths = [max(len(row[column]) for row in cells) for column in range(len(titles))]
    return [
        "  ".join(
            [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        )
        for row in cells
    ]


def _line(row: Row) -> str:
    expected = {True: "true", False: "false", None: "?"}[row.expected]
    cost = f"{row.cpu:.1f} s, {row.memory / MIB:.0f} MB"
    told = f"{row.task} {row.property_name}: {row.answer} (expected {expected}, {row.outcome.value}), {cost}"
    return f"{told}: {row.reason}" if row.reason else told
