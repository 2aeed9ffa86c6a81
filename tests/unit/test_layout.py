# SPDX-License-Identifier: Apache-2.0
"""Sizes, alignments and offsets: the same as Clang's, on LP64 and on ILP32."""

from __future__ import annotations

from pathlib import Path

import pytest

from pancam.bytecode.layout import DataLayout
from pancam.frontend.clang import CompileOptions, compile_source, find_clang
from pancam.frontend.module import load_module
from pancam.ir.model import Module
from pancam.ir.types import StructType
from pancam.ir.values import ConstantAggregate, ConstantInt, ConstantZero

# Members of each struct, in an order without the padding members that Clang would add of its own.
STRUCTS = {
    "integers": ["char a", "short b", "int c", "char d", "long e", "char f", "long long g", "char h"],
    "floats": ["char a", "float b", "char c", "double d", "char e", "float f[3]"],
    "long_doubles": ["char a", "long double b", "short c"],
    "pointers": ["char a", "void *b", "short c", "int (*d)(void)", "char e"],
    "nested": ["char a", "struct { char x; long y; } b", "short c[3]", "struct { double z; } d[2]"],
    "booleans": ["_Bool a", "short b", "_Bool c", "enum { ONE, TWO } d"],
    "arrays": ["char a[3]", "int b[2][2]", "char c[5]", "double d[1]"],
}
PACKED = {"tight": ["char a", "long b", "short c", "double d", "char e"]}


def names(members: list[str]) -> list[str]:
    return [chr(ord("a") + index) for index in range(len(members))]


def source() -> str:
    lines = ["#include <stddef.h>"]
    for name, members in (STRUCTS | PACKED).items():
        packed = " __attribute__((packed))" if name in PACKED else ""
        lines.append(f"struct{packed} {name} {{ {' '.join(member + ';' for member in members)} }};")
        lines.append(f"struct {name} {name}_variable = {{1}};")
        offsets = ", ".join(f"offsetof(struct {name}, {member})" for member in names(members))
        lines.append(f"int {name}_facts[] = {{sizeof(struct {name}), _Alignof(struct {name}), {offsets}}};")
    return "\n".join(lines)


def facts(module: Module, name: str) -> list[int]:
    value = module.globals[f"{name}_facts"].initializer
    assert isinstance(value, ConstantAggregate)
    return [0 if isinstance(element, ConstantZero) else number(element) for element in value.elements]


def number(value: object) -> int:
    assert isinstance(value, ConstantInt)
    return value.value


@pytest.mark.parametrize("m32", [False, True], ids=["LP64", "ILP32"])
def test_structs_are_laid_out_as_clang_does(m32: bool, tmp_path: Path) -> None:
    file = tmp_path / "structs.c"
    file.write_text(source())
    module = load_module([compile_source(str(file), CompileOptions(m32=m32), find_clang(), tmp_path)])
    layout = DataLayout(module.data_layout)
    assert layout.pointer_bits == (32 if m32 else 64)
    for name, members in (STRUCTS | PACKED).items():
        size, align, *offsets = facts(module, name)
        type_ = module.globals[f"{name}_variable"].type
        assert isinstance(type_, StructType)
        assert layout.size_align(type_) == (size, align), name
        if len(type_.elements) == len(members):  # else Clang made padding a member: the offsets cannot be paired
            assert [layout.field_offset(type_, index) for index in range(len(members))] == offsets, name
    simple = [name for name in STRUCTS if len(module.globals[f"{name}_variable"].type.elements) == len(STRUCTS[name])]
    assert len(simple) >= 5, simple
