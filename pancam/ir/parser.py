# SPDX-License-Identifier: Apache-2.0
"""Splits the text of a linked module into its parts without reading them, and reads a part when it is looked up.

The text is LLVM 22's own print of a verified module, so the layout is fixed: one global or header per line, bodies
between `{` and a `}` at the start of a line, numbered metadata last and in order.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

from pancam.errors import UnsupportedError
from pancam.ir.metadata import MetadataStore
from pancam.ir.model import Function, GlobalAlias, GlobalVariable, Module, ParamAttributes
from pancam.ir.read_code import READ_PROBLEMS, body_parser, debug_location, split_attachments
from pancam.ir.read_instructions import InstructionReader
from pancam.ir.read_types import StructTable
from pancam.ir.read_values import SharedTables, ValueReader
from pancam.ir.text import name_of, unescape
from pancam.ir.types import Type, function_type
from pancam.ir.values import Local, Value

Entry = TypeVar("Entry")

_GLOBAL_NAME = re.compile(r'@(?:"[^"]*"|[-\w.$]+)', re.ASCII)
_LINKAGES = frozenset(
    [
        "private",
        "internal",
        "available_externally",
        "linkonce",
        "linkonce_odr",
        "weak",
        "weak_odr",
        "common",
        "appending",
        "extern_weak",
        "external",
    ]
)
_DEBUG_ID = re.compile(r"!dbg !(\d+)")


class LazyTable(Mapping[str, Entry]):
    """An ordered read-only table from names to entries, each parsed when first looked up."""

    def __init__(self, texts: Mapping[str, str], parse: Callable[[str, str], Entry]) -> None:
        self._texts = texts
        self._parse = parse
        self._entries: dict[str, Entry] = {}

    def __getitem__(self, name: str) -> Entry:
        entry = self._entries.get(name)
        if entry is None:
            entry = self._entries[name] = self._parse(name, self._texts[name])
        return entry

    def __contains__(self, name: object) -> bool:
        return name in self._texts

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)


class _Sections:
    """The parts of a module's text, unread."""

    def __init__(self, text: str) -> None:
        self.functions: dict[str, str] = {}  # header line, with the body after it for a definition
        self.variables: dict[str, str] = {}
        self.aliases: dict[str, str] = {}
        self.types: dict[str, str] = {}
        self.groups: dict[str, str] = {}
        self.named_metadata: dict[str, str] = {}
        self.metadata: list[str] = []
        self.assembly: list[str] = []
        self.target: dict[str, str] = {"datalayout": "", "triple": ""}
        self._split(text)

    def _split(self, text: str) -> None:
        position, end = 0, len(text)
        while position < end:
            if text.startswith("define ", position):
                stop = text.find("\n}", position)
                if stop < 0:
                    raise UnsupportedError("LLVM module that ends inside a function")
                self._add_function(text[position:stop])
                position = stop + 3
                continue
            if text.startswith("!0 = ", position):
                self.metadata = text[position:].rstrip("\n").split("\n")
                return
            stop = text.find("\n", position)
            if stop < 0:
                stop = end
            if stop > position:
                self._add_line(text[position:stop])
            position = stop + 1

    def _add_function(self, text: str) -> None:
        match = _GLOBAL_NAME.search(text)
        if match is None:
            raise UnsupportedError(f"LLVM function without a name: {text.splitlines()[0]}")
        self.functions[name_of(match.group())] = text

    def _add_line(self, line: str) -> None:
        first = line[0]
        if first == "@":
            self._add_global(line)
        elif line.startswith("declare "):
            self._add_function(line)
        elif first == "%":
            name, _, definition = line.partition(" = type ")
            self.types[name] = definition
        elif line.startswith("attributes #"):
            name, _, words = line.removeprefix("attributes ").partition(" = ")
            self.groups[name] = words
        elif first == "!":
            name, _, nodes = line[1:].partition(" = ")
            self.named_metadata[name] = nodes[2:-1]
        elif line.startswith("target "):
            key, _, value = line.removeprefix("target ").partition(" = ")
            self.target[key] = value[1:-1]
        elif line.startswith("module asm "):
            self.assembly.append(unescape(line[12:-1]))
        elif first not in ";$^" and not line.startswith(("source_filename", "uselistorder")):
            raise UnsupportedError(f"LLVM text of an unknown form: {line}")

    def _add_global(self, line: str) -> None:
        match = _GLOBAL_NAME.match(line)
        if match is None:
            raise UnsupportedError(f"LLVM text of an unknown form: {line}")
        name = name_of(match.group())
        words = line[match.end() :].split(" ", 12)
        for word in words:
            if word in ("global", "constant"):
                self.variables[name] = line
                return
            if word in ("alias", "ifunc"):
                self.aliases[name] = line
                return
        raise UnsupportedError(f"LLVM global of an unknown form: {line}")


class _ModuleParser:
    """Reads the parts of one module on demand."""

    def __init__(self, sections: _Sections) -> None:
        self._sections = sections
        self._groups: dict[str, frozenset[str]] = {}
        self.structs = StructTable(sections.types)
        self.shared = SharedTables(self.structs, self.group_attributes)

    def group_attributes(self, token: str) -> frozenset[str]:
        """Attributes of the group `token` (#3), as words or as "key"="value"."""
        known = self._groups.get(token)
        if known is None:
            text = self._sections.groups.get(token)
            if text is None:
                raise UnsupportedError(f"LLVM module without attribute group {token}")
            reader = ValueReader(self.shared)
            reader.load(text[1:-1])
            known = self._groups[token] = reader.read_attributes().words
        return known

    def guarded(self, parse: Callable[[str, str], Entry]) -> Callable[[str, str], Entry]:
        """`parse` with every failure turned into an UnsupportedError that shows the line."""

        def parse_guarded(name: str, text: str) -> Entry:
            try:
                return parse(name, text)
            except READ_PROBLEMS as problem:
                line = text.partition("\n")[0][:300]
                raise UnsupportedError(f"LLVM IR that pancam cannot read ({problem}): {line}") from problem

        return parse_guarded

    def function(self, name: str, text: str) -> Function:
        header, _, body = text.partition("\n")
        reader = ValueReader(self.shared)
        reader.load(header)
        is_declaration = reader.tokens[0] == "declare"
        reader.position = 1
        while is_declaration and reader.tokens[reader.position].startswith("!"):  # attachments come first here
            reader.position += 2
        linkage = self._read_linkage(reader)
        result_attributes = reader.read_attributes()
        if "cc" in result_attributes.words:  # `cc 10`: the number ended the attributes
            reader.position += 1
            result_attributes = reader.read_attributes()
        result = reader.read_type()
        reader.position += 1  # the name
        params, attributes, vararg = self._read_params(reader)
        return Function(
            name=name,
            type=function_type(result, tuple(param.type for param in params), vararg),
            params=params,
            param_attributes=attributes,
            result_attributes=result_attributes,
            linkage=linkage,
            is_declaration=is_declaration,
            attributes=self._read_function_attributes(reader),
            subprogram=debug_location(header),
            parse_body=body_parser(lambda: InstructionReader(self.shared), body),
        )

    @staticmethod
    def _read_linkage(reader: ValueReader) -> str:
        token = reader.tokens[reader.position]
        if token in _LINKAGES:
            reader.position += 1
            return token
        return "external"

    @staticmethod
    def _read_params(reader: ValueReader) -> tuple[tuple[Local, ...], tuple[ParamAttributes, ...], bool]:
        reader.expect("(")
        params: list[Local] = []
        attributes: list[ParamAttributes] = []
        vararg = False
        while not reader.accept(")"):
            if params or vararg:
                reader.expect(",")
            if reader.accept("..."):
                vararg = True
                continue
            param_type: Type = reader.read_type()
            attributes.append(reader.read_attributes())
            token = reader.tokens[reader.position]
            if token.startswith("%"):
                reader.position += 1
                params.append(Local(name_of(token), param_type))
            else:
                params.append(Local(str(len(params)), param_type))
        return tuple(params), tuple(attributes), vararg

    def _read_function_attributes(self, reader: ValueReader) -> frozenset[str]:
        """Attribute groups and words after the parameters; what follows `section`, `gc` and the like is passed over."""
        attributes: set[str] = set()
        for token in reader.tokens[reader.position : -1]:
            if token.startswith("#"):
                attributes |= self.group_attributes(token)
            elif token[0].isalpha():
                attributes.add(token)
        return frozenset(attributes)

    def variable(self, name: str, line: str) -> GlobalVariable:
        code, attachments = split_attachments(line)
        reader = ValueReader(self.shared)
        reader.load(code)
        reader.position = 2  # past the name and the equals sign
        linkage = self._read_linkage(reader)
        words = self._read_words_until(reader, ("global", "constant"))
        is_constant = reader.tokens[reader.position - 1] == "constant"
        value_type = reader.read_type()
        is_declaration = linkage in ("external", "extern_weak") and reader.tokens[reader.position] in (",", "")
        initializer: Value | None = None if is_declaration else reader.read_value(value_type)
        align, section = self._read_variable_tail(reader)
        return GlobalVariable(
            name=name,
            type=value_type,
            linkage=linkage,
            is_constant=is_constant,
            is_declaration=is_declaration,
            is_thread_local="thread_local" in words,
            is_externally_initialized="externally_initialized" in words,
            align=align,
            section=section,
            addrspace=int(words[words.index("addrspace") + 2]) if "addrspace" in words else 0,
            debug_ids=tuple(map(int, _DEBUG_ID.findall(attachments))),
            initializer=initializer,
        )

    @staticmethod
    def _read_words_until(reader: ValueReader, ends: tuple[str, ...]) -> list[str]:
        start = reader.position
        while reader.tokens[reader.position] not in ends:
            reader.position += 1
        reader.position += 1
        return reader.tokens[start : reader.position - 1]

    @staticmethod
    def _read_variable_tail(reader: ValueReader) -> tuple[int | None, str | None]:
        """(alignment, section) after the initialiser; other words there do not change what the variable holds."""
        align: int | None = None
        section: str | None = None
        while reader.accept(","):
            word = reader.tokens[reader.position]
            reader.position += 1
            if word == "align":
                align = reader.read_number()
            elif word == "section":
                section = unescape(reader.tokens[reader.position][1:-1])
                reader.position += 1
            else:
                while reader.tokens[reader.position] not in (",", ""):
                    reader.position += 1
        return align, section

    def alias(self, name: str, line: str) -> GlobalAlias:
        reader = ValueReader(self.shared)
        reader.load(split_attachments(line)[0])
        reader.position = 2
        linkage = self._read_linkage(reader)
        self._read_words_until(reader, ("alias", "ifunc"))
        kind = reader.tokens[reader.position - 1]
        value_type = reader.read_type()
        reader.expect(",")
        return GlobalAlias(name, kind, value_type, linkage, reader.read_typed_value())


def parse_module(text: str) -> Module:
    """The module that LLVM printed as `text`."""
    sections = _Sections(text)
    parser = _ModuleParser(sections)
    return Module(
        functions=LazyTable(sections.functions, parser.guarded(parser.function)),
        globals=LazyTable(sections.variables, parser.guarded(parser.variable)),
        aliases=LazyTable(sections.aliases, parser.guarded(parser.alias)),
        struct_table=parser.structs,
        data_layout=sections.target["datalayout"],
        triple=sections.target["triple"],
        module_asm="\n".join(sections.assembly),
        metadata_store=MetadataStore(sections.metadata, sections.named_metadata),
    )
