# SPDX-License-Identifier: Apache-2.0
"""The only place that knows where the C sources of the machine and the Promela drivers are.

Installed, they lie inside the package; in a checkout they stand beside it, at the root of the repository.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from pancam.errors import ToolError

_PACKAGE = Path(__file__).resolve().parent


@cache
def _folder(name: str) -> Path:
    for parent in (_PACKAGE, _PACKAGE.parent):
        candidate = parent / name
        if candidate.is_dir():
            return candidate
    raise ToolError(f"the folder {name} of pancam is missing: the installation is damaged, install pancam again")


def package() -> Path:
    """Folder of pancam's own Python."""
    return _PACKAGE


def machine_sources() -> Path:
    """Folder vm_c: the virtual machine and, below it, what is compiled together with checked programs."""
    return _folder("vm_c")


def guest_sources() -> Path:
    """Folder of the C library that runs inside the machine."""
    return machine_sources() / "guest"


def guest_include() -> Path:
    """Folder of the headers that checked programs may include."""
    return guest_sources() / "include"


def promela_templates() -> Path:
    """Folder of the drivers that Spin runs."""
    return _folder("promela_templates")
