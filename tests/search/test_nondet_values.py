# SPDX-License-Identifier: Apache-2.0
"""The values that are tried for nondeterministic calls find what all values find."""

from __future__ import annotations

import pytest
from nondet_values import compare, compile_with, explore

HEAD = "#include <assert.h>\n#include <pancam.h>\nstatic int g;\n"


@pytest.mark.parametrize("seed", [3, 4, 6, 17, 42, 1001])
def test_few_values_find_the_violations_of_all_values(seed: int) -> None:
    outcome, problem = compare(seed)
    assert outcome in ("exact", "restricted"), problem


def test_a_note_is_taken_only_when_a_value_that_stands_for_others_is_used() -> None:
    body = "int main(void) {{ signed char c = pancam_nondet_schar(); {} return 0; }}"
    guarded = compile_with(HEAD + body.format("if (c >= 3 && c < 9) g = 10 / (c - 2);"), "0", everything=False)
    assert explore(guarded) == (set(), False)
    open_ended = compile_with(HEAD + body.format("if (c >= 3) g = 1000 / (c + 1);"), "0", everything=False)
    assert explore(open_ended) == (set(), True)


def test_a_value_between_the_constants_is_found() -> None:
    text = HEAD + "int main(void) { int c = pancam_nondet_uchar(); if (c > 50 && c < 60) g = 1 / (c - 57); return 0; }"
    assert explore(compile_with(text, "0", everything=False)) == ({("DIV_ZERO", 4)}, False)
