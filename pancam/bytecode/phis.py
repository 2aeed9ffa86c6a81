# SPDX-License-Identifier: Apache-2.0
"""The moves that phis mean, made where control leaves a block for another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pancam.ir.model import DebugRecord

if TYPE_CHECKING:
    from pancam.bytecode.code import Operand
    from pancam.bytecode.emitter import Emitter
    from pancam.bytecode.function import FunctionLowering
    from pancam.ir.model import Block

    Moves = list[tuple[int, Operand]]


def edge(lowering: FunctionLowering, target: str, *, shared_source: bool) -> str:
    """The label to jump to for block `target`, with the moves of its phis arranged.

    When the current block has several successors (shared_source) the moves get a block of their own.
    """
    moves = _phi_moves(lowering, lowering.function.blocks[target])
    if not moves:
        return target
    if not shared_source:
        _parallel_moves(lowering.emitter, moves)
        return target
    here, label = lowering.emitter.block, lowering.new_label("edge")
    lowering.start_block(label)
    _parallel_moves(lowering.emitter, moves)
    lowering.emitter.jump(target)
    lowering.emitter.block = here
    return label


def _phi_moves(lowering: FunctionLowering, target: Block) -> Moves:
    assert lowering.block is not None
    moves: Moves = []
    for item in target.items:
        if isinstance(item, DebugRecord):
            continue
        if item.opcode != "phi":
            break
        assert item.result is not None
        source = next(value for value, label in item.incoming if label == lowering.block.name)
        pairs = zip(lowering.stable(item.result), lowering.value(source), strict=True)
        moves.extend((unit, operand) for unit, operand in pairs if isinstance(unit, int) and unit != operand)
    return moves


def _parallel_moves(emitter: Emitter, moves: Moves) -> None:
    """Do all moves as if at once: a source is read before it is overwritten."""
    pending = list(moves)
    while pending:
        sources = [source for _, source in pending]
        ready = [move for move in pending if move[0] not in sources]
        if not ready:  # only cycles are left: save one source
            _, source = pending[0]
            temporary = emitter.unit()
            emitter.assign(temporary, source)
            pending = [(unit, temporary if operand == source else operand) for unit, operand in pending]
            continue
        for unit, operand in ready:
            emitter.assign(unit, operand)
        pending = [move for move in pending if move not in ready]
