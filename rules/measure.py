"""What a site's requests cost in one trial, and as a formula where the address is one."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

import numpy as np

from perflint.analysis.closed_form import for_launch, lane_offsets
from perflint.analysis.model import AccessSite, KernelFacts
from perflint.base.floor import CYCLES_PER_SECTOR
from perflint.base.records import dataclass
from perflint.rules.protocol import (
    Kernel,
    Suspicion,
    Trial,
    site_suspicion,
)
from perflint.sim import banks, coalescing
from perflint.sim.accesses import AccessCount, Witness
from perflint.sim.architecture import load as architecture
from perflint.sim.tracers.accesses import AccessCounter
from perflint.sim.tracers.lines import Lines

#: Sectors by golden ones from which on an access is scattered. Ratios of real code are bimodal:
#: of 439 bad lines in 625 kernels of PolyBench, Rodinia, llm.c and the CUDA samples 26 lie between
#: 1.25 and 2. And 16-byte accesses cannot exceed 2: a warp's 512 bytes fill 16 sectors and touch at
#: most 32.
SCATTERED = 2.0
#: Sectors a request, of partial warps. Two where one would do is then a few lanes that straddle
#: something, while most are idle: nothing to act on.
LEAST_EXCESS = 2
#: Turns that a loop counts for whose end depends on data (docs/architecture.md, "The verdict").
ASSUMED_TURNS = 1024
#: An instruction whose excess is at least this share of another's is one like it.
ALIKE = 0.5


def memory_cycles(trial: Trial) -> float:
    """Cycles in which memory brings, once, each sector that a run touches.

    What lies in one line is taken to be wanted whole, unless fewer sectors were asked for.
    """
    lines = trial.tracer(Lines)
    in_lines = lines.different * (coalescing.LINE // coalescing.SECTOR)
    return min(lines.sectors, in_lines) * CYCLES_PER_SECTOR


def suspicions(kernel: Kernel, space: str) -> Iterator[Suspicion]:
    """The loads and stores of a space whose lanes may have different addresses."""
    for site in kernel.facts.sites:
        here = site.space in (space, "generic") and site.kind in ("load", "store")
        if here and site.uniformity != "uniform":
            yield site_suspicion(kernel, site)


@dataclass(frozen=True)
class Measurement:
    """What one site's requests cost in one trial."""

    requests: int
    lanes: int
    measured: int
    golden: int
    aligned: int  #: global: sectors, had each run of neighbouring bytes begun at a sector
    ways: int
    full: bool  #: the figures are of full-warp requests only
    share: float  #: of all the kernel's requests to this space, by what they cost: the excess
    #: accesses of the kernel in this space that have as much of an excess, this one among them
    peers: float
    witness: Witness
    computed: bool = False  #: by the formula: offsets are from the lowest lane's
    size: int = 0  #: bytes of a lane, where ptxas makes one access of this one and others
    #: requests, measured and golden cost with those of partial warps; () where none is full
    every: tuple[int, int, int] | tuple[()] = ()

    @property
    def per_request(self) -> float:
        return self.measured / self.requests

    @property
    def golden_per_request(self) -> float:
        return self.golden / self.requests

    @property
    def ratio(self) -> float:
        return self.measured / max(1, self.golden)


#: What the requests of one instruction cost, and how much of it is excess.
Cost = Callable[[AccessCount], tuple[int, int]]


def sectors(count: AccessCount) -> tuple[int, int]:
    """Sectors or wavefronts, and those above the golden ones."""
    return count.measured, count.excess


def measure(site: AccessSite, trial: Trial, space: str, cost: Cost = sectors) -> Measurement | None:
    """The site's cost in `space` in one trial, or None if no request reached it.

    Where there are full-warp requests, the figures are of those alone: a partial warp at the edge
    of the grid is a fact of the blocks that happened to be simulated, not of the access.
    """
    accesses = trial.tracer(AccessCounter).counts
    counts = [c for pc in site.pcs if (c := accesses.get(pc)) and c.space == space and c.requests]
    if not counts:
        return None
    full = sum(c.full_requests for c in counts) > 0
    total, others = _traffic(trial, space, cost)
    each = [cost(c)[1] * _weight(c, trial) for c in counts]
    excess = sum(each)
    peers = sum(other >= ALIKE * excess / len(each) for other in others) / len(each)
    return Measurement(
        requests=sum(c.full_requests if full else c.requests for c in counts),
        lanes=sum(32 * c.full_requests if full else c.lanes for c in counts),
        measured=sum(c.full_measured if full else c.measured for c in counts),
        golden=sum(c.full_golden if full else c.golden for c in counts),
        aligned=sum(c.full_aligned if full else c.aligned for c in counts),
        ways=max(c.ways for c in counts),
        full=full,
        share=excess / max(1, total),
        peers=peers,
        witness=_worst(counts).witness,
        every=_every(counts) if full else (),
    )


def _every(counts: Sequence[AccessCount]) -> tuple[int, int, int]:
    """Requests, measured and golden cost of some instructions, whichever lanes are active."""
    return (
        sum(c.requests for c in counts),
        sum(c.measured for c in counts),
        sum(c.golden for c in counts),
    )


def share_if(
    site: AccessSite, trial: Trial, space: str, cost: Cost, each: float, golden: float
) -> float:
    """The share of what the kernel moves that a site's excess would be at a cost per request."""
    counts = trial.tracer(AccessCounter).counts
    mine = [c for pc in site.pcs if (c := counts.get(pc)) and c.space == space and c.requests]
    requests = sum(c.requests * _weight(c, trial) for c in mine)
    own = sum(cost(c)[0] * _weight(c, trial) for c in mine)
    total, _ = _traffic(trial, space, cost)
    return requests * (each - golden) / max(1.0, total - own + requests * each)


@lru_cache(maxsize=16)
def _traffic(trial: Trial, space: str, cost: Cost) -> tuple[float, tuple[float, ...]]:
    """What all requests to a space cost, and the excess of each instruction that has one."""
    counts = [c for c in trial.tracer(AccessCounter).counts.values() if c.space == space]
    total = sum(cost(c)[0] * _weight(c, trial) for c in counts)
    each = ((cost(c)[1], _weight(c, trial)) for c in counts)
    return total, tuple(excess * weight for excess, weight in each if excess > 0)


def _weight(count: AccessCount, trial: Trial) -> float:
    """How many requests each traced one stands for.

    Of a long loop only the first requests are traced; one whose end depends on data, which is
    invented here, counts as ASSUMED_TURNS, and one that a run left before its end as what it makes:
    one within the other as so many times that.
    """
    executed = max(count.requests, trial.run.requests.get(count.pc, 0))
    turns = ASSUMED_TURNS if count.pc in _ending_with_data(trial.facts) else 1
    if not trial.complete:
        turns *= _turns(count.pc, trial)
    executed = max(executed, turns * min(trial.run.warps, executed))
    return executed / max(1, count.requests)


@lru_cache(maxsize=16)
def _ending_with_data(facts: KernelFacts) -> frozenset[int]:
    """The instructions of loops whose end depends on data."""
    return frozenset(pc for loop in facts.loops if loop.data_dependent for pc in loop.pcs)


def _turns(pc: int, trial: Trial) -> int:
    """How often a warp comes by an instruction, as far as its loops are counted by formulas."""
    return math.prod(turns for pcs, turns in counted_loops(trial) if pc in pcs)


@lru_cache(maxsize=16)
def counted_loops(trial: Trial) -> tuple[tuple[frozenset[int], int], ...]:
    """The instructions and turns of each loop whose end the launch tells."""
    out = []
    for loop in trial.facts.loops:
        end = loop.last and for_launch(loop.last, trial.run.launch.block, trial.values).constant
        if isinstance(end, int) and end > 0:
            out.append((frozenset(loop.pcs), end + 1))
    return tuple(out)


def _worst(counts: Sequence[AccessCount]) -> AccessCount:
    return max(counts, key=lambda c: (c.witness.measured - c.witness.golden, -c.pc))


def computed(site: AccessSite, trial: Trial, space: str) -> Measurement | None:
    """What full warps of the trial's launch cost by the formula of the address; None without one.

    Sums over the different warps of a block, one request each. The pointer is taken to be aligned.
    """
    launch = trial.run.launch
    offsets = lane_offsets(site, launch.block, trial.values)
    if offsets is None:
        return None
    offsets = offsets - offsets.min(axis=1, keepdims=True)
    mask = np.ones(offsets.shape, bool)
    if space == "shared":
        waves = banks.wavefronts(mask, offsets, site.size, architecture(trial.run.arch).shared_rule)
        measured, golden, ways = waves.measured, waves.golden, int(waves.ways.max())
    else:
        measured = coalescing.sectors(mask, offsets, site.size)
        golden, ways = coalescing.golden_sectors(mask, site.size), 1
    at = int((measured - golden).argmax())
    lanes = tuple(offsets[at].tolist())
    return Measurement(
        requests=len(offsets),
        lanes=32 * len(offsets),
        measured=int(measured.sum()),
        golden=int(golden.sum()),
        aligned=int(measured.sum()),
        ways=ways,
        full=True,
        share=0.0,
        peers=0,
        witness=Witness((0, 0, 0), 0, lanes, int(measured[at]), int(golden[at])),
        computed=True,
    )


def is_scattered(m: Measurement) -> bool:
    """Whether requests touch far more sectors than they fill, alignment aside."""
    cost = min(m.measured, m.aligned)
    least = 0 if m.full else LEAST_EXCESS * m.requests
    return cost >= SCATTERED * m.golden and cost - m.golden >= least


def figure(value: float) -> str:
    """A count for a message: whole where it is whole, else one decimal."""
    return f"{value:.0f}" if abs(value - round(value)) < 0.05 else f"{value:.1f}"


def counted(value: float, noun: str) -> str:
    """`1 sector`, `2.5 sectors`, `3 accesses`."""
    text = figure(value)
    ending = "" if text == "1" else "es" if noun.endswith("s") else "s"
    return f"{text} {noun}{ending}"


def listed(words: Sequence[str], most: int = 3) -> str:
    """`a`, `a and b`, `a, b and c`, `a, b, c and 2 more`."""
    shown = [*words[:most]]
    if len(words) > most:
        shown.append(f"{len(words) - most} more")
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
