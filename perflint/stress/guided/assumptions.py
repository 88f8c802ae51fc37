"""What a user assumes of arguments and elements, read as conditions: `n > 0`, `mask[i] <= 1`."""

from __future__ import annotations

import ast
from collections.abc import Callable

from perflint.base.records import dataclass
from perflint.stress.guided.subject import AssumptionError, Number
from perflint.symbolic.solver import Clause
from perflint.symbolic.terms import Terms

#: Of a name and an index: the term, and whether it has a sign; None where there is no such name.
Named = Callable[[str, int], tuple[int, bool] | None]

_RELATIONS: dict[type, tuple[str, bool]] = {
    ast.Lt: ("lt", False), ast.LtE: ("le", False), ast.Gt: ("lt", True), ast.GtE: ("le", True),
    ast.Eq: ("eq", False), ast.NotEq: ("ne", False),
}  # fmt: skip
_SUMS: dict[type, str] = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul"}


@dataclass(frozen=True)
class _Operand:
    term: int
    sort: str
    signed: bool


class Template:
    """An assumption: of every element with the same index, where it names arrays."""

    def __init__(self, terms: Terms, variable: Named, text: str) -> None:
        """Raises AssumptionError for what cannot be read."""
        self._terms, self._variable, self._text = terms, variable, text
        written = text.replace("&&", " and ").replace("||", " or ")
        try:
            self._tree = ast.parse(written.strip(), mode="eval").body
        except (SyntaxError, ValueError) as error:
            raise AssumptionError(
                f"{text!r} is no assumption: write it as 'n > 0' or 'mask[i] <= 1'"
            ) from error
        self._known: dict[int, Clause] = {}
        self.at(0)

    def at(self, index: int) -> Clause:
        """The assumption of elements of one index."""
        if index not in self._known:
            self._known[index] = (self._truth(self._tree, index),)
        return self._known[index]

    def about(self, variable: int) -> list[Clause]:
        """What it says of an element or scalar."""
        term = self._terms.all[variable]
        index = term[3] if term[0] == "element" else 0
        clause = self.at(index)
        return [clause] if variable in self._terms.variables(clause[0]) else []

    def bound(self, array: str) -> tuple[int, Number] | None:
        """Of `a[i] <= 7` and the like: which end (0: low) it bounds, and where."""
        match self._tree:
            case ast.Compare(ast.Subscript(ast.Name(name)), [relation], [ast.Constant(value)]):
                if name == array and isinstance(value, (int, float)):
                    step = int(isinstance(relation, (ast.Lt, ast.Gt)) and isinstance(value, int))
                    if isinstance(relation, (ast.Lt, ast.LtE)):
                        return 1, value - step
                    if isinstance(relation, (ast.Gt, ast.GtE)):
                        return 0, value + step
        return None

    def _truth(self, tree: ast.expr, index: int) -> int:
        terms = self._terms
        match tree:
            case ast.BoolOp(op, values):
                name = "and" if isinstance(op, ast.And) else "or"
                found = [self._truth(v, index) for v in values]
                out = found[0]
                for each in found[1:]:
                    out = terms.op(name, "p", out, each)
                return out
            case ast.UnaryOp(ast.Not(), value):
                return terms.op("not", "p", self._truth(value, index))
            case ast.Compare(left, relations, rest):
                sides = [left, *rest]
                out = -1
                for a, relation, b in zip(sides, relations, sides[1:], strict=False):
                    one = self._compared(a, relation, b, index)
                    out = one if out < 0 else terms.op("and", "p", out, one)
                return out
        raise self._unreadable(tree)

    def _compared(self, left: ast.expr, relation: ast.cmpop, right: ast.expr, index: int) -> int:
        if type(relation) not in _RELATIONS:
            raise self._unreadable(left)
        name, turned = _RELATIONS[type(relation)]
        a, b = self._pair(left, right, index)
        if turned:
            a, b = b, a
        if name in ("lt", "le") and a.sort[0] == "b":
            name += "_s" if a.signed and b.signed else "_u"
        return self._terms.op(name, "p", a.term, b.term)

    def _pair(self, left: ast.expr, right: ast.expr, index: int) -> tuple[_Operand, _Operand]:
        """Both sides in the same sort."""
        a, b = self._value(left, None, index), self._value(right, None, index)
        if a is None and b is None:
            raise self._unreadable(left)
        known = a or b
        assert known is not None
        a = a or self._value(left, known, index)
        b = b or self._value(right, known, index)
        assert a is not None and b is not None
        if a.sort != b.sort:
            if "f" in (a.sort[0], b.sort[0]):
                raise self._unreadable(left)
            return self._wide(a), self._wide(b)
        return a, b

    def _wide(self, each: _Operand) -> _Operand:
        if each.sort == "b64":
            return each
        name = "sext" if each.signed else "zext"
        return _Operand(self._terms.op(name, "b64", each.term), "b64", each.signed)

    def _value(self, tree: ast.expr, like: _Operand | None, index: int) -> _Operand | None:
        """A number or variable; None of a number whose sort is not known yet."""
        terms = self._terms
        match tree:
            case ast.Constant(int() | float() as value) | ast.UnaryOp(
                ast.UAdd(), ast.Constant(int() | float() as value)
            ):
                if like is None:
                    return None
                return _Operand(terms.const(value, like.sort), like.sort, like.signed)
            case ast.UnaryOp(ast.USub(), ast.Constant(int() | float() as value)):
                if like is None:
                    return None
                return _Operand(terms.const(-value, like.sort), like.sort, True)
            case ast.Name(name):
                return self._named(tree, name, 0)
            case ast.Subscript(ast.Name(name), ast.Constant(int() as at)):
                return self._named(tree, name, at)
            case ast.Subscript(ast.Name(name), _):
                return self._named(tree, name, index)
            case ast.BinOp(left, op, right) if type(op) in _SUMS:
                a, b = self._value(left, like, index), self._value(right, like, index)
                if a is None and b is None:
                    return None
                a, b = self._pair(left, right, index)
                return _Operand(
                    terms.op(_SUMS[type(op)], a.sort, a.term, b.term), a.sort, a.signed and b.signed
                )
        raise self._unreadable(tree)

    def _named(self, tree: ast.expr, name: str, index: int) -> _Operand:
        found = self._variable(name, index)
        if found is None:
            raise AssumptionError(f"{self._text!r}: the kernel has no argument {name!r}")
        term, signed = found
        return _Operand(term, self._terms.all[term][1], signed)

    def _unreadable(self, tree: ast.expr) -> AssumptionError:
        return AssumptionError(
            f"{self._text!r}: {ast.unparse(tree)!r} cannot be assumed: "
            "compare arguments, elements and numbers"
        )
