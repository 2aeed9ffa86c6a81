# SPDX-License-Identifier: Apache-2.0
"""A damaged image is refused or runs to an end: a short form of `make sanitize`."""

from pathlib import Path

import mutate

PROGRAMS = (
    "tests/differential/programs/switches.c",
    "tests/differential/programs/nonlocal_jumps.c",
    "tests/differential/threads/mutexes.c",
)
MUTATIONS = 2000


def test_damaged_images_never_make_the_machine_leave_its_memory(tmp_path: Path) -> None:
    binary = mutate.compile_mutator(tmp_path)
    images = mutate.compile_images(tmp_path, PROGRAMS)
    batches = mutate.run_batches(binary, images, MUTATIONS, seed=20)
    assert [batch.report for batch in batches if batch.status] == []
    assert sum(batch.counts["loaded"] for batch in batches) > MUTATIONS // 20
    assert sum(batch.counts["refused"] for batch in batches) > MUTATIONS // 20
    assert sum(batch.counts["faults"] for batch in batches) > 0
