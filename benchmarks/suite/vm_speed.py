# SPDX-License-Identifier: Apache-2.0
"""How fast the virtual machine is, as ratios to native code and to LLVM's own interpreter.

Each program is run by all three, side by side, with a number of rounds and with none; the difference is the time of the
work alone, without start-up and compilation. A second part says where the time of a hello-world run goes.
Times are processor time, the best of three, so that other work on the computer disturbs them little.
"""

import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parents[1]
REPEATS = 3

HELLO_LIMIT = 0.5
MOST_TIMES_NATIVE = 30
LEAST_TIMES_INTERPRETER = 10

# -ffp-contract=off: LLVM's interpreter does not know the fused multiply-add that Clang would write.
FLAGS = ["-O0", "-w", "-ffp-contract=off"]
# Without --jit-kind=mcjit, lli of LLVM 13 and later ignores --force-interpreter and compiles.
INTERPRETER = ["lli", "--jit-kind=mcjit", "--force-interpreter"]
# How much more work than the interpreter the faster runners get, so that their times are long enough to measure.
NATIVE_FACTOR = 40
MACHINE_FACTOR = 4

HELLO = '#include <stdio.h>\nint main(void) {\n    printf("hello, %s\\n", "world");\n    return 0;\n}\n'
# The phases of `pancam run --timings` that are Python loading modules.
IMPORT_PHASES = ("bare python", "start", "imports")


@dataclass(frozen=True)
class Speed:
    """One program: seconds per round of its own size, for each runner."""

    program: str
    native: float
    interpreter: float
    machine: float

    @property
    def slower_than_native(self) -> float:
        """How many times slower the machine is than native -O0."""
        return self.machine / self.native

    @property
    def faster_than_interpreter(self) -> float:
        """How many times faster the machine is than LLVM's interpreter."""
        return self.interpreter / self.machine


def run(command: list[str]) -> str:
    """Run a command that must succeed and return its output."""
    result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{result.stderr}")
    return result.stdout


def processor_seconds() -> float:
    """Return the processor time of all commands so far, their own commands included."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def best_seconds(command: list[str], clock: Callable[[], float] = processor_seconds) -> float:
    """Return the shortest time of three runs."""
    times = []
    for _ in range(REPEATS):
        started = clock()
        run(command)
        times.append(clock() - started)
    return min(times)


def pancam(*arguments: str) -> list[str]:
    """Return the command that runs pancam with this Python."""
    return [sys.executable, "-m", "pancam.cli", *arguments]


def clang() -> str:
    """Return the Clang that belongs to lli, which reads no newer bitcode than its own; all three runners use it."""
    interpreter = shutil.which(INTERPRETER[0])
    beside = Path(interpreter).resolve().parent / "clang" if interpreter else Path("clang")
    return str(beside) if beside.exists() else "clang"


def default_rounds(source: Path) -> int:
    """Return the number of rounds that the program says is right for the interpreter."""
    match = re.search(r"#define ROUNDS (\d+)", source.read_text())
    if match is None:
        sys.exit(f"{source} does not define ROUNDS")
    return int(match.group(1))


def native_command(source: Path, rounds: int, folder: Path) -> list[str]:
    """Compile for the processor and return the command that runs the result."""
    binary = folder / f"{source.stem}-{rounds}"
    run([clang(), *FLAGS, f"-DROUNDS={rounds}", "-o", str(binary), str(source)])
    return [str(binary)]


def interpreter_command(source: Path, rounds: int, folder: Path) -> list[str]:
    """Compile to bitcode and return the command that interprets it."""
    bitcode = folder / f"{source.stem}-{rounds}.bc"
    run([clang(), *FLAGS, f"-DROUNDS={rounds}", "-emit-llvm", "-c", "-o", str(bitcode), str(source)])
    return [*INTERPRETER, str(bitcode)]


def machine_command(source: Path, rounds: int, folder: Path) -> list[str]:
    """Compile to a bytecode image and return the command that runs it."""
    image = folder / f"{source.stem}-{rounds}.pcb"
    run(pancam("compile", *FLAGS, "--clang", clang(), f"-DROUNDS={rounds}", "-o", str(image), str(source)))
    return pancam("run", str(image))


def seconds_of_work(
    command_for: Callable[[Path, int, Path], list[str]], source: Path, folder: Path, factor: int
) -> float:
    """Return the time of the program's rounds alone, measured over `factor` times as many."""
    rounds = default_rounds(source)
    full = best_seconds(command_for(source, rounds * factor, folder))
    none = best_seconds(command_for(source, 0, folder))
    return (full - none) / factor


def check_same_output(source: Path, folder: Path) -> None:
    """Stop unless all three runners print the same, since a wrong run has no speed."""
    rounds = default_rounds(source)
    outputs = {run(make(source, rounds, folder)) for make in (native_command, interpreter_command, machine_command)}
    if len(outputs) != 1:
        sys.exit(f"{source.name}: the runners print different results: {sorted(outputs)}")


def measure(source: Path, folder: Path) -> Speed:
    """Measure one program with the three runners."""
    check_same_output(source, folder)
    return Speed(
        source.stem,
        seconds_of_work(native_command, source, folder, NATIVE_FACTOR),
        seconds_of_work(interpreter_command, source, folder, 1),
        seconds_of_work(machine_command, source, folder, MACHINE_FACTOR),
    )


def measure_start(folder: Path) -> dict[str, float]:
    """Return where the time of a warm hello-world run goes, in seconds by phase; whole runs by both clocks."""
    source = folder / "hello.c"
    source.write_text(HELLO)
    command = pancam("run", str(source))
    run(command)
    whole = {"whole run": best_seconds(command, time.perf_counter), "processor time of it": best_seconds(command)}
    python = {"bare python": best_seconds([sys.executable, "-c", "pass"], time.perf_counter)}
    samples = [timed_phases(source) for _ in range(REPEATS)]
    return whole | python | min(samples, key=lambda phases: phases["total"])


def timed_phases(source: Path) -> dict[str, float]:
    """Return what `pancam run --timings` says, in seconds by phase."""
    command = pancam("run", "--timings", str(source))
    timed = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True)
    lines = re.findall(r"^(\w[\w ]*?) ([0-9]+\.[0-9]+)$", timed.stderr, re.MULTILINE)
    return {name: float(value) for name, value in lines}


def table_lines(speeds: list[Speed]) -> list[str]:
    """Return the times and ratios of all programs."""
    lines = [f"{'program':10} {'native':>10} {'lli':>10} {'pancam':>10} {'x native':>10} {'lli / pancam':>13}"]
    lines.extend(
        f"{speed.program:10} {speed.native:9.4f}s {speed.interpreter:9.3f}s {speed.machine:9.4f}s "
        f"{speed.slower_than_native:10.1f} {speed.faster_than_interpreter:13.1f}"
        for speed in speeds
    )
    return lines


def start_lines(start: dict[str, float]) -> list[str]:
    """Return the phases of the hello-world run and what part of it is Python's imports."""
    share = 100 * sum(start[phase] for phase in IMPORT_PHASES) / start["whole run"]
    return [
        "hello, world, warm, compiled and run:",
        *(f"  {phase:20} {seconds:7.3f}s" for phase, seconds in start.items()),
        f"  imports ({', '.join(IMPORT_PHASES)}): {share:.0f} % of the whole run",
    ]


def summary_lines(speeds: list[Speed], start: dict[str, float]) -> list[str]:
    """Return the extremes beside what is asked for."""
    slowest = max(speed.slower_than_native for speed in speeds)
    fastest = min(speed.faster_than_interpreter for speed in speeds)
    return [
        f"at most {slowest:.1f} times slower than native -O0 (aim: {MOST_TIMES_NATIVE})",
        f"at least {fastest:.1f} times as fast as lli (aim: {LEAST_TIMES_INTERPRETER})",
        f"hello, world in {start['whole run']:.3f} s (aim: {HELLO_LIMIT})",
    ]


def measure_all(names: Sequence[str] = ()) -> dict[str, Any]:
    """All programs, or those that are named, and a hello-world run."""
    sources = [path for path in sorted((HERE / "programs").glob("*.c")) if not names or path.stem in names]
    with tempfile.TemporaryDirectory(prefix="pancam-bench-") as name:
        speeds = [measure(source, Path(name)) for source in sources]
        start = measure_start(Path(name))
    return {"speeds": [asdict(speed) for speed in speeds], "start": start}


def report_lines(measured: dict[str, Any]) -> list[str]:
    """Tables and extremes."""
    speeds, start = [Speed(**speed) for speed in measured["speeds"]], measured["start"]
    return [*table_lines(speeds), "", *start_lines(start), "", *summary_lines(speeds, start)]
