"""Copies of host memory to arrays of which all uses in host code are in sight.

Such an array is allocated, filled once, passed to kernels and freed, all in one function: what the
function copies to it can be copied elsewhere as well.
"""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from perflint.base.constructs import Fragment, HostCopy
from perflint.frontend.source.language.declarations import Call
from perflint.frontend.source.language.trees import spelled
from perflint.frontend.source.project.files import File

_TO_DEVICE = "cudaMemcpyHostToDevice"
#: Calls that leave what an array holds as it is.
_HARMLESS = ("cudaMalloc", "cudaFree")


def host_copies(file: File) -> Iterator[HostCopy]:
    """A file's copies of this kind, in text order."""
    text = file.source.text_of
    for call in file.declarations.calls.get("cudaMemcpy", ()):
        function = file.declarations.function_at(call.node.start_byte)
        if function is None or function.body is None or len(call.arguments) != 4:
            continue
        array, source, size, kind = map(text, call.arguments)
        found = spelled(function.body, file.source.bytes, array) if array.isidentifier() else ()
        uses = [node for node in found if node.type == "identifier"]
        if kind != _TO_DEVICE or not uses or not all(_is_plain(file, n, call) for n in uses):
            continue
        statement = _statement(call.node)
        if statement is None:
            continue
        span = file.source.span
        made, freed = (
            tuple(
                Fragment(text(around), span(around))
                for use in uses
                if (around := _statement(use, function.body)) is not None
                and text(around).startswith(f"{name}(")
            )
            for name in _HARMLESS
        )
        yield HostCopy(array, source, size, span(statement), made, freed, span(function.body))


def _is_plain(file: File, use: Node, copy: Call) -> bool:
    """Whether a use declares the array, allocates, fills or frees it, or passes it to a kernel."""
    node, around = use, use.parent
    while around is not None:
        if around == copy.node:
            return True
        if around.type == "call_expression":
            called = around.child_by_field_name("function")
            name = file.source.text_of(called) if called is not None else ""
            launch = any(child.type == "kernel_call_syntax" for child in around.children)
            return launch or name in _HARMLESS
        if around.type in ("declaration", "init_declarator"):
            return node.type in ("pointer_declarator", "identifier") and _declares(around, node)
        if around.type in ("expression_statement", "compound_statement"):
            return False
        node, around = around, around.parent
    return False


def _declares(declaration: Node, part: Node) -> bool:
    """Whether a part of a declaration is what it declares, and no initial value."""
    return declaration.child_by_field_name("value") != part


def _statement(node: Node, block: Node | None = None) -> Node | None:
    """The statement around a node, among those of a block; perhaps of a certain one."""
    around: Node | None = node
    while around is not None and around.type != "expression_statement":
        around = around.parent
    parent = around.parent if around is not None else None
    if parent is None or parent.type != "compound_statement":
        return None
    return around if block is None or parent == block else None
