# SPDX-License-Identifier: Apache-2.0
"""The results of a benchmark as one page that needs nothing else."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from pancam.svcomp.scoring import Outcome, Row, Sums, sums_by_category

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MIB = 1 << 20
GIB = 1 << 30
SHOWN = (
    Outcome.RIGHT_TRUE, Outcome.RIGHT_FALSE, Outcome.WRONG_TRUE, Outcome.WRONG_FALSE, Outcome.UNKNOWN, Outcome.ERROR,
)  # fmt: skip
STYLE = """
:root { color-scheme: light dark; --line: #8884; --good: #2e7d3226; --bad: #c6282840; --none: #8881; }
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .6rem; text-align: right; border-bottom: 1px solid var(--line); vertical-align: top; }
th { position: sticky; top: 0; background: Canvas; }
.text { text-align: left; } .total td { font-weight: 600; border-top: 2px solid var(--line); }
.right { background: var(--good); } .wrong { background: var(--bad); font-weight: 600; }
.none { background: var(--none); }
.runs { table-layout: fixed; font-size: .9rem; } .runs td { overflow-wrap: anywhere; }
.reason { text-align: left; opacity: .85; }
"""

_TEXT = ' class="text"'
SCORING = "Right <i>true</i>: 2, right <i>false</i>: 1, wrong <i>true</i>: &minus;32, wrong <i>false</i>: &minus;16."


def page(rows: Sequence[Row], settings: dict[str, Any]) -> str:
    """The whole page: the table by category, then every run, wrong ones first."""
    sums = sums_by_category(rows)
    memory = settings["memory"] / GIB
    told = f"pancam {settings['version']}; {settings['time']:g} s and {memory:g} GB for each run"
    if settings["options"]:
        told += "; " + " ".join(settings["options"])
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en"><head><meta charset="utf-8"><title>pancam bench</title>',
            f"<style>{STYLE}</style></head><body>",
            "<h1>pancam bench</h1>",
            f"<p>{escape(told)}. {SCORING}</p>",
            "<h2>By category</h2>",
            *_category_table(sums),
            "<h2>Runs</h2>",
            *_run_table(
                sorted(rows, key=lambda row: (not row.outcome.is_wrong, row.category, row.task, row.property_name))
            ),
            "</body></html>",
            "",
        ]
    )


def _category_table(sums: Sequence[Sums]) -> list[str]:
    titles = ["category", "tasks", *(outcome.value for outcome in SHOWN), "score", "CPU time", "peak memory"]
    lines = ["<table>", _head(titles, text_columns=1)]
    for line in sums:
        cells = [_cell(line.name, "text"), _cell(line.tasks)]
        cells += [_cell(line.outcomes[outcome], _shade(outcome, line.outcomes[outcome])) for outcome in SHOWN]
        cells += [
            _cell(f"{line.score} of {line.best_score}"),
            _cell(f"{line.cpu:,.0f} s"),
            _cell(_megabytes(line.memory)),
        ]
        lines.append(_table_row(cells, "total" if line is sums[-1] else ""))
    return [*lines, "</table>"]


def _run_table(rows: Iterable[Row]) -> list[str]:
    titles = ["task", "property", "expected", "answer", "outcome", "CPU time", "memory", "reason"]
    widths = "".join(f'<col style="width: {width}%">' for width in (27, 9, 7, 10, 8, 7, 7, 25))
    lines = ['<table class="runs">', f"<colgroup>{widths}</colgroup>", _head(titles, text_columns=5)]
    for row in rows:
        expected = {True: "true", False: f"false({row.subproperty})" if row.subproperty else "false", None: ""}
        cells = [_cell(text, "text") for text in (row.task, row.property_name, expected[row.expected], row.answer)]
        cells += [_cell(row.outcome.value, f"text {_shade(row.outcome, 1)}"), _cell(f"{row.cpu:.1f} s")]
        cells += [_cell(_megabytes(row.memory)), _cell(row.reason, "reason")]
        lines.append(_table_row(cells))
    return [*lines, "</table>"]


def _head(titles: Sequence[str], text_columns: int) -> str:
    cells = [f'<th class="text">{escape(title)}</th>' for title in titles[:text_columns]]
    cells += [f"<th{_TEXT if title == 'reason' else ''}>{escape(title)}</th>" for title in titles[text_columns:]]
    return f"<tr>{''.join(cells)}</tr>"


def _table_row(cells: Sequence[str], style: str = "") -> str:
    return f'<tr class="{style}">{"".join(cells)}</tr>' if style else f"<tr>{''.join(cells)}</tr>"


def _cell(value: object, style: str = "") -> str:
    return f'<td class="{style}">{escape(str(value))}</td>' if style else f"<td>{escape(str(value))}</td>"


def _shade(outcome: Outcome, count: int) -> str:
    if not count:
        return ""
    if outcome.is_wrong or outcome is Outcome.ERROR:
        return "wrong"
    return "right" if outcome.score > 0 else "none"


def _megabytes(count: int) -> str:
    return f"{count / MIB:,.0f} MB"
