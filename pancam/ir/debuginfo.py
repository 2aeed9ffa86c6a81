# SPDX-License-Identifier: Apache-2.0
"""C types and variables from debug information, in the compact form that traces print values with.

Types refer to each other by metadata id, so a struct may point to itself; id None stands for void.
"""

from __future__ import annotations

from dataclasses import dataclass

from pancam.errors import SourceLocation
from pancam.ir.metadata import MetadataNode, MetadataRef
from pancam.ir.model import DebugRecord, Function, GlobalVariable, Module

_KINDS = {
    "DW_TAG_base_type": "base",
    "DW_TAG_unspecified_type": "base",
    "DW_TAG_pointer_type": "pointer",
    "DW_TAG_structure_type": "struct",
    "DW_TAG_union_type": "union",
    "DW_TAG_array_type": "array",
    "DW_TAG_enumeration_type": "enum",
    "DW_TAG_typedef": "typedef",
    "DW_TAG_const_type": "const",
    "DW_TAG_volatile_type": "volatile",
    "DW_TAG_restrict_type": "restrict",
    "DW_TAG_atomic_type": "atomic",
    "DW_TAG_member": "member",
}
_DEFAULT_KINDS = {"DIBasicType": "base", "DISubroutineType": "function"}
TRANSPARENT_KINDS = frozenset(("typedef", "const", "volatile", "restrict", "atomic"))


@dataclass(frozen=True, slots=True)
class DebugMember:
    """A member of a struct or union; offset and size in bits. `name` is empty for an anonymous struct or union."""

    name: str
    type: int | None
    offset: int
    size: int
    is_bit_field: bool


@dataclass(frozen=True, slots=True)
class DebugType:
    """A C type.

    `kind` is base, pointer, struct, union, array, enum, function, typedef, const, volatile, restrict, atomic, unknown.
    `base` is the type pointed to, of the elements, behind the qualifier or name, below the enum, or of the result.
    """

    id: int
    kind: str
    name: str
    size: int  # in bits; 0 where the debug information does not say, as for qualifiers
    encoding: str = ""  # of a base type, as DWARF names it: signed, unsigned, float, boolean, signed_char...
    base: int | None = None
    members: tuple[DebugMember, ...] = ()
    counts: tuple[int | None, ...] = ()  # of an array, outermost first; None for a variable or unknown length
    enumerators: tuple[tuple[str, int], ...] = ()
    parameters: tuple[int | None, ...] = ()  # of a function
    is_variadic: bool = False
    is_complete: bool = True  # False for `struct s;`


@dataclass(frozen=True, slots=True)
class DebugVariable:
    """A variable as the programmer wrote it; `argument` counts from 1 and is 0 for what is not a parameter."""

    id: int
    name: str
    type: int | None
    location: SourceLocation
    argument: int = 0
    function: str = ""  # the function it belongs to, which differs from the current one after inlining
    scope: int | None = None
    scope_line: int = 0  # first line of the block it belongs to


class DebugInfo:
    """Types and variables of one module, each built once when first asked for."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._types: dict[int, DebugType] = {}

    def type(self, identifier: int) -> DebugType:
        """The type with this metadata id."""
        known = self._types.get(identifier)
        if known is None:
            known = self._types[identifier] = self._build_type(identifier)
        return known

    def resolve(self, identifier: int | None) -> DebugType | None:
        """The type behind typedefs and qualifiers; None for void."""
        while identifier is not None:
            found = self.type(identifier)
            if found.kind not in TRANSPARENT_KINDS:
                return found
            identifier = found.base
        return None

    def size(self, identifier: int | None) -> int:
        """Size of a type in bits, looked up behind typedefs and qualifiers; 0 when unknown."""
        found = self.resolve(identifier)
        return found.size if found is not None else 0

    def _build_type(self, identifier: int) -> DebugType:
        node = self._module.metadata(identifier)
        kind = _KINDS.get(node.text("tag"), _DEFAULT_KINDS.get(node.kind, "unknown"))
        elements = self._elements(node.ref("elements"))
        members: tuple[DebugMember, ...] = ()
        base = node.ref("baseType")
        parameters: tuple[int | None, ...] = ()
        is_variadic = False
        if kind in ("struct", "union"):
            members = tuple(self._member(element) for element in elements if element.text("tag") == "DW_TAG_member")
        elif kind == "function":
            base, parameters, is_variadic = self._signature(node.ref("types"))
        is_array, is_enum = kind == "array", kind == "enum"
        return DebugType(
            id=identifier,
            kind=kind,
            name=node.text("name"),
            size=node.number("size"),
            encoding=node.text("encoding").removeprefix("DW_ATE_"),
            base=base,
            members=members,
            counts=tuple(self._count(element) for element in elements) if is_array else (),
            enumerators=tuple((item.text("name"), item.number("value")) for item in elements) if is_enum else (),
            parameters=parameters,
            is_variadic=is_variadic,
            is_complete="DIFlagFwdDecl" not in node.text("flags"),
        )

    def _elements(self, identifier: int | None) -> list[MetadataNode]:
        if identifier is None:
            return []
        listed = self._module.metadata(identifier).elements
        return [self._module.metadata(element.id) for element in listed if isinstance(element, MetadataRef)]

    def _member(self, node: MetadataNode) -> DebugMember:
        base = node.ref("baseType")
        is_bit_field = "DIFlagBitField" in node.text("flags")
        return DebugMember(node.text("name"), base, node.number("offset"), node.number("size"), is_bit_field)

    @staticmethod
    def _count(node: MetadataNode) -> int | None:
        count = node.fields.get("count")
        return count if isinstance(count, int) and count >= 0 else None

    def _signature(self, identifier: int | None) -> tuple[int | None, tuple[int | None, ...], bool]:
        """(result, parameters, variadic): the list starts with the result, and a null at its end means `...`."""
        if identifier is None:
            return None, (), False
        listed = self._module.metadata(identifier).elements
        ids = [element.id if isinstance(element, MetadataRef) else None for element in listed]
        is_variadic = len(ids) > 1 and ids[-1] is None
        parameters = ids[1:-1] if is_variadic else ids[1:]
        return (ids[0] if ids else None), tuple(parameters), is_variadic

    def variable(self, identifier: int) -> DebugVariable:
        """The variable described by this DILocalVariable or DIGlobalVariable."""
        node = self._module.metadata(identifier)
        store = self._module.metadata_store
        scope = node.ref("scope")
        function, line = self._scope(scope)
        return DebugVariable(
            id=identifier,
            name=node.text("name"),
            type=node.ref("type"),
            location=SourceLocation(store.file_path(node.ref("file")), node.number("line")),
            argument=node.number("arg"),
            function=function,
            scope=scope,
            scope_line=line,
        )

    def _scope(self, scope: int | None) -> tuple[str, int]:
        """(function name, first line) of the block `scope`; an empty name at file level."""
        line = 0
        while scope is not None:
            node = self._module.metadata(scope)
            line = line or node.number("line")
            if node.kind == "DISubprogram":
                return node.text("name"), line
            scope = node.ref("scope")
        return "", 0

    def variables(self, function: Function) -> list[DebugVariable]:
        """Variables that the body of `function` describes, those of inlined functions included, in order."""
        found: dict[int, DebugVariable] = {}
        for block in function.blocks.values():
            for item in block.items:
                if isinstance(item, DebugRecord) and item.kind != "label" and item.variable not in found:
                    found[item.variable] = self.variable(item.variable)
        return list(found.values())

    def global_variable(self, variable: GlobalVariable) -> DebugVariable | None:
        """What the programmer called a global variable; None for one that the compiler made."""
        for identifier in variable.debug_ids:
            described = self._module.metadata(identifier).ref("var")
            if described is not None:
                return self.variable(described)
        return None

    def subprogram_location(self, function: Function) -> SourceLocation | None:
        """Where the function is defined in the source."""
        if function.subprogram is None:
            return None
        node = self._module.metadata(function.subprogram)
        return SourceLocation(self._module.metadata_store.file_path(node.ref("file")), node.number("line"))
