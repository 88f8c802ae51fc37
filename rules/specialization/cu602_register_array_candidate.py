"""## What it does
Finds arrays in shared memory of which each thread uses only a slice of its own.

## Why it is slow
Shared memory is for passing values between threads. What only its own thread reads belongs in
registers: reading them costs no instruction and no wait, and the freed shared memory lets more
blocks run at a time.

## Example
```cuda
#define N 4

__global__ void smooth(float *out, const float *in)
{
    __shared__ float window[N][256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < N; k++)
        window[k][threadIdx.x] = in[k * 16384 + i];
    float sum = 0.0f;
    for (int k = 0; k < N; k++)
        sum += window[k][threadIdx.x] * window[N - 1 - k][threadIdx.x];
    out[i] = sum;
}

void launch(float *out, const float *in) { smooth<<<64, 256>>>(out, in); }
```

## Use instead
```cuda
template <int n> __global__ void smooth(float *out, const float *in)
{
    float window[n];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < n; k++)
        window[k] = in[k * 16384 + i];
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += window[k] * window[n - 1 - k];
    out[i] = sum;
}

void launch(float *out, const float *in) { smooth<4><<<64, 256>>>(out, in); }
```
The loops must have bounds that the compiler knows, so that it unrolls them and every index is a
constant: otherwise the array lives in local memory (CU107).

## How it is confirmed
Blocks are run to their end, and each byte of the array turns out to be touched by one thread of its
block alone, in every launch tried, by most threads of the block. The addresses must be formulas of
the thread index, the launch's arguments and loop counters: a slice that is indexed by loaded data
cannot stay in registers. It may take at most {MOST_BYTES} bytes per thread, and its accesses must
be at least {MIN_WASTE} of what the kernel's warps issue. The golden execution makes none of them.

Where the thread's index is written alike at every use, or each walks its rows in equal steps
(`tile[threadIdx.y + i]`), the array is made a local one, compiled and run beside the original: with
the same bytes in memory and fewer accesses it is the finding's fix.

## When to ignore it
When registers limit the kernel, or its values are kept in shared memory on purpose.

## Options
None.

## References
- CUDA C++ Best Practices Guide, "Registers" and "Shared Memory"
- Yang, Xiang, Mantor, Zhou, "Fixing Performance Bugs: An Empirical Study of Open-Source GPGPU
  Programs", ICPP 2012, section V.E, figures 17 and 18
"""

from __future__ import annotations

from collections.abc import Iterator

from perflint.analysis.model import AccessSite
from perflint.analysis.symbols import LANES
from perflint.rules.case import Case, Decision, Figure, nothing
from perflint.rules.measure import counted
from perflint.rules.mending import mended, tries
from perflint.rules.protocol import (
    Edit,
    Evidence,
    Kernel,
    Results,
    Rule,
    Suspicion,
    Told,
    Trial,
    Trials,
    Variant,
)
from perflint.rules.shared_declarations import declaration_of
from perflint.rules.specialization.own_slices import slice_edits
from perflint.sim.tracers.arrivals import Arrivals
from perflint.sim.tracers.exchange import Exchange, Own
from perflint.sim.tracers.instruction import Instruction

RULE = Rule(
    code="CU602",
    name="register-array-candidate",
    summary="Each thread uses only its own slice of an array in shared memory.",
    since="0.1.0",
    status="stable",
    tags=("performance", "cuda", "shared-memory", "registers"),
    tracers=("Arrivals", "Exchange", "Instruction"),
    measures="shared accesses per warp",
    scope="blocks",
    whole=True,
    launches="all",
)

#: Bytes of a slice that fit into registers.
MOST_BYTES = 128
#: Accesses of shared memory that one of local memory counts as: that may go as far as DRAM.
LOCAL = 32


def suspect(kernel: Kernel) -> Iterator[Suspicion]:
    arrays: dict[str, list[AccessSite]] = {}
    for site in kernel.facts.sites:
        if site.space == "generic":
            return  # it might be shared memory
        if site.space == "shared":
            if site.array.kind != "variable":
                return
            arrays.setdefault(site.array.name, []).append(site)
    for name, sites in arrays.items():
        kinds = {site.kind for site in sites}
        known = all(None not in site.addresses and not site.loaded_address for site in sites)
        varies = any(site.uniformity != "uniform" for site in sites)
        together = any(_is_touched_together(kernel, site) for site in sites)
        if "store" in kinds and "atomic" not in kinds and known and varies and not together:
            pcs = tuple(sorted(pc for site in sites for pc in site.pcs))
            sites.sort(key=lambda site: (-site.loop_depth, site.kind, site.pcs))
            yield Suspicion(f"slices of {name}", kernel, pcs, tuple(sites))


def _is_touched_together(kernel: Kernel, site: AccessSite) -> bool:
    """Whether threads that are neighbours along an axis of some launch's block touch one byte."""
    still = {a for a, step in site.strides.items() if step is not None and step.constant == 0}
    blocks = [dict(zip("xyz", launch.block, strict=True)) for launch in kernel.launches]
    if any(guard.depends & LANES for guard in site.guards):
        return False  # perhaps but one of them comes here
    return any(block[axis] > 1 for block in blocks for axis in still)


def measure(suspicion: Suspicion, original: Trials, results: Results) -> Case:
    # in the golden execution there are no such accesses
    kernel, trial = suspicion.kernel, original[0]
    assert kernel is not None
    for each in original:
        if why := _is_shared(suspicion, each):
            return nothing(suspicion, why)
    if any(not _is_reached(site, original) for site in suspicion.sites):
        return nothing(suspicion, "no run came to all of its accesses")
    executed = trial.tracer(Instruction).executed
    accesses = sum(executed[pc][0] for pc in suspicion.pcs if pc in executed)
    share = accesses / max(1, trial.run.warp_instructions)
    own = trial.tracer(Exchange).own(suspicion.pcs)
    came = max(1, trial.tracer(Arrivals).warps(suspicion.pcs))
    shown = Figure(trial, accesses / came, 0.0, True, share=share, detail=own)
    assumed = any(launch.assumed for launch in kernel.launches)
    template = kernel.function is None or kernel.function.template
    return Case(
        suspicion,
        (shown,),
        assumed="another block shape might share it, and no launch was found" if assumed else "",
        doubt="another instance of the template may share it" if template else "",
    )


def _is_reached(site: AccessSite, trials: Trials) -> bool:
    return any(trial.run.requests.get(pc) for trial in trials for pc in site.pcs)


def _is_shared(suspicion: Suspicion, trial: Trial) -> str:
    """Why a run does not show that each thread has a slice of its own; "": it does."""
    own = trial.tracer(Exchange).own(suspicion.pcs)
    most = trial.run.launch.threads_per_block
    if own is None or not own.own:
        return "threads use each other's elements"
    if not trial.complete:
        return "the run was cut short"
    if 2 * own.threads <= most or most == 1:
        return "few threads use it"
    return f"{own.bytes} bytes do not fit into registers" if own.bytes > MOST_BYTES else ""


def cures(suspicion: Suspicion, decision: Decision) -> tuple[Variant, ...]:
    """The array as a local one, where it is indexed plainly."""
    return tries(decision, _edits(suspicion))


def _edits(suspicion: Suspicion) -> tuple[Edit, ...]:
    kernel = suspicion.kernel
    assert kernel is not None
    function, declaration = kernel.function, declaration_of(kernel, suspicion.site, dynamic=True)
    if function is None or declaration is None:
        return ()
    constructs = kernel.own_constructs
    return slice_edits(constructs, function, declaration) if constructs is not None else ()


def _accesses(trial: Trial) -> int:
    """Requests to shared memory; an array that ends in local memory is no better for it."""
    sites = [site for site in trial.facts.sites if site.space in ("shared", "local")]
    executed = trial.tracer(Instruction).executed
    return sum(
        executed[pc][0] * (LOCAL if site.space == "local" else 1)
        for site in sites
        for pc in site.pcs
        if pc in executed
    )


def describe(suspicion: Suspicion, decision: Decision) -> Told:
    kernel, shown, own = suspicion.kernel, decision.shown, decision.shown.detail
    assert kernel is not None and isinstance(own, Own)
    array = kernel.names.array(suspicion.site)
    elements = own.bytes // suspicion.site.size
    help_ = _help(array, elements, suspicion.sites)
    mend = mended(decision, f"make {array} each thread's own", _accesses)
    return Told(
        f"each thread uses only its own {own.bytes} bytes of {array}: "
        f"{counted(shown.measured, 'access')} of shared memory per warp where registers need none",
        label="its own slice",
        evidence=(Evidence("shared accesses per warp", shown.measured, 0.0, "requests"),),
        help=help_,
        fault=f"own {array}",
        severity=shown.share,
        fix=mend.fix,
        unfixed=mend.unfixed,
    )


def _help(array: str, elements: int, sites: tuple[AccessSite, ...]) -> str:
    if elements <= 1:
        return f"keep it in a local variable instead of {array}"
    if any(site.loop_depth for site in sites):
        return (
            f"make {array} a local array of {elements} elements, and the bounds of its loops known "
            "to the compiler (a constant, a template parameter), so that it unrolls them"
        )
    return f"make {array} a local array of {elements} elements: its indices are constants"
