"""How a launch is simulated: which part of it, what short cuts it takes, what ends it early."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Literal, get_args

from perflint.base.records import dataclass
from perflint.sim.launch import Budget, Dim3, Fill

#: Where lanes of a warp that diverged meet again. `thread-frontiers`: at any block where some of
#: them stand, the earliest of which runs first (Diamos et al., "SIMD Re-Convergence at Thread
#: Frontiers", MICRO 2011). `ipdom`: at the immediate post-dominator of the branch.
Reconvergence = Literal["thread-frontiers", "ipdom"]
RECONVERGENCE: tuple[Reconvergence, ...] = get_args(Reconvergence)


@dataclass(frozen=True)
class SimulationOptions:
    """What `simulate` is asked for beside the launch itself."""

    arch: str = "sm_80"
    fill: Fill = Fill.RANDOM  #: what memory holds that nobody wrote
    #: Indices in the grid; None takes all of a small grid, else a corner, interior and the last
    #: one, or with `contiguous` the first few.
    blocks: Sequence[Dim3] | None = None
    contiguous: bool = False
    #: Bounds the run: what stopped it is in `Run.stop`, never an exception.
    budget: Budget = field(default_factory=Budget)
    keep_memory: bool = True  #: whether the final bytes of the buffers are kept
    #: Takes no short cut: every lane has its own program counter, every index is an array. It is
    #: slower and finds the same, which tests check.
    reference: bool = False
    reconvergence: Reconvergence = "thread-frontiers"  #: where lanes that diverged meet
    #: Computes only what decides addresses, branches and barriers (`perflint.sim.slice`) and what
    #: the tracers ask for: what they see is the same, the memory it leaves behind is not, and is
    #: never kept.
    slice_only: bool = False
    #: With `slice_only`: passes over turns of long loops that only counters carry on
    #: (`perflint.sim.leaps`). Their requests are counted and not traced.
    skip_counted_loops: bool = False
    #: With `slice_only`: passes over turns that are all alike where each of the tracers counts them
    #: at once (`perflint.sim.foresight`) and the budget bounds no requests: what these find is the
    #: same.
    batch_uniform_iterations: bool = False
    #: The shared variables that instructions access, by instruction. What leaves its own is then a
    #: fault (`array-overrun`); memory is what it was.
    arrays: Mapping[int, str] = field(default_factory=dict)
    #: Asked between basic blocks; once it answers True the run ends with the stop `enough`.
    stop_when: Callable[[], bool] | None = None
    #: Ends the run with the stop `deadlock` or `endless` once lanes are known to spin for ever.
    find_endless: bool = False
    #: Asked where a counted loop's turns are found to be too many for the budget, with the number
    #: of instructions issued so far; once it answers True the run ends as it would then.
    give_up_when: Callable[[int], bool] | None = None
