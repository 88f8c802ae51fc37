"""Numbers that a source writes as sums and products of integers, macros and constants."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from perflint.base.constructs import Constructs

_DEEPEST = 8  #: names that stand for names


def number(text: str, constructs: Constructs | None) -> int | None:
    """The value of a sum or product of integers and of a file's names for such; else None."""
    known = (*constructs.macros, *constructs.constants) if constructs else ()
    return _number(text, {each.name: each.body for each in known}, 0)


def _number(text: str, names: Mapping[str, str], depth: int) -> int | None:
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        return None
    return _value(tree, names, depth)


def _value(tree: ast.expr, names: Mapping[str, str], depth: int) -> int | None:
    if isinstance(tree, ast.Constant):
        return tree.value if isinstance(tree.value, int) else None
    if isinstance(tree, ast.Name) and depth < _DEEPEST:
        return _number(names.get(tree.id, ""), names, depth + 1)
    if isinstance(tree, ast.BinOp):
        left, right = (_value(side, names, depth) for side in (tree.left, tree.right))
        if left is None or right is None:
            return None
        if isinstance(tree.op, ast.Add):
            return left + right
        if isinstance(tree.op, ast.Sub):
            return left - right
        return left * right if isinstance(tree.op, ast.Mult) else None
    return None
