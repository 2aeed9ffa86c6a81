# SPDX-License-Identifier: Apache-2.0
"""The machine's memory on hand-assembled images: accesses, objects, faults, output, setjmp."""

from __future__ import annotations

import struct

import pytest
from assembler import Assembler

from pancam.vm.machine import Limits, Machine, ObjectKind, Status, Stop


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


def fault_of(text: str, pointer_bits: int = 64, **objects: bytes) -> str:
    machine = run(text + "\nabort", pointer_bits, **objects)
    assert machine.fault is not None
    return machine.fault.kind


@pytest.mark.parametrize("pointer_bits", [64, 32])
@pytest.mark.parametrize("width", [8, 16, 32, 64])
def test_loads_and_stores(width: int, pointer_bits: int) -> None:
    mask = (1 << width) - 1
    slots = slots_after(
        f"""
          const 1 @data
          const 2 0x1122334455667788
          store{width} 2 1 0 3
          load{width} 0 1 1 3
          storei{width} 1 0 16 -2
          loada{width} 3 0 @data+16
          storea{width} 2 2 @data+32
          loada64 4 0 @data+32
        """,
        pointer_bits,
        data=bytes(48),
    )
    assert slots[0] == 0x1122334455667788 & mask
    assert slots[3] == -2 & mask
    assert slots[4] == 0x1122334455667788 & mask


RMW = {
    "XCHG": (5, 7, 7),
    "ADD": (0xFF, 2, 1),
    "SUB": (1, 2, 0xFF),
    "AND": (6, 3, 2),
    "NAND": (6, 3, 0xFD),
    "OR": (6, 1, 7),
    "XOR": (6, 3, 5),
    "MAX": (0xFF, 1, 1),
    "MIN": (0xFF, 1, 0xFF),
    "UMAX": (0xFF, 1, 0xFF),
    "UMIN": (0xFF, 1, 1),
    "UINC_WRAP": (5, 5, 0),
    "UDEC_WRAP": (0, 5, 5),
}


@pytest.mark.parametrize("operation", RMW)
def test_atomic_updates(operation: str) -> None:
    old, operand, new = RMW[operation]
    text = f"const 1 @data\nconst 2 {operand}\nrmw8 0 1 2 RMW_{operation}\nload8 3 1 0 0"
    slots = slots_after(text, data=bytes([old]))
    assert (slots[0], slots[3]) == (old, new)


@pytest.mark.parametrize(("operation", "new"), [("FADD", 3.75), ("FSUB", -0.75), ("FMAX", 2.25), ("FMIN", 1.5)])
def test_atomic_updates_of_floats(operation: str, new: float) -> None:
    operand = struct.unpack("<Q", struct.pack("<d", 2.25))[0]
    text = f"const 1 @data\nconst 2 {operand}\nrmw64 0 1 2 RMW_{operation}\nload64 3 1 0 0"
    assert slots_after(text, data=struct.pack("<d", 1.5))[3] == struct.unpack("<Q", struct.pack("<d", new))[0]


def test_compare_and_exchange() -> None:
    text = "const 1 @data\nconst 4 {}\nconst 5 9\ncmpxchg32 2 1 4\nload32 6 1 0 0"
    assert slots_after(text.format(7), data=struct.pack("<I", 7))[2:7] == (7, 1, 7, 9, 9)
    assert slots_after(text.format(8), data=struct.pack("<I", 7))[2:7] == (7, 0, 8, 9, 7)


@pytest.mark.parametrize("pointer_bits", [64, 32])
@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("load8 0 1 0 0", "NULL_POINTER"),
        ("load8 0 1 0 12", "NULL_POINTER"),
        ("const 1 -16\nload8 0 1 0 0", "WILD_POINTER"),
        ("const 1 @data\nload64 0 1 0 1", "OUT_OF_BOUNDS"),
        ("const 1 @data\nload8 0 1 0 8", "OUT_OF_BOUNDS"),
        ("const 1 @data\nstore32 0 1 0 6", "OUT_OF_BOUNDS"),
        ("const 1 @const_data\nload8 0 1 0 3\nstore8 0 1 0 3", "WRITE_CONST"),
        ("const 1 @const_data\nrmw32 0 1 2 RMW_ADD", "WRITE_CONST"),
        ("const 1 &main\nload8 0 1 0 0", "DATA_ACCESS_TO_CODE"),
        ("const 1 %here\nhere:\nstorei8 1 0 0 0", "DATA_ACCESS_TO_CODE"),
        ("const 2 8\nconst 3 16\nalloc 1 2 3\nfree 1\nload8 0 1 0 0", "USE_AFTER_FREE"),
        ("stacksave 2\nalloca 1 0 8\nstackrest 2\nload8 0 1 0 0", "USE_AFTER_RETURN"),
        ("const 2 8\nconst 3 16\nalloc 1 2 3\nfree 1\nfree 1", "DOUBLE_FREE"),
        ("const 2 8\nconst 3 16\nalloc 1 2 3\naddi64 1 1 1\nfree 1", "INVALID_FREE"),
        ("const 1 @data\nfree 1", "INVALID_FREE"),
        ("objsize 0 1", "INVALID_FREE"),
        ("const 2 8\nconst 3 3\nalloc 1 2 3", "LIBRARY_MISUSE"),
        ("const 2 0x7fffffff\nconst 3 1\nalloc 1 2 3", "HEAP_LIMIT"),
        ("const 2 0x7fffffff\nallocav 1 2 0", "STACK_LIMIT"),
        ("const 1 @data\nclear 1", "WILD_POINTER"),
        ("const 1 5\nconst 2 0\nsdiv32 0 1 2", "DIV_ZERO"),
        ("const 1 0x80\nconst 2 0xff\nsrem8 0 1 2", "DIV_OVERFLOW"),
        ("const 1 5\nudiv64 0 1 2", "DIV_ZERO"),
        ("urem128 4 4 6", "DIV_ZERO"),
        ("const 1 5\ntrapv 1 1 INDEX_BOUNDS 0", "INDEX_BOUNDS"),
        ("trap UNREACHABLE", "UNREACHABLE"),
        ("const 1 1\nfault 1 2", "ASSERT"),
        ("const 1 1000\nfault 1 2", "LIBRARY_MISUSE"),
        ("atomic_end", "ATOMIC_MISUSE"),
        ("const 3 1\noutput 0 1 3", "NULL_POINTER"),
        ("await 0 1 2 AWAIT_NOT", "NULL_POINTER"),
        ("longjmp 1 2", "NULL_POINTER"),
        ("const 1 @jump\nlongjmp 1 2", "BAD_JUMP"),
        ("const 1 @const_data\nsetjmp 0 1", "WRITE_CONST"),
    ],
)
def test_faults(text: str, kind: str, pointer_bits: int) -> None:
    machine = run(text + "\nabort", pointer_bits, data=bytes(8), jump=bytes(20), const_data=bytes(20))
    assert machine.fault is not None
    assert (machine.fault.kind, machine.fault.thread) == (kind, 0)
    assert machine.pc(0) == machine.fault.pc
    assert machine.run(0) == Stop.FAULT


def test_a_fault_tells_pointer_and_size() -> None:
    machine = run("const 1 @data\nload32 0 1 0 6\nabort", data=bytes(8))
    assert machine.fault is not None
    assert machine.fault.detail == (machine.static_pointer(0) + 6, 4)


def test_stack_objects_live_as_long_as_their_frame() -> None:
    program = Assembler()
    program.function("main", "call 0 2 local\nload8 1 0 0 0\nabort")
    program.function("local", "alloca 0 4 100\nstorei8 0 0 99 5\nretv 0", 4, results=1)
    machine = Machine(program.image())
    machine.run(0)
    assert machine.fault is not None
    assert machine.fault.kind == "USE_AFTER_RETURN"


def test_clear_zeroes_a_stack_object() -> None:
    assert slots_after("alloca 1 0 8\nstorei64 1 0 0 -1\nclear 1\nload64 0 1 0 0")[0] == 0


def test_stack_objects_of_variable_size() -> None:
    slots = slots_after("const 2 24\nstacksave 5\nallocav 1 2 3\nstorei64 1 0 16 7\nload64 0 1 0 16\nstackrest 5")
    assert slots[0] == 7


@pytest.mark.parametrize("pointer_bits", [64, 32])
def test_objects_above_64_kib(pointer_bits: int) -> None:
    size = 200_000
    text = f"""
      const 1 @big
      addi64 1 1 70000
      storei32 1 0 0 11
      load32 0 1 0 0
      const 2 {size}
      const 3 16
      alloc 4 2 3
      addi64 5 4 131070
      storei64 5 0 0 -1
      load64 6 5 0 0
      objsize 7 4
      alloca 8 0 {size}
      addi64 9 8 {size - 1}
      storei8 9 0 0 3
      load8 10 9 0 0
      free 4
      load8 11 4 0 0
    """
    machine = run(text + "\nabort", pointer_bits, big=bytes(size))
    slots = machine.stack(0)[0].slots
    assert (slots[0], slots[6], slots[7], slots[10]) == (11, (1 << 64) - 1, size, 3)
    assert machine.fault is not None
    assert machine.fault.kind == "USE_AFTER_FREE"
    info = machine.object_info(slots[9])
    assert info is not None
    assert (info.kind, info.size, info.offset, info.owner) == (ObjectKind.STACK, size, size - 1, 0)
    assert fault_of(f"const 1 @big\naddi64 1 1 {size}\nload8 0 1 0 0", pointer_bits, big=bytes(size)) == "OUT_OF_BOUNDS"


def test_output_reaches_the_callback() -> None:
    seen: list[tuple[int, bytes]] = []
    machine = Machine(assembled("const 1 1\nconst 2 @words\nconst 3 2\noutput 1 2 3\nabort", words=b"hi there").image())
    machine.set_output(lambda descriptor, data: seen.append((descriptor, data)))
    machine.run(0)
    assert seen == [(1, b"hi")]


def test_exit_status_and_strings() -> None:
    machine = run("const 0 -3\nexit 0", words=b"hello\0")
    assert (machine.status, machine.exit_status) == (Status.EXITED, -3)
    assert machine.read_string(machine.static_pointer(0)) == b"hello"
    assert machine.read_memory(machine.static_pointer(0), 7) is None
    assert machine.object_info(1 << 60) is None


def test_assume_prunes() -> None:
    assert run("const 0 1\nassume 0\nassume 1\nabort").status == Status.PRUNED


def test_setjmp_returns_twice() -> None:
    program = Assembler()
    program.variable("place", bytes(20))
    main = "const 1 @place\nsetjmp 0 1\njeqi 0 first 0\nabort\nfirst:\ncall - 2 leave\ntrap UNREACHABLE"
    program.function("main", main, 6)
    program.function("leave", "alloca 2 0 64\ncall - 3 jump\ntrap UNREACHABLE", 8)
    program.function("jump", "const 0 @place\nlongjmp 0 1", 8)
    machine = Machine(program.image())
    assert machine.run(0) == Stop.ABORTED
    assert [frame.slots for frame in machine.stack(0)] == [(1, machine.static_pointer(0), 0, 0, 0, 0)]


def test_a_place_whose_frame_is_gone_is_no_target() -> None:
    program = Assembler()
    program.variable("place", bytes(20))
    program.function("main", "call - 0 remember\nconst 0 @place\nlongjmp 0 1", 6)
    program.function("remember", "const 1 @place\nsetjmp 0 1\nret", 4)
    machine = Machine(program.image())
    machine.run(0)
    assert machine.fault is not None
    assert machine.fault.kind == "BAD_JUMP"
