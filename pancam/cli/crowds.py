# SPDX-License-Identifier: Apache-2.0
"""The search with any number of threads, for programs that start more threads than a machine can have (ADR 21)."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pancam.cli.check_options import make_settings
from pancam.errors import UnsupportedError
from pancam.pipeline import IMAGE_SUFFIX, BuildOptions, Timings, build_program

if TYPE_CHECKING:
    import argparse

    from pancam.settings import Settings
    from pancam.spin.options import SearchOptions
    from pancam.vm.crowd import CrowdResult

TIME_SHARE = 1 / 3  # of what is left; the others look for violations with few threads
MEMORY_SHARE = 1 / 4
MOST_SECONDS = 60.0  # where the user sets no limit: programs with unbounded data have no end


def is_for_crowds(options: argparse.Namespace, settings: Settings, search: SearchOptions) -> bool:
    """Whether what is asked for is such that more threads only add to it, and a state shows it.

    Leaks and infinite executions depend on what is not there, and races are looked for in pairs of threads.
    """
    asks_more = settings.liveness or settings.races or settings.leaks != "none" or settings.invariants
    is_changed = settings.abstraction or settings.calls or settings.starts or search.bound is not None
    is_image = any(Path(path).suffix == IMAGE_SUFFIX for path in options.files)
    return settings.has_main and not (asks_more or is_changed or is_image)


def search_any_number(
    options: argparse.Namespace, build: BuildOptions, search: SearchOptions, timings: Timings
) -> CrowdResult:
    """The result; its reason is empty if the program has no violation with any number of threads."""
    from pancam.check import check_crowds
    from pancam.spin.search import memory_limit
    from pancam.vm.crowd import SLOTS, CrowdLimits, CrowdResult

    try:
        crowded = replace(build, thread_limit=SLOTS, crowd=True)
        program = build_program(options.files, crowded, options.arguments, timings)
    except UnsupportedError as problem:
        return CrowdResult(problem.message)
    seconds = MOST_SECONDS if search.time is None else search.time * TIME_SHARE
    limits = CrowdLimits(time.monotonic() + seconds, int(memory_limit(search.memory) * MEMORY_SHARE))
    with timings.phase("search"):
        return check_crowds(program, make_settings(options, program), limits)
