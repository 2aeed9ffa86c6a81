# SPDX-License-Identifier: Apache-2.0
"""The same programs in other checkers, those that are on PATH, beside pancam in the same run.

Command lines are those of the tools' manuals. Stateless and bounded checkers need a bound for loops that wait; what
they say holds up to it. Times are processor time of the whole command.
"""

import resource
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from experiments.search import Job
from suite.results import Foreign

BOUND = 4  # rounds of a loop, where a tool needs a bound
LIMIT = 20.0
GAVE_UP = "gave up"


@dataclass(frozen=True)
class Tool:
    """A checker: its commands for a job, in a folder of its own, and what it prints in the end."""

    name: str
    executable: str
    commands: Callable[[Job, Path], list[list[str]]]
    holds: str
    violated: str
    bounded: bool

    def verdict(self, output: str) -> str:
        """What it found out."""
        if self.violated in output:
            return "violated"
        if self.holds not in output:
            return GAVE_UP
        return "holds up to the bound" if self.bounded else "holds"


def _cbmc(job: Job, _folder: Path) -> list[list[str]]:
    return [["cbmc", *job.files, *job.options, "--unwind", str(BOUND), "--no-unwinding-assertions"]]


def _nidhugg(job: Job, _folder: Path) -> list[list[str]]:
    return [["nidhuggc", *job.options, "--", "--sc", f"--unroll={BOUND}", *job.files]]


def _genmc(job: Job, _folder: Path) -> list[list[str]]:
    return [["genmc", "--sc", f"--unroll={BOUND}", "--", *job.options, *job.files]]


def _divine(job: Job, _folder: Path) -> list[list[str]]:
    options = [f"-C,{option}" for option in job.options]
    return [["divine", "verify", "--threads", "1", *options, *job.files]]


def _llmc(job: Job, folder: Path) -> list[list[str]]:
    code = str(folder / "program.ll")
    compile_it = ["clang", "-S", "-emit-llvm", "-O1", *job.options, "-o", code, *job.files]
    return [compile_it, ["llmc", "-m", "singlecore_simple", "-s", "dtree", "--threads", "1", code]]


TOOLS = (
    Tool("Nidhugg", "nidhuggc", _nidhugg, "No errors were detected", "Error detected", bounded=True),
    Tool("GenMC", "genmc", _genmc, "No errors were detected", "Error detected", bounded=True),
    Tool("CBMC", "cbmc", _cbmc, "VERIFICATION SUCCESSFUL", "VERIFICATION FAILED", bounded=True),
    Tool("DIVINE", "divine", _divine, "error found: no", "error found: yes", bounded=False),
    Tool("LLMC", "llmc", _llmc, "States", "assertion", bounded=False),
)


def timed(commands: Sequence[list[str]], folder: Path, limit: float) -> tuple[str, float]:
    """What commands print, one after the other, and their processor time; nothing is printed beyond the limit."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    output = ""
    try:
        for command in commands:
            done = subprocess.run(
                command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                check=False, timeout=limit,
            )  # fmt: skip
            output += done.stdout + done.stderr
    except (subprocess.TimeoutExpired, OSError):
        output = ""
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return output, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(
    jobs: Sequence[Job], tools: Sequence[Tool] = TOOLS, limit: float = LIMIT
) -> tuple[list[Foreign], list[str]]:
    """Every tool that is there on every program, and the names of those that are not."""
    present = [tool for tool in tools if shutil.which(tool.executable)]
    missing = [tool.name for tool in tools if tool not in present]
    found = []
    for job in jobs if present else ():
        own = [sys.executable, "-m", "pancam.cli", "check", "--quiet", *job.files, *job.options]
        _, own_seconds = timed([own], job.folder, limit)
        for tool in present:
            with TemporaryDirectory(prefix="pancam-bench-") as name:
                output, seconds = timed(tool.commands(job, Path(name)), job.folder, limit)
            verdict = tool.verdict(output)
            found.append(Foreign(tool.name, job.program, job.parameter, verdict, seconds, seconds / own_seconds))
            print(f"  {tool.name} {job.program} {job.parameter}: {verdict}, {seconds:.2f} s", flush=True)
    return found, missing
