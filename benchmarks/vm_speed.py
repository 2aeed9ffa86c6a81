# SPDX-License-Identifier: Apache-2.0
"""`make bench`: how fast the virtual machine is, as ratios to native code and to LLVM's own interpreter.

Each program is run by all three, side by side, with a number of rounds and with none; the difference is the time of the
work alone, without start-up and compilation. A second part says where the time of a hello-world run goes.
Medians of three; nothing is asserted. Results go to benchmarks/results/ with the machine and the versions.
"""

import argparse
import json
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPEATS = 3

# -ffp-contract=off: LLVM's interpreter does not know the fused multiply-add that Clang would write.
FLAGS = ["-O0", "-w", "-ffp-contract=off"]
# Without --jit-kind=mcjit, lli of LLVM 13 and later ignores --force-interpreter and compiles.
INTERPRETER = ["lli", "--jit-kind=mcjit", "--force-interpreter"]
# How much more work than the interpreter the faster runners get, so that their times are long enough to measure.
NATIVE_FACTOR = 40
MACHINE_FACTOR = 4

HELLO = '#include <stdio.h>\nint main(void) {\n    puts("hello");\n    return 0;\n}\n'


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


def median_seconds(command: list[str]) -> float:
    """Return the median time of three runs."""
    times = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        run(command)
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def pancam(*arguments: str) -> list[str]:
    """Return the command that runs pancam with this Python."""
    return [sys.executable, "-m", "pancam.cli", *arguments]


def default_rounds(source: Path) -> int:
    """Return the number of rounds that the program says is right for the interpreter."""
    match = re.search(r"#define ROUNDS (\d+)", source.read_text())
    if match is None:
        sys.exit(f"{source} does not define ROUNDS")
    return int(match.group(1))


def native_command(source: Path, rounds: int, folder: Path) -> list[str]:
    """Compile for the processor and return the command that runs the result."""
    binary = folder / f"{source.stem}-{rounds}"
    run(["clang", *FLAGS, f"-DROUNDS={rounds}", "-o", str(binary), str(source)])
    return [str(binary)]


def interpreter_command(source: Path, rounds: int, folder: Path) -> list[str]:
    """Compile to bitcode and return the command that interprets it."""
    bitcode = folder / f"{source.stem}-{rounds}.bc"
    run(["clang", *FLAGS, f"-DROUNDS={rounds}", "-emit-llvm", "-c", "-o", str(bitcode), str(source)])
    return [*INTERPRETER, str(bitcode)]


def machine_command(source: Path, rounds: int, folder: Path) -> list[str]:
    """Compile to a bytecode image and return the command that runs it."""
    image = folder / f"{source.stem}-{rounds}.pcb"
    run(pancam("compile", "-O0", "-ffp-contract=off", f"-DROUNDS={rounds}", "-o", str(image), str(source)))
    return pancam("run", str(image))


def seconds_of_work(
    command_for: Callable[[Path, int, Path], list[str]], source: Path, folder: Path, factor: int
) -> float:
    """Return the time of the program's rounds alone, measured over `factor` times as many."""
    rounds = default_rounds(source)
    full = median_seconds(command_for(source, rounds * factor, folder))
    none = median_seconds(command_for(source, 0, folder))
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
    """Return where the time of a warm hello-world run goes, in seconds by phase."""
    source = folder / "hello.c"
    source.write_text(HELLO)
    command = pancam("run", str(source))
    run(command)
    total = median_seconds(command)
    python = median_seconds([sys.executable, "-c", "pass"])
    timed = subprocess.run(
        pancam("run", "--timings", str(source)), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True
    )
    phases = {name: float(value) for name, value in re.findall(r"^(\w[\w ]*?) ([0-9.]+)$", timed.stderr, re.MULTILINE)}
    return {"total": total, "bare python": python} | phases


def versions() -> dict[str, str]:
    """Return what the numbers depend on."""
    processor = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    return {
        "processor": processor.group(1) if processor else platform.machine(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "clang": run(["clang", "--version"]).splitlines()[0],
        "lli": next((line.strip() for line in run(["lli", "--version"]).splitlines() if "version" in line), "unknown"),
        "pancam": metadata.version("pancam"),
        "llvmlite": metadata.version("llvmlite"),
    }


def print_table(speeds: list[Speed]) -> None:
    """Print the times and ratios of all programs."""
    print(f"{'program':10} {'native':>10} {'lli':>10} {'pancam':>10} {'x native':>10} {'lli / pancam':>13}")
    for speed in speeds:
        print(
            f"{speed.program:10} {speed.native:9.4f}s {speed.interpreter:9.3f}s {speed.machine:9.4f}s "
            f"{speed.slower_than_native:10.1f} {speed.faster_than_interpreter:13.1f}"
        )


def main() -> None:
    """Measure, print and store."""
    parser = argparse.ArgumentParser(description="Measure the speed of pancam's virtual machine.")
    parser.add_argument("programs", nargs="*", help="names of programs; all when none is given")
    chosen = parser.parse_args().programs
    sources = [path for path in sorted((HERE / "programs").glob("*.c")) if not chosen or path.stem in chosen]
    with tempfile.TemporaryDirectory(prefix="pancam-bench-") as name:
        speeds = [measure(source, Path(name)) for source in sources]
        start = measure_start(Path(name))
    print_table(speeds)
    print("\nhello, world, warm:")
    for phase, seconds in start.items():
        print(f"  {phase:20} {seconds:7.3f}s")
    results = HERE / "results"
    results.mkdir(exist_ok=True)
    path = results / f"{time.strftime('%Y%m%d-%H%M%S')}.json"
    report = {"versions": versions(), "speeds": [asdict(speed) for speed in speeds], "start": start}
    path.write_text(json.dumps(report, indent=2) + "\n")
    print(f"\nwritten to {path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path}")


if __name__ == "__main__":
    main()
