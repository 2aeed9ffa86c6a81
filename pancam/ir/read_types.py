# SPDX-License-Identifier: Apache-2.0
"""Reads types from the tokens of one line of LLVM text: the bottom layer of the parser."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pancam.errors import UnsupportedError
from pancam.ir.text import name_of, tokenize
from pancam.ir.types import (
    FLOAT_TYPES,
    LABEL,
    METADATA,
    PTR,
    VOID,
    FunctionType,
    StructType,
    Type,
    array_type,
    function_type,
    int_type,
    literal_struct_type,
    other_type,
    pointer_type,
    vector_type,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

SIMPLE_TYPES: dict[str, Type] = {
    "ptr": PTR,
    "void": VOID,
    "label": LABEL,
    "metadata": METADATA,
    "token": other_type("token"),
    "x86_amx": other_type("x86_amx"),
    **FLOAT_TYPES,
    **{f"i{width}": int_type(width) for width in (1, 8, 16, 32, 64, 128)},
}


class IrSyntaxError(Exception):
    """The tokens do not form what was expected; turned into an UnsupportedError that shows the line."""


class StructTable:
    """Named struct types of a module, resolved from their definitions when first used."""

    def __init__(self, definitions: Mapping[str, str]) -> None:
        """`definitions` maps a token such as %struct.list to the text after `type`."""
        self._definitions = definitions
        self._types: dict[str, StructType] = {}

    def resolve(self, token: str) -> StructType:
        known = self._types.get(token)
        if known is None:
            text = self._definitions.get(token)
            if text is None:
                raise UnsupportedError(f"LLVM module without a definition of type {token}")
            known = self._types[token] = self._build(name_of(token), text)
        return known

    def _build(self, name: str, text: str) -> StructType:
        if text.strip() == "opaque":
            return StructType(name, (), packed=False, opaque=True)
        reader = TypeReader(self)
        reader.load(text)
        body = reader.read_type()
        if not isinstance(body, StructType):
            raise UnsupportedError(f"LLVM type %{name} is not a struct: {text}")
        return StructType(name, body.elements, body.packed, opaque=False)

    def all_types(self) -> dict[str, StructType]:
        """Every named struct by its name."""
        return {name_of(token): self.resolve(token) for token in self._definitions}


class TypeReader:
    """A cursor over the tokens of a line, able to read a type."""

    __slots__ = ("position", "structs", "tokens")

    def __init__(self, structs: StructTable) -> None:
        self.structs = structs
        self.tokens: list[str] = [""]
        self.position = 0

    def load(self, line: str) -> None:
        """Starts reading `line`; an empty token marks its end."""
        self.tokens = tokenize(line)
        self.tokens.append("")
        self.position = 0

    def expect(self, mark: str) -> None:
        if self.tokens[self.position] != mark:
            raise IrSyntaxError(f"expected {mark}")
        self.position += 1

    def accept(self, mark: str) -> bool:
        if self.tokens[self.position] == mark:
            self.position += 1
            return True
        return False

    def read_number(self) -> int:
        token = self.tokens[self.position]
        self.position += 1
        return int(token)

    def read_parenthesised_number(self) -> int:
        self.expect("(")
        number = self.read_number()
        self.expect(")")
        return number

    def skip_parentheses(self) -> None:
        """Passes over a bracketed group that starts at the current token."""
        depth = 0
        while True:
            token = self.tokens[self.position]
            if token == "":
                raise IrSyntaxError("unbalanced brackets")
            self.position += 1
            if token in ("(", "[", "{", "<"):
                depth += 1
            elif token in (")", "]", "}", ">"):
                depth -= 1
                if depth == 0:
                    return

    def read_type(self) -> Type:
        token = self.tokens[self.position]
        self.position += 1
        found = SIMPLE_TYPES.get(token)
        if found is None:
            found = self._read_rare_type(token)
        following = self.tokens[self.position]
        if following == "(":
            return self._read_function_type(found)
        if found is PTR and following == "addrspace":
            self.position += 1
            return pointer_type(self.read_parenthesised_number())
        return found

    def _read_rare_type(self, token: str) -> Type:
        first = token[:1]
        if first == "%":
            return self.structs.resolve(token)
        if first == "[":
            count = self.read_number()
            self.expect("x")
            element = self.read_type()
            self.expect("]")
            return array_type(count, element)
        if first == "<":
            return self._read_angle_type()
        if first == "{":
            return literal_struct_type(self._read_struct_elements())
        if first == "i" and token[1:].isdigit():
            return int_type(int(token[1:]))
        if token == "target":
            start = self.position - 1
            self.skip_parentheses()
            return other_type("".join(self.tokens[start : self.position]))
        raise IrSyntaxError(f"{token or 'end of line'} is not a type")

    def _read_angle_type(self) -> Type:
        if self.accept("{"):
            elements = self._read_struct_elements()
            self.expect(">")
            return literal_struct_type(elements, packed=True)
        scalable = self.accept("vscale")
        if scalable:
            self.expect("x")
        count = self.read_number()
        self.expect("x")
        element = self.read_type()
        self.expect(">")
        return vector_type(count, element, scalable)

    def _read_struct_elements(self) -> tuple[Type, ...]:
        """Element types up to and including the closing brace; the opening one is already passed."""
        elements: list[Type] = []
        while not self.accept("}"):
            if elements:
                self.expect(",")
            elements.append(self.read_type())
        return tuple(elements)

    def _read_function_type(self, result: Type) -> FunctionType:
        self.expect("(")
        params: list[Type] = []
        vararg = False
        while not self.accept(")"):
            if params or vararg:
                self.expect(",")
            if self.accept("..."):
                vararg = True
            else:
                params.append(self.read_type())
        return function_type(result, tuple(params), vararg)
