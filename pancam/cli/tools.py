# SPDX-License-Identifier: Apache-2.0
"""Commands about pancam itself: doctor and cache."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pancam import cache as cache_folder
from pancam.errors import PancamError
from pancam.frontend.clang import find_clang
from pancam.spin.verifier import C_COMPILERS, tool_version

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

EXIT_MISSING = 2
MIB = 1 << 20


@dataclass(frozen=True)
class Finding:
    """One thing that pancam needs: what is there, or the packages that bring it."""

    name: str
    found: str  # empty: it is missing
    package: str
    purpose: str


def doctor(options: argparse.Namespace) -> int:
    """`pancam doctor`."""
    del options
    findings = [
        Finding("clang", _attempt(lambda: " ".join(find_clang().command)), "clang", "compiles the checked programs"),
        Finding("spin", _path("spin"), "spin", "searches"),
        Finding("cc", _path(*C_COMPILERS), "gcc", "compiles verifiers"),
        Finding("C headers", _header("stdio.h"), "libc6-dev", "declare what programs use"),
    ]
    for finding in findings:
        version = tool_version(finding.found) if finding.found.startswith("/") and finding.name != "C headers" else ""
        state = f"{finding.found} {version}".strip() if finding.found else "MISSING"
        print(f"{finding.name:10} {state} ({finding.purpose})")
    print(f"{'machine':10} {_machine()}")
    print(f"{'cache':10} {_cache_state()}")
    missing = [finding.package for finding in findings if not finding.found]
    if missing:
        print(f"\nTo install what is missing: sudo apt-get install {' '.join(missing)}")
        return EXIT_MISSING
    print("\nEverything is there.")
    return 0


def _attempt(action: Callable[[], str]) -> str:
    try:
        return action()
    except PancamError:
        return ""


def _path(*names: str) -> str:
    return next((path for name in names if (path := shutil.which(name))), "")


def _header(name: str) -> str:
    from pathlib import Path

    path = Path("/usr/include") / name
    return str(path) if path.exists() else ""


def _machine() -> str:
    from pancam.isa import OPCODE_LIST
    from pancam.vm.compiled import opcode_names

    same = opcode_names() == [opcode.name for opcode in OPCODE_LIST]
    return "compiled from these sources" if same else "OUT OF DATE: install pancam again"


def _cache_state() -> str:
    files = cache_folder.entries()
    total = sum(path.stat().st_size for path in files)
    return f"{cache_folder.folders()[0]}: {len(files)} files, {total / MIB:.1f} MB"


def cache(options: argparse.Namespace) -> int:
    """`pancam cache`."""
    if options.clear:
        print(f"removed {cache_folder.clear()} files")
        return 0
    files = cache_folder.entries()
    for path in files:
        print(f"{path.stat().st_size:>12,} {path}")
    print(_cache_state())
    return 0
