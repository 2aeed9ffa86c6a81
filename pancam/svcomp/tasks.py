# SPDX-License-Identifier: Apache-2.0
"""Task files of the competition: which program, which properties with which expected verdicts; and sets of tasks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pancam.errors import UsageError
from pancam.svcomp.yaml_files import load_yaml

DATA_MODELS = ("ILP32", "LP64")
DEFAULT_DATA_MODEL = "ILP32"  # of tasks that do not say: all were so when the option did not exist


@dataclass(frozen=True)
class Expected:
    """A property of a task; the verdict is None where the file has none."""

    property_file: str
    verdict: bool | None = None
    subproperty: str | None = None

    @property
    def name(self) -> str:
        return Path(self.property_file).stem


@dataclass(frozen=True)
class Task:
    """One task file; paths are relative to where the file is read from."""

    path: str
    files: tuple[str, ...]
    properties: tuple[Expected, ...]
    data_model: str = DEFAULT_DATA_MODEL

    def chosen(self, name: str) -> Expected | None:
        """The property with this name, or in this file."""
        stem = Path(name).stem
        return next((expected for expected in self.properties if expected.name == stem), None)


def read_task(path: str) -> Task:
    """The task in a file."""
    value = load_yaml(path)
    folder = Path(path).parent
    try:
        files = _strings(value["input_files"])
        properties = tuple(_expected(row, folder) for row in value.get("properties") or ())
        data_model = (value.get("options") or {}).get("data_model", DEFAULT_DATA_MODEL)
        language = (value.get("options") or {}).get("language", "C")
    except (KeyError, TypeError, AttributeError):
        raise UsageError(f"{path}: not a task: it needs input_files and properties with property_file") from None
    if language != "C":
        raise UsageError(f"{path}: the task is written in {language}, not in C")
    if data_model not in DATA_MODELS:
        raise UsageError(f"{path}: there is no data model {data_model}: {' or '.join(DATA_MODELS)}")
    return Task(path, tuple(str(folder / name) for name in files), properties, data_model)


def _strings(value: Any) -> list[str]:  # noqa: ANN401
    listed = [value] if isinstance(value, str) else list(value)
    if not listed or not all(isinstance(item, str) for item in listed):
        raise TypeError
    return listed


def _expected(row: Any, folder: Path) -> Expected:  # noqa: ANN401
    verdict = row.get("expected_verdict")
    if not isinstance(verdict, bool | None):
        raise TypeError
    return Expected(str(folder / row["property_file"]), verdict, row.get("subproperty"))
