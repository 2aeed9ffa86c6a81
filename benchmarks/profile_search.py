# SPDX-License-Identifier: Apache-2.0
"""Where the time of a search goes, by the files of vm_c: `perf record` of checks, samples of the verifier only.

.venv/bin/python benchmarks/profile_search.py [--record]     needs perf (Debian: linux-perf)
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from experiments import record
from suite.programs import PROGRAMS

from pancam.resources import machine_sources

SEARCHES = {"peterson": "THREADS=3 ROUNDS=8", "philosophers": "ROUNDS=4 THREADS=5", "hash_map": "THREADS=6 INSERTS=4"}
DEFINITION = re.compile(r"^(?:static |inline |const )*\w[\w \*]*?[ \*](\w+)\([^;]*?\) \{$", re.MULTILINE | re.DOTALL)
LINE = re.compile(r"^\s*([\d.]+)%\s+(\S+)\s+\[[.k]\] (\S+)", re.MULTILINE)
LEAST = 0.5  # per cent
LOOPS = {"execute64": "exec.c", "execute32": "exec.c"}  # exec_loop.h gives them their names
PAGE = record.DOCS / "performance.md"


def homes() -> dict[str, str]:
    """The file of each function of the machine and of what stands between it and SPIN."""
    folder = machine_sources()
    files = [*folder.glob("*.c"), *(folder / "search").glob("*.c"), *folder.glob("*.h")]
    files.remove(folder / "search" / "raw_store.c")  # the same names as in the other store
    return LOOPS | {name: path.name for path in files for name in DEFINITION.findall(path.read_text())}


def samples(program: str, size: str) -> Iterator[tuple[str, str, float]]:
    """Kind of program code, symbol and per cent of the verifier's samples."""
    job = next(found for found in PROGRAMS if found.name == program).job(size)
    with tempfile.TemporaryDirectory(prefix="pancam-profile-") as name:
        data = str(Path(name) / "perf.data")
        check = [sys.executable, "-m", "pancam.cli", "check", *job.files, *job.options, "--quiet"]
        subprocess.run(
            ["perf", "record", "-q", "-o", data, *check], cwd=job.folder, check=True, stdout=subprocess.DEVNULL
        )
        command = ["perf", "report", "-i", data, "--stdio", "--sort", "dso,symbol", "--percentage", "relative"]
        told = subprocess.run([*command, "--comm", comm(data)], capture_output=True, text=True, check=True).stdout
    for share, code, symbol in LINE.findall(told):
        yield code, symbol, float(share)


def comm(data: str) -> str:
    """The verifier's name, as perf cuts it."""
    told = subprocess.run(
        ["perf", "report", "-i", data, "--stdio", "--sort", "comm"], capture_output=True, text=True, check=True
    ).stdout
    return next(word for word in told.split() if word.startswith("verifier"))


def shares(program: str, size: str, known: dict[str, str]) -> Counter[str]:
    """Per cent of each file."""
    found: Counter[str] = Counter()
    for code, symbol, share in samples(program, size):
        name = symbol.partition(".")[0]
        outside = "the kernel" if code.startswith("[") else "the C library" if "lib" in code else "SPIN's pan.c"
        found[known.get(name, outside)] += share
    return found


def main() -> None:
    """Profile, print, and put the table into the page if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", action="store_true", help="put the table into docs/performance.md")
    options = parser.parse_args()
    if shutil.which("perf") is None:
        sys.exit("perf is not installed: apt install linux-perf (Debian)")
    known = homes()
    columns = {program: shares(program, size, known) for program, size in SEARCHES.items()}
    total: Counter[str] = sum(columns.values(), Counter())
    rows = [
        [name, *(f"{column[name]:.1f}" for column in columns.values())]
        for name, share in total.most_common()
        if share / len(columns) >= LEAST
    ]
    heads = ["File", *(f"{program} {size}" for program, size in SEARCHES.items())]
    lines = record.table(heads, rows)
    print("\n".join(lines))
    if options.record:
        PAGE.write_text(record.put(PAGE.read_text(), "profile", lines, Path(__file__).name))


if __name__ == "__main__":
    main()
