"""## What it does
Finds arrays in global memory of which the threads of a block load the same bytes repeatedly, so
that shared memory could hold them: stencils, sliding windows, rows and columns of matrices.

## Why it is slow
Every one of these loads is a request to the cache, with its latency and its share of the cache's
bandwidth, and to memory whenever the cache has lost the line by then. A tile in shared memory is
loaded once per block, in one coalesced pass.

## Example
```cuda
__global__ void smooth(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n - 4)
        out[i] = 0.2f * (in[i] + in[i + 1] + in[i + 2] + in[i + 3] + in[i + 4]);
}

void launch(float *out, const float *in) { smooth<<<64, 256>>>(out, in, 16384); }
```

## Use instead
```cuda
__global__ void smooth(float *out, const float *in, int n)
{
    __shared__ float tile[256 + 4];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = in[i];
    if (threadIdx.x < 4)
        tile[256 + threadIdx.x] = in[i + 256];
    __syncthreads();
    float *t = tile + threadIdx.x;
    out[i] = 0.2f * (t[0] + t[1] + t[2] + t[3] + t[4]);
}

void launch(float *out, const float *in) { smooth<<<63, 256>>>(out, in, 16384); }
```

## How it is confirmed
A few blocks are run to their end. The bytes that the requests of a block ask for, each counted once
per request, are compared with the distinct bytes among them: the golden execution loads each once.
The array is a candidate if the kernel only reads it, each of its bytes is requested at least
{LEAST_REUSE} times on average, and the repetitions are at least {FLOOR:%} of all that the kernel
asks of global memory. What all threads read alike is left to CU501, and values that one thread
loads again to CU106. It is a note, and a warning where {LEAST_TOLD} times as many bytes are
requested of it as the block loads distinct ones of all arrays, or for GPUs that have no L1 for
global memory, as those before Fermi: an L1 that has 128 bytes a cycle takes longer for so many
requests than memory for the distinct bytes, of which it has some 10 a cycle for each
multiprocessor.

## When to ignore it
When `profile` shows that L1 has the bytes each time, and its bandwidth is not the bottleneck. On
most GPUs since Fermi the cache does well for small stencils.

## Options
None.

## References
- CUDA C++ Programming Guide, "Shared Memory"
- CUDA C++ Best Practices Guide, "Shared Memory in Matrix Multiplication (C=AB)",
  https://docs.nvidia.com/cuda/cuda-c-best-practices-guide/#shared-memory-in-matrix-multiplication-c-ab
- Yang, Xiang, Mantor, Zhou, "Fixing Performance Bugs: An Empirical Study of Open-Source GPGPU
  Programs", ICPP 2012, sections V.A.2, figure 3c, and V.B
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from perflint.analysis.model import AccessSite, KernelFacts
from perflint.analysis.polynomial import Polynomial
from perflint.analysis.symbols import Loop, Parameter
from perflint.base.records import dataclass
from perflint.rules.case import Case, Decision, Figure
from perflint.rules.measure import figure
from perflint.rules.protocol import (
    Evidence,
    Kernel,
    Results,
    Rule,
    Suspicion,
    Told,
    Trial,
    Trials,
)
from perflint.rules.steady import tells_of_accesses
from perflint.sim.tracers.block_reuse import WORD, BlockReuse

RULE = Rule(
    code="CU109",
    name="shared-reuse-candidate",
    summary="The threads of a block load the same bytes of global memory repeatedly.",
    since="0.1.0",
    status="stable",
    level="note",
    tags=("performance", "cuda", "memory", "global-memory", "shared-memory", "reuse"),
    tracers=("BlockReuse",),
    measures="bytes loaded by a block",
    scope="blocks",
    prefix=True,
    floor=0.4,  # of what the kernel asks of global memory, that loading each byte once saves
    yields_to=("CU101", "CU102", "CU104", "CU106", "CU302", "CU503", "CU906"),
)

#: Bytes asked for by distinct ones, from which on a tile pays for its barrier.
LEAST_REUSE = 2.0
#: … by the distinct bytes of all arrays, from which on L1 takes longer for them than memory.
LEAST_TOLD = 20.0


@dataclass(frozen=True)
class _Reuse:
    """What the blocks of one trial load from an array."""

    trial: Trial
    requested: float  #: bytes a block
    distinct: float
    brought: float  #: distinct bytes that a block loads of all arrays
    share: float  #: of all bytes asked for, what is asked for again

    @property
    def bad(self) -> bool:
        return self.requested >= LEAST_REUSE * self.distinct


def suspect(kernel: Kernel) -> Iterator[Suspicion]:
    arrays: dict[int, list[AccessSite]] = {}
    for site in kernel.facts.sites:
        index = site.array.parameter
        if index is not None and site.may_be_global and site.kind == "load":
            arrays.setdefault(index, []).append(site)
    for index, sites in arrays.items():
        if index not in kernel.facts.written_parameters and _may_reuse(kernel.facts, sites):
            pcs = tuple(sorted(pc for site in sites for pc in site.pcs))
            yield Suspicion(f"reuse of parameter {index}", kernel, pcs, tuple(sites))


def _may_reuse(facts: KernelFacts, sites: Sequence[AccessSite]) -> bool:
    """Whether threads may load each other's bytes, by what is known before a run."""
    if any(site.loaded_address or site.size < WORD for site in sites):
        return False
    if all(site.uniformity == "uniform" for site in sites):
        return False
    if any(_overlaps_by_chance(facts, site) for site in sites) or _are_own(sites):
        return False
    several = sum(len(site.pcs) for site in sites) > 1
    looped = any(site.loop_depth for site in sites)
    axes = [axis for axis in "xyz" if f"%tid.{axis}" in facts.reads]
    still = any(
        (stride := site.strides.get(axis)) is not None and stride.constant == 0
        for site in sites
        for axis in axes
    )
    return several or looped or still


def _are_own(sites: Sequence[AccessSite]) -> bool:
    """Whether one access repeats elements of each thread's own alone: a loop does not change it.

    Its elements lie side by side over the threads, and other loops step by whole rows.
    """
    places = {site.location for site in sites}
    return len(places) == 1 and all(
        site.address is not None
        and site.strides.get("x") == Polynomial(site.size)
        and site.loop_depth > len(loops := [a for a in site.address.atoms if isinstance(a, Loop)])
        and all(site.address.coefficient_of(loop).constant is None for loop in loops)
        for site in sites
    )


def _overlaps_by_chance(facts: KernelFacts, site: AccessSite) -> bool:
    """Whether an address has strides of its own for several indices, as tensors have them.

    What is invented for these makes rows lie on each other.
    """
    if site.address is None:
        return False
    factors = {atom.index for atom in site.address.atoms if isinstance(atom, Parameter)}
    return len(factors) > 1 and bool(factors & facts.free_strides)


def measure(suspicion: Suspicion, original: Trials, results: Results) -> Case:
    # the golden execution, each byte once, is counted in the original's run
    found = [reuse for trial in original if (reuse := _measure(suspicion, trial)) is not None]
    return Case(
        suspicion,
        tuple(
            Figure(r.trial, r.requested, r.distinct, r.bad, share=r.share, detail=r) for r in found
        ),
        data=_by_data(original[0].facts, suspicion.sites),
        doubt=_laid_by_chance(suspicion.sites, [r.trial for r in found]),
        small="it is {share:.1%} of what the kernel asks of global memory",
    )


def _by_data(facts: KernelFacts, sites: Sequence[AccessSite]) -> str:
    """What speaks against a number of loads that data alone say: walks until a value is found."""
    pcs = {pc for site in sites for pc in site.pcs}
    around = [loop for loop in facts.loops if not pcs.isdisjoint(loop.pcs)]
    if around and all(loop.data_dependent for loop in around):
        return "loaded data say how often its loop turns, and so what is loaded again"
    return ""


def _laid_by_chance(sites: Sequence[AccessSite], trials: Sequence[Trial]) -> str:
    """What speaks against rows that lie on each other by what is invented for a tensor's strides.

    These are fields of a struct that is passed by value, one for each index.
    """
    for trial in trials:
        parameters = trial.facts.kernel.parameters
        for site in sites:
            products = site.address.terms if site.address is not None else ()
            fields = {
                (a.index, a.offset)
                for product in products
                if len(product) > 1  # neither the pointer nor a bound of the loops is a stride
                for a in product
                if isinstance(a, Parameter) and parameters[a.index].dimensions
            }
            if len(fields) > 1 and fields - trial.fields:
                return "its rows lie apart by fields of a struct, which nothing tells"
    return ""


def describe(suspicion: Suspicion, decision: Decision) -> Told:
    kernel, worst = suspicion.kernel, decision.shown.detail
    assert kernel is not None and isinstance(worst, _Reuse)
    array = kernel.names.array(suspicion.site)
    times = figure(worst.requested / worst.distinct)
    seen = "" if worst.trial.complete else ", in the turns that were run"  # the rest goes on so
    often = worst.requested >= LEAST_TOLD * worst.brought
    cached = (
        "L1 takes longer for so many requests than memory for the distinct bytes"
        if often
        else "L1 may serve the repetitions: their number says nothing about the time they take"
    )
    uncached = f"{kernel.arch.name} has no L1 for global memory: each repetition goes to DRAM"
    return Told(
        f"the threads of a block load each byte of {array} {times} times: {worst.requested:.0f} "
        f"bytes requested where {worst.distinct:.0f} are distinct{seen}",
        label=f"repeated: {worst.share:.0%} of the bytes that the kernel requests of global memory",
        evidence=(Evidence("bytes loaded by a block", worst.requested, worst.distinct, "bytes"),),
        notes=(cached if kernel.arch.l1 is not None else uncached,),
        help=_help(suspicion.sites, array),
        fault=f"reuse of {array}",
        severity=worst.share,
        level="warning" if often or kernel.arch.l1 is None else "note",
    )


def _measure(suspicion: Suspicion, trial: Trial) -> _Reuse | None:
    """What a block loads from the array; None where the run does not tell."""
    reuse = trial.tracer(BlockReuse)
    regions = {reuse.regions[pc] for pc in suspicion.pcs if pc in reuse.regions}
    if _is_redundant(trial):
        return None
    if len(regions) != 1 or not tells_of_accesses(trial, suspicion.pcs) or not reuse.total:
        return None
    region = regions.pop()
    distinct = reuse.distinct.get(region, 0)
    if region in reuse.far or not distinct:
        return None
    requested = sum(reuse.requested.get(pc, 0) for pc in suspicion.pcs)
    blocks = len(trial.run.blocks.indices)
    share = (requested - distinct) / reuse.total
    brought = sum(reuse.distinct.values())
    return _Reuse(trial, requested / blocks, distinct / blocks, brought / blocks, share)


def _is_redundant(trial: Trial) -> bool:
    """Whether threads differ along an axis that the kernel never reads: they all do the same."""
    extents = zip("xyz", trial.run.launch.block, strict=True)
    return any(n > 1 and f"%tid.{axis}" not in trial.facts.reads for axis, n in extents)


def _help(sites: Sequence[AccessSite], array: str) -> str:
    """How shared memory would hold what is loaded again."""
    if any(site.loop_depth for site in sites):
        return (
            f"let the block load a tile of {array} into shared memory, neighbouring threads "
            "neighbouring elements, and work on it tile by tile, with barriers in between; what "
            "several outputs need alike a thread can keep in registers"
        )
    return (
        f"let the block load its part of {array} with the halo around it into shared memory once, "
        "and read the neighbours from there after a barrier"
    )
