"""GUPT's monitor: how much later warps are done because of others. Equations (9) to (11)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from perflint.base.records import dataclass
from perflint.stress.guided.timeline import Requests, Timeline


@dataclass(frozen=True)
class Site:
    """What requests at one instruction cost because of other warps, in the model's cycles."""

    direct: int = 0  #: they waited for banks that were busy with others' transactions
    indirect: int = 0  #: others took away lines that they would have hit

    @property
    def total(self) -> int:
        return self.direct + self.indirect


@dataclass(frozen=True)
class Interference:
    """ξ: the interference of one execution."""

    overhead: int  #: O, at the implicit barrier where the kernel ends
    execution: int  #: E, all of the execution
    by_warp: tuple[int, ...]  #: O of each warp where it ends, before it is adjusted there
    sites: Mapping[tuple[int, int], Site]  #: by warp and instruction (pc)
    misses: int  #: lines that were fetched

    @property
    def unperturbed(self) -> int:
        """What the execution would take without interference."""
        return self.execution - self.overhead

    @property
    def share(self) -> float:
        """O/E."""
        return self.overhead / self.execution if self.execution else 0.0

    def of(self, pc: int) -> Site:
        """All warps at one instruction together."""
        mine = [site for (_, at), site in self.sites.items() if at == pc]
        return Site(sum(s.direct for s in mine), sum(s.indirect for s in mine))


def monitor(requests: Requests, timeline: Timeline) -> Interference:
    """Equation (9) for each wait, adjusted at barriers and at the end by (10) and (11).

    A request counts as far as its warp waited for it: what is overlapped costs nothing (Figure
    2(c)).
    """
    pc = requests.trace.pc.tolist()
    warps = len(timeline.waits)
    overhead, counted = [0] * warps, [0] * warps
    sites: dict[tuple[int, int], Site] = {}
    for warp, waits in enumerate(timeline.waits):
        for wait in waits:
            extra = _extra(wait.since, wait.ready, wait.alone)
            key = (warp, pc[wait.request])
            old = sites.get(key, Site())
            sites[key] = (
                Site(old.direct, old.indirect + extra)
                if wait.evicted
                else Site(old.direct + extra, old.indirect)
            )

    def up_to(warp: int, count: int) -> None:
        for wait in timeline.waits[warp][counted[warp] : count]:
            overhead[warp] += _extra(wait.since, wait.ready, wait.alone)
        counted[warp] = max(counted[warp], count)

    for arrivals in timeline.arrivals.values():
        for warp, _, count in arrivals:
            up_to(warp, count)
        adjusted = at_barrier([t for _, t, _ in arrivals], [overhead[w] for w, _, _ in arrivals])
        for warp, _, _ in arrivals:
            overhead[warp] = adjusted
    for warp in range(warps):
        up_to(warp, len(timeline.waits[warp]))
    ends = sorted(timeline.ends.items())
    final = at_barrier([t for _, t in ends], [overhead[w] for w, _ in ends]) if ends else 0
    kept = {key: site for key, site in sorted(sites.items()) if site.total}
    return Interference(final, timeline.time, tuple(overhead), kept, timeline.misses)


def _extra(since: int, ready: int, alone: int) -> int:
    """Equation (9): how much longer a warp waited than it would have by itself."""
    return max(0, ready - max(since, alone))


def at_barrier(times: Sequence[int], overheads: Sequence[int]) -> int:
    """Equations (10) and (11): the overhead of warps behind a barrier that they reach at `times`.

    The last warp to come with interference, m, may be another than the last one without, m'.
    """
    last = max(range(len(times)), key=lambda i: (times[i], -overheads[i]))
    without = max(range(len(times)), key=lambda i: times[i] - overheads[i])
    if times[without] - overheads[without] > times[last] - overheads[last]:
        return overheads[without] + times[last] - times[without]
    return overheads[last]
