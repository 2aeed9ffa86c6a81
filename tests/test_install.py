# SPDX-License-Identifier: Apache-2.0
"""The package works with the checkout gone: built from a copy, installed into an empty environment, run elsewhere.

Also without a Clang on PATH, when the one of the package ziglang is there; and set-up where tools are missing.
"""

import importlib.util
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

PROGRAM = """\
#include <stdio.h>
int main(int argc, char **argv) {
    printf("hello from %s\\n", argc > 1 ? argv[1] : "nowhere");
    return 7;
}
"""
THREADS_PROGRAM = """\
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;
static void *add(void *number) {
    pthread_mutex_lock(&lock);
    sum += *(int *)number;
    pthread_mutex_unlock(&lock);
    return NULL;
}
int main(void) {
    pthread_t threads[2];
    int numbers[2] = {3, 4};
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, add, &numbers[i]);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    printf("sum %d, half %.1f\\n", sum, sum / 2.0);
    return 0;
}
"""
PIP_ENVIRONMENT = {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1", "PIP_ROOT_USER_ACTION": "ignore"}


def run(command: list[str | Path], folder: Path, home: Path) -> subprocess.CompletedProcess[str]:
    """Run a command without input, with an empty home, and return what it showed."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "PANCAM"))}
    environment |= PIP_ENVIRONMENT | {"HOME": str(home)}
    return subprocess.run(
        [str(part) for part in command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def succeed(command: list[str | Path], folder: Path, home: Path) -> str:
    """Run a command that must succeed and return its output."""
    result = run(command, folder, home)
    assert result.returncode == 0, f"{command}\n{result.stdout}{result.stderr}"
    return result.stdout


def copy_sources(repository: Path, target: Path) -> None:
    """Copy the checkout without what git ignores, as a clean clone would have it."""
    lines = (repository / ".gitignore").read_text().splitlines()
    ignored = [line.rstrip("/").rpartition("/")[2] for line in lines if line and not line.startswith("#")]
    shutil.copytree(repository, target, ignore=shutil.ignore_patterns(".git", *ignored))


def data_files(repository: Path) -> set[str]:
    """Return the C and Promela sources that must travel, named as inside the package."""
    return {
        f"pancam/{path.relative_to(repository)}"
        for folder in ("vm_c", "promela_templates")
        for path in (repository / folder).rglob("*")
        if path.suffix in {".c", ".h", ".def", ".pml"}
    }


@pytest.mark.slow
def test_installed_package_runs_with_the_checkout_gone(repository: Path, tmp_path: Path) -> None:
    copy, home, elsewhere = tmp_path / "copy", tmp_path / "home", tmp_path / "elsewhere"
    home.mkdir()
    elsewhere.mkdir()
    copy_sources(repository, copy)
    expected_data = data_files(copy)
    succeed([sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", elsewhere, copy], elsewhere, home)
    (wheel,) = elsewhere.glob("pancam-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        assert expected_data <= set(archive.namelist())
    shutil.rmtree(copy)
    environment = tmp_path / "environment"
    succeed([sys.executable, "-m", "venv", environment], elsewhere, home)
    succeed([environment / "bin/python", "-m", "pip", "install", "-q", wheel], elsewhere, home)
    wheel.unlink()
    (elsewhere / "hello.c").write_text(PROGRAM)
    result = run([environment / "bin/pancam", "run", "hello.c", "--", "afar"], elsewhere, home)
    assert (result.stdout, result.returncode) == ("hello from afar\n", 7), result.stderr
    checked = run([environment / "bin/pancam", "check", "hello.c"], elsewhere, home)  # builds a verifier from its data
    assert (checked.stdout.partition(":")[0], checked.returncode) == ("holds", 0), checked.stderr
    assert [path.name for path in elsewhere.iterdir()] == ["hello.c"]


@pytest.mark.slow
def test_source_distribution_holds_every_source(repository: Path, tmp_path: Path) -> None:
    copy, home = tmp_path / "copy", tmp_path / "home"
    home.mkdir()
    copy_sources(repository, copy)
    build = "import sys; from setuptools import build_meta; build_meta.build_sdist(sys.argv[1])"
    succeed([sys.executable, "-c", build, tmp_path], copy, home)
    (archive,) = tmp_path.glob("pancam-*.tar.gz")
    with tarfile.open(archive) as contents:
        names = {name.partition("/")[2] for name in contents.getnames()}
    assert {name.removeprefix("pancam/") for name in data_files(copy)} <= names


@pytest.mark.slow
@pytest.mark.skipif(
    importlib.util.find_spec("ziglang") is None,
    reason="the Python package ziglang is not installed (an optional extra)",
)
@pytest.mark.parametrize("flags", [["-O0"], ["-O2"], ["--m32"]], ids=" ".join)
def test_clang_inside_ziglang_serves_where_there_is_no_other(
    flags: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nothing = tmp_path / "empty"
    nothing.mkdir()
    (tmp_path / "sum.c").write_text(THREADS_PROGRAM)
    monkeypatch.setenv("PATH", str(nothing))
    command = [sys.executable, "-m", "pancam.cli", "run", *flags, "sum.c"]
    assert succeed(command, tmp_path, tmp_path) == "sum 7, half 3.5\n"


@pytest.fixture
def bare_tools(tmp_path: Path) -> Path:
    """Return a folder of programs in which neither Clang nor SPIN is, and apt-get only notes what it is asked."""
    folder = tmp_path / "tools"
    folder.mkdir()
    for name in ("bash", "dirname", "env", "gcc", "grep", "head", "python3", "uname"):
        path = shutil.which(name)
        assert path is not None
        (folder / name).symlink_to(path)
    (folder / "apt-get").write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/asked\n')
    (folder / "apt-get").chmod(0o755)
    return folder


def set_up_tools(repository: Path, tools: Path, user: int) -> subprocess.CompletedProcess[str]:
    """Run the first half of set-up as if this user had only these programs."""
    (tools / "id").write_text(f"#!/bin/sh\necho {user}\n")
    (tools / "id").chmod(0o755)
    command = [str(tools / "bash"), str(repository / "scripts" / "setup.sh"), "tools", "demo"]
    environment = {"PATH": str(tools)}
    return subprocess.run(
        command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )


def test_setup_that_may_not_install_names_the_packages_in_one_line(repository: Path, bare_tools: Path) -> None:
    result = set_up_tools(repository, bare_tools, user=1000)
    line = "Install these packages first: sudo apt-get install clang spin\n"
    assert (result.stdout, result.stderr, result.returncode) == ("", line, 1)


def test_setup_that_may_install_asks_apt_for_what_is_missing(repository: Path, bare_tools: Path) -> None:
    result = set_up_tools(repository, bare_tools, user=0)
    assert (result.stderr, result.returncode) == ("", 0)
    asked = (bare_tools.parent / "asked").read_text().splitlines()
    assert asked == ["update -qq", "install -y -qq --no-install-recommends clang spin"]
