# SPDX-License-Identifier: Apache-2.0
"""Lets the tests of this folder import their helper, command.py, and gives each a command line in an empty folder."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from command import CommandLine


@pytest.fixture
def pancam(tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path)
