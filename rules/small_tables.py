"""Tables: arrays so small that L1 keeps them, however they are indexed."""

from __future__ import annotations

from perflint.analysis.model import AccessSite, KernelFacts
from perflint.analysis.polynomial import Polynomial
from perflint.analysis.symbols import LANES, LOADED, Op, Opaque, Symbol
from perflint.grammar.table import types
from perflint.rules.protocol import (
    Trial,
)
from perflint.sim.launch import Buffer

#: Bytes of a table that stays in L1.
SMALL_TABLE = 16 << 10
_NARROW = {"u8": 0xFF, "s8": 0xFF, "b8": 0xFF}


def table_bytes(site: AccessSite, trial: Trial) -> int:
    """The bytes of the small array that a site reads, or that its index can reach; else 0.

    An array whose size is invented may be of any size.
    """
    if site.kind != "load" or site.space != "global":
        return 0
    return small_extent(site, trial)


def small_extent(site: AccessSite, trial: Trial) -> int:
    """The bytes of the array that a site accesses, or that its index can reach, if few; else 0."""
    known = site.array.kind != "parameter" or site.array.parameter in trial.sized
    sizes = (array_bytes(site, trial) if known else None, _reach(site, trial.facts))
    return min((n for n in sizes if n is not None and 0 < n <= SMALL_TABLE), default=0)


def array_bytes(site: AccessSite, trial: Trial) -> int | None:
    """The size of a site's array, where it is known."""
    array = site.array
    if array.kind == "parameter" and array.parameter is not None:
        argument = trial.run.launch.arguments[array.parameter]
        return argument.size if isinstance(argument, Buffer) else None
    variable = trial.facts.module.variables.get(array.name) if array.kind == "variable" else None
    return variable.size if variable else None


def _reach(site: AccessSite, facts: KernelFacts) -> int | None:
    """Bytes between the least and the greatest address that lanes may have; None if unbounded."""
    if site.address is None:
        return None
    total = site.size
    for monomial, factor in site.address.terms.items():
        varying = [s for s in monomial if s.depends & (LANES | LOADED)]
        if not varying:
            continue
        most = _most(varying[0], facts) if len(monomial) == 1 else None
        if most is None:
            return None
        total += abs(factor) * most
    return total


def _most(symbol: Symbol, facts: KernelFacts) -> int | None:
    """The greatest value of something that is not negative; None if that is not known."""
    if isinstance(symbol, Opaque) and symbol.is_loaded:
        return _NARROW.get(types(facts.kernel.instructions[symbol.pc])[-1])
    if isinstance(symbol, Op):
        constants = [a.constant for a in symbol.arguments if a.constant is not None]
        if symbol.name.startswith("and") and constants:
            return min((c for c in constants if c >= 0), default=None)
        if symbol.name.startswith("rem.u") and constants and symbol.arguments[1].constant:
            return symbol.arguments[1].constant - 1
        if symbol.name.startswith("cvt") and len(symbol.arguments) == 1:
            return _of_sum(symbol.arguments[0], facts)
        if symbol.name.startswith(("min.", "max.")) and symbol.depends & LOADED:
            # `b < 0 ? 0 : b > 63 ? 63 : b`; a thread's own number is cut off at an edge
            known = [_of_sum(argument, facts) for argument in symbol.arguments]
            least = [max(0, most) for most in known if most is not None]
            if symbol.name.startswith("min."):
                return min(least, default=None)
            return max(least, default=None) if len(least) == len(known) else None
    return None


def _of_sum(value: Polynomial, facts: KernelFacts) -> int | None:
    """The greatest value of a single bounded symbol, or a number."""
    if value.constant is not None:
        return value.constant
    return _most(value.symbol, facts) if value.symbol is not None else None
