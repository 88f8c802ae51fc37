"""Sums over the instructions of a site, and the verdict that several trials together support."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from perflint.analysis.coalescing_proof import WORST_RATIO, verdict
from perflint.analysis.model import AccessSite
from perflint.rules.naming import Names
from perflint.rules.protocol import Kernel, Suspicion, Trial, Verdict
from perflint.sim.accesses import AccessCount, Witness


def suspicions(kernel: Kernel, space: str) -> Iterator[Suspicion]:
    """The loads and stores of a space whose lanes may have different addresses."""
    for site in kernel.facts.sites:
        here = site.space in (space, "generic") and site.kind in ("load", "store")
        if here and site.uniformity != "uniform":
            yield Suspicion(site=site, names=kernel.names)


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
    peers: int  #: instructions of the kernel that have an excess in this space
    witness: Witness

    @property
    def per_request(self) -> float:
        return self.measured / self.requests

    @property
    def golden_per_request(self) -> float:
        return self.golden / self.requests

    @property
    def ratio(self) -> float:
        return self.measured / max(1, self.golden)


def measure(site: AccessSite, trial: Trial, space: str) -> Measurement | None:
    """The site's cost in `space` in one trial, or None if no request reached it.

    Where there are full-warp requests, the figures are of those alone: a partial warp at the edge
    of the grid is a fact of the blocks that happened to be simulated, not of the access.
    """
    counts = [c for pc in site.pcs if (c := trial.accesses.get(pc)) and c.space == space]
    counts = [c for c in counts if c.requests]
    if not counts:
        return None
    full = sum(c.full_requests for c in counts) > 0
    everything = [c for c in trial.accesses.values() if c.space == space]
    total = sum(c.measured * _weight(c, trial) for c in everything)
    excess = sum(c.excess * _weight(c, trial) for c in counts)
    return Measurement(
        requests=sum(c.full_requests if full else c.requests for c in counts),
        lanes=sum(32 * c.full_requests if full else c.lanes for c in counts),
        measured=sum(c.full_measured if full else c.measured for c in counts),
        golden=sum(c.full_golden if full else c.golden for c in counts),
        aligned=sum(c.full_aligned if full else c.aligned for c in counts),
        ways=max(c.ways for c in counts),
        full=full,
        share=excess / max(1, total),
        peers=sum(c.excess > 0 for c in everything),
        witness=_worst(counts).witness,
    )


def _weight(count: AccessCount, trial: Trial) -> float:
    """How many requests each traced one stands for: of a long loop only the first are traced."""
    return max(1.0, trial.run.requests.get(count.pc, 0) / max(1, count.requests))


def _worst(counts: Sequence[AccessCount]) -> AccessCount:
    return max(counts, key=lambda c: (c.witness.measured - c.witness.golden, -c.pc))


@dataclass(frozen=True)
class Decision:
    """What the trials support, and the trial whose figures to show."""

    verdict: Verdict
    reason: str = ""
    trial: Trial | None = None


#: A site whose excess is a smaller share of what the kernel moves is not worth a warning:
#: one-off accesses outside loops (experiment.md, false-alarm classes).
MINIMUM_SHARE = 0.05
#: … unless the kernel's many bad accesses, were all as bad as this one, would make up so much.
MINIMUM_JOINT_SHARE = 0.25


def decide(
    site: AccessSite,
    trials: Sequence[Trial],
    space: str,
    bad: Callable[[Measurement], bool],
) -> Decision:
    """Weigh one launch's trials: confirmed only if nothing speaks against it."""
    reached = [(t, m) for t in trials if (m := measure(site, t, space))]
    if not reached:
        return Decision(Verdict.UNDECIDED, "no simulated warp reached it")
    outcomes = [(t, m, bad(m)) for t, m in reached]
    if not any(outcome for _, _, outcome in outcomes):
        return Decision(Verdict.REFUTED)
    trial = next(t for t, _, outcome in outcomes if outcome)
    return Decision(*_objection(site, outcomes), trial)


def _objection(
    site: AccessSite, outcomes: Sequence[tuple[Trial, Measurement, bool]]
) -> tuple[Verdict, str]:
    """The first thing that speaks against a finding, most telling first."""
    fine = [t for t, _, outcome in outcomes if not outcome]
    plain = [t for t in fine if not t.identity and not t.unit_stride]
    undecided = Verdict.UNDECIDED
    if any(f.kind == "shared-overrun" for t, _, _ in outcomes for f in t.run.faults):
        return undecided, "the run overran its shared memory, so its launch is not the real one"
    faults = [f for t, _, _ in outcomes for f in t.run.faults if f.pc in site.pcs]
    if any(f.kind == "misaligned" for f in faults):
        return undecided, "it met misaligned addresses, which cannot be the real ones"
    if any(f.kind == "out-of-region" for f in faults) and all(t.exact for t, _, _ in outcomes):
        return undecided, "it left its allocation: an error, or a launch that was misread"
    if broken := next((t.run.stop for t, _, bad in outcomes if bad and _broke(t)), None):
        return undecided, f"the run ended in a {broken.reason}, as the real one would not"
    if any(f.kind == "unwritten-constant" for t, _, _ in outcomes for f in t.run.faults):
        return undecided, "it depends on __constant__ memory whose contents are not known"
    if site.data_dependent:
        return undecided, "whether and how often it is reached depends on data that is not known"
    if plain:
        return undecided, f"it is fine with {plain[0].name}"
    if unit := next((t.unit_stride for t in fine if t.unit_stride), ()):
        return undecided, f"it is fine if {' and '.join(unit)} is 1, and no launch fixes that"
    if any(t.identity for t in fine):
        return undecided, "its address depends on loaded data, and is fine where a[i] = i"
    if all(_is_minor(m) for _, m, outcome in outcomes if outcome):
        share = max(m.share for _, m, outcome in outcomes if outcome)
        return undecided, f"its excess is {share:.1%} of what the kernel moves"
    return Verdict.CONFIRMED, ""


def _broke(trial: Trial) -> bool:
    stop = trial.run.stop
    return stop is not None and stop.reason in ("deadlock", "trap")


def _is_minor(m: Measurement) -> bool:
    """Whether the excess is small, and not one of many equal parts of a large one."""
    return m.share < MINIMUM_SHARE and m.share * m.peers < MINIMUM_JOINT_SHARE


def all_launches(site: AccessSite, names: Names, decision: Decision) -> tuple[str, ...]:
    """For which arguments of all launches with the same block shape the finding holds, if known."""
    if decision.trial is None:
        return ()
    block = decision.trial.run.launch.block
    found = verdict(site, block)
    said = found.describe(names.symbol)
    if said is None or found.uncoalesced == "none":
        return ()
    shape = "×".join(map(str, block[: 3 if block[2] > 1 else 2 if block[1] > 1 else 1]))
    twice = f"at least {WORST_RATIO} times the ideal sectors"
    return (f"{twice} {said} with {shape} threads; proved, if no index overflows",)


def notes(site: AccessSite, m: Measurement, decision: Decision) -> tuple[str, ...]:
    """What a reader must know of the figures."""
    out = []
    if not m.full:
        lanes = figure(m.lanes / m.requests)
        out.append(f"no request had all 32 lanes active; {lanes} were on average")
    run = decision.trial.run if decision.trial else None
    if run is not None and run.stop is not None and m.per_request < m.witness.measured:
        out.append(f"requests differ; the figures are of the first {m.requests}")
    if site.loaded_address and decision.verdict is Verdict.CONFIRMED:
        out.append("the address depends on loaded data; random and identity data both scatter it")
    return tuple(out)


def figure(value: float) -> str:
    """A count for a message: whole where it is whole, else one decimal."""
    return f"{value:.0f}" if abs(value - round(value)) < 0.05 else f"{value:.1f}"
