"""## What it does
Finds launches of long-running blocks whose last wave leaves most of the GPU idle.

## Why it is slow
A GPU runs as many blocks at a time as its multiprocessors hold: a wave. The blocks that are left
over run in a last wave, and however few these are, it takes as long as one block does. Where blocks
wait for their own results, that is as long as a full wave: with one block more than a wave holds, a
launch takes twice the time of one block less. Where they keep a multiprocessor's units busy, few
run faster than many. The more waves there are, the less the last one matters.

## Example
```cuda
__global__ void iterate(float *data, int turns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = data[i];
    for (int k = 0; k < turns; k++)
        x = x * 0.999f + 0.5f;
    data[i] = x;
}

void launch(float *data) { iterate<<<900, 256>>>(data, 8000); }
```

## Use instead
```cuda
__global__ void iterate(float *data, int turns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = data[i], y = data[i + 115200];
    for (int k = 0; k < turns; k++) {
        x = x * 0.999f + 0.5f;
        y = y * 0.999f + 0.5f;
    }
    data[i] = x;
    data[i + 115200] = y;
}

void launch(float *data) { iterate<<<450, 256>>>(data, 8000); }
```

## How it is confirmed
The launch is read from the source, registers and static shared memory from ptxas, and the limits
from the GPU's description: from these follow the blocks of a wave. The finding is confirmed if the
grid takes more than one wave, the last of them leaves {LEAST_IDLE:%} or more of all the waves'
places empty, and the warps execute at least {occupancy.LONG:,} instructions each. All
blocks are taken to run equally long: where loops end by data, nothing is confirmed; nor where a
variable picks the launch's stream of several: others fill its last wave. Where all blocks that run
have the same work, the finding tells what is lost at least: a multiprocessor takes whole blocks,
and no schedule spares it the work of the most that one must take. Where that is below
{LEAST_LOST:%}, it is a note.

## When to ignore it
When other kernels run beside it in streams, when the real input is larger, or when the kernel waits
for memory: the blocks of the last wave then share all its bandwidth.

## Options
None.

## References
- Nsight Compute, rule "Tail Effect" of the section "Launch Statistics"
- CUDA C++ Best Practices Guide, "Thread and Block Heuristics",
  https://docs.nvidia.com/cuda/cuda-c-best-practices-guide/#thread-and-block-heuristics
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from perflint.base.floor import UNITS
from perflint.base.records import dataclass
from perflint.rules.case import Case, Decision, Figure, nothing
from perflint.rules.launch.occupancy import LONG, occupancy
from perflint.rules.launch.other_blocks import other_blocks
from perflint.rules.measure import figure
from perflint.rules.protocol import (
    Evidence,
    Kernel,
    KnownLaunch,
    Results,
    Rule,
    Suspicion,
    Told,
    Trials,
)
from perflint.rules.registers import most_registers, static_shared
from perflint.sim.architecture import Architecture
from perflint.sim.floors import floor
from perflint.sim.tracers.unit_work import UnitWork

RULE = Rule(
    code="CU406",
    name="tail-effect",
    summary="A last wave of few blocks takes as long as a full one.",
    since="0.1.0",
    status="stable",
    tags=("performance", "cuda", "launch", "occupancy"),
    tracers=("Instruction", "UnitWork"),
    measures="waves of blocks",
    scope="blocks",
    claim="launch",
)

#: Share of all the waves' places that the last one leaves empty: Nsight Compute speaks of a tail
#: from a fifth of the kernel's time on.
LEAST_IDLE = 0.2
#: … and what no schedule spares, of the time of the multiprocessor with the most blocks.
LEAST_LOST = 0.05


@dataclass(frozen=True)
class Waves:
    """A launch, and how it fills the GPU."""

    launch: KnownLaunch
    held: int  #: blocks of a wave

    @property
    def number(self) -> int:
        return -(-self.launch.blocks // self.held)

    @property
    def exact(self) -> float:
        """Waves, the last one in part."""
        return self.launch.blocks / self.held

    @property
    def idle(self) -> float:
        """Of all the waves' places, those without a block."""
        return 1 - self.exact / self.number

    @property
    def count(self) -> bool:
        """Whether they are worth a word."""
        return self.number > 1 and self.idle >= LEAST_IDLE


def suspect(kernel: Kernel) -> Iterator[Suspicion]:
    launches = kernel.launches
    if not launches or any(each.assumed or None in each.grid for each in launches):
        return
    if not kernel.facts.loops:
        return
    largest = max(launches, key=lambda each: each.blocks * each.threads)
    least = _waves(kernel, largest, most_registers(kernel), static_shared(kernel))
    most = _waves(kernel, largest, 0, 0)
    step = kernel.arch.multiprocessors
    if not any(Waves(largest, n).count for n in range(least.held, most.held + 1, step)):
        return
    resources = kernel.resources()
    if resources is None:
        return
    waves = _waves(kernel, largest, resources.registers, resources.shared)
    if waves.count:
        yield Suspicion("launch", kernel, span=largest.span, about=waves)


def _waves(kernel: Kernel, launch: KnownLaunch, registers: int, shared: int) -> Waves:
    """The waves of a launch whose threads take so many registers, and its variables such bytes."""
    held = occupancy(kernel.arch, launch.threads, registers, (launch.shared or 0) + shared).blocks
    return Waves(launch, kernel.arch.multiprocessors * max(1, held))


def measure(suspicion: Suspicion, original: Trials, results: Results) -> Case:
    # as many waves as there are blocks for, the last one in part, is a matter of counting
    waves, kernel, trial = suspicion.about, suspicion.kernel, original[0]
    assert isinstance(waves, Waves) and kernel is not None
    launch = waves.launch
    if trial.run.launch.block != launch.block or trial.run.launch.grid != launch.grid:
        return nothing(suspicion, "another launch has such waves")
    each = min(t.run.warp_instructions / t.run.warps for t in original)
    reason = ""
    if any(loop.data_dependent for loop in kernel.facts.loops):
        reason = "how long its blocks run depends on data that is not known"
    elif not all(t.exact for t in original):
        reason = "how long its blocks run depends on arguments that are not known"
    bad = each >= LONG
    lost = _lost(launch.blocks, kernel.arch, trial.tracer(UnitWork))
    doubt = other_blocks(kernel, launch)
    if lost is not None and lost < LEAST_LOST:
        doubt = doubt or f"where blocks keep a multiprocessor's units busy, {lost:.1%} is lost"
    share = waves.idle if lost is None else lost
    shown = Figure(trial, waves.number, waves.exact, bad, share=share, detail=each)
    return Case(suspicion, (shown,), data=reason, doubt=doubt)


def _lost(blocks: int, arch: Architecture, work: UnitWork) -> float | None:
    """What is lost by whole blocks, of the time that the most of them take on a multiprocessor.

    None where the blocks that ran have not all the same to do.
    """
    if (work.counts != work.counts[0]).any():
        return None
    even = blocks / arch.multiprocessors
    return 1 - even / ceil(even)


def _proved(blocks: int, arch: Architecture, work: UnitWork) -> Iterator[str]:
    """What of the tail no schedule can avoid, where the simulated blocks are all alike."""
    if _lost(blocks, arch, work) is None:
        return
    found = floor(work.counts[0], arch)
    unit = max(found, key=lambda each: found[each], default="")
    even = blocks / arch.multiprocessors
    if not unit or not found[unit] or ceil(even) == even:
        return
    yield (
        f"proved of it: a multiprocessor takes {ceil(even)} blocks where {figure(even)} would be "
        f"its even share, at least {ceil(ceil(even) * found[unit]):,} cycles of the {UNITS[unit]} "
        f"for {ceil(even * found[unit]):,}"
    )


def describe(suspicion: Suspicion, decision: Decision) -> Told:
    waves, kernel = suspicion.about, suspicion.kernel
    assert isinstance(waves, Waves) and kernel is not None
    last = waves.launch.blocks - (waves.number - 1) * waves.held
    work = decision.shown.trial.tracer(UnitWork)
    lost = _lost(waves.launch.blocks, kernel.arch, work)
    told = f"{waves.idle:.0%} of the GPU's places stay empty"
    if lost is not None:
        told = f"at least {lost:.0%} of the time is lost, {waves.idle:.0%} if few run no faster"
    return Told(
        f"{waves.launch.blocks:,} blocks take {waves.number} waves of {waves.held:,}, the last one "
        f"with {last:,}: {told}",
        label=f"{figure(waves.exact)} waves take as long as {waves.number}",
        evidence=(Evidence("waves of blocks", waves.number, waves.exact, "waves"),),
        notes=(
            f"{kernel.arch.name} holds {waves.held:,} such blocks at a time",
            *_proved(waves.launch.blocks, kernel.arch, work),
        ),
        help="divide the work otherwise, so that the last wave is full, too: fewer blocks with "
        "several outputs a thread, computed side by side, or more blocks with less work each (a "
        "loop over shares of today's size takes as many turns as there are waves now)",
        severity=decision.shown.share,
    )
