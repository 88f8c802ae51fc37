"""What an instruction makes of symbolic operands, in operations that `terms` gives to z3.

Integers are bits, so that sums wrap and shifts clamp as on the machine. Floats are reals:
comparing, adding and multiplying them is expressed, rounding is not. What has no meaning here
raises `InexpressibleError` with the reason that is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from perflint.grammar.model import Instruction
from perflint.symbolic.expressions import Expressions, Node


class InexpressibleError(Exception):
    """The value is what the run has, for this reason."""


def sort_of(ptx_type: str) -> str:
    """The sort of a PTX type. Raises InexpressibleError for packed, half and brain floats."""
    if ptx_type == "pred":
        return "p"
    if ptx_type in ("f32", "f64"):
        return ptx_type
    if ptx_type[0] in "bsu" and ptx_type[1:] in ("8", "16", "32", "64"):
        return "b" + ptx_type[1:]
    raise InexpressibleError("half or packed numbers")


def width(sort: str) -> int:
    """Bits of a sort: 1 for truth values."""
    return 1 if sort == "p" else int(sort[1:])


def is_real(node: Node) -> bool:
    return node.sort[0] == "f"


def coerced(e: Expressions, node: Node, ptx_type: str, signed: bool = False) -> Node:
    """A register's value as an operand of a type: cut, or extended by zeros or by its sign."""
    wanted = sort_of(ptx_type)
    if node.sort == wanted:
        return node
    if "p" in (node.sort, wanted):
        raise InexpressibleError("a truth value as a number")
    if is_real(node) or wanted[0] == "f":
        raise InexpressibleError("the bits of a float")
    if width(wanted) < width(node.sort):
        return e.op("cut", wanted, node)
    return e.op("sext" if signed else "zext", wanted, node)


Compute = Callable[[Expressions, Instruction, Sequence[str], Sequence[Node]], Node]
#: Instructions that only move: their operands may be of any sort.
MOVES = ("mov", "selp", "cvta")
_COMPARISONS = {"eq": "eq", "ne": "ne", "lt": "lt", "le": "le", "gt": "gt", "ge": "ge", "lo": "lt",
                "ls": "le", "hi": "gt", "hs": "ge", "equ": "eq", "neu": "ne", "ltu": "lt",
                "leu": "le", "gtu": "gt", "geu": "ge"}  # fmt: skip


def result(
    e: Expressions, instruction: Instruction, types: Sequence[str], args: Sequence[Node]
) -> Node:
    """The first result of an instruction whose operands, coerced to `types`, are `args`.

    Raises InexpressibleError and TooDeepError.
    """
    compute = _RULES.get(instruction.opcode)
    if compute is None or set(instruction.modifiers) & {"cc", "sat", "relu"}:
        raise InexpressibleError(f"{instruction.opcode}")
    return compute(e, instruction, types, args)


def compared(e: Expressions, name: str, ptx_type: str, a: Node, b: Node) -> Node:
    """`setp`'s comparison of two values of a type."""
    relation = _COMPARISONS.get(name)
    if relation is None:
        raise InexpressibleError(f"comparison {name}")
    if relation in ("gt", "ge"):
        a, b, relation = b, a, {"gt": "lt", "ge": "le"}[relation]
    if relation in ("lt", "le") and not is_real(a):
        relation += "_s" if ptx_type[0] == "s" else "_u"
    return e.op(relation, "p", a, b)


def negated(e: Expressions, node: Node) -> Node:
    return node.args[0] if node.op == "not" and node.sort == "p" else e.op("not", "p", node)


def _binary(e: Expressions, i: Instruction, types: Sequence[str], a: Sequence[Node]) -> Node:
    return e.op(i.opcode, a[0].sort, a[0], a[1])


def _unary(e: Expressions, i: Instruction, types: Sequence[str], a: Sequence[Node]) -> Node:
    return e.op(i.opcode, a[0].sort, a[0])


def _widened(e: Expressions, i: Instruction, types: Sequence[str], a: Sequence[Node]) -> list[Node]:
    if not {"wide", "hi"} & set(i.modifiers):
        return list(a[:2])
    sort = f"b{2 * width(a[0].sort)}"
    return [e.op("sext" if types[0][0] == "s" else "zext", sort, each) for each in a[:2]]


def _multiply(e: Expressions, i: Instruction, types: Sequence[str], a: Sequence[Node]) -> Node:
    first, second = _widened(e, i, types, a)
    product = e.op("mul", first.sort, first, second)
    if "hi" not in i.modifiers:
        return product
    bits, sort = width(a[0].sort), a[0].sort
    return e.op("cut", sort, e.op("shr_u", product.sort, product, e.const(bits, product.sort)))


def _multiply_add(e: Expressions, i: Instruction, types: Sequence[str], a: Sequence[Node]) -> Node:
    product = _multiply(e, i, types, a)
    return e.op("add", product.sort, product, a[2])


def _divide(e: Expressions, i: Instruction, types: Sequence[str], a: Sequence[Node]) -> Node:
    if is_real(a[0]):
        return e.op("div", a[0].sort, a[0], a[1])
    sign = "_s" if types[0][0] == "s" else "_u"
    return e.op(i.opcode + sign, a[0].sort, a[0], a[1])


def _extreme(e: Expressions, i: Instruction, types: Sequence[str], a: Sequence[Node]) -> Node:
    if len(a) != 2:
        raise InexpressibleError(f"{i.opcode} of three")
    first, second = (a[0], a[1]) if i.opcode == "min" else (a[1], a[0])
    return e.op("ite", a[0].sort, compared(e, "le", types[0], first, second), a[0], a[1])


def _absolute(e: Expressions, i: Instruction, types: Sequence[str], a: Sequence[Node]) -> Node:
    zero = e.const(0.0 if is_real(a[0]) else 0, a[0].sort)
    negative = compared(e, "lt", types[0], a[0], zero)
    return e.op("ite", a[0].sort, negative, e.op("neg", a[0].sort, a[0]), a[0])


def _shift(e: Expressions, i: Instruction, types: Sequence[str], a: Sequence[Node]) -> Node:
    amount = a[1]
    if width(amount.sort) < width(a[0].sort):
        amount = e.op("zext", a[0].sort, amount)
    elif width(amount.sort) > width(a[0].sort):
        raise InexpressibleError("a shift of few bits")
    name = "shl" if i.opcode == "shl" else "shr_s" if types[0][0] == "s" else "shr_u"
    return e.op(name, a[0].sort, a[0], amount)


def _lookup(e: Expressions, i: Instruction, types: Sequence[str], a: Sequence[Node]) -> Node:
    """`lop3`: the rows of its table that are set, ored."""
    table = getattr(i.operands[4], "bits", None)
    if table is None:
        raise InexpressibleError("lop3")
    whole, sort = None, a[0].sort
    for row in range(8):
        if not table >> row & 1:
            continue
        parts = [x if row >> (2 - k) & 1 else e.op("not", sort, x) for k, x in enumerate(a[:3])]
        term = e.op("and", sort, e.op("and", sort, parts[0], parts[1]), parts[2])
        whole = term if whole is None else e.op("or", sort, whole, term)
    return e.const(0, sort) if whole is None else whole


def _field(e: Expressions, i: Instruction, types: Sequence[str], a: Sequence[Node]) -> Node:
    """`bfe` of a fixed place: shifted to the top, and back down."""
    bits = width(a[0].sort)
    position, length = (x.data if x.op == "const" else None for x in a[1:3])
    if not (isinstance(position, int) and isinstance(length, int)):
        raise InexpressibleError("a field at a varying place")
    position, length = position & 255, length & 255
    if length == 0 or position + length > bits:
        raise InexpressibleError("a field beyond the word")
    sort = a[0].sort
    up = e.op("shl", sort, a[0], e.const(bits - position - length, sort))
    name = "shr_s" if types[0][0] == "s" else "shr_u"
    return e.op(name, sort, up, e.const(bits - length, sort))


def _select(e: Expressions, i: Instruction, types: Sequence[str], a: Sequence[Node]) -> Node:
    if a[0].sort != a[1].sort:
        raise InexpressibleError("the bits of a float")
    return e.op("ite", a[0].sort, a[2], a[0], a[1])


def _compare(e: Expressions, i: Instruction, types: Sequence[str], a: Sequence[Node]) -> Node:
    found = compared(e, i.modifiers[0], types[0], a[0], a[1])
    return found if len(a) == 2 else e.op(_joins(i), "p", found, a[2])


def _joins(i: Instruction) -> str:
    return next(m for m in i.modifiers[1:] if m in ("and", "or", "xor"))


def _set(e: Expressions, i: Instruction, types: Sequence[str], a: Sequence[Node]) -> Node:
    named = [m for m in i.modifiers if m[0] in "busf" and m[1:].isdigit()]
    sort = sort_of(named[0])
    one, zero = (1.0, 0.0) if sort[0] == "f" else ((1 << width(sort)) - 1, 0)
    return e.op("ite", sort, _compare(e, i, types, a), e.const(one, sort), e.const(zero, sort))


def _convert(e: Expressions, i: Instruction, types: Sequence[str], a: Sequence[Node]) -> Node:
    named = [m for m in i.modifiers if m[0] in "busf" and m[1:].isdigit()]
    if len(named) != 2:
        raise InexpressibleError("cvt")
    to, source = named
    sort, value = sort_of(to), a[0]
    if to[0] == "f" and source[0] == "f":
        if {"rni", "rzi", "rmi", "rpi"} & set(i.modifiers):
            raise InexpressibleError("rounding to an integer")
        return e.op("real", sort, value)
    if to[0] == "f":
        return e.op("real_s" if source[0] == "s" else "real_u", sort, value)
    if source[0] == "f":
        if "rzi" not in i.modifiers:
            raise InexpressibleError("rounding to an integer")
        return e.op("truncated", sort, value)
    if width(sort) == width(value.sort):
        return value
    if width(sort) < width(value.sort):
        return e.op("cut", sort, value)
    return e.op("sext" if source[0] == "s" else "zext", sort, value)


def _fixed(e: Expressions, i: Instruction, types: Sequence[str], a: Sequence[Node]) -> Node:
    return e.op("div", a[0].sort, e.const(1.0, a[0].sort), a[0])


_RULES: dict[str, Compute] = {
    **dict.fromkeys(("add", "sub", "and", "or", "xor"), _binary),
    **dict.fromkeys(("neg", "not"), _unary),
    **dict.fromkeys(("div", "rem"), _divide),
    **dict.fromkeys(("min", "max"), _extreme),
    **dict.fromkeys(("shl", "shr"), _shift),
    **dict.fromkeys(("mad", "fma"), _multiply_add),
    "mul": _multiply,
    "abs": _absolute,
    "lop3": _lookup,
    "bfe": _field,
    "selp": _select,
    "setp": _compare,
    "set": _set,
    "cvt": _convert,
    "rcp": _fixed,
    "mov": lambda e, i, t, a: a[0],
    "cvta": lambda e, i, t, a: a[0],
}
