# SPDX-License-Identifier: Apache-2.0
"""YAML in and out; PyYAML is imported when it is needed, and only here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pancam.errors import UsageError


def load_yaml(path: str) -> Any:  # noqa: ANN401 - whatever the file has
    """The value in a YAML file."""
    import yaml

    try:
        with Path(path).open(encoding="utf-8") as file:
            return yaml.safe_load(file)
    except OSError as problem:
        raise UsageError(f"{path}: {problem.strerror}") from problem
    except (yaml.YAMLError, UnicodeDecodeError) as problem:
        mark = getattr(problem, "problem_mark", None)
        line = f":{mark.line + 1}" if mark is not None else ""
        raise UsageError(f"{path}{line}: not a YAML file") from None


def yaml_text(value: Any) -> str:  # noqa: ANN401
    """A value as YAML, with its keys in their order."""
    import yaml

    text: str = yaml.safe_dump(value, sort_keys=False, default_flow_style=False, allow_unicode=True, width=1000)
    return text
