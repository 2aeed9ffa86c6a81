# SPDX-License-Identifier: Apache-2.0
"""`pancam check --races`: what is told about a data race, and how it goes with the other options."""

from __future__ import annotations

import json

import pytest
import yaml
from command import CommandLine

NODES = """\
#include <pthread.h>
#include <string.h>
#include <stdlib.h>
struct node { int key; int value; };
static struct node *_Atomic shown;
static int sum;
static void change(struct node *node) { node->value++; }
static void *reader(void *unused) {
    struct node *node = shown;
    if (node)
        sum += node->value;
    return unused;
}
int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, reader, NULL);
    struct node *node = calloc(2, sizeof *node);
    node[0].key = 1;
    shown = node + 1;
    change(node + 1);
    strncpy((char *)node, "", 16);
    pthread_join(other, NULL);
    return sum;
}
"""
DRIVEN = """\
static int count;
int process(int number) { count += number; return 0; }
"""
DRIVER = """\
c_decl {
\\#include "pancam.h"
};
c_track "PAN_TRACKED" "PAN_TRACKED_BYTES" "Matched";
active proctype driver() {
  c_code { pan_setup(PAN_PROGRAM); pan_start_thread(0, "process", 1); pan_start_thread(1, "process", 2); };
end:
  do
  :: d_step { c_expr { (pan_bad()) } -> c_code { pan_report(); }; assert(false) }
  :: d_step { c_expr { (pan_enabled(0)) } -> c_code { pan_step(0); } }
  :: d_step { c_expr { (pan_enabled(1)) } -> c_code { pan_step(1); } }
  od
}
"""
SECTION = """\
#include <pthread.h>
#include <stddef.h>
static int x;
void __VERIFIER_atomic_double(void) { x = 2 * x; }
static void *worker(void *unused) { __VERIFIER_atomic_double(); return unused; }
int main(void) {
    pthread_t thread; pthread_create(&thread, NULL, worker, NULL);
    x = 1;
    pthread_join(thread, NULL);
    return 0;
}
"""
FIRST = (
    "node.c:7: data race on `node#1[1].value` (4 bytes): thread 0 writes, thread 1 reads at node.c:11 "
    "without synchronisation"
)


def test_a_race_is_told_with_both_accesses_their_stacks_and_the_object(pancam: CommandLine) -> None:
    pancam.file("node.c", NODES)
    result = pancam("check", "node.c", "--races")
    assert result.status == 1
    assert result.out.startswith(f"violated: {FIRST}\n")
    for line in (
        "    4 bytes at offset 12 of node#1 (struct node[2], 16 bytes), a block from calloc",
        "    allocated by thread 0 at node.c:17 (main)",
        "    thread 0 (main) writes node#1[1].value at node.c:7:",
        "        change at node.c:7",
        "        main at node.c:20",
        "    thread 1 (reader) reads node#1[1].value at node.c:11:",
        "        reader at node.c:11",
    ):
        assert f"\n{line}\n" in result.out, line
    assert "is about to write node#1[1].value" in result.out
    assert pancam.verdict("node.c") == "holds"


def test_each_pair_of_lines_is_reported_once_and_as_many_as_are_wanted(pancam: CommandLine) -> None:
    pancam.file("node.c", NODES)
    violations = json.loads(pancam("check", "node.c", "--races", "--all-errors", "0", "--json").out)["violations"]
    assert len(violations) == 2
    lines = {(row["accesses"][0]["location"][-2:], row["accesses"][1]["location"][-2:]) for row in violations}
    assert lines == {(":7", "11"), ("21", "11")}
    assert [row["accesses"][0]["library"] for row in violations] == ["", "strncpy"]
    assert {access["thread"] for access in violations[0]["accesses"]} == {0, 1}


def test_a_saved_race_replays_until_it_is_repaired(pancam: CommandLine) -> None:
    pancam.file("node.c", NODES)
    pancam("check", "node.c", "--races", "--trace", "race.json")
    moves = json.loads((pancam.folder / "race.json").read_text())["moves"]
    assert moves[-1] == ["race", 0]
    again = pancam("replay", "race.json")
    assert again.status == 1
    assert FIRST in again.out
    assert "reproduced" in again.out
    pancam.file("node.c", NODES.replace("node->value++;", "(void)node;   "))
    repaired = pancam("replay", "race.json")
    assert repaired.status == 0
    assert "not reproduced" in repaired.out


@pytest.mark.parametrize(
    "options",
    [
        ["--only", "race"],
        ["--races", "--bfs"],
        ["--races", "--cores", "2"],
        ["--races", "--bitstate", "--store", "raw"],
        ["--races", "--cb", "2", "--step", "global"],
        ["--races", "-O2"],
    ],
)
def test_races_are_found_however_one_searches(pancam: CommandLine, options: list[str]) -> None:
    pancam.file("node.c", NODES)
    result = json.loads(pancam("check", "node.c", *options, "--json").out)
    assert [row["violation"]["kind"] for row in result["violations"]] == ["DATA_RACE"]


def test_races_of_threads_that_a_driver_starts_are_found(pancam: CommandLine) -> None:
    pancam.file("driven.c", DRIVEN)
    pancam.file("driver.pml", DRIVER)
    result = pancam("check", "driven.c", "--driver", "driver.pml", "--races")
    assert result.status == 1
    assert "data race on `count` (4 bytes)" in result.out


def test_what_contradicts_itself_is_refused(pancam: CommandLine) -> None:
    pancam.file("driven.c", DRIVEN)
    wanted = ["check", "driven.c", "--thread", "process:1", "--races"]
    assert "--only assert leaves races out" in pancam.refused(*wanted, "--only", "assert")
    assert "--ignore leaves races out" in pancam.refused(*wanted, "--ignore", "race")


def test_a_race_with_an_atomic_section_violates_the_property_of_the_competition(pancam: CommandLine) -> None:
    pancam.file("section.c", SECTION)
    result = pancam("check", "section.c", "--property", "no-data-race", "--witness", "witness.yml")
    assert result.status == 1
    assert "section.c:8: data race on `x` (4 bytes): thread 0 writes, thread 1 " in result.out
    assert "thread 1 (worker) reads x in an atomic section at section.c:4:" in result.out
    assert "property no-data-race: false(no-data-race)" in result.out
    last = yaml.safe_load((pancam.folder / "witness.yml").read_text())[0]["content"][-1]["segment"]
    targets = [(point["waypoint"]["thread_id"], point["waypoint"]["location"]["line"]) for point in last]
    assert targets == [(0, 8), (1, 4)]
