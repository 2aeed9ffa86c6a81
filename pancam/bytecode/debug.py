# SPDX-License-Identifier: Apache-2.0
"""Makes the source map of a program: from its debug information, once its code is laid out."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from pancam.bytecode.code import Imm
from pancam.bytecode.liveness import live_out_sets
from pancam.bytecode.source_map import SourceMap
from pancam.ir.debuginfo import DebugInfo

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pancam.bytecode.assemble import FunctionCode
    from pancam.bytecode.function import DebugEntry
    from pancam.bytecode.symbols import Symbols


class SourceMapBuilder:
    """Collects the source map of a program after its code is laid out."""

    def __init__(self, symbols: Symbols, functions: Sequence[FunctionCode]) -> None:
        self.module = symbols.module
        self.symbols = symbols
        self.functions = functions
        self.info = DebugInfo(symbols.module)
        self._locations: list[list[tuple[str, str, int, int]]] = []
        self._location_index: dict[int, int] = {}
        self._types: dict[str, dict[str, Any]] = {}

    def build(self) -> SourceMap:
        pcs = [
            self._location(location) if location is not None else self._definition(function)
            for function in self.functions
            for location in function.locations
        ]
        functions = [self._function(function) for function in self.functions]
        variables = {name: row for name in self.symbols.objects if (row := self._global(name)) is not None}
        variables |= {name: row for name in self.symbols.thread_locals if (row := self._global(name)) is not None}
        return SourceMap(self.symbols.thread_limit, self._locations, pcs, functions, variables, self._types)

    def _definition(self, code: FunctionCode) -> int:
        """What no line made, such as the objects of a frame, belongs to the head of its function."""
        function = code.lowered.function
        place = self.info.subprogram_location(function)
        if place is None:
            return -1
        row = [(function.name, place.file, place.line, 0)]
        if not self._locations or self._locations[-1] != row:
            self._locations.append(row)
        return len(self._locations) - 1

    def _location(self, identifier: int) -> int:
        if identifier not in self._location_index:
            chain = self.module.location_chain(identifier)
            self._location_index[identifier] = len(self._locations)
            self._locations.append([(name, place.file, place.line, place.column) for name, place in chain])
        return self._location_index[identifier]

    def _function(self, code: FunctionCode) -> dict[str, Any]:
        function = code.lowered.function
        place = self.info.subprogram_location(function)
        return {
            "file": place.file if place else "",
            "line": place.line if place else 0,
            "variables": VariableRanges(code).rows(self._variable),
        }

    def _variable(self, identifier: int) -> dict[str, Any]:
        variable = self.info.variable(identifier)
        return {
            "name": variable.name, "type": self._type(variable.type), "line": variable.location.line,
            "argument": variable.argument, "function": variable.function,
        }  # fmt: skip

    def _global(self, name: str) -> dict[str, Any] | None:
        found = self.module.globals.get(name)
        variable = self.info.global_variable(found) if found is not None else None
        if variable is None:
            return None
        place = variable.location
        return {"name": variable.name, "type": self._type(variable.type), "file": place.file, "line": place.line,
                "function": variable.function}  # fmt: skip

    def _type(self, identifier: int | None) -> str:
        """The key of a type, with everything it refers to described as well; empty for void."""
        if identifier is None:
            return ""
        work = [identifier]
        while work:
            number = work.pop()
            if str(number) in self._types:
                continue
            type_ = self.info.type(number)
            row = {key: value for key, value in asdict(type_).items() if value not in ((), "", None, False, 0)}
            row.pop("id", None)
            self._types[str(number)] = row
            referred = [type_.base, *type_.parameters, *(member.type for member in type_.members)]
            work.extend(item for item in referred if item is not None)
        return str(identifier)


class VariableRanges:
    """Where each variable of a function is, as runs of pcs: data flow of the debug records over the blocks."""

    def __init__(self, code: FunctionCode) -> None:
        self.code = code
        assert code.allocation is not None
        self.slot_of = code.allocation.slot_of
        self.blocks = code.lowered.code.blocks
        self.live_units = self._unit_liveness()
        self.by_label: dict[str, list[DebugEntry]] = {}
        for entry in code.lowered.debug:
            self.by_label.setdefault(entry.label, []).append(entry)

    def _unit_liveness(self) -> dict[int, int]:
        """The units live before the instruction at each pc: a live slot alone may hold another unit by now."""
        found: dict[int, int] = {}
        live_out = live_out_sets(self.blocks)
        for block in self.blocks:
            live = live_out[block.label]
            for index in range(len(block.insts) - 1, -1, -1):
                inst = block.insts[index]
                for unit in inst.defines():
                    live &= ~(1 << unit)
                for unit in inst.reads():
                    live |= 1 << unit
                pc = self.code.positions[block.label, index]
                if pc != self.code.positions[block.label, index + 1]:  # a copy within one slot has no pc of its own
                    found[pc] = live
        return found

    def rows(self, describe: Any) -> list[dict[str, Any]]:  # noqa: ANN401
        """One row per variable: its description and its places as (first pc, end pc, place)."""
        places: dict[int, list[tuple[int, int, Any]]] = {}
        at_entry = self._solve()
        for position, block in enumerate(self.blocks):
            first = self.code.labels[block.label]
            following = self.blocks[position + 1].label if position + 1 < len(self.blocks) else None
            end = self.code.labels[following] if following is not None else self.code.end_pc
            self._block_places(block.label, (first, end), at_entry.get(block.label) or {}, places)
        return [{**describe(variable), "places": _merged(found)} for variable, found in places.items() if found]

    def _solve(self) -> dict[str, dict[int, DebugEntry] | None]:
        """What each variable is on entry of each block: where all ways into it agree."""
        state: dict[str, dict[int, DebugEntry] | None] = {block.label: None for block in self.blocks}
        if not self.by_label:
            return state
        state[self.blocks[0].label] = {}
        work = [self.blocks[0]]
        blocks = {block.label: block for block in self.blocks}
        while work:
            block = work.pop()
            leaving = dict(state[block.label] or {})
            leaving.update({entry.variable: entry for entry in self.by_label.get(block.label, ())})
            for target in block.successors():
                known = state[target]
                merged = leaving if known is None else {v: e for v, e in known.items() if leaving.get(v) is e}
                if known is None or len(merged) != len(known):
                    state[target] = dict(merged)
                    work.append(blocks[target])
        return state

    def _block_places(
        self,
        label: str,
        span: tuple[int, int],
        at_entry: dict[int, DebugEntry],
        places: dict[int, list[tuple[int, int, Any]]],
    ) -> None:
        current = {variable: (span[0], entry) for variable, entry in at_entry.items()}
        for entry in self.by_label.get(label, ()):
            pc = self.code.positions.get((label, entry.index), span[1])
            if entry.variable in current:
                self._close(*current[entry.variable], pc, places)
            current[entry.variable] = (pc, entry)
        for start, entry in current.values():
            self._close(start, entry, span[1], places)

    def _close(self, start: int, entry: DebugEntry, end: int, places: dict[int, list[tuple[int, int, Any]]]) -> None:
        found = places.setdefault(entry.variable, [])
        if not entry.where or start >= end:
            return
        constants = [operand.value for operand in entry.where if isinstance(operand, Imm)]
        units = [operand for operand in entry.where if isinstance(operand, int)]
        expression: dict[str, Any] = {"expression": list(entry.expression)} if entry.expression else {}
        if len(constants) == len(entry.where):
            found.append((start, end, {"constant": constants, **expression}))
            return
        if len(units) != len(entry.where):
            return
        registers = [self.slot_of[unit] for unit in units]
        key = "pointer" if entry.kind == "object" else "slots"
        place: dict[str, Any] = {key: registers, **expression}
        mask = sum(1 << unit for unit in units)
        keeps_everything = self.code.lowered.code.keeps_everything
        run = None
        for pc in range(start, end):  # only where the registers still hold the value
            if keeps_everything or self.live_units[pc] & mask == mask:
                run = pc if run is None else run
            elif run is not None:
                found.append((run, pc, place))
                run = None
        if run is not None:
            found.append((run, end, place))


def _merged(runs: list[tuple[int, int, Any]]) -> list[tuple[int, int, Any]]:
    """Neighbouring runs with the same place as one."""
    result: list[tuple[int, int, Any]] = []
    for start, end, place in sorted(runs, key=lambda run: run[:2]):
        if result and result[-1][1] == start and result[-1][2] == place:
            result[-1] = (result[-1][0], end, place)
        else:
            result.append((start, end, place))
    return result
