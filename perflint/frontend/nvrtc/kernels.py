"""The kernels of a source, as tree-sitter sees them: where they are and how to instantiate them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from perflint.frontend.nvrtc import syntax

_GLOBAL = re.compile(rb"\b__global__\b")
_TYPE_PARAMETERS = {"type_parameter_declaration", "optional_type_parameter_declaration"}


@dataclass(frozen=True)
class TemplateParameter:
    """One parameter of a template."""

    kind: str  #: `type`, `value` or `template`
    name: str
    type: str = ""  #: of a value
    optional: bool = False  #: has a default, or is a pack


@dataclass(frozen=True)
class KernelDefinition:
    """A `__global__` definition."""

    name: str
    qualified: str  #: with its namespaces
    line: int
    column: int
    end_line: int
    end_column: int
    template: tuple[TemplateParameter, ...] = ()
    parameters: tuple[str, ...] = ()  #: types of the function's parameters, as written
    condition: str = ""  #: the innermost `#if` around it
    condition_line: int = 0


def find_kernels(
    code: bytes, global_macros: frozenset[bytes] = frozenset()
) -> tuple[KernelDefinition, ...]:
    """All kernel definitions of a source, in order. `global_macros` expand to `__global__`."""
    if not _GLOBAL.search(code) and not global_macros:
        return ()
    return tuple(_find(syntax.parse(code), code, global_macros, ()))


def _find(
    node: Node, code: bytes, macros: frozenset[bytes], scope: tuple[str, ...]
) -> Iterator[KernelDefinition]:
    for child in node.children:
        if child.type == "namespace_definition":
            name = child.child_by_field_name("name")
            inner = (*scope, *syntax.text_of(name).split("::")) if name is not None else scope
            yield from _find(child, code, macros, inner)
            continue
        definition = syntax.templated(child)
        if definition.type == syntax.FUNCTION and _is_kernel(child, definition, code, macros):
            yield _kernel(child, definition, scope)
        elif child.type in syntax.CONTAINERS or child.type == "ERROR":
            yield from _find(child, code, macros, scope)


def _is_kernel(outer: Node, node: Node, code: bytes, macros: frozenset[bytes]) -> bool:
    body = node.child_by_field_name("body")
    if body is None or syntax.function_declarator(node) is None:
        return False
    head = code[outer.start_byte : body.start_byte]
    return bool(_GLOBAL.search(head)) or not macros.isdisjoint(re.findall(rb"\w+", head))


def _kernel(outer: Node, node: Node, scope: tuple[str, ...]) -> KernelDefinition:
    name = re.sub(r"<.*", "", syntax.function_name(node))
    name = re.sub(r"\w+\((\w+)\)", r"\1", name)  # `KERNEL(name)(float *a) {…}`
    condition, condition_line = _condition(outer)
    return KernelDefinition(
        name.split("::")[-1],
        "::".join((*scope, name)),
        outer.start_point[0] + 1,
        outer.start_point[1] + 1,
        outer.end_point[0] + 1,
        outer.end_point[1] + 1,
        tuple(template_parameters(outer)),
        tuple(parameter_types(node)),
        condition,
        condition_line,
    )


def template_parameters(node: Node) -> Iterator[TemplateParameter]:
    """The parameters of a `template_declaration`; none for another node."""
    if node.type != "template_declaration":
        return
    for child in next((c.children for c in node.children if "parameter_list" in c.type), []):
        name = child.child_by_field_name("declarator") or child.child_by_field_name("name")
        if name is None:
            names = [c for c in child.named_children if c.type.endswith("identifier")]
            name = names[-1] if names else None
        text = syntax.text_of(name) if name is not None else ""
        optional = "optional" in child.type or "variadic" in child.type
        if child.type in _TYPE_PARAMETERS or child.type == "variadic_type_parameter_declaration":
            yield TemplateParameter("type", text, optional=optional)
        elif "parameter_declaration" in child.type and child.type.startswith("template"):
            yield TemplateParameter("template", text)
        elif "parameter_declaration" in child.type:
            kind = child.child_by_field_name("type")
            yield TemplateParameter(
                "value", text, syntax.text_of(kind) if kind is not None else "int", optional
            )


def parameter_types(node: Node) -> Iterator[str]:
    """The types of a function's parameters as written, without const and the like: `T*`."""
    declarator = syntax.function_declarator(node)
    parameters = declarator.child_by_field_name("parameters") if declarator is not None else None
    for child in parameters.named_children if parameters is not None else []:
        if "parameter" in child.type:
            text, inner = syntax.text_of(child), child.child_by_field_name("declarator")
            while inner is not None and inner.type not in {"identifier", "array_declarator"}:
                deeper = inner.child_by_field_name("declarator")
                inner = deeper or (inner.named_children[-1] if inner.named_children else None)
            if inner is not None:
                text = text[: inner.start_byte - child.start_byte] + "*" * (
                    inner.type == "array_declarator"
                )
            yield re.sub(
                r"\b(?:const|volatile|__restrict__|__restrict|restrict)\b", "", text
            ).strip()


def _condition(node: Node) -> tuple[str, int]:
    """The innermost `#if` around a node that is no include guard, and its line."""
    parent = node.parent
    while parent is not None:
        if parent.type.startswith("preproc_") and not _is_guard(parent):
            first = syntax.text_of(parent).split("\n", 1)[0].strip()
            return first, parent.start_point[0] + 1
        parent = parent.parent
    return "", 0


def _is_guard(node: Node) -> bool:
    return bool(
        re.match(r"#\s*ifndef\s+(\w+)[^\n]*\s*\n\s*#\s*define\s+\1\b", syntax.text_of(node))
    )


def global_macros(macros: dict[bytes, bytes]) -> frozenset[bytes]:
    """The macros that expand to `__global__`, but to no whole function."""
    found = {n for n, body in macros.items() if _GLOBAL.search(body) and b"{" not in body}
    more = {n for n, body in macros.items() if found & set(re.findall(rb"\w+", body))}
    return frozenset(found | {n for n in more if b"{" not in macros[n]})
