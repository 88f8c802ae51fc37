"""Lanes of a warp that want one address, or several where one is served at a time."""

from __future__ import annotations

from perflint.analysis.model import AccessSite
from perflint.base.records import dataclass
from perflint.rules.protocol import (
    Trial,
)
from perflint.sim.accesses import Witness
from perflint.sim.tracers.addresses import Addresses


@dataclass(frozen=True)
class Contention:
    """A site's requests in one trial, as averages over those of two lanes or more."""

    requests: int
    lanes: float  #: that took part
    addresses: float  #: different ones
    meeting: float  #: lanes at the most wanted address
    together: bool  #: in every such request all lanes had one address
    excess: int  #: lanes above the first at the most wanted address, summed over requests
    share: float  #: the excess, of all that the kernel's warps issue with it
    passes: float  #: addresses above the first, likewise
    witness: Witness  #: the request with the most lanes at one address
    scattered: Witness  #: the one with the most different addresses


def contention(site: AccessSite, trial: Trial) -> Contention | None:
    """What the lanes of a site's requests had in common; None if no two came together."""
    counts = [c for pc in site.pcs if (c := trial.tracer(Addresses).counts.get(pc))]
    requests = sum(c.requests - c.alone for c in counts)
    if not requests:
        return None
    alone = sum(c.alone for c in counts)
    excess = sum(c.meeting - c.requests for c in counts)
    passes = sum(c.addresses - c.requests for c in counts)
    witnesses = [c.witness for c in counts if c.witness is not None]
    scattered = [c.scattered for c in counts if c.scattered is not None]
    return Contention(
        requests=requests,
        lanes=(sum(c.lanes for c in counts) - alone) / requests,
        addresses=(sum(c.addresses for c in counts) - alone) / requests,
        meeting=(sum(c.meeting for c in counts) - alone) / requests,
        together=sum(c.together for c in counts) == requests,
        excess=excess,
        share=of_all_issued(trial, excess),
        passes=of_all_issued(trial, passes),
        witness=max(witnesses, key=lambda w: w.measured),
        scattered=max(scattered, key=lambda w: w.measured),
    )


def of_all_issued(trial: Trial, more: float) -> float:
    """What is serialized, as a share of all that the kernel's warps issue with it."""
    return more / max(1, trial.run.warp_instructions + more)
