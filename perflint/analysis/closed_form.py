"""The requests of a site without a run, where its address is a formula of the launch.

What does not differ between the lanes of a warp (block indices, loop counters, the pointer)
cancels; what is left must be constants once the launch's arguments are put in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np

from perflint.analysis.coalescing_proof import Dim3, warp_kinds, warp_patterns
from perflint.analysis.model import AccessSite
from perflint.analysis.polynomial import Polynomial
from perflint.analysis.simplify import build
from perflint.analysis.symbols import LANES, Loop, Opaque, Parameter, Special, Symbol

WARP = 32
#: Distances of the numbers that what is not known is given in turn: small as block indices are, and
#: beyond the borders that indices are held against.
TRIED = (1, 3, 1000)


def lane_offsets(
    site: AccessSite, block: Dim3, values: Mapping[int, int | float]
) -> np.ndarray | None:
    """Byte offsets of the lanes of full warps, relative to the first lane: (kinds of warp, 32).

    `values` are the scalar arguments by parameter. None where lanes may differ by anything else, or
    where the block has no full warp.
    """
    if site.address is None or min(block) < 1 or block[0] * block[1] * block[2] < WARP:
        return None
    if site.uniformity == "divergent" and any(isinstance(a, Loop) for a in site.address.atoms):
        return None  # lanes may have left the loop at different turns
    atoms = set(site.address.atoms)
    known = {a.index: values.get(a.index) for a in atoms if isinstance(a, Parameter)}
    numbers = frozenset((i, value) for i, value in known.items() if isinstance(value, int))
    return _offsets(site.address, block, numbers, frozenset(map(_nature, atoms)))


def _nature(symbol: Symbol) -> tuple[object, ...]:
    """What two symbols of one text, of different kernels, may differ in."""
    more = (symbol.chosen, symbol.wide) if isinstance(symbol, Opaque) else ()
    return symbol.text, symbol.depends, *more


@lru_cache(maxsize=4096)
def _offsets(
    formula: Polynomial,
    block: Dim3,
    arguments: frozenset[tuple[int, int]],
    _natures: frozenset[tuple[object, ...]],  # a part of the key alone
) -> np.ndarray | None:
    """As above, by what alone it hangs on: other rules, launches and copies of a site ask again."""
    kinds = warp_kinds(formula, block)
    if kinds is None:
        return None
    values = dict(arguments)
    address = for_launch(formula, block, values)
    warps = [places for places in kinds if len(places) == WARP]
    found = _evaluated(address, warps)
    if found is None and not _hangs_on_more(address, warps):
        found = _symbolic(formula, block, values)
    if found is not None:
        found.flags.writeable = False
    return found


def for_launch(formula: Polynomial, block: Dim3, values: Mapping[int, int | float]) -> Polynomial:
    """A formula with the arguments and the block's extents put in."""
    extents = {f"%ntid.{axis}": extent for axis, extent in zip("xyz", block, strict=True)}

    def known(symbol: Symbol) -> Polynomial | None:
        if isinstance(symbol, Parameter):
            value = values.get(symbol.index)
            return Polynomial(value) if isinstance(value, int) else None
        extent = extents.get(symbol.text) if isinstance(symbol, Special) else None
        return None if extent is None else Polynomial(extent)

    return formula.substitute(known, build)


def _evaluated(address: Polynomial, warps: Sequence[Sequence[Dim3]]) -> np.ndarray | None:
    """Offsets of the lanes of full warps from their first, by numbers: all lanes at once.

    None where an operation mixes what lanes have of their own with what is not known: it may still
    cancel once the lanes' formulas are simplified one by one.
    """
    if not warps:
        return None
    lanes = _lanes(warps)
    shape = len(warps), WARP
    sums: dict[tuple[Symbol, ...], np.ndarray] = {}  #: by what all lanes share of a term
    for monomial, coefficient in address.terms.items():
        own = tuple(s for s in monomial if s.depends & LANES)
        if not own:
            continue
        shared = tuple(s for s in monomial if not s.depends & LANES)
        try:
            value = np.asarray(Polynomial({own: coefficient}).evaluate(lanes), np.int64)
        except (KeyError, ValueError, OverflowError, ZeroDivisionError, TypeError):
            return None
        value = np.broadcast_to(value, shape)
        sums[shared] = sums.get(shared, 0) + (value - value[:, :1])
    if any(shared and each.any() for shared, each in sums.items()):
        return None
    return sums.get((), np.zeros(shape, np.int64))


def _lanes(warps: Sequence[Sequence[Dim3]]) -> dict[Symbol, np.ndarray]:
    """What the lanes of full warps have of their own: (warps, 32) each."""
    index = np.array(warps, np.int64)  # (warps, 32, 3)
    lanes: dict[Symbol, np.ndarray] = {
        Special(f"%tid.{axis}"): index[:, :, at] for at, axis in enumerate("xyz")
    }
    lanes[Special("%laneid")] = np.broadcast_to(np.arange(WARP), index.shape[:2])
    return lanes


def _hangs_on_more(address: Polynomial, warps: Sequence[Sequence[Dim3]]) -> bool:
    """Whether the offsets are others for other values of what is not known.

    Then no formula of the lanes is a number; one by one they are costly.
    """
    if not warps:
        return False
    lanes = _lanes(warps)
    unknown = sorted(frozenset(address.atoms) - lanes.keys(), key=lambda symbol: symbol.text)
    seen = []
    for step in TRIED:
        own = 1 + step * np.arange(WARP)
        values = {
            symbol: step * number + (own if symbol.depends & LANES else 1)
            for number, symbol in enumerate(unknown, 1)
        }
        try:
            found = np.asarray(address.evaluate({**lanes, **values}), np.int64)
        except (KeyError, ValueError, OverflowError, ZeroDivisionError, TypeError):
            return False
        found = np.broadcast_to(found, (len(warps), WARP))
        seen.append(found - found[:, :1])
    return not all((each == seen[0]).all() for each in seen)


def _symbolic(
    address: Polynomial, block: Dim3, values: Mapping[int, int | float]
) -> np.ndarray | None:
    patterns = warp_patterns(address, block)
    if patterns is None:
        return None

    rows: list[list[int]] = []
    for lanes in patterns:
        if len(lanes) < WARP:
            continue
        offsets: list[int] = []
        for each in lanes:
            if (offset := for_launch(each, block, values).constant) is None:
                return None
            offsets.append(offset)
        rows.append(offsets)
    return np.array(rows, np.int64) if rows else None
