# SPDX-License-Identifier: Apache-2.0
"""Checks in the competition's way: `--property`, `--data-model` and task files become the options of a check."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pancam.errors import PancamError, UnsupportedError, UsageError
from pancam.isa import faults
from pancam.svcomp import is_task_file
from pancam.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pancam.check import CheckResult
    from pancam.explain.trace import Trace
    from pancam.svcomp.properties import Property
    from pancam.svcomp.tasks import Task

TRUE, UNKNOWN = "true", "unknown"


def expand(options: argparse.Namespace) -> list[argparse.Namespace]:
    """The checks that a command means: one, or one for each property of its task file."""
    options.competition = None
    tasks = [path for path in options.files if is_task_file(path)]
    if tasks and len(options.files) > 1:
        raise UsageError(f"{tasks[0]} is a whole task: it cannot be combined with other files")
    if options.data_model is not None:
        options.m32 = options.data_model == "ILP32"
    if tasks:
        from pancam.svcomp.tasks import read_task

        return list(_task_checks(options, read_task(tasks[0])))
    if options.property is None:
        if options.witness:
            raise UsageError("--witness is for the violation of a property: it goes with --property or a task file")
        return [options]
    from pancam.svcomp.properties import read_property

    return [with_property(options, read_property(options.property))]


def _task_checks(options: argparse.Namespace, task: Task) -> Iterator[argparse.Namespace]:
    """A check of the property that the user chose, or of every one that can be checked."""
    from pancam.svcomp.properties import read_property

    options = argparse.Namespace(**vars(options))
    options.files = list(task.files)
    options.m32 = (options.data_model or task.data_model) == "ILP32"
    if options.property is not None:
        yield with_property(options, _chosen(options.property, task))
        return
    if not task.properties:
        raise UsageError(f"{task.path}: the task has no properties: choose one with --property")
    if len(task.properties) > 1 and (options.json or options.trace or options.keep or options.witness):
        names = ", ".join(expected.name for expected in task.properties)
        raise UsageError(f"{task.path} has several properties: choose one with --property ({names})")
    problems = []
    for expected in task.properties:
        try:
            yield with_property(options, read_property(expected.property_file))
        except UnsupportedError as problem:
            problems.append(problem)
            if len(problems) == len(task.properties):
                raise
            print(f"pancam: not checked: {problem}", file=sys.stderr)


def _chosen(name: str, task: Task) -> Property:
    from pancam.svcomp.properties import is_property_file, read_property

    expected = task.chosen(name)
    if expected is not None and not is_property_file(name):
        return read_property(expected.property_file)
    return read_property(name)


def with_property(options: argparse.Namespace, wanted: Property) -> argparse.Namespace:
    """The options of a check for this property and nothing else."""
    from pancam.liveness import TERMINATION

    if options.only or options.ignore:
        raise UsageError("a property says what is reported: it cannot be combined with --only or --ignore")
    if options.driver or options.threads or options.invariants:
        raise UsageError("a property is about all executions from main on: not with --driver, --thread or --invariant")
    if options.opt_level != "0":
        raise UsageError("a property is about the program as it is written: it needs -O0")
    if options.witness and TERMINATION in wanted.kinds:
        raise UsageError("there are no witnesses for termination")
    if options.formulas or options.labels or options.termination or options.livelock:
        raise UsageError("a property cannot be combined with --ltl, --progress, --termination or --livelock")
    if options.compare:
        raise UsageError("--compare cannot be combined with a property")
    checked = argparse.Namespace(**vars(options))
    checked.competition = wanted
    checked.only = [kind for kind in wanted.kinds if kind in faults()]
    if "LEAK_REACHABLE" not in wanted.kinds:
        checked.ignore = ["LEAK_REACHABLE"]  # `leak` is the name of a kind and of a group
    for name in wanted.options:
        setattr(checked, name, True)
    checked.uninit = True  # the value of what nobody has written is not the machine's choice
    checked.no_reuse = "USE_AFTER_FREE" in wanted.kinds
    # POSIX allows them, and tasks are about all that it allows; searches for infinite executions cannot have them.
    checked.spurious_wakeups = not checked.termination
    checked.exhaustive = True  # what is left out, the user has not asked to leave out
    return checked


def write_witness(options: argparse.Namespace, trace: Trace) -> None:
    """`--witness`."""
    from importlib.metadata import version

    from pancam.pipeline import write_file
    from pancam.svcomp.witness import WitnessTask, violation_witness
    from pancam.svcomp.yaml_files import yaml_text

    task = WitnessTask(tuple(options.files), options.competition, options.m32, version("pancam"))
    write_file(Path(options.witness), yaml_text(violation_witness(trace, task)).encode())


def answer(wanted: Property, outcome: CheckResult) -> str:
    """The result in the competition's words. Only `holds` is `true`."""
    conclusion = outcome.conclusion
    if conclusion.verdict is Verdict.HOLDS:
        return TRUE
    if conclusion.verdict is not Verdict.VIOLATED:
        return UNKNOWN
    violation = outcome.traces[0].ending.violation
    if violation is None or violation.kind not in wanted.kinds:
        raise PancamError(f"internal error: a violation that is not one of {wanted.name}")
    return wanted.answer_to(violation.kind)
