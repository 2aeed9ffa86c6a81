# SPDX-License-Identifier: Apache-2.0
"""What the image tells about the source: the line of every instruction, and where each variable is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from compiled import compile_text, step_to

from pancam.bytecode.disasm import Disassembler
from pancam.bytecode.image import read_sections
from pancam.bytecode.program import Program
from pancam.bytecode.program_file import read_program, with_arguments
from pancam.vm.machine import Frame, Machine

PROGRAM = """
#include <stdio.h>
struct point { int x; short y; };
static int shared = 12;
volatile long sink;
__attribute__((noinline)) void here(int x) { sink = x; }
__attribute__((noinline)) long work(int first, unsigned char second, const char *text) {
    long sum = first + second;
    double half = first / 2.0;
    struct point place = {first, 7};
    int *pointer = &place.x;
    for (int turn = 0; turn < 3; turn++) {
        here(turn);
        sum += turn + *pointer;
    }
    return sum + place.y + (long)half + text[0] + shared;
}
int main(int count, char **values) {
    printf("%d %s\\n", count, values[0]);
    return (int)work(count + 40, 200, "text") & 1;
}
"""
EXPECTED = {"first": 41, "second": 200, "sum": 241, "turn": 0}


@pytest.fixture(scope="module", params=["0", "1", "2"], ids=["O0", "O1", "O2"])
def program(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Program:
    return compile_text(PROGRAM, tmp_path_factory.mktemp("source_map"), level=request.param)


def test_every_instruction_of_the_program_has_a_line(program: Program) -> None:
    listing = Disassembler(program)
    lines = PROGRAM.splitlines()
    spans = {"here": (6, 6), "work": (7, 17), "main": (18, 21)}
    found = [function for function in listing.functions if function.name in spans]
    assert len(found) == 3
    for function in found:
        first, last = spans[function.name]
        for pc in range(function.first_pc, function.end_pc):
            location = program.source_map.location(pc)
            assert location is not None, listing.instruction(pc)
            assert location.file.endswith("program.c")
            assert location.line == 0 or first <= location.line <= last, (listing.instruction(pc), location)
    calls = {
        lines[location.line - 1].strip()
        for function in found
        for pc in range(function.first_pc, function.end_pc)
        if listing.instruction(pc).startswith("CALL") and (location := program.source_map.location(pc))
    }
    assert "here(turn);" in calls


def at_first_call(program: Program) -> tuple[Machine, Frame, list[dict[str, Any]]]:
    """A machine in here(), called for the first time; the frame of work and the variables of its source."""
    machine = Machine(program.image)
    step_to(machine, "here")
    frame = machine.stack(0)[1]
    assert frame.name == "work"
    return machine, frame, program.source_map.functions[frame.function]["variables"]


def place_at(row: dict[str, Any], pc: int) -> dict[str, Any] | None:
    return next((place for start, end, place in row["places"] if start <= pc < end), None)


def bits_of(machine: Machine, frame: Frame, place: dict[str, Any], size: int) -> int:
    """The value of a variable of `size` bytes, read as a debugger would."""
    assert not place.get("expression"), "the test's variables are where they are, without arithmetic"
    if "constant" in place:
        return int(place["constant"][0])
    if "slots" in place:
        return frame.slots[place["slots"][0]]
    data = machine.read_memory(frame.slots[place["pointer"][0]], size)
    assert data is not None
    return int.from_bytes(data, "little")


def test_variables_have_their_values(program: Program) -> None:
    machine, frame, rows = at_first_call(program)
    types = program.source_map.types
    seen = {}
    for row in rows:
        place = place_at(row, frame.pc)
        if row["name"] in EXPECTED and place is not None:
            size = types[row["type"]]["size"] // 8
            seen[row["name"]] = bits_of(machine, frame, place, size) & ((1 << 8 * size) - 1)
    assert seen.items() <= EXPECTED.items()
    assert {"turn"} <= seen.keys()


def test_a_variable_is_not_shown_when_another_took_its_register(tmp_path: Path) -> None:
    """Without optimisation, too, registers are reused: a value that is gone must not be shown as another one."""
    machine, frame, rows = at_first_call(compile_text(PROGRAM, tmp_path))
    by_slot: dict[int, str] = {}
    for row in rows:
        place = place_at(row, frame.pc)
        if place is not None and "slots" in place:
            other = by_slot.setdefault(place["slots"][0], row["name"])
            assert other == row["name"], f"{other} and {row['name']} are both in slot {place['slots'][0]}"
    assert machine.fault is None
    assert "sum" in by_slot.values()


def test_all_variables_are_known_without_optimisation(tmp_path: Path) -> None:
    program = compile_text(PROGRAM, tmp_path)
    machine, frame, rows = at_first_call(program)
    found = {row["name"]: row for row in rows}
    assert set(found) == {"first", "second", "text", "sum", "half", "place", "pointer", "turn"}
    assert [found[name]["argument"] for name in ("first", "second", "text", "sum")] == [1, 2, 3, 0]
    types = program.source_map.types
    assert {name: types[row["type"]].get("name", "") for name, row in found.items()} | {"text": "", "pointer": ""} == {
        "first": "int", "second": "unsigned char", "text": "", "sum": "long", "half": "double", "place": "point",
        "pointer": "", "turn": "int",
    }  # fmt: skip
    place = place_at(found["place"], frame.pc)
    assert place is not None
    assert bits_of(machine, frame, place, 6) == 7 << 32 | 41
    text = place_at(found["text"], frame.pc)
    assert text is None or machine.read_string(bits_of(machine, frame, text, 8)) == b"text"


def test_globals_are_described(program: Program) -> None:
    shared = [row for row in program.source_map.globals.values() if row["name"] in ("shared", "sink")]
    assert {(row["name"], row["line"]) for row in shared} >= {("sink", 5)}
    assert all(row["file"].endswith("program.c") for row in shared)


@pytest.mark.parametrize("m32", [False, True], ids=["LP64", "ILP32"])
def test_another_command_line_changes_nothing_else(tmp_path: Path, m32: bool) -> None:
    program = compile_text(PROGRAM, tmp_path, m32=m32)
    path = tmp_path / "program.pcb"
    path.write_bytes(program.file_bytes())
    stored = read_program(path)
    changed = with_arguments(stored, ["other name", "", "x" * 70_000, "ü"])
    before, *target = read_sections(program.image)
    after, *same_target = read_sections(with_arguments(changed, ["program"]).image)
    assert same_target == target
    for name in ("CODE", "FUNCTIONS", "CONSTANTS", "GLOBALS", "TLS", "TLS_DATA", "TABLES", "TARGETS", "LIVE"):
        assert after[name] == before[name], name
    assert changed.source_map.encoded == program.source_map.encoded
    output: list[bytes] = []
    machine = Machine(changed.image)
    machine.set_output(lambda _, data: output.append(data))
    machine.run(0)
    assert b"".join(output) == b"4 other name\n"
