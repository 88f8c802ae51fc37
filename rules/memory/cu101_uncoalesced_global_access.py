"""## What it does
Finds loads, stores and atomics of global memory whose warp touches at least twice as many 32-byte
sectors as its bytes would fill: strides, rows that each thread walks alone, scattered indices. What
has a remedy of its own belongs to another rule: neighbouring scalars (CU102), elements below a word
(CU103), arrays of structures (CU104), offsets that only misalign (CU105), contended atomics
(CU108).

## Why it is slow
A warp's 32 addresses are served in sectors of 32 bytes. When neighbouring threads access
neighbouring words, 32 four-byte words come in 4 sectors. When they are a row apart, each word needs
a sector of its own: 32 sectors are moved, and 28 bytes of every 32 are thrown away unless the cache
still holds them when they are needed.

## Example
```cuda
__global__ void scale(float *out, const float *in, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h)
        out[x * h + y] = 2.0f * in[x * h + y];
}
```

## Use instead
```cuda
__global__ void scale(float *out, const float *in, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h)
        out[y * w + x] = 2.0f * in[y * w + x];
}
```
Where both directions are needed, as in a transpose, go through a tile in shared memory: read rows,
write rows, and transpose in the tile (mind CU201).

## How it is confirmed
The kernel is simulated with the launch found in the source (or a stated assumption), and the
sectors of each request of the access are counted. The golden execution moves the same bytes packed:
ceil(active lanes * bytes / 32) sectors. Full-warp requests are judged where there are any. The
finding is confirmed if the access costs at least {measure.SCATTERED} times the golden sectors
(partial warps: and {measure.LEAST_EXCESS} sectors more) with every size tried, for random and for
identity data, and if its excess is at least {MIN_WASTE} of the sectors that the kernel moves, or if
similar accesses together cause {verdict.JOINT_SHARE:%} of them. Sectors that are only due to a
misaligned start are not counted here. A parameter that is used as a stride and never compared with
anything may be 1: an access that is fine then stays undecided, unless a launch fixes the value.
Where neighbouring threads walk along overlapping windows a few bytes apart, as those of a filter
that halves an image do, L1 keeps what the next iteration uses: that is undecided as well. So it is
where loads of 16 bytes take all of an element of 32 to 128 bytes: none are wider.
Where each lane computes its index by rounding a loaded float (a particle's cell), neighbouring
lanes may hold similar values: that is undecided too. Where the address is a formula of the launch's
arguments, a note says for which of them the access is as bad with that block: proved, if no index
overflows.

Accesses of several arrays with one index are one finding: exchanging what goes along which axis
mends them all. What each thread reads of the elements that its neighbours read whole is not
reported: those sectors are in L1.

Where exchanging x and y in the whole kernel and its launch mends it, perhaps in blocks of 16×16 in
the place of smaller ones, part of the grid is run so, to its end in every world; and so where each
thread walks along a run of its own, `i = t * n` up to `(t + 1) * n`, with the turns dealt out to
neighbouring threads. A kernel that only copies what it transposes is run with a tile of shared
memory between its load and its store. That becomes a fix if the same bytes are left and less is
moved.

## When to ignore it
Textures used to be the cure for accesses of neighbouring threads that are near each other in two
dimensions. Since Volta the L1 is the texture cache, too, and takes plain loads by the sector, so
that a texture helps only where its layout in blocks does: a gather near one point of an image.
When the same warp soon uses the rest of the sectors from L1 (`profile` shows it), or when the
kernel is not worth the work. The numbers say how much is moved, not how long it takes.

## Options
None.

## References
- CUDA C++ Best Practices Guide, "Coalesced Access to Global Memory",
  https://docs.nvidia.com/cuda/cuda-c-best-practices-guide/#coalesced-access-to-global-memory
- Nsight Compute, source counters `memory_l2_theoretical_sectors_global` and `…_ideal`
- Yang, Xiang, Mantor, Zhou, "Fixing Performance Bugs: An Empirical Study of Open-Source GPGPU
  Programs", ICPP 2012, section V.A
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from perflint.analysis.gathers import walked
from perflint.analysis.model import AccessSite
from perflint.base.constructs import within
from perflint.base.span import Span
from perflint.rules import advice, record_advice
from perflint.rules.access_case import (
    access_case,
    access_notes,
    all_launches,
    measurement,
    touches,
)
from perflint.rules.access_shapes import LARGEST_STRUCTURE, in_words, is_built_in, owned, type_words
from perflint.rules.case import Case, Decision
from perflint.rules.idle_axes import on_an_idle_axis
from perflint.rules.measure import SCATTERED, is_scattered
from perflint.rules.memory.like_accesses import (
    before_its_rest,
    bytes_used,
    copies_of,
    element_bytes,
    goes_on,
    is_part,
    left_by_vectors,
    parts_of,
    picked_apart,
    updated_parts,
)
from perflint.rules.memory.runs_of_threads import shared_how
from perflint.rules.memory.scatter_doubts import doubt_about
from perflint.rules.memory.scatter_faults import (
    exchanged_axis,
    fault_of,
    is_packed,
    loop_of,
    turned_to,
)
from perflint.rules.memory.scatter_fixes import cures as cures
from perflint.rules.memory.scatter_fixes import mended_access
from perflint.rules.memory.whole_vectors import kept_together, stored_whole
from perflint.rules.neighbours import is_copied
from perflint.rules.protocol import (
    Evidence,
    Kernel,
    Results,
    Rule,
    Suspicion,
    Told,
    Trials,
    site_suspicion,
)
from perflint.rules.worst_request import packed, worst_request
from perflint.sim.launch import Dim3

RULE = Rule(
    code="CU101",
    name="uncoalesced-global-access",
    summary="A warp touches at least twice as many sectors of global memory as its bytes fill.",
    since="0.1.0",
    status="stable",
    tags=("performance", "cuda", "memory", "global-memory", "coalescing"),
    tracers=("AccessCounter",),
    measures="sectors per request",
    claim="pattern",
    change="requests",
)

THREAD_X = "threadIdx.x"
ROWS = "neighbouring threads differ in what is computed here, and are rows apart"

WARP = 32  #: more times the ideal sectors no request touches


def suspect(kernel: Kernel) -> Iterator[Suspicion]:
    for site in owned(kernel, ("scattered", "packed")):
        yield site_suspicion(kernel, site)


def passes_over(kernel: Kernel, site: AccessSite) -> str:
    """What a shape is that is not this rule's."""
    return in_words(kernel, site)


def measure(suspicion: Suspicion, original: Trials, results: Results) -> Case:
    # the golden execution, the same bytes packed, is counted in the original's run
    case = on_an_idle_axis(access_case(suspicion, original, "global", is_scattered))
    assert suspicion.kernel is not None
    left = _left(suspicion.kernel, suspicion.site)
    return replace(case, doubt=case.doubt or doubt_about(case), left=left)


def _left(kernel: Kernel, site: AccessSite) -> float:
    """The share of its requests that the change leaves: all, where lanes are to share a run."""
    whole = before_its_rest(kernel, site)
    shared = whole.indirect and walked(site, kernel.facts.sites) is not None
    return 1.0 if shared else left_by_vectors(kernel, site)


def _counted_by_rows(kernel: Kernel, site: AccessSite, block: Dim3) -> tuple[tuple[Span, str], ...]:
    """The one statement that takes `threadIdx.x` for a row, where `threadIdx.y` might be that."""
    constructs, stride = kernel.own_constructs, site.strides.get("x")
    step = stride.constant if stride is not None else 0
    rows = step is None or abs(step) > LARGEST_STRUCTURE
    if constructs is None or kernel.function is None or not rows or block[1:] == (1, 1):
        return ()
    sites = kernel.facts.sites
    if any(is_packed(each, "x") for each in sites):
        return ()  # a transpose: whichever index threadIdx.x counts, one side is scattered
    if not any(is_packed(each, axis) for each in sites for axis in "yz"):
        return ()
    used = [c for c in within(constructs.coordinates, kernel.function.body) if c.text == THREAD_X]
    own = kernel.statement(site.location)
    if len(used) != 1 or own is None or used[0].span.line == own.line:
        return ()
    return ((constructs.statement_of(used[0].span), ROWS),)


def _is_a_copy(kernel: Kernel, site: AccessSite, parts: int) -> bool:
    """Whether neighbours' elements lie side by side, and most of each is copied to shared memory.

    Where a loaded number says at which the block begins, they do all the same.
    """
    stride = site.strides.get("x")
    step = abs(stride.constant or 0) if stride is not None else 0
    mostly = parts > 1 and advice.is_mostly_used(parts * site.size, step)
    return mostly and is_copied(site, kernel.facts.sites)


def describe(suspicion: Suspicion, decision: Decision) -> Told:
    site, kernel = suspicion.site, suspicion.kernel
    assert kernel is not None
    m, trial = measurement(decision), decision.shown.trial
    names = kernel.names
    array = names.array(site)
    label, block = names.stride(site, trial.run, m.witness), trial.run.launch.block
    mend = mended_access(suspicion, decision)
    parts = parts_of(kernel, site)
    walking = any(map(goes_on, copies_of(kernel, site)))
    whole_run = before_its_rest(kernel, site)
    help_ = advice.uncoalesced(
        whole_run,
        block,
        array,
        m.witness,
        names.language,
        walking=walking,
        structures=bool(type_words(kernel, site)) and not is_built_in(kernel, site),
        used=bytes_used(kernel, site),
        apart=picked_apart(site, trial),
        copied=is_copied(site, kernel.facts.sites),
        shared=(shared := shared_how(kernel.facts, whole_run)),
    )
    if (updated := updated_parts(kernel, site)) > 1:
        help_ = record_advice.of_counters(updated, array)
    if names.language == "cuda" and block[0] > 1 and (other := turned_to(kernel, site)):
        help_ = advice.of_turned_axes(array, names.array(other), block[0], site.size)
    if (axis := exchanged_axis(kernel, site, block)) and not is_packed(site, axis):
        severity = m.ratio - WARP  # told at one of those that the exchange packs
    run = walked(site, kernel.facts.sites) if whole_run.indirect else None
    own_run = advice.of_a_run(advice.verb(site), array, shared)
    fault, severity = fault_of(kernel, site, array, label, m.witness, block), m.ratio
    if run is not None and run is not site and site.kind != "atomic":
        shared = shared_how(kernel.facts, run)
        help_ = own_run = advice.of_a_run("read", names.array(run), shared)  # it picks this one's
        severity = m.ratio - WARP  # told at the run, where that is told
    elif _is_a_copy(kernel, site, len(parts)):
        help_ = advice.of_a_copy(array)
    elif len(parts) > 1 and run is None and not walking and site.kind != "atomic":
        whole = len(parts) * site.size
        help_ = (
            kept_together(array, whole)
            if stored_whole(kernel, site)
            else record_advice.of_a_record(
                advice.verb(site),
                site.size,
                len(parts),
                array,
                element_bytes(site),
                own=site.array.parameter is None or kernel.is_allocated(site.array.parameter),
            )
            if whole <= LARGEST_STRUCTURE
            else own_run  # a loop over it was unrolled
        )
    if help_ == own_run and site.loops:  # with one change all that the loop reads so is packed
        fault = f"runs of each thread's own, {loop_of(kernel, site)}"
    elif len(parts) > 1 or is_part(site):
        fault = f"{site.kind} parts of {array}"
    return Told(
        message=f"{advice.access(site.kind, array)} {touches(site, names, decision, SCATTERED)}",
        label=label,
        evidence=(Evidence("sectors per request", m.per_request, m.golden_per_request, "sectors"),),
        notes=access_notes(decision) + all_launches(site, names, decision, SCATTERED),
        help=advice.triton(site, m.witness, array) if names.language == "triton" else help_,
        witness=names.witness(m.witness, "sectors"),
        request=worst_request(names, site, m, "neighbouring lanes at neighbouring bytes", packed),
        places=_counted_by_rows(kernel, site, block),
        fault=fault,
        severity=severity,
        fix=mend.fix,
        unfixed=mend.unfixed,
    )
