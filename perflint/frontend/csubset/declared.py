"""From a declaration's tree to its type."""

from __future__ import annotations

from typing import Any, Protocol

from perflint.frontend.csubset.outside import OutsideError
from perflint.frontend.csubset.types import INT, VOID, Array, Pointer, Type, lay_out
from perflint.frontend.source import c_types

#: Bytes of the largest array; more is no kernel's.
_LARGEST = 1 << 40


class Names(Protocol):
    """Where types and constants are looked up."""

    def type(self, name: str) -> Type: ...

    def fold(self, node: Any) -> int | float | None: ...


def typed(node: Any, names: Names, align: int = 0) -> Type:
    """The type of a declarator's tree. Raises OutsideError for one that the subset lacks."""
    kind = type(node).__name__
    if kind in ("TypeDecl", "Typename", "Decl"):
        return typed(node.type, names, align)
    if kind == "IdentifierType":
        return _named(tuple(node.names), names)
    if kind == "PtrDecl":
        if type(node.type).__name__ == "FuncDecl":
            raise OutsideError("function pointer")
        return Pointer(typed(node.type, names))
    if kind == "ArrayDecl":
        return _array(node, names)
    if kind in ("Struct", "Union"):
        if node.decls is None:
            return names.type(node.name)
        members = [
            (member.name or "", typed(member.type, names))
            for member in node.decls
            if type(member).__name__ == "Decl" and _is_field(member)
        ]
        return lay_out(node.name or "", members, kind == "Union", align)
    if kind == "Enum":
        return INT
    raise OutsideError("function pointer" if kind == "FuncDecl" else f"declaration ({kind})")


def _is_field(member: Any) -> bool:
    if member.bitsize is not None:
        raise OutsideError("bit-field")
    return True


def _named(words: tuple[str, ...], names: Names) -> Type:
    if words == ("void",):
        return VOID
    if len(words) == 1 and words[0] not in ("int", "char", "short", "long", "unsigned", "signed"):
        return names.type(words[0])
    found = c_types.basic_type(words)
    if found is None:
        raise OutsideError(f"type {' '.join(words)}")
    return found


def _array(node: Any, names: Names) -> Array:
    element = typed(node.type, names)
    if node.dim is None:
        return Array(element, 0)
    count = names.fold(node.dim)
    if not isinstance(count, int) or count < 0 or count * element.size > _LARGEST:
        raise OutsideError("array whose size is no constant")
    return Array(element, count)
