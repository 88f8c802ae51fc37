"""Symbolic integers: polynomials over what a thread knows and what it does not.

A `Polynomial` is a sum of integer multiples of products of symbols. Symbols are special registers,
parameters, base addresses, loop counters, opaque leaves (a loaded value, a merge of several values)
and operations such as `and` or `rem` over polynomials. Arithmetic is that of mathematical integers:
indices are assumed not to overflow, and whoever reports a result says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache, cached_property
from math import gcd
from typing import Any, ClassVar

from perflint.analysis import operations
from perflint.analysis.symbols import (
    ATOMIC,
    BLOCK,
    LANE,
    LANES,
    LOADED,
    SOURCE_NAMES,
    TID_X,
    TID_Y,
    TID_Z,
    Base,
    Loop,
    Op,
    Opaque,
    Parameter,
    Special,
    Symbol,
)

__all__ = [
    "ATOMIC",
    "BLOCK",
    "LANE",
    "LANES",
    "LOADED",
    "SOURCE_NAMES",
    "TID_X",
    "TID_Y",
    "TID_Z",
    "Base",
    "Loop",
    "Monomial",
    "Op",
    "Opaque",
    "Parameter",
    "Polynomial",
    "Special",
    "Symbol",
]

Monomial = tuple[Symbol, ...]
Rebuild = Callable[[str, tuple["Polynomial", ...]], "Polynomial"]
Naming = Callable[[Symbol], str | None]


class Polynomial:
    """An immutable polynomial with integer coefficients."""

    #: A product or a sum beyond these becomes one `Op` (it can still be evaluated).
    max_terms: ClassVar[int] = 48
    max_degree: ClassVar[int] = 8

    def __init__(self, terms: Mapping[Monomial, int] | int = 0) -> None:
        if isinstance(terms, int):
            terms = {(): terms}
        self.terms: Mapping[Monomial, int] = {m: c for m, c in terms.items() if c}

    @staticmethod
    def of(symbol: Symbol) -> Polynomial:
        return Polynomial({(symbol,): 1})

    # --- looking at it

    @cached_property
    def text(self) -> str:
        """A canonical text: equal polynomials have equal ones."""
        parts = sorted(("*".join(s.text for s in m), c) for m, c in self.terms.items())
        return " + ".join(f"{c}" if not m else m if c == 1 else f"{c}*{m}" for m, c in parts) or "0"

    def __repr__(self) -> str:
        return self.text

    @cached_property
    def _hash(self) -> int:
        return hash(frozenset(self.terms.items()))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Polynomial) and self.terms == other.terms

    @cached_property
    def depends(self) -> int:
        """What it depends on: the union over its symbols."""
        out = 0
        for monomial in self.terms:
            for symbol in monomial:
                out |= symbol.depends
        return out

    @property
    def constant(self) -> int | None:
        """Its value if it has no symbols, else None."""
        if not self.terms:
            return 0
        return self.terms.get(()) if len(self.terms) == 1 else None

    @property
    def number(self) -> int:
        """Its term without symbols."""
        return self.terms.get((), 0)

    @cached_property
    def varying(self) -> frozenset[tuple[Monomial, int]]:
        """Its terms with symbols: where two have the same, their difference is that of numbers."""
        return frozenset((monomial, c) for monomial, c in self.terms.items() if monomial)

    @property
    def symbol(self) -> Symbol | None:
        """The symbol that it is, if it is just one."""
        if len(self.terms) == 1:
            ((monomial, coefficient),) = self.terms.items()
            if coefficient == 1 and len(monomial) == 1:
                return monomial[0]
        return None

    @cached_property
    def symbols(self) -> frozenset[Symbol]:
        """Its symbols, not those inside operations."""
        return frozenset(symbol for monomial in self.terms for symbol in monomial)

    @cached_property
    def size(self) -> int:
        """How many symbols stand in it, those inside operations included."""
        return sum(s.size if isinstance(s, Op) else 1 for m in self.terms for s in m)

    @cached_property
    def atoms(self) -> frozenset[Symbol]:
        """Its symbols that are no operations, those inside operations included."""
        plain = {symbol for symbol in self.symbols if not isinstance(symbol, Op)}
        inner = (a.atoms for s in self.symbols if isinstance(s, Op) for a in s.arguments)
        return frozenset(plain.union(*inner))

    def beyond(self, other: Polynomial) -> int | None:
        """By how much it is more than another, where that is a number: `(self - other).constant`.

        Said without the difference: of most pairs it is none.
        """
        return self.number - other.number if self.varying == other.varying else None

    def coefficient_of(self, symbol: Symbol) -> Polynomial:
        """The factor of the symbol's first power: 4*h of `4*h*x + y`."""
        out: dict[Monomial, int] = {}
        for monomial, coefficient in self.terms.items():
            if monomial.count(symbol) == 1:
                out[tuple(s for s in monomial if s != symbol)] = coefficient
        return Polynomial(out)

    # --- arithmetic

    def __add__(self, other: Polynomial | int) -> Polynomial:
        out = dict(self.terms)
        for monomial, coefficient in _lift(other).terms.items():
            out[monomial] = out.get(monomial, 0) + coefficient
        if len(out) > self.max_terms:
            return Polynomial.of(Op("add.s64", (self, _lift(other))))
        return Polynomial(out)

    __radd__ = __add__

    def __neg__(self) -> Polynomial:
        return Polynomial({m: -c for m, c in self.terms.items()})

    def __sub__(self, other: Polynomial | int) -> Polynomial:
        return self + -_lift(other)

    def __rsub__(self, other: int) -> Polynomial:
        return _lift(other) - self

    def __mul__(self, other: Polynomial | int) -> Polynomial:
        right = _lift(other)
        out: dict[Monomial, int] = {}
        for m1, c1 in self.terms.items():
            for m2, c2 in right.terms.items():
                product = tuple(sorted(m1 + m2, key=_text)) if m1 and m2 else m1 or m2
                if len(product) > self.max_degree:
                    return Polynomial.of(Op("mul.s64", (self, right)))
                out[product] = out.get(product, 0) + c1 * c2
        if len(out) > self.max_terms:
            return Polynomial.of(Op("mul.s64", (self, right)))
        return Polynomial(out)

    __rmul__ = __mul__

    def divided_by(self, divisor: int) -> Polynomial | None:
        """The quotient if every coefficient is a multiple, else None."""
        if any(c % divisor for c in self.terms.values()):
            return None
        return Polynomial({m: c // divisor for m, c in self.terms.items()})

    def split(self, wanted: Callable[[Monomial], bool]) -> tuple[Polynomial, Polynomial]:
        """The terms that are wanted, and the rest."""
        taken = {m: c for m, c in self.terms.items() if wanted(m)}
        return Polynomial(taken), Polynomial(
            {m: c for m, c in self.terms.items() if m not in taken}
        )

    # --- substitution and evaluation

    def substitute(
        self,
        replace: Callable[[Symbol], Polynomial | None],
        rebuild: Rebuild | None = None,
        known: dict[Symbol, Polynomial | None] | None = None,
    ) -> Polynomial:
        """Each symbol replaced by `replace(symbol)` (None keeps it), inside operations as well.

        `rebuild` makes a changed operation of its new arguments; by default it stays one. `known`
        is what became of symbols so far.
        """
        known = {} if known is None else known
        new: dict[Symbol, Polynomial] = {}
        for symbol in self.symbols:
            if symbol not in known:
                found = replace(symbol)
                if found is None and isinstance(symbol, Op):
                    arguments = tuple(
                        a.substitute(replace, rebuild, known) for a in symbol.arguments
                    )
                    if arguments != symbol.arguments:
                        make = rebuild or (lambda n, a: Polynomial.of(Op(n, a)))
                        found = make(symbol.name, arguments)
                known[symbol] = found
            if (instead := known[symbol]) is not None:
                new[symbol] = instead
        if not new:
            return self
        kept = {m: c for m, c in self.terms.items() if not any(s in new for s in m)}
        out = Polynomial(kept)
        for monomial, coefficient in self.terms.items():
            if monomial not in kept:
                product = Polynomial({tuple(s for s in monomial if s not in new): coefficient})
                for symbol in monomial:
                    if symbol in new:
                        product = product * new[symbol]
                out = out + product
        return out

    def evaluate(self, values: Mapping[Symbol, Any]) -> Any:
        """Its value where symbols are given ints, or int64 arrays with an element per lane.

        Raises KeyError for a symbol without a value and an operation without a meaning.
        """
        total: Any = 0
        for monomial, coefficient in self.terms.items():
            product: Any = coefficient
            for symbol in monomial:
                product = product * _value(symbol, values)
            total = total + product
        return total

    def describe(self, naming: Naming | None = None) -> str | None:
        """In source terms, the common factor in front: `4*(w + 1)`; None if a symbol has no name.

        `naming` names symbols (parameters); special registers have their CUDA names anyway.
        """

        @cache  # parts are shared, and what is made of them grows with each time they are met
        def name(symbol: Symbol) -> str | None:
            return (naming and naming(symbol)) or _symbol_name(symbol, name)

        return _describe(self, name)


def _text(symbol: Symbol) -> str:
    return symbol.text


def _lift(value: Polynomial | int) -> Polynomial:
    return value if isinstance(value, Polynomial) else Polynomial(value)


def _value(symbol: Symbol, values: Mapping[Symbol, Any]) -> Any:
    if symbol in values:
        return values[symbol]
    if isinstance(symbol, Op):
        return operations.evaluate(symbol.name, [a.evaluate(values) for a in symbol.arguments])
    raise KeyError(symbol)


_INFIX = {"div": "/", "rem": "%", "and": "&", "or": "|", "xor": "^", "shl": "<<", "shr": ">>"}
_COMPARISON = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
               "lo": "<", "ls": "<=", "hi": ">", "hs": ">="}  # fmt: skip
#: What has no name in CUDA C++ but is easily said.
_WORDS = {"%laneid": "lane", "%warpid": "warp", "%nwarpid": "warps"}


def _symbol_name(symbol: Symbol, naming: Naming) -> str | None:
    name = SOURCE_NAMES.get(symbol.text) or _WORDS.get(symbol.text)
    if name is not None:
        return name
    if isinstance(symbol, Loop):
        # PTX does not keep the names of loop variables; what it counts are the turns.
        return "turn" if symbol.depth == 1 else f"turn{symbol.depth}"
    return _operation_name(symbol, naming) if isinstance(symbol, Op) else None


def _operation_name(symbol: Op, naming: Naming) -> str | None:
    """An operation as C writes it, in parentheses."""
    if (quotient := _quotient(symbol)) is not None:
        value = _describe(quotient[0], naming)
        divided = value if value is None or value.isidentifier() else f"({value})"
        return None if divided is None else f"({divided} / {quotient[1]})"
    words = _all_named(_describe(a, naming) for a in symbol.arguments)
    if words is None:
        return None
    opcode, _, rest = symbol.name.partition(".")
    grouped = [p if re.fullmatch(r"[\w.]+|\([^()]*\)", p) else f"({p})" for p in words]
    match opcode, grouped:
        case "min" | "max" | "abs", _:
            return f"{opcode}({', '.join(words)})"
        case "cvt", [value]:
            return value
        case "selp", [yes, no, condition]:
            return f"({condition} ? {yes} : {no})"
        case "not", [value] if rest == "pred":
            return f"!{value}"
        case "setp", [a, b]:
            return f"({a} {_COMPARISON[rest.partition('.')[0]]} {b})"
        case _, [a, b] if opcode in _INFIX:
            return f"({a} {_INFIX[opcode]} {b})"
    return None


def _quotient(symbol: Symbol) -> tuple[Polynomial, int] | None:
    """(n, 16) of `n / 16` on signed numbers, which compilers make a shift of.

    To a negative n they add 15 first: its sign bits, shifted down.
    """
    shifted = _shift(symbol, "shr.s")
    for monomial in shifted[0].terms if shifted is not None else ():
        added = _shift(monomial[0], "shr.u") if len(monomial) == 1 else None
        if shifted is None or added is None:
            continue
        value, places = shifted[0] - Polynomial.of(monomial[0]), shifted[1]
        width = places + added[1]
        signs = next((_shift(m[0], "shr.s") for m in added[0].terms if len(m) == 1), None)
        if width in (32, 64) and (signs == (value, width - 1) or (places, added[0]) == (1, value)):
            return value, 1 << places
    return None


def _shift(symbol: Symbol, name: str) -> tuple[Polynomial, int] | None:
    """What is shifted, and by how many places."""
    if not isinstance(symbol, Op) or not symbol.name.startswith(name):
        return None
    places = symbol.arguments[1].constant
    return None if places is None else (symbol.arguments[0], places)


def _all_named(names: Iterable[str | None]) -> list[str] | None:
    """None at the first that has no name: those behind it may take long, for parts are shared."""
    found = []
    for name in names:
        if name is None:
            return None
        found.append(name)
    return found


def _describe(polynomial: Polynomial, naming: Naming) -> str | None:
    content = gcd(*polynomial.terms.values())
    if len(polynomial.terms) < 2:
        return _sum(polynomial, naming)
    # 4*w + 4 reads 4*(w + 1); 2*w - 2 as well, and -w - 1 keeps its signs.
    inner = _sum(Polynomial({m: c // content for m, c in polynomial.terms.items()}), naming)
    return inner if inner is None or content == 1 else f"{content}*({inner})"


def _sum(polynomial: Polynomial, naming: Naming) -> str | None:
    """Terms joined by signs, the constant last, positive terms first."""
    if not polynomial.terms:
        return "0"
    parts: list[tuple[bool, bool, str]] = []
    for monomial, coefficient in polynomial.terms.items():
        names = _all_named(naming(s) for s in monomial)
        if names is None:
            return None
        factors = sorted(names)
        if abs(coefficient) != 1 or not factors:
            factors.insert(0, str(abs(coefficient)))
        parts.append((coefficient < 0, not monomial, "*".join(factors)))
    parts.sort(key=lambda p: (p[1], p[0], p[2]))
    text = "".join(f" {'-' if negative else '+'} {part}" for negative, _, part in parts)
    return text[3:] if text.startswith(" + ") else "-" + text[3:]


def total(polynomials: Iterable[Polynomial]) -> Polynomial:
    """The sum of several polynomials."""
    out = Polynomial()
    for each in polynomials:
        out = out + each
    return out
