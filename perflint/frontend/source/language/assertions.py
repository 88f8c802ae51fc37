"""What macros and functions assert: they end a program, or say so, where that does not hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perflint.base.patterns import pattern
from perflint.frontend.source.language.trees import Source, children_of

if TYPE_CHECKING:
    from tree_sitter import Node

#: `assert(n > 0)`, `TORCH_CHECK(k <= 100, "…")`, `AT_ASSERTM(…)`, `CHECK_INPUT(x.dim() == 2)`.
_ASSERTS = pattern(r"(?:\w+::)*\w*(?:[Aa]ssert|ASSERT|CHECK|ENFORCE|REQUIRE|EXPECTS|VERIFY)\w*")
#: … and those of two arguments that are compared: `CHECK_EQ(a, b)`, `ASSERT_LE(n, 64)`.
_COMPARES = pattern(r"\w*(?:CHECK|ASSERT|ENFORCE|EXPECT|REQUIRE)_(EQ|NE|LT|LE|GT|GE)\w*")
_OPERATORS = {"EQ": "==", "NE": "!=", "LT": "<", "LE": "<=", "GT": ">", "GE": ">="}


def asserted_by(source: Source, call: Node) -> str:
    """The condition that a call asserts, as written; "" where it asserts none."""
    function = call.child_by_field_name("function")
    name = source.text_of(function) if function is not None else ""
    if not _ASSERTS.fullmatch(name) and not _COMPARES.fullmatch(name):
        return ""
    arguments = children_of(call.child_by_field_name("arguments"))
    texts = [source.text_of(argument) for argument in arguments[:2]]
    compared = _COMPARES.fullmatch(name)
    if compared is not None:
        sign = _OPERATORS[compared[1]]
        return f"({texts[0]}) {sign} ({texts[1]})" if len(texts) == 2 else ""
    return texts[0] if texts else ""
