# SPDX-License-Identifier: Apache-2.0
"""Verifiers: SPIN's pan.c compiled together with the machine, kept in the cache, started, and told to re-run a trail.

A verifier depends on the driver and the options, not on the checked program, which it loads when it starts.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pancam import cache
from pancam.errors import DriverError, ToolError
from pancam.resources import machine_sources, promela_templates
from pancam.spin.shared_memory import remove_segments

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pancam.spin.options import VerifierOptions

C_COMPILERS = ("cc", "gcc", "clang")
MACHINE_FLAGS = ("-std=gnu11", "-O2", "-fno-strict-aliasing", "-ffp-contract=off")  # as in pancam/vm/build.py
PAN_FLAGS = ("-O2", "-w", "-fno-strict-aliasing")
SHARED_SOURCES = ("abstract.c", "bound.c", "driver.c", "finals.c", "table.c")
REPLAY_SECONDS = 600
MODEL = "driver.pml"
CYCLE_MARK = "-1:-1:-1"  # in a trail: from here on it repeats
BUILD_ERRORS = ("undefined reference", "error:", "error")  # what tells most comes first


@dataclass(frozen=True)
class Tools:
    """SPIN and a C compiler, each with a text that changes when the tool does."""

    spin: str
    cc: str
    identity: str


def find_tools() -> Tools:
    """SPIN and the C compiler on PATH; ToolError names what is missing."""
    spin = shutil.which("spin")
    cc = next((path for name in C_COMPILERS if (path := shutil.which(name))), None)
    if spin is None:
        raise ToolError("spin is not installed: apt install spin (Debian and Ubuntu); `pancam doctor` tells more")
    if cc is None:
        raise ToolError("no C compiler found: apt install gcc (Debian and Ubuntu); `pancam doctor` tells more")
    return Tools(spin, cc, " ".join(_identity(path) for path in (spin, cc)))


def _identity(path: str) -> str:
    real = os.path.realpath(path)
    status = os.stat(real)
    return f"{real} {status.st_size} {status.st_mtime_ns}"


def driver_text(options: VerifierOptions) -> str:
    """The Promela driver that these options use."""
    if options.search.driver is None:
        claim = options.search.claim
        if claim is None:
            return (promela_templates() / "safety.pml").read_text()
        return f"#define PROPERTY {claim.formula}\n" + (promela_templates() / "liveness.pml").read_text()
    try:
        return Path(options.search.driver).read_text()
    except (OSError, UnicodeDecodeError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else "not a text file"
        raise DriverError(f"{options.search.driver}: {reason}") from problem


def obtain_verifier(options: VerifierOptions, notice: Callable[[str], None]) -> Path:
    """The verifier for these options, from the cache or built now."""
    tools = find_tools()
    driver = driver_text(options)
    machine_key = _digest([tools.identity, *MACHINE_FLAGS, *SHARED_SOURCES, *_texts(_machine_files())])
    parts = [machine_key, tools.spin, driver, *options.driver_macros, *options.search.spin_flags]
    name = f"verifier-{_digest([*parts, *PAN_FLAGS, *options.compile_flags])}"

    def make_machine(target: Path) -> None:
        _compile_machine(tools, target)

    def make(target: Path) -> None:
        machine = cache.obtain(f"machine-{machine_key}.o", make_machine, notice)
        _Build(tools, options, target.parent).verifier(driver, machine, target)

    return cache.obtain(name, make, notice)


def _digest(parts: Sequence[str]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.encode(errors="surrogateescape") + b"\0")
    return digest.hexdigest()[:32]


def _machine_files() -> list[Path]:
    folder = machine_sources()
    files = [path for pattern in ("*.c", "*.h", "*.def") for path in folder.glob(pattern)]
    return sorted([*files, *(folder / "search").iterdir()])


def _texts(files: Sequence[Path]) -> list[str]:
    return [text for file in files for text in (file.name, file.read_text())]


def _compile_machine(tools: Tools, target: Path) -> None:
    """All that verifiers have in common, as one object file."""
    folder = machine_sources()
    sources = [*sorted(folder.glob("*.c")), *(folder / "search" / name for name in SHARED_SOURCES)]
    objects = [str(target.with_name(f"{source.stem}.o")) for source in sources]
    commands = [
        [tools.cc, *MACHINE_FLAGS, "-c", str(source), "-o", output]
        for source, output in zip(sources, objects, strict=True)
    ]
    _run_tools(commands)
    _run_tool([tools.cc, "-r", "-nostdlib", *objects, "-o", str(target)])


@dataclass(frozen=True)
class _Build:
    """One verifier in the making, in a folder of its own."""

    tools: Tools
    options: VerifierOptions
    folder: Path

    def verifier(self, driver: str, machine: Path, target: Path) -> None:
        self.model(driver)
        folder, flags = machine_sources() / "search", self.options.compile_flags
        store = ("raw_store.c",) if self.options.search.store == "raw" else ("tree_store.c", "trees.c")
        sources = [folder / name for name in (*store, "visited.c")]
        commands = [[self.tools.cc, *PAN_FLAGS, f"-I{folder}", *flags, "-c", "pan.c"]]
        commands += [[self.tools.cc, *MACHINE_FLAGS, *flags, "-c", str(source)] for source in sources]
        _run_tools(commands, self.folder)
        objects = ["pan.o", *(f"{source.stem}.o" for source in sources), str(machine)]
        _run_tool([self.tools.cc, *objects, "-lm", "-lpthread", "-o", str(target)], self.folder)

    def model(self, driver: str) -> None:
        """Writes driver.pml and lets SPIN make pan.c of it."""
        (self.folder / MODEL).write_text(driver)
        command = [self.tools.spin, *self.options.search.spin_flags, *self.options.driver_macros, "-a", MODEL]
        result = subprocess.run(
            command, cwd=self.folder, capture_output=True, stdin=subprocess.DEVNULL, text=True, errors="replace",
            check=False,
        )  # fmt: skip
        if result.returncode != 0 or not (self.folder / "pan.c").is_file():
            said = [line for line in (result.stdout + result.stderr).splitlines() if line.strip()]
            name = self.options.search.driver or MODEL
            raise DriverError(f"{name}: SPIN refuses the driver: {said[0] if said else 'no reason given'}")


def _run_tool(command: Sequence[str], folder: Path | None = None) -> None:
    try:
        result = subprocess.run(
            command, cwd=folder, capture_output=True, stdin=subprocess.DEVNULL, text=True, errors="replace", check=False
        )
    except OSError as problem:
        raise ToolError(f"{command[0]} does not start: {problem.strerror}") from problem
    if result.returncode != 0:
        lines = result.stderr.splitlines()
        errors = [line for words in BUILD_ERRORS for line in lines if words in line] or lines
        raise DriverError(f"{command[0]} cannot build the verifier: {errors[0] if errors else 'no reason given'}")


def _run_tools(commands: Sequence[Sequence[str]], folder: Path | None = None) -> None:
    """Several tools at once."""
    from concurrent.futures import ThreadPoolExecutor  # slow to import, and verifiers are seldom built

    with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        list(pool.map(lambda command: _run_tool(command, folder), commands))


def start_verifier(
    binary: Path, arguments: Sequence[str], folder: Path, environment: Mapping[str, str]
) -> subprocess.Popen[bytes]:
    """The search, in a process group of its own; what it prints goes to the file `output` in the folder."""
    with (folder / "output").open("wb") as output:
        return subprocess.Popen(
            [str(binary), *arguments], cwd=folder, env={**os.environ, **environment}, stdin=subprocess.DEVNULL,
            stdout=output, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip


def rerun_trail(binary: Path, trail: Path, environment: Mapping[str, str]) -> str:
    """What the driver did on the way that a trail describes, as text for pancam.moves."""
    moves = trail.with_name("moves")
    moves.unlink(missing_ok=True)
    length = trail.read_bytes().count(b"\n")
    command = [str(binary), "-w10", f"-m{length + 10}", "-r", trail.name]  # the smallest tables: none is needed
    process = subprocess.Popen(
        command, cwd=trail.parent, env={**os.environ, **environment, "PANCAM_MOVES": str(moves)},
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        process.wait(REPLAY_SECONDS)
    finally:
        process.kill()
        process.wait()
        remove_segments(process.pid)
    return moves.read_text() if moves.is_file() else ""


def rerun_stem(binary: Path, trail: Path, environment: Mapping[str, str]) -> str | None:
    """What the driver did before the cycle that a trail describes; None: it describes none."""
    lines = trail.read_text().splitlines()
    if CYCLE_MARK not in lines:
        return None
    stem = trail.with_name("stem.trail")
    stem.write_text("\n".join([*lines[: lines.index(CYCLE_MARK)], ""]))
    try:
        return rerun_trail(binary, stem, environment)
    finally:
        stem.unlink()


def keep_files(binary: Path, options: VerifierOptions, work: Path, target: Path) -> None:
    """Puts model, pan.c, binary, trails and output of a search into a folder of the user's, which exists."""
    try:
        _Build(find_tools(), options, target).model(driver_text(options))
        shutil.copy(binary, target / "pan")
        for file in work.iterdir():
            if file.name == "output" or file.name.endswith("trail") or file.suffix == ".pcb":
                shutil.copy(file, target / file.name)
    except OSError as problem:
        raise ToolError(f"{target}: {problem.strerror}") from problem


def tool_version(path: str) -> str:
    """The first line in which a tool tells its version."""
    flag = "-V" if Path(path).name == "spin" else "--version"
    try:
        result = subprocess.run([path, flag], capture_output=True, text=True, errors="replace", check=False)
    except OSError:
        return "(does not start)"
    return (result.stdout + result.stderr).strip().partition("\n")[0]
