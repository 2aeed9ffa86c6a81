# SPDX-License-Identifier: Apache-2.0
"""Golden tests: tests/cases/bytecode/*.case hold LLVM text and the bytecode that must come out of it.

A case is a line or two of prose, `--- llvm`, the text, `--- bytecode`, the disassembly of all its functions. With
PANCAM_UPDATE_CASES=1 the last part is written anew; look at the difference before you keep it.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from pancam.bytecode.disasm import Disassembler
from pancam.bytecode.lower import lower_module
from pancam.frontend.module import load_module
from pancam.vm.machine import Machine

CASES = sorted((Path(__file__).resolve().parent.parent / "cases" / "bytecode").glob("*.case"))
LLVM, BYTECODE = "--- llvm\n", "--- bytecode\n"
START = """
define void @__pancam_start(i32 %thread) {{
{uses}  ret void
}}
@__pancam_sink = global ptr null
define ptr @memcpy(ptr %to, ptr %from, {size} %size) {{
  ret ptr %to
}}
"""


def disassembly(llvm: str, folder: Path) -> str:
    """The bytecode of every function of the text. The library is left out, so that only the text decides."""
    functions = re.findall(r"^define .*?@(\w+)\(", llvm, flags=re.MULTILINE)
    uses = "".join(f"  store volatile ptr @{name}, ptr @__pancam_sink\n" for name in functions)
    size = "i32" if "p:32:32" in llvm else "i64"
    file = folder / "case.ll"
    file.write_text(llvm + START.format(uses=uses, size=size))
    program = lower_module(load_module([file]), ["case"], thread_limit=1)
    Machine(program.image)  # the machine's own checks accept what is shown
    return "\n".join(Disassembler(program).text(set(functions))).strip() + "\n"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_bytecode_is_as_the_case_says(case: Path, tmp_path: Path) -> None:
    text = case.read_text()
    prose, _, rest = text.partition(LLVM)
    llvm, _, expected = rest.partition(BYTECODE)
    assert prose.strip(), "a case says what it shows"
    assert llvm.strip()
    found = re.sub(r" +$", "", disassembly(llvm, tmp_path), flags=re.MULTILINE)
    if os.environ.get("PANCAM_UPDATE_CASES"):
        case.write_text(f"{prose}{LLVM}{llvm}{BYTECODE}{found}")
    else:
        assert found == expected


def test_there_are_cases() -> None:
    assert len(CASES) >= 12
