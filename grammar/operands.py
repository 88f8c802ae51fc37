"""From an operand's tree to a function that makes the operand of other tokens of the same shape.

A statement's *shape* is its terminals and opcode; statements of one shape have one tree. So a tree
is compiled once into functions of (token values, scope), and the next `add.s32 %r, %r, 1` costs a
look-up instead of a parse.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from perflint.grammar import constants
from perflint.grammar.constants import ConstantError
from perflint.grammar.model import (
    Address,
    Element,
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

if TYPE_CHECKING:
    from lark import Tree


class Scope(Protocol):
    """What names mean where a statement stands."""

    def name(self, text: str) -> Operand:
        """A register, special register, symbol or sink. Raises OperandError."""

    def element_size(self, symbol: str) -> int:
        """Bytes of an array's element."""


Make = Callable[[Sequence[str], Scope], Any]


class OperandError(ValueError):
    """An operand that means nothing; `token` is the index, in the statement, to point at."""

    def __init__(self, message: str, token: int | None = None) -> None:
        super().__init__(message)
        self.token = token


def operand(node: Any, first: int) -> Make:
    """The maker of the operand at `node`; the statement's tokens begin at index `first`."""
    if hasattr(node, "type"):
        return _leaf(node, first)
    return _TREES[node.data](node, first)


def _leaf(token: Any, first: int) -> Make:
    at = token.start_pos - first
    if token.type in ("INTEGER", "FLOAT"):
        return lambda values, scope: _constant(constants.number, at, values[at])

    def name(values: Sequence[str], scope: Scope) -> Operand:
        try:
            return scope.name(values[at])
        except OperandError as error:
            raise OperandError(str(error), at) from None

    return name


def _constant(function: Callable[..., Immediate], at: int | None, *arguments: Any) -> Immediate:
    try:
        return function(*arguments)
    except (ConstantError, OverflowError) as error:
        raise OperandError(str(error), at) from None


def _immediate(value: Operand) -> Immediate:
    if not isinstance(value, Immediate):
        raise OperandError("a constant expression needs numbers")
    return value


def _binary(tree: Tree[Any], first: int) -> Make:
    """Terms joined by operators: a constant, `symbol + 8`, `%rd1 + 8` in an address, `%r|%p`."""
    terms = [operand(node, first) for node in tree.children[::2]]
    signs = [node.start_pos - first for node in tree.children[1::2]]

    def make(values: Sequence[str], scope: Scope) -> Operand:
        left = terms[0](values, scope)
        operators = [values[at] for at in signs]
        if isinstance(left, Immediate):
            rest = [_immediate(term(values, scope)) for term in terms[1:]]
            return _constant(constants.fold, signs[0], [left, *rest], operators)
        if operators == ["|"] and isinstance(left, (Register, Sink)):
            right = terms[1](values, scope)
            if isinstance(right, (Register, Sink)):
                return Pair(left, right)
        if operators[0] not in ("+", "-"):
            raise OperandError(f"`{operators[0]}` cannot stand here", signs[0])
        rest = [_immediate(term(values, scope)) for term in terms[1:]]
        zero = Immediate(0)
        offset = _constant(constants.fold, signs[0], [zero, *rest], operators).bits
        if isinstance(left, Symbol):
            return Symbol(left.name, left.offset + offset)
        if isinstance(left, Register):
            return Address(left, offset)  # only an address takes it: see _address
        raise OperandError(f"`{operators[0]}` cannot stand here", signs[0])

    return make


def _address(tree: Tree[Any], first: int) -> Make:
    base, *index = [operand(node, first) for node in tree.children]

    def make(values: Sequence[str], scope: Scope) -> Operand:
        at = base(values, scope)
        rest = tuple(each(values, scope) for each in index)
        if isinstance(at, Symbol):
            return Address(Symbol(at.name), at.offset, rest)
        if isinstance(at, (Register, Immediate)):
            return Address(at, 0, rest)
        if isinstance(at, Address):
            return Address(at.base, at.offset, rest)
        raise OperandError("an address begins with a register, a variable or a number")

    return make


def _unary(tree: Tree[Any], first: int) -> Make:
    at = tree.children[0].start_pos - first
    term = operand(tree.children[1], first)

    def make(values: Sequence[str], scope: Scope) -> Operand:
        value = term(values, scope)
        if values[at] == "!" and isinstance(value, Register):
            return Not(value)
        return _constant(constants.unary, at, values[at], _immediate(value))

    return make


def _cast(tree: Tree[Any], first: int) -> Make:
    at = tree.children[0].start_pos - first
    term = operand(tree.children[1], first)
    return lambda values, scope: _constant(
        constants.cast, at, values[at], _immediate(term(values, scope))
    )


def _choice(tree: Tree[Any], first: int) -> Make:
    condition, yes, no = [operand(node, first) for node in tree.children]
    return lambda values, scope: (
        yes if _immediate(condition(values, scope)).bits else no
    )(values, scope)


def _subscript(tree: Tree[Any], first: int) -> Make:
    """`a[3]`: the fourth element of an array (6.4.2)."""
    array, index = [operand(node, first) for node in tree.children]

    def make(values: Sequence[str], scope: Scope) -> Operand:
        base = array(values, scope)
        if not isinstance(base, Symbol):
            raise OperandError("only a variable has elements")
        step = scope.element_size(base.name)
        return Symbol(base.name, base.offset + step * _immediate(index(values, scope)).bits)

    return make


def _vector(tree: Tree[Any], first: int) -> Make:
    elements = [operand(node, first) for node in tree.children]
    return lambda values, scope: Vector(tuple(each(values, scope) for each in elements))


def _inner(tree: Tree[Any], first: int) -> Make:
    return operand(tree.children[-1], first)


_TREES: dict[str, Callable[[Any, int], Make]] = {
    "binary": _binary,
    "address": _address,
    "unary": _unary,
    "cast": _cast,
    "choice": _choice,
    "subscript": _subscript,
    "vector": _vector,
    "parenthesis": _inner,
    "generic": _inner,  # generic(variable) in an initialiser: its generic address
    "mask": _inner,  # 0xff(variable): one byte of its address
    "field": _inner,
}


def dotted(text: str, registers: Callable[[str], Operand | None]) -> Operand | None:
    """`%v.x`, `%r1.b0`: a part of a declared register; None if there is no such register."""
    base, _, selector = text.rpartition(".")
    register = registers(base)
    return Element(register, selector) if isinstance(register, Register) else None


#: Special registers (PTX ISA, chapter 10) without the numbered families.
_SPECIAL = frozenset(
    f"%{name}"
    for name in (
        *(f"{n}.{d}" for n in ("tid", "ntid", "ctaid", "nctaid", "clusterid", "nclusterid",
          "cluster_ctaid", "cluster_nctaid") for d in "xyz"),
        *("laneid", "warpid", "nwarpid", "smid", "nsmid", "gridid", "cluster_ctarank"),
        *("cluster_nctarank", "is_explicit_cluster", "lanemask_eq", "lanemask_le", "lanemask_lt"),
        *("lanemask_ge", "lanemask_gt", "clock", "clock_hi", "clock64", "globaltimer"),
        *("globaltimer_lo", "globaltimer_hi", "reserved_smem_offset_begin"),
        *("reserved_smem_offset_end", "reserved_smem_offset_cap", "total_smem_size"),
        *("aggr_smem_size", "dynamic_smem_size", "current_graph_exec"),
        *("tid", "ntid", "ctaid", "nctaid"),
    )
)  # fmt: skip
_NUMBERED = ("%pm", "%envreg", "%reserved_smem_offset_")


def special(text: str) -> SpecialRegister | None:
    """A predefined register, or None."""
    numbered = text.startswith(_NUMBERED) and text[-1].isdigit() or text.endswith("_64")
    if text in _SPECIAL or text == "WARP_SZ" or numbered:
        return SpecialRegister(text)
    return None
