"""Constant folding of C and simple C++ expressions: spelled as C, parsed by pycparser, evaluated.

`fold` answers a number only where the C standard and the names in sight leave no choice; anything
else is None, for a wrong launch shape would make a wrong finding.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from perflint.base.patterns import pattern
from perflint.frontend.source.language import c_types
from perflint.frontend.source.language.c_spelling import LITERALS, as_c, as_written, is_balanced
from perflint.frontend.source.language.c_types import (
    DOUBLE,
    FLOAT,
    INT,
    POINTER,
    ULONG,
    CType,
    Value,
    literal,
    recorded,
)
from perflint.frontend.source.language.lookup import Declared, Hidden, Names, type_of_words
from perflint.frontend.source.language.macros import ExpansionError, expand
from perflint.frontend.source.language.tokens import Token, tokenize

#: Longer expressions are not folded: nothing that configures a launch comes near.
TOKEN_LIMIT = 1_000

_INTEGER = pattern(r"(?:0|[1-9]\d*|0[xX][0-9a-fA-F]+)[uUlL]{0,3}")


def fold(text: str, names: Names) -> Value | None:
    """The value of an expression, or None where it is not a constant or not understood."""
    if len(text) > 20 * TOKEN_LIMIT:
        return None
    return fold_tokens(tokenize(text), names)


def fold_tokens(tokens: Sequence[Token], names: Names) -> Value | None:
    """As `fold`, for comment-free tokens whose macros are not expanded yet."""
    if len(tokens) > TOKEN_LIMIT:
        return None
    try:
        expanded = expand(tokens, names.macros)
        if not expanded or len(expanded) > TOKEN_LIMIT or not is_balanced(expanded):
            return None
        if len(expanded) == 1 and expanded[0].kind == "name" and expanded[0].text not in LITERALS:
            return _Evaluator(names).name(expanded[0].text)
        text, typedefs = as_c(expanded, names)
        if _INTEGER.fullmatch(text):
            return literal("int", text)
        tree = _parse(text, typedefs)
        return None if tree is None else _Evaluator(names).value(tree)
    except (ExpansionError, RecursionError):
        return None


@lru_cache(maxsize=4096)
def _parse(text: str, typedefs: tuple[str, ...]) -> Any:
    """pycparser's tree of an expression, or None if it is not one."""
    from pycparser import c_parser

    if any(mark in text for mark in ";{}#\\@`"):
        return None
    prelude = "".join(f"typedef int {name};" for name in typedefs)
    try:
        unit = c_parser.CParser().parse(f"{prelude} int value = ({text});")
    except RecursionError:
        return None
    except Exception:  # the parser meets arbitrary text, and its lexer has errors of its own
        return None
    last = unit.ext[-1]
    return last.init if len(unit.ext) == len(typedefs) + 1 else None


def _ceil(x: float) -> float:
    return float(math.ceil(x))


def _floor(x: float) -> float:
    return float(math.floor(x))


def _round(x: float) -> float:
    """To the nearest integer, halves away from zero (C17 7.12.9.6)."""
    return math.copysign(math.floor(abs(x) + 0.5), x)


_ONE = {
    **{"ceil": _ceil, "floor": _floor, "sqrt": math.sqrt, "fabs": abs, "log2": math.log2},
    **{
        "round": _round,
        "lround": _round,
        "rint": round,
        "nearbyint": round,
        "exp": math.exp,
    },
    **{"sin": math.sin, "cos": math.cos, "tan": math.tan, "tanh": math.tanh},
    **{"asin": math.asin, "acos": math.acos, "atan": math.atan, "cbrt": math.cbrt},
    **{"log": math.log, "log10": math.log10, "exp2": lambda x: 2.0**x, "trunc": math.trunc},
}


_EXTREMES = (
    *("min", "max", "fmin", "fmax", "fminf", "fmaxf", "umin", "umax", "ullmin", "ullmax"),
    *("llmin", "llmax", "__min", "__max"),
)


class _Evaluator:
    def __init__(self, names: Names) -> None:
        self._names = names

    def value(self, node: Any) -> Value | None:
        kind = type(node).__name__
        handler = getattr(self, f"_{kind}", None)
        found = handler(node) if handler is not None else None
        if found is None and kind in _UNREADABLE and (kind != "UnaryOp" or node.op == "*"):
            return self._names.unreadable(_hidden(node))
        return found

    def _Constant(self, node: Any) -> Value | None:  # noqa: N802 - pycparser's node names
        return literal(node.type, node.value)

    def _ID(self, node: Any) -> Value | None:  # noqa: N802
        return self.name(as_written(node.name))

    def name(self, name: str) -> Value | None:
        macro = self._names.macros.get(name)
        if macro is not None and not macro.known:
            return None
        return self._names.variable(name)

    def _StructRef(self, node: Any) -> Value | None:  # noqa: N802
        if node.type == "." and type(node.name).__name__ == "ID":
            return self._names.member(as_written(node.name.name), node.field.name)
        return self._names.path(_written(node))

    def _ArrayRef(self, node: Any) -> Value | None:  # noqa: N802
        if (listed := _written(node.name)).endswith(".sizes()"):
            size = f"{listed.removesuffix('sizes()')}size"
            return self._names.call(size, [_written(node.subscript)], ())
        if type(node.name).__name__ == "ID":
            subscript = node.subscript
            index = subscript.name if type(subscript).__name__ == "ID" else ""
            if type(subscript).__name__ == "Constant" and subscript.type == "string":
                index = subscript.value  # a map's key
            value = self.value(subscript)
            return self._names.element(node.name.name, value, index)
        return self._names.listed(listed, self.value(node.subscript))  # `x.shape()[1]`

    def _Cast(self, node: Any) -> Value | None:  # noqa: N802
        target = self._type(node.to_type.type)
        return None if target is None else c_types.convert(self.value(node.expr), target)

    def _ExprList(self, node: Any) -> Value | None:  # noqa: N802
        return self.value(node.exprs[-1])

    def _UnaryOp(self, node: Any) -> Value | None:  # noqa: N802
        if node.op == "sizeof":
            assumed = self._size_of_assumed(node.expr)
            if assumed is not None:
                return assumed
            size = self._sizeof(node.expr)
            return None if size is None else Value(size, ULONG)
        if node.op in ("+", "-", "~", "!"):
            return c_types.unary(node.op, self.value(node.expr))
        if node.op in ("++", "--"):
            return c_types.binary(node.op[0], self.value(node.expr), Value(1, INT))
        return self.value(node.expr) if node.op in ("p++", "p--") else None

    def _BinaryOp(self, node: Any) -> Value | None:  # noqa: N802
        left, right = self.value(node.left), self.value(node.right)
        if node.op not in ("&&", "||"):
            found = c_types.binary(node.op, left, right)
            if found is None and self._names.inventing:
                return c_types.without_value(node.op, left, right)
            return found
        return logical(node.op, left, right)

    def _Assignment(self, node: Any) -> Value | None:  # noqa: N802
        target = (
            self._names.declared(node.lvalue.name) if type(node.lvalue).__name__ == "ID" else None
        )
        if node.op != "=" or target is None or target.type is None:
            return None
        return c_types.convert(self.value(node.rvalue), target.type)

    def _TernaryOp(self, node: Any) -> Value | None:  # noqa: N802
        with self._names.reading():
            condition = self.value(node.cond)
        if condition is None and self._names.inventing:
            holds = self._names.chosen(_written(node.cond))
            if holds is not None:
                return self.value(node.iftrue if holds else node.iffalse)
            condition = self.value(node.cond)
        left, right = self.value(node.iftrue), self.value(node.iffalse)
        if condition is not None and condition.term is not None:
            return None if left is None or right is None else select(condition, left, right)
        if condition is not None:
            chosen = left if condition.number else right
            zeros = [None if v is None else Value(0, v.type) for v in (left, right)]
            common = c_types.binary("+", *zeros)  # of the type that both arms convert to
            return chosen if common is None else c_types.convert(chosen, common.type)
        if left == right or (left is None and right is None):
            return left
        unread = node.iftrue if left is None else node.iffalse
        clamped = None in (left, right) and _written(unread) in _written(node.cond)
        holds = self._names.branch(_written(node.cond), clamped)
        return None if holds is None else left if holds else right

    def _FuncCall(self, node: Any) -> Value | None:  # noqa: N802
        if type(node.name).__name__ == "StructRef":  # `v.size()`, `t.size(0)`
            given = [_written(a) for a in (node.args.exprs if node.args else ())]
            return self._names.call(_written(node.name), given, ())
        if type(node.name).__name__ != "ID":
            return None
        name = as_written(node.name.name)
        nodes = node.args.exprs if node.args else ()
        arguments = [self.value(a) for a in nodes]
        own = self._names.call(name, [_written(a) for a in nodes], arguments)
        name, _, target = name.partition("<")
        if own is not None:
            return own
        texts = [_written(a) for a in nodes]
        if name in _EXTREMES and arguments:
            value = self._bounded(name, arguments, texts)
            kind = type_of_words(target.rstrip(" >").split(), self._names) if target else None
            return value if kind is None else c_types.convert(value, kind)
        if name == "clamp" and len(arguments) == 3:
            return self._clamped(arguments, texts)
        if None in arguments:
            return None
        return library_call(name, [a for a in arguments if a is not None])

    def _bounded(
        self, name: str, arguments: Sequence[Value | None], texts: Sequence[str]
    ) -> Value | None:
        """The least or greatest of several; of those out of sight a bound may be the answer."""
        result, text = arguments[0], texts[0]
        for value, other in zip(arguments[1:], texts[1:], strict=True):
            if result is not None and value is not None:
                result = library_call(name, (result, value))
            elif result is not None or value is not None:
                bound, free = (result, other) if value is None else (value, text)
                if bound is None or ("max" in name and bound.number <= 1):
                    return None  # a guard against none at all
                sign, limit = ("<" if "min" in name else ">"), (text if value is None else other)
                # Either happens. Where the other one is smaller its value stays unknown.
                holds = self._names.bounded(f"{free} {sign} {limit}")
                result = bound if holds is False else None
            text = f"{name}({text}, {other})"
        return result

    def _clamped(self, arguments: Sequence[Value | None], texts: Sequence[str]) -> Value | None:
        """`clamp(x, low, high)`: of an x that is out of sight the upper bound first."""
        value, low, high = arguments
        if value is None or low is None or high is None:
            upper = self._bounded("min", [value, high], [texts[0], texts[2]])
            return upper or self._bounded("max", [value, low], texts[:2])
        return library_call("min", (library_call("max", (value, low)) or value, high))

    def _size_of_assumed(self, node: Any) -> Value | None:
        """The size of a type that nothing in sight gives: a root."""
        named = getattr(getattr(node, "type", None), "type", None)
        words: Sequence[str] = (
            [node.name] if type(node).__name__ == "ID" else getattr(named, "names", ())
        )
        if len(words) != 1 or not self._names.assumes_type(words[0]):
            return None
        return self._names.unreadable(Hidden(f"sizeof({words[0]})", called="sizeof"))

    def _sizeof(self, node: Any) -> int | None:
        kind = type(node).__name__
        if kind == "Typename":
            target = self._type(node.type)
            return None if target is None else target.size
        depth = 0
        while kind == "ArrayRef" or (kind == "UnaryOp" and node.op == "*"):
            node = node.name if kind == "ArrayRef" else node.expr
            kind, depth = type(node).__name__, depth + 1
        declared = self._names.declared(node.name) if kind == "ID" else None
        if declared is not None:
            return _size_after(declared, depth)
        value = self.value(node) if depth == 0 else None
        return None if value is None else value.type.size

    def _type(self, node: Any) -> CType | None:
        kind = type(node).__name__
        if kind == "PtrDecl":
            return POINTER
        if kind == "ArrayDecl":
            inner, count = self._type(node.type), self.value(node.dim) if node.dim else None
            if inner is None or count is None:
                return None
            return CType("array", "opaque", inner.size * int(count.number))
        if kind == "TypeDecl" and type(node.type).__name__ == "IdentifierType":
            return type_of_words(node.type.names, self._names)
        if kind == "TypeDecl" and type(node.type).__name__ == "Struct":
            return self._names.type(node.type.name)
        return None


def logical(op: str, left: Value | None, right: Value | None) -> Value | None:
    """`a && b` or `a || b`, where one side may be enough."""
    decisive = op == "||"
    known = [v for v in (left, right) if v is not None]
    deciding = [v for v in known if bool(v.number) is decisive and v.term is None]
    if deciding:
        return Value(int(decisive), INT)
    if len(known) == 2:
        result = Value(int((decisive in [bool(v.number) for v in known]) == decisive), INT)
        return recorded(op, result, *known)
    return None


def library_call(name: str, known: Sequence[Value]) -> Value | None:
    """The value of a function of C's and CUDA's mathematics; None for any other."""
    plain = [Value(v.number, v.type) for v in known]
    return recorded(f"call {name}", _library_call(name, plain), *known)


def _library_call(name: str, known: Sequence[Value]) -> Value | None:
    if name in ("min", "max", "fmin", "fmax", "fminf", "fmaxf") and len(known) == 2:
        return _extreme(name, *known)
    if name in ("pow", "powf") and len(known) == 2:
        return _apply(lambda: math.pow(known[0].number, known[1].number), DOUBLE)
    if name == "abs" and len(known) == 1:
        return known[0] if known[0].number >= 0 else c_types.unary("-", known[0])
    function: Any = _ONE.get(name) or (_ONE.get(name[:-1]) if name.endswith("f") else None)
    if function is None or len(known) != 1:
        return None
    single = name.endswith("f") and name not in _ONE
    number = known[0].number
    return _apply(lambda: function(number), FLOAT if single else _real(known[0]))


#: pycparser's nodes that a value out of sight may hide behind.
_UNREADABLE = ("FuncCall", "StructRef", "ArrayRef", "UnaryOp")


def _hidden(node: Any) -> Hidden:
    """What stands where a value cannot be read."""
    kind, text = type(node).__name__, _written(node)
    if kind == "FuncCall":
        name = node.name if type(node.name).__name__ == "ID" else getattr(node.name, "field", None)
        return Hidden(text, called=as_written(str(getattr(name, "name", ""))))
    inner, depth, subscripts = node, 0, 0
    fields: list[str] = []
    while type(inner).__name__ in ("ArrayRef", "UnaryOp", "StructRef"):
        is_member = type(inner).__name__ == "StructRef"
        fields += [inner.field.name] if is_member else []
        depth += not is_member or inner.type == "->"
        subscripts += not is_member and not fields
        inner = inner.expr if type(inner).__name__ == "UnaryOp" else inner.name
    base = str(getattr(inner, "name", "")) if type(inner).__name__ == "ID" else ""
    path = tuple(reversed(fields))
    return Hidden(text, base=as_written(base), fields=path, depth=depth, subscripts=subscripts)


def select(condition: Value, left: Value, right: Value) -> Value | None:
    """`condition ? left : right`, where a formula decides the condition."""
    common = c_types.binary("+", Value(0, left.type), Value(0, right.type))
    one = None if common is None else c_types.convert(left, common.type)
    other = None if common is None else c_types.convert(right, common.type)
    if one is None or other is None:
        return None
    return recorded("select", one if condition.number else other, condition, one, other)


def _written(node: Any) -> str:
    """An expression's text."""
    from pycparser import c_generator

    return as_written(str(c_generator.CGenerator().visit(node)))


def _size_after(declared: Declared, depth: int) -> int | None:
    """Bytes of a declared thing after `depth` subscripts or dereferences."""
    extents = declared.extents[depth:]
    pointers = declared.pointers - max(0, depth - len(declared.extents))
    if pointers < 0 or None in extents or (pointers == 0 and declared.type is None):
        return None
    size = 8 if pointers > 0 or declared.type is None else declared.type.size
    return size * math.prod(e for e in extents if e is not None)


def _real(value: Value) -> CType:
    return FLOAT if value.type == FLOAT else DOUBLE


def _apply(function: Any, kind: CType) -> Value | None:
    try:
        return c_types.convert(Value(float(function()), DOUBLE), kind)
    except (ValueError, OverflowError, ZeroDivisionError):
        return None


def _extreme(name: str, left: Value, right: Value) -> Value | None:
    less = c_types.binary("<", left, right)
    total = c_types.binary("+", Value(0, left.type), Value(0, right.type))
    if less is None or total is None:
        return None
    return c_types.convert(left if bool(less.number) == ("min" in name) else right, total.type)
