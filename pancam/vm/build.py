# SPDX-License-Identifier: Apache-2.0
"""Compiles vm_c/ into the extension module pancam.vm._machine; setup.py and `python pancam/vm/build.py` use it.

Runs before pancam is installed, in the top folder of the repository, and imports nothing of it. As a program it leaves
only the module behind, in this folder.
"""

import os
import re
import shutil
import tempfile
from pathlib import Path

from cffi import FFI

COMPILE_FLAGS = [
    "-std=gnu11",
    "-O2",
    "-fno-strict-aliasing",  # guest memory and registers hold values of any type
    "-ffp-contract=off",  # a product and a sum are two roundings
]
HEADERS = ("image.h", "vm_api.h", "check_api.h", "crowd_api.h", "search/progress.h")
OUTPUT_CALLBACK = """
extern "Python" void pancam_output(void *context, uint64_t descriptor, const uint8_t *data, uint64_t size);
"""


def declarations(sources: Path) -> str:
    """What C and Python share, in the form that cffi reads: no comments, no pragma."""
    text = "\n".join((sources / name).read_text() for name in HEADERS)
    return re.sub(r"/\*.*?\*/|#pragma once", "", text, flags=re.DOTALL) + OUTPUT_CALLBACK


def make_builder(sources: Path) -> FFI:
    """The recipe of the extension module."""
    builder = FFI()
    builder.cdef(declarations(sources))
    builder.set_source(
        "pancam.vm._machine",
        "".join(f"#include {name}\n" for name in ("<stddef.h>", "<stdint.h>", *(f'"{name}"' for name in HEADERS))),
        sources=sorted(str(path) for path in sources.glob("*.c")),
        depends=sorted(str(path) for path in sources.iterdir() if path.suffix in {".h", ".def"}),
        include_dirs=[str(sources)],
        extra_compile_args=COMPILE_FLAGS,
        libraries=["m"],
    )
    return builder


def build_in_place() -> None:
    """Compile elsewhere, so that neither objects nor the configuration of this folder get in the way."""
    folder = Path(__file__).resolve().parent
    builder = make_builder(folder.parent.parent / "vm_c")
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        module = Path(builder.compile(tmpdir=scratch))
        new = folder / "_machine.new"
        shutil.copy(module, new)
        for old in folder.glob("_machine.*.so"):
            old.unlink()
        new.replace(folder / "_machine.abi3.so")  # the name that setup.py gives it
        os.chdir(folder)


if __name__ == "__main__":
    build_in_place()
else:
    ffibuilder = make_builder(Path("vm_c"))
