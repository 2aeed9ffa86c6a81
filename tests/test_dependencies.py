# SPDX-License-Identifier: Apache-2.0
"""The architecture, enforced: stages import only to their left, and each foreign thing has one door."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "pancam"
MODULES = sorted(PACKAGE.rglob("*.py"))

# From left to right; the first two are one stage, since the front end makes the values that ir describes.
STAGES = (("ir", "frontend"), ("bytecode",), ("nondet",), ("vm",), ("spin",), ("explain",))

# What only some modules may import, and which.
DOORS = {
    "llvmlite": {"frontend/module.py", "frontend/library.py"},
    "cffi": {"vm/"},
    "_cffi_backend": {"vm/"},
    "pancam.vm._machine": {"vm/"},
    "subprocess": {"frontend/clang.py", "frontend/library.py", "vm/build.py", "spin/", "svcomp/runner.py"},
    "yaml": {"svcomp/yaml_files.py"},
    "pancam.pipeline": {"cli/", "check.py"},
    "pancam.check": {"cli/"},
    "pancam.cli": {"cli/"},
}


def place_of(module: Path) -> str:
    """Return the module's path inside the package."""
    return module.relative_to(PACKAGE).as_posix()


def imports_of(module: Path) -> Iterator[str]:
    """Yield the full name of everything that the module imports, at any depth of its code."""
    package = ["pancam", *module.relative_to(PACKAGE).parts[:-1]]
    for node in ast.walk(ast.parse(module.read_text(), str(module))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*start, *([node.module] if node.module else [])])
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


def is_within(name: str, door: str) -> bool:
    """Return whether the imported name is the guarded one or something inside it."""
    return name == door or name.startswith(f"{door}.")


def stage_of(place: str) -> int | None:
    """Return the number of the stage that a module belongs to, or None for one that all stages may use."""
    top = place.partition("/")[0]
    return next((number for number, names in enumerate(STAGES) if top in names), None)


def imported_stage(name: str) -> int | None:
    """Return the number of the stage that an imported name belongs to."""
    parts = name.split(".")
    return stage_of(parts[1] + "/") if parts[0] == "pancam" and len(parts) > 1 else None


def may_enter(place: str, allowed: set[str]) -> bool:
    """Return whether a module is one of the allowed ones, or lies in an allowed folder."""
    return any(place.startswith(entry) if entry.endswith("/") else place == entry for entry in allowed)


@pytest.mark.parametrize("module", MODULES, ids=place_of)
def test_guarded_modules_are_imported_only_by_their_doors(module: Path) -> None:
    closed = [door for door, allowed in DOORS.items() if not may_enter(place_of(module), allowed)]
    assert [name for name in imports_of(module) for door in closed if is_within(name, door)] == []


@pytest.mark.parametrize("module", MODULES, ids=place_of)
def test_stages_do_not_import_to_the_right(module: Path) -> None:
    mine = stage_of(place_of(module))
    stages = {name: imported_stage(name) for name in imports_of(module)}
    assert [name for name, stage in stages.items() if mine is not None and stage is not None and stage > mine] == []


def test_the_rules_see_a_breach(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bytecode").mkdir()
    module = tmp_path / "bytecode" / "wrong.py"
    module.write_text("def f() -> None:\n    from ..vm import machine\n    import llvmlite.binding\n")
    monkeypatch.setitem(globals(), "PACKAGE", tmp_path)
    assert set(imports_of(module)) == {"pancam.vm", "pancam.vm.machine", "llvmlite.binding"}
    with pytest.raises(AssertionError):
        test_stages_do_not_import_to_the_right(module)
    with pytest.raises(AssertionError):
        test_guarded_modules_are_imported_only_by_their_doors(module)
