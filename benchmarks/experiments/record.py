# SPDX-License-Identifier: Apache-2.0
"""What the experiments leave behind: rows as CSV, and tables between the markers of a page in docs/."""

import csv
import textwrap
from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path

from experiments.search import Row

DOCS = Path(__file__).resolve().parents[2] / "docs"
START = "<!-- {}: written by benchmarks/{} -->\n"
END = "<!-- end -->\n"
LINE = 120


def save(rows: Sequence[Row], path: Path) -> None:
    """Write the rows as CSV."""
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Row)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(row) for row in rows)


def load(path: Path) -> list[Row]:
    """Read the rows again."""
    with path.open(newline="") as file:
        return [
            Row(
                row["program"],
                row["variant"],
                row["parameter"],
                row["step"],
                row["verdict"],
                row["found"],
                int(row["states"]),
                int(row["transitions"]),
                int(row["instructions"]),
                float(row["seconds"]),
            )
            for row in csv.DictReader(file)
        ]


def put(page: str, name: str, lines: Sequence[str], writer: str = "figures.py") -> str:
    """The page with new lines between the markers of this name."""
    marker = START.format(name, writer)
    before, found, rest = page.partition(marker)
    _, end, after = rest.partition(END)
    if not found or not end:
        message = f"the page has lost its marker {marker.strip()} or the end of it"
        raise SystemExit(message)
    return before + marker + "\n" + "\n".join(lines) + "\n\n" + end + after


def table(heads: Sequence[str], body: Sequence[Sequence[str]], *, left: int = 1) -> list[str]:
    """A table in Markdown; all columns but the first are numbers, aligned to the right."""
    rule = ["---" if column < left else "---:" for column in range(len(heads))]
    return ["| " + " | ".join(cells) + " |" for cells in (heads, rule, *body)]


def text(*sentences: str) -> list[str]:
    """Sentences as a paragraph, after a blank line."""
    return ["", *textwrap.wrap(" ".join(sentences), LINE)]


def count(row: Row | None) -> str:
    """The states of a search; a search that did not finish has stored at least these."""
    if row is None:
        return ""
    return f"{row.states:,}" if row.finished else f"more than {row.states:,}"


def time(row: Row | None) -> str:
    """The seconds of a search."""
    if row is None:
        return ""
    digits = 3 if row.seconds < 1 else 1
    return f"{row.seconds:.{digits}f}" if row.finished else f"limit ({row.seconds:.0f})"


def factor(value: float) -> str:
    """How many times as much, in about three digits."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"  # noqa: PLR2004
