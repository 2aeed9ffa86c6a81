# SPDX-License-Identifier: Apache-2.0
"""The machine's state: threads, waiting, atomic sections, choices, steps, and that equal states are equal bytes."""

from __future__ import annotations

import struct

import pytest
from assembler import Assembler

from pancam.errors import ImageError
from pancam.vm.machine import Enabled, Limits, Machine, Mode, Status, Stop

SPAWN = "const 14 {thread}\nconst 15 &{function}\nspawn 14 15\n"
FOREVER = "end:\nawait 0 13 10 AWAIT_NOT\ntrap UNREACHABLE"


def two_threads(main: str, other: str, *, slots: int = 16, live: dict[int, set[int]] | None = None) -> Machine:
    program = Assembler()
    program.variable("word", bytes(16))
    program.function("main", SPAWN.format(thread=1, function="other") + main, 16)
    program.function("other", other, slots, parameters=1, live=live)
    machine = Machine(program.image())
    assert machine.run(0, fuel=3) == Stop.STEP
    assert machine.threads == [0, 1]
    return machine


def test_a_spawned_thread_gets_its_number_and_leaves_nothing_behind() -> None:
    machine = two_threads("thread_end", "self 1\nalloca 2 0 32\nstorei8 2 0 0 1\nthread_end")
    assert machine.stack(1)[0].slots[0] == 1
    before = machine.pack()
    assert machine.run(1, fuel=3) == Stop.STEP
    assert machine.stack(1)[0].slots[1] == 1
    assert machine.run(1) == Stop.THREAD_ENDED
    assert machine.threads == [0]
    after = machine.pack()
    assert len(after) < len(before)
    machine.reset()
    machine.run(0, fuel=3)
    assert machine.pack() == before
    assert machine.run(0) == Stop.THREAD_ENDED


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("const 14 8\nconst 15 &main\nspawn 14 15", "THREAD_LIMIT"),
        ("const 14 0\nconst 15 &main\nspawn 14 15", "THREAD_LIMIT"),
        ("const 14 1\nconst 15 @word\nspawn 14 15", "BAD_CALL"),
        ("const 14 1\nconst 15 &two\nspawn 14 15", "CALL_MISMATCH"),
    ],
)
def test_faults_of_spawn(text: str, kind: str) -> None:
    program = Assembler()
    program.variable("word", bytes(4))
    program.function("main", text + "\nabort")
    program.function("two", "ret", parameters=2)
    machine = Machine(program.image())
    machine.run(0)
    assert machine.fault is not None
    assert machine.fault.kind == kind


def test_thread_local_variables_start_afresh_in_every_thread() -> None:
    program = Assembler()
    program.tls = [("a", b"\1\2"), ("b", bytes(70_000))]
    program.function("main", SPAWN.format(thread=1, function="other") + "tlsaddr 0 0\nload8 1 0 0 1\nabort")
    program.function(
        "other", "tlsaddr 1 0\nstorei8 1 0 1 9\ntlsaddr 2 1\nstorei8 2 0 69999 1\nthread_end", parameters=1
    )
    for bits in (64, 32):
        program.pointer_bits = bits
        machine = Machine(program.image())
        machine.run(0, fuel=3)
        assert machine.run(1) == Stop.THREAD_ENDED
        machine.run(0)
        assert machine.status == Status.ABORTED
        assert machine.stack(0)[0].slots[1] == 2


AWAIT = "const 1 @word\nconst 4 0xff\nconst 5 {}\nconst 6 {}\nawait 0 1 4 {} {}\natomic_end\nthread_end"


def test_await_blocks_until_the_word_is_right() -> None:
    main = "const 1 @word\nstorei32 1 0 0 0x102\nabort"
    machine = two_threads(main, AWAIT.format(2, 3, "AWAIT_EITHER", 0))
    assert machine.run(1) == Stop.BLOCKED
    assert (machine.enabled(0), machine.enabled(1)) == (Enabled.ENABLED, Enabled.DISABLED)
    assert machine.run(1) == Stop.BLOCKED
    assert machine.executed == 0
    machine.run(0, fuel=2)
    assert machine.enabled(1) == Enabled.ENABLED
    assert machine.run(1, Mode.STEP_INSTRUCTION) == Stop.STEP
    assert machine.executed == 2
    assert machine.stack(1)[0].slots[0] == 1
    assert machine.run(1) == Stop.THREAD_ENDED


def test_a_timed_wait_may_time_out_only_while_it_is_not_satisfied() -> None:
    machine = two_threads("thread_end", AWAIT.format(0, 0, "AWAIT_NOT", 1))
    machine.run(0)
    assert machine.run(1) == Stop.BLOCKED
    assert machine.enabled(1) == Enabled.CAN_TIME_OUT
    assert not machine.deadlocked()
    assert machine.run(1, fuel=1, time_out=True) == Stop.STEP
    assert machine.stack(1)[0].slots[0] == 0
    assert machine.executed == 2


def test_threads_that_all_wait_are_deadlocked() -> None:
    machine = two_threads("const 13 @word\nconst 10 1\n" + FOREVER, AWAIT.format(0, 0, "AWAIT_NOT", 0))
    assert machine.run(1) == Stop.BLOCKED
    assert not machine.deadlocked()
    assert machine.run(0) == Stop.BLOCKED
    assert machine.deadlocked()
    assert machine.status == Status.RUNNING


def test_an_atomic_section_is_one_step() -> None:
    section = "atomic_begin\natomic_begin\nload32 2 1 0 0\natomic_end\nstorei32 1 0 0 5\natomic_end\nconst 2 3\nabort"
    machine = two_threads("abort", "const 1 @word\n" + section)
    assert machine.run(1, Mode.STEP_INSTRUCTION) == Stop.STEP
    start = machine.pack()
    assert machine.run(1, Mode.STEP_INSTRUCTION) == Stop.STEP
    assert (machine.executed, machine.atomic_depth(1), machine.atomic_holder) == (6, 0, None)
    machine.unpack(start)
    assert machine.run(1, Mode.STEP_GLOBAL, 1000) == Stop.STEP
    assert machine.executed == 7
    machine.unpack(start)
    assert machine.run(1, fuel=3) == Stop.STEP
    assert machine.executed == 6


def test_tracing_looks_into_an_atomic_section_and_leads_to_the_same_state() -> None:
    section = "atomic_begin\nload32 2 1 0 0\nstorei32 1 0 0 5\natomic_end\nconst 3 3\nabort"
    machine = two_threads("abort", "const 1 @word\n" + section)
    machine.run(1, Mode.STEP_INSTRUCTION)
    start = machine.pack()
    machine.run(1, Mode.STEP_INSTRUCTION)
    end = machine.pack()
    machine.unpack(start)
    seen = []
    for _ in range(4):
        assert machine.run(1, Mode.TRACE) == Stop.STEP
        seen.append((machine.executed, machine.register(1, 1) >> 32 > 0, machine.atomic_depth(1), machine.pc(1)))
    first = seen[0][3]
    assert seen == [(1, True, depth, first + i) for i, depth in enumerate((1, 1, 1, 0))]
    machine.canonicalise(1)
    assert machine.pack() == end


def test_others_wait_for_an_atomic_section_unless_it_waits_itself() -> None:
    other = "const 1 @word\natomic_begin\nloop:\njeqi 5 loop 0\nabort"
    machine = two_threads("nop\nabort", other)
    assert machine.run(1, fuel=2) == Stop.STEP
    assert machine.executed > 1 << 20
    assert (machine.enabled(0), machine.enabled(1), machine.atomic_holder) == (Enabled.DISABLED, Enabled.ENABLED, 1)
    assert machine.run(0) == Stop.BLOCKED
    assert machine.executed == 0
    machine = two_threads(
        "const 1 @word\nstorei32 1 0 0 2\nabort", "atomic_begin\n" + AWAIT.format(2, 2, "AWAIT_EITHER", 0)
    )
    assert machine.run(1) == Stop.BLOCKED
    assert (machine.atomic_depth(1), machine.atomic_holder) == (1, None)
    machine.run(0, fuel=2)
    assert machine.enabled(0) == Enabled.ENABLED
    assert machine.run(1, fuel=1) == Stop.THREAD_ENDED
    assert machine.atomic_holder is None


def test_choices_come_from_outside() -> None:
    program = Assembler()
    program.function("main", "const 1 3\nchoose 0 1\nchoose 2 3\nabort", 4)
    machine = Machine(program.image())
    assert machine.run(0) == Stop.CHOICE
    assert (machine.at_choice(0), machine.choices(0)) == (True, 3)
    assert machine.run(0) == Stop.CHOICE
    assert machine.run(0, choice=3) == Stop.BAD_CHOICE
    assert machine.run(0, choice=2) == Stop.CHOICE
    assert (machine.executed, machine.choices(0)) == (1, 0)
    assert machine.run(0, choice=(1 << 64) - 1) == Stop.ABORTED
    assert machine.stack(0)[0].slots == (2, 3, (1 << 64) - 1, 0)


def test_a_choice_in_an_atomic_section_keeps_it() -> None:
    machine = two_threads("abort", "atomic_begin\nconst 1 2\nchoose 0 1\natomic_end\nthread_end")
    assert machine.step(1) == Stop.CHOICE
    assert (machine.atomic_holder, machine.enabled(0)) == (1, Enabled.DISABLED)
    assert machine.step(1, choice=1) == Stop.STEP
    assert machine.atomic_holder is None


def test_a_global_step_goes_up_to_the_next_visible_instruction() -> None:
    program = Assembler()
    program.variable("word", bytes(4))
    main = "const 1 @word\nconst 2 5\nstore32 2 1 0\nadd32 2 2 2\nloop:\nload32 3 1 0\nend:\njmp end"
    program.function("main", main, 4)
    machine = Machine(program.image())
    assert [(machine.step(0), machine.executed, machine.pc(0)) for _ in range(3)] == [
        (Stop.STEP, 2, 2),
        (Stop.STEP, 2, 4),
        (Stop.STEP, 1 << 20, 5),
    ]


# Equal states are equal bytes

ALLOCATE = "const 1 {size}\nconst 2 16\n"


def heap_state(text: str, pointer_bits: int = 64) -> bytes:
    program = Assembler(pointer_bits)
    end = "".join(f"const {slot} 0\n" for slot in range(16))
    program.function("main", text + end + "jmp stop\n" * 40 + "stop:\nchoose 0 0\nabort")
    machine = Machine(program.image())
    assert machine.run(0) == Stop.CHOICE, machine.fault
    packed = bytearray(machine.pack())
    pc_offset = 40 + 4  # of thread 0, behind the header
    packed[pc_offset : pc_offset + 4] = bytes(4)  # the programs compared have different lengths
    copy = machine.pack()
    machine.unpack(copy)
    assert machine.pack() == copy
    return bytes(packed)


@pytest.mark.parametrize("pointer_bits", [64, 32])
def test_the_order_of_frees_does_not_show(pointer_bits: int) -> None:
    allocations = ALLOCATE.format(size=100) + "alloc 3 1 2\nalloc 4 1 2\nalloc 5 1 2\nalloc 6 1 2\n"
    states = {
        heap_state(allocations + "".join(f"free {slot}\n" for slot in order), pointer_bits)
        for order in ((3, 5), (5, 3))
    }
    assert len(states) == 1
    reused = heap_state(allocations + "free 3\nfree 4\nfree 6\nfree 5\n", pointer_bits)
    assert reused == heap_state("nop\n", pointer_bits)


def test_freed_ids_and_space_are_used_again_from_the_lowest() -> None:
    text = ALLOCATE.format(size=40) + "alloc 3 1 2\nalloc 4 1 2\nalloc 5 1 2\nfree 3\nfree 4\nalloc 6 1 2\nabort"
    program = Assembler()
    program.function("main", text)
    machine = Machine(program.image())
    machine.run(0)
    slots = machine.stack(0)[0].slots
    assert slots[6] == slots[3]
    assert machine.live_heap_ids() == 2


def test_objects_of_size_zero_are_distinct() -> None:
    program = Assembler()
    program.function("main", ALLOCATE.format(size=0) + "alloc 3 1 2\nalloc 4 1 2\nobjsize 5 4\nfree 3\nfree 4\nabort")
    machine = Machine(program.image())
    assert machine.run(0) == Stop.ABORTED
    slots = machine.stack(0)[0].slots
    assert slots[3] != slots[4]
    assert machine.live_heap_ids() == 0


@pytest.mark.parametrize("hole", ["", "free 7\n"])
def test_many_allocations_are_fast_and_end_at_the_limit(hole: str) -> None:
    count = 1 << 18
    text = f"""
      const 1 32
      const 2 16
      const 5 16
      alloc 7 5 2
      alloc 8 1 2
      {hole}
      const 3 {count - 3}
    loop:
      alloc 4 1 2
      addi64 3 3 -1
      jnei 3 loop 0
      free 8
      alloc 4 1 2
      abort
    """
    program = Assembler()
    program.function("main", text)
    machine = Machine(program.image(), Limits(heap_objects=count))
    assert machine.run(0) == Stop.ABORTED, machine.fault
    slots = machine.stack(0)[0].slots
    assert slots[4] == slots[8]


def test_threads_allocate_independently() -> None:
    program = Assembler()
    program.variable("word", bytes(16))
    allocate = "const 3 8\nconst 4 8\nalloc 5 3 4\nalloc 6 3 4\nchoose 0 0\nabort"
    program.function("main", SPAWN.format(thread=1, function="other") + allocate)
    program.function("other", allocate, parameters=1)
    states = set()
    for order in ((0, 0, 0, 1), (0, 1, 0, 1), (1, 0, 1, 0)):
        machine = Machine(program.image())
        machine.run(0, fuel=3)
        for thread in order:
            machine.run(thread, fuel=3)
        for thread in (0, 1):
            machine.run(thread)
        states.add(machine.pack())
    assert len(states) == 1


def test_dead_registers_do_not_show() -> None:
    live: dict[int, set[int]] = {1: {0}, 2: set(), 3: set(), 4: set()}
    text = "const 0 {}\njeqi 0 right 0\nnop\nright:\nnop\nstop:\nchoose 0 0\nabort"
    stepped, ran, cleaned = set(), set(), set()
    for first in (0, 1):
        program = Assembler()
        program.function("main", text.format(first), 4, live=live)
        machine = Machine(program.image())
        assert machine.run(0) == Stop.CHOICE
        ran.add(machine.pack())
        machine.canonicalise(0)
        cleaned.add(machine.pack())
        machine.reset()
        assert machine.step(0) == Stop.STEP
        assert machine.pc(0) == 4
        stepped.add(machine.pack())
    assert len(ran) == 2
    assert len(cleaned) == 1
    assert stepped == cleaned


def test_dead_registers_of_callers_are_zeroed_below_the_callee() -> None:
    program = Assembler()
    main = "const 0 1\nconst 1 2\nconst 2 3\nconst 7 4\ncall 2 5 callee\nabort"
    program.function("main", main, 9, live={4: {0, 1, 2, 7}, 5: {0, 2}})
    program.function("callee", "const 1 5\nnop\nret", 4, parameters=1, live={1: {0}, 2: set()})
    machine = Machine(program.image())
    for _ in range(5):
        machine.run(0, Mode.STEP_INSTRUCTION)
    callee, caller = machine.stack(0)
    assert callee.slots == (4, 0, 0, 0)
    assert caller.slots[:5] == (1, 0, 0, 0, 0)
    machine.run(0, Mode.STEP_INSTRUCTION)
    assert machine.stack(0)[0].slots == (4, 0, 0, 0)
    machine.run(0, Mode.STEP_INSTRUCTION)
    assert machine.stack(0)[0].slots == (0, 0, 0, 0)
    machine.run(0, Mode.STEP_INSTRUCTION)
    assert machine.stack(0)[0].slots == (1, 0, 0, 0, 0, 0, 0, 0, 0)


def test_unpacking_restores_the_whole_state() -> None:
    text = ALLOCATE.format(size=1000) + "alloc 3 1 2\nstorei32 3 0 500 6\nalloca 4 0 50\nstorei8 4 0 0 1\nchoose 0 0\n"
    program = Assembler()
    program.variable("word", struct.pack("<4I", 1, 2, 3, 4))
    program.function("main", text + "free 3\nconst 5 @word\nstorei32 5 0 0 9\nalloc 3 0 2\nchoose 0 0\nabort")
    machine = Machine(program.image(), Limits(2, 1 << 16, 256, 256, 1 << 12, 64))
    initial = bytes(machine.state())
    machine.run(0)
    whole, packed = bytes(machine.state()), machine.pack()
    assert len(packed) < len(whole)
    machine.run(0, choice=1000)
    later = bytes(machine.state())
    assert later != whole
    machine.unpack(packed)
    assert bytes(machine.state()) == whole
    machine.run(0, choice=1000)
    assert bytes(machine.state()) == later
    machine.reset()
    assert bytes(machine.state()) == initial
    with pytest.raises(ImageError):
        machine.unpack(packed + b"\0")
    assert bytes(machine.state()) == initial


def test_limits_have_defaults_and_bounds() -> None:
    program = Assembler()
    program.function("main", "abort")
    assert Machine(program.image()).limits.max_threads == 8
    assert Machine(program.image(), Limits(max_threads=64)).limits.max_threads == 64
    for wrong in (
        Limits(max_threads=65),
        Limits(heap_bytes=-1),
        Limits(stack_slots=1 << 30),
        Limits(heap_bytes=1 << 40),
    ):
        with pytest.raises(ImageError):
            Machine(program.image(), wrong)
