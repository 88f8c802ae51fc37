"""Per-instruction sums of what a run's memory requests cost, and one witness for each."""

from __future__ import annotations

from perflint.base.records import dataclass
from perflint.sim.launch import Dim3


@dataclass(frozen=True)
class Witness:
    """The worst request of an instruction: enough to check the number by hand."""

    block: Dim3
    warp: int
    lanes: tuple[int | None, ...]  #: byte offset of each lane in its region, None where inactive
    measured: int  #: sectors or wavefronts
    golden: int


@dataclass(frozen=True)
class AccessCount:
    """One memory instruction's requests in one run. Nsight Compute's definitions.

    For global memory `measured` counts 32-byte sectors and `golden` is
    ceil(active lanes * bytes / 32); for shared memory both count wavefronts.
    `excess` is clamped per request and summed: max(0, measured - golden).
    """

    pc: int
    space: str
    kind: str
    size: int  #: bytes per lane
    requests: int
    lanes: int  #: active lanes, summed over requests
    measured: int
    golden: int
    excess: int
    ways: int  #: shared: the highest N-way conflict seen in a request's phases; else 1
    full_requests: int  #: requests with all 32 lanes active
    full_measured: int
    full_golden: int
    witness: Witness
    #: Global: the sectors, had each run of touching bytes of a request begun at a sector boundary
    #: (sum of ceil(run / 32)): equals `golden` where only the alignment is off. Shared: `measured`.
    aligned: int
    full_aligned: int
