"""Classes that own device memory: which member points to it, and what hands that out.

`struct Buffer { float *p; float *get() { return p; } operator float *() { return p; } };`
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from perflint.base.records import dataclass
from perflint.frontend.source.host.calls.results import name_and_arguments
from perflint.frontend.source.host.objects.structs import fields, struct_of
from perflint.frontend.source.language.declarators import Definition
from perflint.frontend.source.language.trees import Source, children_of
from perflint.frontend.source.project.files import File

if TYPE_CHECKING:
    from tree_sitter import Node

    from perflint.frontend.source.host.values.environment import Environment


@dataclass(frozen=True, eq=False)
class BufferClass:
    """The class of an object, by which its device memory is looked for."""

    name: str
    node: Node
    file: File
    arguments: tuple[str, ...]  #: its template's, as the object's declaration writes them


def class_of(declaration: Definition, place: Environment) -> BufferClass | None:
    """The class of a local object; None of a pointer, a number, or what is not in sight."""
    if declaration.pointers or declaration.reference or declaration.static or declaration.extents:
        return None
    written = _written_type(declaration, place.file.source)
    if written == "auto" and declaration.value is not None:  # `auto x = Buffer<float>(n)`
        made = declaration.value.child_by_field_name("function")
        written = place.file.source.text_of(made) if made is not None else ""
    return class_named(written, place)


def class_named(written: str, place: Environment) -> BufferClass | None:
    """The class that a type names: `ns::Buffer<float>`; None of an alias of another's instance."""
    qualified, arguments = name_and_arguments(written)
    name = qualified.rsplit("::", 1)[-1]
    found = struct_of(name, place) if name.isidentifier() else None
    if found is None:
        return None
    node, there = found
    source = there.file.source
    named = node.child_by_field_name("name")
    if named is None or source.text_of(named) != name:
        return None
    scopes = (s for file in place.file.family for s in file.declarations.scopes)
    alike = sum(s.is_class and s.name == name for s in scopes)
    is_template = node.parent is not None and node.parent.type == "template_declaration"
    if alike != 1 or (bool(arguments) and not is_template):
        return None  # a specialisation has constructors of its own
    return BufferClass(name, node, there.file, arguments)


def _written_type(declaration: Definition, source: Source) -> str:
    """A declaration's type as written, `Buffer<float *>`, without qualifiers."""
    node = source.tree.root_node.descendant_for_byte_range(declaration.start, declaration.start)
    while node is not None and node.type not in ("declaration", "function_definition"):
        node = node.parent
    kind = node.child_by_field_name("type") if node is not None else None
    return source.text_of(kind) if kind is not None else ""


def is_pointer(class_: BufferClass, member: str) -> bool:
    """Whether a data member of the class itself is a plain pointer."""
    found = (f for f in fields(class_.node, class_.file.source) if f.name == member)
    return any(f.pointers == 1 and not f.reference and not f.extents for f in found)


def handed_out(class_: BufferClass, method: str) -> str | None:
    """The member that a method without arguments returns; of `operator T *` where it is "".

    None where overloads return several, or one does anything else.
    """
    found = set(_returned(class_.node, class_.file.source, method))
    return found.pop() if len(found) == 1 else None


@lru_cache(maxsize=1024)
def _returned(node: Node, source: Source, method: str) -> tuple[str | None, ...]:
    return tuple(_member(m, source) for m in _methods(node, source, method))


def _methods(node: Node, source: Source, method: str) -> Iterator[Node]:
    """The methods of a name in a class's body; the conversions to pointers where it is ""."""
    for each in children_of(node.child_by_field_name("body")):
        member = children_of(each)[-1] if each.type == "template_declaration" else each
        declared = member.child_by_field_name("declarator")
        while declared is not None and declared.type in (
            "pointer_declarator",
            "reference_declarator",
        ):
            declared = declared.child_by_field_name("declarator") or children_of(declared)[-1]
        if declared is None:
            continue
        name = declared.child_by_field_name("declarator")
        if declared.type == "operator_cast" and not method:
            if name is not None and name.type == "abstract_pointer_declarator":
                yield member
        elif declared.type == "function_declarator" and name is not None:
            yield from (member,) if method and source.text_of(name) == method else ()


def _member(method: Node, source: Source) -> str | None:
    """`p` of a method that is `{ return p; }`, and not by reference."""
    declared = method.child_by_field_name("declarator")
    body = method.child_by_field_name("body")
    statements = [s for s in children_of(body) if s.type != "comment"]
    if declared is None or declared.type == "reference_declarator" or len(statements) != 1:
        return None
    given = children_of(statements[0])
    if statements[0].type != "return_statement" or len(given) != 1:
        return None
    text = "".join(source.text_of(given[0]).split()).removeprefix("this->")
    return text if text.isidentifier() else None
