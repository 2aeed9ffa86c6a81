# SPDX-License-Identifier: Apache-2.0
"""`pancam check` from outside: what it reports, what its options mean, and what it does not claim."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from command import CommandLine

LOST_UPDATE = """
#include <assert.h>
#include <pthread.h>
static int counter;
static void *count(void *unused) {
    counter++;
    return unused;
}
int main(void) {
    pthread_t one, two;
    pthread_create(&one, NULL, count, NULL);
    pthread_create(&two, NULL, count, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(counter == 2);
    return 0;
}
"""
LOCKED = LOST_UPDATE.replace(
    "    counter++;", "    pthread_mutex_lock(&lock);\n    counter++;\n    pthread_mutex_unlock(&lock);"
).replace("static int counter;", "static int counter;\nstatic pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;")
HARNESS = """
volatile int flags[2], inside[2];
void initialise(void) { flags[0] = flags[1] = 0; }
int exclusion(void) { return !(inside[0] && inside[1]); }
void enter(int self) {
    flags[self] = 1;
    if (!flags[1 - self]) {
        inside[self] = 1;
        inside[self] = 0;
    }
    flags[self] = 0;
}
void barge(int self) {
    inside[self] = 1;
    inside[self] = 0;
}
int writes(void) { return inside[0] = 1; }
"""
TWO_ERRORS = """
#include <assert.h>
#include <pthread.h>
static int x;
static void *set(void *unused) {
    x = 1;
    return unused;
}
int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, set, NULL);
    int first = x, second = x;
    assert(first == second);
    assert(first == 0);
    pthread_join(other, NULL);
    return 0;
}
"""
CHOICES = """
#include <assert.h>
#include <pancam.h>
int main(void) {
    long n = pancam_nondet_range(-20, 20);
    pancam_assume(n != 7);
    assert(n * n != LIMIT);
    return 0;
}
"""


def threads(body: str, count: int = 2) -> str:
    """A program whose threads all run the body."""
    return f"""
#include <pancam.h>
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static volatile int x, y;
static void *work(void *argument) {{
    {body}
    return argument;
}}
int main(void) {{
    pthread_t t[{count}];
    for (int i = 0; i < {count}; i++) pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < {count}; i++) pthread_join(t[i], NULL);
    return 0;
}}
"""


# --- verdicts and reports ---


def test_a_violation_is_shown_line_by_line(pancam: CommandLine) -> None:
    result = pancam("check", pancam.file("lost.c", LOST_UPDATE))
    lines = result.out.splitlines()
    assert result.status == 1
    assert lines[0] == "violated: lost.c:15: assertion failed: counter == 2"
    assert any("lost.c:6" in line and "counter++;" in line for line in lines)
    assert any("preempts" in line for line in lines)
    assert "    counter = 1" in lines
    assert list(pancam.folder.iterdir()) == [pancam.folder / "lost.c"]


def test_lines_that_the_optimiser_removed_are_named(pancam: CommandLine) -> None:
    text = (
        "#include <assert.h>\nstatic int never_read;\nint main(int count, char **values) {\n    (void)values;\n"
        "    never_read = 1;\n    assert(count > 1);\n    return 0;\n}\n"
    )
    note = "the optimiser left no instruction of line 5 in main (removed.c)"
    assert note in pancam("check", pancam.file("removed.c", text), "-O2").out.splitlines()
    assert "optimiser" not in pancam("check", "removed.c").out


def test_what_holds_says_so_in_one_line(pancam: CommandLine) -> None:
    result = pancam("check", pancam.file("locked.c", LOCKED))
    assert (result.status, result.out.splitlines()[0]) == (0, "holds: no violation in any execution")


@pytest.mark.parametrize(
    "options",
    [
        ["--store", "raw"], ["--bfs"], ["--bitstate"], ["--hash-compact"], ["--cores", "2"], ["--random-order", "3"],
        ["--step", "instruction"], ["--bfs", "--store", "raw"], ["--bitstate", "--store", "raw"],
        ["--cores", "2", "--store", "raw"], ["-O2"], ["--m32"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_every_mode_finds_the_bug_and_accepts_the_fix(pancam: CommandLine, options: list[str]) -> None:
    assert pancam.verdict(pancam.file("lost.c", LOST_UPDATE), *options) == "violated"
    bounded = {"--bitstate", "--hash-compact"} & set(options)
    assert pancam.verdict(pancam.file("locked.c", LOCKED), *options) == ("bounded" if bounded else "holds")


def test_breadth_first_search_finds_the_shortest_trace(pancam: CommandLine) -> None:
    file = pancam.file("lost.c", LOST_UPDATE)
    lengths = [
        len(json.loads(pancam("check", file, "--json", *options).out)["violations"][0]["moves"])
        for options in (["--bfs"], [], ["--random-order", "1"])
    ]
    assert lengths[0] == min(lengths)


def test_json_has_the_whole_result(pancam: CommandLine) -> None:
    result = pancam("check", pancam.file("lost.c", LOST_UPDATE), "--json")
    value = json.loads(result.out)
    assert (value["verdict"], value["exit_code"], result.status) == ("violated", 1, 1)
    assert value["violations"][0]["violation"]["line"] == 15
    assert value["statistics"]["states"] > 10
    assert value["statistics"]["transitions"] >= value["statistics"]["states"] - 1


def test_several_violations_are_told_apart(pancam: CommandLine) -> None:
    result = pancam("check", pancam.file("two.c", TWO_ERRORS), "--all-errors", "0", "--json")
    lines = sorted(row["violation"]["line"] for row in json.loads(result.out)["violations"])
    assert lines == [13, 14]
    one = pancam("check", pancam.file("two.c", TWO_ERRORS), "--json")
    assert len(json.loads(one.out)["violations"]) == 1


def test_only_and_ignore_choose_what_is_reported(pancam: CommandLine) -> None:
    lost = pancam.file("lost.c", LOST_UPDATE)
    assert pancam.verdict(lost, "--ignore", "assert") == "holds"
    assert pancam.verdict(lost, "--only", "deadlock,memory") == "holds"
    assert pancam.verdict(lost, "--only", "ASSERT") == "violated"
    assert "no kind of fault 'asert'" in pancam.refused("check", lost, "--only", "asert")


def test_executions_cut_off_at_an_ignored_fault_do_not_count_as_all(pancam: CommandLine) -> None:
    null = pancam.file("null.c", "int main(void) { int *p = 0; *p = 1; return 0; }")
    assert pancam.verdict(null) == "violated"
    assert pancam.verdict(null, "--ignore", "memory") == "bounded"


# --- what a step is ---


def test_assumptions_prune_and_ranges_are_enumerated(pancam: CommandLine) -> None:
    file = pancam.file("choices.c", CHOICES)
    assert pancam.verdict(file, "-DLIMIT=400") == "violated"
    assert pancam.verdict(file, "-DLIMIT=361") == "violated"
    assert pancam.verdict(file, "-DLIMIT=2") == "holds"
    assert pancam.verdict(file, "-DLIMIT=(n==7?n*n:-1)") == "holds"


def test_more_values_than_a_search_can_try_are_no_proof(pancam: CommandLine) -> None:
    wide = "#include <pancam.h>\nint main(void) { return pancam_nondet_range(0, 1 << 20) == 1; }\n"
    result = pancam("check", pancam.file("wide.c", wide))
    assert result.status == 3
    assert result.out.startswith("unknown: 1 executions choose among more values")


def test_an_atomic_section_is_one_transition(pancam: CommandLine) -> None:
    torn = threads("x++; assert(x == 1 || y == 1); y++;")
    assert pancam.verdict(pancam.file("torn.c", torn)) == "violated"
    body = "pancam_atomic_begin(); x++; y++; assert(x == y); pancam_atomic_end();"
    for step in ("global", "instruction"):
        assert pancam.verdict(pancam.file("whole.c", threads(body)), "--step", step) == "holds"


def test_a_thread_that_blocks_inside_an_atomic_section_lets_others_move(pancam: CommandLine) -> None:
    body = """
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    __VERIFIER_atomic_begin();
    pthread_mutex_lock(&lock);
    x++;
    __VERIFIER_atomic_end();
    pthread_mutex_unlock(&lock);"""
    text = threads(body).replace(
        "static volatile", "void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);\nstatic volatile"
    )
    assert pancam.verdict(pancam.file("blocks.c", text)) == "holds"


def test_an_endless_loop_without_visible_accesses_closes(pancam: CommandLine) -> None:
    assert pancam.verdict(pancam.file("loop.c", threads("if (x == 0) for (;;) ; x = 1;", 1))) == "holds"


# --- harnesses and drivers ---


def test_functions_without_main_are_threads_with_an_invariant(pancam: CommandLine) -> None:
    file = pancam.file("harness.c", HARNESS)
    options = ["--init", "initialise", "--invariant", "exclusion"]
    good = pancam("check", file, *options, "--thread", "enter:0", "--thread", "enter:1")
    assert (good.status, good.out.splitlines()[0]) == (0, "holds: no violation in any execution")
    bad = pancam("check", file, *options, "--thread", "barge:0", "--thread", "barge:1")
    assert bad.status == 1
    assert bad.out.splitlines()[0] == "violated: harness.c:14: invariant violated: exclusion"


def test_an_invariant_that_writes_is_an_error_with_its_line(pancam: CommandLine) -> None:
    file = pancam.file("harness.c", HARNESS)
    line = pancam.refused("check", file, "--invariant", "writes", "--thread", "enter:0")
    assert line.startswith("harness.c:17:")
    assert "changes the program's state" in line


def test_harness_options_that_make_no_sense_are_refused(pancam: CommandLine) -> None:
    file = pancam.file("harness.c", HARNESS)
    assert "no function nobody" in pancam.refused("check", file, "--thread", "nobody")
    assert "not a whole number" in pancam.refused("check", file, "--thread", "enter:x")
    assert "no function main" in pancam.refused("check", file)
    assert "--thread" in pancam.refused("check", file, "--init", "initialise")


def test_the_printed_driver_is_one_that_spin_accepts(pancam: CommandLine) -> None:
    text = pancam("driver", pancam.file("lost.c", LOST_UPDATE), "--max-threads", "3").out
    assert "#define N_THREADS 4" in text
    (pancam.folder / "printed.pml").write_text(text)
    assert pancam.verdict("lost.c", "--driver", "printed.pml") == "violated"


BRANCHES = """
c_decl {
\\#include "pancam.h"
};
c_track "PAN_TRACKED" "PAN_TRACKED_BYTES" "Matched";
active proctype driver() {
  byte which;
  if :: which = 0 :: which = 1 :: which = 2 fi;
  c_code { pan_setup(PAN_PROGRAM); };
  if
  :: which == 0 -> c_code { pan_run_function("one"); }
  :: which == 1 -> c_code { pan_run_function("two"); }
  :: else -> skip
  fi;
end:
  do
  :: d_step { c_expr { (pan_enabled(0)) } -> c_code { pan_step(0); }; assert(c_expr { (!pan_bad()) }) }
  od
}
"""
BRANCHED = """
#include <assert.h>
#include <stdlib.h>
int large[100], *p;
void one(void) { large[50] = 1; p = malloc(40); }
void two(void) { large[99] = 2; }
int main(void) {
    int sum = 0;
    for (int i = 0; i < 100; i++) sum += large[i];
    assert(sum >= 0 && sum <= 2 && sum != WRONG);
    assert((p != NULL) == (sum == 1));
    return 0;
}
"""


@pytest.mark.parametrize("store", ["tree", "raw"])
def test_a_driver_may_set_up_in_several_ways(pancam: CommandLine, store: str) -> None:
    pancam.file("branches.pml", BRANCHES)
    options = [pancam.file("branched.c", BRANCHED), "--driver", "branches.pml", "--store", store]
    assert pancam.verdict(*options, "-DWRONG=5") == "holds"
    for wrong in (0, 1, 2):
        assert pancam.verdict(*options, f"-DWRONG={wrong}") == "violated"


def test_a_driver_that_spin_refuses_is_one_line(pancam: CommandLine) -> None:
    lost = pancam.file("lost.c", LOST_UPDATE)
    pancam.file("wrong.pml", "active proctype driver() { nonsense }\n")
    assert pancam.refused("check", lost, "--driver", "wrong.pml").startswith("wrong.pml: SPIN refuses the driver:")
    assert pancam.refused("check", lost, "--driver", "nowhere.pml") == "nowhere.pml: No such file or directory"


def test_kept_files_are_a_model_that_can_be_run_by_hand(pancam: CommandLine) -> None:
    assert pancam.verdict(pancam.file("lost.c", LOST_UPDATE), "--keep", "kept") == "violated"
    names = {path.name for path in (pancam.folder / "kept").iterdir()}
    assert {"driver.pml", "pan.c", "pan", "program.pcb", "driver.pml.trail", "output"} <= names
    again = subprocess.run(
        ["./pan", "-m1000"], cwd=pancam.folder / "kept", env={"PANCAM_IMAGE": "program.pcb"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "errors: 1" in again.stdout


def test_results_that_cannot_be_written_are_refused_before_the_search(pancam: CommandLine) -> None:
    lost = pancam.file("lost.c", LOST_UPDATE)
    assert pancam.refused("check", lost, "--keep", "lost.c/kept") == "--keep lost.c/kept: Not a directory"
    assert pancam.refused("check", lost, "--trace", "nowhere/x.json").startswith("--trace nowhere/x.json:")


# --- traces ---


def test_a_saved_trace_replays_elsewhere_and_notices_a_changed_source(pancam: CommandLine) -> None:
    file = pancam.file("lost.c", LOST_UPDATE)
    assert pancam.verdict(file, "--trace", "lost.json", "-O1") == "violated"
    elsewhere = CommandLine(pancam.folder / "elsewhere")
    elsewhere.folder.mkdir()
    result = elsewhere("replay", "../lost.json")
    assert result.status == 1
    assert result.out.splitlines()[-1] == "reproduced: the trace ends in the recorded violation"
    pancam.file("lost.c", LOST_UPDATE.replace("counter == 2", "counter >= 1"))
    changed = elsewhere("replay", "../lost.json")
    assert (changed.status, changed.out.partition(":")[0]) == (0, "not reproduced")
    assert "has changed since the trace was recorded" in changed.err


def test_a_damaged_trace_is_refused(pancam: CommandLine) -> None:
    file = pancam.file("lost.c", LOST_UPDATE)
    assert pancam.verdict(file, "--trace", "lost.json") == "violated"
    value = json.loads((pancam.folder / "lost.json").read_text())
    pancam.file("cut.json", json.dumps({**value, "moves": value["moves"][:-3]}))
    cut = pancam("replay", "cut.json")
    assert (cut.status, cut.out.partition(":")[0]) == (0, "not reproduced")
    pancam.file("other.json", json.dumps({**value, "moves": [["step", 5, 0], *value["moves"]]}))
    assert pancam("replay", "other.json").out.startswith("not reproduced: replay failed at step 1")
    for name, text in {"empty.json": "", "list.json": "[]", "odd.json": json.dumps({**value, "settings": {}})}.items():
        pancam.refused("replay", pancam.file(name, text))
    pancam.refused("replay", "nowhere.json")


# --- limits ---

MANY_STATES = threads("for (int i = 0; i < 200; i++) { x++; y++; }", 3)
THREADS_ABOVE_LIMIT = threads("x++;", 4)


@pytest.mark.parametrize(
    ("text", "options", "verdict"),
    [
        (MANY_STATES, ["--time", "1"], "unknown"),
        (MANY_STATES, ["--memory", "30M"], "unknown"),
        (MANY_STATES, ["--memory", "30M", "--bfs"], "unknown"),
        (MANY_STATES, ["--depth", "20"], "bounded"),
        (THREADS_ABOVE_LIMIT, ["--max-threads", "4"], "unknown"),
        (threads("if (!malloc(2000000)) x++;"), ["--heap", "1M"], "unknown"),
        (threads("char a[2000000]; a[x] = 1; y = a[x];"), ["--stack", "1M"], "unknown"),
    ],
    ids=["time", "memory", "memory breadth-first", "depth", "threads", "heap", "stack"],
)
def test_a_limit_that_was_hit_never_holds(pancam: CommandLine, text: str, options: list[str], verdict: str) -> None:
    assert pancam.verdict(pancam.file("limited.c", text), *options) == verdict


def test_a_full_table_of_the_tree_store_is_no_proof(pancam: CommandLine) -> None:
    result = pancam("check", pancam.file("many.c", MANY_STATES), "--memory", "1M")
    assert (result.status, result.out.partition(";")[0]) == (3, "unknown: the memory limit was reached")


def test_a_bound_that_made_no_difference_is_no_bound(pancam: CommandLine) -> None:
    locked = pancam.file("locked.c", LOCKED)
    assert pancam.verdict(locked, "--depth", "1000") == "holds"
    assert pancam("check", locked, "--depth", "5", "--exhaustive").status == 3
    assert pancam("check", locked, "--depth", "5").status == 0


def test_a_deep_search_gets_a_longer_stack(pancam: CommandLine) -> None:
    file = pancam.file("deep.c", threads("for (int i = 0; i < 60000; i++) x++;", 1))
    value = json.loads(pancam("check", file, "--step", "global", "--json").out)
    assert value["verdict"] == "holds"
    assert value["statistics"]["depth"] > 100_000


def test_a_large_state_gets_a_larger_raw_buffer(pancam: CommandLine) -> None:
    text = threads("static int large[3000]; large[x] = 1; x++;")
    assert pancam.verdict(pancam.file("large.c", text), "--store", "raw") == "holds"


def test_options_that_contradict_each_other_are_refused(pancam: CommandLine) -> None:
    file = pancam.file("lost.c", LOST_UPDATE)
    for options in (
        ["--bfs", "--cores", "2"],
        ["--bitstate", "--hash-compact"],
        ["--bfs", "--depth", "3"],
        ["--cores", "2", "--all-errors", "0"],
        ["--cores", "0"],
    ):
        pancam.refused("check", file, *options)


# --- robustness ---


def test_file_names_with_spaces_and_quotes_work(pancam: CommandLine) -> None:
    name = pancam.file('it\'s a "lost" $update.c', LOST_UPDATE)
    result = pancam("check", name, "--trace", "a b.json")
    assert result.out.startswith(f"violated: {name}:15:")
    assert pancam("replay", "a b.json").status == 1


def test_doctor_finds_everything_or_tells_what_is_missing(pancam: CommandLine, tmp_path: Path) -> None:
    healthy = pancam("doctor")
    assert (healthy.status, healthy.out.splitlines()[-1]) == (0, "Everything is there.")
    (tmp_path / "bin").mkdir()
    ill = pancam("doctor", PATH=str(tmp_path / "bin"))
    assert ill.status == 2
    assert "apt-get install clang spin gcc" in ill.out
    (tmp_path / "bin" / "clang").symlink_to(str(shutil.which("clang")))
    assert "spin is not installed" in pancam.refused(
        "check", pancam.file("lost.c", LOST_UPDATE), PATH=str(tmp_path / "bin")
    )


def test_cache_shows_and_clears_what_is_kept(pancam: CommandLine, tmp_path: Path) -> None:
    own = {"XDG_CACHE_HOME": str(tmp_path / "own"), "TMPDIR": str(tmp_path)}  # where else a cache could be
    assert pancam.verdict(pancam.file("lost.c", LOST_UPDATE), **own) == "violated"
    shown = pancam("cache", **own).out
    assert {"verifier", "machine", "library", "program"} <= {
        Path(line.split()[-1]).name.partition("-")[0] for line in shown.splitlines()[:-1]
    }
    assert pancam("cache", "--clear", **own).out == "removed 4 files\n"
    assert list((tmp_path / "own" / "pancam").iterdir()) == []


def test_values_that_pancam_chose_itself_are_a_bound_nobody_asked_for(pancam: CommandLine) -> None:
    text = "#include <pancam.h>\nint g;\nint main(void) { int x = pancam_nondet_int(); return x == g; }\n"
    file = pancam.file("chosen.c", text)
    result = pancam("check", file)
    assert (result.status, result.out.splitlines()[0]) == (
        3,
        "bounded: no violation; nondet int at chosen.c:3 restricted to 6 of 2^32 values",
    )
    result = pancam("check", file, "--nondet", "int=-2..10")
    assert (result.status, result.out.splitlines()[0]) == (0, "bounded: no violation; nondet int = -2..10 (--nondet)")
    assert pancam("check", file, "--nondet", "int=-2..10", "--exhaustive").status == 3


def test_an_image_has_its_values_and_what_they_leave_out(pancam: CommandLine) -> None:
    text = "#include <pancam.h>\nint g;\nint main(void) { int x = pancam_nondet_int(); return x == g; }\n"
    pancam("compile", pancam.file("chosen.c", text), "-o", "chosen.pcb")
    result = pancam("check", "chosen.pcb")
    assert (result.status, result.out.splitlines()[0].partition(";")[0]) == (3, "bounded: no violation")


def test_a_failed_allocation_sets_errno_and_leaves_the_old_block(pancam: CommandLine) -> None:
    text = (
        "#include <assert.h>\n#include <errno.h>\n#include <stdlib.h>\n#include <string.h>\nint main(void) {\n"
        '    char *p = strdup("abc"), *q;\n    if (p == NULL) { assert(errno == ENOMEM); return 0; }\n'
        '    if ((q = realloc(p, 9)) == NULL) q = p;\n    assert(strcmp(q, "abc") == 0);\n'
        "    int *n = calloc(3, 4);\n    assert(REACHED || n != NULL);\n    free(n);\n    free(q);\n    return 0;\n}\n"
    )
    file = pancam.file("failing.c", text)
    assert pancam.verdict(file, "--malloc-may-fail", "-DREACHED=1") == "holds"
    assert pancam.verdict(file, "--malloc-may-fail", "-DREACHED=0") == "violated"
    assert pancam.verdict(file, "-DREACHED=0") == "holds"


UNASSIGNED = """#include <assert.h>
#include <stdlib.h>
int g;
int main(int argc, char **argv) {
    int x, y;
    for (int i = 0; i < 2; i++) {
        int z;
        if (i == 0) z = 5;
        if (z == 7) g++;
    }
    y = 2;
    assert(CONDITION);
    return y;
}
"""


@pytest.mark.parametrize(
    ("condition", "options", "verdict"),
    [
        ("x != 12345", (), "holds"),
        ("x != 12345", ("--nondet-uninit",), "violated"),
        ("g == 0", ("--nondet-uninit",), "violated"),  # in the second round, `z` is a new variable
        ("g <= 1 && y == 2", ("--nondet-uninit",), "holds"),
    ],
)
def test_what_was_never_assigned_may_be_any_value(
    pancam: CommandLine, condition: str, options: tuple[str, ...], verdict: str
) -> None:
    assert pancam.verdict(pancam.file("unassigned.c", UNASSIGNED.replace("CONDITION", condition)), *options) == verdict


def test_contents_of_malloc_are_some_and_never_a_proof(pancam: CommandLine) -> None:
    text = "#include <assert.h>\n#include <stdlib.h>\nint main(void) {{ int *p = malloc(8); assert({}); free(p); }}\n"
    assert pancam.verdict(pancam.file("read.c", text.format("*p >= 0")), "--nondet-uninit") == "violated"
    result = pancam("check", pancam.file("unread.c", text.format("p")), "--nondet-uninit")
    assert (result.status, result.out.splitlines()[0]) == (
        3,
        "bounded: no violation; contents of memory from malloc restricted to 5 byte patterns",
    )


def test_other_memory_that_was_never_written_is_not_taken_for_zeros(pancam: CommandLine) -> None:
    file = pancam.file("array.c", "int main(void) { int a[3]; a[0] = 1; return a[1]; }\n")
    result = pancam("check", file, "--nondet-uninit")
    assert (result.status, "uninitialised" in result.out.splitlines()[0]) == (1, True)
    assert pancam("check", file, "--nondet-uninit", "-O1").status == 2
