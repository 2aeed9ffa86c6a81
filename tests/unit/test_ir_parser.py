# SPDX-License-Identifier: Apache-2.0
"""The parser of LLVM text: every syntax the printer uses, read into the values the lowering expects."""

from __future__ import annotations

import pytest

from pancam.errors import UnsupportedError
from pancam.ir.model import DebugRecord, Instruction, Module
from pancam.ir.parser import parse_module
from pancam.ir.types import FLOAT_TYPES, I1, I32, I64, PTR, StructType, literal_struct_type, vector_type
from pancam.ir.values import (
    BlockAddress,
    ConstantAggregate,
    ConstantExpr,
    ConstantFloat,
    ConstantInt,
    ConstantNull,
    ConstantString,
    ConstantZero,
    GlobalRef,
    InlineAsm,
    Local,
)

TYPES = "%struct.s = type { i32, ptr }\n%packed = type <{ i8, i32 }>\n%later = type opaque\n\n"


def module_of(body: str, header: str = "define void @f(ptr %p, i32 %x, <4 x i32> %v) {") -> Module:
    attributes = 'attributes #0 = { noreturn memory(none) "k"="v" }'
    return parse_module(f"{TYPES}{header}\nentry:\n{body}\n}}\n\n{attributes}\n")


def one(line: str) -> Instruction:
    items = module_of(f"  {line}").functions["f"].blocks["entry"].items
    assert len(items) == 1
    assert isinstance(items[0], Instruction)
    return items[0]


def constant(text: str) -> object:
    return parse_module(f"{TYPES}@g = dso_local global {text}, align 8\n").globals["g"].initializer


def test_binary_flags_and_location() -> None:
    add = one("%r = add nuw nsw i32 %x, -7, !dbg !12, !tbaa !3")
    assert (add.opcode, add.location, add.type) == ("add", 12, I32)
    assert add.flags == {"nsw", "nuw"}
    assert add.operands == (Local("x", I32), ConstantInt(I32, -7))
    assert add.result == Local("r", I32)


@pytest.mark.parametrize(
    ("line", "flags"),
    [
        ("%r = or disjoint i32 %x, 1", {"disjoint"}),
        ("%r = udiv exact i32 %x, 2", {"exact"}),
        ("%r = zext nneg i32 %x to i64", {"nneg"}),
        ("%r = trunc nuw nsw i32 %x to i8", {"nuw", "nsw"}),
        ("%r = icmp samesign ult i32 %x, 3", {"samesign"}),
        ("%r = fadd reassoc nnan float 1.0, 2.0", {"reassoc", "nnan"}),
        ("%r = getelementptr inbounds nuw i8, ptr %p, i64 4", {"inbounds", "nuw"}),
        ("%r = getelementptr nusw i8, ptr %p, i64 4", {"nusw"}),
    ],
)
def test_flags(line: str, flags: set[str]) -> None:
    assert one(line).flags == flags


def test_comparisons() -> None:
    assert (one("%r = icmp slt i32 %x, 3").predicate, one("%r = icmp slt i32 %x, 3").type) == ("slt", I1)
    assert one("%r = fcmp fast oeq double 1.0, 0x7FF8000000000000").predicate == "oeq"
    assert one("%r = icmp eq <4 x i32> %v, zeroinitializer").type is vector_type(4, I1)


def test_memory_instructions() -> None:
    load = one('%r = load atomic volatile i32, ptr %p syncscope("singlethread") seq_cst, align 4')
    assert load.flags == {"atomic", "volatile"}
    assert (load.syncscope, load.ordering, load.align) == ("singlethread", "seq_cst", 4)
    assert one("%r = load i32, ptr @g, align 1").operands == (GlobalRef("g"),)
    store = one("store volatile ptr null, ptr %p, align 8, !dbg !4")
    assert (store.operands, store.align, store.result) == ((ConstantNull(PTR), Local("p", PTR)), 8, None)
    exchange = one("%r = cmpxchg weak volatile ptr %p, i32 1, i32 %x acq_rel monotonic, align 4")
    assert (exchange.ordering, exchange.failure_ordering) == ("acq_rel", "monotonic")
    assert exchange.type is literal_struct_type((I32, I1))
    assert exchange.flags == {"weak", "volatile"}
    rmw = one("%r = atomicrmw umax ptr %p, i64 9 release, align 8")
    assert (rmw.rmw_operation, rmw.ordering, rmw.type) == ("umax", "release", I64)
    fence = one('fence syncscope("singlethread") acquire')
    assert (fence.syncscope, fence.ordering) == ("singlethread", "acquire")


def test_alloca() -> None:
    plain = one("%r = alloca %struct.s, align 8")
    assert isinstance(plain.source_type, StructType)
    assert (plain.source_type.name, plain.source_type.elements, plain.align) == ("struct.s", (I32, PTR), 8)
    counted = one("%r = alloca i32, i64 5, align 16")
    assert (counted.operands, counted.align) == ((ConstantInt(I64, 5),), 16)


def test_control_flow() -> None:
    assert one("br label %entry, !dbg !1, !llvm.loop !2").targets == ("entry",)
    branch = one("br i1 true, label %entry, label %5")
    assert (branch.operands, branch.targets) == ((ConstantInt(I1, 1),), ("entry", "5"))
    switch = one("switch i32 %x, label %8 [\n    i32 1, label %5\n    i32 -2, label %entry\n  ], !dbg !231")
    assert switch.location == 231
    assert (switch.targets, switch.cases) == (("8",), ((ConstantInt(I32, 1), "5"), (ConstantInt(I32, -2), "entry")))
    assert one("indirectbr ptr %p, [label %8, label %9]").targets == ("8", "9")
    assert one("%r = phi i32 [ 1, %entry ], [ %x, %7 ]").incoming == (
        (ConstantInt(I32, 1), "entry"),
        (Local("x", I32), "7"),
    )
    assert one("ret void").operands == ()
    assert one("ret i32 poison").operands[0].type is I32


def test_calls() -> None:
    call = one(
        "%r = tail call fastcc noundef range(i32 0, 5) i32 (ptr, ...) @printf(ptr noundef nonnull align 4 "
        'captures(none) %p, ptr byval(%struct.s) align 8 %p, i32 -1) #0 [ "b"(i32 1) ], !dbg !3'
    )
    assert call.call is not None
    assert (call.call.callee, call.type, len(call.operands)) == (GlobalRef("printf"), I32, 3)
    assert call.call.function_type.vararg
    first, second, _ = call.call.argument_attributes
    assert first.words == {"noundef", "nonnull", "captures(none)"}
    assert first.align == 4
    assert isinstance(second.byval, StructType)
    assert call.call.attributes == {"noreturn", "memory(none)", '"k"="v"'}


def test_indirect_and_assembly_calls() -> None:
    indirect = one("call void %p(i32 %x)")
    assert indirect.call is not None
    assert indirect.call.callee == Local("p", PTR)
    assembly = one('call void asm sideeffect "nop, !dbg !7", "~{memory}"() #0, !dbg !9, !srcloc !8')
    assert assembly.location == 9
    assert assembly.call is not None
    assert assembly.call.callee == InlineAsm("nop, !dbg !7", "~{memory}", frozenset({"sideeffect"}))


def test_aggregates_and_vectors() -> None:
    assert one("%r = extractvalue { i32, { i64, i1 } } undef, 1, 0").type is I64
    inserted = one("%r = insertvalue { i32, i1 } poison, i1 false, 1")
    assert inserted.indices == (1,)
    assert one("%r = extractelement <4 x i32> %v, i64 2").type is I32
    shuffle = one("%r = shufflevector <4 x i32> %v, <4 x i32> poison, <2 x i32> <i32 3, i32 poison>")
    assert (shuffle.mask, shuffle.type) == ((3, None), vector_type(2, I32))
    splat = one("%r = add <4 x i32> %v, splat (i32 1)").operands[1]
    assert isinstance(splat, ConstantAggregate)
    assert splat.elements == (ConstantInt(I32, 1),) * 4


def test_unsupported_opcode_is_kept_and_nonsense_is_refused() -> None:
    invoke = one("%r = invoke i32 @g()\n          to label %5 unwind label %6")
    assert (invoke.opcode, "unwind" in invoke.text) == ("invoke", True)
    for line in ("%r = frobnicate i32 1", "%r = add i32 %x", "store i32", "%r = load nothing, ptr %p", "br label"):
        with pytest.raises(UnsupportedError, match="cannot read"):
            one(line)


@pytest.mark.parametrize(
    ("text", "bits"),
    [
        ("float 0x3FB99999A0000000", 0x3DCCCCCD),
        ("float 1.250000e+00", 0x3FA00000),
        ("float 0x7FF8000000000000", 0x7FC00000),
        ("float 0xFFF0000000000000", 0xFF800000),
        ("float 0x7FF4000000000000", 0x7FA00000),
        ("float 0x36A0000000000000", 0x00000001),
        ("double -0.000000e+00", 1 << 63),
        ("double 0x7FF0000000000000", 0x7FF << 52),
        ("x86_fp80 0xK4000C8F5C28F5C28F5C3", 0x4000C8F5C28F5C28F5C3),
        ("half 0xH3C00", 0x3C00),
        ("bfloat 0xR3F80", 0x3F80),
        ("fp128 0xL00000000000000003FFF000000000000", 0x3FFF << 112),
    ],
)
def test_floats(text: str, bits: int) -> None:
    assert constant(text) == ConstantFloat(FLOAT_TYPES[text.split(maxsplit=1)[0]], bits)


def test_constants() -> None:
    string = constant(r'[6 x i8] c"h\0A\22\\x\00"')
    assert isinstance(string, ConstantString)
    assert string.data == b'h\n"\\x\0'
    assert isinstance(constant("[4 x i32] zeroinitializer"), ConstantZero)
    packed = constant("%packed <{ i8 1, i32 2 }>")
    assert isinstance(packed, ConstantAggregate)
    assert len(packed.elements) == 2
    gep = constant("ptr getelementptr inbounds nuw inrange(-8, 8) (%struct.s, ptr @g, i64 0, i32 1)")
    assert isinstance(gep, ConstantExpr)
    assert (gep.op, len(gep.operands)) == ("getelementptr", 3)
    assert gep.flags == {"inbounds", "nuw"}
    nested = constant("i64 sub (i64 ptrtoint (ptr @g to i64), i64 5)")
    assert isinstance(nested, ConstantExpr)
    assert isinstance(nested.operands[0], ConstantExpr)
    assert constant('ptr blockaddress(@f, %"a b")') == BlockAddress("f", "a b")
    assert constant("ptr dso_local_equivalent @g") == GlobalRef("g")


def test_global_variables() -> None:
    text = (
        '@"a b" = internal thread_local(initialexec) unnamed_addr constant i32 5, section "x, !dbg !1", align 4, '
        "!dbg !9\n"
        "@e = external global [0 x i8]\n@al = weak alias i32 (), ptr @e\n@c = common global i32 0, align 4\n"
    )
    module = parse_module(text)
    first = module.globals["a b"]
    assert (first.is_thread_local, first.is_constant, first.linkage, first.align) == (True, True, "internal", 4)
    assert (first.section, first.debug_ids) == ("x, !dbg !1", (9,))
    assert module.globals["e"].is_declaration
    assert module.globals["c"].initializer == ConstantInt(I32, 0)
    assert module.aliases["al"].target == GlobalRef("e")


def test_function_headers_and_implicit_entry() -> None:
    text = (
        "define internal fastcc noundef ptr @f(ptr noalias sret(i32) align 4 %0, i32 noundef %named, ...) "
        'unnamed_addr #0 section "s" align 16 !dbg !79 {\n'
        "    #dbg_declare(ptr %0, !82, !DIExpression(DW_OP_plus_uconst, 8), !83)\n"
        "    #dbg_value(!DIArgList(i32 %named, i32 4), !84, !DIExpression(), !85)\n"
        "    #dbg_value(!4, !84, !DIExpression(), !85)\n"
        "    #dbg_assign(i1 undef, !84, !DIExpression(), !86, ptr %0, !DIExpression(), !87)\n"
        "    #dbg_label(!88, !89)\n"
        '  br label %"odd name"\n\n"odd name":                 ; preds = %1\n  ret ptr null\n}\n'
        "declare !dbg !5 i32 @g(i32, ...) #0\nattributes #0 = { noreturn }\n"
    )
    module = parse_module(text)
    function = module.functions["f"]
    assert (function.linkage, function.subprogram, function.variadic) == ("internal", 79, True)
    assert "noreturn" in function.attributes
    assert function.param_attributes[0].sret is I32
    assert list(function.blocks) == ["1", "odd name"]
    records = [item for item in function.blocks["1"].items if isinstance(item, DebugRecord)]
    assert [record.kind for record in records] == ["declare", "value", "value", "assign", "label"]
    assert records[0].expression == ("DW_OP_plus_uconst", 8)
    assert isinstance(records[1].value, tuple)
    assert records[2].value is None
    assert (records[4].variable, records[4].location) == (88, 89)
    declaration = module.functions["g"]
    assert (declaration.is_declaration, declaration.blocks, declaration.subprogram) == (True, {}, 5)


def test_equal_types_are_one_object() -> None:
    assert vector_type(2, I32) is vector_type(2, I32, False) is vector_type(2, I32, scalable=False)
    assert literal_struct_type((I32,)) is literal_struct_type((I32,), packed=False)
    assert literal_struct_type((I32,), True) is literal_struct_type((I32,), packed=True)


def test_parsing_is_lazy() -> None:
    module = parse_module("define void @bad() {\n  nonsense\n}\ndefine void @good() {\n  ret void\n}\n@x = global !!\n")
    assert len(module.functions["good"].blocks) == 1
    assert "x" in module.globals
    with pytest.raises(UnsupportedError):
        _ = module.functions["bad"].blocks
    with pytest.raises(UnsupportedError):
        _ = module.globals["x"]
    with pytest.raises(KeyError):
        _ = module.globals["absent"]
