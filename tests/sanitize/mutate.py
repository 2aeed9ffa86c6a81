# SPDX-License-Identifier: Apache-2.0
"""Damages bytecode images at random under AddressSanitizer and UBSan: `make sanitize MUTATIONS=100000`.

Real programs are compiled to images; vm_c/test/mutate.c damages them, loads what is left and runs it. The machine must
refuse an image or run it to an end or a fault; any report of a sanitizer ends this program with status 1.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from pancam.bytecode.image import pack_image, read_sections
from pancam.frontend.clang import CompileOptions
from pancam.pipeline import BuildOptions, Timings, build_program

ROOT = Path(__file__).resolve().parent.parent.parent
FLAGS = (
    "-std=gnu11", "-O1", "-g", "-DVM_PARANOID", "-fsanitize=address,undefined", "-fno-sanitize-recover=all",
    "-ffp-contract=off", "-fno-strict-aliasing",
)  # fmt: skip
PROGRAMS = (
    "examples/hello.c",
    "tests/differential/programs/switches.c",
    "tests/differential/programs/computed_goto.c",
    "tests/differential/programs/nonlocal_jumps.c",
    "tests/differential/programs/varargs_structs.c",
    "tests/differential/programs/variable_length_arrays.c",
    "tests/differential/programs/int128.c",
    "tests/differential/programs/long_double.c",
    "tests/differential/programs/heap.c",
    "tests/differential/threads/lock_free.c",
    "tests/differential/threads/mutexes.c",
    "tests/differential/threads/semaphores.c",
    "tests/differential/threads/thread_local_data.c",
)
LEVELS = ("0", "2")
NARROW = "tests/differential/threads/mutexes.c"  # this one with 32-bit pointers, too
COUNTERS = ("loaded", "refused", "faults", "instructions", "round trips")


@dataclass(frozen=True)
class Batch:
    """One run of the C program and what came of it."""

    status: int
    counts: Counter[str]
    report: str


def compile_mutator(folder: Path) -> Path:
    """Build the C program that damages and runs images."""
    binary = folder / "mutate"
    sources = [*sorted((ROOT / "vm_c").glob("*.c")), ROOT / "vm_c/test/mutate.c"]
    subprocess.run(["cc", *FLAGS, *map(str, sources), "-lm", "-o", str(binary)], check=True)
    return binary


def compile_image(source: str, level: str, folder: Path, *, narrow: bool = False) -> Path:
    """Compile one program. The machine never reads the source map, so mutations are not wasted on it."""
    options = BuildOptions(CompileOptions(opt_level=level, m32=narrow))
    program = build_program([str(ROOT / source)], options, ["argument"], Timings())
    sections, pointer_bits, entry = read_sections(program.image)
    sections["DEBUG"] = b""
    path = folder / f"{Path(source).stem}-O{level}{'-m32' if narrow else ''}.pcb"
    path.write_bytes(pack_image(sections, pointer_bits, entry))
    return path


def compile_images(folder: Path, programs: Sequence[str] = PROGRAMS) -> list[Path]:
    """The images to damage: every program at two levels, one of them with 32-bit pointers as well."""
    images = [compile_image(source, level, folder) for source in programs for level in LEVELS]
    if NARROW in programs:
        images.extend(compile_image(NARROW, level, folder, narrow=True) for level in LEVELS)
    return images


def run_batch(binary: Path, image: Path, count: int, seed: int) -> Batch:
    """Damage one image `count` times."""
    command = [str(binary), str(count), str(seed), str(image)]
    result = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    numbers = [int(number) for number in re.findall(r"\d+", result.stdout)]
    counts = Counter(dict(zip(COUNTERS, numbers, strict=True))) if result.returncode == 0 else Counter()
    report = f"{' '.join(command)}\n{result.stderr}" if result.returncode else ""
    return Batch(result.returncode, counts, report)


def run_batches(binary: Path, images: Sequence[Path], count: int, seed: int) -> list[Batch]:
    """Spread at least `count` mutations over the images, and the images over the cores."""
    each = -(-count // len(images))
    with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        jobs = [pool.submit(run_batch, binary, image, each, seed + k) for k, image in enumerate(images)]
        return [job.result() for job in jobs]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=100_000, help="mutations in all (default 100000)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the first image; the others count on")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pancam-mutate-") as folder:
        binary = compile_mutator(Path(folder))
        images = compile_images(Path(folder))
        print(f"{arguments.count} mutations of {len(images)} images, seed {arguments.seed}", flush=True)
        batches = run_batches(binary, images, arguments.count, arguments.seed)
    total: Counter[str] = sum((batch.counts for batch in batches), Counter())
    print(", ".join(f"{total[name]} {name}" for name in COUNTERS))
    reports = [batch.report for batch in batches if batch.status]
    for report in reports:
        print(report, file=sys.stderr)
    print("no report of the sanitizers" if not reports else f"{len(reports)} images led to a report")
    return 1 if reports else 0


if __name__ == "__main__":
    sys.exit(main())
