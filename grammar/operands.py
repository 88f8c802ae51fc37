"""From an operand's tree to a function that makes the operand from the tokens of a statement.

Statements of the same shape have the same tree. So a tree is compiled once, into functions of the
statement's token texts and the names in force; a leaf's `start_pos` is its index in those texts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from perflint.grammar import constants
from perflint.grammar.errors import StatementError
from perflint.grammar.model import (
    Address,
    Immediate,
    Not,
    Operand,
    Pair,
    Register,
    Sink,
    SpecialRegister,
    Symbol,
    Vector,
)
from perflint.grammar.scopes import Names

Make = Callable[[Sequence[str], Names], Operand]
Integer = Callable[[Sequence[str], Names], int]


def is_leaf(node: Any) -> bool:
    """A token, not a tree: the operand is what `Names` has for its text."""
    return not hasattr(node, "data")


def operand(node: Any) -> Make:
    """The maker of an instruction's operand. What it makes may raise StatementError."""
    make = expression(node)
    if is_leaf(node) or node.data in ("address", "vector"):
        return make

    def checked(texts: Sequence[str], names: Names) -> Operand:
        value = make(texts, names)
        if isinstance(value, Address):
            raise StatementError("a register with an offset is an address: it stands in `[ ]`")
        return value

    return checked


def expression(node: Any) -> Make:
    """The maker of any node; a register with an offset comes as an Address."""
    if is_leaf(node):
        at = node.start_pos
        return lambda texts, names: names[texts[at]]
    return _TREES[node.data](node)


def constant(node: Any) -> Integer:
    """The maker of an integer. What it makes may raise StatementError."""
    make = expression(node)

    def integer(texts: Sequence[str], names: Names) -> int:
        value = folded(make(texts, names))
        if value.kind != "int":
            raise StatementError("an integer is needed here")
        return value.bits

    return integer


def folded(value: Operand) -> Immediate:
    """A constant as a number; WARP_SZ is 32 (PTX ISA 10)."""
    if isinstance(value, Immediate):
        return value
    if isinstance(value, SpecialRegister) and value.name == "WARP_SZ":
        return Immediate(32)
    raise StatementError("a constant expression needs numbers", getattr(value, "name", None))


def _join(symbol: str, left: Operand, right: Operand) -> Operand:
    """Two terms and what stands between them: numbers, `array + 8`, `%rd1 + 8`, `%r|%p`."""
    if symbol == "|" and isinstance(left, Register | Sink | Vector):
        if isinstance(right, Register | Sink):
            return Pair(left, right)
        raise StatementError("behind `|` stands a register", symbol)
    if symbol == "+" and isinstance(left, Immediate) and isinstance(right, Register | Symbol):
        left, right = right, left
    if isinstance(left, Register | Symbol | Address):
        offset = folded(right)
        if symbol not in "+-" or offset.kind != "int":
            raise StatementError(f"`{symbol}` cannot stand behind a name", symbol)
        distance = offset.bits if symbol == "+" else -offset.bits
        if isinstance(left, Symbol):
            return Symbol(left.name, left.offset + distance)
        if isinstance(left, Register):
            return Address(left, distance)
        return Address(left.base, left.offset + distance)
    return constants.binary(symbol, folded(left), folded(right))


def _binary(tree: Any) -> Make:
    """Terms and operators in turn, joined by precedence."""
    terms = [expression(node) for node in tree.children[::2]]
    signs = [node.start_pos for node in tree.children[1::2]]

    def make(texts: Sequence[str], names: Names) -> Operand:
        values = [term(texts, names) for term in terms[:1]]
        waiting: list[str] = []
        for at, term in zip(signs, terms[1:], strict=True):
            symbol = texts[at]
            level = constants.PRECEDENCE[symbol]
            while waiting and constants.PRECEDENCE[waiting[-1]] >= level:
                right, left = values.pop(), values.pop()
                values.append(_join(waiting.pop(), left, right))
            waiting.append(symbol)
            values.append(term(texts, names))
        while waiting:
            right, left = values.pop(), values.pop()
            values.append(_join(waiting.pop(), left, right))
        return values[0]

    return make


def _address(tree: Any) -> Make:
    first, *rest = tree.children
    offset = _with_offset(first)
    if offset is not None and not rest:
        return offset
    base = expression(first)
    index = [operand(node) for node in rest]

    def make(texts: Sequence[str], names: Names) -> Operand:
        at = base(texts, names)
        others = tuple(each(texts, names) for each in index)
        if isinstance(at, Address) and not at.index:
            return Address(at.base, at.offset, others)
        if isinstance(at, Symbol):
            return Address(Symbol(at.name), at.offset, others)
        if isinstance(at, Register | Immediate):
            return Address(at, 0, others)
        raise StatementError("an address begins with a register, a variable or a number")

    return make


def _with_offset(node: Any) -> Make | None:
    """The maker of `[%rd1]` and `[%rd1+8]`, which are nearly all addresses."""
    if is_leaf(node):
        at = node.start_pos

        def plain(texts: Sequence[str], names: Names) -> Operand:
            base = names[texts[at]]
            if isinstance(base, Register | Symbol | Immediate):
                return Address(base)
            raise StatementError(
                "an address begins with a register, a variable or a number", texts[at]
            )

        return plain
    leaves = node.data == "binary" and all(map(is_leaf, node.children))
    if not leaves or [each.type for each in node.children] != [
        "NAME",
        "SIGN",
        "INTEGER",
    ]:
        return None
    at, sign, distance = (each.start_pos for each in node.children)

    def moved(texts: Sequence[str], names: Names) -> Operand:
        base, offset = names[texts[at]], names[texts[distance]]
        if isinstance(base, Register | Symbol) and isinstance(offset, Immediate):
            return Address(base, offset.bits if texts[sign] == "+" else -offset.bits)
        raise StatementError("an address begins with a register, a variable or a number", texts[at])

    return moved


def _unary(tree: Any) -> Make:
    at = tree.children[0].start_pos
    term = expression(tree.children[1])

    def make(texts: Sequence[str], names: Names) -> Operand:
        value = term(texts, names)
        if isinstance(value, Register) and texts[at] in "!-":
            return Not(value)
        return constants.unary(texts[at], folded(value))

    return make


def _cast(tree: Any) -> Make:
    at = tree.children[0].start_pos
    term = expression(tree.children[1])
    return lambda texts, names: constants.cast(texts[at][1:], folded(term(texts, names)))


def _choice(tree: Any) -> Make:
    condition, yes, no = (expression(node) for node in tree.children)
    return lambda texts, names: (yes if folded(condition(texts, names)).bits else no)(texts, names)


def _subscript(tree: Any) -> Make:
    """`a[3]`: the fourth element of an array (PTX ISA 6.4.2)."""
    array = tree.children[0].start_pos
    index = constant(tree.children[1])

    def make(texts: Sequence[str], names: Names) -> Operand:
        base = names[texts[array]]
        if not isinstance(base, Symbol):
            raise StatementError("only a variable has elements", texts[array])
        return Symbol(base.name, base.offset + names.element_size(base.name) * index(texts, names))

    return make


def _vector(tree: Any) -> Make:
    if all(map(is_leaf, tree.children)):
        at = [node.start_pos for node in tree.children]
        return lambda texts, names: Vector(tuple([names[texts[each]] for each in at]))
    elements = [operand(node) for node in tree.children]
    return lambda texts, names: Vector(tuple([each(texts, names) for each in elements]))


def _part(tree: Any) -> Make:
    """`%v .x`: a name with its selector, in two tokens."""
    at, selector = (node.start_pos for node in tree.children)
    return lambda texts, names: names[texts[at] + texts[selector]]


def _generic(tree: Any) -> Make:
    """`generic(variable)`: all our addresses are generic ones, or can be made so."""
    at = tree.children[0].start_pos
    inner = expression(tree.children[1])

    def make(texts: Sequence[str], names: Names) -> Operand:
        if texts[at] != "generic":
            raise StatementError(f"`{texts[at]}` is no function of constants", texts[at])
        return inner(texts, names)

    return make


def _mask(tree: Any) -> Make:
    """`0xff00(variable)`: one byte of its address, in an initialiser (PTX ISA 5.4.4)."""
    at = tree.children[0].start_pos
    inner = expression(tree.children[1])

    def make(texts: Sequence[str], names: Names) -> Operand:
        value, mask = inner(texts, names), folded(names[texts[at]])
        if not isinstance(value, Symbol):
            raise StatementError("a mask is of a variable's address", texts[at])
        return Symbol(value.name, value.offset, mask.bits)

    return make


def _parenthesis(tree: Any) -> Make:
    return expression(tree.children[0])


def _field(tree: Any) -> Make:
    raise StatementError("`name = value` stands in an initialiser", str(tree.children[0]))


_TREES: dict[str, Callable[[Any], Make]] = {
    "binary": _binary,
    "address": _address,
    "unary": _unary,
    "cast": _cast,
    "choice": _choice,
    "part": _part,
    "subscript": _subscript,
    "vector": _vector,
    "generic": _generic,
    "mask": _mask,
    "parenthesis": _parenthesis,
    "field": _field,
}
