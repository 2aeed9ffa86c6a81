# SPDX-License-Identifier: Apache-2.0
"""Makes code of nondeterministic calls: each calls a function of its own that chooses among the values found for it.

Where a value that stands for others is used for more than comparisons, a note is taken when that happens in the
search: only then does what was left out make a difference. The place that a note names is a Restriction.
"""

from __future__ import annotations

from collections import ChainMap, Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pancam.bytecode.program import Restriction
from pancam.errors import UsageError
from pancam.ir.types import I32, FloatType, IntType, PointerType
from pancam.ir.values import ConstantInt, GlobalRef
from pancam.isa import constants
from pancam.nondet.cells import Cells
from pancam.nondet.code import Code, call_of
from pancam.nondet.flow import Flow, follow
from pancam.nondet.kinds import UNINITIALISED, is_signed, kind_of
from pancam.nondet.overrides import override_for
from pancam.nondet.program_view import view_program
from pancam.nondet.uninitialised import FILL, PATTERNS_TEXT, give_values, write_fill
from pancam.nondet.uses import compared_floats, constant_number
from pancam.nondet.values import (
    FLOAT_CODES,
    SMALL_TYPE,
    Values,
    every_value,
    float_bits,
    float_values,
    has_few_cases,
    left_out,
    representatives,
    restricted,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pancam.errors import SourceLocation
    from pancam.ir.model import Function, Module
    from pancam.ir.types import Type
    from pancam.nondet.overrides import Override
    from pancam.nondet.program_view import Use

MOST_COMMON = 8
MALLOC_FAILS = "__pancam_malloc_may_fail"  # vm_c/guest/failure.c


@dataclass(frozen=True, slots=True)
class NondetOptions:
    """What a check wants of nondeterministic values."""

    overrides: tuple[Override, ...] = ()
    observed: bool = False  # somebody outside of the program's code may look at its variables
    malloc_may_fail: bool = False
    uninitialised: bool = False  # what was never assigned has any value
    small_type: int = SMALL_TYPE  # types with so many values are enumerated unless fewer stand for all


@dataclass
class Choices:
    """What is needed to run a program with nondeterministic values."""

    module: Module
    restrictions: tuple[Restriction, ...] = ()


def make_choices(module: Module, entries: Sequence[str], options: NondetOptions | None = None) -> Choices:
    """The module with code for all nondeterministic calls that can be reached from the entries."""
    options = options or NondetOptions()
    if options.malloc_may_fail and MALLOC_FAILS in module.globals:
        switch = module.globals[MALLOC_FAILS]
        changed = replace(switch, initializer=ConstantInt(I32, 1))
        module = replace(module, globals=ChainMap({MALLOC_FAILS: changed}, module.globals))  # type: ignore[arg-type]
    if options.uninitialised:
        give_values(module, entries)
    elif not options.overrides and not any(kind_of(name) for name in module.functions):
        return Choices(module)
    return _Rewriter(module, entries, options).run()


@dataclass
class _Site:
    """A call, or all calls through a pointer (then `use` is None)."""

    name: str
    type: Type
    use: Use | None = None
    place: SourceLocation | None = None
    flow: Flow = field(default_factory=lambda: Flow(0))
    values: Values = field(default_factory=lambda: Values((0,)))
    override: Override | None = None

    @property
    def kind(self) -> str:
        return kind_of(self.name) or ""

    @property
    def text(self) -> str:
        where = f" at {self.place.file}:{self.place.line}" if self.place else ""
        if self.override is not None:
            where = where if self.override.line else ""
            return f"nondet {self.kind}{where} = {self.override.wanted} (--nondet)"
        count = len(self.values.tried)
        if self.name == UNINITIALISED:
            return f"the unassigned variable{where} restricted to {count} of 2^{self.flow.width} values"
        return f"nondet {self.kind}{where} restricted to {count} of 2^{self.flow.width} values"


class _Rewriter:
    def __init__(self, module: Module, entries: Sequence[str], options: NondetOptions) -> None:
        self.program = view_program(module, entries)
        self.options = options
        self.code = Code(self.program)
        self.restrictions: list[Restriction] = []
        self._used: set[Override] = set()

    def run(self) -> Choices:
        sites = self._sites()
        if sites:
            self._analyse(sites)
        self._refuse_idle_overrides()
        for site in sites:
            self._write(site)
        if self.options.uninitialised and FILL in self.program.undefined:
            write_fill(self.code, self._note(Restriction(PATTERNS_TEXT)))
        module = self.program.module
        functions = ChainMap(self.code.functions, module.functions)  # type: ignore[arg-type]
        variables = ChainMap(self.code.globals, module.globals)  # type: ignore[arg-type]
        return Choices(replace(module, functions=functions, globals=variables), tuple(self.restrictions))

    # --- finding ---

    def _sites(self) -> list[_Site]:
        sites = []
        for name in sorted(self.program.undefined):
            declared = self.program.module.functions.get(name)
            if name != UNINITIALISED and (kind_of(name) is None or not _gives_scalar(declared)):
                continue
            for use in self.program.calls.get(name, []):
                place = self.program.module.source_location(use.instruction.location)
                sites.append(_Site(name, use.instruction.type, use, place))
            if declared is not None and (name in self.program.initial or self.program.mentions.get(name)):
                sites.append(_Site(name, declared.type.result))
        return sites

    # --- judging ---

    def _analyse(self, sites: list[_Site]) -> None:
        cells = Cells(self.program, self.options.observed)
        common = [number for number, _ in self._constants().most_common(MOST_COMMON)]
        for site in sites:
            if site.use is None or site.use.instruction.result is None:
                site.flow = Flow(self.program.layout.scalar_bits(site.type), is_lost=True)
            else:
                site.flow = follow(self.program, cells, (site.use.function, site.use.instruction.result))
            site.override = override_for(self.options.overrides, site.kind, site.place)
            site.values = self._values(site, common)

    def _constants(self) -> Counter[int]:
        """What the program's own code compares with."""
        found: Counter[int] = Counter()
        for function, _, instruction in self.program.instructions():
            if instruction.opcode in ("icmp", "switch") and not self.program.is_library(function):
                numbers = [constant_number(value) for value in instruction.operands]
                found.update(number for number in numbers if number is not None)
                found.update(case.value for case, _ in instruction.cases)
        return found

    def _values(self, site: _Site, common: Sequence[int]) -> Values:
        if site.override is not None:
            self._used.add(site.override)
            tried = _wanted_values(site.override, site.type, site.flow.width)
            return Values(tried, is_exact=len(tried) == 1 << site.flow.width)
        if site.kind == "bool":
            return Values((0,) if site.use is not None and site.flow.is_idle else (0, 1))
        if isinstance(site.type, FloatType):
            is_idle = site.use is not None and site.flow.is_idle
            tried = (0,) if is_idle else float_values(site.type.kind, compared_floats(self.program))
            return Values(tried, is_exact=is_idle)
        if site.flow.decisive or not has_few_cases(site.flow):
            site.flow.decide_splits()
        elif site.use is not None:
            return representatives(site.flow, signed=is_signed(site.kind))
        if 1 << site.flow.width <= self.options.small_type:
            return every_value(site.flow.width, signed=is_signed(site.kind))
        return restricted(site.flow, signed=is_signed(site.kind), common=common if site.flow.is_lost else ())

    def _refuse_idle_overrides(self) -> None:
        for override in self.options.overrides:
            if override.line and override not in self._used:
                raise UsageError(f"--nondet {override.text}: no nondeterministic value is asked for at that line")

    # --- writing ---

    def _write(self, site: _Site) -> None:
        note = None if site.values.is_exact else self._restriction(site)
        if site.use is None:
            self.code.chooser(site.name, site.type, site.values.tried, name=site.name, note=note)
            return
        instruction = site.use.instruction
        assert instruction.call is not None
        chooser = self.code.chooser(site.name, site.type, site.values.tried)
        instruction.call = call_of(GlobalRef(chooser), site.type, instruction.call.result_attributes)
        instruction.operands = ()
        if note is not None and (site.override is not None or isinstance(site.type, FloatType)):
            self.code.note(site.use, note)
        elif note is not None:
            outside = left_out(site.values, site.flow.width)
            spots = {(id(spot.use.instruction), spot.use.place, type(spot.node)): spot for spot in site.flow.decisive}
            for spot in spots.values():
                views = site.flow.views.get(spot.node, set())
                bad = [interval for view in views for interval in view.images(outside)]
                self.code.note_value(spot, note, bad)

    def _restriction(self, site: _Site) -> int:
        """The number of the site's note."""
        return self._note(Restriction(site.text, asked=site.override is not None))

    def _note(self, wanted: Restriction) -> int:
        if wanted in self.restrictions:
            return self.restrictions.index(wanted)
        if len(self.restrictions) == constants()["NOTES"]:  # the last one stands for all others
            self.restrictions[-1] = Restriction("nondeterministic values at many places restricted")
            return len(self.restrictions) - 1
        self.restrictions.append(wanted)
        return len(self.restrictions) - 1


def _gives_scalar(function: Function | None) -> bool:
    scalars = (IntType, PointerType, FloatType)
    return function is not None and not function.params and isinstance(function.type.result, scalars)


def _wanted_values(override: Override, type_: Type, width: int) -> tuple[int, ...]:
    if not isinstance(type_, FloatType):
        if override.floats:
            raise UsageError(f"--nondet {override.text}: {override.floats[0]} is no whole number")
        return override.numbers(width)
    if type_.kind not in FLOAT_CODES:
        raise UsageError(f"--nondet {override.text}: values of long double cannot be chosen")
    if any(low != high for low, high in override.ranges):
        raise UsageError(f"--nondet {override.text}: a range is for whole numbers")
    numbers = [*override.floats, *(float(low) for low, _ in override.ranges)]
    return tuple(dict.fromkeys(float_bits(type_.kind, number) for number in numbers))
