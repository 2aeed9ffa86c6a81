# SPDX-License-Identifier: Apache-2.0
"""Lowers the ends of blocks: branches, switches, returns. phis.py makes the moves that phis mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pancam.bytecode.code import Imm, JumpTable, Operand
from pancam.bytecode.competition import ERROR, handle_error, is_atomic_function, leave_section
from pancam.bytecode.emitter import Condition, Test, mask
from pancam.bytecode.layout import SLOT_BITS
from pancam.bytecode.phis import edge
from pancam.bytecode.symbols import UNDEFINED
from pancam.bytecode.traps import trap_edge
from pancam.ir.values import Local
from pancam.isa import faults

if TYPE_CHECKING:
    from pancam.bytecode.function import FunctionLowering, Handler
    from pancam.ir.model import Instruction
    from pancam.ir.values import Value

FEW_CASES = 3  # a switch with no more cases is a chain of comparisons


def handle_br(lowering: FunctionLowering, instruction: Instruction) -> None:
    if len(instruction.targets) == 1:
        trap = trap_edge(lowering, instruction, instruction.targets[0])
        lowering.emitter.jump(trap or edge(lowering, instruction.targets[0], shared_source=False))
        return
    condition = branch_condition(lowering, instruction.operands[0])
    if_true, if_false = (
        trap_edge(lowering, instruction, target) or edge(lowering, target, shared_source=True)
        for target in instruction.targets
    )
    lowering.emitter.jump_if(condition, if_true, if_false)


def branch_condition(lowering: FunctionLowering, value: Value) -> Condition:
    """The comparison that decides a branch, done by the jump itself where it was kept for it."""
    pending = lowering.pending_tests.get(value.name) if isinstance(value, Local) else None
    if pending is None:
        operand = lowering.operand(value)
        if isinstance(operand, Imm):
            return bool(operand.value)
        return Test("NEI", lowering.emitter.materialise(operand), Imm(0))
    left, right = (lowering.operand(operand) for operand in pending.operands)
    bits = lowering.layout.scalar_bits(pending.operands[0].type)
    assert pending.predicate is not None
    return lowering.emitter.condition(pending.predicate, bits, left, right)


def handle_switch(lowering: FunctionLowering, instruction: Instruction) -> None:
    bits = lowering.layout.scalar_bits(instruction.operands[0].type)
    if bits > SLOT_BITS:
        raise lowering.unsupported(f"a switch on {instruction.operands[0].type} is not supported")
    value = lowering.operand(instruction.operands[0])
    labels = {t: edge(lowering, t, shared_source=True) for t in dict.fromkeys(_switch_targets(instruction))}
    cases = sorted((case.value & mask(bits), labels[target]) for case, target in instruction.cases)
    default = labels[instruction.targets[0]]
    if isinstance(value, Imm):
        lowering.emitter.jump(dict(cases).get(value.value, default))
    elif len(cases) <= FEW_CASES:
        _compare_chain(lowering, value, bits, cases, default)
    else:
        inst = lowering.emitter.emit("SWITCH", lowering.emitter.materialise(value))
        inst.targets = JumpTable(cases, default)


def _switch_targets(instruction: Instruction) -> list[str]:
    return [instruction.targets[0], *(target for _, target in instruction.cases)]


def _compare_chain(
    lowering: FunctionLowering, value: Operand, bits: int, cases: list[tuple[int, str]], default: str
) -> None:
    emitter = lowering.emitter
    for number, label in cases:
        following = lowering.new_label("case")
        emitter.jump_if(emitter.condition("eq", bits, value, Imm(number)), label, following)
        lowering.start_block(following)
    emitter.jump(default)


def handle_indirectbr(lowering: FunctionLowering, instruction: Instruction) -> None:
    address = lowering.unit(instruction.operands[0])
    labels = {t: edge(lowering, t, shared_source=True) for t in dict.fromkeys(instruction.targets)}
    if not labels:
        lowering.emitter.trap(faults()["BAD_JUMP"][0])
        return
    inst = lowering.emitter.emit("JMPIND", address)
    # The value that selects a target is the address of its block; moves of phis may stand before the block itself.
    inst.targets = JumpTable([], next(iter(labels.values())))
    inst.targets.blocks = list(labels.items())


def handle_ret(lowering: FunctionLowering, instruction: Instruction) -> None:
    slots = lowering.value(instruction.operands[0]) if instruction.operands else ()
    emitter = lowering.emitter
    if is_atomic_function(lowering.function.name):
        slots = tuple(emitter.materialise(slot) for slot in slots)  # what it takes to have the result is inside
        leave_section(lowering)
    if not slots:
        emitter.emit("RET")
    elif len(slots) == 1 and isinstance(slots[0], Imm):
        emitter.emit_imm("RETI", 0, 0, slots[0].value)
    elif len(slots) == 1:
        emitter.emit("RETV", emitter.materialise(slots[0]))
    else:
        units = [emitter.materialise(slot) for slot in slots]
        for index, unit in enumerate(units):
            emitter.assign(lowering.code.result_unit(index), unit)
        inst = emitter.emit("RETN", len(slots))
        inst.extra_reads = tuple(lowering.code.result_unit(index) for index in range(len(slots)))


def handle_unreachable(lowering: FunctionLowering, instruction: Instruction) -> None:
    del instruction
    lowering.emitter.trap(faults()["UNREACHABLE"][0])


def handle_undefined(lowering: FunctionLowering, instruction: Instruction) -> None:
    del instruction
    lowering.emitter.trap(faults()["UNDEFINED_CALL"][0])


def handle_phi(lowering: FunctionLowering, instruction: Instruction) -> None:
    """The predecessors do the moves; here the result only gets its units."""
    assert instruction.result is not None
    lowering.stable(instruction.result)


HANDLERS: dict[str, Handler] = {
    "br": handle_br,
    "switch": handle_switch,
    "indirectbr": handle_indirectbr,
    "ret": handle_ret,
    "unreachable": handle_unreachable,
    "phi": handle_phi,
    UNDEFINED: handle_undefined,
    ERROR: handle_error,
}
