"""## What it does
Finds launches with low occupancy, and names what limits it: the number of blocks, registers, or
shared memory.

## Why it is slow
A multiprocessor hides latency by switching between the warps it holds. How many blocks it holds is
limited, also by their registers and shared memory. With blocks of 32 threads an A100 holds 32
blocks, half of the threads it could.

## Example
```cuda
__global__ void scale(float *data)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    data[i] = 2.0f * data[i];
}

void launch(float *data) { scale<<<65536, 32>>>(data); }
```

## Use instead
```cuda
__global__ void scale(float *data)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    data[i] = 2.0f * data[i];
}

void launch(float *data) { scale<<<8192, 256>>>(data); }
```

## How it is confirmed
The launch is read from the source, registers and static shared memory from ptxas, and the limits
from the GPU's description. The finding is confirmed if the grid has enough blocks to fill the GPU,
and either at most {SMALL_BLOCKS:%} of the warps are resident and blocks of another size would
double that, or registers or shared memory limit it to {SCARCE:%} or less, while the warps that are
left do not hide the latency of a load from DRAM: from one turn's loads to the next a
scheduler's warps issue fewer instructions than that. Where they issue more, as in a matrix product
that keeps a tile in registers, it is a note.

Where the block's size is the limit, larger blocks for the same threads are offered as a fix.

## When to ignore it
When the kernel keeps much in registers or shared memory on purpose, and its threads have enough
independent work to hide latency: the fastest matrix products run at an occupancy of an eighth.

## Options
None.

## References
- CUDA C++ Best Practices Guide, "Occupancy",
  https://docs.nvidia.com/cuda/cuda-c-best-practices-guide/#occupancy
- Nsight Compute, section "Occupancy": `Block Limit Registers`, `… Shared Mem`, `… SM`, `… Warps`
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from math import prod

from perflint.base.records import dataclass
from perflint.rules.case import Case, Decision, Figure, nothing
from perflint.rules.few_warps import SCHEDULERS, WARP
from perflint.rules.launch.full_warps import fuller
from perflint.rules.launch.occupancy import REGISTERS, Occupancy, occupancy
from perflint.rules.mending import mended
from perflint.rules.protocol import (
    Evidence,
    Kernel,
    KnownLaunch,
    OtherLaunch,
    Results,
    Rule,
    SourceEdit,
    Suspicion,
    Told,
    Trial,
    Trials,
    Variant,
)
from perflint.rules.registers import most_registers, static_shared
from perflint.sim.architecture import Architecture
from perflint.sim.schedulers import Timing
from perflint.sim.tracers.instruction import Instruction

RULE = Rule(
    code="CU405",
    name="occupancy-limit",
    summary="Low occupancy: registers, shared memory or the block size limit resident warps.",
    since="0.1.0",
    status="stable",
    tags=("performance", "cuda", "launch", "occupancy"),
    claim="launch",
    tracers=("Instruction",),
    measures="warps of a multiprocessor",
)


#: Of the warps that a multiprocessor could hold: what a launch must not exceed where another size
#: of block would do, by a factor of two, …
SMALL_BLOCKS = 0.5
#: … and where registers or shared memory would have to be saved.
SCARCE = 0.25
#: Registers of a thread are rounded up to a multiple of it (`rules.occupancy.REGISTERS` a warp).
PIECE = REGISTERS // WARP


@dataclass(frozen=True)
class Limit:
    """A launch, and what a multiprocessor holds of it."""

    launch: KnownLaunch
    found: Occupancy
    registers: int
    shared: int
    better: int  #: threads of a block with which most warps would be held
    best: Occupancy
    fills: bool  #: whether the grid has blocks for all multiprocessors

    @property
    def other(self) -> bool:
        """Whether blocks of another size would do much better."""
        return self.found.share <= SMALL_BLOCKS and self.best.warps >= 2 * self.found.warps

    @property
    def scarce(self) -> bool:
        """Whether registers or shared memory leave little."""
        limiter = self.found.limiter in ("registers", "shared memory")
        return limiter and self.found.share <= SCARCE

    @property
    def counts(self) -> bool:
        """Whether it is worth a word."""
        return self.fills and self.found.blocks > 0 and (self.other or self.scarce)


def suspect(kernel: Kernel) -> Iterator[Suspicion]:
    """The launches that hold few warps, unless others of the same kernel hold more: these differ
    in their blocks because somebody tries what is best.
    """
    shapes: dict[object, KnownLaunch] = {}
    for launch in kernel.launches:
        if not launch.assumed and None not in launch.grid:
            shapes.setdefault((launch.block, launch.shared), launch)
    least = [_least(kernel, launch) for launch in shapes.values()]
    if not all(each.fills and each.found.share <= SMALL_BLOCKS for each in least):
        return
    # ptxas takes as long as NVRTC, and longer for large kernels: it is asked if it must be
    resources = kernel.resources() if any(_may_count(kernel, each) for each in least) else None
    if resources is None:
        return
    for launch in shapes.values():
        shared = (launch.shared or 0) + resources.shared
        limit = _held(kernel.arch, launch, resources.registers, shared)
        block = "x".join(map(str, launch.block))
        yield Suspicion(f"block {block}", kernel, span=launch.span, about=limit)


def _least(kernel: Kernel, launch: KnownLaunch) -> Limit:
    """What is held of a launch at least, going by the registers that ptxas comes to at most."""
    shared = (launch.shared or 0) + static_shared(kernel)
    return _held(kernel.arch, launch, most_registers(kernel), shared)


def _may_count(kernel: Kernel, least: Limit) -> bool:
    """Whether a launch may be worth a word, with any number of registers up to the most."""
    numbers = range(PIECE, least.registers + PIECE, PIECE)
    return any(_held(kernel.arch, least.launch, n, least.shared).counts for n in numbers)


def _held(arch: Architecture, launch: KnownLaunch, registers: int, shared: int) -> Limit:
    """What a multiprocessor holds of a launch whose threads take so many registers."""
    threads = launch.threads
    found = occupancy(arch, threads, registers, shared)
    sizes = range(WARP, arch.max_threads_per_block + 1, WARP)
    tried = {
        n: occupancy(arch, n, registers, -(-shared * n // threads))
        for n in sizes
        if -(-shared * n // threads) <= arch.shared_per_block_optin
    } or {threads: found}  # a warp's share alone is too much: no block can be launched
    better = max(tried, key=lambda n: (tried[n].warps, -abs(n - 256)))
    fills = launch.blocks >= arch.multiprocessors * found.blocks
    return Limit(launch, found, registers, shared, better, tried[better], fills)


def measure(suspicion: Suspicion, original: Trials, results: Results) -> Case:
    # what would be held with another block or fewer registers is a matter of counting
    limit, trial = suspicion.about, original[0]
    assert isinstance(limit, Limit)
    if trial.run.launch.block != limit.launch.block:
        return nothing(suspicion, "another launch has such blocks")
    found = limit.found
    golden = limit.best.warps if limit.other else found.most // 2
    shown = Figure(trial, found.warps, golden, limit.counts, share=1 - found.share)
    hidden = found.warps / SCHEDULERS * _between_waits(trial)
    doubt = (
        f"the {found.warps} warps issue {hidden:,.0f} instructions per scheduler while one of them "
        "waits for memory, which hides its latency"
    )
    return Case(suspicion, (shown,), doubt="" if limit.other or hidden < Timing.miss else doubt)


def _between_waits(trial: Trial) -> float:
    """Instructions that a warp issues from one wait for global memory to the next, on average.

    Loads of one loop's turn, or in no loop, are taken to be under way together.
    """
    executed = trial.tracer(Instruction).executed
    turns: dict[int | None, int] = {}
    for site in trial.facts.sites:
        if site.space == "global" and site.kind == "load":
            around = [loop for loop in trial.facts.loops if site.pcs[0] in loop.pcs]
            inner = min(around, key=lambda loop: len(loop.pcs), default=None)
            made = max(executed[pc][0] if pc in executed else 0 for pc in site.pcs)
            header = inner.header if inner is not None else None
            turns[header] = max(turns.get(header, 0), made)
    return trial.run.warp_instructions / max(1, sum(turns.values()))


def cures(suspicion: Suspicion, decision: Decision) -> tuple[Variant, ...]:
    """Larger blocks for the same threads, where small ones are the limit."""
    kernel, limit = suspicion.kernel, suspicion.about
    assert isinstance(limit, Limit)
    if kernel is None or not limit.other:
        return ()
    least = 2 * limit.launch.threads
    return tuple(
        each
        for each in fuller(kernel, limit.launch)
        if isinstance(each, OtherLaunch) or _threads(each) >= least
    )


def _threads(variant: Variant) -> int:
    """Threads of the blocks that an edited launch has."""
    block = variant.launch.block if isinstance(variant, SourceEdit) else None
    return prod(block or ())


def _idle_places(kernel: Kernel, limit: Limit, trial: Trial) -> float:
    """Warps that a multiprocessor could hold more of, with a trial's blocks."""
    threads = trial.run.launch.threads_per_block
    shared = -(-limit.shared * threads // limit.launch.threads)
    return limit.found.most - occupancy(kernel.arch, threads, limit.registers, shared).warps


def describe(suspicion: Suspicion, decision: Decision) -> Told:
    limit, golden = suspicion.about, decision.shown.ideal
    assert isinstance(limit, Limit)
    found, kernel = limit.found, suspicion.kernel
    assert kernel is not None
    mend = mended(
        decision, "launch larger blocks", partial(_idle_places, kernel, limit), safe=False
    )
    return Told(
        f"occupancy is {found.warps} of {found.most} warps per multiprocessor: "
        f"{_why(limit, limit.launch.threads)}",
        label=f"limited by {found.limiter}",
        evidence=(Evidence("warps of a multiprocessor", found.warps, golden, "warps"),),
        help=_help(limit),
        severity=1 - found.share,
        fix=mend.fix,
        unfixed=mend.unfixed,
    )


def _why(limit: Limit, threads: int) -> str:
    found = limit.found
    if found.limiter == "registers":
        return f"limited to {_blocks(found)} by {limit.registers} registers per thread"
    if found.limiter == "shared memory":
        return f"limited to {_blocks(found)} by {limit.shared:,} bytes of shared memory per block"
    return f"at most {_blocks(found)}, of {threads} threads each"


def _blocks(found: Occupancy) -> str:
    return f"{found.blocks} resident block{'' if found.blocks == 1 else 's'}"


def _help(limit: Limit) -> str:
    if limit.other:
        return (
            f"launch blocks of {limit.better} threads: {limit.best.warps} warps would be resident"
        )
    if limit.found.limiter == "registers":
        return (
            "keep fewer values live at a time, or cap the registers with `__launch_bounds__` and "
            "check that nothing is spilled"
        )
    return "use a smaller tile, or smaller elements in it"
