"""What a rule says beyond its sentence: figures, and a change that was tried. One record each."""

from __future__ import annotations

from perflint.base.records import dataclass
from perflint.base.span import Span

#: How the note begins that says that a finding's figures are a formula's, not a run's.
NOT_REACHED = "not reached by the simulation"


@dataclass(frozen=True)
class Evidence:
    """One measured figure against its golden one, from the rule to the report."""

    metric: str  #: `sectors per request`
    measured: float
    golden: float
    unit: str  #: `sectors`


@dataclass(frozen=True)
class LaneBytes:
    """Where the bytes of a warp's lanes lie in one request."""

    space: str  #: `global` or `shared`
    size: int  #: bytes per lane
    #: of each lane, from the array's beginning, or the window's for shared memory; None: no part
    offsets: tuple[int | None, ...]


@dataclass(frozen=True)
class WorstRequest:
    """The most wasteful request of an access, and the same request after the advice."""

    before: LaneBytes
    measured: int  #: sectors of 32 bytes, or wavefronts
    golden: int
    array: str = ""  #: as the source calls it; "": it has no name
    after: LaneBytes | None = None  #: None where the advice does not say where bytes lie
    change: str = ""  #: what lies between both: `rows padded by one element`


@dataclass(frozen=True)
class Edit:
    """A span of the source and what is to stand there instead."""

    span: Span
    replacement: str


@dataclass(frozen=True)
class Fix:
    """A change of the source that was compiled, simulated and counted."""

    message: str  #: what it does: `write 4.0f`
    edits: tuple[Edit, ...]
    safe: bool  #: every result stays bit-identical
