"""## What it does
Finds launches whose block size is not a multiple of 32, so that many lanes of the last warp of each
block are idle.

## Why it is slow
Blocks are cut into warps of 32 lanes. A block of 40 threads takes two warps, and 24 of their 64
lanes never do anything, yet take up registers and a place in every instruction.

## Example
```cuda
__global__ void scale(float *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] = 2.0f * data[i];
}

void launch(float *data) { scale<<<400, 40>>>(data, 16000); }
```

## Use instead
```cuda
__global__ void scale(float *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] = 2.0f * data[i];
}

void launch(float *data) { scale<<<63, 256>>>(data, 16000); }
```

## How it is confirmed
The launch is read from the source and a few of its blocks are run to their end. The golden
execution has a thread in every lane. The finding is confirmed if at least {MINIMUM_IDLE:%} of all
lanes are idle because the block has no thread for them, in a grid with at least one block per
multiprocessor: smaller grids have lanes to spare. What only few of a block's threads do, as where
all but one return, is as idle in whole warps and does not count. Of a grid that nothing tells,
sizes near 1,280 are tried. A fix has blocks of full warps for the same threads, where the grid can
be divided so; it is offered if it leaves the same bytes with fewer instructions issued, and moves
no more. It is a note where scattered lanes, conflicts or atomics keep the kernel busy however many
warps issue: on an H200 blocks of 128 in the place of 100 threads gained such kernels nothing
(docs/hardware.md); and so is a kernel that is launched once to set up what others work on.

## When to ignore it
When the problem dictates the block's shape: 10×10 threads for 10×10 unknowns, and no way to put
several of them into one block.

## Options
None.

## References
- CUDA C++ Best Practices Guide, "Thread and Block Heuristics",
  https://docs.nvidia.com/cuda/cuda-c-best-practices-guide/#thread-and-block-heuristics
- Yang, Xiang, Mantor, Zhou, "Fixing Performance Bugs: An Empirical Study of Open-Source GPGPU
  Programs", ICPP 2012, section V.B
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from perflint.rules.case import Case, Decision, Figure, nothing
from perflint.rules.function_tables import TURNS, calls_by_table
from perflint.rules.launch.full_warps import fuller
from perflint.rules.mending import mended
from perflint.rules.protocol import (
    Evidence,
    Kernel,
    KnownLaunch,
    Results,
    Rule,
    Suspicion,
    Told,
    Trial,
    Trials,
    Variant,
)
from perflint.sim.launch import Dim3
from perflint.sim.tracers.accesses import AccessCounter
from perflint.sim.tracers.instruction import Instruction

RULE = Rule(
    code="CU403",
    name="partial-warp-block",
    summary="The block size is not a multiple of 32, so many lanes are idle.",
    since="0.1.0",
    status="stable",
    tags=("performance", "cuda", "launch"),
    tracers=("Instruction", "AccessCounter"),
    measures="lanes of a block",
    scope="blocks",
    claim="launch",
    change="warps",
    on_chip=True,  # memory has the same sectors to move
)

WARP = 32
#: Share of lanes without a thread from which on it is worth a warning: 250 threads leave 2 %.
MINIMUM_IDLE = 0.10
#: Warps of which the grid's last block has fewer are those that most lanes are missing of.
EDGES = 1.05


def suspect(kernel: Kernel) -> Iterator[Suspicion]:
    """The launches with such blocks, unless others of the kernel have full warps: somebody tries
    what is best there.
    """
    seen: set[Dim3] = set()
    known = [launch for launch in kernel.launches if not launch.assumed]
    if not all(_is_partial(launch) for launch in known):
        return
    for launch in known:
        if launch.block in seen:
            continue
        if None not in launch.grid and launch.blocks < kernel.arch.multiprocessors:
            continue
        seen.add(launch.block)
        block = "x".join(map(str, launch.block))
        yield Suspicion(f"block {block}", kernel, span=launch.span, about=launch)


def _is_partial(launch: KnownLaunch) -> bool:
    lanes = -(-launch.threads // WARP) * WARP
    return lanes - launch.threads >= MINIMUM_IDLE * lanes


def measure(suspicion: Suspicion, original: Trials, results: Results) -> Case:
    # the golden execution, a thread in every lane, is a matter of counting
    trial = original[0]
    launch = trial.run.launch
    if launch.block != _about(suspicion).block:
        return nothing(suspicion, "another launch has such blocks")
    assert suspicion.kernel is not None
    if launch.block_count < suspicion.kernel.arch.multiprocessors:
        return nothing(suspicion, "the sizes tried make fewer blocks than the GPU runs at a time")
    threads, lanes = launch.threads_per_block, WARP * launch.warps_per_block
    executed = trial.tracer(Instruction).executed.values()
    warps, active = sum(e[0] for e in executed), sum(e[1] for e in executed)
    present = WARP * threads / lanes  #: of a warp's lanes, if all threads of the block are there
    missing = 1 - threads / lanes
    whole = sum(e[0] for e in executed if e[1] >= e[0] * present * (1 - MINIMUM_IDLE))
    bad = 0 < warps * MINIMUM_IDLE <= whole * missing and active <= EDGES * warps * present
    shown = Figure(trial, lanes, threads, bad, share=1 - threads / lanes)
    turns = TURNS if calls_by_table(suspicion.kernel) else ""
    return Case(suspicion, (shown,), doubt=turns or _picked(suspicion.kernel))


def _picked(kernel: Kernel) -> str:
    """Why a template's block is one of several; "" where all its instances have such blocks."""
    whole = (block for block in kernel.blocks_there if prod(block) % WARP == 0)
    if not any(whole):
        return ""
    return "other instances are launched there with whole warps, and the input says which"


def _about(suspicion: Suspicion) -> KnownLaunch:
    assert isinstance(suspicion.about, KnownLaunch)
    return suspicion.about


def cures(suspicion: Suspicion, decision: Decision) -> tuple[Variant, ...]:
    kernel = suspicion.kernel
    return fuller(kernel, _about(suspicion)) if kernel is not None else ()


def _moved(trial: Trial) -> float:
    """Sectors of global memory and wavefronts of shared memory."""
    return sum(count.measured for count in trial.tracer(AccessCounter).by_space.values())


def describe(suspicion: Suspicion, decision: Decision) -> Told:
    lanes, threads = int(decision.shown.measured), int(decision.shown.ideal)
    share = 1 - threads / lanes
    mend = mended(
        decision,
        "launch blocks of full warps",
        lambda trial: trial.run.warp_instructions,
        safe=False,
        beside=_moved,
    )
    return Told(
        f"the block size of {threads} is not a multiple of {WARP}: {lanes - threads} of {lanes} "
        "lanes are idle",
        label=f"{share:.0%} of all lanes are idle",
        evidence=(Evidence("lanes of a block", lanes, threads, "lanes"),),
        help=_help(suspicion.kernel),
        severity=share,
        fix=mend.fix,
        unfixed=mend.unfixed,
    )


def _help(kernel: Kernel | None) -> str:
    """Larger blocks; where a block is one index of the data, how threads come by theirs."""
    if kernel is None or any(f"%tid.{axis}" in kernel.facts.reads for axis in "xyz"):
        return (
            f"make the block size a multiple of {WARP}, such as 128 or 256, with a guard for the "
            "rest of the data"
        )
    return (
        "the kernel does not read threadIdx, so that all threads of a larger block would do the "
        f"same: let the threads of a block of {WARP} or more share what a block does now, or let "
        "each take what a block takes now (`blockIdx.x * blockDim.x + threadIdx.x` in the place of "
        "`blockIdx.x`, with a guard, in fewer blocks)"
    )
