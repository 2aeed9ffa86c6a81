# SPDX-License-Identifier: Apache-2.0
"""The tool-info module for BenchExec: in a benchmark definition, tool="pancam.svcomp.benchexec_tool".

Only BenchExec imports this; pancam itself needs none of it.
"""

from __future__ import annotations

from typing import Any

from benchexec import result  # type: ignore[import-not-found]
from benchexec.tools.template import BaseTool2  # type: ignore[import-not-found]

from pancam.svcomp.tasks import DEFAULT_DATA_MODEL

PREFIX = "property "  # of the line with the answer: `property unreach-call: false(unreach-call)`
TIME_SHARE = 0.95  # of the limit, so that pancam can say itself why it gave up
MEMORY_SHARE = 0.9
EXIT_USAGE = 2


class Tool(BaseTool2):  # type: ignore[misc]
    """How BenchExec runs pancam and reads its answer."""

    def name(self) -> str:
        return "pancam"

    def executable(self, tool_locator: Any) -> str:  # noqa: ANN401
        path: str = tool_locator.find_executable("pancam")
        return path

    def version(self, executable: str) -> str:
        text: str = self._version_from_tool(executable, line_prefix="pancam ")
        return text

    def cmdline(self, executable: str, options: list[str], task: Any, rlimits: Any) -> list[str]:  # noqa: ANN401
        """The check of one property of the task's files, within the limits."""
        words = [executable, "check", "--quiet", *options]
        if task.property_file:
            words += ["--property", task.property_file]
        data_model = task.options.get("data_model") if isinstance(task.options, dict) else None
        words += ["--data-model", data_model or DEFAULT_DATA_MODEL]
        seconds = min((limit for limit in (rlimits.cputime, rlimits.walltime) if limit), default=None)
        if seconds is not None and "--time" not in options:
            words += ["--time", str(round(seconds * TIME_SHARE, 2))]
        if rlimits.memory and "--memory" not in options:
            words += ["--memory", str(int(rlimits.memory * MEMORY_SHARE))]
        return [*words, *task.input_files]

    def determine_result(self, run: Any) -> str:  # noqa: ANN401
        """The answer to the property; without one, what kept pancam from it."""
        lines = [line for line in run.output if line.startswith(PREFIX)]
        answer = lines[-1].rpartition(": ")[2].strip() if lines else ""
        if answer == "true":
            return str(result.RESULT_TRUE_PROP)
        if answer.startswith("false(") and answer.endswith(")"):
            return answer
        if answer or run.exit_code.value is None:
            return str(result.RESULT_UNKNOWN)
        if run.exit_code.value == EXIT_USAGE:
            said = [line for line in run.output if line.startswith("pancam: ")]
            return f"{result.RESULT_ERROR} ({said[-1].removeprefix('pancam: ')})" if said else str(result.RESULT_ERROR)
        return str(result.RESULT_ERROR)
