"""## What it does
Finds code in which lanes of one warp hand data to each other through shared memory with neither
`__syncthreads()` nor `__syncwarp()` between the store and the load, `volatile` or not.

## Why it is slow
It is wrong first: up to Pascal the lanes of a warp went in step, so that the last steps of a tree
reduction needed no barrier. Since Volta each lane has a program counter of its own, and nothing but
a barrier makes one wait for another. `volatile` keeps the compiler from holding the data in
registers, which is slow as well, and orders nothing. `__shfl_down_sync` passes the same data
between registers in one instruction, where shared memory takes a store, a barrier and a load.

## Example
```cuda
__global__ void sum(float *out, const float *in)
{
    __shared__ volatile float part[64];
    int t = threadIdx.x;
    part[t] = in[blockIdx.x * 64 + t];
    __syncthreads();
    if (t < 32) {
        part[t] += part[t + 32];
        part[t] += part[t + 16];
        part[t] += part[t + 8];
        part[t] += part[t + 4];
        part[t] += part[t + 2];
        part[t] += part[t + 1];
    }
    if (t == 0)
        out[blockIdx.x] = part[0];
}

void launch(float *out, const float *in) { sum<<<1024, 64>>>(out, in); }
```

## Use instead
```cuda
__global__ void sum(float *out, const float *in)
{
    __shared__ float part[64];
    int t = threadIdx.x;
    part[t] = in[blockIdx.x * 64 + t];
    __syncthreads();
    if (t < 32) {
        float x = part[t] + part[t + 32];
        for (int distance = 16; distance > 0; distance /= 2)
            x += __shfl_down_sync(0xffffffff, x, distance);
        if (t == 0)
            out[blockIdx.x] = x;
    }
}

void launch(float *out, const float *in) { sum<<<1024, 64>>>(out, in); }
```

## How it is confirmed
A path of the compiled kernel leads from a store to shared memory to a load without a barrier, a
fence or a warp's `_sync` function on it. Blocks are run, and lanes are counted whose load finds
what another lane of their warp has stored since the last barrier of either kind. One run that shows
such lanes is enough, unless loaded data choose an element of a thread's own row: made-up data lead
into another one's. Atomic operations are not counted. Nothing is said for GPUs before compute
capability 7.0.

## When to ignore it
Never: it works as long as the compiler happens to keep the lanes together.

## Options
None.

## References
- CUDA C++ Programming Guide, "Independent Thread Scheduling",
  https://docs.nvidia.com/cuda/cuda-c-programming-guide/#independent-thread-scheduling
- NVIDIA Volta Tuning Guide, "Independent Thread Scheduling",
  https://docs.nvidia.com/cuda/volta-tuning-guide/#independent-thread-scheduling
- Kerr, Diamos, Yalamanchili, "GPU Application Development, Debugging, and Performance Tuning with
  GPU Ocelot", GPU Computing Gems Jade Edition, 2012, section 7.2
"""

from __future__ import annotations

from collections.abc import Iterator

from perflint.analysis.model import AccessSite
from perflint.analysis.symbols import Special
from perflint.base.records import dataclass
from perflint.rules.case import Case, Decision, Figure
from perflint.rules.control.warp_barriers import barrier_edits
from perflint.rules.control.warp_order import Pair, unordered_pairs
from perflint.rules.measure import figure
from perflint.rules.mending import mended, tries
from perflint.rules.protocol import (
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
from perflint.sim.tracers.warp_exchange import WarpExchange

RULE = Rule(
    code="CU904",
    name="warp-synchronous-code",
    summary="Lanes of a warp exchange data through shared memory with no barrier between them.",
    since="0.1.0",
    status="stable",
    tags=("performance", "correctness", "cuda", "synchronization", "shared-memory"),
    tracers=("WarpExchange",),
    measures="lanes per request",
    scope="blocks",
    waives=(
        ("tiny launch", "what is at stake is the result"),
        ("a small share", "what is at stake is the result: no share of the work is too small"),
        ("little of its program", "what is at stake is the result"),
    ),
)

#: Since when lanes may run apart.
VOLTA = (7, 0)
#: Of `part[t] += part[t + 16]` by all lanes, one may store what another has yet to load.
HALVES = ", and between the halves of a statement that loads and stores in all lanes"
#: A warp's barrier, or a shuffle, does not wait for them.
OTHER_WARPS = "other warps store what is loaded, too, and `__syncwarp()` does not wait for them"
#: Made-up data lead into another lane's slots: the program's own may keep to a lane's.
PICKED = "loaded data say whose element it is, and may keep each lane to its own"


@dataclass(frozen=True)
class Exchange:
    """A load, and the stores whose data it may find too early."""

    pairs: frozenset[Pair]
    volatile: bool
    all_pairs: frozenset[Pair]  #: of all loads of the kernel: one without the others mends nothing


def suspect(kernel: Kernel) -> Iterator[Suspicion]:
    if kernel.arch.compute_capability < VOLTA:
        return
    pairs = unordered_pairs(kernel.facts)
    instructions = kernel.facts.kernel.instructions
    for site in kernel.facts.sites:
        mine = frozenset(pair for pair in pairs if pair[0] in site.pcs)
        if mine:
            volatile = any("volatile" in instructions[pc].modifiers for pc in site.pcs)
            about = Exchange(mine, volatile, pairs)
            yield Suspicion(f"load {site.identity}", kernel, site.pcs, (site,), about=about)


def measure(suspicion: Suspicion, original: Trials, results: Results) -> Case:
    # golden are none: what a load finds is what a barrier has put in order
    figures = [each for trial in original if (each := _figure(suspicion, trial))]
    bad = [each for each in figures if each.bad]
    picked = bool(bad) and all(_is_picked(suspicion, each.trial) for each in bad)
    assumed = "its block is assumed, and the kernel may be written for another"
    shown = bad[0].trial if bad else None
    return Case(
        suspicion,
        tuple(bad or figures),
        assumed=assumed if shown is not None and shown.assumed_block else "",
        data=PICKED if picked else "",
    )


def _is_picked(suspicion: Suspicion, trial: Trial) -> bool:
    """Whether all lanes that met in a run met where loaded data led them, away from their own row.

    A table that a warp's lanes share, as a histogram, has no rows.
    """
    about, met = suspicion.about, trial.tracer(WarpExchange).lanes
    assert isinstance(about, Exchange)
    picked = {pc for site in trial.facts.sites if _is_of_a_row(site) for pc in site.pcs}
    return all(not picked.isdisjoint(pair) for pair in about.pairs if met.get(pair))


def _is_of_a_row(site: AccessSite) -> bool:
    """Whether loaded data choose an element of a row of the thread's own: `row[t * N + data]`."""
    terms = site.address.terms if site.address is not None else {}
    own = any(len(each) == 1 and isinstance(each[0], Special) for each in terms)
    return site.loaded_address and own


def _figure(suspicion: Suspicion, trial: Trial) -> Figure | None:
    found, about = trial.tracer(WarpExchange), suspicion.about
    assert isinstance(about, Exchange)
    requests = sum(trial.run.requests.get(pc, 0) for pc in suspicion.pcs)
    if not requests or found.skipped:
        return None
    lanes = sum(found.lanes.get(pair, 0) for pair in about.pairs)
    return Figure(trial, lanes / requests, 0.0, lanes > 0)


def cures(suspicion: Suspicion, decision: Decision) -> tuple[Variant, ...]:
    """The original, and barriers at all of the kernel's unordered loads, both to their end."""
    kernel, about = suspicion.kernel, suspicion.about
    assert kernel is not None and isinstance(about, Exchange)
    found = decision.shown.trial.tracer(WarpExchange).lanes
    return tries(decision, barrier_edits(kernel, [p for p in about.all_pairs if p in found]))


def _unordered(trial: Trial) -> float:
    """The lanes that load what their warp stored unordered: there must be none."""
    return sum(trial.tracer(WarpExchange).lanes.values())


def _does_both(kernel: Kernel, suspicion: Suspicion) -> bool:
    """Whether a statement that loads stores to shared memory as well: `part[t] += part[t + 16]`."""
    instructions = kernel.facts.kernel.instructions
    stores = (
        s for s in kernel.facts.sites if s.kind == "store" and s.array == suspicion.site.array
    )
    storing = {kernel.statement(instructions[pc].location) for site in stores for pc in site.pcs}
    loading = {kernel.statement(instructions[pc].location) for pc in suspicion.pcs}
    return not storing.isdisjoint(loading - {None})


def describe(suspicion: Suspicion, decision: Decision) -> Told:
    kernel, about, shown = suspicion.kernel, suspicion.about, decision.shown
    assert kernel is not None and isinstance(about, Exchange)
    array, lanes = kernel.names.array(suspicion.site), max(shown.measured, 0.1)
    count = f"{figure(lanes)} lane{'' if figure(lanes) == '1' else 's'}"
    across = _across(kernel, suspicion, shown.trial)
    mend = mended(decision, "put `__syncwarp()` between what lanes store and load", _unordered)
    notes = ("`volatile` orders the accesses of one thread, not those of two",)
    return Told(
        f"load from {array} finds what another lane of the warp stored, with no barrier between: "
        f"{count} per request where 0 may",
        label=f"no `{'__syncthreads' if across else '__syncwarp'}()` since the store",
        evidence=(Evidence("unordered lanes per request", shown.measured, 0.0, "lanes"),),
        notes=notes if about.volatile else (),
        help=_help(kernel, suspicion, shown.trial, across=across),
        fault="unordered lanes",  # the kernel counts on its warps, in whatever array
        severity=shown.measured,
        fix=None if across else mend.fix,
        unfixed=OTHER_WARPS if across else mend.unfixed,
    )


def _across(kernel: Kernel, suspicion: Suspicion, trial: Trial) -> bool:
    """Whether what one of the kernel's loads from the array finds is unordered between warps, too.

    A halo has its sides from lanes of the warp, and its top and bottom from other warps.
    """
    alike = (s for s in kernel.facts.sites if s.kind == "load" and s.array == suspicion.site.array)
    found = trial.tracer(WarpExchange).across
    return any(not found.isdisjoint(site.pcs) for site in alike)


def _help(kernel: Kernel, suspicion: Suspicion, trial: Trial, *, across: bool) -> str:
    """The barrier that orders what is passed, and where only a warp's lanes pass it a shuffle."""
    between = f"between {_store(kernel, suspicion, trial)} and the load"
    halves = HALVES if _does_both(kernel, suspicion) else ""
    if across:
        return (
            f"put `__syncthreads()` {between}{halves}, where all threads of the block come by: "
            f"{OTHER_WARPS}"
        )
    return (
        f"put `__syncwarp()` {between}{halves}, or pass the value between registers with "
        "`__shfl_sync` and its like"
    )


def _store(kernel: Kernel, suspicion: Suspicion, trial: Trial) -> str:
    """The store that most lanes found, with its line where that is another one."""
    about, found = suspicion.about, trial.tracer(WarpExchange).lanes
    assert isinstance(about, Exchange)
    _, pc = max(about.pairs, key=lambda pair: (found.get(pair, 0), pair))
    at = kernel.statement(kernel.facts.kernel.instructions[pc].location)
    here = kernel.statement(suspicion.site.location)
    if at is None or here is None or at.path != here.path or at.line == here.line:
        return "the store"
    return f"the store at line {at.line}"
