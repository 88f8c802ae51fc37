"""## What it does
Finds launches of which a multiprocessor holds few warps at a time, and names what limits it: the
number of blocks, registers, or shared memory.

## Why it is slow
A multiprocessor hides latency by switching between the warps it holds. It holds at most so many
blocks, and only as many as there are registers and shared memory for. With blocks of 32 threads an
A100 holds 32 blocks, half of the threads it could.

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
from the GPU's description. The finding is confirmed if the grid has blocks enough to fill the GPU,
and either the number of blocks or the size of a block keeps at least half of the warps away that
other blocks would have with the same registers, or registers or shared memory leave a quarter or
less.

## When to ignore it
When the kernel keeps much in registers or shared memory on purpose, and its threads have enough
independent work to hide latency: the best matrix products run at an eighth.

## Options
None.

## References
- CUDA C++ Best Practices Guide, "Occupancy",
  https://docs.nvidia.com/cuda/cuda-c-best-practices-guide/#occupancy
- Nsight Compute, section "Occupancy": `Block Limit Registers`, `… Shared Mem`, `… SM`, `… Warps`
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from perflint.analysis.pressure import register_pressure
from perflint.rules.occupancy import WARP, Occupancy, occupancy
from perflint.rules.protocol import (
    REFUTED,
    Evidence,
    Judgement,
    Kernel,
    KnownLaunch,
    Results,
    Rule,
    Suspicion,
    Trials,
    Variant,
    Verdict,
)

RULE = Rule(
    code="CU405",
    name="occupancy-limit",
    summary="A multiprocessor holds few warps of a launch: registers, shared memory or blocks.",
    since="0.1.0",
    status="stable",
    tags=("performance", "cuda", "launch", "occupancy"),
)

#: Of the warps that a multiprocessor could hold: what a launch must not exceed where another size
#: of block would do, by a factor of two, …
SMALL_BLOCKS = 0.5
#: … and where registers or shared memory would have to be saved.
SCARCE = 0.25
#: Registers that ptxas allocates at most, as a multiple of what PTX keeps alive at once, and a few
#: for addresses: of 120 kernels of Rodinia, llm.c and cuda-samples the most was 1.3 times it.
ALLOCATED, SPARE = 1.5, 16


@dataclass(frozen=True)
class Limit:
    """A launch, and what a multiprocessor holds of it."""

    launch: KnownLaunch
    found: Occupancy
    registers: int
    shared: int
    better: int  #: threads of a block with which most warps would be held
    best: Occupancy


def suspect(kernel: Kernel) -> Iterator[Suspicion]:
    """The launches that hold few warps, unless others of the same kernel hold more: these differ
    in their blocks because somebody tries what is best.
    """
    shapes: dict[object, KnownLaunch] = {}
    for launch in kernel.launches:
        if not launch.assumed and None not in launch.grid:
            shapes.setdefault((launch.block, launch.shared), launch)
    found = [_limit(kernel, launch) for launch in shapes.values()]
    limits = [limit for limit in found if limit is not None]
    for limit in limits if len(limits) == len(found) else ():
        block = "x".join(map(str, limit.launch.block))
        yield Suspicion(f"block {block}", kernel, span=limit.launch.span, about=limit)


def _limit(kernel: Kernel, launch: KnownLaunch) -> Limit | None:
    threads = launch.threads
    variables = (*kernel.facts.module.variables.values(), *kernel.facts.kernel.variables)
    static = sum(v.size for v in variables if v.space == "shared")
    shared = (launch.shared or 0) + static
    if not _may_limit(kernel, launch, shared):
        return None
    resources = kernel.resources()
    if resources is None:
        return None
    registers, shared = resources.registers, (launch.shared or 0) + resources.shared
    found = occupancy(kernel.arch, threads, registers, shared)
    sizes = range(WARP, kernel.arch.max_threads_per_block + 1, WARP)
    tried = {
        n: occupancy(kernel.arch, n, registers, -(-shared * n // threads))
        for n in sizes
        if -(-shared * n // threads) <= kernel.arch.shared_per_block_optin
    }
    better = max(tried, key=lambda n: (tried[n].warps, -abs(n - 256)))
    return Limit(launch, found, registers, shared, better, tried[better])


def _may_limit(kernel: Kernel, launch: KnownLaunch, shared: int) -> bool:
    """Whether a launch may be limited: asked before ptxas is, which takes as long as NVRTC."""
    registers = ALLOCATED * register_pressure(kernel.facts.kernel) + SPARE
    limit = kernel.arch.max_registers_per_thread or 63
    least = occupancy(kernel.arch, launch.threads, min(limit, int(registers)), shared)
    fills = launch.blocks >= kernel.arch.multiprocessors * least.blocks
    return fills and least.share <= SMALL_BLOCKS


def variants(suspicion: Suspicion, original: Trials) -> tuple[Variant, ...]:
    return ()  # what would be held with another block or fewer registers is a matter of counting


def judge(suspicion: Suspicion, original: Trials, variants: Results) -> Judgement:
    limit, kernel, trial = suspicion.about, suspicion.kernel, original[0]
    assert isinstance(limit, Limit) and kernel is not None
    found, launch = limit.found, limit.launch
    if trial.run.launch.block != launch.block or found.blocks == 0:
        return REFUTED
    if launch.blocks < kernel.arch.multiprocessors * found.blocks:
        return REFUTED  # the launch does not even fill what there is
    other = found.share <= SMALL_BLOCKS and limit.best.warps >= 2 * found.warps
    scarce = found.limiter in ("registers", "shared memory") and found.share <= SCARCE
    if not other and not scarce:
        return REFUTED
    golden = limit.best.warps if other else found.most // 2
    return Judgement(
        Verdict.CONFIRMED,
        f"a multiprocessor holds {found.warps} of {found.most} warps of this launch: "
        f"{_why(limit, launch.threads)}",
        label=f"limited by {found.limiter}",
        evidence=(Evidence("warps of a multiprocessor", found.warps, golden, "warps"),),
        help=_help(limit, other),
        trial=trial,
        severity=1 - found.share,
    )


def _why(limit: Limit, threads: int) -> str:
    found = limit.found
    if found.limiter == "registers":
        return f"{limit.registers} registers a thread let it take {found.blocks} blocks"
    if found.limiter == "shared memory":
        return f"{limit.shared:,} bytes of shared memory a block let it take {found.blocks} blocks"
    return f"it takes at most {found.blocks} blocks, of {threads} threads here"


def _help(limit: Limit, other: bool) -> str:
    if other:
        return f"launch blocks of {limit.better} threads: {limit.best.warps} warps would be held"
    if limit.found.limiter == "registers":
        return (
            "keep fewer values at a time, or bound the registers with `__launch_bounds__` and see "
            "whether they are spilled"
        )
    return "use a smaller tile, or smaller elements in it"
