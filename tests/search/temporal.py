# SPDX-License-Identifier: Apache-2.0
"""Compares verdicts about infinite executions, on random programs that go on for ever or may.

They come from SPIN's searches with steps of all sizes, fair and unfair, and from another checker (fair_cycles.py) that
knows all states, instruction by instruction. Every violation is judged anew in the machine. As a program it compares a
range of seeds, prints what differs, and exits 1 if anything does.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, replace
from multiprocessing import Pool
from pathlib import Path

from fair_cycles import NEGATIONS, TERMINATION, Node, graph, has_livelock, is_violated
from loops import PROPOSITIONS, loop_program

from pancam.bytecode.program import Program
from pancam.explain.lasso import judge
from pancam.faults import GROUPS, ignored_kinds
from pancam.frontend.clang import CompileOptions
from pancam.liveness import Liveness, Proposition, read_propositions
from pancam.pipeline import BuildOptions, Timings, build_program
from pancam.settings import STEPS, Settings
from pancam.spin.options import Claim, SearchOptions
from pancam.spin.search import Watch, search
from pancam.verdict import conclude
from pancam.vm.checker import Checker

FORMULAS = (
    *NEGATIONS, "[] <> (p && q)", "<> [] (p || ! r)", "[] (q -> <> ! q)", "p W q", "(<> p) -> (<> q)",
    "[] (r -> (r U p))", "<> (p && <> q)", "([] <> r) <-> ([] <> p)", "[] ((p && ! q) -> ((! q) W r))",
    "! ((! r) U (p && q))",
    "(<> [] p) || ([] <> q)", "[] (p V (q || r))", "<> [] ! p && [] <> ! r",
)  # fmt: skip
SECONDS = 60.0  # for one search: nearly all take a moment
PAUSE = 10  # seeds between two lines about the whole
MOST_STATES = 16_000  # of a program, instruction by instruction; larger ones are left out
NAMES = tuple(PROPOSITIONS)
TOO_LARGE = "programs left out: too many states"
IGNORED = ignored_kinds((), tuple(GROUPS))


@dataclass(frozen=True)
class Question:
    """What is asked of a program: a formula, or termination, or livelock."""

    liveness: Liveness

    @property
    def text(self) -> str:
        asked = self.liveness
        name = "termination" if asked.termination else "livelock" if asked.livelock else asked.formulas[0]
        return f"{name} ({'fair' if asked.fair else 'unfair'})"


def propositions() -> tuple[Proposition, ...]:
    """All of them, whatever a formula speaks of: one program is enough."""
    declared = [f"{name}={text}" for name, text in PROPOSITIONS.items()]
    return read_propositions(declared, [" && ".join(NAMES)], from_c=True)


def questions(formulas: tuple[str, ...] = FORMULAS, *, fair: tuple[bool, ...] = (True, False)) -> list[Question]:
    known = propositions()
    asked = [Liveness((text,), known, fair=f) for text in formulas for f in fair]
    asked += [Liveness((), known, termination=True, fair=f) for f in fair]
    asked += [Liveness((), known, livelock=True, fair=f) for f in fair]
    return [Question(liveness) for liveness in asked]


def compile_loops(seed: int, level: str = "0") -> Program:
    known = propositions()
    with tempfile.TemporaryDirectory(prefix="pancam-search-") as folder:
        file = Path(folder) / "program.c"
        file.write_text(loop_program(seed))
        functions = tuple(p.function for p in known)
        options = BuildOptions(CompileOptions(opt_level=level), thread_limit=4, functions=functions, propositions=known)
        return build_program([str(file)], options, [], Timings())


def answer(program: Program, question: Question, step: str, **more: object) -> str:
    """The verdict of a search, its violation judged anew; an execution with a fault of another kind does not count."""
    settings = Settings(step=step, liveness=question.liveness, ignored=IGNORED)
    asked = question.liveness
    claim = Claim(asked.spin_formula, asked.fair, asked.livelock)
    options = replace(SearchOptions(claim=claim, time=SECONDS, cc_flags=("-O0",)), **more)  # type: ignore[arg-type]
    result = search(program.image, settings, options, program.thread_limit, Watch())
    for trail in result.trails:
        judge(Checker(program.image, settings), trail, asked)
    verdict = conclude(result, settings, options, len(result.trails)).verdict.value
    return "holds" if verdict == "bounded" and not options.bitstate else verdict


def expected(nodes: list[Node], question: Question) -> str | None:
    """What the checker in Python says; None: it knows no automaton for the formula."""
    asked = question.liveness
    if asked.livelock:
        violated = has_livelock(nodes, fair=asked.fair)
    elif asked.termination:
        violated = is_violated(nodes, TERMINATION, fair=asked.fair)
    elif asked.formulas[0] in NEGATIONS:
        violated = is_violated(nodes, NEGATIONS[asked.formulas[0]], fair=asked.fair)
    else:
        return None
    return "violated" if violated else "holds"


def compare(seed: int, asked: list[Question], level: str = "0", **more: object) -> tuple[list[str], Counter[str]]:
    """Everything that differs on a program, and how often there was which verdict."""
    program = compile_loops(seed, level)
    known = asked[0].liveness
    checker = Checker(program.image, Settings(step="instruction", liveness=known, ignored=IGNORED))
    nodes = graph(checker, NAMES, MOST_STATES)
    if nodes is None:
        return [], Counter({TOO_LARGE: 1})
    found, counted = [], Counter({"programs": 1})
    for question in asked:
        answers = {step: answer(program, question, step, **more) for step in STEPS}
        wanted = expected(nodes, question)
        if wanted is not None:
            answers["oracle"] = wanted
            counted["judged by the oracle"] += 1
        counted[f"{answers['superstep']} {'fair' if question.liveness.fair else 'unfair'}"] += 1
        if len(set(answers.values())) > 1:
            found.append(f"seed {seed}, -O{level}: {question.text}: {answers}")
    return found, counted


def _compare_seed(seed: int) -> tuple[list[str], Counter[str]]:
    return compare(seed, questions(), "02"[seed % 2])


def main() -> int:
    """Compare the seeds that the command line asks for."""
    parser = argparse.ArgumentParser(description="Compare verdicts about infinite executions on random programs.")
    parser.add_argument("--count", type=int, default=100, help="how many programs")
    parser.add_argument("--seed", type=int, default=1, help="the first seed")
    parser.add_argument("--jobs", type=int, default=1, help="how many at once")
    arguments = parser.parse_args()
    differing, total = 0, Counter[str]()
    with Pool(arguments.jobs) as pool:
        seeds = range(arguments.seed, arguments.seed + arguments.count)
        for number, (found, counted) in enumerate(pool.imap(_compare_seed, seeds)):
            differing += len(found)
            total += counted
            print(*found, sep="\n", end="\n" if found else "", flush=True)
            if number % PAUSE == PAUSE - 1:
                print(f"{number + 1} seeds, {differing} answers differ; {dict(total)}", flush=True)
    print(f"{arguments.count} seeds, {differing} answers differ; {dict(total)}")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
