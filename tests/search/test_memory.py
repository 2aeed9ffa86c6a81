# SPDX-License-Identifier: Apache-2.0
"""Programs with mistakes in memory: steps of all sizes lead to the same faults. `make fuzz` compares many more."""

from __future__ import annotations

import pytest
from memory import compare_seed


@pytest.mark.parametrize("seed", [5, 7, 12])
def test_steps_of_all_sizes_find_the_same_memory_faults(seed: int) -> None:
    assert compare_seed(seed) == (seed, [])
