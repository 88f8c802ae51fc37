"""Inputs that formulas give: the address is one of loaded values, and is inverted on its low bits.

Where an access's address is a formula of values loaded of one array, the formula is tabulated over
what that array may hold. Of the table those values are taken that spread the lanes over sectors,
pack them into one bank, or meet in one address. A multiple of the element's number that does it as
well is preferred: it is a pattern that people can read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from perflint.analysis.model import AccessSite
from perflint.analysis.symbols import Opaque
from perflint.base.records import dataclass
from perflint.sim.unique_values import unique_values
from perflint.stress import generators as g
from perflint.stress.domains import Domain
from perflint.stress.formulas import Formulas, Load
from perflint.stress.generators import Generator

WARP, SECTOR, WORD, BANKS = 32, 32, 4, 32
_TABLE = 1 << 14  #: values that a formula is tabulated for
_COLLIDING = 256  #: different values of one address that are dealt out

#: How bad the addresses of a warp's lanes are, (n,) int64 bytes each.
Badness = Callable[[np.ndarray], int]


@dataclass(frozen=True)
class Proposal:
    """An array's generator that formulas recommend, and why."""

    array: str
    generator: Generator
    site: AccessSite
    objective: str


def proposals(
    formulas: Formulas, domains: Sequence[Domain], wanted: Sequence[str]
) -> Iterator[Proposal]:
    """What formulas recommend for the accesses whose addresses rest on loaded values."""
    by_pointer = {domain.slot.pointer: domain for domain in domains}
    for site in formulas.facts.sites:
        leaves = formulas.leaves(site.address) if site.address is not None else None
        for pointer in sorted({load.pointer for load in (leaves or {}).values()}):
            domain = by_pointer.get(pointer)
            if leaves is None or domain is None or domain.kind not in ("index", "number", "choice"):
                continue
            mine = {leaf: load for leaf, load in leaves.items() if load.pointer == pointer}
            for aim in aims(site):
                if aim.objective in wanted:
                    for generator in _inverted(formulas, site, mine, domain, aim):
                        yield Proposal(domain.slot.name, generator, site, aim.objective)


#: Of values and their addresses, both (n,) int64 and the addresses ascending: up to a warp of them.
Pick = Callable[[np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Aim:
    """An objective of one request: how bad addresses are, and which values make them so."""

    objective: str
    badness: Badness
    pick: Pick


def aims(site: AccessSite) -> Iterator[Aim]:
    """What is to be made worse of an access."""
    if site.kind == "atomic":
        yield Aim("atomics", meeting, _colliding)
    elif site.space == "shared":
        yield Aim("conflicts", ways, _one_bank)
    elif site.may_be_global:
        yield Aim("sectors", sectors, _spread)


def sectors(address: np.ndarray) -> int:
    """Different sectors."""
    return len(unique_values(address // SECTOR))


def ways(address: np.ndarray) -> int:
    """The most different words of one bank."""
    words = unique_values(address // WORD)
    return int(np.bincount(words % BANKS).max())


def meeting(address: np.ndarray) -> int:
    """The most lanes at one address."""
    return int(np.unique(address, return_counts=True)[1].max())


def _spread(values: np.ndarray, address: np.ndarray) -> np.ndarray:
    return np.asarray(values[np.unique(address // SECTOR, return_index=True)[1]])


def _one_bank(values: np.ndarray, address: np.ndarray) -> np.ndarray:
    words, first = np.unique(address // WORD, return_index=True)
    bank = np.bincount(words % BANKS, minlength=BANKS).argmax()
    return np.asarray(values[first[words % BANKS == bank]])


def _colliding(values: np.ndarray, address: np.ndarray) -> np.ndarray:
    found, counts = np.unique(address, return_counts=True)
    return np.asarray(values[address == found[counts.argmax()]])


def _inverted(
    formulas: Formulas,
    site: AccessSite,
    leaves: Mapping[Opaque, Load],
    domain: Domain,
    aim: Aim,
) -> Iterator[Generator]:
    """Generators by which the lanes of a warp do as badly as the formula lets them."""
    stride = max((formulas.stride(load) for load in leaves.values()), default=0)
    assert site.address is not None

    def address(values: np.ndarray) -> np.ndarray | None:
        given = dict.fromkeys(leaves, values)
        found = formulas.value(site.address, given)  # type: ignore[arg-type]
        return None if found is None else np.broadcast_to(found, values.shape)

    table = _table(domain)
    where = address(table)
    if where is None or len(table) < 2:
        return
    order = np.argsort(where, kind="stable")
    chosen = aim.pick(table[order], where[order])
    best = aim.badness(where[np.isin(table, chosen[:WARP])])
    if site.kind == "atomic":  # all the same, and different values that collide
        yield g.Constant(int(chosen[0]))
        yield dealt(g.Cycle(tuple(map(int, chosen[:_COLLIDING]))), stride)
        return
    step = _step(domain, address, aim.badness, best)
    if step is not None:
        yield dealt(domain.fitted(g.Affine(step)), stride)
        yield dealt(g.Repeat(WARP, domain.fitted(g.Affine(step))), stride)
    else:
        yield dealt(g.Cycle(tuple(map(int, np.sort(chosen[:WARP])))), stride)


def dealt(generator: Generator, stride: int) -> Generator:
    """A generator by lanes, for an array of which each lane reads its own element, or several."""
    return g.Blocks(stride, generator) if stride > 1 else generator


def _table(domain: Domain) -> np.ndarray:
    """Values of a domain, ascending: all where these are few, else its first and some of all."""
    if domain.high - domain.low <= _TABLE:
        return np.arange(domain.low, domain.high)
    first = np.arange(domain.low, domain.low + _TABLE // 2)
    random = np.random.default_rng(0).integers(domain.low, domain.high, _TABLE // 2)
    return unique_values(np.concatenate([first, random]))


def _step(
    domain: Domain,
    address: Callable[[np.ndarray], np.ndarray | None],
    badness: Badness,
    wanted: int,
) -> int | None:
    """The least step by which multiples of a lane's number are as bad as that."""
    lanes = np.arange(WARP)
    steps: list[int] = sorted(
        {*range(1, 129), *(1 << n for n in range(31)), *(3 << n for n in range(24))}
    )
    for step in steps:
        if step * WARP > 1 << 40 or step >= domain.high - domain.low:
            return None
        values = domain.low + step * lanes % (domain.high - domain.low)
        where = address(values)
        if where is not None and badness(where) >= wanted:
            return step
    return None
