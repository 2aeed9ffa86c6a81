# SPDX-License-Identifier: Apache-2.0
"""What pyproject.toml cannot say: the compiled virtual machine, and the data that travels inside the package.

vm_c/ and promela_templates/ stand at the top of the repository, because they are sources of their own; installed, they
are folders of the package, where pancam/resources.py finds them.
"""

from pathlib import Path

from setuptools import find_packages, setup

DATA_PATTERNS = ["*.c", "*.h", "*.def", "*.pml"]
DATA_FOLDERS = [name for name in ("vm_c", "promela_templates") if Path(name).is_dir()]

setup(
    packages=[*find_packages(include=["pancam", "pancam.*"]), *(f"pancam.{name}" for name in DATA_FOLDERS)],
    package_dir={f"pancam.{name}": name for name in DATA_FOLDERS},
    package_data={
        f"pancam.{name}": [*DATA_PATTERNS, *(f"**/{pattern}" for pattern in DATA_PATTERNS)] for name in DATA_FOLDERS
    },
    cffi_modules=["pancam/vm/build.py:ffibuilder"],
)
