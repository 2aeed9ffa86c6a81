# SPDX-License-Identifier: Apache-2.0
"""Random programs that allocate and free in different threads, with mistakes: steps of all sizes must agree.

Compared are verdicts, kinds of faults and final states of searches with leaks looked for, marks of what was
written, and numbers of freed blocks kept. As a program it compares a range of seeds and exits 1 if any differs.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from multiprocessing import Pool
from pathlib import Path
from random import Random

from reduction import FIRST, differences

from pancam.pipeline import BuildOptions, Timings, build_program
from pancam.settings import Settings

CELLS = 2
STATEMENTS = (
    "cell[{0}] = malloc(4);",
    "{{ int *p = malloc(4); *p = {1}; cell[{0}] = p; }}",
    "{{ int *p = cell[{0}]; if (p != NULL) seen = *p; }}",
    "{{ int *p = cell[{0}]; if (p != NULL) *p = {1}; }}",
    "free(cell[{0}]);",
    "free(atomic_exchange(&cell[{0}], NULL));",
    "{{ int *p = atomic_exchange(&cell[{0}], NULL); if (p != NULL) {{ *p = {1}; free(p); }} }}",
    "cell[{0}] = cell[{1}];",
    "cell[{0}] = NULL;",
)
ENDINGS = ("for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL); CLEAN return 0;", "return 0;", "exit(0);",
           "pthread_exit(NULL);")  # fmt: skip
CLEAN = "for (int i = 0; i < CELLS; i++) free(cell[i]);"


def program_text(seed: int) -> str:
    """The program of a seed."""
    random = Random(seed)  # noqa: S311 - not for secrets

    def body(most: int) -> str:
        chosen = (random.choice(STATEMENTS) for _ in range(random.randint(1, most)))
        return "\n    ".join(text.format(random.randrange(CELLS), random.randrange(CELLS)) for text in chosen)

    ending = random.choice(ENDINGS).replace("CLEAN", random.choice((CLEAN, "")))
    return f"""#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
enum {{ CELLS = {CELLS} }};
static int *_Atomic cell[CELLS];
static atomic_int seen;
static void *first(void *unused) {{
    {body(3)}
    return unused;
}}
static void *second(void *unused) {{
    {body(3)}
    return unused;
}}
int main(void) {{
    pthread_t threads[2];
    {body(2)}
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    {body(1)}
    {ending}
}}
"""


def compare_seed(seed: int) -> tuple[int, list[str] | None]:
    """How the searches of a seed's program differ; None: it has too many states."""
    settings = Settings(leaks=("lost", "all")[seed % 2], reuse=seed % 3 == 0)
    with tempfile.TemporaryDirectory(prefix="pancam-search-") as folder:
        file = Path(folder) / "program.c"
        file.write_text(program_text(seed))
        program = build_program([str(file)], BuildOptions(uninit=seed % 4 < 2), [], Timings())
    names = (FIRST, ("depth-first, raw", "short", "random order, verified tree")[seed % 3])
    return seed, differences(program, settings, names, fine=seed % 5 == 0)


def main() -> int:
    """Compare the seeds that the command line asks for."""
    parser = argparse.ArgumentParser(description="Compare steps of all sizes on programs with mistakes in memory.")
    parser.add_argument("--count", type=int, default=300, help="how many programs to compare")
    parser.add_argument("--seed", type=int, default=1, help="the first seed")
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()
    differing, too_large = 0, 0
    with Pool(arguments.jobs, maxtasksperchild=100) as pool:
        for seed, found in pool.imap(compare_seed, range(arguments.seed, arguments.seed + arguments.count)):
            too_large += found is None
            if found:
                differing += 1
                print(f"seed {seed}: {found}\n{program_text(seed)}", flush=True)
    print(f"{arguments.count - too_large} programs compared, {differing} differ, {too_large} have too many states")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
