"""tree-sitter-cuda: the error-tolerant syntax tree of CUDA source."""

from __future__ import annotations

from functools import lru_cache

from tree_sitter import Node

from perflint.frontend.source.language import trees
from perflint.frontend.source.language.trees import function_declarator
from perflint.frontend.source.project.user_files import words


@lru_cache(maxsize=128)
def parse(text: bytes) -> Node:
    """The syntax tree's root. Any bytes have one: what does not parse becomes ERROR nodes."""
    return trees.parse_whole(text).root_node


#: Nodes that hold declarations without being one.
CONTAINERS = words(
    """
    translation_unit preproc_if preproc_ifdef preproc_else preproc_elif preproc_elifdef
    linkage_specification namespace_definition declaration_list field_declaration_list
    """
)
CLASSES = frozenset({"struct_specifier", "class_specifier", "union_specifier"})
FUNCTION = "function_definition"
#: What a template declares.
_TEMPLATED = CLASSES | {
    *(FUNCTION, "declaration", "template_declaration", "alias_declaration", "concept_definition")
}


def text_of(node: Node) -> str:
    """The source text of a node."""
    return (node.text or b"").decode("utf-8", "replace")


def function_name(node: Node) -> str:
    """The function's name as declared, `f`, `A::f`, `f<float>`; "" if there is none."""
    declarator = function_declarator(node)
    name = declarator.child_by_field_name("declarator") if declarator is not None else None
    return "".join(text_of(name).split()) if name is not None else ""


def templated(node: Node) -> Node:
    """What a `template<…>` declares; the node itself if it is no template."""
    while node.type == "template_declaration":
        inner = [c for c in node.children if c.type in _TEMPLATED]
        if not inner:
            return node
        node = inner[-1]
    return node
