# SPDX-License-Identifier: Apache-2.0
"""`make bench` and `make bench-quick`: how fast searches are, what they need, and how close they come to the ceiling.

Runs the parts that are named, prints their tables and what must hold beside what was measured, and writes everything to
benchmarks/results/ as JSON. Nothing is asserted. --against compares with an older file; --record puts tables and plot
into docs/performance.md.
"""

import argparse
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from experiments import record
from experiments.search import Job
from suite import ceiling, check_start, compare, others, programs, report, results, vm_speed
from suite.measure import measure
from suite.results import Results

HERE = Path(__file__).resolve().parent
PAGE = record.DOCS / "performance.md"
FIGURES = record.DOCS / "figures"
PARTS = ("search", "memory", "cores", "others", "start", "machine")
QUICK_PARTS = ("search", "memory", "others", "start")
EMPTY = "int main(void) { return 0; }\n"
EMPTY_TRIES = 8  # it ends so soon that its peak is easily overlooked
QUICK_CHECKS = 12
TURNS = 2  # that the programs with little and much memory take


def measure_search(found: Results, counters: ceiling.Counters, wanted: Sequence[str]) -> None:
    """Every program, and the ceiling beside its largest search."""
    with tempfile.TemporaryDirectory(prefix="pancam-bench-") as name:
        (Path(name) / "empty.c").write_text(EMPTY)
        job = Job("empty", ("empty.c",), Path(name))
        found.empty = max(measure(job).memory for _ in range(EMPTY_TRIES))
    found.alone = ceiling.search(counters, ceiling.WITHOUT_STORE)
    for program in programs.PROGRAMS:
        if wanted and program.name not in wanted:
            continue
        if not found.ceilings or not found.quick:
            found.ceilings.append(ceiling.search(counters))
        for job in program.jobs(quick=found.quick):
            found.programs.append(measure(job))
            found.beside.append(found.ceilings[-1].transitions_per_second)


def measure_memory(found: Results) -> None:
    """Little and much memory take turns; the least processor time of each counts."""
    jobs = programs.memory_jobs(quick=found.quick)
    rounds = [[measure(job) for job in jobs] for _ in range(TURNS)]
    found.memory = [min(runs, key=lambda run: run.processor) for runs in zip(*rounds, strict=True)]


def measure_cores(found: Results) -> None:
    """One core, then two."""
    for job in programs.QUICK_CORES if found.quick else programs.CORES:
        found.cores += [measure(job, cores=cores) for cores in (1, 2)]


def measure_parts(found: Results, options: argparse.Namespace) -> None:
    """Every part that is wanted."""
    for part in options.parts or (QUICK_PARTS if found.quick else PARTS):
        print(f"{part}:", flush=True)
        if part == "search":
            measure_search(found, ceiling.Counters(top=options.top), options.only)
        elif part == "memory":
            measure_memory(found)
        elif part == "cores":
            measure_cores(found)
        elif part == "others":
            jobs = [program.job(program.small[-1]) for program in programs.PROGRAMS]
            found.foreign, found.missing = others.measure(jobs)
        elif part == "start":
            found.checks = check_start.measure(QUICK_CHECKS if found.quick else None)
        else:
            found.vm = vm_speed.measure_all()


def sections(found: Results) -> dict[str, list[str]]:
    """What is printed and recorded, by the name of its marker."""
    made = {
        "aims": ["```", *(aim.line() for aim in report.aims(found)), "```"],
        "searches": report.program_table(found) if found.programs else [],
        "memory": report.memory_table(found) if found.memory else [],
        "cores": report.cores_table(found) if found.cores else [],
        "others": report.foreign_table(found),
        "start": ["```", *check_start.report_lines(found.checks), "```"] if found.checks else [],
        "machine": ["```", *vm_speed.report_lines(found.vm), "```"] if found.vm else [],
        "conditions": ["```", *(f"{name}: {text}" for name, text in found.machine.items()), "```"],
    }
    return {name: lines for name, lines in made.items() if lines}


def write_page(found: Results) -> None:
    """The page with the sections and the plot of this run."""
    from suite import growth

    page = PAGE.read_text()
    for name, lines in sections(found).items():
        page = record.put(page, name, lines, Path(__file__).name)
    PAGE.write_text(page)
    growth.draw(found, FIGURES)


def arguments() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(description="Measure how fast pancam searches.")
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help=f"of {', '.join(PARTS)}; default: all")
    parser.add_argument("--quick", action="store_true", help="small sizes only, and not all parts")
    parser.add_argument("--only", nargs="+", default=[], metavar="PROGRAM", help="programs of the part `search`")
    parser.add_argument("--top", type=int, default=ceiling.Counters().top, help="of the ceiling's four counters")
    parser.add_argument("--against", type=Path, metavar="OLD.json", help="compare with an older result")
    parser.add_argument("--from", type=Path, dest="source", metavar="NEW.json", help="no measuring: take this result")
    parser.add_argument("--output", type=Path, metavar="FILE", help="where the result goes")
    parser.add_argument("--record", action="store_true", help="put tables and plot into docs/performance.md")
    return parser.parse_args()


def main() -> None:
    """Measure, print, store, and compare."""
    options = arguments()
    old = None if options.against is None else results.load(options.against)
    if options.source is not None:
        found = results.load(options.source)
    else:
        start = time.monotonic()
        found = Results(results.machine(), options.quick)
        measure_parts(found, options)
        took = f"{(time.monotonic() - start) / 60:.1f} minutes"
        found = replace(found, machine={**found.machine, "date": time.strftime("%Y-%m-%d"), "took": took})
        path = options.output or HERE / "results" / f"{time.strftime('%Y%m%d-%H%M%S')}.json"
        results.save(found, path)
        print(f"\nwritten to {path}")
    for lines in sections(found).values():
        print("\n" + "\n".join(line for line in lines if line != "```"))
    if old is not None:
        print("\n" + "\n".join(compare.lines(old, found)))
    if options.record:
        write_page(found)


if __name__ == "__main__":
    main()
