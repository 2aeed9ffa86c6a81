# SPDX-License-Identifier: Apache-2.0
"""`pancam check` with a verifier whose step only bumps counters: benchmarks/ceiling/check.py counters.c OPTIONS.

The verifier is built by pancam/spin/verifier.py as any other, with the same driver, flags and store, from a copy of
vm_c in which step.c takes the place of some functions. Whoever runs it looks at the number of states: it tells whether
these functions are still those that decide.
"""

import re
import shutil
import sys
import tempfile
from pathlib import Path
from unittest import mock

from pancam.cli import main
from pancam.resources import machine_sources
from pancam.spin import verifier

HERE = Path(__file__).resolve().parent
DEFINITION = re.compile(r"^\w[\w ]*?[ *](check_\w+)\(", re.MULTILINE)


def stand_in(folder: Path) -> Path:
    """The sources of the machine, with the functions of step.c instead of its own."""
    sources = folder / "vm_c"
    shutil.copytree(machine_sources(), sources)
    step = (HERE / "step.c").read_text()
    weak = "".join(f"#pragma weak {name}\n" for name in DEFINITION.findall(step))
    for path in [*sources.glob("*.c"), *(sources / "search").glob("*.c")]:
        path.write_text(weak + path.read_text())
    (sources / "ceiling_step.c").write_text(step)
    header = sources / "search" / "pancam.h"
    header.write_text(header.read_text() + (HERE / "spin_alone.h").read_text())
    return sources


if __name__ == "__main__":
    with (
        tempfile.TemporaryDirectory(prefix="pancam-ceiling-") as name,
        mock.patch.object(verifier, "machine_sources", return_value=stand_in(Path(name))),
    ):
        sys.exit(main(["check", *sys.argv[1:]]))
