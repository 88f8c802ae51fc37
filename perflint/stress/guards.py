"""Inputs that meet the conditions before an access.

A condition on one loaded value is met by trying what the value is compared with, and its
neighbours. z3 is asked for what is left: conditions on several values, for accesses that no other
input reached. It counts steps, so that it answers the same on every machine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from perflint.analysis.model import AccessSite, Pointer
from perflint.analysis.polynomial import Polynomial
from perflint.analysis.symbols import Op, Opaque, Symbol
from perflint.stress import generators as g
from perflint.stress.domains import Domain
from perflint.stress.formulas import Formulas, Load
from perflint.stress.generators import Generator

#: z3's resource units for one question: some 50 ms.
EFFORT = 100_000
WARP = 32


def opening(
    formulas: Formulas, site: AccessSite, domains: Sequence[Domain]
) -> dict[str, Generator]:
    """Constants for arrays that let every thread pass the conditions that each rest on one."""
    found: dict[str, Generator] = {}
    for domain in domains:
        if domain.kind not in ("choice", "number", "index"):
            continue
        mine = [guard for guard in site.guards if _rests_on(formulas, guard, domain)]
        if not mine:
            continue
        constants = formulas.constants(domain.slot.pointer)
        near = {c + d for c in constants for d in (-1, 0, 1)} | {domain.low, domain.high - 1}
        for value in sorted(near, key=lambda v: (abs(v), v)):
            if domain.low <= value < domain.high and all(
                _holds(formulas, guard, value) for guard in mine
            ):
                found[domain.slot.name] = g.Constant(value)
                break
    return found


def _rests_on(formulas: Formulas, guard: Polynomial, domain: Domain) -> bool:
    """Whether a condition rests on values of one array, and no other's."""
    leaves = formulas.leaves(guard)
    return bool(leaves) and {e.pointer for e in (leaves or {}).values()} == {domain.slot.pointer}


def _holds(formulas: Formulas, guard: Polynomial, value: int) -> bool:
    found = formulas.value(guard, dict.fromkeys(formulas.leaves(guard) or {}, value))
    return found is not None and bool(np.all(found))


# --- asked of z3 ----------------------------------------------------------------------------------


class _InexpressibleError(Exception):
    """An operation that is not asked of z3."""


def solved(
    formulas: Formulas, site: AccessSite, domains: Sequence[Domain]
) -> tuple[dict[str, Generator] | None, str]:
    """Arrays that let the lanes of a warp reach an access, and how z3 answered.

    Each lane has its own values, and the array repeats the warp's. The answer is `sat`, `unsat`,
    `unknown`, or why nothing was asked.
    """
    leaves: dict[Opaque, Load] = {}
    for guard in site.guards:
        found = formulas.leaves(guard)
        if found is None:
            return None, "it rests on values that no formula tells"
        leaves |= found
    by_pointer = {domain.slot.pointer: domain for domain in domains}
    mine = {load.pointer: by_pointer.get(load.pointer) for load in leaves.values()}
    if not mine or None in mine.values():
        return None, "no array that is free decides it"
    if any(formulas.stride(load) < 1 for load in leaves.values()):
        return None, "lanes read no elements of their own"
    try:
        return _asked(formulas, site, leaves, {p: d for p, d in mine.items() if d is not None})
    except _InexpressibleError as error:
        return None, f"{error} is not asked of z3"


def _asked(
    formulas: Formulas,
    site: AccessSite,
    leaves: Mapping[Opaque, Load],
    domains: Mapping[Pointer, Domain],
) -> tuple[dict[str, Generator] | None, str]:
    import z3

    chosen: dict[Pointer, dict[int, int]] = {pointer: {} for pointer in domains}
    for lane in range(min(WARP, formulas.launch.threads_per_block)):
        solver = z3.Solver()
        solver.set("rlimit", EFFORT)
        variables: dict[Symbol, Any] = {}
        names: dict[tuple[Pointer, int], Any] = {}
        for leaf, load in leaves.items():
            assert load.address is not None  # it has a stride
            key = load.pointer, int(formulas.value(load.address, {}, lane)) // load.size
            if key not in names:
                names[key] = _element(solver, domains[load.pointer], key[1], chosen[load.pointer])
            variables[leaf] = names[key]
        for guard in site.guards:
            solver.add(_truth(formulas, guard, variables, lane))
        answer = str(solver.check())
        if answer != "sat":
            return None, answer
        model = solver.model()
        for (pointer, element), name in names.items():
            chosen[pointer][element] = model.eval(name, model_completion=True).as_long()
    return {domains[p].slot.name: _named(found) for p, found in chosen.items()}, "sat"


def _element(solver: Any, domain: Domain, element: int, chosen: Mapping[int, int]) -> Any:
    """z3's name of an array's element: within its domain, and as an earlier lane has chosen it."""
    import z3

    name = z3.Int(f"{domain.slot.name}@{element}")
    solver.add(name >= domain.low, name < domain.high)
    if element in chosen:
        solver.add(name == chosen[element])
    return name


def _named(chosen: Mapping[int, int]) -> Generator:
    """The first elements of an array as a generator: a number, multiples, or they themselves."""
    values = [chosen.get(element, 0) for element in range(max(chosen) + 1)]
    steps = {b - a for a, b in pairwise(values)}
    if len(set(values)) == 1:
        return g.Constant(values[0])
    if len(steps) == 1:
        return g.Repeat(len(values), g.Affine(steps.pop(), values[0]))
    return g.Cycle(tuple(values))


#: z3's terms for loaded values.
Variables = Mapping[Symbol, Any]


def _term(formulas: Formulas, formula: Polynomial, variables: Variables, lane: int) -> Any:
    """A formula over integers. Raises _InexpressibleError."""
    if not any(symbol in variables for symbol in formula.atoms):
        known = formulas.value(formula, {}, lane)
        if known is None:
            raise _InexpressibleError("a value that is not known")
        return int(known)
    total: Any = 0
    for monomial, coefficient in formula.terms.items():
        product: Any = coefficient
        for symbol in monomial:
            product = product * _symbol(formulas, symbol, variables, lane)
        total = total + product
    return total


def _symbol(formulas: Formulas, symbol: Symbol, variables: Variables, lane: int) -> Any:
    import z3

    if symbol in variables:
        return variables[symbol]
    if not isinstance(symbol, Op):
        return _term(formulas, Polynomial.of(symbol), variables, lane)
    opcode, _, rest = symbol.name.partition(".")
    terms = [_term(formulas, a, variables, lane) for a in symbol.arguments]
    match opcode, terms:
        case "and", [a, int(b)] if b >= 0 and b & (b + 1) == 0:
            return a % (b + 1)
        case "rem", [a, int(b)] if b > 0 and rest.startswith("u"):
            return a % b
        case (("div" | "shr"), [a, int(b)]) if b > 0 and rest.startswith("u"):
            return a / (1 << b if opcode == "shr" else b)
        case "shl", [a, int(b)] if 0 <= b < 32:
            return a * (1 << b)
        case "cvt", [a]:
            return a
        case "min", [a, b]:
            return z3.If(a < b, a, b)
        case "max", [a, b]:
            return z3.If(a > b, a, b)
    raise _InexpressibleError(f"`{symbol.name}`")


def _truth(formulas: Formulas, guard: Polynomial, variables: Variables, lane: int) -> Any:
    """A predicate. Raises _InexpressibleError."""
    import z3

    if not any(symbol in variables for symbol in guard.atoms):
        known = formulas.value(guard, {}, lane)
        if known is None:
            raise _InexpressibleError("a value that is not known")
        return z3.BoolVal(bool(known))
    symbol = guard.symbol
    if not isinstance(symbol, Op):
        raise _InexpressibleError("a predicate that is no comparison")
    opcode, _, rest = symbol.name.partition(".")
    if opcode == "not":
        return z3.Not(_truth(formulas, symbol.arguments[0], variables, lane))
    if opcode in ("and", "or") and rest == "pred":
        parts = [_truth(formulas, a, variables, lane) for a in symbol.arguments]
        return z3.And(*parts) if opcode == "and" else z3.Or(*parts)
    if opcode != "setp" or len(symbol.arguments) != 2 or rest.split(".")[1][0] == "f":
        raise _InexpressibleError(f"`{symbol.name}`")
    left, right = (_term(formulas, a, variables, lane) for a in symbol.arguments)
    match rest.split(".")[0]:
        case "eq":
            return left == right
        case "ne":
            return left != right
        case "lt" | "lo":
            return left < right
        case "le" | "ls":
            return left <= right
        case "gt" | "hi":
            return left > right
        case "ge" | "hs":
            return left >= right
    raise _InexpressibleError(f"`{symbol.name}`")
