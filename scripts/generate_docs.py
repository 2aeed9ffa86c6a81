# SPDX-License-Identifier: Apache-2.0
"""Writes what the documentation takes from the sources.

That is docs/isa.md, the list of functions in docs/library.md, and the output of the example in README.md. `make docs`
runs it; with --check it writes nothing and fails when a file is not current. tests/test_docs.py imports it.
"""

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from pancam import isa
from pancam.frontend.clang import CompileOptions, compile_sources, find_clang
from pancam.frontend.module import load_module
from pancam.resources import guest_sources, machine_sources

ROOT = Path(__file__).resolve().parent.parent
ISA_PAGE = ROOT / "docs" / "isa.md"
LIBRARY_PAGE = ROOT / "docs" / "library.md"
README = ROOT / "README.md"
LIST_MARKER = "<!-- Below this line: written by scripts/generate_docs.py -->\n"
COMMENT = re.compile(r"/\* SPDX-License-Identifier: Apache-2.0\n \*\n(?P<body>.*?) \*/\n", re.DOTALL)
ROW = re.compile(r"(?P<macro>OPW?)\((?P<name>\w+),")


def first_comment(path: Path) -> str:
    """Return what the comment at the top of a C file says, without its marks."""
    match = COMMENT.match(path.read_text())
    if match is None:
        sys.exit(f"{path} does not start with an SPDX line and a comment")
    return "\n".join(line.removeprefix(" *").removeprefix(" ") for line in match["body"].splitlines())


def opcode_sections() -> Iterator[tuple[str, list[str]]]:
    """Yield title and rows of each group of opcodes.def, in order."""
    title, rows = "", []
    for line in (machine_sources() / "opcodes.def").read_text().splitlines():
        heading = re.fullmatch(r"/\* (.*) \*/", line)
        row = ROW.match(line)
        if heading:
            if rows:
                yield title, rows
            title, rows = heading[1], []
        elif row:
            rows.append(opcode_row(row["name"], four=row["macro"] == "OPW"))
    yield title, rows


def opcode_row(name: str, *, four: bool) -> str:
    """Return the table row of one opcode, or of the four that differ only in width."""
    opcode = isa.OPCODES[f"{name}8" if four else name]
    shown = f"`{name}8` `16` `32` `64`" if four else f"`{name}`"
    fields = [f"{field}: {kind}" for field, kind in zip("abc", opcode.operands, strict=True) if kind != "NONE"]
    if opcode.immediate != "NONE":
        fields.append(opcode.immediate)
    meaning = opcode.meaning.replace("|", "\\|").replace("*", "\\*").replace("<", "&lt;").replace("_", "\\_")
    return f"| {shown} | {', '.join(fields)} | {'visible' if opcode.visible else ''} | {meaning} |"


def isa_page() -> str:
    """Return the text of docs/isa.md."""
    parts = [
        "# The instruction set\n",
        "Written by `make docs` from `vm_c/opcodes.def`, `vm_c/faults.def` and `vm_c/math.def`; change those.\n",
        f"There are {len(isa.OPCODES)} opcodes. This is how `opcodes.def` explains itself:\n",
        f"```\n{first_comment(machine_sources() / 'opcodes.def')}\n```\n",
    ]
    for title, rows in opcode_sections():
        parts.append(f"## {title}\n")
        parts.append("\n".join(["| Opcode | Operands | | Meaning |", "|---|---|---|---|", *rows]) + "\n")
    parts.append(
        "## Faults\n\nA fault ends the process. It is a value in the state: its kind, thread, place and detail.\n"
    )
    faults = [f"| {number} | `{name}` | {text} |" for name, (number, text) in isa.faults().items()]
    parts.append("\n".join(["| Number | Name | Text |", "|---|---|---|", *faults]) + "\n")
    parts.append(
        "## Functions of `MATH` and `MATH80`\n\nComputed by the C library of the machine that pancam runs on, so that "
        "they agree with a native run there.\n"
    )
    functions = [f"`{name}`" for name in isa.math_functions()]
    parts.append(", ".join(functions) + ".\n")
    return "\n".join(parts)


def library_functions() -> dict[str, list[str]]:
    """Return what each file of the guest library defines for programs, by file name."""
    found: dict[str, list[str]] = {}
    clang = find_clang()
    for source in sorted(guest_sources().glob("*.c")):
        with tempfile.TemporaryDirectory(prefix="pancam-") as folder:
            options = CompileOptions(opt_level="1", extra_flags=("-fno-builtin", "-fno-stack-protector"))
            module = load_module(compile_sources([str(source)], options, clang, Path(folder)))
        names = [name for name in module.functions if is_for_programs(name)]
        seen = [name for name in names if not module.functions[name].is_declaration]
        found[source.name] = sorted(name for name in seen if module.functions[name].linkage != "internal")
    return found


def is_for_programs(name: str) -> bool:
    """Tell names that programs write from those that headers and compilers use behind their back."""
    return name.startswith("__VERIFIER") or not name.startswith(("_", "llvm.", "reach_error_"))


def library_list() -> str:
    """Return the generated end of docs/library.md."""
    parts = ["\n## All functions, by source file\n"]
    for file, names in library_functions().items():
        if names:
            parts.append(f"`vm_c/guest/{file}`: {', '.join(f'`{name}`' for name in names)}.\n")
    parts.append("`vm_c/math.def` (machine instructions, each also with the endings `f` and `l`): ")
    parts[-1] += ", ".join(f"`{name}`" for name in list(isa.math_functions())[::3]) + ".\n"
    return "\n".join(parts)


def library_page(current: str) -> str:
    """Return docs/library.md with its generated end made new."""
    written, marker, _ = current.partition(LIST_MARKER)
    if not marker:
        sys.exit(f"{LIBRARY_PAGE} has lost the line {LIST_MARKER.strip()}")
    return written + marker + library_list()


def readme_page(current: str) -> str:
    """Return README.md with the output of its example made new."""
    program = re.search(r"```c\n(.*?)```", current, re.DOTALL)
    shown = re.search(r"```console\n\$ pancam check account.c\n(.*?)```", current, re.DOTALL)
    if program is None or shown is None:
        sys.exit("README.md has lost its example account.c")
    with tempfile.TemporaryDirectory(prefix="pancam-") as folder:
        (Path(folder) / "account.c").write_text(program[1])
        command = [sys.executable, "-m", "pancam.cli", "check", "account.c"]
        result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if without_costs(shown[1]) == without_costs(result.stdout):
        return current  # only time and memory are others than last time
    return current[: shown.start(1)] + result.stdout + result.stderr + current[shown.end(1) :]


def without_costs(output: str) -> str:
    """The output of a check without what differs from run to run."""
    return re.sub(r"[\d.]+ s, [\d,]+ MB", "S s, M MB", output)


def main() -> None:
    """Write the pages, or say which are not current."""
    pages = {
        ISA_PAGE: isa_page(),
        LIBRARY_PAGE: library_page(LIBRARY_PAGE.read_text()),
        README: readme_page(README.read_text()),
    }
    stale = [page for page, text in pages.items() if not page.exists() or page.read_text() != text]
    if sys.argv[1:] == ["--check"]:
        if stale:
            sys.exit(f"not current: {', '.join(str(page.relative_to(ROOT)) for page in stale)}; run `make docs`")
        return
    for page in stale:
        page.write_text(pages[page])


if __name__ == "__main__":
    main()
