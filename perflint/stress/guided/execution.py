"""One run of the kernel: what it asked of memory, and the path conditions of its warps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from perflint.base.records import dataclass
from perflint.sim.cache_trace import CacheTrace
from perflint.sim.emulator import simulate
from perflint.sim.launch import Dim3, Run, whole
from perflint.sim.program import Program
from perflint.sim.simulation_options import SimulationOptions
from perflint.sim.trace import Setting, Tracing
from perflint.sim.tracers.cache_recorder import CacheRecorder
from perflint.stress.guided.inputs import scalar_sort, sort_of
from perflint.stress.guided.subject import Subject, Values
from perflint.symbolic.conjuncts import Conjunct, merge
from perflint.symbolic.followed import Followed, Inputs
from perflint.symbolic.terms import Terms
from perflint.symbolic.trace import SymbolicTrace

_MEMORY = 1 << 30
_FOR_EVER = 1e9  #: seconds: instructions end a run, never the clock


@dataclass(frozen=True, eq=False)
class Execution:
    """A run with one input."""

    run: Run
    trace: CacheTrace
    followed: Followed
    paths: Mapping[int, tuple[Conjunct, ...]]  #: by warp
    dropped: Counter[str]  #: conditions of which nothing can be asked
    program: Program
    position: Mapping[int, int]  #: by pc


class _Seen(Tracing):
    """Keeps the setting."""

    def begin(self, setting: Setting) -> None:
        self.setting = setting


def blocks_of(subject: Subject, most_warps: int) -> tuple[Dim3, ...]:
    """The blocks that are run: the first ones, as many as have so many warps."""
    x, y, z = subject.block
    grid = subject.grid
    most = max(1, most_warps // -(-x * y * z // 32))
    count = min(most, grid[0] * grid[1] * grid[2])
    return tuple(
        (n % grid[0], n // grid[0] % grid[1], n // (grid[0] * grid[1])) for n in range(count)
    )


def execute(
    subject: Subject,
    values: Values,
    terms: Terms,
    blocks: tuple[Dim3, ...],
    budget: int,
    prefix: int,
) -> Execution:
    """Run the kernel with an input, at most `budget` warp instructions.

    Raises LaunchError and UnsupportedInstructionError.
    """
    inputs = Inputs(
        {name: sort_of(each.data.dtype) for name, each in subject.arrays.items() if each.free},
        {name: scalar_sort(subject, name) for name, each in subject.scalars.items() if each.free},
    )
    symbolic, recorder, seen = SymbolicTrace(inputs, prefix=prefix), CacheRecorder(), _Seen()
    run = _run(subject, values, blocks, budget, [symbolic, recorder, seen])
    paths, dropped = merge(terms, symbolic.followed.conditions)
    setting = seen.setting
    return Execution(
        run, recorder.trace, symbolic.followed, paths, dropped, setting.program, setting.position
    )


def traced(subject: Subject, values: Values, blocks: tuple[Dim3, ...], budget: int) -> CacheTrace:
    """What the same run asks of memory, alone. Raises as `execute` does."""
    recorder = CacheRecorder()
    _run(subject, values, blocks, budget, [recorder])
    return recorder.trace


def _run(
    subject: Subject,
    values: Values,
    blocks: tuple[Dim3, ...],
    budget: int,
    tracers: Sequence[Tracing],
) -> Run:
    limits = whole(_FOR_EVER, _MEMORY)
    options = SimulationOptions(
        arch=subject.arch,
        blocks=blocks,
        budget=type(limits)(
            warp_instructions=budget,
            seconds=_FOR_EVER,
            memory=_MEMORY,
            requests_per_site=limits.requests_per_site,
        ),
        keep_memory=False,
        find_endless=True,
    )
    return simulate(
        subject.module, subject.facts.kernel, subject.launch(values), options, tracers=tracers
    )
