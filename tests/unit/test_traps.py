# SPDX-License-Identifier: Apache-2.0
"""Arithmetic and array indices that Clang checks: faults with their numbers, at every level of optimisation."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from pancam.bytecode.program import Program
from pancam.bytecode.program_file import with_arguments
from pancam.explain.situation import Situation
from pancam.frontend.clang import BOUNDS_CHECKS, DIVISION_CHECKS, OVERFLOW_CHECKS, CompileOptions
from pancam.pipeline import BuildOptions, Timings, build_program
from pancam.vm.machine import Machine, Stop

# The volatile variable keeps the optimiser from knowing operands; where it is not used, everything can be folded.
PROGRAM = r"""
#include <limits.h>
#include <stdlib.h>
struct tail { int count; int items[]; };
struct hack { int count; int items[1]; };
struct inner { int a[4]; int after; } global;
int matrix[3][4];
volatile int one = 1;
static int element(struct inner *p, int i) { return p->a[i]; }
int main(int argc, char **argv) {
    int most = INT_MAX, least = INT_MIN, n = one, unused;
    short small = SHRT_MAX;
    unsigned u = UINT_MAX;
    long long wide = LLONG_MAX;
    switch (atoi(argv[1])) {
    case 0: return element(&global, 4 * n);
    case 1: return matrix[n][4 * n];
    case 2: return element(&global, -n);
    case 3: { int *end = &matrix[n][4 * n]; return end == matrix[0]; }
    case 4: { struct tail *t = malloc(sizeof *t + 8); t->items[n] = 0; return t->items[n]; }
    case 5: { struct hack *t = malloc(sizeof *t + 8); t->items[n] = 0; return t->items[n]; }
    case 10: unused = most + n; return 0;
    case 11: most++; return 0;
    case 12: unused = -least; return 0;
    case 13: unused = least - n; return 0;
    case 14: unused = most * 2 * n; return 0;
    case 15: unused = INT_MAX + 1; return 0;
    case 16: wide += n; return 0;
    case 17: small++; small--; return 0;
    case 18: u += 2u; u *= 2u; return 0;
    case 20: return 1 << 31 * n;
    case 21: return n << 40 * n;
    case 22: return n >> -n;
    case 23: return (int)(1u << 31 * n) == 0;
    case 30: return most / (n - 1);
    case 31: unused = most / (n - 1); return 0;
    case 32: unused = most % (n - 1); return 0;
    case 33: unused = 1 / 0; return 0;
    case 34: unused = (int)(u / (unsigned)(n - 1)); return 0;
    case 35: return least / -n;
    case 36: return least % -n;
    }
}
"""
INDEX = {0: ": index 4 of an array of 4 elements", 1: ": index 4 of an array of 4 elements",
         2: ": index -1 of an array of 4 elements"}  # fmt: skip
OVERFLOW = {10: "2147483647 + 1", 11: "2147483647 + 1", 12: "-(-2147483648)", 13: "-2147483648 - 1",
            14: "2147483647 * 2", 15: "2147483647 + 1"}  # fmt: skip
SHIFT = {20: "1 << 31", 21: "1 << 40", 22: "1 >> (-1)"}
FINE = (3, 4, 5, 17, 18, 23)
EXPECTED = {
    **dict.fromkeys(INDEX, "INDEX_BOUNDS"), **dict.fromkeys((*OVERFLOW, 16), "OVERFLOW"),
    **dict.fromkeys(SHIFT, "SHIFT_RANGE"), **dict.fromkeys((30, 31, 32, 33, 34), "DIV_ZERO"),
    **dict.fromkeys((35, 36), "DIV_OVERFLOW"), **dict.fromkeys(FINE, None),
}  # fmt: skip


@cache
def program(level: str, checks: tuple[str, ...], *, m32: bool = False) -> Program:
    options = CompileOptions(opt_level=level, m32=m32, checks=checks, extra_flags=("-w",))
    with TemporaryDirectory() as folder:
        file = Path(folder) / "program.c"
        file.write_text(PROGRAM)
        return build_program([str(file)], BuildOptions(options), [], Timings())


def fault_of(built: Program, case: int) -> tuple[str | None, str]:
    """Kind and text of the fault that a case of the program ends in."""
    chosen = with_arguments(built, ["program", str(case)])
    machine = Machine(chosen.image)
    if machine.run(0) is Stop.EXITED or machine.fault is None:
        return None, ""
    return machine.fault.kind, Situation(machine, chosen).details(machine.fault)


@pytest.mark.parametrize(("level", "m32"), [("0", False), ("1", False), ("2", False), ("3", False), ("0", True)])
def test_every_undefined_operation_is_a_fault_and_no_defined_one_is(level: str, m32: bool) -> None:
    built = program(level, (*BOUNDS_CHECKS, *DIVISION_CHECKS, *OVERFLOW_CHECKS), m32=m32)
    assert {case: fault_of(built, case)[0] for case in EXPECTED} == EXPECTED


def test_a_fault_tells_the_operation_with_its_operands() -> None:
    built = program("0", (*BOUNDS_CHECKS, *DIVISION_CHECKS, *OVERFLOW_CHECKS))
    assert {case: fault_of(built, case)[1] for case in INDEX} == INDEX
    for case, text in OVERFLOW.items():
        assert fault_of(built, case)[1] == f": {text} does not fit into 32 bits"
    for case, text in SHIFT.items():
        assert fault_of(built, case)[1] == f": {text} in 32 bits"


@pytest.mark.parametrize("level", ["0", "2"])
def test_overflow_is_a_fault_only_when_asked_for_and_division_by_zero_always(level: str) -> None:
    built = program(level, DIVISION_CHECKS)
    kinds = {case: fault_of(built, case)[0] for case in EXPECTED}
    assert {kinds[case] for case in (*OVERFLOW, *SHIFT, *FINE)} == {None}
    assert {kinds[case] for case in (30, 31, 32, 33, 34)} == {"DIV_ZERO"}
