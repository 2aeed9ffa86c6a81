# SPDX-License-Identifier: Apache-2.0
"""The documentation says what is: generated pages are current, names exist, examples print what is shown."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
COMMANDS = ("check", "replay", "driver", "run", "compile", "disasm", "bench", "doctor", "cache")
CONSTANTS_PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
int main(int argc, char **argv) {
    (void)argc;
    printf("time %ld\ngetpid %d\ngetppid %d\ngetuid %d\n", (long)time(NULL), getpid(), getppid(), (int)getuid());
    printf("getpagesize %d\n_SC_NPROCESSORS_ONLN %ld\n", getpagesize(), sysconf(_SC_NPROCESSORS_ONLN));
    printf("clock %ld\nargv[0] %s\n", (long)clock(), argv[0]);
    return getenv("HOME") != NULL;
}
"""


def pancam(*arguments: str, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run pancam without input and return what it showed."""
    command = [sys.executable, "-m", "pancam.cli", *arguments]
    return subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    """Return scripts/generate_docs.py as a module."""
    spec = importlib.util.spec_from_file_location("generate_docs", ROOT / "scripts" / "generate_docs.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_page_of_the_instruction_set_is_current(generator: ModuleType) -> None:
    assert generator.ISA_PAGE.read_text() == generator.isa_page(), "run `make docs`"


def test_list_of_library_functions_is_current(generator: ModuleType) -> None:
    current = generator.LIBRARY_PAGE.read_text()
    assert current == generator.library_page(current), "run `make docs`"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_and_file_names_lead_somewhere(page: Path) -> None:
    text = page.read_text()
    links = [link for link in re.findall(r"\]\(([^)#]+)\)", text) if "://" not in link]
    assert [link for link in links if not (page.parent / link).exists()] == []
    names = re.findall(r"`((?:pancam|vm_c|tests|docs|scripts|benchmarks|examples)/[\w./-]*)`", text)
    names = [name for name in names if name not in {"pancam/vm_c/", "pancam/vm/_machine", "benchmarks/results/"}]
    assert [name for name in names if not (ROOT / name).exists()] == []


def test_make_targets_that_are_named_exist() -> None:
    named = {
        target for page in PAGES for target in re.findall(r"(?:`|^ {4})make (\w+)", page.read_text(), re.MULTILINE)
    }
    rules = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert named >= {"demo", "test", "docs"}
    assert named <= rules


def test_every_option_is_in_the_readme_and_every_option_there_exists() -> None:
    readme = (ROOT / "README.md").read_text()
    helps = "".join(pancam(command, "--help").stdout for command in COMMANDS)
    offered = set(re.findall(r"(?<![\w-])--?[a-zA-Z][\w-]*", helps)) - {"-h", "--help", "-f", "-W", "-m", "-O0", "-a"}
    table = re.findall(r"^\| (`[^|]*) \|", readme, re.MULTILINE)
    shown = {option for cell in table for option in re.findall(r"(?<![\w-])--?[a-zA-Z][\w-]*", cell)}
    assert {option for option in offered if option not in shown and option != "-O"} == set()
    assert {option for option in shown if option.startswith("--")} <= offered


def test_the_example_of_the_readme_prints_what_it_shows(tmp_path: Path, generator: ModuleType) -> None:
    readme = (ROOT / "README.md").read_text()
    program = re.findall(r"```c\n(.*?)```", readme, re.DOTALL)[0]
    (shown,) = re.findall(r"```console\n\$ pancam check account.c\n(.*?)```", readme, re.DOTALL)
    (tmp_path / "account.c").write_text(program)
    result = pancam("check", "account.c", folder=tmp_path)
    assert (generator.without_costs(result.stdout), result.returncode) == (generator.without_costs(shown), 1)
    locked = program.replace(
        "read_balance() >= 70) {\n        pthread_mutex_lock(&lock);\n",
        "1) {\n        pthread_mutex_lock(&lock);\n        if (balance >= 70)\n",
    )
    assert locked != program
    (tmp_path / "account.c").write_text(locked)
    mended = pancam("check", "account.c", folder=tmp_path)
    assert (mended.stdout.splitlines()[0], mended.returncode) == ("holds: no violation in any execution", 0)


def test_the_abstraction_of_the_readme_works_as_it_says(tmp_path: Path) -> None:
    readme = (ROOT / "README.md").read_text()
    _, function = re.findall(r"```c\n(.*?)```", readme, re.DOTALL)
    (tmp_path / "prog.c").write_text(f"static int flag[2], turn;\n{function}int main(void) {{ return turn = 0; }}\n")
    command, verdict = re.findall(r"^    pancam (check prog\.c --abs.*)$|`(bounded: .*?)`", readme, re.MULTILINE)
    result = pancam(*command[0].split(), folder=tmp_path)
    assert (result.stdout.splitlines()[0], result.returncode) == (verdict[1], 0)


def test_constants_of_the_library_are_those_of_its_page(tmp_path: Path) -> None:
    (tmp_path / "constants.c").write_text(CONSTANTS_PROGRAM)
    result = pancam("run", "constants.c", folder=tmp_path)
    assert result.returncode == 0, result.stderr
    values = dict(line.split(" ", 1) for line in result.stdout.splitlines())
    assert values.pop("argv[0]") == "constants"
    page = (ROOT / "docs" / "library.md").read_text()
    rows = dict(re.findall(r"^\| (.*?) \| (.*?) \|$", page, re.MULTILINE))
    for name, value in values.items():
        (choice,) = [choice for subject, choice in rows.items() if re.search(rf"`{name}`|\({name}\)", subject)][:1]
        assert re.search(rf"\b{value}\b", choice), name


def test_what_the_readme_calls_missing_is_not_in_the_library() -> None:
    readme, library = ((ROOT / name).read_text() for name in ("README.md", "docs/library.md"))
    (refused,) = re.findall(r"Among those:(.*?)\n- ", readme, re.DOTALL)
    missing = set(re.findall(r"`(\w+)`", refused))
    assert len(missing) >= 8
    provided = set(re.findall(r"`(\w+)`", library.partition("written by")[2]))
    assert missing & provided == set()
