"""The types that a Numba kernel's arguments may have, by what the kernel does with them.

A library's kernels are launched by functions whose arguments nobody gives. What is subscripted is
an array, of as many dimensions as it has subscripts; what leads to an element or ends a loop is an
integer.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from numba import types

from perflint.python_kernels.kernel_syntax import tree_of

DEPTH = 3  #: calls that an argument is followed through
_WHOLE = frozenset({"grid", "gridsize", "len", "range"})
_REAL = frozenset({"float", "float32", "float64"})
#: Atomics that only integers have.
_OF_INTEGERS = frozenset({"cas", "compare_and_swap", "and_", "or_", "xor", "inc", "dec"})
_BITS = (ast.LShift, ast.RShift, ast.BitAnd, ast.BitOr, ast.BitXor)


@dataclass
class _Role:
    """What a kernel does with one argument."""

    rank: int = 0  #: dimensions of an array; 0: it is a number
    integer: bool = False  #: it, or its elements, are integers
    records: bool = False  #: its elements have fields
    tested: bool = False  #: its elements are conditions …
    valued: bool = False  #: … or anything else


@dataclass
class _Body:
    """A function's arguments, and what its variables are assigned."""

    node: ast.FunctionDef
    names: Mapping[str, Any]  #: what the module names
    roles: dict[str, _Role]
    assigned: dict[str, list[ast.expr]] = field(default_factory=dict)

    def role(self, node: ast.AST) -> _Role | None:
        """The argument that an expression is, or is an element of."""
        return self.part(node)[0]

    def part(self, node: ast.AST, depth: int = 8) -> tuple[_Role | None, int]:
        """The argument that an expression is a part of, and how many dimensions were left behind:
        two by `a[i, j]`, by `a[i][j]`, and by `row[j]` where `row` is `a[i]`; one by `a[i, 1:]`.
        """
        if isinstance(node, ast.Subscript):
            role, count = self.part(node.value, depth)
            return role, count + _dimensions(node.slice, self, whole=False)
        if isinstance(node, ast.Name) and node.id in self.roles:
            return self.roles[node.id], 0
        if isinstance(node, ast.Name) and depth:
            for value in self.assigned.get(node.id, ()):
                if isinstance(value, (ast.Subscript, ast.Name)):
                    return self.part(value, depth - 1)
        return None, 0


def supposed_types(
    function: Any, real: Any, whole: Any, truth: Any = None
) -> dict[str, Any] | None:
    """A type for each argument of a kernel, with elements of the type `real`, `whole` where they
    must be integers, and `truth`, if given, where they are only conditions; None if its source does
    not tell: its arrays hold records, or there is none.
    """
    roles = _roles(function, 0)
    if roles is None or any(role.records for role in roles.values()):
        return None
    found: dict[str, Any] = {}
    for name, role in roles.items():
        if role.rank:
            element = whole if role.integer else real
            if truth is not None and role.tested and not role.valued:
                element = truth
            found[name] = types.Array(element, role.rank, "C")
        else:
            found[name] = types.int64 if role.integer else types.float64
    return found


def _roles(function: Any, depth: int) -> dict[str, _Role] | None:
    node = tree_of(function)
    if node is None:
        return None
    arguments = [*node.args.posonlyargs, *node.args.args]
    body = _Body(node, function.__globals__, {a.arg: _Role() for a in arguments})
    for each in ast.walk(node):
        if isinstance(each, ast.Assign):
            for target in each.targets:
                _assign(target, each.value, body)
        elif isinstance(each, ast.AugAssign) and isinstance(each.target, ast.Name):
            body.assigned.setdefault(each.target.id, []).append(each.value)
        elif isinstance(each, ast.For) and isinstance(each.target, ast.Name):
            body.assigned.setdefault(each.target.id, []).append(each.iter)
    for each in ast.walk(node):
        _note(each, body, depth)
    _conditions(body)
    _integers(body)
    return body.roles


def _assign(target: ast.expr, value: ast.expr, body: _Body) -> None:
    if isinstance(target, ast.Name):
        body.assigned.setdefault(target.id, []).append(value)
    elif isinstance(target, ast.Tuple):
        parts = value.elts if isinstance(value, ast.Tuple) else [value] * len(target.elts)
        for name, part in zip(target.elts, parts, strict=False):
            _assign(name, part, body)
        if isinstance(value, ast.Attribute) and value.attr == "shape":
            _ranked(body.role(value.value), len(target.elts))


def _ranked(role: _Role | None, rank: int) -> None:
    if role is not None:
        role.rank = max(role.rank, rank)


def _note(node: ast.AST, body: _Body, depth: int) -> None:
    """What one node of a function says of arguments."""
    if isinstance(node, ast.Subscript):
        role, before = body.part(node.value)
        _ranked(role, before + _dimensions(node.slice, body))
        if role is not None and isinstance(node.slice, ast.Constant):
            role.records |= isinstance(node.slice.value, str)
        shape = node.value
        if isinstance(shape, ast.Attribute) and shape.attr in ("shape", "strides"):
            at = node.slice.value if isinstance(node.slice, ast.Constant) else 0
            _ranked(body.role(shape.value), at + 1 if isinstance(at, int) else 1)
    elif isinstance(node, ast.Attribute) and node.attr in ("shape", "size", "ndim"):
        _ranked(body.role(node.value), 1)
    elif isinstance(node, ast.For):
        role, before = body.part(node.iter)
        _ranked(role, before + 1)
    elif isinstance(node, ast.Call):
        for number, argument in enumerate(node.args):
            _passed(node, number, argument, body, depth)


def _passed(call: ast.Call, number: int, argument: ast.expr, body: _Body, depth: int) -> None:
    """What is to be said of an argument by who it is passed to."""
    role, before = body.part(argument)
    if role is None:
        return
    if _called(call) == "len":
        _ranked(role, before + 1)
    elif isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Attribute):
        if call.func.value.attr == "atomic" and number == 0:
            _ranked(role, before + _dimensions(call.args[1], body) if len(call.args) > 1 else 1)
            role.integer |= call.func.attr in _OF_INTEGERS
            role.valued = True
    elif isinstance(call.func, ast.Name) and depth < DEPTH:
        callee = getattr(body.names.get(call.func.id), "py_func", None)
        inner = None if callee is None else _called_roles(callee, depth + 1)
        if inner is not None and number < len(inner):
            other = list(inner.values())[number]
            _ranked(role, before + other.rank if other.rank else 0)
            if bool(other.rank) == (isinstance(argument, ast.Name) and bool(role.rank)):
                role.integer |= other.integer
            role.records |= other.records
            role.tested |= other.tested
            role.valued |= other.valued


@lru_cache(maxsize=256)
def _called_roles(function: Any, depth: int) -> dict[str, _Role] | None:
    """Those of a function that is called, to be read alone: each of its arguments asks for them."""
    return _roles(function, depth)


def _dimensions(index: ast.expr, body: _Body, *, whole: bool = True) -> int:
    """How many dimensions an index is for; but for slices, if not the `whole` of it."""
    if isinstance(index, ast.Tuple):
        return sum(whole or not isinstance(each, ast.Slice) for each in index.elts)
    if isinstance(index, ast.Slice):
        return int(whole)
    if isinstance(index, ast.Name):
        for value in body.assigned.get(index.id, ()):
            if isinstance(value, ast.Tuple):
                return len(value.elts)
            if isinstance(value, ast.Call) and _called(value) in ("grid", "gridsize"):
                given = value.args[0] if value.args else None
                unpacked = not any(_is_whole(n, index.id) for n in ast.walk(body.node))
                if isinstance(given, ast.Constant) and isinstance(given.value, int):
                    return 1 if unpacked else given.value
    return 1


def _is_whole(node: ast.AST, name: str) -> bool:
    """Whether a name is assigned what a call gives, and not a part of it."""
    if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
        return False
    return any(isinstance(t, ast.Name) and t.id == name for t in node.targets)


def _called(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _conditions(body: _Body) -> None:
    """Note of which arrays the elements are conditions, and of which they are anything else."""
    tests = {id(test) for node in ast.walk(body.node) for test in _tests(node)}
    for node in ast.walk(body.node):
        if isinstance(node, (ast.Subscript, ast.For)):
            role, before = body.part(node.iter if isinstance(node, ast.For) else node)
            if role is not None and before >= role.rank - isinstance(node, ast.For):
                role.tested |= id(node) in tests
                role.valued |= id(node) not in tests


def _tests(node: ast.AST) -> Sequence[ast.expr]:
    """The conditions of a statement or an expression."""
    if isinstance(node, (ast.If, ast.While, ast.IfExp)):
        return [node.test]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return [node.operand]
    return node.values if isinstance(node, ast.BoolOp) else ()


def _integers(body: _Body) -> None:
    """Note what leads to elements, ends loops, or is compared with what does.

    Each argument that is known to be one may tell others: in `i < w * h`, `h` by what `i` is.
    """
    before = -1
    while before < (count := sum(role.integer for role in body.roles.values())):
        before = count
        _spread(body)


def _spread(body: _Body) -> None:
    waiting = [part for node in ast.walk(body.node) for part in _whole(node, body)]
    seen: set[str] = set()
    while waiting:
        for part in _parts(waiting.pop()):
            role, before = body.part(part)
            if role is not None and before == role.rank:
                role.integer = True
            elif isinstance(part, ast.Name) and part.id not in seen:
                seen.add(part.id)
                waiting += body.assigned.get(part.id, [])


def _whole(node: ast.AST, body: _Body) -> Iterator[ast.expr]:
    """The parts of an expression that can only be integers."""
    if isinstance(node, ast.Subscript):
        yield node.slice
    elif isinstance(node, ast.Call) and _called(node) == "range":
        yield from node.args
    elif isinstance(node, ast.BinOp) and isinstance(node.op, _BITS):
        yield from (node.left, node.right)
    elif isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
        if any(_is_counted(side, body) for side in sides):
            yield from sides


def _is_counted(node: ast.expr, body: _Body, depth: int = DEPTH) -> bool:
    """Whether an expression is made of thread indices, extents and counters of loops."""
    if isinstance(node, ast.Call):
        return _called(node) in _WHOLE
    if isinstance(node, ast.Attribute):
        return node.attr == "size" or ast.unparse(node).startswith("cuda.")
    if isinstance(node, ast.Subscript):
        return isinstance(node.value, ast.Attribute) and node.value.attr == "shape"
    if isinstance(node, ast.BinOp):
        sides = node.left, node.right
        real = isinstance(node.op, ast.Div) or any(
            _may_be_real(side, body, depth) for side in sides
        )
        return not real and any(_is_counted(side, body, depth) for side in sides)
    if isinstance(node, ast.Name) and depth:
        values = body.assigned.get(node.id, [])
        return any(_is_counted(value, body, depth - 1) for value in values)
    return False


def _may_be_real(node: ast.expr, body: _Body, depth: int) -> bool:
    """Whether an expression is made of what may be no integer: arguments of which nothing tells
    that, quotients, numbers that are written so, and what is called to make one.
    """
    if isinstance(node, ast.Constant):
        return isinstance(node.value, float)
    if isinstance(node, ast.BinOp):
        sides = node.left, node.right
        real = isinstance(node.op, ast.Div)
        return real or any(_may_be_real(side, body, depth) for side in sides)
    if isinstance(node, ast.Call):
        return _called(node) in _REAL
    role = body.role(node)
    if role is not None:
        return not role.integer
    if isinstance(node, ast.Name) and depth:
        values = body.assigned.get(node.id, ())
        return any(_may_be_real(value, body, depth - 1) for value in values)
    return False


def _parts(node: ast.AST) -> Iterator[ast.expr]:
    """The variables and elements of which a number is made."""
    if isinstance(node, (ast.Name, ast.Subscript)):
        yield node
    elif isinstance(node, ast.Call) and _called(node) not in ("min", "max"):
        return  # what a function makes of it may be an integer
    elif not isinstance(node, (ast.Compare, ast.Attribute)):
        for inner in ast.iter_child_nodes(node):
            yield from _parts(inner)
