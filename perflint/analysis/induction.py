"""Induction variables: the recurrences at loop headers, solved as functions of the loop counter.

A header's phi has an entry value and, from every latch, a next value. Where each next value is the
phi plus the same loop-invariant step, it is an induction variable (Allen, Cocke and Kennedy,
"Reduction of operator strength", 1981). Steps that grow with the counter, halving and doubling, and
values that the turn before computed (wrap-around variables) have closed forms as well (Gerlek,
Stoltz and Wolfe, "Beyond Induction Variables", 1995). Where the step varies otherwise, the phi is
its entry value plus an opaque sum that depends on what the steps depend on: enough to know the
stride between threads.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from perflint.analysis.cfg import ControlFlow
from perflint.analysis.polynomial import Polynomial
from perflint.analysis.simplify import build
from perflint.analysis.ssa import Definition
from perflint.analysis.symbols import Loop, Op, Opaque, Symbol

#: A value for each predecessor.
Ways = Mapping[int, Polynomial]


class Values(Protocol):
    """What solving needs of the address domain."""

    flow: ControlFlow
    solutions: dict[Symbol, Polynomial]

    def headers(self) -> Iterable[Definition]: ...
    def placeholder(self, definition: Definition) -> Opaque: ...
    def state(self, number: int) -> Polynomial | None: ...
    def loop_counter(self, header: int) -> Loop: ...
    def gate_dependence(self, block: int) -> int: ...
    def merge(
        self, definition: Definition, values: Mapping[int, Polynomial], top: int | None = None
    ) -> Polynomial: ...
    def variant(self, value: Polynomial, header: int) -> bool: ...


def solve_recurrences(values: Values) -> dict[Symbol, Polynomial]:
    """Solutions by placeholder, those of inner loops in terms of the outer loops' placeholders.

    Opaque sums are made only where nothing else can be solved any more.
    """
    solved = dict(values.solutions)
    inner_first = sorted(
        values.headers(), key=lambda d: (-values.flow.loops[d.block].depth, d.number)
    )
    for exact in (True, True, False):
        if not exact and len(solved) > len(values.solutions):
            break
        for definition in inner_first:
            symbol = values.placeholder(definition)
            if symbol not in solved:
                found = _solution(values, definition, symbol, solved, exact)
                if found is not None:
                    solved[symbol] = found
    return solved


def _solution(
    values: Values,
    definition: Definition,
    symbol: Opaque,
    solved: dict[Symbol, Polynomial],
    exact: bool,
) -> Polynomial | None:
    header = definition.block
    loop = values.flow.loops[header]
    entries: dict[int, Polynomial] = {}
    following: dict[int, Polynomial] = {}
    for predecessor, number in zip(
        values.flow.predecessors[header], definition.inputs, strict=True
    ):
        value = values.state(number)
        if value is None:
            return None
        if predecessor in loop.body:
            following[predecessor] = _in_terms_of(value, symbol, solved)
        else:
            entries[predecessor] = value
    if not entries or not loop.reducible:
        return None
    entry = values.merge(definition, entries)
    counter = values.loop_counter(header)
    steps = {p: v - Polynomial.of(symbol) for p, v in following.items()}
    if any(atom == symbol for step in steps.values() for atom in step.atoms):
        return _closed_form(values, header, entry, symbol, following)
    step = values.merge(definition, steps, top=header)
    if not values.variant(step, header):
        return entry + step * Polynomial.of(counter)
    if (grown := _growing(values, header, step)) is not None:
        return entry + grown
    return None if exact else entry + _sum(values, definition, tuple(steps.values()))


def _growing(values: Values, header: int, step: Polynomial) -> Polynomial | None:
    """The sum of steps `a + b * counter`: a * counter + b * counter * (counter - 1) / 2."""
    counter = values.loop_counter(header)
    slope = step.coefficient_of(counter)
    rest = step - slope * Polynomial.of(counter)
    if values.variant(slope, header) or values.variant(rest, header):
        return None
    turns = Polynomial.of(counter)
    triangle = build("div.s64", (turns * (turns - 1), Polynomial(2)))
    return rest * turns + slope * triangle


def _closed_form(
    values: Values, header: int, entry: Polynomial, symbol: Symbol, following: Ways
) -> Polynomial | None:
    """A phi that is multiplied, shifted or divided in every turn, or replaced in each."""
    if len(set(following.values())) != 1:
        return None
    value = next(iter(following.values()))
    turns = Polynomial.of(values.loop_counter(header))
    if not any(atom == symbol for atom in value.atoms):
        return _wrapped_around(values, header, entry, value)
    own = Polynomial.of(symbol)
    for amount in range(1, 6):
        if value == own * (1 << amount):
            return build("shl.b64", (entry, turns * amount))
    last = value.symbol
    if not isinstance(last, Op) or len(last.arguments) != 2:
        return None
    shifted, by = last.arguments[0], last.arguments[1].constant
    opcode, _, type = last.name.partition(".")
    if opcode == "shr" and by is not None:
        if shifted == own:
            return build(last.name, (entry, turns * by))
        # The compiler's signed division by two: (x + sign bit) >> 1, towards zero like C's.
        sign = Polynomial.of(Op(f"shr.u{type[1:]}", (own, Polynomial(int(type[1:]) - 1))))
        if by == 1 and shifted == own + sign:
            return build("div.s64", (entry, build("shl.b64", (Polynomial(1), turns))))
    return None


def _wrapped_around(
    values: Values, header: int, entry: Polynomial, value: Polynomial
) -> Polynomial | None:
    """`entry` in the first turn, then what the turn before computed."""
    counter = values.loop_counter(header)

    def at(turn: Polynomial) -> Polynomial:
        return value.substitute(lambda s: turn if s == counter else None, build)

    if values.variant(at(Polynomial()), header):
        return None
    if at(Polynomial(-1)) == entry:
        return at(Polynomial.of(counter) - 1)
    first = build("setp.eq.s64", (Polynomial.of(counter), Polynomial()))
    return build("selp", (entry, at(Polynomial.of(counter) - 1), first))


def _in_terms_of(value: Polynomial, symbol: Symbol, solved: dict[Symbol, Polynomial]) -> Polynomial:
    """A latch's value with the solutions of inner loops put in, until the header's phi shows."""

    def replace(other: Symbol) -> Polynomial | None:
        return None if other == symbol else solved.get(other)

    for _ in range(16):
        new = value.substitute(replace, build)
        if new is value:
            break
        value = new
    return value


def _sum(values: Values, definition: Definition, steps: Sequence[Polynomial]) -> Polynomial:
    """The sum of steps that vary: depends on what they, and the choice among them, depend on."""
    depends = values.gate_dependence(definition.block)
    for step in steps:
        depends |= step.depends
    start = values.flow.blocks[definition.block].start
    return Polynomial.of(Opaque("sum", start, definition.register, depends))
