# SPDX-License-Identifier: Apache-2.0
"""Lines of source files, read once. A file that is gone or unreadable has no text, which is no error."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pancam.errors import SourceLocation


@cache
def _lines(file: str, _: int) -> tuple[str, ...]:
    return tuple(Path(file).read_text(errors="replace").splitlines())


def source_line(location: SourceLocation | None) -> str:
    """The text at a place, without its indentation."""
    return whole_line(location).strip() if location is not None else ""


def whole_line(location: SourceLocation) -> str:
    """The text at a place, as it is in the file."""
    try:
        lines = _lines(location.file, Path(location.file).stat().st_mtime_ns)
    except OSError:
        return ""
    return lines[location.line - 1] if 0 < location.line <= len(lines) else ""
