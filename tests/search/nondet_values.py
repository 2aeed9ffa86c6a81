# SPDX-License-Identifier: Apache-2.0
"""Compares the values that pancam tries for a nondeterministic call with all values, on many random programs.

`make fuzz` runs it. Where no note is taken, both must find the same violations; what the chosen values find, all must.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter, deque
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from nondet_programs import nondet_program

from pancam.bytecode.program import Program
from pancam.errors import PancamError
from pancam.frontend.clang import CompileOptions
from pancam.pipeline import BuildOptions, Timings, build_program
from pancam.settings import Settings
from pancam.vm.checker import Checker, Outcome

ALL = tuple(f"{kind}={low}..{low + size - 1}" for kind, low, size in (
    ("uchar", 0, 256), ("schar", -128, 256), ("u4", 0, 16), ("s4", -8, 16),
))  # fmt: skip
MOST_STATES = 150_000
NOTHING_IS_SMALL = 1  # types are analysed whatever their size


def explore(program: Program) -> tuple[set[tuple[str, int]], bool] | None:
    """(violations by kind and line, whether a note was taken); None: too many states."""
    checker = Checker(program.image, Settings(step="global"))
    checker.machine.watch_notes()
    checker.reset()
    seen, found = {checker.pack()}, set()
    queue = deque(seen)
    while queue:
        state = queue.popleft()
        checker.unpack(state)
        if checker.outcome is Outcome.VIOLATION:
            fault = checker.machine.fault
            assert fault is not None
            place = next((at.line for _, at in program.source_map.chain(fault.pc) if at.file.endswith("p.c")), 0)
            found.add((fault.kind, place))
        if checker.outcome is not Outcome.RUNNING:
            continue
        for thread in checker.machine.threads:
            for choice in range(checker.moves(thread)):
                checker.step(thread, choice)
                following = checker.pack()
                if following not in seen:
                    seen.add(following)
                    queue.append(following)
                checker.unpack(state)
        if len(seen) > MOST_STATES:
            return None
    return found, bool(checker.machine.notes)


def compile_with(text: str, level: str, *, everything: bool) -> Program:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "p.c"
        file.write_text(text)
        options = BuildOptions(
            CompileOptions(opt_level=level), nondet=ALL if everything else (), small_type=NOTHING_IS_SMALL
        )
        program = build_program([str(file)], options, [], Timings())
        program.source_map  # noqa: B018 - needs the sources
        return program


def compare(seed: int) -> tuple[str, str]:
    """(what came of it, what is wrong if anything is) for the program of a seed."""
    text, level = nondet_program(seed), "0" if seed % 3 else "2"
    try:
        few = explore(compile_with(text, level, everything=False))
        every = explore(compile_with(text, level, everything=True)) if few is not None else None
    except PancamError as problem:
        return "wrong", f"seed {seed}: {problem}"
    if few is None or every is None:
        return "too large", ""
    if not few[0] <= every[0] or (few[0] != every[0] and not few[1]):
        return "wrong", f"seed {seed} at -O{level}: {sorted(few[0])} with few values, {sorted(every[0])} with all"
    return "restricted" if few[1] else "exact", ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    with ProcessPoolExecutor(options.jobs) as pool:
        for outcome, problem in pool.map(compare, range(options.seed, options.seed + options.count)):
            counts[outcome] += 1
            if problem:
                print(problem, flush=True)
    print(", ".join(f"{counts[key]} {key}" for key in ("exact", "restricted", "too large", "wrong")))
    return 1 if counts["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
