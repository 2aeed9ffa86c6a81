# SPDX-License-Identifier: Apache-2.0
"""Virtual code: bytecode instructions over an unlimited number of units, before slots are given out.

A unit is a 64-bit register that does not have its slot yet; a group is two or three consecutive units that must get
consecutive slots. The lowering writes this form, allocate.py gives out the slots, assemble.py turns it into bytes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from pancam.isa import OPCODES

if TYPE_CHECKING:
    from pancam.isa import Opcode

MASK64 = (1 << 64) - 1
MASK32 = (1 << 32) - 1


class Imm(NamedTuple):
    """A constant operand: the bits of a slot, zero-extended."""

    value: int


class LabelAddress(NamedTuple):
    """A constant operand that is known only when the code is laid out: the address of a block."""

    function: str
    block: str


Operand: TypeAlias = "int | Imm | LabelAddress"  # an int is a unit
SlotValue: TypeAlias = "tuple[Operand, ...]"  # one operand for each slot of an LLVM value


class Inst:
    """One virtual instruction; a, b, c and a SLOT x are units, `target` a block label, `targets` a table of them."""

    __slots__ = (
        "a",
        "b",
        "c",
        "extra_defines",
        "extra_reads",
        "label",
        "location",
        "op",
        "target",
        "targets",
        "x",
        "y",
    )

    def __init__(  # noqa: PLR0913, PLR0917 - the fields of an instruction
        self, name: str, a: int = 0, b: int = 0, c: int = 0, x: int = 0, y: int = 0
    ) -> None:
        self.op: Opcode = OPCODES[name]
        self.a, self.b, self.c, self.x, self.y = a, b, c, x, y
        self.location: int | None = None
        self.target: str | None = None
        self.targets: JumpTable | None = None
        self.label: LabelAddress | None = None  # imm is this address
        self.extra_defines: tuple[int, ...] = ()
        self.extra_reads: tuple[int, ...] = ()

    def copy(self) -> Inst:
        """Another one like this."""
        made = Inst(self.op.name, self.a, self.b, self.c, self.x, self.y)
        made.location, made.target, made.targets, made.label = self.location, self.target, self.targets, self.label
        made.extra_defines, made.extra_reads = self.extra_defines, self.extra_reads
        return made

    def labels(self) -> list[str]:
        """Where it may jump to."""
        found = [] if self.target is None else [self.target]
        return found if self.targets is None else [*found, *self.targets.labels()]

    def defines(self) -> list[int]:
        """The units this instruction writes."""
        units = [unit for name, count in self.op.defines for unit in self._span(name, count)]
        units.extend(self.extra_defines)
        return units

    def reads(self) -> list[int]:
        """The units this instruction reads."""
        units = [unit for name, count in self.op.reads for unit in self._span(name, count)]
        units.extend(self.extra_reads)
        return units

    def _span(self, name: str, count: int) -> range:
        first: int = getattr(self, name)
        return range(0) if first == NO_UNIT else range(first, first + count)


NO_UNIT = -1


@dataclass
class JumpTable:
    """Targets of a SWITCH, (value, label) with a default; or of a JMPIND, (block whose address is meant, label)."""

    cases: list[tuple[int, str]]
    default: str
    blocks: list[tuple[str, str]] = field(default_factory=list)

    def labels(self) -> list[str]:
        return [self.default, *(label for _, label in self.cases), *(label for _, label in self.blocks)]


@dataclass
class CodeBlock:
    """A run of instructions; it ends with jumps to its successors, a return or a trap, or falls into the next one."""

    label: str
    insts: list[Inst] = field(default_factory=list)
    falls_into: str | None = None

    def successors(self) -> list[str]:
        found: list[str] = [] if self.falls_into is None else [self.falls_into]
        for inst in self.insts:
            found.extend(inst.labels())
        return found


@dataclass(eq=False)
class VirtualCode:
    """The virtual code of one function.

    `parameters` are the units that hold the arguments on entry (slots 0, 1, ...), `results` those that RETN returns
    (slots 0, 1, ...), `outgoing` those of the frame of a function being called.
    """

    blocks: list[CodeBlock] = field(default_factory=list)
    group_base: list[int] = field(default_factory=list)  # of each unit: the first unit of its group
    group_size: dict[int, int] = field(default_factory=dict)  # of the first unit of each group
    parameters: list[int] = field(default_factory=list)
    results: list[int] = field(default_factory=list)
    outgoing: list[int] = field(default_factory=list)
    keeps_everything: bool = False  # a call may return twice: no slot is ever reused

    def new_unit(self, count: int = 1) -> int:
        base = len(self.group_base)
        self.group_base.extend([base] * count)
        self.group_size[base] = count
        return base

    def result_unit(self, index: int) -> int:
        while len(self.results) <= index:
            self.results.append(self.new_unit())
        return self.results[index]

    def outgoing_unit(self, index: int) -> int:
        while len(self.outgoing) <= index:
            self.outgoing.append(self.new_unit())
        return self.outgoing[index]
