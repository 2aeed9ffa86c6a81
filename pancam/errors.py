# SPDX-License-Identifier: Apache-2.0
"""The family of errors that belong to the user or to the environment, never to the checked program or to a bug.

Every stage raises these; only the command line prints them, in one line, and ends with their exit code.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SourceLocation:
    """A place in the user's C text; line and column count from 1, and 0 means unknown."""

    file: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        if not self.line:
            return self.file
        if not self.column:
            return f"{self.file}:{self.line}"
        return f"{self.file}:{self.line}:{self.column}"


class PancamError(Exception):
    """An error the user can act on; `str()` is one line, `file:line:column: message` where a place is known."""

    exit_code: int = 2

    def __init__(self, message: str, location: SourceLocation | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.location = location

    def __str__(self) -> str:
        line = " ".join(self.message.split())
        return f"{self.location}: {line}" if self.location is not None else line


class UsageError(PancamError):
    """The command or a file named on it makes no sense."""


class UnresolvedSymbolError(UsageError):
    """The program uses a name that neither it nor the library defines."""


class CompileError(PancamError):
    """Clang, the linker or the verifier refused the program; `details` is the tool's own text, perhaps empty."""

    def __init__(self, message: str, details: str = "", location: SourceLocation | None = None) -> None:
        super().__init__(message, location)
        self.details = details


class UnsupportedError(PancamError):
    """The program uses an instruction or a construct that pancam does not handle."""


class ImageError(PancamError):
    """A program image cannot be written or read."""


class ToolError(PancamError):
    """A tool or a file that pancam needs is missing from this machine or does not work."""


class DriverError(PancamError):
    """A Promela driver cannot be read, or SPIN or the C compiler refuses it."""


class ReplayError(PancamError):
    """Moves cannot be done again or lead elsewhere than they did: another program, or a bug of pancam."""

    def __init__(self, message: str, step: int) -> None:
        super().__init__(f"replay failed at step {step}: {message}")
        self.step = step


class InternalError(PancamError):
    """pancam contradicts itself: what it would say cannot be trusted, so it says that."""

    exit_code = 3
