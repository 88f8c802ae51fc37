"""Calls: device functions, CUDA's intrinsics, atomics, mathematical functions."""

from __future__ import annotations

from typing import Any

from perflint.frontend.csubset import atomics, functions, intrinsics, mathematics, textures
from perflint.frontend.csubset.lower_expressions import VALUES
from perflint.frontend.csubset.lowering import Lowering
from perflint.frontend.csubset.values import Value


def call(x: Lowering, node: Any) -> Value:
    """The value of a call. Raises OutsideError for a function that nobody knows."""
    if type(node.name).__name__ != "ID":
        raise x.outside("call through a pointer or an object", node)
    name = node.name.name
    for handler in (functions.call, intrinsics.call, atomics.call, textures.call, mathematics.call):
        found = handler(x, name, node)
        if found is not None:
            return found
    raise x.outside(f"the function {name}, which is nowhere in sight", node)


VALUES["FuncCall"] = call
