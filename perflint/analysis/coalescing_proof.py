"""All launches: for which arguments is an access of global memory uncoalesced?

The lanes of a warp of a given block shape have known thread indices; what is left of the
differences between their addresses are sums of multiples of parameters (and of products of them).
The common base cancels. Two claims can be proved of them:

- *uncoalesced*: so many lanes are pairwise at least a sector apart that the request touches
  `ratio` times the sectors that its bytes fill, wherever the base lies;
- *coalesced*: the lanes fall into so few runs of neighbouring bytes, whatever the parameters are.

Differences that grow with every parameter are decided by arithmetic. What is left is asked of z3,
over linear integers: products of parameters are variables of their own, and indices are assumed
not to overflow (docs/architecture.md). "unknown" is an answer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from perflint.analysis.model import AccessSite
from perflint.analysis.polynomial import Monomial, Polynomial
from perflint.analysis.simplify import build
from perflint.analysis.symbols import LANES, Loop, Op, Parameter, Special, Symbol
from perflint.base.records import dataclass

SECTOR = 32
#: Symbols of an address up to which it is put together for each lane of a warp.
LARGEST_FORMULA = 48
#: z3's resource units for one question: about 7 ms.
EFFORT = 4_000
#: Values from 1 up that a bound is looked for in; sectors hold 32 bytes, so that 32 always suffices
#: for elements of a byte and more.
_LARGEST_BOUND = 64
#: Distinct relative positions of a block's warps that are looked at; more of them: unknown.
_PATTERNS = 12
#: Values that other parameters have while lanes that lie apart are looked for.
_OTHERS = (1, 1000)

Dim3 = tuple[int, int, int]
Naming = Callable[[Symbol], str | None]


@dataclass(frozen=True)
class Verdict:
    """What holds for all launches with one block shape, of warps whose lanes all take part."""

    #: `every`: uncoalesced for all arguments; `none`: for none; `from`: at least where each
    #: parameter (or product) of `bounds` has its least value; `unknown`
    uncoalesced: Literal["every", "none", "from", "unknown"]
    bounds: tuple[tuple[Polynomial, int], ...] = ()
    #: coalesced for all smaller values, of one parameter from 1 up
    fine_below: bool = False

    def describe(self, naming: Naming) -> str | None:
        """Like "for every `h` >= 8"; None if nothing is known or a name is missing."""
        if self.uncoalesced == "every":
            return "for all arguments"
        if self.uncoalesced == "none":
            return "for no arguments"
        named = [(bound.describe(naming), least) for bound, least in self.bounds]
        if self.uncoalesced == "unknown" or any(name is None for name, _ in named):
            return None
        return " and ".join(f"for every `{name}` >= {least}" for name, least in named)


UNKNOWN = Verdict("unknown")


@lru_cache(maxsize=1024)
def verdict(site: AccessSite, block: Dim3, ratio: float, *, questions: int = 12) -> Verdict:
    """For which arguments the site's requests are uncoalesced in blocks of this shape.

    Uncoalesced is what touches `ratio` times the sectors that its bytes fill.

    z3 is asked at most so many `questions`, of EFFORT each: no clock decides. "unknown" where the
    address is not known, where it depends on loaded data in other ways than as a common base, or
    where no proof was found.
    """
    if site.address is None or min(block) < 1 or block[0] * block[1] * block[2] > 1024:
        return UNKNOWN
    if site.uniformity == "divergent" and any(isinstance(a, Loop) for a in site.address.atoms):
        return UNKNOWN  # lanes may have left the loop at different turns
    purse = _Purse(questions)
    patterns = warp_patterns(site.address, block)
    if patterns is None:
        return UNKNOWN
    found: set[Verdict] = set()
    for lanes in patterns:
        judged = _judge(lanes, site.size, ratio, purse)
        if judged is UNKNOWN:
            return UNKNOWN
        found.add(judged)
    return _together(found)


def _together(found: set[Verdict]) -> Verdict:
    """One verdict for all warps: that of the most restrictive bound."""
    if len(found) == 1:
        return found.pop()
    bounds: dict[Polynomial, int] = {}
    for each in found:
        if each.uncoalesced == "none":
            return UNKNOWN  # some warps are, some are not
        for of, least in each.bounds:
            bounds[of] = max(least, bounds.get(of, 1))
    return Verdict("from", tuple(sorted(bounds.items(), key=lambda b: b[0].text)))


def lane_stride(site: AccessSite, block: Dim3) -> Polynomial | None:
    """Bytes between neighbouring lanes of the first warp, where all are equally far apart.

    Unlike the site's strides along an axis this knows the block shape, so that `threadIdx.x % 32`
    or a warp that straddles two rows may have one.
    """
    if site.address is None or site.uniformity == "uniform" or min(block) < 1:
        return None
    patterns = warp_patterns(site.address, block, only_first=True)
    steps = {b - a for a, b in pairwise(patterns[0])} if patterns else set()
    return steps.pop() if len(steps) == 1 else None


# --- the lanes of a warp --------------------------------------------------------------------------


@lru_cache(maxsize=512)
def warp_patterns(
    address: Polynomial, block: Dim3, *, only_first: bool = False
) -> list[list[Polynomial]] | None:
    """Address differences to the first lane, for each kind of warp in the block."""
    kinds = warp_kinds(address, block, only_first=only_first)
    if kinds is None:
        return None
    out, shared = [], _alike(address, block)
    for places in kinds:
        lanes = [_at(address, place, block, lane, shared) for lane, place in enumerate(places)]
        if any(each.depends & LANES for each in lanes):
            return None  # a loaded or otherwise opaque value that each lane has its own of
        out.append([each - lanes[0] for each in lanes])
    return out


def warp_kinds(
    address: Polynomial, block: Dim3, *, only_first: bool = False
) -> list[list[Dim3]] | None:
    """The thread indices of one warp of each kind that a block has, as far as an address tells.

    None where there are too many kinds, or the address is too large a formula, to look at each.
    """
    if address.size > LARGEST_FORMULA:
        return None
    width, height, depth = block
    threads = width * height * depth
    affine = not any(isinstance(s, Op) and _reads_thread(s) for s in address.symbols)
    seen: dict[object, list[Dim3]] = {}
    for first in range(0, 1 if only_first else threads, 32):
        places = [
            (t % width, t // width % height, t // (width * height))
            for t in range(first, min(first + 32, threads))
        ]
        if len(places) < 32 and first:
            continue  # the partial last warp: its share of the block is small
        x, y, z = places[0]
        key = tuple((a - x, b - y, c - z) for a, b, c in places) if affine else first
        if key in seen:
            continue
        if len(seen) == _PATTERNS:
            return None
        seen[key] = places
    return list(seen.values())


def _reads_thread(symbol: Symbol) -> bool:
    if isinstance(symbol, Op):
        return any(_reads_thread(s) for a in symbol.arguments for s in a.symbols)
    return symbol.text.startswith(("%tid", "%laneid", "%warpid"))


def _at(
    address: Polynomial,
    place: Dim3,
    block: Dim3,
    lane: int,
    shared: Mapping[Symbol, Polynomial | None],
) -> Polynomial:
    """The address of one thread of the block; `shared` is what becomes of symbols in each."""
    known = {"%laneid": lane}
    for axis, index, extent in zip("xyz", place, block, strict=True):
        known[f"%tid.{axis}"], known[f"%ntid.{axis}"] = index, extent
    return address.substitute(_numbers(known), build, dict(shared))


def _alike(address: Polynomial, block: Dim3) -> dict[Symbol, Polynomial | None]:
    """What becomes of the symbols that are the same in all threads of a block."""
    extents = {f"%ntid.{axis}": extent for axis, extent in zip("xyz", block, strict=True)}
    shared: dict[Symbol, Polynomial | None] = {}
    waiting = [address]
    while waiting:
        for symbol in waiting.pop().symbols:
            if not _reads_thread(symbol):
                Polynomial.of(symbol).substitute(_numbers(extents), build, shared)
            elif isinstance(symbol, Op):
                waiting += symbol.arguments
    return shared


def _numbers(known: Mapping[str, int]) -> Callable[[Symbol], Polynomial | None]:
    """Special registers by name with the numbers that they hold."""

    def replace(symbol: Symbol) -> Polynomial | None:
        value = known.get(symbol.text) if isinstance(symbol, Special) else None
        return None if value is None else Polynomial(value)

    return replace


@dataclass
class _Purse:
    """What is left for one verdict."""

    questions: int


# --- one warp -------------------------------------------------------------------------------------


def _judge(lanes: Sequence[Polynomial], size: int, ratio: float, purse: _Purse) -> Verdict:
    ideal = -(-len(lanes) * size // SECTOR)
    wanted = math.ceil(ratio * ideal)
    if _most_sectors(lanes, size) < wanted:
        return Verdict("none")
    variables = sorted({m for each in lanes for m in each.terms if m}, key=_text)
    if any(not isinstance(s, Parameter) for m in variables for s in m):
        return UNKNOWN
    if not variables:
        offsets = sorted({each.constant or 0 for each in lanes})
        return Verdict("every" if len(_apart(offsets)) >= wanted else "none")
    for provable in (_grow_apart, lambda c, l: _asked(c, l, purse)):
        for variable in variables:
            bound = _bound(lanes, wanted, variable, variables, provable)
            if bound is not None:
                fine = len(variables) == 1 and all(
                    _sectors(_values(lanes, {variable: n}), size) < wanted for n in range(1, bound)
                )
                return Verdict("from", ((Polynomial({variable: 1}), bound),), fine)
    return UNKNOWN


#: Whether lanes stay a sector apart wherever products have at least the values given.
Proof = Callable[[Sequence[Polynomial], Mapping[Monomial, int]], bool]


def _text(monomial: Monomial) -> str:
    return "*".join(s.text for s in monomial)


def _most_sectors(lanes: Sequence[Polynomial], size: int) -> int:
    """Sectors that runs of neighbouring bytes fill, at most, whatever the parameters are.

    Lanes whose addresses differ by constants are at those distances for every launch. Further runs
    that happen to touch or overlap only need fewer.
    """
    groups: dict[Polynomial, set[int]] = {}
    for each in lanes:
        constant = each.number
        groups.setdefault(each - constant, set()).add(constant)
    return sum(_sectors(sorted(offsets), size) for offsets in groups.values())


def _sectors(offsets: Sequence[int], size: int) -> int:
    """Sectors of runs of neighbouring bytes, had each begun at a sector; offsets ascending."""
    total, start, end = 0, None, 0
    for offset in offsets:
        if start is not None and offset <= end:
            end = max(end, offset + size)
            continue
        total += 0 if start is None else -(-(end - start) // SECTOR)
        start, end = offset, offset + size
    return total + (0 if start is None else -(-(end - start) // SECTOR))


def _apart(offsets: Sequence[int]) -> list[int]:
    """As many of some ascending offsets as are pairwise a sector apart."""
    out: list[int] = []
    for offset in offsets:
        if not out or offset - out[-1] >= SECTOR:
            out.append(offset)
    return out


def _values(lanes: Sequence[Polynomial], values: Mapping[Monomial, int]) -> list[int]:
    """The lanes' distinct offsets, ascending, where products have these values, others 1."""
    return sorted({sum(c * values.get(m, 1) for m, c in each.terms.items()) for each in lanes})


def _bound(
    lanes: Sequence[Polynomial],
    wanted: int,
    variable: Monomial,
    variables: Sequence[Monomial],
    provable: Proof,
) -> int | None:
    """The least value of one product from which on, whatever the others, requests are bad."""
    others = [v for v in variables if v != variable]
    for least in range(1, _LARGEST_BOUND + 1):
        for other in _OTHERS if others else (1,):
            tried = {variable: least, **dict.fromkeys(others, other)}
            chosen = _representatives(lanes, tried)[:wanted]
            if len(chosen) < wanted:
                break
            if provable(chosen, {**dict.fromkeys(others, 1), variable: least}):
                return least
    return None


def _representatives(
    lanes: Sequence[Polynomial], values: Mapping[Monomial, int]
) -> list[Polynomial]:
    """Lanes that are pairwise a sector apart where products have these values."""
    where: dict[int, Polynomial] = {}
    for each in lanes:
        at = sum(c * values.get(m, 1) for m, c in each.terms.items())
        where.setdefault(at, each)
    return [where[offset] for offset in _apart(sorted(where))]


def _grow_apart(chosen: Sequence[Polynomial], least: Mapping[Monomial, int]) -> bool:
    """Whether neighbours are a sector apart at the least values, and further for all others."""
    for a, b in pairwise(chosen):
        distance = 0
        for monomial, coefficient in (b - a).terms.items():
            if monomial and coefficient < 0:
                return False
            distance += coefficient * least.get(monomial, 1)
        if distance < SECTOR:
            return False
    return True


def _asked(chosen: Sequence[Polynomial], least: Mapping[Monomial, int], purse: _Purse) -> bool:
    """The same, asked of z3: no values bring two of the lanes closer together."""
    import z3

    if purse.questions <= 0:
        return False
    purse.questions -= 1
    solver = z3.SolverFor("QF_LIA")
    solver.set("rlimit", EFFORT)
    names: dict[Monomial, z3.ArithRef] = {}
    for number, (monomial, lowest) in enumerate(least.items()):
        names[monomial] = z3.Int(f"v{number}")
        solver.add(names[monomial] >= lowest)

    def term(polynomial: Polynomial) -> z3.ArithRef:
        parts = [c * names[m] if m else z3.IntVal(c) for m, c in polynomial.terms.items()]
        return z3.Sum(parts) if parts else z3.IntVal(0)

    def close() -> Iterator[z3.BoolRef]:
        for n, a in enumerate(chosen):
            for b in chosen[n + 1 :]:
                difference = term(a - b)
                yield z3.And(difference > -SECTOR, difference < SECTOR)

    solver.add(z3.Or(*close()))
    return bool(solver.check() == z3.unsat)
