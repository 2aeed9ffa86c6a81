# SPDX-License-Identifier: Apache-2.0
"""`pancam check` with properties and task files of the verification competition: the answers, and what they rest on."""

from __future__ import annotations

import hashlib
import json

import pytest
import yaml
from command import CommandLine

UNREACH_CALL = "CHECK( init(main()), LTL(G ! call(reach_error())) )\n"
# Two threads increment; what makes that atomic, or not, is the name of the function.
INCREMENT = """
typedef unsigned long pthread_t;
extern int pthread_create(pthread_t *, void *, void *(*)(void *), void *);
extern int pthread_join(pthread_t, void **);
extern void abort(void);
void reach_error() { abort(); }
int x;
static int INCREMENT(int by) {
    int old = x;
    if (by < 0) return -1;
    x = old + by;
    return old;
}
void *work(void *unused) {
    INCREMENT(1);
    return unused;
}
int main() {
    pthread_t one, two;
    pthread_create(&one, 0, work, 0);
    pthread_create(&two, 0, work, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    if (x != 2) reach_error();
    return sizeof(long) == SIZE ? 0 : (reach_error(), 1);
}
"""
TASK = """format_version: '2.0'
input_files: '{}'
properties:
  - property_file: unreach-call.prp
    expected_verdict: true
options:
  language: C
  data_model: ILP32
"""


def result_of(pancam: CommandLine, *arguments: str) -> str:
    """The last line of a check: what it says about the property."""
    return pancam("check", *arguments).out.splitlines()[-1]


def test_the_body_of_an_atomic_function_is_one_step_for_the_others(pancam: CommandLine) -> None:
    pancam.file("t.c", INCREMENT)
    arguments = ("--property", "unreach-call", "-DSIZE=8", "t.c")
    assert result_of(pancam, "-DINCREMENT=__VERIFIER_atomic_inc", *arguments) == "property unreach-call: true"
    assert result_of(pancam, "-DINCREMENT=inc", *arguments) == "property unreach-call: false(unreach-call)"


def test_an_atomic_function_is_refused_where_the_optimiser_may_have_merged_it(pancam: CommandLine) -> None:
    pancam.file("t.c", INCREMENT)
    message = pancam.refused("check", "-O2", "-DINCREMENT=__VERIFIER_atomic_inc", "-DSIZE=8", "t.c")
    assert message == "t.c:8: __VERIFIER_atomic_inc keeps its meaning only in code that is not optimised (-O0)"


def test_a_jump_out_of_an_atomic_function_is_a_fault(pancam: CommandLine) -> None:
    pancam.file(
        "t.c",
        "#include <setjmp.h>\njmp_buf out;\nvoid __VERIFIER_atomic_leave(void) {\n    longjmp(out, 1);\n}\n"
        "int main(void) {\n    if (setjmp(out) == 0) __VERIFIER_atomic_leave();\n    return 0;\n}\n",
    )
    assert pancam("check", "t.c").out.startswith("violated: t.c:4: misuse of an atomic section")


def test_a_task_file_says_which_program_property_and_data_model(pancam: CommandLine) -> None:
    program = INCREMENT.replace("INCREMENT(", "__VERIFIER_atomic_inc(")
    pancam.file("unreach-call.prp", UNREACH_CALL)
    pancam.file("t.i", program.replace("SIZE", "4"))
    pancam.file("t.yml", TASK.format("t.i"))
    assert result_of(pancam, "t.yml") == "property unreach-call: true"
    assert result_of(pancam, "t.yml", "--data-model", "LP64") == "property unreach-call: false(unreach-call)"


@pytest.mark.parametrize("body", ["{ abort(); }", "{ }", "{ for (;;) ; }", ";"])
def test_to_enter_the_error_function_is_the_violation_whatever_it_does(pancam: CommandLine, body: str) -> None:
    pancam.file("t.c", f"void abort(void);\nvoid my_error(void) {body}\nint main(void) {{\n    my_error();\n}}\n")
    pancam.file("p.prp", UNREACH_CALL.replace("reach_error", "my_error"))
    result = pancam("check", "--property", "p.prp", "t.c", "--json")
    value = json.loads(result.out)
    assert (result.status, value["property"], value["result"]) == (1, "unreach-call", "false(unreach-call)")
    violation = value["violations"][0]["violation"]
    assert (violation["text"], violation["line"]) == ("error location reached: my_error", 4)


def test_an_error_label_is_reached_by_a_jump_and_by_falling_through(pancam: CommandLine) -> None:
    pancam.file("p.prp", "CHECK( init(main()), LTL(G ! label(ERROR)) )")
    lines = "volatile int x;\nint main(void) {\n    if (x == IF) goto ERROR;\n    if (x == RETURN) return 0;\n"
    pancam.file("t.c", lines + "ERROR:\n    x = 2;\n    return 0;\n}\n")
    answers = [
        result_of(pancam, "--property", "p.prp", f"-DIF={i}", f"-DRETURN={r}", "t.c") for i, r in ((0, 0), (1, 1))
    ]
    assert answers == ["property unreach-call: false(unreach-call)"] * 2
    assert result_of(pancam, "--property", "p.prp", "-DIF=1", "-DRETURN=0", "t.c") == "property unreach-call: true"


def test_a_fault_that_the_property_does_not_name_never_becomes_true(pancam: CommandLine) -> None:
    """What comes after undefined behaviour was not looked at; after a failed assertion nothing comes."""
    pancam.file("null.c", "int *p;\nint main(void) { return *p; }\n")
    result = pancam("check", "--property", "unreach-call", "null.c")
    assert (result.status, result.out.splitlines()[-1]) == (3, "property unreach-call: unknown")
    assert result.out.startswith("bounded: no violation; executions were followed only up to a fault that is ignored")
    pancam.file("assert.c", "#include <assert.h>\nint main(void) { assert(0); }\n")
    assert result_of(pancam, "--property", "unreach-call", "assert.c") == "property unreach-call: true"


def test_an_answer_does_not_rest_on_what_nobody_has_written(pancam: CommandLine) -> None:
    """Zero may be there: what it leads to is a violation. That nothing is there but zero nobody can rely on."""
    pancam.file(
        "t.c",
        "extern void reach_error(void);\nint main(void) {\n    int values[2];\n    values[0] = 1;\n"
        "    if (values[1] == VALUE) reach_error();\n    return 0;\n}\n",
    )
    answers = [result_of(pancam, "--property", "unreach-call", f"-DVALUE={value}", "t.c") for value in (0, 7)]
    assert answers == ["property unreach-call: false(unreach-call)", "property unreach-call: unknown"]


def test_memory_safety_has_three_parts(pancam: CommandLine) -> None:
    text = "#include <stdlib.h>\nint *g;\nint main(void) {\n    int *p = malloc(4);\n    *p = 1;\n    END\n}\n"
    pancam.file("t.c", text)
    ends = {
        "g=p;": "true",
        "": "false(valid-memtrack)",
        "free(p);": "true",
        "free(p);g=malloc(4);*p=1;": "false(valid-deref)",
        "exit(*p-1);": "true",
        "g=p;free(p+1);": "false(valid-free)",
        "g=p;p[1]=2;": "false(valid-deref)",
    }
    answers = [result_of(pancam, "--property", "valid-memsafety", f"-DEND={end}", "t.c") for end in ends]
    assert answers == [f"property valid-memsafety: {answer}" for answer in ends.values()]
    cleaned = [result_of(pancam, "--property", "valid-memcleanup", f"-DEND={e}", "t.c") for e in ("g=p;", "free(p);")]
    assert cleaned == [f"property valid-memcleanup: {answer}" for answer in ("false(valid-memcleanup)", "true")]


def test_an_invalid_access_is_reported_before_memory_that_is_lost(pancam: CommandLine) -> None:
    """The execution that the search meets first only loses the block."""
    pancam.file(
        "t.c",
        "#include <pthread.h>\n#include <stdlib.h>\nint go;\nvoid *set(void *unused) {\n    go = 1;\n"
        "    return unused;\n}\nint main(void) {\n    pthread_t other;\n    int *p = malloc(4);\n    *p = 1;\n"
        "    pthread_create(&other, 0, set, 0);\n    if (go) {\n        free(p);\n        USE\n    }\n"
        "    pthread_join(other, 0);\n    p = 0;\n    return 0;\n}\n",
    )
    uses = {"return *p;": "valid-deref", "free(p);": "valid-free", "": "valid-memtrack"}
    answers = [result_of(pancam, "--property", "valid-memsafety", f"-DUSE={use}", "t.c") for use in uses]
    assert answers == [f"property valid-memsafety: false({part})" for part in uses.values()]


def test_the_last_part_of_the_time_is_for_executions_with_few_preemptions(pancam: CommandLine) -> None:
    """The watcher is the first that can move, and too much can happen after it for the search to come back to it."""
    pancam.file(
        "t.c",
        "#include <pthread.h>\nextern void reach_error(void);\nlong x, last;\npthread_mutex_t lock;\n"
        "void *watch(void *unused) {\n    if (x == 6) reach_error();\n    return unused;\n}\n"
        "void *count(void *me) {\n    for (int i = 0; i < 6; i++) {\n        pthread_mutex_lock(&lock);\n"
        "        last = last * 6 + (long)me;\n        pthread_mutex_unlock(&lock);\n    }\n"
        "    pthread_mutex_lock(&lock);\n    x++;\n    pthread_mutex_unlock(&lock);\n    return 0;\n}\n"
        "int main(void) {\n    pthread_t t[7];\n    pthread_create(&t[6], 0, watch, 0);\n"
        "    for (long i = 0; i < 6; i++) pthread_create(&t[i], 0, count, (void *)i);\n"
        "    for (int i = 0; i < 6; i++) pthread_join(t[i], 0);\n    return 0;\n}\n",
    )
    found = pancam("check", "--property", "unreach-call", "--time", "20", "t.c").out
    assert found.splitlines()[-1] == "property unreach-call: false(unreach-call)"
    assert "preemption" in found


@pytest.mark.parametrize(("first", "share"), [("1", 0.85), ("x[1]", 0.7)])
def test_time_is_kept_for_a_second_search_only_where_unwritten_memory_is_read(
    pancam: CommandLine, first: str, share: float
) -> None:
    pancam.file(
        "t.c",
        "#include <pthread.h>\nextern void reach_error(void);\nextern unsigned char __VERIFIER_nondet_uchar(void);\n"
        "unsigned char a[16];\nint main(void) {\n    int x[2], i = 0, read = FIRST;\n"
        "    for (;; i = (i + 1) % 16)\n        if ((a[i] = __VERIFIER_nondet_uchar()) == a[(i + 1) % 16] + read + 300)"
        " reach_error();\n}\n".replace("read = FIRST", "read = __VERIFIER_nondet_uchar() ? 1 : FIRST"),
    )
    found = pancam("check", "--property", "unreach-call", "--json", "--time", "4", f"-DFIRST={first}", "t.c")
    value = json.loads(found.out)
    assert (value["result"], value["reasons"]) == ("unknown", ["the time limit was reached"])
    assert share * 4 <= value["statistics"]["seconds"] < share * 4 + 0.8


def test_memory_safety_is_not_claimed_where_a_variable_that_is_gone_may_go_unnoticed(pancam: CommandLine) -> None:
    pancam.file(
        "t.c", "int *f(void) {\n    int x = 1, *p = &x;\n    return p;\n}\nint main(void) { return f() == 0; }\n"
    )
    assert result_of(pancam, "--property", "valid-memsafety", "t.c") == "property valid-memsafety: unknown"


@pytest.mark.parametrize(
    ("body", "result"),
    [
        ("pthread_join(other, 0);", "true"),
        ("while (!flag) ;", "unknown"),  # ends only if the other thread gets its turn
        ("for (;;) ;", "false(termination)"),
        ("pthread_mutex_lock(&lock); pthread_mutex_lock(&lock);", "false(termination)"),
    ],
)
def test_termination_is_claimed_for_every_scheduler_and_denied_for_a_fair_one(
    pancam: CommandLine, body: str, result: str
) -> None:
    pancam.file(
        "t.c",
        "#include <pthread.h>\npthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\nvolatile int flag;\n"
        "void *set(void *unused) { flag = 1; return unused; }\nint main(void) {\n    pthread_t other;\n"
        f"    pthread_create(&other, 0, set, 0);\n    {body}\n    return 0;\n}}\n",
    )
    assert result_of(pancam, "--property", "termination", "t.c") == f"property termination: {result}"


def test_a_wait_on_a_condition_may_end_without_a_signal(pancam: CommandLine) -> None:
    pancam.file(
        "t.c",
        "#include <pthread.h>\nextern void reach_error(void);\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n"
        "pthread_cond_t c = PTHREAD_COND_INITIALIZER;\nint main(void) {\n    pthread_mutex_lock(&m);\n"
        "    pthread_cond_wait(&c, &m);\n    reach_error();\n}\n",
    )
    assert result_of(pancam, "--property", "unreach-call", "t.c") == "property unreach-call: false(unreach-call)"


def test_a_search_grows_its_limit_of_threads_unless_the_user_set_it(pancam: CommandLine) -> None:
    pancam.file(
        "t.c",
        "#include <pthread.h>\nstatic void *work(void *unused) { return unused; }\nint main(void) {\n"
        "    pthread_t threads[9];\n    for (int i = 0; i < 9; i++) pthread_create(threads + i, 0, work, 0);\n"
        "    pthread_exit(0);\n}\n",
    )
    result = pancam("check", "t.c", "--time", "60")
    assert result.out.startswith("holds")
    assert "more than 8 threads at once: searching again with up to 16" in result.err
    assert pancam.verdict("t.c", "--max-threads", "8") == "unknown"


def test_a_violation_is_found_though_threads_are_started_without_end(pancam: CommandLine) -> None:
    pancam.file(
        "endless.c",
        "#include <assert.h>\n#include <pthread.h>\nstatic int x;\n"
        "static void *work(void *unused) {\n    int seen = x;\n    x = seen + 1;\n    assert(x > seen || x > 2);\n"
        "    return unused;\n}\n"
        "int main(void) {\n    pthread_t thread;\n    for (;;) pthread_create(&thread, 0, work, 0);\n}\n",
    )
    assert pancam.verdict("endless.c", "--time", "60") == "violated"
    pancam.file("fine.c", (pancam.folder / "endless.c").read_text().replace("x > seen", "x >= 0"))
    result = pancam("check", "fine.c", "--time", "2")
    assert result.out.startswith("unknown")
    assert result.status == 3


def test_what_cannot_be_combined_with_a_task_or_a_property_is_refused(pancam: CommandLine) -> None:
    pancam.file("t.c", "int main(void) { return 0; }\n")
    pancam.file("unreach-call.prp", UNREACH_CALL)
    pancam.file("t.yml", TASK.format("t.c"))
    two = TASK.format("t.c").replace("options:", "  - property_file: unreach-call.prp\noptions:")
    pancam.file("two.yml", two)
    assert "is a whole task" in pancam.refused("check", "t.yml", "t.c")
    assert "--only or --ignore" in pancam.refused("check", "t.yml", "--only", "assert")
    assert "choose one with --property" in pancam.refused("check", "two.yml", "--json")
    assert "needs -O0" in pancam.refused("check", "t.yml", "-O1")
    assert "no property 'x'" in pancam.refused("check", "t.c", "--property", "x")
    assert "No such file" in pancam.refused("check", "t.c", "--property", "x.prp")
    assert "No such file" in pancam.refused("check", "no.yml")


def test_all_properties_of_a_task_are_checked_one_after_the_other(pancam: CommandLine) -> None:
    pancam.file("t.c", "void abort(void);\nvoid reach_error(void) { abort(); }\nint main(void) { reach_error(); }\n")
    pancam.file("unreach-call.prp", UNREACH_CALL)
    pancam.file("deref.prp", "CHECK( init(main()), LTL(G valid-deref) )")
    pancam.file("cover.prp", "COVER( init(main()), FQL(COVER EDGES(@DECISIONEDGE)) )")
    more = "  - property_file: deref.prp\n  - property_file: cover.prp\noptions:"
    pancam.file("t.yml", TASK.format("t.c").replace("options:", more))
    result = pancam("check", "t.yml")
    answers = [line for line in result.out.splitlines() if line.startswith("property ")]
    assert (result.status, answers) == (1, ["property unreach-call: false(unreach-call)", "property valid-deref: true"])
    assert result.err.startswith("pancam: not checked: cover.prp:1: coverage is not a property that a program has")
    assert result_of(pancam, "t.yml", "--property", "deref") == "property valid-deref: true"


def bench_tasks(pancam: CommandLine) -> None:
    """Four tasks: a right true, a right false, one that claims what is not so, one that is not for us."""
    pancam.file("unreach-call.prp", UNREACH_CALL)
    pancam.file("good.c", "int main(void) { return 0; }\n")
    pancam.file("bad.c", "extern void reach_error(void);\nint main(void) { reach_error(); }\n")
    pancam.file("good.yml", TASK.format("good.c"))
    pancam.file("bad.yml", TASK.format("bad.c").replace("true", "false"))
    pancam.file("liar.yml", TASK.format("bad.c"))
    pancam.file("broken.yml", TASK.format("missing.c"))


def test_bench_runs_tasks_scores_them_and_goes_on_where_it_stopped(pancam: CommandLine) -> None:
    bench_tasks(pancam)
    arguments = ("--jobs", "2", "--time", "60", "--output", "r.jsonl", "--json", "r.json", "--html", "r.html")
    first = pancam("bench", "good.yml", "bad.yml", *arguments)
    assert (first.status, "2 of 2" in first.err) == (0, False)
    assert first.out.splitlines()[-1].split()[:6] == ["total", "2", "1", "1", "0", "0"]
    second = pancam("bench", ".", *arguments)
    assert second.status == 1
    assert "2 of 4 runs are there already" in second.err
    total = next(line for line in second.out.splitlines() if line.startswith("total"))
    assert total.split()[:11] == ["total", "4", "1", "1", "0", "1", "0", "1", "-13", "of", "7"]
    assert "liar.yml unreach-call: false(unreach-call) (expected true, wrong false)" in second.out
    assert "broken.yml unreach-call: error" in second.out
    assert "missing.c" in second.out
    assert json.loads((pancam.folder / "r.json").read_text())["categories"][-1]["score"] == -13
    assert "wrong false" in (pancam.folder / "r.html").read_text()


def test_bench_tells_in_one_line_why_nothing_came_of_a_run(pancam: CommandLine) -> None:
    pancam.file("unreach-call.prp", UNREACH_CALL)
    pancam.file("t.c", "volatile unsigned x;\nint main(void) { for (;;) x++; }\n")
    pancam.file("t.yml", TASK.format("t.c"))
    result = pancam("bench", "t.yml", "--time", "1", "--quiet")
    assert (result.status, result.err) == (0, "")
    assert result.out.splitlines()[-1].endswith("the time limit was reached")


def test_bench_refuses_what_it_cannot_do_before_it_starts(pancam: CommandLine) -> None:
    bench_tasks(pancam)
    assert "no tasks" in pancam.refused("bench", ".", "--property", "termination")
    assert "--jobs" in pancam.refused("bench", ".", "--jobs", "0")
    assert "no file can be written there" in pancam.refused("bench", ".", "--html", "no/where.html")
    assert "neither a folder" in pancam.refused("bench", "nothing")


WITNESSED = """typedef unsigned long pthread_t;
extern int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
extern int pthread_join(pthread_t, void **);
extern _Bool __VERIFIER_nondet_bool(void);
extern void reach_error(void);
int x;
void *work(void *unused) {
    x = x + 1;
    return unused;
}
int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, work, 0);
    pthread_create(&two, 0, work, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    if (x == 1 && __VERIFIER_nondet_bool())
        reach_error();
    return 0;
}
"""


def test_a_witness_leads_through_the_threads_and_values_of_the_trace_to_the_violation(pancam: CommandLine) -> None:
    pancam.file("t.i", WITNESSED)
    assert (
        pancam("check", "--property", "unreach-call", "--data-model", "ILP32", "t.i", "--witness", "w.yml").status == 1
    )
    (entry,) = yaml.safe_load((pancam.folder / "w.yml").read_text())
    assert entry["entry_type"] == "violation_sequence"
    metadata = entry["metadata"]
    assert set(metadata) == {"format_version", "uuid", "creation_time", "producer", "task"}
    assert (metadata["format_version"], metadata["producer"]["name"]) == ("2.2", "pancam")
    assert metadata["task"] == {
        "input_files": ["t.i"],
        "input_file_hashes": {"t.i": hashlib.sha256(WITNESSED.encode()).hexdigest()},
        "specification": "G ! call(reach_error())",
        "data_model": "ILP32",
        "language": "C",
    }
    segments = [[item["waypoint"] for item in part["segment"]] for part in entry["content"]]
    assert all(len(segment) == 1 and segment[0]["action"] == "follow" for segment in segments)
    points = [segment[0] for segment in segments]
    told = [(point["type"], point["thread_id"], point["location"]["line"]) for point in points]
    assert told[:2] == [("function_enter", 0, 13), ("function_enter", 0, 14)]
    assert {("assumption", 1, 8), ("assumption", 2, 8)} <= set(told)
    assert told[-2:] == [("function_return", 0, 17), ("target", 0, 18)]
    assert points[-2]["constraint"] == {"value": "\\result == 1", "format": "acsl_expression"}
    assert [point["location"]["column"] for point in points[-2:]] == [WITNESSED.splitlines()[16].index("())") + 2, 9]


def test_a_witness_of_a_data_race_ends_with_both_accesses_in_no_order(pancam: CommandLine) -> None:
    pancam.file("t.i", WITNESSED)
    result = pancam("check", "--property", "no-data-race", "--data-model", "ILP32", "t.i", "--witness", "w.yml")
    assert result.out.splitlines()[-1] == "property no-data-race: false(no-data-race)"
    (entry,) = yaml.safe_load((pancam.folder / "w.yml").read_text())
    assert entry["metadata"]["task"]["specification"] == "G ! data-race"
    last = [item["waypoint"] for item in entry["content"][-1]["segment"]]
    assert {(point["type"], point["thread_id"], point["location"]["line"]) for point in last} == {
        ("target", 1, 8),
        ("target", 2, 8),
    }


def test_a_witness_needs_a_property_and_is_written_only_for_a_violation(pancam: CommandLine) -> None:
    pancam.file("t.c", "int main(void) { return 0; }\n")
    assert "goes with --property" in pancam.refused("check", "t.c", "--witness", "w.yml")
    assert pancam("check", "t.c", "--property", "unreach-call", "--witness", "w.yml").status == 0
    assert not (pancam.folder / "w.yml").exists()
