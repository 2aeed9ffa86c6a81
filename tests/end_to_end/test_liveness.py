# SPDX-License-Identifier: Apache-2.0
"""`pancam check` about infinite executions: what is said, what is saved and shown again, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import CommandLine

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "liveness"
STARVES = ("--ltl", "[] (asks -> <> enters)", "--prop", "asks=wants[1]", "--prop", "enters=inside[1]")


@pytest.fixture
def pancam(tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path)


def test_a_lasso_is_shown_saved_and_shown_again(pancam: CommandLine) -> None:
    source = pancam.file("lock.c", (EXAMPLES / "spin_lock_starves.c").read_text())
    result = pancam("check", source, *STARVES, "--trace", "trace.json")
    first = result.out.partition("\n")[0]
    assert result.status == 1
    assert first.startswith("violated: lock.c:")
    assert first.endswith(
        "[] (asks -> <> enters) does not hold: a fair execution goes on for ever with asks true, enters false"
    )
    stem, _, cycle = result.out.partition("-- the following repeats for ever ---")
    assert "creates thread 1" in stem
    assert "T0" in cycle
    assert "T1" in cycle  # it is fair: both move
    again = pancam("replay", "trace.json")
    assert again.status == 1
    assert "-- the following repeats for ever ---" in again.out
    assert again.out.endswith("reproduced: the trace ends in the recorded violation\n")
    saved = json.loads((pancam.folder / "trace.json").read_text())
    assert saved["violation"]["kind"] == "LTL"
    assert 0 < saved["cycle_start"] < len(saved["moves"])
    saved["cycle_start"] -= 1
    (pancam.folder / "trace.json").write_text(json.dumps(saved))
    assert pancam("replay", "trace.json").out.startswith("not reproduced: replay failed")


def test_a_livelock_names_the_thread_and_what_it_waits_for(pancam: CommandLine) -> None:
    source = pancam.file("greedy.c", (EXAMPLES / "greedy.c").read_text())
    result = pancam("check", source, "--livelock")
    verdict = result.out.partition("\n")[0]
    waits = "livelock: thread {} ({}) waits for lock for ever while others run"
    place = "thread {} ({}) at greedy.c:{} waits for lock (held by thread {} since greedy.c:{})"
    # Either thread may be the one that starves: whichever execution the search comes to first.
    if waits.format(0, "main") in verdict:
        assert place.format(0, "main", 23, 1, 14) in result.out
    else:
        assert waits.format(1, "greedy") in verdict
        assert place.format(1, "greedy", 14, 0, 23) in result.out


def test_what_holds_is_said_with_the_fairness_it_needs(pancam: CommandLine) -> None:
    source = pancam.file("handover.c", (EXAMPLES / "handover.c").read_text())
    result = pancam("check", source, "--termination")
    assert result.out.startswith("holds: the program ends: on every fair execution, and no violation in any\n")
    assert "weak fairness" in result.out


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--ltl", "X done"], "X (next) is not supported"),
        (["--ltl", "<> nobody"], "nobody is neither declared with --prop nor a function of the program"),
        (["--ltl", "<> p", "--prop", "p=redy"], "--prop p='redy': use of undeclared identifier 'redy'"),
        (["--ltl", "<> p", "--prop", "p=message = 1"], "a property function changes the program's state"),
        (["--ltl", "<> p", "--prop", "p=*(int *)0"], "null pointer dereference, in a property function"),
        (["--ltl", "<> p", "--prop", "p=1", "--prop", "q=2"], "--prop q: no --ltl speaks of it"),
        (["--prop", "p=1"], "--prop goes with --ltl"),
        (["--unfair"], "--unfair goes with --ltl"),
        (["--progress", "nowhere"], "--progress nowhere: the compiled program has no such label"),
        (["--termination", "--bfs"], "--bfs searches breadth-first"),
        (["--termination", "--cb", "2"], "--cb is about finite executions"),
        (["--termination", "--abstraction", "main"], "--abstraction takes different states for one"),
        (["--termination", "--hash-compact"], "--hash-compact"),
        (["--termination", "--spurious-wakeups"], "--spurious-wakeups cannot be combined"),
        (["--termination", "--cores", "3"], "at most two --cores"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(pancam: CommandLine, options: list[str], reason: str) -> None:
    source = pancam.file("handover.c", (EXAMPLES / "handover.c").read_text())
    assert reason in pancam.refused("check", source, *options)
