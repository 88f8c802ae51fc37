"""## What it does
Finds loads and stores of global memory that a loop repeats with the same address.

## Why it is slow
Every iteration sends a request to memory for what a register could hold. The compiler cannot keep
the value: a store through another pointer might change it, or another access might want to see it.

## Example
```cuda
__global__ void rows(float *out, const float *in, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    out[x] = 0.0f;
    for (int y = 0; y < n; y++)
        out[x] += in[y * 4096 + x];
}

void launch(float *out, const float *in) { rows<<<16, 256>>>(out, in, 256); }
```

## Use instead
```cuda
__global__ void rows(float *out, const float *in, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int y = 0; y < n; y++)
        sum += in[y * 4096 + x];
    out[x] = sum;
}

void launch(float *out, const float *in) { rows<<<16, 256>>>(out, in, 256); }
```
The sum stays in a register and is stored once.

## How it is confirmed
The address must not depend on the innermost loop around the access, and nothing in that loop may
let other threads see the value or change it: no barrier, no atomic and no access that may be to
another element of the same array. The kernel is simulated, and the requests of each warp are
compared: the golden execution sends those with the same lanes and addresses once. The finding is
confirmed if at least {LEAST_REPEATS} requests go to each address under every condition tried, and
if the repeated ones are at least {MIN_WASTE} of the kernel's requests to global memory. Their
number is told where the launch says how often the loop turns; where data, a `__constant__` or an
argument that was not read do, a finding says that each iteration sends one.

Where the loop accumulates in the element, `c[i] += …`, or only reads it, all its uses in the loop
are written alike and no launch passes arrays that may overlap, the kernel is compiled with the
value in a register and run beside the original, both to their end (where loops are too long for
that, with arguments that end them sooner). If every byte written is the same and requests are
fewer, this is the finding's fix. It is safe where the element is accessed just before the loop in
any case; else it is unsafe, for a loop without a turn would now access the element.

## When to ignore it
When other threads or the host read the value while the kernel runs. Such a pointer should be
`volatile`, or the access an atomic one; neither is reported. Nor is a loop that does the same over
and over to take time: `for (r = 0; r < REPEAT; r++) a[i] = a[i] + step;`.

## Options
None.

## References
- Horga, Chattopadhyay, Eles, Peng, "Systematic Detection of Memory Related Performance Bottlenecks
  in GPGPU Programs", Journal of Systems Architecture 71, 2016, section 5 (MatMult_basic, Figure 9)
- CUDA C++ Programming Guide, "`__restrict__`",
  https://docs.nvidia.com/cuda/cuda-c-programming-guide/#restrict
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from perflint.analysis.communication import is_watched
from perflint.analysis.model import AccessSite, KernelFacts, LoopAround
from perflint.analysis.symbols import Loop
from perflint.rules.aliasing import may_alias
from perflint.rules.burnt_time import burns_time
from perflint.rules.case import Case, Decision, Figure
from perflint.rules.measure import figure
from perflint.rules.memory.accumulators import Edits, register_edits
from perflint.rules.mending import mended, tries
from perflint.rules.open_loops import UNCOUNTED, is_counted
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
    site_suspicion,
)
from perflint.sim.tracers.repeats import Repeats

RULE = Rule(
    code="CU106",
    name="repeated-global-access",
    summary="A loop loads or stores the same address of global memory on every iteration.",
    since="0.1.0",
    status="stable",
    tags=("performance", "cuda", "memory", "global-memory"),
    tracers=("Repeats",),
    measures="requests per address",
    yields_to=("CU503",),
)

#: Requests to each address: a few turns are not worth a word, and the compiler may unroll them.
LEAST_REPEATS = 4
#: What is said where the number of turns is invented: no number of requests is told then.
OF_EACH = "a request on each iteration that comes to it"
#: What makes a value seen by others, or theirs seen: it must go through memory.
_TALKS = frozenset({"bar", "barrier", "membar", "fence", "atom", "red", "call", "nanosleep"})


def suspect(kernel: Kernel) -> Iterator[Suspicion]:
    talks = _talks(kernel.facts)
    for site in kernel.facts.sites:
        looped = _in_loops(kernel.facts, site)
        if _is_asked(site) and not _obstacle(kernel.facts, looped, talks):
            yield site_suspicion(kernel, looped)


def passes_over(kernel: Kernel, site: AccessSite) -> str:
    """What keeps the loop around a site from repeating its address for nothing."""
    if not _is_asked(site):
        return ""
    return _obstacle(kernel.facts, _in_loops(kernel.facts, site), _talks(kernel.facts))


def _is_asked(site: AccessSite) -> bool:
    return site.may_be_global and site.kind in ("load", "store")


def _talks(facts: KernelFacts) -> frozenset[int]:
    """The instructions at which other threads may be heard."""
    listed = enumerate(facts.kernel.instructions)
    return frozenset(pc for pc, instruction in listed if instruction.opcode in _TALKS)


def _obstacle(facts: KernelFacts, site: AccessSite, talks: frozenset[int]) -> str:
    """Why the innermost loop around a site may not do with one access; "" if it may.

    It must leave the address alone, and the value private.
    """
    if not site.loops and not site.loop_depth and not _is_written_out(facts, site):
        return "in the compiled code it is in no loop"
    if not _is_still(site) or not (inside := _turns(facts, site)):
        return "its address may change from one iteration to the next"
    if is_watched(facts.kernel, site.pcs):
        return "it is volatile, or ordered with other threads"
    if not inside.isdisjoint(talks):
        return (
            "a barrier, an atomic or a call in the loop may make the value visible to other threads"
        )
    if burns_time(facts, site):
        return "the loop does the same over and over, which seems to be its purpose"
    rivals = (
        other
        for other in facts.sites
        if other is not site
        and (site.kind != "load" or other.kind != "load")
        and not inside.isdisjoint(other.pcs)
        and _may_meet(site, other)
    )
    if all(o.address is not None and o.address == site.address for o in rivals):
        return ""
    return "another access in the loop may be to the same array"


def _in_loops(facts: KernelFacts, site: AccessSite) -> AccessSite:
    """What of a site is in loops, the innermost that it is in.

    `y[c] = 0; for (…) y[c] += …;` on one line is one site. So are an unrolled loop's turns and
    those that are left of it, which the compiler may write out behind it.
    """
    depth = {pc: sum(pc in loop.pcs for loop in facts.loops) for pc in site.pcs}
    inmost = max(1, *depth.values())
    accesses = zip(site.pcs, site.addresses, strict=False)
    kept = [(pc, at) for pc, at in accesses if depth[pc] == inmost]
    if not kept or len(kept) == len(site.pcs):
        return site
    first, address = kept[0]
    around = sorted((e for e in facts.loops if first in e.pcs), key=lambda loop: loop.depth)
    return replace(
        site,
        pcs=tuple(pc for pc, _ in kept),
        address=address,
        addresses=tuple(at for _, at in kept),
        loops=tuple(LoopAround(Loop(e.header, e.depth), e.last) for e in around),
        loop_depth=len(around),
    )


def _turns(facts: KernelFacts, site: AccessSite) -> frozenset[int]:
    """The instructions of the innermost loops around a site: an unrolled one and what is left of
    it are two. Empty where part of the site is in none.
    """
    if _is_written_out(facts, site):
        return frozenset(range(site.pcs[0], site.pcs[-1] + 1))
    inside: set[int] = set()
    for pc in site.pcs:
        around = [loop for loop in facts.loops if pc in loop.pcs]
        if not around:
            return frozenset()
        inside.update(max(around, key=lambda loop: loop.depth).pcs)
    return frozenset(inside)


def _is_written_out(facts: KernelFacts, site: AccessSite) -> bool:
    """Whether a statement that stores to one element again and again is out of its loop.

    The compiler has written all turns out, and may not leave out a store, as it does a load.
    """
    if site.loop_depth or len(site.pcs) < LEAST_REPEATS or len(set(site.addresses)) > 1:
        return False
    return any(
        other.kind == "store" and other.address == site.address and not other.loop_depth
        for other in facts.sites
        if other.location == site.location and len(other.pcs) >= LEAST_REPEATS
    )


def _is_still(site: AccessSite) -> bool:
    """Whether the address is the same in each turn of the innermost loop."""
    if site.address is None or site.loaded_address or len(site.loops) != site.loop_depth:
        return False
    if len(set(site.addresses)) > 1 or site.array.kind == "unknown":
        return False
    if not site.loops:
        return True
    counter = site.loops[-1].counter.text
    return not any(counter in symbol.text for symbol in site.address.symbols)


def _may_meet(site: AccessSite, other: AccessSite) -> bool:
    """Whether another access may be to the same array: to the same one by name, or to any."""
    if not other.may_be_global:
        return False
    return other.array.kind == "unknown" or other.identity == site.identity


def measure(suspicion: Suspicion, original: Trials, results: Results) -> Case:
    # the golden execution, each address once, is counted in the same run
    counted = [(trial, *trial.tracer(Repeats).of(suspicion.site.pcs)) for trial in original]
    data = "whether and how often it is reached depends on data that is not known"
    return Case(
        suspicion,
        tuple(_figure(*each) for each in counted if each[1]),
        unreached=tuple(trial for trial, requests, _ in counted if not requests),
        data=data if suspicion.site.data_dependent and not _is_in_each_turn(suspicion) else "",
        small="the repeated requests are {share:.1%} of the kernel's",
    )


def _is_in_each_turn(suspicion: Suspicion) -> bool:
    """Whether data decide only how often the loop around an access turns, or whether it does.

    The loop then repeats the address whenever it is reached, which each of the runs has to show.
    """
    kernel, pcs = suspicion.kernel, set(suspicion.site.pcs)
    assert kernel is not None
    inside = _turns(kernel.facts, suspicion.site)
    # a loop within it may be left in two ways, of which one comes to the access
    others = [set(loop.pcs) for loop in kernel.facts.loops if pcs.isdisjoint(loop.pcs)]
    inner = {pc for loop in others if inside > loop for pc in loop}
    return not any(
        branch.pc in inside
        and (not branch.leaves_loop or branch.pc in inner)
        and not pcs.isdisjoint(arm)
        for branch in kernel.facts.branches
        if branch.data_dependent
        for arm in branch.arms
    )


def _figure(trial: Trial, requests: int, different: int) -> Figure:
    return Figure(
        trial,
        requests / different,
        1.0,
        requests >= LEAST_REPEATS * different,
        share=(requests - different) / max(1, trial.tracer(Repeats).requests),
        complete=trial.complete,
        detail=(requests, different),
    )


def cures(suspicion: Suspicion, decision: Decision) -> tuple[Variant, ...]:
    """The original and the value in a register, both to their end: the outputs are compared."""
    return tries(decision, _edits(suspicion)[0])


def _edits(suspicion: Suspicion) -> tuple[Edits, bool]:
    """What keeps the element in a register, and whether it is accessed before the loop."""
    kernel, site = suspicion.kernel, suspicion.site
    assert kernel is not None
    accesses = kernel.accesses(site)
    if not accesses or not kernel.launches or may_alias(kernel):
        return (), False
    at = accesses[0].span
    constructs = kernel.constructs(str(at.path))
    function = constructs.function_at(at.line, at.column) if constructs is not None else None
    if constructs is None or function is None:
        return (), False
    if function != kernel.function:  # it has its own name for the array, and perhaps other callers
        own_name = accesses[0].text.split("[")[0].strip()
        return register_edits(constructs, function, own_name, at)[0], False
    array = kernel.names.plain_array(site)
    return register_edits(constructs, function, array, at) if array else ((), False)


def _requests(trial: Trial) -> int:
    return trial.tracer(Repeats).requests


def describe(suspicion: Suspicion, decision: Decision) -> Told:
    site, kernel, shown = suspicion.site, suspicion.kernel, decision.shown
    assert kernel is not None and isinstance(shown.detail, tuple)
    trial, (requests, different) = shown.trial, shown.detail
    array = kernel.names.array(site)
    executed = sum(trial.run.requests.get(pc, 0) for pc in site.pcs)
    # of a long loop only the first requests are traced; all are for their addresses if it is alone
    each = (max(requests, executed) if site.loop_depth == 1 else requests) / different
    preposition = "from" if site.kind == "load" else "to"
    counted = is_counted(kernel, site, trial)
    notes = _notes(site, trial, requests, executed) if counted else (UNCOUNTED,)
    touched = _edits(suspicion)[1]
    mend = mended(decision, f"keep the value of {array} in a register", _requests, safe=touched)
    least = "at least " if notes else ""
    times = f"{least}{figure(each)} requests per warp" if counted else OF_EACH
    of_all = Evidence("requests per address", each, 1, "requests")
    return Told(
        f"{site.kind} {preposition} {array} repeats its address: {times} where 1 would do",
        label="the address is the same on every iteration",
        evidence=(of_all if counted else Evidence("requests per iteration", 1, 0, "requests"),),
        notes=notes,
        help=_advice(site, array),
        fault=_fault(kernel.facts, site),
        severity=shown.share,
        fix=mend.fix,
        unfixed=mend.unfixed,
    )


def _fault(facts: KernelFacts, site: AccessSite) -> str:
    """What is at fault: an accumulator; or, of what is loaded only, what the loop may store."""
    accumulates = any(
        other.kind != "load" and other.identity == site.identity for other in facts.sites
    )
    if accumulates or site.kind != "load":
        return f"repeated {site.identity}"
    return f"loads again in {site.loops[-1].counter.text}"


def _notes(site: AccessSite, trial: Trial, traced: int, executed: int) -> tuple[str, ...]:
    if trial.run.stop is not None:
        return (
            "the run was cut short in the loop: the real one repeats the address even more often",
        )
    if site.loop_depth > 1 and executed > traced:
        return (f"only the first {traced} requests were compared; there may be more per address",)
    return ()


def _advice(site: AccessSite, array: str) -> str:
    if site.kind == "store":
        return f"keep the value in a register, and store it to {array} once, after the loop"
    return (
        f"load it from {array} into a register before the loop; `__restrict__` on the pointers "
        "lets the compiler do so"
    )
