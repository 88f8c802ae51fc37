"""Parameters and declarators: the name, type, pointers and extents of what is declared."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perflint.frontend.source.model import TemplateParameter
from perflint.frontend.source.trees import Source, children_of

if TYPE_CHECKING:
    from tree_sitter import Node


_QUALIFIERS = re.compile(
    r"\b(?:const|constexpr|volatile|static|inline|extern|register|struct|typename|mutable"
    r"|__restrict__|__restrict|restrict|__device__|__host__|__constant__|__shared__|__managed__"
    r"|__global__|__forceinline__|__noinline__|thread_local)\b"
)


@dataclass(frozen=True, eq=False)
class Parameter:
    """A function parameter."""

    name: str
    type: str  #: the type's words, without qualifiers and declarator: `float`
    written: str  #: the type as written, `const float *`, without `__restrict__`
    pointers: int
    reference: bool  #: by non-const reference: the callee may write to it
    default: str | None = None


def type_words(text: str) -> str:
    """A written type without qualifiers: `const unsigned  int` is `unsigned int`."""
    return " ".join(_QUALIFIERS.sub(" ", text).replace("*", " ").replace("&", " ").split())


def declarator_of(node: Node | None) -> tuple[Node | None, int, bool, list[Node | None]]:
    """(name, pointers, reference, array extents) of a declarator."""
    pointers, reference, extents = 0, False, []
    while node is not None and node.type not in ("identifier", "field_identifier"):
        if node.type in ("pointer_declarator", "abstract_pointer_declarator"):
            pointers += 1
        elif node.type == "reference_declarator":
            reference = True
        elif node.type == "array_declarator":
            extents.append(node.child_by_field_name("size"))
        elif node.type in ("function_declarator", "qualified_identifier"):
            pointers += 1  # a function pointer; nothing is read from its type
        inner = node.child_by_field_name("declarator")
        if inner is None:
            children = [
                c for c in children_of(node) if "declarator" in c.type or c.type == "identifier"
            ]
            inner = children[-1] if children else None
        node = inner
    return node, pointers, reference, extents[::-1]


def parameter_of(source: Source, node: Node) -> Parameter:
    """Read a parameter_declaration."""
    declarator = node.child_by_field_name("declarator")
    name, pointers, reference, extents = declarator_of(declarator)
    default = node.child_by_field_name("default_value")
    end = default.start_byte if default is not None else node.end_byte
    text = source.slice(node.start_byte, end)
    if default is not None:
        text = text.rstrip().removesuffix("=")
    if name is not None:
        at = len(source.slice(node.start_byte, name.start_byte))
        length = len(source.text_of(name))
        text = text[:at] + " " + text[at + length :]
    text = re.sub(r"\b(?:__restrict__|__restrict|restrict)\b", " ", text)
    written = re.sub(r"\s*\*\s*", " *", " ".join(text.split())).strip()
    kind = node.child_by_field_name("type")
    return Parameter(
        source.text_of(name) if name is not None else "",
        type_words(source.text_of(kind)) if kind is not None else "",
        written.replace("* *", "**").replace("( *", "(*"),
        pointers + len(extents),
        reference and "const" not in written.split(),
        source.text_of(default) if default is not None else None,
    )


def template_parameters(source: Source, node: Node | None) -> tuple[TemplateParameter, ...]:
    """The parameters of a template_declaration; () for none."""
    return tuple(
        _template_parameter(source, child)
        for child in children_of(
            node.child_by_field_name("parameters") if node is not None else None
        )
    )


def _template_parameter(source: Source, node: Node) -> TemplateParameter:
    default = node.child_by_field_name("default_value") or node.child_by_field_name("default_type")
    type_ = node.child_by_field_name("type")
    kind = "template" if node.type.startswith("template") else "value"
    name = declarator_of(node.child_by_field_name("declarator"))[0]
    if "type_parameter" in node.type:
        kind, type_ = "type", None
        names = [c for c in children_of(node) if c.type == "type_identifier"]
        name = names[0] if names else node.child_by_field_name("name")
    elif name is None:
        names = [c for c in children_of(node) if c.type == "identifier"]
        name = names[-1] if names else None
    named = re.search(r"(\w+)\s*(?:=[^>]*)?$", source.text_of(node)) if kind == "template" else None
    return TemplateParameter(
        named[1] if named else source.text_of(name) if name is not None else "",
        " ".join(source.text_of(node).split()),
        kind,
        source.text_of(type_) if type_ is not None else "",
        source.text_of(default) if default is not None else None,
    )
