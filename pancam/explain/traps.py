# SPDX-License-Identifier: Apache-2.0
"""What a TRAPV says: the operation that a check of Clang's refused, with its numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pancam.isa import OPCODES, constants

if TYPE_CHECKING:
    from pancam.vm.machine import Fault, Machine

_SIGNS = {"TRAP_ADD": "+", "TRAP_SUB": "-", "TRAP_MUL": "*", "TRAP_SHL": "<<", "TRAP_SHR": ">>"}


def trap_text(machine: Machine, fault: Fault) -> str:
    """The numbers behind a fault that a TRAPV raised; nothing for any other fault."""
    instruction = machine.instruction(fault.pc)
    if instruction is None or instruction[0] != OPCODES["TRAPV"].number:
        return ""
    operation, bits = instruction[5] & 0xFF, instruction[5] >> 8
    left, right = (_signed(number, bits) for number in fault.detail)
    if operation == constants()["TRAP_INDEX"]:
        return f": index {left} of an array of {right} element{'s' if right != 1 else ''}"
    if operation == constants()["TRAP_NEGATE"]:
        return f": -({right}) does not fit into {bits} bits"
    sign = next(text for name, text in _SIGNS.items() if constants()[name] == operation)
    second = f"({right})" if right < 0 else str(right)
    return f": {left} {sign} {second}" + (f" in {bits} bits" if len(sign) > 1 else f" does not fit into {bits} bits")


def _signed(number: int, bits: int) -> int:
    number &= (1 << bits) - 1
    return number - (1 << bits) if number >> (bits - 1) else number
