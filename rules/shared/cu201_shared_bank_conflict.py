"""## What it does
Finds accesses to shared memory whose lanes need different words of the same bank.

## Why it is slow
Shared memory has 32 banks of 4 bytes; word i lies in bank i mod 32. Lanes that need different words
of one bank are served one after the other, each pass being a *wavefront*. A column of a `float
tile[32][32]` lies in a single bank: 32 wavefronts where one would do.

## Example
```cuda
__global__ void columns(float *out, const float *in)
{
    __shared__ float tile[32][32];
    for (int y = threadIdx.y; y < 32; y += 8)
        tile[y][threadIdx.x] = in[y * 32 + threadIdx.x];
    __syncthreads();
    for (int y = threadIdx.y; y < 32; y += 8)
        out[y * 32 + threadIdx.x] = tile[threadIdx.x][y];
}

void launch(float *out, const float *in) { columns<<<1, dim3(32, 8)>>>(out, in); }
```

## Use instead
```cuda
__global__ void columns(float *out, const float *in)
{
    __shared__ float tile[32][33];
    for (int y = threadIdx.y; y < 32; y += 8)
        tile[y][threadIdx.x] = in[y * 32 + threadIdx.x];
    __syncthreads();
    for (int y = threadIdx.y; y < 32; y += 8)
        out[y * 32 + threadIdx.x] = tile[threadIdx.x][y];
}

void launch(float *out, const float *in) { columns<<<1, dim3(32, 8)>>>(out, in); }
```
One element of padding per row shifts each row by one bank. The remedy is computed for each finding,
by replaying its requests with other layouts: padding, exchanged columns (`tile[y][x ^ y]`) or, for
narrow blocks, where no padding helps because a warp covers several rows, another block shape.

## How it is confirmed
The kernel is simulated and the wavefronts of each request are counted, with the phases of 64- and
128-bit accesses (two half-warps, four quarter-warps). The golden execution moves the same bytes in
as few wavefronts as those phases allow. Where ptxas makes one access of a thread's neighbouring
ones, as of `s[4 * t + j]` in an unrolled loop, that one is counted. The finding is confirmed if the
access needs at least {WORST_RATIO} times the golden wavefronts under every condition tried, and if
its excess is at least {MIN_WASTE} of the kernel's wavefronts, or if similar accesses together cause
{verdict.JOINT_SHARE:%} of them. Full-warp requests are judged where there are any. Without a launch
in the source two block shapes are tried, and both must agree. Lanes that lie apart by a number that
is loaded, or by an argument that no launch fixes, are a note: an odd one has no conflict. Where
padding is the remedy, or for an array without rows an index that is skewed at each use
(`s[i + (i >> 5)]`, or `i ^ (…)`; also in
functions that are given the array), the source is compiled again with it. So it is with the banks
that the file defines, where these are the 16 of the first GPUs. It becomes a fix if a few blocks
run to their end write the same bytes with fewer wavefronts, and if these are more than what
computing the index takes to issue. Edits that change another kernel, too, are unsafe.

## When to ignore it
When the access is rare, or when the larger array would let fewer blocks run at a time, which
matters more.

## Options
None.

## References
- CUDA C++ Best Practices Guide, "Shared Memory and Memory Banks",
  https://docs.nvidia.com/cuda/cuda-c-best-practices-guide/#shared-memory-and-memory-banks
- Nsight Compute, source counters `memory_l1_wavefronts_shared` and `…_ideal`
- Rosen, "A Visual Approach to Investigating Shared and Global Memory Behavior of CUDA Kernels",
  Computer Graphics Forum 32(3), 2013, section 6
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from perflint.analysis.model import AccessSite
from perflint.analysis.polynomial import Polynomial
from perflint.analysis.symbols import Special
from perflint.base.english import listed
from perflint.base.floor import ISSUED_PER_CYCLE
from perflint.rules.access_case import access_case, access_notes, measurement
from perflint.rules.access_shapes import of_one_index
from perflint.rules.case import Case, Decision
from perflint.rules.measure import Measurement, figure, suspicions
from perflint.rules.mending import Mended, mended, other_sizes, tries
from perflint.rules.protocol import (
    Evidence,
    Kernel,
    OtherLaunch,
    Results,
    Rule,
    Suspicion,
    Told,
    Trial,
    Trials,
    Variant,
)
from perflint.rules.shared.bank_advice import GAPS, SKEW, Remedy, remedy
from perflint.rules.shared.merged import counted_as, merged, wavefronts
from perflint.rules.shared.old_banks import bank_edits, old_banks
from perflint.rules.shared_declarations import declaration_of
from perflint.rules.shared_layouts import leaves_arrays
from perflint.rules.worst_request import worst_request
from perflint.sim.tracers.accesses import AccessCounter
from perflint.sim.tracers.requests import SharedRequests

RULE = Rule(
    code="CU201",
    name="shared-bank-conflict",
    summary="Lanes of a warp access different words of one bank of shared memory.",
    since="0.1.0",
    status="stable",
    tags=("performance", "cuda", "memory", "shared-memory", "bank-conflict"),
    tracers=("AccessCounter", "SharedRequests"),
    measures="wavefronts per request",
    claim="pattern",
    yields_to=("CU602",),  # who pads an array that needs not be shared, pads in vain
    change="requests",
    on_chip=True,
    proves=True,
    waives=(("tiny launch", "the one warp that there is waits for each wavefront"),),
)

#: The smallest conflict of a whole warp is 2-way; below 1.5 on average most requests have none.
WORST_RATIO = 1.5
_X_FIRST = (
    "count the block's threads with threadIdx.x the fastest "
    "(`threadIdx.y * blockDim.x + threadIdx.x`)"
)
_VECTORS = (
    "lay the vectors of neighbouring lanes side by side: of 16 bytes those of 8 lanes fill all "
    "banks, of 8 bytes those of 16"
)


def suspect(kernel: Kernel) -> Iterator[Suspicion]:
    return iter(()) if kernel.names.language == "triton" else suspicions(kernel, "shared")


def passes_over(kernel: Kernel, site: AccessSite) -> str:
    """Why an access to shared memory has no conflict whatever happens."""
    if site.space != "shared":
        return ""
    if kernel.names.language == "triton":
        return "Triton lays shared memory out, and nothing in the source does"
    if site.kind == "atomic":
        return "it is an atomic, whose cost is another one"
    return "the address is the same in all lanes: one word is broadcast"


def measure(suspicion: Suspicion, original: Trials, results: Results) -> Case:
    # the golden execution, the same bytes without conflicts, is counted in the original's own run
    case = access_case(suspicion, original, "shared", _bad)
    kernel = suspicion.kernel
    return case if kernel is None else merged(kernel, suspicion.site, case, _bad)


def cures(suspicion: Suspicion, decision: Decision) -> tuple[Variant, ...]:
    """The original and the edits, both to their end: the outputs are compared."""
    assert suspicion.kernel is not None
    found = _remedy(suspicion, decision)
    edits = found.edits or bank_edits(suspicion.kernel)
    also = _also(found, decision)
    ways = (edits, *found.else_edits)
    return tries(decision, *ways, shared=found.shared, also=also, costly=not found.pads)


def _also(found: Remedy, decision: Decision) -> tuple[OtherLaunch, ...]:
    """With other sizes strides differ: an index that frees these may make conflicts of those."""
    return () if found.pads else other_sizes(decision.shown.trial)


def _remedy(suspicion: Suspicion, decision: Decision) -> Remedy:
    assert suspicion.kernel is not None
    trial, witness = decision.shown.trial, measurement(decision).witness
    find = partial(remedy, suspicion.kernel, suspicion.site, trial, witness)
    found = trial.tracer(SharedRequests).once(suspicion.site.pcs, find)
    lone = counted_as(decision.shown) and not (found.whole or found.notes or found.edits)
    if _counts_y_first(suspicion.site):
        return replace(found, help=f"{_X_FIRST}; or {found.help}")
    return replace(found, help=_VECTORS) if lone else found


def _counts_y_first(site: AccessSite) -> bool:
    """Whether an index counts a block's threads with y the fastest: `tx * blockDim.y + ty`."""
    x, y = site.strides.get("x"), site.strides.get("y")
    return (
        x is not None
        and y is not None
        and y.constant == site.size
        and x == Polynomial({(Special("%ntid.y"),): site.size})
    )


def describe(suspicion: Suspicion, decision: Decision) -> Told:
    site, kernel = suspicion.site, suspicion.kernel
    assert kernel is not None
    m, trial, cure = measurement(decision), decision.shown.trial, _remedy(suspicion, decision)
    names = kernel.names
    safe = bool(cure.edits) and not cure.others and not cure.parted
    also = _also(cure, decision)
    mend = mended(
        decision,
        _message_of(cure),
        partial(wavefronts, rule=kernel.arch.shared_rule) if cure.by == GAPS else _wavefronts,
        safe=safe,
        beside=_issue,
        also=also,
        undefined=leaves_arrays,
    )
    array, label = names.array(site), names.stride(site, trial.run, m.witness)
    wide = tuple(filter(None, [counted_as(decision.shown)]))
    old = () if wide else old_banks(kernel)
    return Told(
        message=_message(site.kind, array, m),
        label=label,
        evidence=(
            Evidence("wavefronts per request", m.per_request, m.golden_per_request, "wavefronts"),
        ),
        notes=(*access_notes(decision), *(wide or (*cure.notes, *_effect(cure, mend)))),
        places=old,
        help=cure.help,
        witness="" if wide else names.witness(m.witness, "wavefronts"),
        request=None
        if wide
        else worst_request(
            names, site, m, cure.change, cure.moved if not m.computed else None, "shared"
        ),
        fault=_fault(kernel, site, cure, label),
        severity=m.ratio,
        fix=mend.fix,
        unfixed=mend.unfixed,
    )


def _fault(kernel: Kernel, site: AccessSite, cure: Remedy, label: str) -> str:
    """What accesses have in common that one change mends: an edit may be that of several arrays.

    Where no edit is known, arrays whose accesses have one index want one change of it.
    """
    if cure.edits and cure.by == SKEW:
        return "; ".join(str(edit.span) for edit in cure.edits)
    of = site if cure.edits else of_one_index(kernel, site)
    declared = declaration_of(kernel, of)
    name = declared.name if declared is not None else None
    if name is None and cure.by == SKEW and not cure.parted:
        name = kernel.names.plain_array(of)
    array = f"`{name}`" if name else kernel.names.array(of)  # whatever pointers walk in it
    return array if cure.whole else f"{array} {label}"


def _message_of(cure: Remedy) -> str:
    if not cure.edits:
        return "define the banks as the 32 that there are (all that is computed of them changes)"
    text = cure.edit_text or cure.help
    if not cure.others:
        return text
    return f"{text} (the edit changes {listed(sorted(cure.others))}, too)"


def _effect(cure: Remedy, mend: Mended) -> tuple[str, ...]:
    """What the remedy does to the kernel, whose results are the same bits."""
    if mend.fix is None or mend.costs is None:
        return ()
    had, has = (int(cost) for cost in mend.costs)
    how = "without the padding" if cure.shorter else f"with {cure.by if cure.edits else '32 banks'}"
    return (f"the kernel's wavefronts fall from {had} to {has} {how}, its results stay",)


def _wavefronts(trial: Trial) -> int:
    counts = trial.tracer(AccessCounter).by_space.values()
    return sum(count.measured for count in counts if count.space == "shared")


def _issue(trial: Trial) -> float:
    """Cycles to issue all instructions, on four schedulers, while wavefronts take one each."""
    return trial.run.warp_instructions / ISSUED_PER_CYCLE


def _bad(m: Measurement) -> bool:
    return m.measured >= WORST_RATIO * m.golden


def _message(kind: str, array: str, m: Measurement) -> str:
    measured, golden = figure(m.per_request), figure(m.golden_per_request)
    preposition = "from" if kind == "load" else "to"
    steady = m.ways * m.golden == m.measured  # every request conflicts alike
    degree = f"{m.ways}-way" if steady else f"up to {m.ways}-way"
    article = "an" if degree.startswith(("8", "11", "18")) else "a"
    conflict = f"has {article} {degree} bank conflict" if steady else f"has {degree} bank conflicts"
    return (
        f"{kind} {preposition} {array} {conflict}: {measured} wavefronts per request "
        f"where {golden} would do"
    )
