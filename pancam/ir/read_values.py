# SPDX-License-Identifier: Apache-2.0
"""Reads values, constants and attributes from the tokens of one line: the middle layer of the parser."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pancam.ir.floats import float_bits
from pancam.ir.model import NO_ATTRIBUTES, NO_FLAGS, ParamAttributes
from pancam.ir.read_types import SIMPLE_TYPES, IrSyntaxError, StructTable, TypeReader
from pancam.ir.text import name_of, unescape, unescape_bytes
from pancam.ir.types import METADATA, ArrayType, FloatType, IntType, StructType, Type, VectorType, vector_type
from pancam.ir.values import (
    BlockAddress,
    ConstantAggregate,
    ConstantExpr,
    ConstantFloat,
    ConstantInt,
    ConstantNull,
    ConstantPoison,
    ConstantString,
    ConstantUndef,
    ConstantZero,
    GlobalRef,
    InlineAsm,
    Local,
    MetadataValue,
    Value,
)

if TYPE_CHECKING:
    from collections.abc import Callable

CASTS = frozenset(
    [
        "trunc",
        "zext",
        "sext",
        "fptrunc",
        "fpext",
        "fptoui",
        "fptosi",
        "uitofp",
        "sitofp",
        "ptrtoint",
        "ptrtoaddr",
        "inttoptr",
        "bitcast",
        "addrspacecast",
    ]
)
CONSTANT_OPERATIONS = frozenset(
    [
        "getelementptr",
        "add",
        "sub",
        "mul",
        "xor",
        "and",
        "or",
        "shl",
        "lshr",
        "ashr",
        "extractelement",
        "insertelement",
        "shufflevector",
    ]
)
_LITERALS: dict[str, Callable[[Type], Value]] = {
    "null": ConstantNull,
    "none": ConstantNull,
    "undef": ConstantUndef,
    "poison": ConstantPoison,
    "zeroinitializer": ConstantZero,
}
_BOOLEANS = {"true": 1, "false": 0}
_OTHER_VALUE_WORDS = ("true", "false", "splat", "blockaddress", "no_cfi", "dso_local_equivalent", "asm", "ptrauth")
VALUE_WORDS = frozenset((*_LITERALS, *_OTHER_VALUE_WORDS)) | CASTS | CONSTANT_OPERATIONS
CONSTANT_FLAGS = frozenset(["inbounds", "nusw", "nuw", "nsw", "exact"])
_ASM_FLAGS = frozenset(["sideeffect", "alignstack", "inteldialect", "unwind"])
_NUMBER_STARTS = frozenset("-+0123456789")
_TYPE_ARGUMENTS = ("byval", "sret", "byref", "inalloca")


@dataclass
class SharedTables:
    """What all readers of one module share."""

    structs: StructTable
    group_attributes: Callable[[str], frozenset[str]]  # of a token such as #3
    globals: dict[str, GlobalRef] = field(default_factory=dict)
    integers: dict[tuple[Type, str], ConstantInt] = field(default_factory=dict)
    parameter_attributes: dict[tuple[str, ...], ParamAttributes] = field(default_factory=dict)


class ValueReader(TypeReader):
    """A cursor able to read typed values; `locals` holds the locals of the function being read."""

    __slots__ = ("locals", "shared")

    def __init__(self, shared: SharedTables) -> None:
        super().__init__(shared.structs)
        self.shared = shared
        self.locals: dict[str, Local] = {}

    def read_typed_value(self) -> Value:
        return self.read_value(self.read_type())

    def read_value(self, value_type: Type) -> Value:
        """The value that starts at the cursor, whose type is already read."""
        token = self.tokens[self.position]
        self.position += 1
        first = token[:1]
        if first == "%":
            return self.local(token, value_type)
        if first == "@":
            return self._global(token, value_type)
        if first in _NUMBER_STARTS:
            return self._number(token, value_type)
        literal = _LITERALS.get(token)
        if literal is not None:
            return literal(value_type)
        return self._read_rare_value(token, value_type)

    def local(self, token: str, value_type: Type) -> Local:
        known = self.locals.get(token)
        if known is None:
            known = self.locals[token] = Local(name_of(token), value_type)
        return known

    def _global(self, token: str, value_type: Type) -> GlobalRef:
        known = self.shared.globals.get(token)
        if known is None or known.type is not value_type:
            known = self.shared.globals[token] = GlobalRef(name_of(token), value_type)
        return known

    def _number(self, token: str, value_type: Type) -> Value:
        if isinstance(value_type, IntType):
            key = (value_type, token)
            known = self.shared.integers.get(key)
            if known is None:
                known = self.shared.integers[key] = ConstantInt(value_type, int(token))
            return known
        if isinstance(value_type, FloatType):
            return ConstantFloat(value_type, float_bits(value_type, token))
        raise IrSyntaxError(f"{token} is not a {value_type}")

    def _read_rare_value(self, token: str, value_type: Type) -> Value:  # noqa: PLR0911 - one return per kind of value
        if token in _BOOLEANS and isinstance(value_type, IntType):
            return ConstantInt(value_type, _BOOLEANS[token])
        if token.startswith('c"') and isinstance(value_type, ArrayType):
            return ConstantString(value_type, unescape_bytes(token[2:-1]))
        if token in ("[", "{", "<"):
            return self._read_aggregate(token, value_type)
        if token == "splat" and isinstance(value_type, VectorType):
            self.expect("(")
            element = self.read_typed_value()
            self.expect(")")
            return ConstantAggregate(value_type, (element,) * value_type.count)
        if token == "blockaddress":
            return self._read_block_address(value_type)
        if token in ("no_cfi", "dso_local_equivalent"):
            return self.read_value(value_type)
        if token == "asm":
            return self._read_inline_asm()
        if token.startswith("!"):
            return self._read_metadata_value(token)
        if value_type is METADATA:  # a value wrapped as metadata
            start = self.position = self.position - 1
            self.read_typed_value()
            return MetadataValue(" ".join(self.tokens[start : self.position]))
        if token in CASTS or token in CONSTANT_OPERATIONS:
            return self._read_constant_expression(token, value_type)
        raise IrSyntaxError(f"{token or 'end of line'} is not a value")

    def _read_aggregate(self, opening: str, value_type: Type) -> Value:
        closing = {"[": "]", "{": "}", "<": ">"}[opening]
        packed = opening == "<" and isinstance(value_type, StructType)
        if packed:
            self.expect("{")
            closing = "}"
        elements: list[Value] = []
        while not self.accept(closing):
            if elements:
                self.expect(",")
            elements.append(self.read_typed_value())
        if packed:
            self.expect(">")
        return ConstantAggregate(value_type, tuple(elements))

    def _read_block_address(self, value_type: Type) -> BlockAddress:
        self.expect("(")
        function = name_of(self.tokens[self.position])
        self.position += 1
        self.expect(",")
        block = name_of(self.tokens[self.position])
        self.position += 1
        self.expect(")")
        return BlockAddress(function, block, value_type)

    def _read_inline_asm(self) -> InlineAsm:
        flags = self.read_flags(_ASM_FLAGS)
        text, comma, constraints = self.tokens[self.position : self.position + 3]
        if comma != "," or not text.startswith('"') or not constraints.startswith('"'):
            raise IrSyntaxError("inline assembly of an unknown form")
        self.position += 3
        return InlineAsm(unescape(text[1:-1]), unescape(constraints[1:-1]), flags)

    def _read_metadata_value(self, token: str) -> MetadataValue:
        start = self.position - 1
        if self.tokens[self.position] in ("(", "{") and (token == "!" or token.startswith("!DI")):
            self.skip_parentheses()
        return MetadataValue(" ".join(self.tokens[start : self.position]))

    def read_flags(self, known: frozenset[str]) -> frozenset[str]:
        """The words of `known` at the cursor."""
        start = self.position
        while self.tokens[self.position] in known:
            self.position += 1
        return frozenset(self.tokens[start : self.position]) if self.position > start else NO_FLAGS

    def _read_constant_expression(self, operation: str, value_type: Type) -> ConstantExpr:
        flags = self.read_flags(CONSTANT_FLAGS)
        if self.accept("inrange"):
            self.skip_parentheses()
        self.expect("(")
        source_type: Type | None = None
        if operation == "getelementptr":
            source_type = self.read_type()
            self.expect(",")
        operands = [self.read_typed_value()]
        if operation in CASTS:
            self.expect("to")
            value_type = self.read_type()
        while self.accept(","):
            operands.append(self.read_typed_value())
        self.expect(")")
        return ConstantExpr(operation, value_type, tuple(operands), source_type, flags)

    def read_attributes(self) -> ParamAttributes:
        """Attributes at the cursor, up to a type, a value or a comma."""
        tokens = self.tokens
        start = self.position
        while is_attribute(tokens[self.position]):
            word = tokens[self.position]
            self.position += 1
            following = tokens[self.position]
            if following == "(":
                self.skip_parentheses()
            elif word == "align":
                self.position += 1
            elif following == "=":
                self.position += 2
        if self.position == start:
            return NO_ATTRIBUTES
        key = tuple(tokens[start : self.position])
        known = self.shared.parameter_attributes.get(key)
        if known is None:
            known = self.shared.parameter_attributes[key] = self._parse_attributes(key)
        return known

    def _parse_attributes(self, words: tuple[str, ...]) -> ParamAttributes:
        reader = TypeReader(self.structs)
        reader.tokens = [*words, ""]
        plain: set[str] = set()
        align: int | None = None
        types: dict[str, Type] = {}
        while reader.tokens[reader.position]:
            word = reader.tokens[reader.position]
            reader.position += 1
            if word == "align":
                align = (
                    reader.read_parenthesised_number()
                    if reader.tokens[reader.position] == "("
                    else reader.read_number()
                )
            elif word in _TYPE_ARGUMENTS:
                reader.expect("(")
                types[word] = reader.read_type()
                reader.expect(")")
            elif reader.tokens[reader.position] == "(":
                start = reader.position
                reader.skip_parentheses()
                plain.add(word + "".join(reader.tokens[start : reader.position]))
            elif reader.accept("="):
                plain.add(f"{word}={reader.tokens[reader.position]}")
                reader.position += 1
            else:
                plain.add(word)
        return ParamAttributes(frozenset(plain), align, **types)


def is_attribute(token: str) -> bool:
    """Whether `token` is an attribute word rather than the start of a type or value, a mark or the end."""
    first = token[:1]
    if first == '"':
        return True
    return (
        first.isalpha() and token not in SIMPLE_TYPES and token not in VALUE_WORDS and not _is_string_or_integer(token)
    )


def _is_string_or_integer(token: str) -> bool:
    return token.startswith('c"') or (token[0] == "i" and token[1:].isdigit()) or token == "target"


def boolean_like(value_type: Type) -> Type:
    """Type of a comparison of two values of `value_type`: i1, or a vector of i1."""
    i1 = SIMPLE_TYPES["i1"]
    if isinstance(value_type, VectorType):
        return vector_type(value_type.count, i1, value_type.scalable)
    return i1
