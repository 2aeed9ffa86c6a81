# SPDX-License-Identifier: Apache-2.0
"""Emits virtual instructions for integer work of any width: picks opcode widths and immediate forms.

The lowering speaks in operands (a unit or a constant) and bit widths; what the machine has opcodes for is known here.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from pancam.bytecode.code import MASK32, MASK64, CodeBlock, Imm, Inst, LabelAddress, Operand, SlotValue, VirtualCode
from pancam.bytecode.layout import SLOT_BITS

COMMUTATIVE = {"ADD", "MUL", "AND", "OR", "XOR"}
IMMEDIATE_FORM = {"ADD", "MUL", "SHL", "LSHR", "ASHR", "AND", "OR", "XOR"}
WIDTHLESS = {"AND", "OR", "XOR"}
GROWS = {"ADD", "SUB", "MUL", "SHL", "SDIV", "SREM", "ASHR"}  # may set bits above an odd width
SIGNED = {"SDIV", "SREM", "ASHR"}
SWAPPED = {"eq": "eq", "ne": "ne", "ult": "ugt", "ule": "uge", "ugt": "ult", "uge": "ule",
           "slt": "sgt", "sle": "sge", "sgt": "slt", "sge": "sle"}  # fmt: skip


class Test(NamedTuple):
    """A comparison that the machine can do as `name` (a value) or as `J` + name (a jump)."""

    name: str
    left: int
    right: int | Imm


Condition: TypeAlias = "Test | bool"


def mask(bits: int) -> int:
    """Return `bits` ones."""
    return (1 << bits) - 1


def signed(value: int, bits: int) -> int:
    """The number that `bits` bits mean in two's complement."""
    value &= mask(bits)
    return value - (1 << bits) if value >> (bits - 1) else value


def container(bits: int) -> int:
    """The narrowest opcode width that holds `bits` bits."""
    return next(width for width in (8, 16, 32, 64) if bits <= width)


def fits(value: int, bits: int) -> bool:
    """Whether the number is one of so many bits, signed."""
    return -(1 << (bits - 1)) <= value < 1 << (bits - 1)


def fits32(value: int) -> bool:
    """Whether a signed 32-bit field holds the number."""
    return fits(value, 32)


class Emitter:
    """Writes into the current block of a function's virtual code."""

    def __init__(self, code: VirtualCode, pointer_bits: int) -> None:
        self.code = code
        self.pointer_bits = pointer_bits
        self.block = CodeBlock("")
        self.location: int | None = None

    def emit(self, name: str, a: int = 0, b: int = 0, c: int = 0, x: int = 0, y: int = 0) -> Inst:  # noqa: PLR0913, PLR0917
        inst = Inst(name, a, b, c, x & MASK32, y & MASK32)
        inst.location = self.location
        self.block.insts.append(inst)
        return inst

    def emit_imm(self, name: str, a: int, b: int, imm: int) -> Inst:
        """An instruction whose x and y are one 64-bit immediate."""
        return self.emit(name, a, b, 0, imm & MASK32, imm >> 32 & MASK32)

    def unit(self) -> int:
        return self.code.new_unit()

    def materialise(self, operand: Operand) -> int:
        """A unit that holds the operand."""
        if isinstance(operand, int):
            return operand
        unit = self.unit()
        self.assign(unit, operand)
        return unit

    def assign(self, unit: int, operand: Operand) -> None:
        """Unit := operand."""
        if isinstance(operand, int):
            if unit != operand:
                self.emit("MOV", unit, operand)
        elif isinstance(operand, LabelAddress):
            self.emit("CONST", unit).label = operand
        else:
            self.emit_imm("CONST", unit, 0, operand.value)

    def group(self, operands: SlotValue) -> int:
        """The first of consecutive units that hold the operands."""
        first = operands[0]
        if (
            isinstance(first, int)
            and self.code.group_size.get(first) == len(operands)
            and operands == tuple(range(first, first + len(operands)))
        ):
            return first
        base = self.code.new_unit(len(operands))
        for index, operand in enumerate(operands):
            self.assign(base + index, operand)
        return base

    # --- integers of at most 64 bits ---

    def truncate(self, operand: Operand, bits: int) -> Operand:
        """The low `bits` bits."""
        if bits >= SLOT_BITS:
            return operand
        if isinstance(operand, Imm):
            return Imm(operand.value & mask(bits))
        unit = self.unit()
        self.emit_imm("ANDI", unit, self.materialise(operand), mask(bits))
        return unit

    def sign_extend(self, operand: Operand, source: int, target: int) -> Operand:
        if source == target:
            return operand
        if isinstance(operand, Imm):
            return Imm(signed(operand.value, source) & mask(target))
        unit = self.unit()
        self.emit("SEXT", unit, self.materialise(operand), 0, source, target)
        return unit

    def binary(self, name: str, bits: int, left: Operand, right: Operand) -> Operand:
        """Left `name` right for integers of `bits` <= 64 bits."""
        if name in WIDTHLESS:
            return self._operation(name, name, left, right)
        width = container(bits)
        if width != bits and name in SIGNED:
            left = self.sign_extend(left, bits, width)
            right = right if name == "ASHR" else self.sign_extend(right, bits, width)
        if name == "SUB" and isinstance(right, Imm):
            name, right = "ADD", Imm(-right.value & MASK64)
        result = self._operation(name, str(width), left, right)
        return self.truncate(result, bits) if width != bits and name in GROWS else result

    def _operation(self, name: str, suffix: str, left: Operand, right: Operand) -> int:
        suffix = "" if name in WIDTHLESS else suffix
        if name in COMMUTATIVE and isinstance(left, Imm):
            left, right = right, left
        unit = self.unit()
        if isinstance(right, Imm) and name in IMMEDIATE_FORM:
            self.emit_imm(f"{name}I{suffix}", unit, self.materialise(left), right.value)
        else:
            a, b = self.materialise(left), self.materialise(right)
            self.emit(f"{name}{suffix}", unit, a, b)
        return unit

    # --- comparisons ---

    def condition(self, predicate: str, bits: int, left: Operand, right: Operand) -> Condition:
        """The comparison of two integers of at most 64 bits, ready to become a value or a jump."""
        if isinstance(left, Imm) and not isinstance(right, Imm):
            predicate, left, right = SWAPPED[predicate], right, left
        if isinstance(left, Imm) and isinstance(right, Imm):
            return fold_comparison(predicate, bits, left.value, right.value)
        if predicate[0] == "s" and container(bits) != bits:
            left, right = (self.sign_extend(o, bits, container(bits)) for o in (left, right))
            bits = container(bits)
        if isinstance(right, Imm):
            return self._condition_imm(predicate, bits, self.materialise(left), right.value)
        a, b = self.materialise(left), self.materialise(right)
        if predicate.endswith(("gt", "ge")):
            predicate, a, b = SWAPPED[predicate], b, a
        suffix = str(bits) if predicate[0] == "s" else ""
        return Test(predicate.upper() + suffix, a, b)

    def _condition_imm(self, predicate: str, bits: int, left: int, value: int) -> Condition:
        if predicate in ("eq", "ne"):
            return Test(predicate.upper() + "I", left, Imm(value))
        is_signed = predicate[0] == "s"
        number = signed(value, bits) if is_signed else value
        lowest, highest = (-(1 << (bits - 1)), mask(bits - 1)) if is_signed else (0, mask(bits))
        if (predicate[1:] == "le" and number == highest) or (predicate[1:] == "ge" and number == lowest):
            return True
        number += {"le": 1, "ge": -1}.get(predicate[1:], 0)
        name = ("S" if is_signed else "U") + ("LTI" if predicate[1] == "l" else "GTI")
        return Test(name + (str(bits) if is_signed else ""), left, Imm(number & MASK64))

    def test_value(self, condition: Condition) -> Operand:
        """0 or 1."""
        if isinstance(condition, bool):
            return Imm(int(condition))
        unit = self.unit()
        if isinstance(condition.right, Imm):
            self.emit_imm(condition.name, unit, condition.left, condition.right.value)
        else:
            self.emit(condition.name, unit, condition.left, condition.right)
        return unit

    def compare(self, predicate: str, bits: int, left: Operand, right: Operand) -> Operand:
        return self.test_value(self.condition(predicate, bits, left, right))

    # --- control ---

    def jump(self, label: str) -> None:
        self.emit("JMP").target = label

    def jump_if(self, condition: Condition, if_true: str, if_false: str) -> None:
        """End the block with a conditional jump."""
        if isinstance(condition, bool) or if_true == if_false:
            self.jump(if_true if condition else if_false)
            return
        name, left, right = condition
        if isinstance(right, Imm) and fits32(signed(right.value, SLOT_BITS)):
            self.emit("J" + name, left, y=right.value).target = if_true
        else:
            if isinstance(right, Imm):
                name, left, right = self._without_immediate(name, left, right)
            self.emit("J" + name, left, right).target = if_true
        self.jump(if_false)

    def _without_immediate(self, name: str, left: int, right: Imm) -> tuple[str, int, int]:
        unit = self.materialise(right)
        if "GTI" in name:  # a > imm is imm < a
            return name.replace("GTI", "LT"), unit, left
        return name.replace("I", "", 1), left, unit

    def select(self, condition: Operand, if_true: Operand, if_false: Operand) -> Operand:
        if isinstance(condition, Imm):
            return if_true if condition.value else if_false
        if if_true == if_false:
            return if_true
        a, b, c = (self.materialise(o) for o in (condition, if_true, if_false))
        unit = self.unit()
        self.emit("SELECT", unit, a, b, c)
        return unit

    def trap(self, fault: int) -> None:
        self.emit("TRAP", x=fault)


def fold_comparison(predicate: str, bits: int, left: int, right: int) -> bool:
    """The outcome of comparing two constants."""
    if predicate[0] == "s":
        left, right = signed(left, bits), signed(right, bits)
    order = predicate[1:] if predicate not in ("eq", "ne") else predicate
    return {
        "eq": left == right, "ne": left != right, "lt": left < right,
        "le": left <= right, "gt": left > right, "ge": left >= right,
    }[order]  # fmt: skip
