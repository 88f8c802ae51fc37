"""What the user says of the input: `n > 0`, `0 <= idx < n`, `row[i] <= row[i + 1]`.

An array's name stands for each of its elements. What cannot hold together is told before anything
runs: z3 is asked of all pairs, and of all at once.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import combinations
from typing import Any

import numpy as np

from perflint.base.records import dataclass
from perflint.stress.target import StressError

#: z3's resource units for one question.
EFFORT = 400_000
_INDEX = "i"

_OPERATORS: Mapping[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Mod: operator.mod,
    ast.FloorDiv: operator.floordiv,
}  # fmt: skip
_COMPARISONS: Mapping[type, Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
    ast.Eq: operator.eq, ast.NotEq: operator.ne,
}  # fmt: skip


@dataclass(frozen=True)
class Assumption:
    """One of them, read."""

    text: str
    tree: ast.expr

    def elements(self, arrays: Mapping[str, object]) -> set[tuple[str, int]]:
        """The elements of arrays that it speaks of, by name and distance from `i`."""
        return set(_elements(self.tree, arrays))

    @property
    def counts(self) -> bool:
        """Whether it speaks of an element's number."""
        return any(isinstance(n, ast.Name) and n.id == _INDEX for n in ast.walk(self.tree))


def read(text: str, arrays: Mapping[str, object], scalars: Mapping[str, object]) -> Assumption:
    """An assumption about these arguments. Raises StressError."""
    try:
        tree = ast.parse(text.strip().replace("&&", " and ").replace("||", " or "), mode="eval")
        found = Assumption(text.strip(), tree.body)
        _check(found.tree, arrays, scalars)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        why = (
            error.args[0] if isinstance(error, ValueError) and error.args else "it is no condition"
        )
        raise StressError(f"--assume {text!r}: {why}; write it as 'n > 0' or 'idx < n'") from error
    return found


def _check(node: ast.expr, arrays: Mapping[str, object], scalars: Mapping[str, object]) -> None:
    match node:
        case ast.BoolOp(values=values):
            for each in values:
                _check(each, arrays, scalars)
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            _check(inner, arrays, scalars)
        case ast.Compare(left=left, ops=ops, comparators=others):
            if any(type(op) not in _COMPARISONS for op in ops):
                raise ValueError("it compares by <, <=, >, >=, == and !=")
            for each in (left, *others):
                _check_number(each, arrays, scalars)
        case _:
            raise ValueError("it is no comparison")


def _check_number(
    node: ast.expr, arrays: Mapping[str, object], scalars: Mapping[str, object]
) -> None:
    match node:
        case ast.Constant(value=value) if type(value) in (int, float):
            return
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            _check_number(inner, arrays, scalars)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            _check_number(left, arrays, scalars)
            _check_number(right, arrays, scalars)
        case ast.Name(id=name):
            if name not in arrays and name not in scalars and name != _INDEX:
                known = ", ".join([*scalars, *arrays])
                raise ValueError(f"the kernel has no argument {name}; it has {known}")
        case ast.Subscript():
            if _element(node, arrays) is None:
                raise ValueError("an element is an array's, as idx[i] or idx[i + 1]")
        case _:
            raise ValueError(f"{ast.unparse(node)} is no number")


def _elements(node: ast.AST, arrays: Mapping[str, object]) -> Iterator[tuple[str, int]]:
    element = _element(node, arrays)
    if element is not None:
        yield element
        return
    for inner in ast.iter_child_nodes(node):
        yield from _elements(inner, arrays)


def _element(node: ast.AST, arrays: Mapping[str, object]) -> tuple[str, int] | None:
    """`idx`, `idx[i]`, `idx[i + 1]`: the array, and how far from `i`."""
    match node:
        case ast.Name(id=name) if name in arrays:
            return name, 0
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Name(id="i")) if name in arrays:
            return name, 0
        case ast.Subscript(
            value=ast.Name(id=name),
            slice=ast.BinOp(left=ast.Name(id="i"), op=op, right=ast.Constant(value=int(far))),
        ) if name in arrays and isinstance(op, ast.Add | ast.Sub):
            return name, far if isinstance(op, ast.Add) else -far
    return None


# --- of an input ----------------------------------------------------------------------------------


def broken(
    assumptions: Sequence[Assumption],
    arrays: Mapping[str, np.ndarray],
    scalars: Mapping[str, int | float],
) -> str:
    """The first assumption that an input does not meet; "" where it meets all."""
    for each in assumptions:
        elements = each.elements(arrays)
        low = max((-far for _, far in elements), default=0)
        high = min((arrays[name].size - far for name, far in elements), default=1)
        index = np.arange(max(0, low), max(0, high), dtype=np.int64)
        values = _Values(arrays, scalars, index)
        if len(index) and not np.all(_evaluated(each.tree, values.of)):
            return each.text
    return ""


def bounds(
    assumptions: Sequence[Assumption],
    name: str,
    arrays: Mapping[str, np.ndarray],
    scalars: Mapping[str, int | float],
    low: int,
    high: int,
) -> tuple[int, int]:
    """The integers from `low` to below `high` that an array may hold by what is said of it alone.

    Where these are no range, the one around the least number that it may hold.
    """
    alone = [a for a in assumptions if a.elements(arrays) == {(name, 0)} and not a.counts]

    def may(values: np.ndarray) -> np.ndarray:
        held = _Values({name: values}, scalars, np.arange(len(values)))
        found = [np.broadcast_to(_evaluated(a.tree, held.of), values.shape) for a in alone]
        return np.asarray(np.logical_and.reduce([np.ones(len(values), bool), *found]))

    powers = [s * (1 << n) + d for n in range(63) for s in (1, -1) for d in (-1, 0, 1)]
    points = np.array(sorted({*range(-64, 4096), *powers, low, high - 1}), np.int64)
    points = points[(points >= low) & (points < high)]
    fine = may(points)
    if not alone or fine.all() or not fine.any():
        return low, high
    first = int(np.argmax(fine & (points >= min(0, int(points[fine].max())))))
    begin, end = first, first
    while begin > 0 and fine[begin - 1]:
        begin -= 1
    while end + 1 < len(points) and fine[end + 1]:
        end += 1
    least, most = int(points[begin]), int(points[end])
    if begin > 0:
        least = _edge(may, least, int(points[begin - 1]))
    if end + 1 < len(points):
        most = _edge(may, most, int(points[end + 1]))
    return least, most + 1


def _edge(may: Callable[[np.ndarray], np.ndarray], inside: int, outside: int) -> int:
    """The last number that may be, between one that may and one that may not."""
    while abs(inside - outside) > 1:
        middle = (inside + outside) // 2
        if may(np.array([middle]))[0]:
            inside = middle
        else:
            outside = middle
    return inside


@dataclass(frozen=True, eq=False)
class _Values:
    arrays: Mapping[str, np.ndarray]
    scalars: Mapping[str, int | float]
    index: np.ndarray

    def of(self, node: ast.expr) -> Any:
        element = _element(node, self.arrays)
        if element is not None:
            name, far = element
            found = self.arrays[name].reshape(-1)[self.index + far]
            return found.astype(np.int64 if found.dtype.kind in "iu" else np.float64)
        assert isinstance(node, ast.Name)
        return self.index if node.id == _INDEX else self.scalars[node.id]


def _evaluated(node: ast.expr, value: Callable[[ast.expr], Any]) -> Any:
    """A condition over NumPy's arrays."""
    match node:
        case ast.BoolOp(op=op, values=values):
            parts = [_evaluated(each, value) for each in values]
            joined = np.logical_and if isinstance(op, ast.And) else np.logical_or
            return joined.reduce(np.broadcast_arrays(*parts))
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            return np.logical_not(_evaluated(inner, value))
        case ast.Compare():
            parts = [c(a, b) for c, a, b in _compared(node, value)]
            return np.logical_and.reduce(np.broadcast_arrays(*parts))
    raise AssertionError(ast.dump(node))


def _compared(
    node: ast.Compare, value: Callable[[ast.expr], Any]
) -> Iterator[tuple[Callable[[Any, Any], Any], Any, Any]]:
    terms = [_number(each, value) for each in (node.left, *node.comparators)]
    for op, left, right in zip(node.ops, terms, terms[1:], strict=False):
        yield _COMPARISONS[type(op)], left, right


def _number(node: ast.expr, value: Callable[[ast.expr], Any]) -> Any:
    match node:
        case ast.Constant(value=number):
            return number
        case ast.UnaryOp(operand=inner):
            return -_number(inner, value)
        case ast.BinOp(left=left, op=op, right=right):
            return _OPERATORS[type(op)](_number(left, value), _number(right, value))
    return value(node)


# --- whether they can hold ------------------------------------------------------------------------


def check(
    assumptions: Sequence[Assumption],
    arrays: Mapping[str, np.ndarray],
    scalars: Mapping[str, int | float],
) -> None:
    """Raise StressError for assumptions that contradict each other, or the launch's arguments."""
    if not assumptions:
        return
    import z3

    names: dict[str, Any] = {}

    def variable(node: ast.expr) -> Any:
        element = _element(node, arrays)
        if element is None:
            assert isinstance(node, ast.Name)
            name, real = node.id, isinstance(scalars.get(node.id), float)
        else:
            name, real = f"{element[0]}@{element[1]}", arrays[element[0]].dtype.kind == "f"
        return names.setdefault(name, z3.Real(name) if real else z3.Int(name))

    claims = []
    for each in assumptions:
        with suppress(z3.Z3Exception):  # remainders of fractions: it is seen when inputs are tried
            claims.append((each.text, _claim(each, arrays, variable)))
    spoken = {n.id for each in assumptions for n in ast.walk(each.tree) if isinstance(n, ast.Name)}
    for name in sorted(spoken & scalars.keys()):
        node = ast.parse(name, mode="eval").body
        claims.append((f"{name} = {scalars[name]} of the launch", variable(node) == scalars[name]))
    for size in (1, 2, len(claims)):
        for some in combinations(claims, size):
            solver = z3.Solver()
            solver.set("rlimit", EFFORT)
            solver.add(*(claim for _, claim in some))
            if solver.check() == z3.unsat:
                told = " and ".join(f"`{text}`" for text, _ in some)
                how = "cannot hold" if size == 1 else "contradict each other"
                raise StressError(f"--assume: {told} {how}")


def _claim(
    assumption: Assumption, arrays: Mapping[str, object], variable: Callable[[ast.expr], Any]
) -> Any:
    """An assumption for z3; one about a single element is about each, wherever it stands."""
    import z3

    elements = assumption.elements(arrays)
    near = len({far for _, far in elements}) == 1

    def of(node: ast.expr) -> Any:
        element = _element(node, arrays)
        return variable(ast.Name(element[0]) if element is not None and near else node)

    def claim(node: ast.expr) -> Any:
        match node:
            case ast.BoolOp(op=op, values=values):
                parts = [claim(each) for each in values]
                return z3.And(*parts) if isinstance(op, ast.And) else z3.Or(*parts)
            case ast.UnaryOp(op=ast.Not(), operand=inner):
                return z3.Not(claim(inner))
            case ast.Compare():
                parts = [c(a, b) for c, a, b in _compared(node, of)]
                return z3.And(*(z3.BoolVal(p) if isinstance(p, bool) else p for p in parts))
        raise AssertionError(ast.dump(node))

    return claim(assumption.tree)
