"""Expressions of single threads: each once, by number, and what they are to the solver.

An expression of all threads (`expressions`) is taken apart for some of them: threads that agree get
the same term. A term's number is higher than those of its parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from perflint.sim.unique_values import unique_values
from perflint.symbolic.expressions import Node
from perflint.symbolic.transfer import width

#: A term: operation, sort, and the numbers of its parts, or for a leaf its value or name and index.
Term = tuple[Any, ...]
_LEAVES = ("const", "element", "scalar")
#: What a term of a number that is no real (NaN, infinity) is: nothing is asked of it.
UNREAL = "unreal"


class Terms:
    """All terms of an exploration."""

    def __init__(self) -> None:
        self._number: dict[Term, int] = {}
        self.all: list[Term] = []
        self._variables: list[frozenset[int]] = []
        self._premises: list[frozenset[int]] = []
        self._reasons: list[frozenset[str]] = []
        self._shapes: dict[Term, int] = {}
        self._shape: list[tuple[int, tuple[int, ...]]] = []

    # --- making them -----------------------------------------------------------------------------

    def const(self, value: Any, sort: str) -> int:
        """A number, a truth value or a real."""
        if sort == "p":
            return self._once(("const", sort, bool(value)))
        if sort[0] == "b":
            return self._once(("const", sort, int(value) & ((1 << width(sort)) - 1)))
        if not np.isfinite(value):
            return self._once((UNREAL, sort))
        return self._once(("const", sort, Fraction(float(value))))

    def element(self, array: str, index: int, sort: str) -> int:
        return self._once(("element", sort, array, index))

    def scalar(self, name: str, sort: str) -> int:
        return self._once(("scalar", sort, name))

    def op(self, name: str, sort: str, *parts: int) -> int:
        return self._once((name, sort, *parts))

    def equal(self, term: int, value: Any) -> int:
        """That a term has a value."""
        return self.op("eq", "p", term, self.const(value, self.all[term][1]))

    def _once(self, term: Term, premises: Iterable[int] = (), reason: str = "") -> int:
        found = self._number.get(term)
        if found is not None:
            return found
        number = self._number[term] = len(self.all)
        self.all.append(term)
        parts = self.parts(number)
        own = frozenset([number]) if term[0] in ("element", "scalar") else frozenset()
        self._variables.append(own.union(*(self._variables[p] for p in parts)))
        self._premises.append(frozenset(premises).union(*(self._premises[p] for p in parts)))
        why = frozenset([reason]) if reason else frozenset()
        why |= frozenset(["not a number"]) if term[0] == UNREAL else frozenset()
        self._reasons.append(why.union(*(self._reasons[p] for p in parts)))
        self._shape.append(self._shaped(number, term, parts))
        return number

    def _shaped(
        self, number: int, term: Term, parts: tuple[int, ...]
    ) -> tuple[int, tuple[int, ...]]:
        if term[0] == "under":
            return self._shape[term[2]]
        holes: tuple[int, ...] = ()
        shape = term
        if term[0] in ("element", "scalar"):
            shape, holes = (term[0], term[1]), (number,)
        elif parts:
            # which holes are the same one is part of the shape
            found = [self._shape[p] for p in parts]
            occurring = [hole for _, each in found for hole in each]
            holes = tuple(dict.fromkeys(occurring))
            shape = (*term[:2], *(s for s, _ in found), *map(holes.index, occurring))
        return self._shapes.setdefault(shape, len(self._shapes)), holes

    # --- asking them -----------------------------------------------------------------------------

    def parts(self, number: int) -> tuple[int, ...]:
        term = self.all[number]
        return (
            ()
            if term[0] in _LEAVES or term[0] == UNREAL
            else term[2 : 3 if term[0] == "under" else None]
        )

    def variables(self, number: int) -> frozenset[int]:
        """The elements and scalars in it, as terms."""
        return self._variables[number]

    def premises(self, number: int) -> frozenset[int]:
        """Truth values under which it is what it is."""
        return self._premises[number]

    def reasons(self, number: int) -> frozenset[str]:
        """Why something in it was concretised; `not a number` where nothing can be asked of it."""
        return self._reasons[number]

    def shape(self, number: int) -> tuple[int, tuple[int, ...]]:
        """What it is but for which elements and scalars are in it, and these in order."""
        return self._shape[number]

    # --- to and from other processes -------------------------------------------------------------

    def _inside(self, number: int) -> tuple[int, ...]:
        """The terms that a term is made of, those included under which it is what it is."""
        term = self.all[number]
        if term[0] in _LEAVES or term[0] == UNREAL:
            return ()
        return (term[2], *term[4:]) if term[0] == "under" else term[2:]

    def sent(self, wanted: Iterable[int]) -> tuple[tuple[Term, ...], dict[int, int]]:
        """Some terms with all that is in them, numbered anew from 0; and the new numbers."""
        pending, seen = list(wanted), set()
        while pending:
            number = pending.pop()
            if number not in seen:
                seen.add(number)
                pending.extend(self._inside(number))
        new = {old: number for number, old in enumerate(sorted(seen))}
        return tuple(_renumbered(self.all[old], new) for old in new), new

    def adopted(self, sent: Sequence[Term]) -> dict[int, int]:
        """Make the terms that were sent; their numbers here, by those that they were sent with."""
        here: dict[int, int] = {}
        for number, term in enumerate(sent):
            mine = _renumbered(term, here)
            here[number] = self._under_premises(mine) if mine[0] == "under" else self._once(mine)
        return here

    def _under_premises(self, term: Term) -> int:
        premises = term[4:]
        # a premise's own premises come with it
        more = [p for each in premises for p in self.premises(each)]
        return self._once(term, [*premises, *more], term[3])

    # --- of the threads' expressions -------------------------------------------------------------

    def of(
        self, node: Node, slots: np.ndarray, known: dict[int, np.ndarray] | None = None
    ) -> np.ndarray:
        """The terms of some threads, (m,) int64.

        `known` keeps, for further questions about the same run, those of all parts by node.
        """
        known = {} if known is None else known
        found = known.get(node.number)
        if found is None:
            found = known[node.number] = np.full(int(slots.max(initial=0)) + 1, -1, np.int32)
        elif len(found) <= slots.max(initial=0):
            grown = np.full(int(slots.max()) + 1, -1, np.int32)
            grown[: len(found)] = found
            found = known[node.number] = grown
        left = unique_values(slots[found[slots] < 0])
        if len(left):
            made = self._made(node, left, known)
            known[node.number][left] = made
        return np.asarray(known[node.number][slots], np.int64)

    def _made(self, node: Node, slots: np.ndarray, known: dict[int, np.ndarray]) -> np.ndarray:
        if node.op == "const":
            if np.ndim(node.data) == 0:
                return np.full(len(slots), self.const(node.data, node.sort))
            return _by_value(node.data[slots], lambda value: self.const(value, node.sort))
        if node.op == "scalar":
            return np.full(len(slots), self.scalar(node.data, node.sort))
        if node.op == "element":
            array, index = node.data
            return _by_value(index[slots], lambda at: self.element(array, int(at), node.sort))
        if node.op == "gather":
            return self.of(node.args[0], node.data[slots], known)
        if node.op == "pick":
            out = np.zeros(len(slots), np.int64)
            choice = node.data[slots]
            for number, way in enumerate(node.args):
                mine = choice == number
                if mine.any():
                    out[mine] = self.of(way, slots[mine], known)
            return out
        columns = [self.of(part, slots, known) for part in node.args]
        if node.op == "under":
            return self._under(node, slots, columns)
        return _by_rows(columns, lambda parts: self.op(node.op, node.sort, *parts))

    def _under(self, node: Node, slots: np.ndarray, columns: list[np.ndarray]) -> np.ndarray:
        reason, numbers = node.data
        wanted = [
            _by_rows(
                [column, _by_value(held[slots], partial(self.const, sort=part.sort))],
                lambda pair: self.op("eq", "p", *pair),
            )
            for part, column, held in zip(node.args[1:], columns[1:], numbers, strict=True)
        ]

        def make(row: tuple[int, ...]) -> int:
            value, *premises = row
            return self._under_premises(("under", node.sort, value, reason, *premises))

        return _by_rows([columns[0], *wanted], make)


def _renumbered(term: Term, new: Mapping[int, int]) -> Term:
    if term[0] in _LEAVES or term[0] == UNREAL:
        return term
    if term[0] == "under":
        return (*term[:2], new[term[2]], term[3], *(new[p] for p in term[4:]))
    return (*term[:2], *(new[p] for p in term[2:]))


def _by_value(values: np.ndarray, make: Callable[[Any], int]) -> np.ndarray:
    """A term for each distinct value."""
    if values.dtype.kind == "f":  # NaNs are distinct from themselves
        values = np.where(np.isnan(values), np.inf, values)
    distinct, back = np.unique(values, return_inverse=True)
    return np.array([make(each) for each in distinct], np.int64)[back.reshape(-1)]


def _by_rows(columns: list[np.ndarray], make: Callable[[tuple[int, ...]], int]) -> np.ndarray:
    """A term for each distinct row of parts."""
    if not columns:
        raise ValueError("an operation of nothing")
    code = columns[0]
    for column in columns[1:]:
        distinct, back = np.unique(column, return_inverse=True)
        code = code * len(distinct) + back.reshape(-1)
        _, code = np.unique(code, return_inverse=True)
        code = code.reshape(-1).astype(np.int64)
    _, first, back = np.unique(code, return_index=True, return_inverse=True)
    rows = zip(*(column[first].tolist() for column in columns), strict=True)
    return np.array([make(row) for row in rows], np.int64)[back.reshape(-1)]


# --- to the solver --------------------------------------------------------------------------------

Make = Callable[..., Any]


def translated(
    terms: Terms, wanted: Iterable[int], z3: Any, context: Any, names: Mapping[int, Any]
) -> dict[int, Any]:
    """z3's expressions of terms and all their parts; `names` are those of the variables."""
    pending, seen = list(wanted), set()
    while pending:
        number = pending.pop()
        if number not in seen:
            seen.add(number)
            pending.extend(terms.parts(number))
    out: dict[int, Any] = {}
    for number in sorted(seen):
        term = terms.all[number]
        if number in names:
            out[number] = names[number]
        elif term[0] == "const":
            out[number] = value_of(z3, context, term[1], term[2])
        elif term[0] == UNREAL:
            out[number] = z3.FreshReal(ctx=context)
        elif term[0] == "under":
            out[number] = out[term[2]]
        else:
            parts = [out[p] for p in term[2:]]
            out[number] = _OPERATIONS[term[0]](z3, term[1], *parts)
    return out


def variable(z3: Any, context: Any, name: str, sort: str) -> Any:
    """z3's variable of a sort."""
    if sort == "p":
        return z3.Bool(name, context)
    return z3.BitVec(name, width(sort), context) if sort[0] == "b" else z3.Real(name, context)


def value_of(z3: Any, context: Any, sort: str, value: Any) -> Any:
    """z3's constant of a sort."""
    if sort == "p":
        return z3.BoolVal(bool(value), context)
    if sort[0] == "b":
        return z3.BitVecVal(int(value), width(sort), context)
    return z3.RealVal(value, context)


def _logic(name: str) -> Make:
    def make(z3: Any, sort: str, a: Any, b: Any) -> Any:
        if sort == "p":
            return {"and": z3.And, "or": z3.Or, "xor": z3.Xor}[name](a, b)
        return {"and": lambda: a & b, "or": lambda: a | b, "xor": lambda: a ^ b}[name]()

    return make


def _truncated(z3: Any, sort: str, a: Any) -> Any:
    whole = z3.If(a >= 0, z3.ToInt(a), -z3.ToInt(-a))
    return z3.Int2BV(whole, width(sort))


_OPERATIONS: dict[str, Make] = {
    "add": lambda z3, s, a, b: a + b,
    "sub": lambda z3, s, a, b: a - b,
    "mul": lambda z3, s, a, b: a * b,
    "neg": lambda z3, s, a: -a,
    "div": lambda z3, s, a, b: a / b,
    "div_s": lambda z3, s, a, b: a / b,
    "div_u": lambda z3, s, a, b: z3.UDiv(a, b),
    "rem_s": lambda z3, s, a, b: z3.SRem(a, b),
    "rem_u": lambda z3, s, a, b: z3.URem(a, b),
    "and": _logic("and"),
    "or": _logic("or"),
    "xor": _logic("xor"),
    "not": lambda z3, s, a: z3.Not(a) if s == "p" else ~a,
    "shl": lambda z3, s, a, b: a << b,
    "shr_u": lambda z3, s, a, b: z3.LShR(a, b),
    "shr_s": lambda z3, s, a, b: a >> b,
    "cut": lambda z3, s, a: z3.Extract(width(s) - 1, 0, a),
    "zext": lambda z3, s, a: z3.ZeroExt(width(s) - a.size(), a),
    "sext": lambda z3, s, a: z3.SignExt(width(s) - a.size(), a),
    "eq": lambda z3, s, a, b: a == b,
    "ne": lambda z3, s, a, b: a != b,
    "lt": lambda z3, s, a, b: a < b,
    "le": lambda z3, s, a, b: a <= b,
    "lt_s": lambda z3, s, a, b: a < b,
    "le_s": lambda z3, s, a, b: a <= b,
    "lt_u": lambda z3, s, a, b: z3.ULT(a, b),
    "le_u": lambda z3, s, a, b: z3.ULE(a, b),
    "ite": lambda z3, s, c, a, b: z3.If(c, a, b),
    "real": lambda z3, s, a: a,
    "real_s": lambda z3, s, a: z3.ToReal(z3.BV2Int(a, is_signed=True)),
    "real_u": lambda z3, s, a: z3.ToReal(z3.BV2Int(a)),
    "truncated": _truncated,
}
