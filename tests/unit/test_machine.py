# SPDX-License-Identifier: Apache-2.0
"""The machine on hand-assembled images: control, calls, what the loader refuses."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from assembler import Assembler

from pancam import isa
from pancam.errors import ImageError
from pancam.vm.machine import Limits, Machine, Mode, Status, Stop


def assembled(text: str, pointer_bits: int = 64, slots: int = 16, **objects: bytes) -> Assembler:
    program = Assembler(pointer_bits)
    for name, data in objects.items():
        program.variable(name, data, constant=name.startswith("const"))
    program.function("main", text, slots)
    return program


def run(text: str, pointer_bits: int = 64, limits: Limits | None = None, **objects: bytes) -> Machine:
    machine = Machine(assembled(text, pointer_bits, **objects).image(), limits)
    machine.run(0)
    return machine


def slots_after(text: str, pointer_bits: int = 64, **objects: bytes) -> tuple[int, ...]:
    machine = run(text + "\nabort", pointer_bits, **objects)
    assert machine.status == Status.ABORTED, machine.fault
    return machine.stack(0)[0].slots


def test_every_opcode_occurs_in_a_test() -> None:
    text = "\n".join(path.read_text() for path in Path(__file__).parent.glob("test_machine*.py"))
    words = set(re.findall(r"\w+", text.replace("\\n", " ").upper()))
    families: dict[str, set[str]] = {}
    for op in isa.OPCODE_LIST:
        base = re.sub(r"(8|16|32|64|80)$", "", op.name)
        families.setdefault(base, {base}).add(op.name)
    assert [base for base, names in families.items() if not names & words] == []


# Control

JUMPS = {
    "jeq 1 2": (5, 5, 6),
    "jne 1 2": (5, 6, 5),
    "jult 1 2": (5, 6, 5),
    "jule 1 2": (5, 5, 4),
    "jslt8 1 2": (0xFF, 0, 0xFE),
    "jslt64 1 2": (-1, 0, -2),
    "jsle32 1 2": (5, 5, 4),
}


@pytest.mark.parametrize("instruction", JUMPS)
def test_conditional_jumps(instruction: str) -> None:
    left, taken, not_taken = JUMPS[instruction]
    for right, expected in ((taken, 1), (not_taken, 0)):
        text = f"const 1 {left}\nconst 2 {right}\n{instruction} yes\njmp end\nyes:\nconst 0 1\nend:"
        assert slots_after(text)[0] == expected, right


@pytest.mark.parametrize(
    ("instruction", "taken", "not_taken"),
    [
        ("jeqi 1 yes -1", -1, 0xFFFFFFFF),
        ("jnei 1 yes 3", 2, 3),
        ("julti 1 yes 3", 2, 3),
        ("jugti 1 yes 3", 4, 3),
        ("jslti8 1 yes -1", 0xFE, 0xFF),
        ("jslti32 1 yes 0", 0xFFFFFFFF, 0),
        ("jsgti16 1 yes -2", 0xFFFF, 0xFFFE),
        ("jsgti64 1 yes -2", -1, -2),
        ("janyi 1 yes 6", 2, 9),
        ("janyi 1 yes -2", 1 << 40, 1),
        ("jnonei 1 yes 6", 9, 4),
        ("jnonei 1 yes -2", 1, 1 << 63),
    ],
)
def test_conditional_jumps_with_immediates(instruction: str, taken: int, not_taken: int) -> None:
    for left, expected in ((taken, 1), (not_taken, 0)):
        text = f"const 1 {left}\n{instruction.replace('yes', 'yes ', 1)}\njmp end\nyes:\nconst 0 1\nend:"
        assert slots_after(text)[0] == expected, left


def test_switch_finds_every_value_or_the_default() -> None:
    for value, expected in ((-1, 1), (0, 2), (7, 3), (8, 9)):
        text = f"""
          const 1 {value}
          switch 1 cases
        one:
          const 0 1
          abort
        two:
          const 0 2
          abort
        three:
          const 0 3
          abort
        other:
          const 0 9
          abort
        """
        program = assembled(text)
        program.table("cases", "main", {-1: "one", 0: "two", 7: "three"}, "other")
        machine = Machine(program.image())
        machine.run(0)
        assert machine.stack(0)[0].slots[0] == expected


@pytest.mark.parametrize(("label", "fault"), [("%there", None), ("%elsewhere", "BAD_JUMP"), ("0", "BAD_JUMP")])
def test_indirect_jumps_go_to_their_labels_only(label: str, fault: str | None) -> None:
    program = assembled(f"const 1 {label}\njmpind 1 labels\nelsewhere:\nabort\nthere:\nconst 0 1\nabort")
    program.table("labels", "main", {3: "there"}, "there")  # label of pc 3
    machine = Machine(program.image())
    machine.run(0)
    assert (machine.fault.kind if machine.fault else None) == fault


# Calls


def calling(main: str, slots: int = 10, pointer_bits: int = 64) -> Machine:
    program = Assembler(pointer_bits)
    program.function("main", main, slots)
    program.function("sum", "add64 2 0 1\nretv 2", 4, parameters=2, results=1)
    program.function("nothing", "const 3 7\nret", 4)
    program.function("pair", "const 0 11\nconst 1 22\nretn 2", 4, results=2)
    program.function("variadic", "load32 2 1 0\nadd64 2 2 0\nretv 2", 3, parameters=2, results=1, variadic=True)
    machine = Machine(program.image())
    machine.run(0)
    return machine


def test_calls_return_values_and_leave_zeros_behind() -> None:
    machine = calling("const 4 30\nconst 5 12\nconst 6 99\ncall 0 2 sum\nabort")
    assert machine.stack(0)[0].slots == (42, 0, 0, 0, 0, 0, 0, 0, 0, 0)


def test_a_call_that_wants_a_result_of_nothing_gets_zero() -> None:
    assert calling("const 0 5\ncall 0 2 nothing\nabort").stack(0)[0].slots[0] == 0
    assert calling("const 0 5\ncall - 2 nothing\nabort").stack(0)[0].slots[0] == 5


def test_several_results_stay_where_the_arguments_were() -> None:
    assert calling("call - 2 pair\nabort").stack(0)[0].slots[2:7] == (0, 0, 11, 22, 0)
    assert calling("const 1 &pair\ncallptr - 2 1 0 0x20000\nabort").stack(0)[0].slots[4:6] == (11, 22)


def test_recursion_ends_at_the_limit_of_the_stack() -> None:
    program = Assembler()
    program.function("main", "call - 0 main\nabort", 2)
    machine = Machine(program.image(), Limits(stack_slots=128))
    assert machine.run(0) == Stop.FAULT
    assert machine.fault is not None
    assert machine.fault.kind == "STACK_LIMIT"
    assert len(machine.stack(0)) == 63
    assert {frame.name for frame in machine.stack(0)} == {"main"}


@pytest.mark.parametrize("pointer_bits", [64, 32])
@pytest.mark.parametrize(
    ("main", "outcome"),
    [
        ("const 1 &sum\nconst 4 1\nconst 5 2\ncallptr 0 2 1 2", 3),
        ("const 1 &sum\nconst 4 1\nconst 5 2\nconst 6 5\ncallptr 0 2 1 3", 3),
        ("const 1 &sum\ncallptr 0 2 1 1", "CALL_MISMATCH"),
        ("const 1 &sum\nconst 4 1\nconst 5 2\ncallptr 0 2 1 2 1", 3),
        ("const 1 &sum\ncallptr 0 2 1 1 1", "CALL_MISMATCH"),
        ("const 1 &sum+8\ncallptr 0 2 1 2", "BAD_CALL"),
        ("const 1 0\ncallptr 0 2 1 2", "BAD_CALL"),
        ("const 1 &variadic+16\ncallptr 0 2 1 2", "BAD_CALL"),
        ("const 1 &pair\ncallptr 0 2 1 0", "CALL_MISMATCH"),
        ("const 1 &sum\ncallptr - 2 1 2 0x20000", "CALL_MISMATCH"),
        ("const 1 &nothing\nconst 4 1\ncallptr 0 2 1 1", 0),
        ("alloca 5 0 4\nstorei32 5 0 0 8\nconst 4 1\nconst 1 &variadic\ncallptr 0 2 1 1 1", 9),
        ("const 1 &variadic\ncallptr 0 2 1 2", "CALL_MISMATCH"),
        ("const 1 &variadic\ncallptr 0 2 1 2 1", "CALL_MISMATCH"),
    ],
)
def test_calls_through_pointers(main: str, outcome: int | str, pointer_bits: int) -> None:
    machine = calling(main + "\nabort", pointer_bits=pointer_bits)
    assert (machine.fault.kind if machine.fault else machine.stack(0)[0].slots[0]) == outcome
    if machine.fault is None:
        assert machine.stack(0)[0].slots[6:] == (0, 0, 0, 0)


def test_returning_from_the_first_frame_ends_the_thread() -> None:
    program = Assembler()
    program.function("main", "retv 0", 4, parameters=1, results=1)
    machine = Machine(program.image())
    assert machine.run(0) == Stop.THREAD_ENDED
    assert machine.threads == []
    assert not machine.deadlocked()
    assert not any(machine.pack())
    assert machine.run(0) == Stop.NOT_RUNNING


# The loader


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("mov 0 16\nabort", "slot outside the frame"),
        ("add128 15 0 0\nabort", "slot outside the frame"),
        ("jmp 7\nabort", "jump out of the function"),
        ("const 0 1", "does not end"),
        ("sext 0 1 65 64\nabort", "wrong width"),
        ("rmw8 0 1 2 RMW_FADD\nabort", "no such operation"),
        ("trap 1000", "no such fault"),
        ("tlsaddr 0 0\nabort", "no such thread-local"),
        ("retv 0", "wrong number of results"),
        ("reti 7", "wrong number of results"),
        ("callptr - 14 0 1\nabort", "outside the frame"),
        ("math 0 0 0 sqrtl\nabort", "no such function"),
        ("note 0 1024\nabort", "no such note"),
    ],
)
def test_the_loader_refuses_malformed_instructions(text: str, reason: str) -> None:
    with pytest.raises(ImageError, match=reason):
        Machine(assembled(text).image())


def test_the_loader_refuses_damaged_files() -> None:
    image = assembled("abort").image()
    for position in range(len(image)):
        damaged = bytearray(image)
        damaged[position] ^= 0x40
        with pytest.raises(ImageError):
            Machine(bytes(damaged))
    for size in range(0, len(image), 5):
        with pytest.raises(ImageError):
            Machine(image[:size])


def test_an_instruction_step_does_one_instruction() -> None:
    machine = Machine(assembled("const 0 1\nconst 1 2\nabort").image())
    assert machine.run(0, Mode.STEP_INSTRUCTION) == Stop.STEP
    assert (machine.pc(0), machine.executed) == (1, 1)
    assert machine.run(0, fuel=1) == Stop.STEP
    assert (machine.pc(0), machine.instructions) == (2, 2)


def test_a_note_is_taken_when_its_condition_holds_and_leaves_nothing_in_the_state() -> None:
    machine = Machine(assembled("const 0 1\nnote 1 3\nnote 0 5\nnote 0 1023\nabort").image())
    machine.watch_notes()
    machine.run(0, fuel=1)
    before = machine.stack(0)[0].slots
    machine.run(0, fuel=3)
    assert machine.notes == (5, 1023)
    assert machine.stack(0)[0].slots == before


def test_notes_that_nobody_watches_are_no_problem() -> None:
    machine = run("const 0 1\nnote 0 5\nabort")
    assert (machine.status, machine.notes) == (Status.ABORTED, ())
