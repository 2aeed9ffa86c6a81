# SPDX-License-Identifier: Apache-2.0
"""Integer and floating-point instructions of the machine against Python's own arithmetic, on awkward operands."""

from __future__ import annotations

import math
import struct
from itertools import product

import pytest
from assembler import Assembler

from pancam.vm.machine import Machine, Stop

M64 = (1 << 64) - 1
M128 = (1 << 128) - 1
WIDTHS = (8, 16, 32, 64)
OUT = "out"


def signed(value: int, width: int) -> int:
    value &= (1 << width) - 1
    return value - (1 << width) if value >> (width - 1) else value


def awkward(width: int) -> list[int]:
    top = 1 << (width - 1)
    return [0, 1, 2, 7, top - 1, top, top + 1, (1 << width) - 1, 0x5A & ((1 << width) - 1)]


def compute(instruction: str, inputs: list[tuple[int, ...]], results: int = 1, pointer_bits: int = 64) -> list[int]:
    """Run `instruction` (result in slot 0, inputs from slot 4 on) for each tuple of inputs; all result slots."""
    lines = []
    for number, values in enumerate(inputs):
        lines += [f"const {4 + i} {value & M64}" for i, value in enumerate(values)]
        lines.append(instruction)
        lines += [f"storea64 {slot} 0 @{OUT}+{8 * (number * results + slot)}" for slot in range(results)]
    program = Assembler(pointer_bits)
    program.variable(OUT, bytes(8 * results * len(inputs)))
    program.function("main", "\n".join([*lines, "abort"]), slots=12)
    machine = Machine(program.image())
    assert machine.run(0) == Stop.ABORTED
    count = results * len(inputs)
    data = machine.read_memory(machine.static_pointer(0), 8 * count)
    assert data is not None
    return list(struct.unpack(f"<{count}Q", data))


def wide(value: int) -> tuple[int, int]:
    return value & M64, value >> 64 & M64


def pairs_of(slots: list[int]) -> list[int]:
    return [low | high << 64 for low, high in zip(slots[::2], slots[1::2], strict=True)]


def truncated_quotient(b: int, c: int) -> int:
    return abs(b) // abs(c) * (1 if (b < 0) == (c < 0) else -1)


BINARY = {
    "ADD": lambda b, c, w: b + c,
    "SUB": lambda b, c, w: b - c,
    "MUL": lambda b, c, w: b * c,
    "SHL": lambda b, c, w: b << c if c < w else 0,
    "LSHR": lambda b, c, w: b >> c if c < w else 0,
    "ASHR": lambda b, c, w: signed(b, w) >> min(c, w - 1),
    "SLT": lambda b, c, w: signed(b, w) < signed(c, w),
    "SLE": lambda b, c, w: signed(b, w) <= signed(c, w),
}
IMMEDIATE = {
    "ADDI": "ADD",
    "MULI": "MUL",
    "SHLI": "SHL",
    "LSHRI": "LSHR",
    "ASHRI": "ASHR",
    "SLTI": "SLT",
}
DIVISIONS = {
    "UDIV": lambda b, c, w: b // c,
    "UREM": lambda b, c, w: b % c,
    "SDIV": lambda b, c, w: truncated_quotient(signed(b, w), signed(c, w)),
    "SREM": lambda b, c, w: signed(b, w) - truncated_quotient(signed(b, w), signed(c, w)) * signed(c, w),
}
FULL_WIDTH = {
    "AND": lambda b, c: b & c,
    "OR": lambda b, c: b | c,
    "XOR": lambda b, c: b ^ c,
    "EQ": lambda b, c: b == c,
    "NE": lambda b, c: b != c,
    "ULT": lambda b, c: b < c,
    "ULE": lambda b, c: b <= c,
}
FULL_WIDTH_IMMEDIATE = {
    "ANDI": lambda b, c: b & c,
    "ORI": lambda b, c: b | c,
    "XORI": lambda b, c: b ^ c,
    "EQI": lambda b, c: b == c,
    "NEI": lambda b, c: b != c,
    "ULTI": lambda b, c: b < c,
    "UGTI": lambda b, c: b > c,
}


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", BINARY)
def test_binary_operations_wrap_at_their_width(name: str, width: int) -> None:
    inputs = list(product(awkward(width), repeat=2))
    expected = [int(BINARY[name](b, c, width)) & ((1 << width) - 1) for b, c in inputs]
    assert compute(f"{name}{width} 0 4 5", inputs) == expected


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", IMMEDIATE)
def test_immediate_forms_do_as_the_plain_ones(name: str, width: int) -> None:
    for c in (0, 1, 5, (1 << width) - 1):
        inputs = [(b,) for b in awkward(width)]
        expected = [int(BINARY[IMMEDIATE[name]](b, c, width)) & ((1 << width) - 1) for (b,) in inputs]
        assert compute(f"{name}{width} 0 4 {c}", inputs) == expected


@pytest.mark.parametrize("width", WIDTHS)
def test_signed_greater_than_an_immediate(width: int) -> None:
    inputs = [(b,) for b in awkward(width)]
    expected = [int(signed(b, width) > -1) for (b,) in inputs]
    assert compute(f"SGTI{width} 0 4 -1", inputs) == expected


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", DIVISIONS)
def test_divisions(name: str, width: int) -> None:
    overflow = (1 << (width - 1), (1 << width) - 1)
    inputs = [(b, c) for b, c in product(awkward(width), repeat=2) if c and (name[0] == "U" or (b, c) != overflow)]
    expected = [DIVISIONS[name](b, c, width) & ((1 << width) - 1) for b, c in inputs]
    assert compute(f"{name}{width} 0 4 5", inputs) == expected


@pytest.mark.parametrize("name", FULL_WIDTH)
def test_operations_without_a_width(name: str) -> None:
    inputs = list(product(awkward(64), repeat=2))
    assert compute(f"{name} 0 4 5", inputs) == [int(FULL_WIDTH[name](b, c)) for b, c in inputs]


@pytest.mark.parametrize("name", FULL_WIDTH_IMMEDIATE)
def test_immediates_without_a_width(name: str) -> None:
    for c in (0, 1, 1 << 63, M64):
        inputs = [(b,) for b in awkward(64)]
        assert compute(f"{name} 0 4 {c}", inputs) == [int(FULL_WIDTH_IMMEDIATE[name](b, c)) for (b,) in inputs]


def test_moves_selects_and_extensions() -> None:
    assert compute("mov 0 4", [(5,)]) == [5]
    assert compute("nop\nselect 0 4 5 6", [(1, 10, 20), (0, 10, 20)]) == [10, 20]
    assert compute("sext 0 4 8 32", [(0x80,), (0x7F,)]) == [0xFFFFFF80, 0x7F]
    assert compute("sext 0 4 1 64", [(1,), (2,)]) == [M64, 0]


def test_lea_wraps_at_the_width_of_pointers() -> None:
    assert compute("leai 0 48 5 1000", [(0, 3)]) == [1144]
    assert compute("leai 0 1 5 0xfffffffe", [(0, 1), (0, 3)], pointer_bits=32) == [0xFFFFFFFF, 1]
    assert compute("lea 0 4 5 -4 8", [(100, 3)]) == [96]
    assert compute("lea 0 4 5 1 0", [(1, M64 - 1)]) == [M64]
    assert compute("lea 0 4 5 1 0", [(1, 0xFFFFFFFE), (2, 0xFFFFFFFF)], pointer_bits=32) == [0xFFFFFFFF, 1]


@pytest.mark.parametrize("width", [1, 8, 13, 32, 64])
def test_bit_counts(width: int) -> None:
    values = sorted({v & ((1 << width) - 1) for v in awkward(64) + awkward(8)})
    inputs = [(v,) for v in values]
    texts = [f"{v:0{width}b}" for v in values]
    assert compute(f"ctpop 0 4 0 {width}", inputs) == [t.count("1") for t in texts]
    assert compute(f"ctlz 0 4 0 {width}", inputs) == [len(t) - len(t.lstrip("0")) for t in texts]
    assert compute(f"cttz 0 4 0 {width}", inputs) == [len(t) - len(t.rstrip("0")) for t in texts]
    assert compute(f"bitrev 0 4 0 {width}", inputs) == [int(t[::-1], 2) for t in texts]


def test_byte_swap() -> None:
    assert compute("bswap 0 4 0 32", [(0x01020304,)]) == [0x04030201]
    assert compute("bswap 0 4 0 16", [(0x0102,)]) == [0x0201]


CHECKED = {
    "CHECKED_SADD": (lambda b, c: b + c, True),
    "CHECKED_UADD": (lambda b, c: b + c, False),
    "CHECKED_SSUB": (lambda b, c: b - c, True),
    "CHECKED_USUB": (lambda b, c: b - c, False),
    "CHECKED_SMUL": (lambda b, c: b * c, True),
    "CHECKED_UMUL": (lambda b, c: b * c, False),
}


def bounds(width: int, *, is_signed: bool) -> tuple[int, int]:
    return (-(1 << (width - 1)), (1 << (width - 1)) - 1) if is_signed else (0, (1 << width) - 1)


@pytest.mark.parametrize("width", [1, 8, 33, 64])
@pytest.mark.parametrize("name", CHECKED)
def test_checked_and_saturated_operations(name: str, width: int) -> None:
    operation, is_signed = CHECKED[name]
    inputs = list(product(sorted({v & ((1 << width) - 1) for v in awkward(width)}), repeat=2))
    lowest, highest = bounds(width, is_signed=is_signed)
    exact = [operation(signed(b, width), signed(c, width)) if is_signed else operation(b, c) for b, c in inputs]
    expected = [v for e in exact for v in (e & ((1 << width) - 1), int(not lowest <= e <= highest))]
    assert compute(f"overflow 0 4 5 {name} {width}", inputs, 2) == expected
    clamped = [max(lowest, min(highest, e)) & ((1 << width) - 1) for e in exact]
    assert compute(f"saturate 0 4 5 {name} {width}", inputs) == clamped


def test_saturated_shifts() -> None:
    assert compute("saturate 0 4 5 CHECKED_SSHL 8", [(0x40, 1), (0x80, 1), (3, 2), (0xFF, 7)]) == [0x7F, 0x80, 12, 0x80]
    assert compute("saturate 0 4 5 CHECKED_USHL 64", [(1, 63), (2, 63), (0, 63)]) == [1 << 63, M64, 0]


WIDE_VALUES = [0, 1, 3, M64, 1 << 64, (1 << 127) - 1, 1 << 127, M128, 0x123456789ABCDEF0FEDCBA98]
WIDE = {
    "ADD128": lambda b, c: b + c,
    "SUB128": lambda b, c: b - c,
    "MUL128": lambda b, c: b * c,
    "UDIV128": lambda b, c: b // c,
    "UREM128": lambda b, c: b % c,
    "SDIV128": lambda b, c: truncated_quotient(signed(b, 128), signed(c, 128)),
    "SREM128": lambda b, c: signed(b, 128) - truncated_quotient(signed(b, 128), signed(c, 128)) * signed(c, 128),
}


@pytest.mark.parametrize("name", WIDE)
def test_wide_arithmetic(name: str) -> None:
    cases = [(b, c) for b, c in product(WIDE_VALUES, repeat=2) if c and not (b == 1 << 127 and c == M128)]
    inputs = [(*wide(b), *wide(c)) for b, c in cases]
    assert pairs_of(compute(f"{name} 0 4 6", inputs, 2)) == [WIDE[name](b, c) & M128 for b, c in cases]


def test_wide_shifts_and_comparisons() -> None:
    cases = list(product(WIDE_VALUES, [0, 1, 63, 64, 127, 128, M64]))
    inputs = [(*wide(b), count) for b, count in cases]
    assert pairs_of(compute("shl128 0 4 6", inputs, 2)) == [b << c & M128 if c < 128 else 0 for b, c in cases]
    assert pairs_of(compute("lshr128 0 4 6", inputs, 2)) == [b >> c if c < 128 else 0 for b, c in cases]
    expected = [signed(b, 128) >> min(c, 127) & M128 for b, c in cases]
    assert pairs_of(compute("ashr128 0 4 6", inputs, 2)) == expected
    both = list(product(WIDE_VALUES, repeat=2))
    inputs = [(*wide(b), *wide(c)) for b, c in both]
    assert compute("ult128 0 4 6", inputs) == [int(b < c) for b, c in both]
    assert compute("slt128 0 4 6", inputs) == [int(signed(b, 128) < signed(c, 128)) for b, c in both]


@pytest.mark.parametrize("name", CHECKED)
def test_wide_checked_operations(name: str) -> None:
    operation, is_signed = CHECKED[name]
    cases = list(product(WIDE_VALUES, repeat=2))
    slots = compute(f"overflow128 0 4 6 {name}", [(*wide(b), *wide(c)) for b, c in cases], 3)
    lowest, highest = bounds(128, is_signed=is_signed)
    for (b, c), low, high, overflow in zip(cases, slots[::3], slots[1::3], slots[2::3], strict=True):
        exact = operation(signed(b, 128), signed(c, 128)) if is_signed else operation(b, c)
        assert (low | high << 64, overflow) == (exact & M128, int(not lowest <= exact <= highest)), (b, c)


def double(value: float) -> int:
    return int(struct.unpack("<Q", struct.pack("<d", value))[0])


def single(value: float) -> int:
    return int(struct.unpack("<I", struct.pack("<f", value))[0])


def as_double(bits: int) -> float:
    return float(struct.unpack("<d", struct.pack("<Q", bits))[0])


FLOATS = [0.0, 1.5, -2.25, 1e30, 0.5, math.inf]
FLOAT_OPERATIONS = {
    "FADD": lambda b, c: b + c,
    "FSUB": lambda b, c: b - c,
    "FMUL": lambda b, c: b * c,
    "FDIV": lambda b, c: b / c,
    "FREM": math.fmod,
}


@pytest.mark.parametrize("name", FLOAT_OPERATIONS)
def test_float_arithmetic(name: str) -> None:
    pairs = [(b, c) for b, c in product(FLOATS, repeat=2) if c and math.inf not in (b, c)]
    results = [FLOAT_OPERATIONS[name](b, c) for b, c in pairs]
    assert compute(f"{name}64 0 4 5", [(double(b), double(c)) for b, c in pairs]) == [double(r) for r in results]
    small = [(b, c) for b, c in pairs if 1e30 not in (b, c)]
    expected = [single(FLOAT_OPERATIONS[name](b, c)) for b, c in small]
    assert compute(f"{name}32 0 4 5", [(single(b), single(c)) for b, c in small]) == expected
    through_80 = f"fto80 0 4 64\nfto80 2 5 64\n{name}80 0 0 2\nffrom80 0 0 0 64"
    assert compute(through_80, [(double(b), double(c)) for b, c in small]) == [
        double(FLOAT_OPERATIONS[name](b, c)) for b, c in small
    ]


def test_negation_of_fp80() -> None:
    assert compute("fto80 0 4 64\nfneg80 0 0\nffrom80 0 0 0 32", [(double(1.5),)]) == [single(-1.5)]


PREDICATES = {"FALSE": "", "OEQ": "=", "OGT": ">", "OGE": ">=", "OLT": "<", "OLE": "<=", "ONE": "<>", "ORD": "<=>"}
PREDICATES |= {"UNO": "?", "UEQ": "?=", "UGT": "?>", "UGE": "?>=", "ULT": "?<", "ULE": "?<=", "UNE": "?<>"}
PREDICATES |= {"TRUE": "?<=>"}


@pytest.mark.parametrize("name", PREDICATES)
def test_float_comparisons(name: str) -> None:
    cases = [(1.0, 1.0), (2.0, 1.0), (1.0, 2.0), (math.nan, 1.0)]
    expected = [int(relation in PREDICATES[name]) for relation in "=><?"]
    assert compute(f"fcmp64 0 4 5 FCMP_{name}", [(double(b), double(c)) for b, c in cases]) == expected
    assert compute(f"fcmp32 0 4 5 FCMP_{name}", [(single(b), single(c)) for b, c in cases]) == expected
    through_80 = f"fto80 0 4 64\nfto80 2 5 64\nfcmp80 0 0 2 FCMP_{name}"
    assert compute(through_80, [(double(b), double(c)) for b, c in cases]) == expected


def test_mathematical_functions() -> None:
    assert compute("math 0 4 4 sqrt", [(double(2.0),)]) == [double(math.sqrt(2.0))]
    assert compute("math 0 4 4 floorf", [(single(-1.5),)]) == [single(-2.0)]
    assert compute("math 0 4 5 pow", [(double(2.0), double(10.0))]) == [double(1024.0)]
    assert compute("math 0 4 4 roundeven", [(double(2.5),)]) == [double(2.0)]
    through_80 = "fto80 0 4 64\nfto80 2 5 64\nmath80 0 0 2 copysignl\nffrom80 0 0 0 64"
    assert compute(through_80, [(double(3.0), double(-1.0))]) == [double(-3.0)]
    assert compute("fma64 0 4 5 6", [(double(2.0), double(3.0), double(4.0))]) == [double(10.0)]
    assert compute("fma32 0 4 5 6", [(single(2.0), single(3.0), single(4.0))]) == [single(10.0)]


def test_conversions_between_kinds() -> None:
    assert compute("ftof 0 4 32 64", [(single(1.5),)]) == [double(1.5)]
    assert compute("ftof 0 4 64 32", [(double(0.1),)]) == [single(0.1)]
    assert compute("stof 0 4 8 64", [(0xFF,)]) == [double(-1.0)]
    assert compute("utof 0 4 8 32", [(0xFF,)]) == [single(255.0)]
    assert compute("utof 0 4 64 64", [(M64,)]) == [double(2.0**64)]
    assert compute("stof80 0 4 64\nffrom80 0 0 0 64", [(1 << 63,)]) == [double(-(2.0**63))]
    assert compute("utof80 0 4 64\nffrom80 0 0 0 64", [(1 << 63,)]) == [double(2.0**63)]


@pytest.mark.parametrize("value", [0.0, -0.9, 1.5, -1.0, 127.9, 128.0, -128.5, -129.0, 255.5, 256.0, 1e300, math.nan])
def test_conversions_to_integers_cut_and_give_zero_out_of_range(value: float) -> None:
    whole = 0 if math.isnan(value) else int(value)
    as_signed = whole & 0xFF if -128 <= whole <= 127 else 0
    as_unsigned = whole if 0 <= whole <= 255 else 0
    bits = [(double(value),)]
    assert compute("ftos 0 4 64 8", bits) == [as_signed]
    assert compute("ftou 0 4 64 8", bits) == [as_unsigned]
    assert compute("fto80 0 4 64\nf80tos 0 0 0 8", bits) == [as_signed]
    assert compute("fto80 0 4 64\nf80tou 0 0 0 8", bits) == [as_unsigned]


def test_conversions_of_wide_integers() -> None:
    for value in (0, -5, 1 << 100, -(1 << 127)):
        assert compute("s128tof 0 4 0 64", [wide(value)], 2) == [double(float(value)), 0]
        assert pairs_of(compute("ftos128 0 4 64 0", [(double(float(value)), 0)], 2)) == [value & M128]
    assert compute("u128tof 0 4 0 32", [wide(1 << 127)], 2) == [single(2.0**127), 0]
    assert pairs_of(compute("u128tof 0 4 0 80\nftou128 0 0 80", [wide(1 << 127)], 2)) == [1 << 127]
    assert pairs_of(compute("ftou128 0 4 64", [(double(-1.0), 0), (double(2.0**128), 0)], 2)) == [0, 0]
