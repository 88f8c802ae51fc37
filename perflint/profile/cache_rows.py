"""The rows of GRAB's bug report, by program location and by set of the cache."""

from __future__ import annotations

from collections.abc import Mapping

from perflint.base.records import dataclass
from perflint.debug_lines import Line
from perflint.sim.cache_sets import SetUse
from perflint.sim.faults import FaultType
from perflint.sim.interference import SiteMisses
from perflint.sim.replay import Conditions

#: What Table 2 of the paper suggests.
FIXES: dict[FaultType, str] = {
    "mh": "improve cache management: another mapping or access pattern",
    "m*h": "fewer threads at a time, or shared memory instead of the cache",
    "mm": "less global memory in each thread, such as values kept in registers",
}
#: And for the parts of `mm` of which that is not true.
_OWN_SETS = "rows padded, so that a thread's own lines lie in other sets"
_LATE = "threads that read the same lines closer together, or shared memory for them"


@dataclass(frozen=True)
class Place:
    """A program location of the report."""

    line: Line
    source: str
    array: str


@dataclass(frozen=True)
class EffectRow:
    """Where a root cause makes accesses miss."""

    place: Place
    faults: int
    sets: Mapping[int, int]  #: the same by the cache's sets


@dataclass(frozen=True)
class CauseRow:
    """A root cause, how many faults it causes, and where."""

    place: Place
    priority: int
    effects: tuple[EffectRow, ...]


@dataclass(frozen=True)
class MissParts:
    """What `mm` is made of, and the cold misses beside it."""

    own: int  #: lost by the thread's own accesses
    own_sets: int  #: of these, where a fully associative private cache would have kept the block
    late: int  #: brought in by others, and lost before the thread first came
    cold: int  #: nobody's before; no faults


@dataclass(frozen=True)
class FaultRow:
    """One fault type (Fig. 8)."""

    kind: FaultType
    count: int
    causes: tuple[CauseRow, ...]
    in_l2: int | None  #: of the faults, those that an L2 serves
    parts: MissParts | None = None  #: of `mm`

    @property
    def fix(self) -> str:
        """What may help: of `mm` by its largest part, for nobody loses what it never had."""
        parts = self.parts
        if parts is None or parts.own >= max(parts.late, 2 * parts.own_sets):
            return FIXES[self.kind]
        return _LATE if parts.late > parts.own else _OWN_SETS

    @property
    def affected(self) -> int:
        """Program locations that report faults."""
        return len({effect.place for cause in self.causes for effect in cause.effects})


@dataclass(frozen=True)
class RemedyRow:
    """A change, and what would be left."""

    what: str
    left: SiteMisses


@dataclass(frozen=True)
class SweepRow:
    """One replay of several."""

    arch: str
    conditions: Conditions
    total: SiteMisses
    counts: tuple[tuple[FaultType, int], ...]


@dataclass(frozen=True)
class SetRow:
    """What one set of the cache was asked for and lost."""

    use: SetUse
    lines: Mapping[str, int]  #: different lines of memory that share its ways, by array


@dataclass(frozen=True)
class CacheFigures:
    """The bug report of one replay, or the figures of several."""

    conditions: Conditions
    total: SiteMisses
    faults: tuple[FaultRow, ...]
    remedies: tuple[RemedyRow, ...]
    sweep: tuple[SweepRow, ...]  #: () for one replay
    notes: tuple[str, ...]
    sets: tuple[SetRow, ...] = ()  #: of one replay: each set of its cache, by number
