# SPDX-License-Identifier: Apache-2.0
"""The command line: arguments in, text and exit code out. Everything else is done by the stages behind pipeline."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from typing import TYPE_CHECKING

START = time.perf_counter()

from pancam.errors import CompileError, PancamError, UsageError  # noqa: E402 - the clock starts before imports

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

EXIT_FAULT, EXIT_USAGE, EXIT_GAVE_UP = 1, 2, 3
PASSED_TO_CLANG = ("-f", "-W", "-w", "-m", "-pthread", "-pedantic", "-ansi", "-g", "-nostdinc")
TAKE_FLAGS = ("--cflags", "--cc-flags", "--spin-flags", "--options")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; errors of the user become one line on stderr and their exit code."""
    _end_in_order()
    try:
        status = _dispatch(list(sys.argv[1:] if argv is None else argv))
        sys.stdout.flush()
    except PancamError as error:
        if isinstance(error, CompileError) and error.details:
            print(error.details.rstrip(), file=sys.stderr)
        print(f"pancam: {error}", file=sys.stderr)
        return error.exit_code
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # whoever read our output is gone
        return EXIT_FAULT
    except KeyboardInterrupt:
        print("pancam: interrupted", file=sys.stderr)
        return EXIT_GAVE_UP
    return status


def _end_in_order() -> None:
    """Whatever asks pancam to end, it does as for Ctrl-C: the search is stopped and nothing is left behind."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with contextlib.suppress(ValueError):  # not the main thread: somebody else's business
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, interrupt)


def _dispatch(argv: list[str]) -> int:
    from pancam.cli.parser import make_parser

    own, arguments = argv, []
    if "--" in argv:
        at = argv.index("--")
        own, arguments = argv[:at], argv[at + 1 :]
    options, unknown = make_parser(own).parse_known_args(_with_flags_joined(own))
    flags = [flag for flag in unknown if flag.startswith(PASSED_TO_CLANG)]
    if len(flags) != len(unknown):
        refused = next(flag for flag in unknown if flag not in flags)
        raise UsageError(f"unknown option {refused}; see `pancam {options.command} --help`")
    options.flags = flags
    if arguments and options.command not in ("run", "check"):
        raise UsageError("only `pancam run` and `pancam check` take arguments for the program behind --")
    options.arguments = arguments
    command: Callable[..., int] = options.function
    return command(options)


def _with_flags_joined(words: list[str]) -> list[str]:
    """`--cflags -Dx` as one word, since argparse would take its value for another option."""
    at = next((i for i, word in enumerate(words[:-1]) if word in TAKE_FLAGS), None)
    if at is None:
        return words
    return [*words[:at], f"{words[at]}={words[at + 1]}", *_with_flags_joined(words[at + 2 :])]
