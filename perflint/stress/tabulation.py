"""Addresses that no formula tells, tabulated by runs: where a thread goes with which value.

Where an address goes round a loop, or through floats, the analysis has no formula of it. But each
thread reads an element of its own, and the simulator tells where it goes first: random inputs make
a table of values and addresses, which is inverted as a formula's is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from perflint.analysis.model import AccessSite
from perflint.base.records import dataclass
from perflint.sim.trace import MemoryBatch, Setting, Tracing
from perflint.stress import generators as g
from perflint.stress.algebra import Aim, aims, dealt
from perflint.stress.domains import Domain
from perflint.stress.formulas import Formulas, Load
from perflint.stress.generators import Generator
from perflint.stress.target import Target
from perflint.stress.trial import Input, Limits, traced

RUNS = 32  #: random inputs that make the table
_MOST = 256  #: values that are dealt out
_NO_ROOM = 1 << 20  #: bytes of different regions are this far apart at least


@dataclass(frozen=True)
class Proposal:
    """An array's generator that the table recommends."""

    array: str
    generator: Generator


class FirstRequests(Tracing):
    """Keeps the first request that each warp makes by some instructions."""

    def __init__(self, pcs: Sequence[int]) -> None:
        self._wanted = frozenset(pcs)

    def begin(self, setting: Setting) -> None:
        self._seen: dict[int, np.ndarray] = {}
        self._shape = len(setting.blocks), setting.warps
        #: by instruction: blocks, warps, masks and addresses of requests
        self.found: dict[int, list[tuple[np.ndarray, ...]]] = {}

    def memory(self, batch: MemoryBatch) -> None:
        if batch.pc not in self._wanted:
            return
        seen = self._seen.setdefault(batch.pc, np.zeros(self._shape, bool))
        fresh = ~seen[batch.block, batch.warp]
        if fresh.any():
            seen[batch.block, batch.warp] = True
            address = batch.region.astype(np.int64) * _NO_ROOM * 1024 + batch.offset
            columns = (batch.block, batch.warp, batch.mask, address)
            self.found.setdefault(batch.pc, []).append(tuple(c[fresh].copy() for c in columns))


def proposals(
    target: Target,
    formulas: Formulas,
    domains: Sequence[Domain],
    inputs: Sequence[Input],
    limits: Limits,
    count: Callable[[int], None],
) -> Iterator[Proposal]:
    """What the runs of some random inputs recommend for accesses whose addresses are no formulas.

    `count` is told what each run has issued.
    """
    sites = [
        site
        for site in formulas.facts.sites
        if site.loaded_address and (site.address is None or formulas.leaves(site.address) is None)
    ]
    sources = list(_own_elements(formulas, domains))
    if not sites or not sources:
        return
    first = FirstRequests([pc for site in sites for pc in site.pcs])
    tables: dict[tuple[int, str], list[tuple[np.ndarray, np.ndarray]]] = {}
    for input_ in inputs:
        arrays = target.arrays(input_)
        issued = traced(target, arrays, limits, (first,))
        count(issued)
        if not issued:
            continue
        for number, site in enumerate(sites):
            for domain, load in sources:
                rows = tables.setdefault((number, domain.slot.name), [])
                rows += _rows(target, formulas, first, site, load, arrays[domain.slot.name])
    for (number, name), rows in tables.items():
        if rows:
            values, address = (np.concatenate(column) for column in zip(*rows, strict=True))
            [stride] = {formulas.stride(load) for d, load in sources if d.slot.name == name}
            size = next(d.slot.count for d, _ in sources if d.slot.name == name)
            for aim in aims(sites[number]):
                for generator in _chosen(aim, values, address, size):
                    yield Proposal(name, dealt(generator, stride))


def _own_elements(formulas: Formulas, domains: Sequence[Domain]) -> Iterator[tuple[Domain, Load]]:
    """The arrays of which each thread reads an element of its own, and the load that does."""
    for domain in domains:
        if domain.kind in ("index", "number"):
            loads = (e for e in formulas.loads.values() if e.pointer == domain.slot.pointer)
            own = next((load for load in loads if formulas.stride(load)), None)
            if own is not None:
                yield domain, own


def _rows(
    target: Target,
    formulas: Formulas,
    first: FirstRequests,
    site: AccessSite,
    load: Load,
    array: np.ndarray,
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Values and the addresses that threads went to with them, both (n,)."""
    assert load.address is not None
    blocks = np.array(target.blocks, np.int64)
    pc = next((pc for pc in site.pcs if pc in first.found), -1)  # of an unrolled loop the first
    for block, warp, mask, address in first.found.get(pc, ()):
        thread = (32 * warp[:, None].astype(np.int64) + np.arange(32))[mask]
        at = np.broadcast_to(block[:, None], mask.shape)[mask]
        place = formulas.value(load.address, {}, thread, blocks[at].T)
        if place is None:
            return
        element = np.broadcast_to(place, thread.shape) // load.size
        fine = (element >= 0) & (element < array.size)
        yield array.reshape(-1)[element[fine]].astype(np.int64), address[mask][fine]


def _chosen(aim: Aim, values: np.ndarray, address: np.ndarray, count: int) -> Iterator[Generator]:
    """Values of a table that do as badly as they can, and those that crowd together."""
    order = np.lexsort((values, address))
    values, address = values[order], address[order]
    distinct = np.concatenate([[True], (np.diff(values) != 0) | (np.diff(address) != 0)])
    values, address = values[distinct], address[distinct]
    picked = tuple(map(int, aim.pick(values, address)[:_MOST]))
    if aim.objective == "atomics":
        yield g.Constant(picked[0])
    yield g.Cycle(picked)
    size = min(_MOST, count, len(values))
    if size < len(values):
        start = int(np.argmin(address[size - 1 :] - address[: len(address) - size + 1]))
        yield g.Cycle(tuple(map(int, values[start : start + size])))
