"""## What it does
Finds accesses that are fine on one of the GPUs asked for with `--arch`, and bad on another.

## Why it is slow
GPUs differ in how many banks shared memory has, how many lanes it serves at a time, and in what
their memory controllers can put together. A tile 17 elements wide that blocks of 16×16 threads read
by columns is free of conflicts where 16 banks serve half a warp at a time, but not where 32 banks
serve a whole warp. Code that was tuned for one GPU may be slow on the next for that reason.

## Example
```cuda
// perflint --arch sm_10 --arch sm_80
__global__ void reverse(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[n - 1 - i];
}

void launch(float *out, const float *in) { reverse<<<64, 256>>>(out, in, 16384); }
```

## Use instead
```cuda
// perflint --arch sm_10 --arch sm_80
__global__ void reverse(float *out, const float *in, int n)
{
    __shared__ float tile[256];
    tile[threadIdx.x] = in[n - (blockIdx.x + 1) * 256 + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * 256 + threadIdx.x] = tile[255 - threadIdx.x];
}

void launch(float *out, const float *in) { reverse<<<64, 256>>>(out, in, 16384); }
```

## How it is confirmed
The requests of the access are recorded in a simulation, and counted again under the rules of each
GPU: wavefronts of shared memory by its banks, and bytes of the transactions of global memory by its
coalescing (compute capability 1.0, 1.2, 2.x and sectors). It is fine where it takes at most {FINE}
times what it needs, and bad where it takes at least {BAD.shared} times (shared) or {BAD.global}
times (global) that. The finding is reported for the GPU that it is bad on, if its requests are at
least {MIN_WASTE} of the kernel's to that memory. Addresses that depend on loaded data are left out.

## When to ignore it
When the GPU on which it is bad does not matter.

## Options
`--arch`, given several times.

## References
- CUDA C Programming Guide 4.2, appendix F: compute capabilities 1.x to 3.x,
  https://docs.nvidia.com/cuda/archive/9.0/cuda-c-programming-guide/#compute-capabilities
- Yang, Xiang, Mantor, Zhou, "Fixing Performance Bugs: An Empirical Study of Open-Source GPGPU
  Programs", ICPP 2012, section V.C
- Rosen, "A Visual Approach to Investigating Shared and Global Memory Behavior of CUDA Kernels",
  Computer Graphics Forum 32(3), 2013, section 6
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from perflint.analysis.model import AccessSite
from perflint.base.english import listed
from perflint.rules.case import Case, Decision, Figure, nothing
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
    site_suspicion,
)
from perflint.rules.shared_layouts import cost
from perflint.sim import coalescing
from perflint.sim.architecture import Architecture
from perflint.sim.tracers.requests import GlobalRequests, Requests, SharedRequests

RULE = Rule(
    code="CU801",
    name="architecture-dependent-access",
    summary="An access is fine on one of the GPUs asked for, and bad on another.",
    since="0.1.0",
    status="stable",
    tags=("performance", "cuda", "memory", "portability"),
    tracers=("GlobalRequests", "SharedRequests"),
)

FINE = 1.25  #: times what it needs that an access takes at most where it is fine …
BAD = {"shared": 1.5, "global": 2.0}  #: … and at least where it is bad, as for CU201 and CU101


def suspect(kernel: Kernel) -> Iterator[Suspicion]:
    rules = {(each.shared_rule, each.coalescing_rule) for each in kernel.targets}
    if len(rules) < 2:
        return
    for site in kernel.facts.sites:
        known = site.space in BAD and site.kind != "atomic" and not site.loaded_address
        if known and site.uniformity != "uniform":
            yield site_suspicion(kernel, site)


def measure(suspicion: Suspicion, original: Trials, results: Results) -> Case:
    # the other GPUs' rules are applied to the requests of the original's run
    site, kernel = suspicion.site, suspicion.kernel
    assert kernel is not None
    trials = [trial for trial in original if not trial.identity]
    here = [(t, n) for t in trials if (n := _needed(site, t, kernel.arch)) is not None]
    fine = tuple(
        each
        for each in kernel.targets
        if each.name != kernel.arch.name
        and all(_ratio(_needed(site, t, each)) <= FINE for t in trials)
    )
    if len(here) < len(trials):
        return nothing(suspicion, "no simulated warp reached it with some of the values tried")
    if not fine:
        return nothing(suspicion, "it is fine on no GPU that was asked for")
    here.sort(key=lambda each: -_ratio(each[1]))
    assumed = any(launch.assumed for launch in kernel.launches)
    return Case(
        suspicion,
        tuple(
            Figure(
                trial,
                *found,
                _ratio(found) >= BAD[site.space],
                share=_share(site, trial),
                detail=fine,
            )
            for trial, found in here
        ),
        assumed="no launch was found, and another block shape may do better" if assumed else "",
        small="it is {share:.1%} of the kernel's requests",
    )


def describe(suspicion: Suspicion, decision: Decision) -> Told:
    site, kernel, shown = suspicion.site, suspicion.kernel, decision.shown
    assert kernel is not None and isinstance(shown.detail, tuple)
    taken, needed = shown.measured, shown.ideal
    unit = "wavefronts" if site.space == "shared" else "bytes"
    names = listed([each.name for each in shown.detail])
    preposition = "from" if site.kind == "load" else "to"
    array = kernel.names.array(site)
    return Told(
        f"{site.kind} {preposition} {array} is fine on {names}, but takes {figure(taken)} {unit} "
        f"per request on {kernel.arch.name} where {figure(needed)} would do",
        label=f"bad on {kernel.arch.name} only",
        evidence=(Evidence(f"{unit} per request", taken, needed, unit),),
        help=_help(site.space, array, kernel.arch),
        fault=f"{array} architecture",
        severity=taken / needed,
    )


def _requests(site: AccessSite, trial: Trial) -> list[Requests]:
    tracer = trial.tracer(SharedRequests if site.space == "shared" else GlobalRequests)
    return [found for pc in site.pcs if (found := tracer.requests.get(pc)) is not None]


def _needed(site: AccessSite, trial: Trial, arch: Architecture) -> tuple[float, float] | None:
    """(taken, needed) of a site's requests on a GPU, on average; None if there were none.

    Wavefronts of shared memory; bytes that are moved of global memory, full warps alone.
    """
    requests = _requests(site, trial)
    if site.space == "shared":
        count = sum(len(each.mask) for each in requests)
        found = cost(requests, arch.shared_rule)
        return (found.measured / count, found.golden / count) if count else None
    moved = useful = count = 0
    for each in requests:
        full = each.mask.all(axis=1)
        if not full.any():
            continue
        found_here = coalescing.transactions(
            arch.coalescing_rule, each.mask[full], each.offset[full], each.size
        )
        moved += int(found_here.bytes.sum())
        useful += _distinct_bytes(each.offset[full], each.size)
        count += int(np.count_nonzero(full))
    return (moved / count, useful / count) if count else None


def _distinct_bytes(offset: np.ndarray, size: int) -> int:
    """Bytes that some requests need, each counted once a request, in whole sectors."""
    different = (np.diff(np.sort(offset, axis=1), axis=1) != 0).sum(axis=1) + 1
    needed = -(-different * size // coalescing.SECTOR) * coalescing.SECTOR
    return int(needed.sum())


def _ratio(found: tuple[float, float] | None) -> float:
    return float("inf") if found is None else found[0] / max(1.0, found[1])


def _share(site: AccessSite, trial: Trial) -> float:
    """The part of the kernel's requests to that space that are the site's."""
    requests = trial.run.requests
    everything = [s for s in trial.facts.sites if s.space == site.space]
    return _count(requests, [site]) / max(1, _count(requests, everything))


def _count(requests: dict[int, int], sites: Sequence[AccessSite]) -> int:
    return sum(requests.get(pc, 0) for each in sites for pc in each.pcs)


def _help(space: str, array: str, arch: Architecture) -> str:
    if space == "shared":
        return (
            f"choose the row length of {array} for {arch.banks} banks and a whole warp (CU201 says "
            "which), or choose it by `__CUDA_ARCH__`"
        )
    return (
        f"let lane k read element k of an aligned run of {array}, which every GPU serves at once, "
        "and reorder in shared memory or registers"
    )
