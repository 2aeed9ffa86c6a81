# SPDX-License-Identifier: Apache-2.0
"""Runs the command line from outside, in a folder of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

SECONDS = 120
COMMAND = [sys.executable, "-m", "pancam.cli"]


@dataclass(frozen=True)
class Result:
    status: int
    out: str
    err: str


@dataclass(frozen=True)
class CommandLine:
    """Runs pancam in a folder of its own."""

    folder: Path

    def file(self, name: str, text: str) -> str:
        (self.folder / name).write_text(text)
        return name

    def __call__(self, *arguments: str, **environment: str) -> Result:
        """Run to the end; no error ever shows Python's inside."""
        result = subprocess.run(
            [*COMMAND, *arguments],
            cwd=self.folder,
            env=os.environ | environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
        err = result.stderr.decode(errors="replace")
        assert "Traceback" not in err, err
        return Result(result.returncode, result.stdout.decode(errors="replace"), err)

    def verdict(self, *arguments: str, **environment: str) -> str:
        """The verdict of a check, which must fit its exit code."""
        result = self("check", *arguments, **environment)
        verdict = result.out.partition(":")[0]
        expected = {"holds": {0}, "violated": {1}, "bounded": {0, 3}, "unknown": {3}}
        assert result.status in expected.get(verdict, set()), result
        return verdict

    def refused(self, *arguments: str, **environment: str) -> str:
        """Run what must be refused: status 2, nothing on stdout, one line on stderr; the line."""
        result = self(*arguments, **environment)
        assert (result.status, result.out) == (2, ""), result
        assert result.err.startswith("pancam: "), result.err
        assert result.err.count("\n") == 1, result.err
        return result.err.removeprefix("pancam: ").rstrip("\n")
