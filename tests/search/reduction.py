# SPDX-License-Identifier: Apache-2.0
"""Compares SPIN's searches with steps of all three sizes: the same verdict, the same faults, the same final states.

Final states are written by the verifiers themselves (vm_c/search/finals.c): the variables with static storage when the
process is over, and the whole state of a deadlock. As a program it compares a range of seeds, prints the programs that
differ, and exits 1 if any does.
"""

from __future__ import annotations

import argparse
import struct
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from multiprocessing import Pool
from pathlib import Path

from agreement import Subject
from programs import program_text

from pancam.bytecode.program import Program
from pancam.frontend.clang import CompileOptions
from pancam.pipeline import BuildOptions, Timings, build_program
from pancam.settings import DEFAULT_SUPERSTEP, Settings
from pancam.spin.options import SearchOptions
from pancam.spin.search import Watch, search
from pancam.verdict import conclude

SECONDS = 5.0  # for one search; programs that need more are left out
INVARIANT = "invariant"
ALL = SearchOptions(all_errors=0, time=SECONDS)
QUICK = replace(ALL, time=1.5)
TWO_CORES = SearchOptions(cores=2, time=SECONDS)  # SPIN then shows one violation only
# Searches with supersteps, each with the number of instructions after which a superstep ends
REDUCED = {
    "depth-first, tree": (ALL, DEFAULT_SUPERSTEP),
    "depth-first, raw": (replace(ALL, store="raw"), DEFAULT_SUPERSTEP),
    "breadth-first, tree": (replace(ALL, breadth_first=True), DEFAULT_SUPERSTEP),
    "breadth-first, raw": (replace(ALL, breadth_first=True, store="raw"), DEFAULT_SUPERSTEP),
    "random order, verified tree": (replace(ALL, random_seed=3, cc_flags=("-DSTORE_VERIFY",)), DEFAULT_SUPERSTEP),
    "short": (ALL, 15),
    "two cores, tree": (TWO_CORES, DEFAULT_SUPERSTEP),
    "two cores, raw": (replace(TWO_CORES, store="raw"), DEFAULT_SUPERSTEP),
}
FIRST = "depth-first, tree"
ON_TWO_CORES = ("two cores, tree", "two cores, raw")  # starting these takes longer than all the others together
PER_PROCESS = 100  # programs; a process that has compiled many is large, and slow to start others
LEVELS = ("0", "1", "2", "0")  # how the programs of a long run are optimised, in turns
FINE, RARE = 5, 20  # every so many of them are also searched instruction by instruction, and on two cores


@dataclass(frozen=True)
class Findings:
    """What must not depend on the size of steps, nor on how the search goes."""

    verdict: str
    kinds: frozenset[str]
    finals: frozenset[bytes]


def compile_program(text: str, level: str = "0") -> tuple[Program, Settings]:
    """The program, and the settings with its invariant if it has one."""
    names = (INVARIANT,) if f"int {INVARIANT}(void)" in text else ()
    with tempfile.TemporaryDirectory(prefix="pancam-search-") as folder:
        file = Path(folder) / "program.c"
        file.write_text(text)
        options = BuildOptions(CompileOptions(opt_level=level), functions=names)
        return build_program([str(file)], options, [], Timings()), Settings(invariants=names)


def find(program: Program, settings: Settings, options: SearchOptions) -> Findings | None:
    """What a search finds; None when it does not come to its end in time."""
    with tempfile.TemporaryDirectory(prefix="pancam-search-") as folder:
        finals = Path(folder) / "finals"
        result = search(program.image, settings, options, program.thread_limit, Watch(finals=finals))
        if result.stopped:
            return None
        kinds = Subject(program.image, program.thread_limit).kinds(settings, result)
        verdict = conclude(result, settings, options, len(kinds)).verdict.value
        records = frozenset(read_finals(finals.read_bytes())) if finals.exists() else frozenset()
    return Findings(verdict, frozenset(kinds), records)


def read_finals(data: bytes) -> Iterator[bytes]:
    """The records of a file of final states."""
    head = struct.Struct("<4I")
    while data:
        size = head.size + head.unpack_from(data)[0]
        yield data[:size]
        data = data[size:]


def differences(
    program: Program, settings: Settings, names: Iterable[str] = REDUCED, *, fine: bool = True
) -> list[str] | None:
    """How searches differ from that of single instructions, or of global steps if those are too many or not wanted.

    None: there are too many global steps.
    """
    coarse = find(program, replace(settings, step="global"), ALL)
    if coarse is None:
        return None
    expected, found = coarse, []
    if fine and (finest := find(program, replace(settings, step="instruction"), QUICK)) is not None:
        expected = finest
        found += [f"global, {text}" for text in _compare(expected, coarse)]
    for name in names:
        options, most = REDUCED[name]
        reduced = find(program, replace(settings, step="superstep", max_superstep=most), options)
        compare = _compare_verdict if options.cores > 1 and expected.verdict != "holds" else _compare
        found += [f"superstep, {name}: {text}" for text in compare(expected, reduced)]
    return found


def _compare_verdict(expected: Findings, other: Findings | None) -> list[str]:
    if other is not None and other.verdict == expected.verdict:
        return []
    return [f"{other.verdict if other else 'no end'} instead of {expected.verdict}"]


def _compare(expected: Findings, other: Findings | None) -> list[str]:
    if other is None:
        return ["it does not come to its end"]
    found = []
    if (other.verdict, other.kinds) != (expected.verdict, expected.kinds):
        found.append(f"{other.verdict} {sorted(other.kinds)} instead of {expected.verdict} {sorted(expected.kinds)}")
    if other.finals != expected.finals:
        lost, new = expected.finals - other.finals, other.finals - expected.finals
        found.append(f"{len(lost)} final states are lost, {len(new)} are new")
    return found


def _compare_seed(seed: int) -> tuple[int, list[str] | None]:
    """One program with some of the searches, the others come with the seeds after it."""
    program, settings = compile_program(program_text(seed), LEVELS[seed % len(LEVELS)])
    others = [name for name in REDUCED if name not in (FIRST, *ON_TWO_CORES)]
    other = others[seed % len(others)] if seed % RARE else ON_TWO_CORES[seed // RARE % 2]
    return seed, differences(program, settings, (FIRST, other), fine=seed % FINE == 0)


def main() -> int:
    """Compare the seeds that the command line asks for."""
    parser = argparse.ArgumentParser(description="Compare steps of all sizes on random programs.")
    parser.add_argument("--count", type=int, default=1000, help="how many programs to compare")
    parser.add_argument("--seed", type=int, default=1, help="the first seed")
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()
    seeds = range(arguments.seed, arguments.seed + arguments.count)
    differing, too_large = 0, 0
    with Pool(arguments.jobs, maxtasksperchild=PER_PROCESS) as pool:
        for seed, found in pool.imap(_compare_seed, seeds):
            too_large += found is None
            if found:
                differing += 1
                print(f"seed {seed}: {found}\n{program_text(seed)}", flush=True)
    print(f"{arguments.count - too_large} programs compared, {differing} differ, {too_large} have too many states")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
