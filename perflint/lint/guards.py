"""Worlds that a kernel's own conditions ask for: where parameters alone decide about an access.

`if (n > 100000) …` is met by no size that is merely large. The condition is linear in the
parameters, so that one of them is moved until it holds, the others staying as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from perflint.analysis.extents import Comparison, comparisons
from perflint.analysis.model import AccessSite
from perflint.analysis.polynomial import Polynomial
from perflint.analysis.symbols import Parameter, Symbol
from perflint.lint.world_model import ASSUMED, SECTOR, Launching, World
from perflint.lint.worlds import is_possible

MOST = 8  #: worlds that are made for the conditions of one kernel


def asked_for(
    launching: Launching,
    world: World,
    sites: Iterable[AccessSite],
    roots: Mapping[int, int],
    values: Mapping[int, int | float],
) -> Iterator[World]:
    """Worlds in which conditions hold that do not hold in this one.

    `roots` are those that parameters are, and `values` what parameters are in the world.
    """
    seen = {world.values}
    for comparison in _conditions(sites):
        for parameter, value in _solved(comparison, values):
            root = roots.get(parameter)
            if root is None or world.origins[root].kind != ASSUMED:
                continue
            changed = (*world.values[:root], value, *world.values[root + 1 :])
            if changed in seen or not is_possible(launching, world, changed):
                continue
            seen.add(changed)
            yield replace(world, name=f"{launching.roots[root].name} = {value:,}", values=changed)
            if len(seen) > MOST:
                return


def _conditions(sites: Iterable[AccessSite]) -> Iterator[Comparison]:
    """The comparisons of parameters alone that stand before accesses."""
    for site in sites:
        for guard in site.guards:
            for each in comparisons(guard.symbol):
                symbols = each.left.symbols | each.right.symbols
                if symbols and all(isinstance(s, Parameter) and not s.offset for s in symbols):
                    yield each


def _solved(comparison: Comparison, values: Mapping[int, int | float]) -> Iterator[tuple[int, int]]:
    """(parameter, value) pairs that would make a comparison of integers hold, if it does not."""
    difference = comparison.left - comparison.right
    if comparison.type[0] not in "sub" or comparison.test == "":
        return
    now = value_of(difference, values)
    if now is None or holds(comparison.test, now):
        return
    for monomial, factor in difference.terms.items():
        if len(monomial) != 1 or not isinstance(monomial[0], Parameter):
            continue
        index = monomial[0].index
        steps = -now / factor  # to where the two sides are equal
        own = values[index]
        if not isinstance(own, int):
            continue
        for value in _near(round(own + steps)):
            if value >= 0 and holds(comparison.test, now + factor * (value - own)):
                yield index, value
                break


def _near(number: int) -> tuple[int, ...]:
    """A number and its neighbours; of a size those first that keep rows aligned."""
    whole = number // SECTOR * SECTOR
    rows = (whole, whole + SECTOR, whole - SECTOR) if number > 2 * SECTOR else ()
    return (*rows, number, number + 1, number - 1)


def value_of(difference: Polynomial, values: Mapping[int, int | float]) -> int | None:
    """The value of what hangs on parameters alone, by their indices; None for what does not."""
    given: dict[Symbol, int] = {
        s: int(values[s.index])
        for s in difference.symbols
        if isinstance(s, Parameter) and s.index in values
    }
    return int(difference.evaluate(given)) if given.keys() == difference.symbols else None


def holds(test: str, difference: int) -> bool:
    """Whether `left test right` holds, by left - right."""
    return {
        "lt": difference < 0, "lo": difference < 0, "le": difference <= 0, "ls": difference <= 0,
        "gt": difference > 0, "hi": difference > 0, "ge": difference >= 0, "hs": difference >= 0,
        "eq": difference == 0, "ne": difference != 0,
    }.get(test, True)  # fmt: skip
