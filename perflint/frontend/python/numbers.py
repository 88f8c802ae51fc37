"""Numbers in Python source that Numba takes for doubles, and the statements that they reach.

Numba's constants are 64 bits wide: a float32 that is combined with one is a float64, and so is a
variable that starts with one and has float32s added (Numba's "Numba type hierarchy", NumPy's
promotion of arrays' elements).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from perflint.base.constructs import Constructs, PythonNumber
from perflint.frontend.python.functions import span_of

_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div)
_SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return, ast.Expr)


@lru_cache(maxsize=16)
def numbers_of(path: Path, text: str) -> Constructs:
    """The numbers of a Python file; nothing for text that is no Python, or nested beyond reason."""
    try:
        tree = ast.parse(text)
        found = _Numbers(path, text.splitlines(), _starts(tree.body))
        functions = (n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef))
        return Constructs(numbers=tuple(n for each in functions for n in found.of(each)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Constructs()


class _Numbers:
    """The numbers of a file's functions."""

    def __init__(self, path: Path, lines: list[str], outside: dict[str, list[ast.expr]]) -> None:
        self.path, self.lines, self.outside = path, lines, outside

    def of(self, function: ast.FunctionDef) -> Iterator[PythonNumber]:
        """Those of one function, and those of the module that it names."""
        nodes = [n for each in function.body for n in ast.walk(each)]
        taken = {a.arg for a in ast.walk(function.args) if isinstance(a, ast.arg)}
        taken |= {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        outside = {name: found for name, found in self.outside.items() if name not in taken}
        starts = outside | _starts(nodes)
        reached: dict[str, list[ast.stmt | ast.expr]] = {}
        for place, expression in _arithmetic(nodes):
            for node in expression:
                if isinstance(node, ast.Name):
                    reached.setdefault(node.id, []).append(place)
                else:
                    yield self._number("", node, [place])
        for name, values in starts.items():
            for value in values if name in reached else ():
                yield self._number(name, value, reached[name])

    def _number(self, name: str, node: ast.expr, places: list[ast.stmt | ast.expr]) -> PythonNumber:
        spans = (span_of(self.path, self.lines, place) for place in places)
        span = span_of(self.path, self.lines, node)
        return PythonNumber(ast.unparse(node), span, name, tuple(dict.fromkeys(spans)))


def _starts(nodes: list[ast.stmt] | list[ast.AST]) -> dict[str, list[ast.expr]]:
    """The numbers that names are set to, `total = 0.0`."""
    starts: dict[str, list[ast.expr]] = {}
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if _is_number(value):
                starts.setdefault(name, []).append(value)
    return starts


def _arithmetic(
    nodes: list[ast.AST],
) -> Iterator[tuple[ast.stmt | ast.expr, list[ast.expr]]]:
    """Statements and conditions that compute, each with its operands: names and numbers."""
    for node in nodes:
        if isinstance(node, ast.If | ast.While):
            yield node.test, list(_operands(node.test))
        elif isinstance(node, _SIMPLE) and node.value and not _is_number(node.value):
            own = [node.target] if isinstance(node, ast.AugAssign) else []
            yield node, [*(n for n in own if isinstance(n, ast.Name)), *_operands(node.value)]
        elif isinstance(node, ast.AugAssign):
            yield node, [node.value, *([node.target] if isinstance(node.target, ast.Name) else [])]


def _operands(node: ast.expr) -> Iterator[ast.expr]:
    """What an expression computes with; not what it indexes with, nor whole powers."""
    match node:
        case ast.Name():
            yield node
        case ast.BinOp(left=left, op=operator, right=right):
            for each in (left, right):
                if not _is_number(each):
                    yield from _operands(each)
                elif isinstance(operator, _OPERATORS) or _is_float(each):
                    yield each
        case ast.Compare(left=left, comparators=others):
            yield from _floats([left, *others])
        case ast.Call(args=arguments) if not _is_type(node.func):
            yield from _floats(arguments)
        case ast.UnaryOp(operand=operand):
            yield from _operands(operand)
        case ast.BoolOp(values=values):
            yield from _floats(values)
        case ast.IfExp(test=test, body=body, orelse=other):
            yield from _operands(test)
            for each in (body, other):
                yield from [each] if _is_number(each) else _operands(each)


def _floats(nodes: list[ast.expr]) -> Iterator[ast.expr]:
    for each in nodes:
        if _is_float(each):
            yield each
        elif not _is_number(each):
            yield from _operands(each)


def _is_type(function: ast.expr) -> bool:
    """Whether a call makes a number of one type: `float32(0.1)`, `np.float64(x)`, `int(x)`."""
    name = ast.unparse(function).rpartition(".")[2]
    return name.rstrip("0123456789_") in ("float", "int", "uint", "complex", "bool", "half")


def _is_number(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        node = node.operand
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


def _is_float(node: ast.expr) -> bool:
    operand = node.operand if isinstance(node, ast.UnaryOp) else node
    return _is_number(node) and isinstance(operand, ast.Constant) and type(operand.value) is float
