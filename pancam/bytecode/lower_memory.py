# SPDX-License-Identifier: Apache-2.0
"""Lowers loads, stores, addresses, stack objects, atomics and the memory intrinsics.

No access is wider than the machine's word, and nothing but an atomic operation reads and writes in one instruction:
a wide value, a struct copy or a memcpy is a sequence of accesses that another thread can see half done.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pancam.bytecode.bits import regroup
from pancam.bytecode.code import MASK64, Imm, Operand, SlotValue
from pancam.bytecode.definedness import check_flags, is_copy
from pancam.bytecode.emitter import fits32, mask, signed
from pancam.bytecode.function import Address
from pancam.bytecode.layout import SLOT_BITS, Scalar
from pancam.ir.types import StructType, VectorType
from pancam.ir.values import ConstantInt, Local
from pancam.isa import constants

if TYPE_CHECKING:
    from pancam.bytecode.function import Evaluator, FunctionLowering, Handler
    from pancam.ir.model import Instruction
    from pancam.ir.types import Type
    from pancam.ir.values import Value

LARGEST_FIELD = 0xFFFF  # of the plain numbers in an instruction


def chunks(size: int, word: int) -> list[tuple[int, int]]:
    """(offset, size) of the accesses that cover `size` bytes, the largest first, each a power of two."""
    found, at = [], 0
    while at < size:
        width = word
        while width > size - at:
            width //= 2
        found.append((at, width))
        at += width
    return found


def access_flags(lowering: FunctionLowering, instruction: Instruction, address: Value) -> int:
    names = constants()
    flags = names["ACCESS_ATOMIC"] if instruction.ordering is not None else 0
    flags |= names["ACCESS_PRIVATE"] if lowering.is_private(address) else 0
    return flags | (names["ACCESS_VOLATILE"] if "volatile" in instruction.flags else 0)


def load_bytes(lowering: FunctionLowering, address: Address, size: int, flags: int) -> Operand:
    """One load of 1, 2, 4 or 8 bytes."""
    emitter, unit = lowering.emitter, lowering.emitter.unit()
    base, offset = normalised(lowering, address)
    if isinstance(base, Imm):
        emitter.emit_imm(f"LOADA{size * 8}", unit, 0, base.value).c = flags
    else:
        emitter.emit(f"LOAD{size * 8}", unit, emitter.materialise(base), flags, offset)
    return unit


def store_bytes(lowering: FunctionLowering, value: Operand, address: Address, size: int, flags: int) -> None:
    """One store of 1, 2, 4 or 8 bytes."""
    emitter = lowering.emitter
    base, offset = normalised(lowering, address)
    if isinstance(base, Imm):
        emitter.emit_imm(f"STOREA{size * 8}", emitter.materialise(value), 0, base.value).c = flags
        return
    pointer = emitter.materialise(base)
    number = signed(value.value, size * 8) if isinstance(value, Imm) else None
    if number is not None and fits32(number):
        emitter.emit(f"STOREI{size * 8}", 0, pointer, flags, offset, number)
    else:
        emitter.emit(f"STORE{size * 8}", emitter.materialise(value), pointer, flags, offset)


def load_marked(lowering: FunctionLowering, address: Address, size: int, flags: int) -> int:
    """One load whose unit is followed by another, with the marks of the bytes: a half of a copy."""
    emitter, unit = lowering.emitter, lowering.code.new_unit(2)
    base, offset = normalised(lowering, address)
    flags |= constants()["ACCESS_MARKED"]
    if isinstance(base, Imm):
        inst = emitter.emit_imm(f"LOADA{size * 8}", unit, 0, base.value)
        inst.c = flags
    else:
        inst = emitter.emit(f"LOAD{size * 8}", unit, emitter.materialise(base), flags, offset)
    inst.extra_defines = (unit + 1,)
    lowering.marked.add(unit)
    return unit


def store_marked(lowering: FunctionLowering, unit: Operand, address: Address, size: int, flags: int) -> None:
    """The other half. What has a constant address has no marks."""
    assert isinstance(unit, int)
    base, offset = normalised(lowering, address)
    if isinstance(base, Imm):
        lowering.emitter.emit_imm(f"STOREA{size * 8}", unit, 0, base.value).c = flags
        return
    flags |= constants()["ACCESS_MARKED"]
    pointer_unit = lowering.emitter.materialise(base)
    inst = lowering.emitter.emit(f"STORE{size * 8}", unit, pointer_unit, flags, offset)
    inst.extra_reads = (unit + 1,)


def normalised(lowering: FunctionLowering, address: Address) -> Address:
    """The same address with the offset folded into a constant base, or small enough for an instruction."""
    base, offset = address
    if isinstance(base, Imm):
        return Address(Imm((base.value + offset) & mask(lowering.layout.pointer_bits)), 0)
    if fits32(offset):
        return address
    return Address(lowering.emitter.binary("ADD", lowering.layout.pointer_bits, base, Imm(offset & MASK64)), 0)


def pointer(lowering: FunctionLowering, address: Address) -> Operand:
    """The address as one pointer operand."""
    base, offset = normalised(lowering, address)
    if isinstance(base, Imm) or not offset:
        return base
    return lowering.emitter.binary("ADD", lowering.layout.pointer_bits, base, Imm(offset & MASK64))


def _word(lowering: FunctionLowering, scalar: Scalar, flags: int) -> int:
    """The widest access for a scalar: an atomic or floating-point one is never torn."""
    whole = scalar.kind == "float" or flags & constants()["ACCESS_ATOMIC"]
    return 8 if whole else lowering.layout.pointer_bytes


def load_scalar(lowering: FunctionLowering, scalar: Scalar, address: Address, flags: int) -> SlotValue:
    result: list[Operand] = []
    for index, bits in enumerate(scalar.slot_bits):
        pieces: list[tuple[int, Operand]] = []
        for at, size in chunks((bits + 7) // 8, _word(lowering, scalar, flags)):
            place = Address(address.base, address.offset + 8 * index + at)
            pieces.append((size * 8, load_bytes(lowering, place, size, flags)))
        total = sum(width for width, _ in pieces)
        whole = regroup(lowering.emitter, pieces, [total])[0]
        result.append(lowering.emitter.truncate(whole, bits) if bits < total else whole)
    return tuple(result)


def store_scalar(lowering: FunctionLowering, scalar: Scalar, slots: SlotValue, address: Address, flags: int) -> None:
    for index, (bits, slot) in enumerate(zip(scalar.slot_bits, slots, strict=True)):
        for at, size in chunks((bits + 7) // 8, _word(lowering, scalar, flags)):
            place = Address(address.base, address.offset + 8 * index + at)
            value = shifted(lowering, slot, at * 8)
            store_bytes(lowering, value, place, size, flags)


def shifted(lowering: FunctionLowering, slot: Operand, bits: int) -> Operand:
    if not bits:
        return slot
    return Imm(slot.value >> bits) if isinstance(slot, Imm) else lowering.emitter.binary("LSHR", 64, slot, Imm(bits))


def memory_scalars(lowering: FunctionLowering, type_: Type) -> tuple[Scalar, ...]:
    """The scalars of a type as they lie in memory: lanes that are no whole bytes lie packed in one integer."""
    if isinstance(type_, VectorType) and lowering.layout.scalar_bits(type_.element) % 8:
        bits = lowering.layout.scalar_bits(type_.element) * type_.count
        return tuple(Scalar("int", min(SLOT_BITS, bits - at), at // 8) for at in range(0, bits, SLOT_BITS))
    return lowering.layout.scalars(type_)


def load_value(lowering: FunctionLowering, type_: Type, address: Address, flags: int = 0) -> SlotValue:
    """Load a first-class value, scalar by scalar."""
    scalars = memory_scalars(lowering, type_)
    loaded: list[Operand] = []
    for scalar in scalars:
        loaded.extend(load_scalar(lowering, scalar, Address(address.base, address.offset + scalar.offset), flags))
    lanes = lowering.layout.scalars(type_)
    if scalars is lanes or scalars == lanes:
        return tuple(loaded)
    pieces = [(scalar.bits, slot) for scalar, slot in zip(scalars, loaded, strict=True)]
    return regroup(lowering.emitter, pieces, [lane.bits for lane in lanes])


def store_value(lowering: FunctionLowering, type_: Type, slots: SlotValue, address: Address, flags: int = 0) -> None:
    """Store a first-class value, scalar by scalar."""
    scalars, lanes = memory_scalars(lowering, type_), lowering.layout.scalars(type_)
    if scalars != lanes:
        pieces = [(lane.bits, slot) for lane, slot in zip(lanes, slots, strict=True)]
        slots = regroup(lowering.emitter, pieces, [scalar.bits for scalar in scalars])
    at = 0
    for scalar in scalars:
        place = Address(address.base, address.offset + scalar.offset)
        store_scalar(lowering, scalar, slots[at : at + scalar.slots], place, flags)
        at += scalar.slots


def handle_load(lowering: FunctionLowering, instruction: Instruction) -> None:
    source = instruction.operands[0]
    if isinstance(source, Local) and source.name in lowering.variables:
        lowering.read_variable(instruction, source.name)
        return
    check_atomic_width(lowering, instruction, instruction.type)
    flags = access_flags(lowering, instruction, source)
    if lowering.symbols.tracks:
        if is_copy(lowering, instruction):
            size = lowering.layout.size(instruction.type)
            lowering.set_value(instruction, (load_marked(lowering, lowering.address(source), size, flags),))
            return
        flags |= check_flags(lowering, instruction)
    lowering.define(instruction, load_value(lowering, instruction.type, lowering.address(source), flags))


def handle_store(lowering: FunctionLowering, instruction: Instruction) -> None:
    value, target = instruction.operands
    if isinstance(target, Local) and target.name in lowering.variables:
        lowering.write_variable(target.name, value)
        return
    check_atomic_width(lowering, instruction, value.type)
    slots = lowering.value(value)
    if slots[0] in lowering.marked:
        size = lowering.layout.size(value.type)
        store_marked(lowering, slots[0], lowering.address(target), size, access_flags(lowering, instruction, target))
        return
    store_value(lowering, value.type, slots, lowering.address(target), access_flags(lowering, instruction, target))


def check_atomic_width(lowering: FunctionLowering, instruction: Instruction, type_: Type) -> None:
    if instruction.ordering is not None and lowering.layout.size(type_) not in (1, 2, 4, 8):
        raise lowering.unsupported(f"an atomic access of type {type_} is not supported")


# --- addresses ---


def evaluate_gep(lowering: FunctionLowering, instruction: Instruction) -> SlotValue:
    base = instruction.operands[0]
    if isinstance(instruction.type, VectorType):
        raise lowering.unsupported("getelementptr with a vector of pointers is not supported")
    offset, terms = gep_terms(lowering, instruction)
    start = lowering.address(base)
    return (_sum(lowering, start.base, terms, start.offset + offset),)


def _sum(lowering: FunctionLowering, base: Operand, terms: list[tuple[Operand, int]], offset: int) -> Operand:
    if not terms:
        return pointer(lowering, Address(base, offset))
    for index, scale in terms:
        base = _add_scaled(lowering, base, index, scale, offset)
        offset = 0
    return base


def _add_scaled(lowering: FunctionLowering, base: Operand, index: Operand, scale: int, offset: int) -> Operand:
    emitter, bits = lowering.emitter, lowering.layout.pointer_bits
    if not fits32(scale):
        index, scale = emitter.binary("MUL", bits, index, Imm(scale & MASK64)), 1
    if not fits32(offset):
        base, offset = emitter.binary("ADD", bits, base, Imm(offset & MASK64)), 0
    unit = emitter.unit()
    if isinstance(base, Imm) and 0 <= scale <= LARGEST_FIELD:
        index_unit = emitter.materialise(index)
        emitter.emit_imm("LEAI", unit, scale, (base.value + offset) & mask(bits)).c = index_unit
        return unit
    emitter.emit("LEA", unit, emitter.materialise(base), emitter.materialise(index), scale, offset)
    return unit


def gep_terms(lowering: FunctionLowering, instruction: Instruction) -> tuple[int, list[tuple[Operand, int]]]:
    """The constant byte offset of a getelementptr, and its variable (index, scale) terms."""
    layout = lowering.layout
    current = instruction.source_type
    assert current is not None
    offset, terms = 0, []
    for position, index in enumerate(instruction.operands[1:]):
        if position and isinstance(current, StructType):
            assert isinstance(index, ConstantInt)
            offset += layout.field_offset(current, index.value)
            current = current.elements[index.value]
            continue
        if position:
            current = layout.member_type(current, 0)
        scale = layout.size(current)
        if isinstance(index, ConstantInt):
            offset += index.value * scale
        elif scale:
            bits = layout.scalar_bits(index.type)
            terms.append((_pointer_sized(lowering, lowering.operand(index), bits), scale))
    return offset, terms


def _pointer_sized(lowering: FunctionLowering, index: Operand, bits: int) -> Operand:
    target = lowering.layout.pointer_bits
    if bits > target:
        return lowering.emitter.truncate(index, target)
    return lowering.emitter.sign_extend(index, bits, target)


def handle_gep(lowering: FunctionLowering, instruction: Instruction) -> None:
    """A constant step from a pointer is folded into the accesses that use it, if nothing else does.

    So is the constant part of another step: members of one element then share the address of the element.
    """
    assert instruction.result is not None
    name = instruction.result.name
    if name in lowering.address_only and not isinstance(instruction.type, VectorType):
        if all(isinstance(index, ConstantInt) for index in instruction.operands[1:]):
            lowering.folded[name] = instruction
            return
        offset, terms = gep_terms(lowering, instruction)
        start = lowering.address(instruction.operands[0])
        if terms and offset + start.offset and name not in lowering.values and name not in lowering.told:
            lowering.elements[name] = Address(_sum(lowering, start.base, terms, 0), start.offset + offset)
            return
    lowering.define(instruction, evaluate_gep(lowering, instruction))


# --- stack objects ---


def handle_alloca(lowering: FunctionLowering, instruction: Instruction) -> None:
    assert instruction.result is not None
    assert instruction.source_type is not None
    if instruction.result.name in lowering.variables:
        return
    size = lowering.layout.size(instruction.source_type)
    count = instruction.operands[0] if instruction.operands else None
    align_log2 = max((instruction.align or 1).bit_length() - 1, 0)
    unit = lowering.emitter.unit()
    if count is None or isinstance(count, ConstantInt):
        total = size * (count.value if isinstance(count, ConstantInt) else 1)
        escapes = constants()["STACK_ESCAPES"] if instruction.result.name in lowering.escaping else 0
        lowering.emitter.emit("ALLOCA", unit, c=align_log2, x=total, y=escapes)
    else:
        total_operand = lowering.emitter.binary("MUL", 64, lowering.operand(count), Imm(size))
        lowering.emitter.emit("ALLOCAV", unit, lowering.emitter.materialise(total_operand), align_log2)
    lowering.define(instruction, (unit,))


# --- atomics ---


def _atomic_bits(lowering: FunctionLowering, type_: Type) -> int:
    scalars = lowering.layout.scalars(type_)
    if len(scalars) != 1 or scalars[0].bits not in (8, 16, 32, 64):
        raise lowering.unsupported(f"an atomic operation on type {type_} is not supported")
    return scalars[0].bits


def _atomic_check(lowering: FunctionLowering) -> int:
    return constants()["ACCESS_CHECKED"] if lowering.symbols.tracks and not lowering.is_library else 0


def evaluate_atomicrmw(lowering: FunctionLowering, instruction: Instruction) -> SlotValue:
    target, value = instruction.operands
    bits = _atomic_bits(lowering, value.type)
    operation = constants().get(f"RMW_{(instruction.rmw_operation or '').upper()}")
    if operation is None:
        raise lowering.unsupported(f"atomicrmw {instruction.rmw_operation} is not supported")
    place = lowering.emitter.materialise(pointer(lowering, lowering.address(target)))
    operand, unit = lowering.unit(value), lowering.emitter.unit()
    lowering.emitter.emit(f"RMW{bits}", unit, place, operand, operation, _atomic_check(lowering))
    return (unit,)


def evaluate_cmpxchg(lowering: FunctionLowering, instruction: Instruction) -> SlotValue:
    target, expected, new = instruction.operands
    bits = _atomic_bits(lowering, new.type)
    place = lowering.emitter.materialise(pointer(lowering, lowering.address(target)))
    pair = lowering.emitter.group((lowering.operand(expected), lowering.operand(new)))
    result = lowering.code.new_unit(2)
    lowering.emitter.emit(f"CMPXCHG{bits}", result, place, pair, 0, _atomic_check(lowering))
    return (result, result + 1)


def handle_fence(lowering: FunctionLowering, instruction: Instruction) -> None:
    """Memory is sequentially consistent: a fence orders nothing that is not ordered already."""
    del lowering, instruction


# --- copies ---


def copy_bytes(lowering: FunctionLowering, target: Address, source: Address, size: int, flags: int = 0) -> None:
    """Copy a small, constant number of bytes: all loads first, so that overlapping memory is right too."""
    word = lowering.layout.pointer_bytes
    if lowering.symbols.tracks:
        parts = [(at, width, Address(source.base, source.offset + at)) for at, width in chunks(size, word)]
        copies = [(at, width, load_marked(lowering, place, width, flags)) for at, width, place in parts]
        for at, width, unit in copies:
            store_marked(lowering, unit, Address(target.base, target.offset + at), width, flags)
        return
    loaded = [
        (at, width, load_bytes(lowering, Address(source.base, source.offset + at), width, flags))
        for at, width in chunks(size, word)
    ]
    for at, width, value in loaded:
        store_bytes(lowering, value, Address(target.base, target.offset + at), width, flags)


def fill_bytes(lowering: FunctionLowering, target: Address, byte: int, size: int, flags: int = 0) -> None:
    """Set a small, constant number of bytes to a constant."""
    for at, width in chunks(size, lowering.layout.pointer_bytes):
        pattern = int.from_bytes(bytes([byte]) * width, "little")
        store_bytes(lowering, Imm(pattern), Address(target.base, target.offset + at), width, flags)


EVALUATORS: dict[str, Evaluator] = {
    "atomicrmw": evaluate_atomicrmw,
    "cmpxchg": evaluate_cmpxchg,
}

EXPRESSION_EVALUATORS: dict[str, Evaluator] = {"getelementptr": evaluate_gep}

HANDLERS: dict[str, Handler] = {
    "load": handle_load,
    "store": handle_store,
    "getelementptr": handle_gep,
    "alloca": handle_alloca,
    "fence": handle_fence,
}
