"""What the arguments of a function that launches kernels are, by what it does with them."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from perflint.python_kernels.aligned import Given, given
from perflint.python_kernels.kernel_syntax import (
    calls,
    integers_of,
    kernel_of,
    pointers_of,
    tree_of,
)
from perflint.python_kernels.stand_ins.tensors import ALIASES, DTYPES, KEPT, Tensor

DEPTH = 4  #: calls that an argument is followed through
_OF_TENSORS = {n for n in dir(Tensor) if not n.startswith("_")} | KEPT | {*ALIASES, *DTYPES}


@dataclass
class Use:
    """What is done with one argument."""

    tensor: bool = False
    rank: int = 0  #: dimensions that are asked for, at least; 0: none
    exact: bool = False  #: there are no more
    words: list[Any] = field(default_factory=list)  #: what it is compared with or looked up in
    flag: bool = False  #: it is a condition
    integers: bool = False  #: a kernel takes its elements for integers


def launches_in(function: Any) -> list[Any]:
    """The kernels that a function launches itself: `kernel[grid](…)`."""
    node = tree_of(function)
    found = [] if node is None else [k for call in calls(node) if (k := _launched(call, function))]
    return list({id(kernel): kernel for kernel in found}.values())  # Triton's hash compiles


def uses_of(function: Any, depth: int = 0) -> dict[str, Use]:
    """What a function does with each of its arguments, itself and in what it calls."""
    node = tree_of(function)
    if node is None:
        return {}
    names = [a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
    uses = {name: Use() for name in names}
    reshaped = _reshaped(node)
    for each in ast.walk(node):
        line = getattr(each, "lineno", 0)
        still = {n: use for n, use in uses.items() if line <= reshaped.get(n, line)}
        _note(each, still, function)
    for call in calls(node):
        for argument, callee in _passed(call, function):
            _join_passed(argument, callee, uses, depth)
    return uses


#: What leaves a tensor's shape as it is.
_KEEPING = frozenset(
    {"contiguous", "to", "detach", "clone", "type", "type_as", "cuda", "requires_grad_"}
) | {*ALIASES, *DTYPES, *KEPT}  # fmt: skip


def _reshaped(node: ast.FunctionDef) -> dict[str, int]:
    """The variables that get another tensor, and in which line first."""
    found: dict[str, int] = {}
    for each in ast.walk(node):
        if not isinstance(each, ast.Assign):
            continue
        value = each.value.func if isinstance(each.value, ast.Call) else each.value
        if isinstance(value, ast.Attribute) and value.attr in _KEEPING:
            continue
        for target in each.targets:
            for name in ast.walk(target):
                if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store):
                    found[name.id] = min(each.lineno, found.get(name.id, each.lineno))
    return found


def _join(use: Use, inner: Use) -> None:
    use.tensor |= inner.tensor
    use.words += inner.words
    use.flag |= inner.flag
    use.integers |= inner.integers
    if inner.rank > use.rank and not use.exact:
        use.rank, use.exact = inner.rank, inner.exact


def _note(node: ast.AST, uses: Mapping[str, Use], function: Any) -> None:
    """What one node of a function says about arguments."""
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple):
        names = node.targets[0].elts
        use = _extents_of(node.value, uses)
        if use is not None and not any(isinstance(n, ast.Starred) for n in names):
            use.rank, use.exact = len(names), True
    elif isinstance(node, ast.Attribute) and (use := _named(node.value, uses)) is not None:
        use.tensor |= node.attr in _OF_TENSORS
    elif isinstance(node, ast.Subscript):
        if (use := _extents_of(node.value, uses)) is not None:
            _asked(use, node.slice)
        if (use := _named(node.value, uses)) is not None:
            use.tensor = True
        keys = _value(node.value, function)
        if (use := _named(node.slice, uses)) is not None and isinstance(keys, dict):
            use.words += keys
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        use = _named(node.func.value, uses)
        if use is not None and node.func.attr in ("size", "stride") and node.args:
            _asked(use, node.args[0])
        of_torch = isinstance(node.func.value, ast.Name) and node.func.value.id in ("torch", "F")
        if of_torch and node.args and (use := _named(node.args[0], uses)) is not None:
            use.tensor |= node.func.attr not in ("device", "tensor", "empty", "zeros", "ones")
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        for side in (node.left, node.right):
            if (use := _named(side, uses)) is not None:
                use.tensor = True
    elif isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
        if isinstance(node.ops[0], (ast.In, ast.NotIn)) and isinstance(node.left, ast.Constant):
            return  # whether it stands somewhere in a text
        texts = [n.value for s in sides for n in ast.walk(s) if isinstance(n, ast.Constant)]
        texts += [t for s in sides if isinstance(v := _value(s, function), dict) for t in v]
        for side in sides:
            if (use := _named(side, uses)) is not None:
                use.words += [t for t in texts if isinstance(t, str)]
    elif isinstance(node, (ast.If, ast.IfExp)):
        test = node.test.operand if isinstance(node.test, ast.UnaryOp) else node.test
        if (use := _named(test, uses)) is not None:
            use.flag = True


def _named(node: ast.AST, uses: Mapping[str, Use]) -> Use | None:
    return uses.get(node.id) if isinstance(node, ast.Name) else None


def _extents_of(node: ast.AST, uses: Mapping[str, Use]) -> Use | None:
    """The argument whose shape or strides an expression is."""
    if isinstance(node, ast.Call) and not node.args:
        node = node.func
    if isinstance(node, ast.Attribute) and node.attr in ("shape", "size", "stride"):
        return _named(node.value, uses)
    return None


def _asked(use: Use, index: ast.AST) -> None:
    """One extent of a shape is asked for: there are as many dimensions."""
    sign = -1 if isinstance(index, ast.UnaryOp) and isinstance(index.op, ast.USub) else 1
    number = index.operand if isinstance(index, ast.UnaryOp) else index
    if isinstance(number, ast.Constant) and isinstance(number.value, int) and not use.exact:
        wanted = max(2, number.value) if sign < 0 else number.value + 1
        use.rank = max(use.rank, wanted)


def _value(node: ast.AST, function: Any) -> Any:
    """What a name or `module.name` stands for where a function is defined."""
    if isinstance(node, ast.Name):
        return function.__globals__.get(node.id)
    if isinstance(node, ast.Attribute):
        inner = _value(node.value, function)
        return None if inner is None else getattr(inner, node.attr, None)
    return None


def _launched(call: ast.Call, function: Any) -> Any:
    if not isinstance(call.func, ast.Subscript):
        return None
    value = _value(call.func.value, function)
    return value if kernel_of(value) is not None else None


def _passed(call: ast.Call, function: Any) -> Iterator[tuple[Given, Any]]:
    """What is passed on to a kernel or a function, and to whom."""
    target = call.func.value if isinstance(call.func, ast.Subscript) else call.func
    callee = _value(target, function)
    inner = kernel_of(callee) or (inspect.unwrap(callee) if inspect.isfunction(callee) else None)
    node = None if inner is None else tree_of(inner)
    if node is None:
        return
    every = [*node.args.posonlyargs, *node.args.args]
    needed = every[: len(every) - len(node.args.defaults)]
    required = [a.arg for a in needed if "constexpr" not in ast.unparse(a.annotation or node.args)]
    for each in given(call, [a.arg for a in every], required):
        yield each, callee


def _join_passed(each: Given, callee: Any, uses: Mapping[str, Use], depth: int) -> None:
    """What the one to whom an argument is passed on says about it."""
    if each.rank and (use := _extents_of(each.value, uses)) is not None:
        use.tensor = True
        if not use.exact:
            use.rank, use.exact = max(use.rank, each.rank), True
    if (use := _named(each.value, uses)) is None or each.rank:
        return
    kernel = kernel_of(callee)
    if kernel is not None:
        use.tensor |= each.parameter in pointers_of(kernel)
        use.integers |= each.parameter in integers_of(kernel)
        if depth < DEPTH and (inner := uses_of(kernel, depth + 1).get(each.parameter)):
            use.words += inner.words  # a text of which the kernel is made
    elif depth < DEPTH and inspect.isfunction(callee):
        inner = uses_of(inspect.unwrap(callee), depth + 1).get(each.parameter)
        if inner is not None:
            _join(use, inner)
