"""What a check that failed wants made-up arguments to be.

Functions that launch kernels check what they are given: `assert weight.shape == (n,)`, `if
x.dtype != torch.float16: raise ...`. Where such a check fails on what was made up, it says itself
what would do: its condition is taken apart, as far as it compares a made-up argument, or a name
that is one of its extents, with what can be computed where the check stands.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import FrameType
from typing import Any

from perflint.python_kernels.made_arguments import Made
from perflint.python_kernels.stand_ins.tensors import DType, Tensor

#: (`shapes`, `types`, `values` or `given`, the argument's name) → what it is to be.
Wishes = dict[tuple[str, str], Any]
_DEPTH = 4  #: names that stand for other expressions
_EQUAL = {ast.Eq: True, ast.NotEq: False, ast.Is: True, ast.IsNot: False}


def wishes(error: Exception) -> Wishes:
    """What would have met the condition at which an error was raised; {} if nobody can tell."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return {}
    frame, line = trace.tb_frame, trace.tb_lineno
    check = _check_at(frame.f_code.co_filename, line)
    return {} if check is None else dict(_met(*check, _Scope(frame, line)))


@lru_cache(maxsize=32)
def _tree(path: str) -> ast.Module | None:
    try:
        return ast.parse(Path(path).read_text(encoding="utf-8"))
    except (OSError, SyntaxError, ValueError):
        return None


def _check_at(path: str, line: int) -> tuple[ast.expr, bool] | None:
    """A condition that ended a function in a line, and whether it was to hold."""
    tree = _tree(path)
    for node in () if tree is None else ast.walk(tree):
        if isinstance(node, ast.Assert) and node.lineno <= line <= (node.end_lineno or line):
            return node.test, True
        if isinstance(node, ast.If):
            for branch, truth in ((node.body, False), (node.orelse, True)):
                raised = (s for s in branch if isinstance(s, ast.Raise))
                if any(s.lineno <= line <= (s.end_lineno or line) for s in raised):
                    return node.test, truth
    return None


@dataclass(frozen=True)
class _Scope:
    """Where a check stands."""

    frame: FrameType
    line: int

    def value(self, node: ast.expr) -> Any:
        """What an expression is there; raises what its evaluation raises."""
        code = compile(ast.Expression(node), "<check>", "eval")
        return eval(code, self.frame.f_globals, dict(self.frame.f_locals))

    def made(self, node: ast.expr) -> Tensor | None:
        """The made-up tensor that an expression is."""
        try:
            found = self.value(node)
        except Exception:
            return None
        return found if isinstance(found, Tensor) and found.made else None

    def is_argument(self, name: str) -> bool:
        """Whether the function that checks was given a value of that name."""
        code = self.frame.f_code
        return name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]

    def meaning(self, name: str) -> ast.expr | None:
        """What a local name was assigned last before the check: `n` of `m, n = x.shape`."""
        found: ast.expr | None = None
        tree, code = _tree(self.frame.f_code.co_filename), self.frame.f_code
        first = code.co_firstlineno
        every = (n for n in ast.walk(tree or ast.Module([], [])) if isinstance(n, ast.Assign))
        above = (n for n in every if first <= n.lineno < self.line)
        for node in sorted(above, key=lambda n: n.lineno):
            (target, *_), value = node.targets, node.value
            if isinstance(target, ast.Name) and target.id == name:
                found = value
            elif isinstance(target, ast.Tuple):
                ids = [e.id if isinstance(e, ast.Name) else "" for e in target.elts]
                if name in ids and not any(isinstance(e, ast.Starred) for e in target.elts):
                    at = ids.index(name)
                    parts = value.elts if isinstance(value, ast.Tuple) else ()
                    whole = ast.Subscript(value, ast.Constant(at), ast.Load())
                    found = parts[at] if at < len(parts) else whole
        return None if found is None else ast.fix_missing_locations(found)


def _met(test: ast.expr, truth: bool, scope: _Scope) -> Iterator[tuple[tuple[str, str], Any]]:
    """What makes a condition hold, or not."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield from _met(test.operand, not truth, scope)
    elif isinstance(test, ast.BoolOp):
        every = isinstance(test.op, ast.And) is truth
        for part in test.values:
            found = [] if _is(part, truth, scope) else list(_met(part, truth, scope))
            yield from found
            if found and not every:
                return
    elif isinstance(test, ast.Compare):
        sides = [test.left, *test.comparators]
        for left, op, right in zip(sides, test.ops, sides[1:], strict=False):
            yield from _compared(left, op, right, truth, scope)
    elif isinstance(test, ast.Name):
        yield from _set(test, truth, scope)


def _is(test: ast.expr, truth: bool, scope: _Scope) -> bool:
    try:
        return bool(scope.value(test)) is truth
    except Exception:
        return False


def _compared(
    left: ast.expr, op: ast.cmpop, right: ast.expr, truth: bool, scope: _Scope
) -> Iterator[tuple[tuple[str, str], Any]]:
    try:
        here, there = scope.value(left), scope.value(right)
    except Exception:
        return
    if isinstance(op, (ast.In, ast.NotIn)):
        if isinstance(op, ast.In) is truth and isinstance(there, (tuple, list)) and there:
            yield from _set(left, there[0], scope)
    elif isinstance(op, (ast.Lt, ast.LtE, ast.Gt, ast.GtE)) and truth:
        if isinstance(there, int) and isinstance(here, int):
            more = {ast.Lt: -1, ast.Gt: 1}.get(type(op), 0)
            yield from list(_set(left, there + more, scope)) or _set(right, here - more, scope)
    elif isinstance(op, ast.IsNot) and truth and here is None is there:
        if isinstance(left, ast.Name) and scope.is_argument(left.id):
            yield ("given", left.id), True
    elif _EQUAL.get(type(op)) is truth and here != there:
        if isinstance(left, ast.BinOp) and isinstance(left.op, ast.Mod) and there == 0:
            yield from _divided(left, scope)
        else:
            # what is checked stands before what it is held against
            yield from list(_set(left, there, scope)) or _set(right, here, scope)


def _divided(node: ast.BinOp, scope: _Scope) -> Iterator[tuple[tuple[str, str], Any]]:
    """What makes one number a multiple of the other."""
    whole, part = scope.value(node.left), scope.value(node.right)
    if isinstance(whole, int) and isinstance(part, int) and part > 0:
        multiple = max(1, whole // part) * part
        yield from list(_set(node.right, 1, scope)) or _set(node.left, multiple, scope)


def _set(
    node: ast.expr, what: Any, scope: _Scope, depth: int = _DEPTH
) -> Iterator[tuple[tuple[str, str], Any]]:
    """What gives an expression a value, where it is an argument's shape, extent, type or number."""
    attribute = node.func if isinstance(node, ast.Call) else node
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len":
        yield from _set(_length(node.args[0]), what, scope, depth)
    elif isinstance(attribute, ast.Attribute) and (of := scope.made(attribute.value)) is not None:
        arguments = node.args if isinstance(node, ast.Call) else []
        yield from _of_tensor(of, attribute.attr, list(arguments), what, scope)
    elif isinstance(node, ast.Subscript) and isinstance(node.value, (ast.Attribute, ast.Call)):
        shape = node.value.func if isinstance(node.value, ast.Call) else node.value
        named = isinstance(shape, ast.Attribute) and shape.attr in ("shape", "size", "stride")
        of = scope.made(shape.value) if named and isinstance(shape, ast.Attribute) else None
        if of is not None:
            asked = "stride" if getattr(shape, "attr", "") == "stride" else "size"
            yield from _of_tensor(of, asked, [node.slice], what, scope)
    elif isinstance(node, ast.Name):
        value = scope.frame.f_locals.get(node.id)
        name = value.name if isinstance(value, Made) else node.id
        argument = scope.is_argument(node.id)
        if isinstance(value, Made) or (argument and (what is None or isinstance(value, bool))):
            yield ("values", name), what
        elif depth and (meaning := scope.meaning(node.id)) is not None:
            yield from _set(meaning, what, scope, depth - 1)


def _length(node: ast.expr) -> ast.expr:
    """What `len` is of: a shape's is the number of dimensions, a tensor's its first extent."""
    shape = node.func if isinstance(node, ast.Call) else node
    if isinstance(shape, ast.Attribute) and shape.attr in ("shape", "size"):
        found: ast.expr = ast.Attribute(shape.value, "ndim", ast.Load())
    else:
        of_shape = ast.Attribute(node, "shape", ast.Load())
        found = ast.Subscript(of_shape, ast.Constant(0), ast.Load())
    return ast.fix_missing_locations(ast.copy_location(found, node))


def _of_tensor(
    tensor: Tensor, attribute: str, arguments: list[ast.expr], what: Any, scope: _Scope
) -> Iterator[tuple[tuple[str, str], Any]]:
    """What gives a made-up tensor a shape, an extent, a stride of 1, a rank or a type."""
    shape = tuple(tensor.shape)
    if attribute in ("shape", "size") and not arguments and _is_shape(what):
        yield ("shapes", tensor.made), tuple(map(int, what))
    elif attribute == "size" and arguments and isinstance(what, int) and what > 0:
        at = scope.value(arguments[0])
        if isinstance(at, int) and -len(shape) <= at < len(shape):
            extents = list(shape)
            extents[at] = int(what)
            yield ("shapes", tensor.made), tuple(extents)
    elif attribute in ("ndim", "dim") and isinstance(what, int) and 0 < what < 6:
        missing = max(0, what - len(shape))
        yield ("shapes", tensor.made), (*(4,) * missing, *shape)[-what:]
    elif attribute in ("numel", "nelement") and isinstance(what, int) and what > 0:
        if len(shape) == 1 or what == 1:
            yield ("shapes", tensor.made), (*(1,) * (len(shape) - 1), int(what))
    elif attribute == "stride" and arguments and what == 1:
        # it is made up dense: its last dimension has that stride
        at = scope.value(arguments[0])
        if isinstance(at, int) and at >= 0:
            yield from _of_tensor(tensor, "ndim", [], at + 1, scope)
    elif attribute == "dtype" and isinstance(what, DType):
        yield ("types", tensor.made), what


def _is_shape(what: Any) -> bool:
    return (
        isinstance(what, tuple)
        and 0 < len(what) < 6
        and all(isinstance(e, int) and e > 0 for e in what)
    )
