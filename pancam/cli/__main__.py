# SPDX-License-Identifier: Apache-2.0
"""`python -m pancam.cli` is the same as `pancam`."""

import sys

from pancam.cli import main

sys.exit(main())
