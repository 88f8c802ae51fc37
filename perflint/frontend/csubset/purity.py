"""Which expressions may be evaluated though the program would not: cheap, and without effects."""

from __future__ import annotations

from typing import Any

from perflint.frontend.csubset.lowering import Lowering

_BUILTINS = {"threadIdx", "blockIdx", "blockDim", "gridDim"}
_LIMIT = 12


def is_cheap(x: Lowering, node: Any) -> bool:
    """Registers and constants combined by a few operators that cannot trap."""
    return _cost(x, node) <= _LIMIT


def _cost(x: Lowering, node: Any) -> int:
    kind = type(node).__name__
    if kind == "Constant":
        return 1
    if kind == "ID":
        variable = x.local(node.name)
        return 1 if variable is None or variable.place.address is None else _LIMIT + 1
    if kind == "StructRef":
        if type(node.name).__name__ == "ID" and node.type == ".":
            if node.name.name in _BUILTINS:
                return 1
            variable = x.local(node.name.name)
            return 1 if variable and variable.place.address is None else _LIMIT + 1
        return _LIMIT + 1
    if kind == "Cast":
        return 1 + _cost(x, node.expr)
    if kind == "UnaryOp" and node.op in ("-", "+", "!", "~"):
        return 1 + _cost(x, node.expr)
    if kind == "BinaryOp" and node.op not in ("/", "%"):
        return 1 + _cost(x, node.left) + _cost(x, node.right)
    return _LIMIT + 1
