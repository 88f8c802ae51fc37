"""Induction variables: the recurrences at loop headers, solved to `base + counter * step`.

A header's phi has an entry value and, from every latch, a next value. Where each next value is the
phi plus the same loop-invariant step, it is an induction variable (Allen, Cocke and Kennedy,
"Reduction of operator strength", 1981). Where the step varies, the phi is its entry value plus an
opaque sum that depends on what the steps depend on: enough to know the stride between threads.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from perflint.analysis.cfg import ControlFlow
from perflint.analysis.expression import Polynomial
from perflint.analysis.simplify import build
from perflint.analysis.ssa import Definition
from perflint.analysis.symbols import Loop, Opaque, Symbol


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
    """Solutions by placeholder, those of inner loops in terms of the outer loops' placeholders."""
    solved = dict(values.solutions)
    inner_first = sorted(
        values.headers(), key=lambda d: (-values.flow.loops[d.block].depth, d.number)
    )
    for definition in inner_first:
        symbol = values.placeholder(definition)
        if symbol not in solved:
            found = _solution(values, definition, symbol, solved)
            if found is not None:
                solved[symbol] = found
    return solved


def _solution(
    values: Values, definition: Definition, symbol: Opaque, solved: dict[Symbol, Polynomial]
) -> Polynomial | None:
    loop = values.flow.loops[definition.block]
    entries: dict[int, Polynomial] = {}
    steps: dict[int, Polynomial] = {}
    for predecessor, number in zip(
        values.flow.predecessors[definition.block], definition.inputs, strict=True
    ):
        value = values.state(number)
        if value is None:
            return None
        if predecessor in loop.body:
            step = _in_terms_of(value, symbol, solved) - Polynomial.of(symbol)
            if any(atom == symbol for atom in step.atoms()):
                return None
            steps[predecessor] = step
        else:
            entries[predecessor] = value
    if not entries or not loop.reducible:
        return None
    entry = values.merge(definition, entries)
    step = values.merge(definition, steps, top=definition.block)
    if values.variant(step, definition.block):
        return entry + _sum(values, definition, tuple(steps.values()))
    return entry + step * Polynomial.of(values.loop_counter(definition.block))


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
