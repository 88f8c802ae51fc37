"""What a worst input is the worst of: counts of the simulator, by access or branch of the kernel.

An objective is one record here. Its figure is the mean over what a place does (requests, visits);
of two inputs with the same mean the one that does it more often is the worse.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType

from perflint.analysis.model import AccessSite, KernelFacts
from perflint.base.records import dataclass
from perflint.sim.launch import Run
from perflint.sim.trace import Setting
from perflint.sim.tracers.accesses import AccessCounter
from perflint.sim.tracers.addresses import Addresses
from perflint.sim.tracers.branch import Branch


@dataclass(frozen=True, order=True)
class Place:
    """What of the kernel a figure is about: number `index` of its accesses or branches."""

    kind: str  #: `access`, `branch`, `kernel`
    index: int = 0


@dataclass(frozen=True)
class Figure:
    """A count, over how many requests or visits it was made."""

    amount: int
    over: int
    most: int = 0  #: in a single request
    ideal: int = 0  #: what the same lanes would take at best

    @property
    def mean(self) -> float:
        return self.amount / self.over if self.over else 0.0

    @property
    def rank(self) -> tuple[float, int]:
        """The worse, the higher."""
        return self.mean, self.amount


@dataclass(frozen=True, eq=False)
class Observed:
    """A run and what its tracers saw."""

    facts: KernelFacts
    run: Run
    setting: Setting
    accesses: AccessCounter
    addresses: Addresses
    branches: Branch


Figures = Mapping[Place, Figure]


@dataclass(frozen=True)
class Measure:
    """Something that an input can make bad."""

    name: str  #: as `--objective` takes it
    code: str  #: the rule whose figure it makes worse
    metric: str  #: `sectors per request`
    unit: str


@dataclass(frozen=True)
class Objective(Measure):
    """One that is counted in any run."""

    figures: Callable[[Observed], Iterator[tuple[Place, Figure]]]


def _accesses(
    observed: Observed, wanted: Callable[[AccessSite], bool], space: str
) -> Iterator[tuple[Place, Figure]]:
    for index, site in enumerate(observed.facts.sites):
        counts = [observed.accesses.by_space.get((pc, space)) for pc in site.pcs]
        known = [count for count in counts if count is not None]
        if known and wanted(site):
            yield (
                Place("access", index),
                Figure(
                    sum(c.measured for c in known),
                    sum(c.requests for c in known),
                    max(c.ways if space == "shared" else c.witness.measured for c in known),
                    sum(c.golden for c in known),
                ),
            )


def _sectors(observed: Observed) -> Iterator[tuple[Place, Figure]]:
    yield from _accesses(observed, lambda site: site.kind != "atomic", "global")


def _conflicts(observed: Observed) -> Iterator[tuple[Place, Figure]]:
    yield from _accesses(observed, lambda site: site.kind != "atomic", "shared")


def _atomics(observed: Observed) -> Iterator[tuple[Place, Figure]]:
    for index, site in enumerate(observed.facts.sites):
        counts = [observed.addresses.counts.get(pc) for pc in site.pcs if site.kind == "atomic"]
        known = [count for count in counts if count is not None]
        if known:
            requests = sum(c.requests for c in known)
            most = [c.witness.measured for c in known if c.witness is not None]
            yield (
                Place("access", index),
                Figure(sum(c.meeting for c in known), requests, max(most), requests),
            )


def _divergence(observed: Observed) -> Iterator[tuple[Place, Figure]]:
    sums, position = observed.branches.sums(), observed.setting.position
    for index, branch in enumerate(observed.facts.branches):
        found = sums.get(position.get(branch.pc, -1))
        if found:
            yield Place("branch", index), Figure(found["divergent_branches"], found["branches"], 1)


def _instructions(observed: Observed) -> Iterator[tuple[Place, Figure]]:
    run = observed.run
    yield Place("kernel"), Figure(run.warp_instructions, run.warps)


OBJECTIVES: Mapping[str, Objective] = MappingProxyType(
    {
        each.name: each
        for each in (
            Objective("sectors", "CU101", "sectors per request", "sectors", _sectors),
            Objective("conflicts", "CU201", "wavefronts per request", "wavefronts", _conflicts),
            Objective("divergence", "CU901", "split visits per visit", "visits", _divergence),
            Objective("atomics", "CU108", "lanes per address", "lanes", _atomics),
            Objective(
                "instructions", "CU905", "warp instructions per warp", "instructions",
                _instructions,
            ),
        )
    }
)  # fmt: skip
#: What other warps cost: it takes explorations of its own, and is looked for only if asked for.
INTERFERENCE = Measure("interference", "CU304", "overhead per cycle of the model", "cycles")
MEASURES: Mapping[str, Measure] = MappingProxyType({**OBJECTIVES, INTERFERENCE.name: INTERFERENCE})


def edges(observed: Observed) -> Iterable[tuple[int, int]]:
    """The ways out of branches that some thread went: number of the branch, and of the way."""
    position = observed.setting.position
    numbers = {position.get(b.pc, -1): i for i, b in enumerate(observed.facts.branches)}
    return (
        (numbers[at], way)
        for at, way in observed.branches.ways
        if at in numbers and observed.branches.ways[at, way][0]
    )
