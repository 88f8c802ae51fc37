"""Accesses whose lanes go where their own data say: which formulas leave that to the data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from perflint.analysis.model import AccessSite
from perflint.analysis.polynomial import Polynomial
from perflint.analysis.symbols import (
    HASHED,
    LANE,
    LANES,
    LOADED,
    MIXED,
    SCALED,
    SPREAD,
    TID_X,
    Loop,
    Op,
    Opaque,
    Parameter,
    Symbol,
)
from perflint.analysis.uniformity import is_large
from perflint.grammar.model import Instruction

#: A lane's element this many times its size apart from its neighbour's is not packed.
APART = 2
SECTOR = 32  #: bytes
#: Elements of a pixel whose channels lie side by side.
CHANNELS = 4
#: Elements by which a loop's copies go on that walks along a run.
LONGEST_STEP = 16


def data_choose(site: AccessSite, sites: Sequence[AccessSite]) -> bool:
    """Whether each lane's own loaded data choose its element, so that some data would pack it, or
    no layout of the array would.

    A lane's loaded index picks any element of the array (`a[index[i]]`, a slot of a hash table), or
    one of a row that the lane has besides (`a[i * n + label[i]]`): were the rows columns, the data
    would scatter it all the same. Where neighbours in the data lie some elements apart
    (`a[index[i] * 4]`) that is the layout's doing, and where each thread goes on along a run
    (`a[first[i] + k]`, or `a[index[first[i] + k]]`) a warp could share it. Of atomics a sector is
    an element: nothing updates its parts at once, and apart they would scatter all the more; and
    what is in a run is no neighbours, as of a graph's vertex, however the lanes share it. So it is
    of what a hash picks, be it of a lane's index: neighbours in the data are none in the array. But
    where data only choose between two elements that the index gives, each of them apart from the
    neighbours', that is the layout's doing, too (`wall[i] ? f[i * 9] : f[(i + 1) * 9]`).

    `sites` are the kernel's, of which some load the indices.
    """
    terms = site.address.terms if site.address is not None else {}
    run = walked(site, sites)
    if run is site or (run is not None and site.kind != "atomic"):
        return False
    chosen = _chosen(site)
    if chosen and all(_is_apart(m, terms[m], site.size) for m in chosen):
        return False
    if chosen and _completes_a_record(site, sites):
        return True
    plain = [m for m in terms if _depends(m, TID_X | LANE) and not _depends(m, LOADED)]
    apart = SECTOR + 1 if site.kind == "atomic" else APART * site.size
    if any(each.array == site.array and is_hashed(each) for each in sites):
        apart = SECTOR + 1  # a probe goes on from where the hash is
    picks = any(len(m) == 1 and abs(terms[m]) < apart for m in chosen)
    return bool(chosen) and (picks or bool(plain))


def _completes_a_record(site: AccessSite, sites: Iterable[AccessSite]) -> bool:
    """Whether an access goes where an atomic does, or an atomic where another, in one sector.

    A slot's key is claimed by an atomic, and its value lies behind it (`slots[2 * h + 1]`): apart,
    each would be a sector of its own.
    """
    for each in sites:
        if (each.kind == "atomic") is (site.kind == "atomic") or each.array != site.array:
            continue
        if each.address is None or site.address is None:
            continue
        apart = each.address.beyond(site.address)
        if apart is not None and site.size <= abs(apart) < SECTOR:
            return True
    return False


def walked(site: AccessSite, sites: Iterable[AccessSite]) -> AccessSite | None:
    """What goes on along a run: an access itself, or the load of its index; None if neither does.

    `sites` are the kernel's.
    """
    if walks(site):
        return site
    return next(filter(walks, loads_of_index(site, sites)), None)


def loads_of_index(site: AccessSite, sites: Iterable[AccessSite]) -> Iterator[AccessSite]:
    """The accesses that load what each lane's address is computed of."""
    loads = {s.pc for m in _chosen(site) for s in m if isinstance(s, Opaque) and s.is_loaded}
    return (each for each in sites if loads.intersection(each.pcs))


def _chosen(site: AccessSite) -> list[tuple[Symbol, ...]]:
    """What of an address each lane's own loaded data decide, or a hash."""
    terms = site.address.terms if site.address is not None else {}
    return [m for m in terms if _depends(m, LANES) and (_depends(m, LOADED) or any(map(hashes, m)))]


def chosen_of_two(site: AccessSite) -> bool:
    """Whether data at most choose between two elements that a lane's index gives it."""
    chosen = _chosen(site)
    return bool(chosen) and all(_alternatives(monomial) for monomial in chosen)


def _alternatives(monomial: Sequence[Symbol]) -> tuple[Polynomial, ...]:
    """The two values between which data choose a part of an address, both the index's own; or none.

    What it is multiplied by is the same for all lanes.
    """
    [only, *others] = [s for s in monomial if s.depends & LANES]
    if others or not isinstance(only, Op) or only.name != "selp":
        return ()
    two = only.arguments[:2]
    own = any(holds_own_data(s) or hashes(s) for value in two for s in value.symbols)
    return () if own else two


def _is_apart(monomial: Sequence[Symbol], factor: int, size: int) -> bool:
    """Whether data choose between two elements, both of them apart from the neighbours'."""
    two = _alternatives(monomial) if len(monomial) == 1 else ()
    steps = [[f for m, f in value.terms.items() if _depends(m, LANES)] for value in two]
    return bool(two) and all(
        each and min(map(abs, each)) * abs(factor) >= APART * size for each in steps
    )


def holds_own_data(symbol: Symbol) -> bool:
    """Whether what a lane has loaded from a place of its own is part of a value."""
    if not isinstance(symbol, Op):
        return bool(symbol.depends & LOADED and symbol.depends & LANES)
    return any(holds_own_data(s) for each in symbol.arguments for s in each.symbols)


def hashes(symbol: Symbol) -> bool:
    """Whether a value is a hash: mixed with itself shifted, and multiplied by a large number."""
    waiting, seen, found = [symbol], set[Symbol](), 0
    while waiting and found != HASHED:
        each = waiting.pop()
        if each in seen:
            continue
        seen.add(each)
        if not isinstance(each, Op):
            found |= each.depends & HASHED
        elif not each.name.startswith("setp"):
            inner = [s for value in each.arguments for s in value.symbols]
            if each.name.startswith("xor") and any(map(_is_shifted, inner)):
                found |= MIXED
            factors = [f for value in each.arguments for f in value.terms.values()]
            if any(map(is_large, factors)) and not _is_quotient(each, factors):
                found |= SPREAD
            waiting += inner
    return found == HASHED


def _is_quotient(symbol: Op, factors: Iterable[int]) -> bool:
    """Whether a value is the high half of a product, by which compilers divide by a constant."""
    if symbol.name.startswith("mul.hi"):
        return True
    by = symbol.arguments[-1].constant if symbol.arguments else None
    wide = symbol.name.startswith("shr") and "64" in symbol.name and (by or 0) >= 32
    return wide and all(abs(factor) < 1 << 33 for factor in factors)


def _is_shifted(symbol: Symbol) -> bool:
    return isinstance(symbol, Op) and symbol.name.startswith("shr")


def is_hashed(site: AccessSite) -> bool:
    """Whether a hash picks the element, or data that are mixed and cut to size.

    As in `(x ^ x >> 16) % slots`.
    """
    if site.address is not None and any(map(hashes, site.address.symbols)):
        return True
    waiting, seen = list(site.address.symbols if site.address is not None else ()), set[Symbol]()
    mixed = cut = False
    while waiting and not (mixed and cut):
        each = waiting.pop()
        if isinstance(each, Op) and each not in seen and each.depends & LOADED:
            seen.add(each)
            mixed |= each.name.startswith("xor")
            cut |= each.name.startswith(("rem", "and", "shr", "bfe"))
            waiting += [inner for a in each.arguments for inner in a.symbols]
    return mixed and cut


def compared(site: AccessSite, instructions: Sequence[Instruction]) -> bool:
    """Whether data decide an address by comparisons alone: `table[(a > level) | (b > level) << 1]`.

    `instructions` are the kernel's. What is compared of neighbours mostly goes one way.
    """
    waiting, seen = list(site.address.symbols if site.address is not None else ()), set[Symbol]()
    found = False
    while waiting:
        each = waiting.pop()
        if each in seen or not each.depends & LOADED:
            continue
        seen.add(each)
        if isinstance(each, Op) and not each.name.startswith("setp"):
            waiting += [inner for a in each.arguments for inner in a.symbols]
        elif isinstance(each, Op) or (
            isinstance(each, Opaque) and instructions[each.pc].opcode == "setp"
        ):
            found = True
        else:
            return False
    return found


def scaled(site: AccessSite, *, below_one: bool) -> bool:
    """Whether a float that was made of a thread's index picks the element, as an image is resized.

    An element may be a pixel. Where it picks a row, as in `a[(int)(x * scale) * n]`, neighbours lie
    apart by the layout, unless the scale may be below one: many threads fall into one cell then.
    """
    terms = site.address.terms if site.address is not None else {}
    if below_one:
        return any(_depends(monomial, SCALED) for monomial in terms)
    picking = (m for m, f in terms.items() if len(m) == 1 and abs(f) <= CHANNELS * site.size)
    return any(monomial[0].depends & SCALED for monomial in picking)


def rows_of_unknown_length(site: AccessSite) -> bool:
    """Whether each lane's loaded data choose a row of shared memory whose length is an argument.

    Which banks the rows begin in is a matter of that length.
    """
    picked = () if site.may_be_global else _chosen(site)
    return any(isinstance(symbol, Parameter) for monomial in picked for symbol in monomial)


def distances_by_arguments(site: AccessSite) -> tuple[Polynomial, ...]:
    """How far apart in shared memory neighbouring threads' elements are, where arguments say so.

    As formulas of the arguments alone: of `s[d * t]` and `s[d * (t / k)]` it is `d`. Distances that
    are doubled leave half of the banks alone, whatever the arguments are.
    """
    terms = site.address.terms if site.address is not None and not site.may_be_global else {}
    found = []
    for monomial, factor in terms.items():
        asked = tuple(symbol for symbol in monomial if isinstance(symbol, Parameter))
        own = _depends(monomial, TID_X | LANE) and not _depends(monomial, LOADED)
        if asked and own and factor % (2 * site.size):
            found.append(Polynomial({asked: factor}))
    return tuple(found)


def _depends(monomial: Sequence[Symbol], on: int) -> bool:
    return any(symbol.depends & on for symbol in monomial)


def walks(site: AccessSite) -> bool:
    """Whether a loop, unrolled perhaps, takes the address from one element to the next."""
    terms = site.address.terms if site.address is not None else {}
    loops = (f for m, f in terms.items() if len(m) == 1 and isinstance(m[0], Loop))
    return any(abs(factor) <= LONGEST_STEP * site.size for factor in loops)


def loaded_distance(site: AccessSite) -> bool:
    """Whether data say how far apart in shared memory neighbouring threads' elements are.

    An odd number of elements has no conflict, unless the number that is loaded is doubled.
    """
    stride = site.strides.get("x")
    terms = stride.terms.items() if stride is not None and not site.may_be_global else ()
    return any(_depends(m, LOADED) and factor % (2 * site.size) for m, factor in terms)
