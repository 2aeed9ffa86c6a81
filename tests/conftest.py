# SPDX-License-Identifier: Apache-2.0
"""What all tests share: an environment in which a run cannot depend on who runs it or from where."""

import os
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def neutral_environment(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Give each test an empty home, one cache for all test processes, and the C locale."""
    home = tmp_path_factory.getbasetemp()
    common = home.parent if "PYTEST_XDIST_WORKER" in os.environ else home
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CACHE_HOME", str(common / "cache"))
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.delenv("PYTHONPATH", raising=False)


@pytest.fixture(scope="session")
def repository() -> Path:
    """Return the top folder of the checkout."""
    return Path(__file__).resolve().parent.parent
