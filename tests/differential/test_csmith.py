# SPDX-License-Identifier: Apache-2.0
"""Random programs: the machine computes the checksum that the native program computes, at every level.

The seeds are fixed, and their programs are quick; `make fuzz-native` tries others.
"""

from pathlib import Path

import pytest
from csmith import Verdict, compare_seed, generate

SEEDS = [int(line) for line in (Path(__file__).parent / "csmith_seeds.txt").read_text().split()]


@pytest.mark.parametrize("seed", SEEDS)
def test_checksum_equals_the_native_one(seed: int) -> None:
    comparison = compare_seed(seed)
    assert comparison.verdict is Verdict.AGREES, comparison.reason


def test_forty_seeds_are_fixed() -> None:
    assert len(set(SEEDS)) == 40


def test_a_seed_always_gives_the_same_program(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    assert generate(SEEDS[0], first).read_text() == generate(SEEDS[0], second).read_text()
