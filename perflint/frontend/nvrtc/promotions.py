"""`pow(float, int)`, which NVRTC and nvcc type differently.

NVRTC has an overload of its own, which stays in float. Under nvcc the host's <cmath> decides, and
since C++11 (26.8 [c.math]) mixed arguments are promoted to double.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from perflint.frontend.nvrtc import syntax
from perflint.frontend.nvrtc.templates import declared_types

_WHOLE = re.compile(r"(?:(?:un)?signed|int|short|long|char|size_t|u?int\d+_t|uint|\s)+")


def mixed_powers(code: bytes) -> tuple[int, ...]:
    """The lines of `pow(float, int)` in a source without its host functions."""
    if b"pow" not in code:
        return ()
    return tuple(sorted(set(_lines(syntax.parse(code)))))


def _lines(root: Node) -> Iterator[int]:
    for call in syntax.nodes(root, "call_expression"):
        callee, arguments = (call.child_by_field_name(n) for n in ("function", "arguments"))
        if callee is None or syntax.text_of(callee) not in {"pow", "std::pow", "::pow"}:
            continue
        given = [a for a in arguments.named_children if a.type != "comment"] if arguments else []
        function: Node | None = call
        while function is not None and function.type != syntax.FUNCTION:
            function = function.parent
        if len(given) == 2 and function is not None:
            types = declared_types(function)
            if _type(given[0], types) == "float" and _WHOLE.fullmatch(_type(given[1], types)):
                yield call.start_point[0] + 1


def _type(node: Node, types: dict[str, str]) -> str:
    """The type of a plain expression: a literal, a variable, an array's element; "" of others."""
    if node.type == "number_literal":
        text = syntax.text_of(node).lower()
        if re.fullmatch(r"\d+u?l{0,2}u?", text):
            return "int"
        return "float" if text.endswith("f") and not text.startswith("0x") else "double"
    if node.type == "identifier":
        return types.get(syntax.text_of(node), "")
    if node.type == "subscript_expression":
        base = node.child_by_field_name("argument")
        whole = _type(base, types) if base is not None else ""
        return whole.removesuffix("*") if whole.endswith("*") else ""
    if node.type == "parenthesized_expression" and len(node.named_children) == 1:
        return _type(node.named_children[0], types)
    return ""
