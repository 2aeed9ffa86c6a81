# SPDX-License-Identifier: Apache-2.0
"""Python and the compiled machine mean the same: opcodes, faults, numbers, and the shape of every record."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pancam.vm._machine import ffi, lib

from pancam import isa
from pancam.bytecode import image
from pancam.vm import compiled


def test_the_machine_has_the_same_opcodes_in_the_same_order() -> None:
    assert compiled.opcode_names() == [opcode.name for opcode in isa.OPCODE_LIST]
    assert [opcode.number for opcode in isa.OPCODE_LIST] == list(range(len(isa.OPCODE_LIST)))


def test_the_same_opcodes_are_visible() -> None:
    visible = {opcode.name for opcode in isa.OPCODE_LIST if opcode.visible}
    assert compiled.visible_opcodes() == visible
    assert {"LOAD32", "STOREA64", "AWAIT", "CMPXCHG8"} <= visible
    assert not {"ADD32", "JMP", "ALLOCA"} & visible


def test_the_same_faults_have_the_same_words() -> None:
    assert compiled.fault_kinds() == [(name, text) for name, (_, text) in isa.faults().items()]
    assert [number for number, _ in isa.faults().values()] == list(range(len(isa.faults())))


def test_the_same_functions_of_math() -> None:
    """A function of math.def is three: of double, float and long double, in this order."""
    names = compiled.math_names()
    expected = {name + suffix: 3 * i + k for i, name in enumerate(names) for k, suffix in enumerate(("", "f", "l"))}
    assert {name: number for name, (number, _) in isa.math_functions().items()} == expected


def test_the_same_numbers_have_the_same_names() -> None:
    numbers = isa.constants()
    assert {name: int(getattr(lib, name)) for name in numbers} == numbers
    assert len(numbers) > 60


@pytest.mark.parametrize(
    ("record", "name"),
    [
        (image.INSTRUCTION, "VmInstr"),
        (image.FUNCTION, "VmFunction"),
        (image.OBJECT, "VmStaticObject"),
        (image.OBJECT, "VmThreadLocal"),
        (image.TABLE, "VmTable"),
        (image.TARGET, "VmTarget"),
        (image.SECTION, "VmSection"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_records_have_the_size_and_the_offsets_of_their_c_struct(record: image.struct.Struct, name: str) -> None:
    assert record.size == ffi.sizeof(name)
    sizes = {"H": 2, "I": 4, "Q": 8}
    offset, expected = 0, []
    for letter in expanded(record.format):
        expected.append((offset, sizes[letter]))
        offset += sizes[letter]
    fields = [(field.offset, ffi.sizeof(field.type)) for _, field in ffi.typeof(name).fields]
    assert fields == expected


def expanded(format_: str) -> Iterator[str]:
    """The letters of a format, a count before a letter spelled out."""
    count = ""
    for letter in format_.lstrip("<"):
        if letter.isdigit():
            count += letter
        else:
            yield from letter * int(count or 1)
            count = ""


def test_the_header_has_the_size_of_its_c_struct() -> None:
    sections = isa.constants()["SECTION_COUNT"]
    assert image.HEADER.size == ffi.offsetof("VmImageHeader", "sections")
    assert image.HEADER.size + sections * image.SECTION.size == ffi.sizeof("VmImageHeader")
    assert ffi.offsetof("VmImageHeader", "checksum") == 8


@pytest.mark.parametrize(
    "row",
    [
        'OP(ADD, D, S, S, NONE, LOCAL, "unfinished"',
        'OP(ADD, D, S, NONE, LOCAL, "an operand is missing")',
        'OP(ADD, D, S, S, NONE, SECRET, "unknown visibility")',
        'OP(ADD, D, S, Q, NONE, LOCAL, "unknown operand")',
        'OP(ADD, D, S, S, WHAT, LOCAL, "unknown immediate")',
        'OPX(ADD, D, S, S, NONE, LOCAL, "unknown macro")',
    ],
)
def test_a_malformed_row_is_refused_with_its_line(row: str) -> None:
    with pytest.raises(isa.TableError, match=r"^opcodes\.def:7: "):
        isa.parse_opcodes(iter([(7, row)]))


def test_an_opcode_that_is_defined_twice_is_refused() -> None:
    row = 'OP(ADD32, D, S, S, NONE, LOCAL, "twice")'
    with pytest.raises(isa.TableError, match=r"^opcodes\.def:2: ADD32 is defined twice"):
        isa.parse_opcodes(iter([(1, row.replace("OP(ADD32", "OPW(ADD")), (2, row)]))
