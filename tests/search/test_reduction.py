# SPDX-License-Identifier: Apache-2.0
"""Steps of all sizes lead to the same verdicts, final states and deadlocks, on random programs and on the examples."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from programs import program_text
from reduction import ALL, FIRST, ON_TWO_CORES, REDUCED, compile_program, differences, find

from pancam.frontend.clang import CompileOptions
from pancam.pipeline import BuildOptions, Timings, build_program
from pancam.settings import Settings

SHARDS, PROGRAMS_PER_SHARD = 52, 10
FIRST_SEED = 10_000
EXAMPLES = sorted(
    path
    for folder in ("correct", "wrong")
    for path in (Path(__file__).resolve().parents[2] / "examples" / folder).glob("*.c")
)


@pytest.mark.parametrize("shard", range(SHARDS))
def test_steps_of_all_sizes_agree_on_random_programs(shard: int) -> None:
    compared = 0
    for seed in range(FIRST_SEED + shard * PROGRAMS_PER_SHARD, FIRST_SEED + (shard + 1) * PROGRAMS_PER_SHARD):
        text = program_text(seed)
        program, settings = compile_program(text, ("0", "2")[seed % 2])
        on_two_cores = ON_TWO_CORES[seed // 4 % 2 : seed // 4 % 2 + 1] if seed % 4 < 2 else ()
        names = [name for name in REDUCED if name not in ON_TWO_CORES or name in on_two_cores]
        found = differences(program, settings, names)
        assert not found, f"{found}\n{text}"
        compared += found is not None
    assert compared >= PROGRAMS_PER_SHARD - 1, "too many of the random programs are too large to compare"


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_steps_of_all_sizes_agree_on_the_examples(path: Path) -> None:
    checks = tomllib.loads(path.with_suffix(".toml").read_text())["check"]
    levels = {next((word[2:] for word in check["options"] if word.startswith("-O")), "0") for check in checks}
    for level in sorted(levels):
        program = build_program([str(path)], BuildOptions(CompileOptions(opt_level=level)), [], Timings())
        assert differences(program, Settings()) == []
    if any("--spurious-wakeups" in check["options"] for check in checks):
        assert (
            differences(build_program([str(path)], BuildOptions(), [], Timings()), Settings(spurious_wakeups=True))
            == []
        )


HEADERS = "#include <assert.h>\n#include <pthread.h>\n#include <stddef.h>\n"
# A hole of the published algorithm, and a program whose only violation falls through it
HOLES = {
    "blocked": f"""{HEADERS}
        static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
        static volatile int x;
        static void *late(void *unused) {{
            pthread_mutex_lock(&m);
            assert(x == 1); /* not if the lock is free before x is written */
            return unused;
        }}
        int main(void) {{
            pthread_t other;
            pthread_mutex_lock(&m);
            pthread_create(&other, NULL, late, NULL);
            pthread_mutex_unlock(&m);
            x = 1;
            pthread_join(other, NULL);
            return 0;
        }}""",
    "creation": f"""{HEADERS}
        static volatile int x;
        static void *child(void *unused) {{
            assert(x == 1); /* not if it is faster than its parent */
            return unused;
        }}
        int main(void) {{
            pthread_t other;
            pthread_create(&other, NULL, child, NULL);
            x = 1;
            pthread_join(other, NULL);
            return 0;
        }}""",
    "ranges": f"""{HEADERS}
        static volatile union {{ int whole; unsigned char bytes[4]; }} u;
        static void *part(void *unused) {{
            u.bytes[1] = 1;
            u.bytes[1] = 0;
            return unused;
        }}
        int main(void) {{
            pthread_t other;
            pthread_create(&other, NULL, part, NULL);
            assert(u.whole == 0); /* not between the two writes, which start at another byte */
            pthread_join(other, NULL);
            return 0;
        }}""",
}


@pytest.mark.parametrize("hole", HOLES)
def test_what_falls_through_a_hole_of_the_published_algorithm_is_found(hole: str) -> None:
    program, settings = compile_program(HOLES[hole])
    reduced = replace(settings, step="superstep")
    verdicts = {}
    for name, tried in {
        "global": replace(settings, step="global"),
        "superstep": reduced,
        "with the hole": replace(reduced, holes=(hole,)),
        "published": replace(reduced, holes=tuple(HOLES)),
    }.items():
        found = find(program, tried, ALL)
        assert found is not None
        verdicts[name] = found.verdict
    assert verdicts == {
        "global": "violated",
        "superstep": "violated",
        "with the hole": "holds",
        "published": "holds",
    }


@pytest.mark.parametrize("hole", HOLES)
def test_the_comparison_notices_each_hole(hole: str) -> None:
    """So it would notice a mistake of the same kind."""
    for seed in range(60):
        program, settings = compile_program(program_text(seed))
        if differences(program, replace(settings, holes=(hole,)), [FIRST], fine=False):
            return
    pytest.fail(f"no random program shows that {hole} is open")


def test_an_invariant_is_looked_at_while_a_thread_is_alone() -> None:
    program, settings = compile_program(f"""{HEADERS}
        static volatile int x, y;
        int invariant(void) {{ return x == y; }}
        static void *nothing(void *unused) {{ return unused; }}
        int main(void) {{
            pthread_t other;
            pthread_create(&other, NULL, nothing, NULL);
            pthread_join(other, NULL);
            x = 1;
            y = 1;
            return 0;
        }}""")
    for most in range(1, 40):  # so that some superstep begins with the write to x
        found = find(program, replace(settings, step="superstep", max_superstep=most), ALL)
        assert found is not None
        assert (found.verdict, found.kinds) == ("violated", {"INVARIANT"})
