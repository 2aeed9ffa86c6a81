# SPDX-License-Identifier: Apache-2.0
"""Lets the test of this folder import the program it is about, mutate.py."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
