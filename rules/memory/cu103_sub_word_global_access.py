"""## What it does
Finds kernels that move global memory in elements of fewer than 4 bytes per thread: `char` and
`half` arrays element by element, or several bytes side by side one by one.

## Why it is slow
A warp's request for 32 bytes costs as many instructions and issue slots as one for 128 bytes, and
keeps only a quarter as many bytes in flight. One thread can move the bytes of four threads as one
word.

## Example
```cuda
__global__ void invert(unsigned char *out, const unsigned char *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 255 - in[i];
}
```

## Use instead
```cuda
__global__ void invert(uchar4 *out, const uchar4 *in, int quarter)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < quarter) {
        uchar4 p = in[i];
        out[i] = make_uchar4(255 - p.x, 255 - p.y, 255 - p.z, 255 - p.w);
    }
}
```
The arrays must be aligned to 4 bytes, as what `cudaMalloc` returns is; one thread handles the
remaining elements, three at most.

## How it is confirmed
Neighbouring threads access neighbouring elements of fewer than {access_shapes.WORD} bytes, or each
several that lie side by side. The requests of a simulation are counted; the golden execution moves
the same bytes in words, 128 bytes per request. The finding is confirmed if that saves at least
{FLOOR:%} of the requests that the kernel makes to global memory. Not reported: arrays of `bool`,
accesses that depend on data, arrays of up to {small_tables.SMALL_TABLE:bytes}, loaded indices
(tables), and the rest of an array that is moved in words elsewhere. What each thread does once,
beside a loop whose length nobody can say, is a note; and so is one element of two bytes that a
thread stores where all that threads load are words: they wait for what they load; or that it loads
once and stores as a word; and one of a Triton tensor whose type was made up. A loop that writes an
element a turn is edited to write a word a turn; that is a fix if it writes the same bytes in fewer
requests, and unsafe where no launch shows that the array is aligned.

## When to ignore it
When the kernel computes much for each element, or its rows cannot be aligned. Where a thread has
one such element, and these are less than a quarter of the bytes that the kernel moves, it is
undecided: fewer requests bring no byte less. Of what is stored, or lies side by side, it is an
eighth. So it is where the kernel issues more than a hundred instructions for each request that is
saved, and where no launch has a warp for each scheduler: threads that take four elements are fewer,
with as many bytes on their way.

## Options
None.

## References
- CUDA C++ Programming Guide, "Device Memory Accesses", size and alignment requirement
- Yang, Xiang, Mantor, Zhou, "Fixing Performance Bugs: An Empirical Study of Open-Source GPGPU
  Programs", ICPP 2012, section V.A.1
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from perflint.analysis.model import AccessSite
from perflint.base.evidence import WorstRequest
from perflint.base.floor import ISSUED_PER_CYCLE
from perflint.rules import advice
from perflint.rules.access_case import access_case, access_notes, measurement
from perflint.rules.access_shapes import (
    WORD,
    Shape,
    element_size,
    group_suspicion,
    groups,
    in_words,
    shapes,
)
from perflint.rules.case import Case, Decision, nothing
from perflint.rules.few_warps import may_grow, small_launch
from perflint.rules.instruction_cost import total
from perflint.rules.measure import Measurement, counted, figure
from perflint.rules.memory.aligned_records import align_edits
from perflint.rules.memory.packed_turns import packed_turns
from perflint.rules.memory.vector_edits import vector_edits
from perflint.rules.mending import mended, tries
from perflint.rules.open_loops import beside_open_loops
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
from perflint.rules.small_tables import table_bytes
from perflint.rules.vector_alignment import if_aligned
from perflint.rules.worst_request import Change, whole_elements, words, worst_request
from perflint.sim.accesses import AccessCount
from perflint.sim.tracers.accesses import AccessCounter
from perflint.sim.tracers.instruction import Instruction

RULE = Rule(
    code="CU103",
    name="sub-word-global-access",
    summary="Threads move elements of fewer than 4 bytes where words would do.",
    since="0.1.0",
    status="stable",
    tags=("performance", "cuda", "memory", "global-memory", "vectorization"),
    tracers=("AccessCounter", "Instruction"),
    measures="requests for 128 bytes",
    claim="pattern",
    floor=0.25,  # of the kernel's requests to global memory, that words would save
    change="requests",
)

#: Why a store of halves beside loads of words is no matter: nobody waits for a store. One of bytes
#: fills a quarter of its request (C. Yang et al., section 4, A1).
NARROWED = "only its stores are narrow: what threads wait for are loads, and they load whole words"
#: … and why they are none where the kernel moves much else: fewer requests bring no byte less.
#: A multiprocessor full of warps with 32 bytes each on their way has a third of what keeps memory
#: busy: where the kernel moves three times as much beside, memory is busy already.
#: For stores nobody waits, several loads side by side are several on their way: half as many do.
WAITS = "it is less than {} of what the kernel moves, and no byte less in fewer requests"
LEAST_BYTES = {"load": (1 / 4, "a quarter"), "other": (1 / 8, "an eighth")}
#: … nor where the kernel issues a hundred instructions for each request that is saved.
HARDLY = "the requests that words save are less than a hundredth of what the kernel's warps issue"
LEAST_ISSUED = 1 / 100
#: … nor where threads that take several elements are too few: as many bytes are on their way.
FEW = "no launch has a warp for each scheduler, and threads of several elements are fewer still"
#: … nor where nobody says of what type a tensor is: another has words.
MADE = "how large its elements are was made up with its tensor"
#: … nor where each element is stored as a whole word: most of the bytes are in whole words then.
WIDENED = "what it loads it stores in whole words, an element a thread: no byte less is moved"
#: Bytes of a full warp's request in words.
_REQUEST = 32 * WORD
#: Vectors by their size: what an element is read with of which only some parts are used.
_WHOLE = {4: "uchar4", 8: "uint2", 16: "uint4"}


def suspect(kernel: Kernel) -> Iterator[Suspicion]:
    for site, shape in groups(kernel, "sub-word"):
        if not _excuse(kernel, site):
            yield group_suspicion(kernel, site, shape)


def passes_over(kernel: Kernel, site: AccessSite) -> str:
    """Why elements below a word are all right here, or what the shape is if they are none."""
    known = shapes(kernel).get(site.pcs)
    if known is None or known.kind != "sub-word":
        return in_words(kernel, site)
    return _excuse(kernel, site) or "it is looked at with the others of its element"


def _excuse(kernel: Kernel, site: AccessSite) -> str:
    """What speaks for elements below a word; "" where nothing does."""
    if site.data_dependent:
        return "data decide whether it is reached, so that a thread cannot do it for its neighbours"
    if site.loaded_address:
        return "its address is loaded data, so that neighbours have no elements side by side"
    if _is_flag(kernel, site):
        return "it is a thread's own flag, a bool"
    if _is_remainder(kernel, site):
        return "the array is moved in words as well, and this is what is left over"
    return ""


def _is_remainder(kernel: Kernel, site: AccessSite) -> bool:
    """Whether the array is moved in words as well: these are what is left before and behind them.

    How much that is depends on sizes which are mostly not known.
    """
    alike = (s for s in kernel.facts.sites if s.array == site.array and s.kind == site.kind)
    return site.array.kind == "parameter" and any(other.size >= WORD for other in alike)


def _is_flag(kernel: Kernel, site: AccessSite) -> bool:
    """Whether an array is of `bool`: a thread's own switch, no stream of data."""
    index = site.array.parameter
    if kernel.function is None or index is None:
        return False
    return re.search(r"\bbool\b", kernel.function.parameters[index].type) is not None


def measure(suspicion: Suspicion, original: Trials, results: Results) -> Case:
    # the golden execution, the same bytes in words, is counted in the original's run
    size = max(table_bytes(suspicion.site, trial) for trial in original)
    if size:
        return nothing(suspicion, f"it reads a table of {size} bytes, which stay in L1")
    case = beside_open_loops(access_case(suspicion, original, "global", _bad, cost=_requests))
    case = replace(case, small="it is {share:.1%} of the kernel's requests")
    kernel, shape = suspicion.kernel, suspicion.about
    assert kernel is not None and isinstance(shape, Shape)
    size = suspicion.site.size
    dealt = packed_turns(kernel, suspicion.site)
    alone = (shape.step or 0) <= size and not dealt
    if alone and size > 1 and _only_leaves_narrow(kernel):
        case = replace(case, doubt=case.doubt or NARROWED)
    if _is_words(shape, suspicion.site):
        return replace(case, doubt=case.doubt or _hardly(case))
    most = _of_one_element(kernel)
    figures = tuple(replace(f, peers=min(f.peers, most)) for f in case.figures)
    one = "load" if alone and suspicion.site.kind == "load" else "other"
    doubt = case.doubt or ("" if dealt else _slight(kernel, case, *LEAST_BYTES[one]))
    if not doubt and alone and kernel.made_up:
        doubt = MADE
    if not doubt and alone and size > 1 and _widens(kernel, suspicion.site):
        doubt = WIDENED
    return replace(case, figures=figures, doubt=doubt)


def _slight(kernel: Kernel, case: Case, least: float, share: str) -> str:
    """Why fewer requests of these bytes are no matter in their kernel; "" where they may be.

    A thread that takes several elements in the place of one makes fewer requests, of as many bytes.
    """
    if not case.bad:
        return ""
    found = _moved(case.bad[0].trial)
    narrow = sum(count.golden for count in found if count.size < WORD)
    if narrow < least * sum(count.golden for count in found):
        return WAITS.format(share)
    launch = small_launch(kernel)
    few = launch is not None and not may_grow(kernel, launch)
    return FEW if few else _hardly(case)


def _hardly(case: Case) -> str:
    """Whether words save requests that are hardly any of what the kernel issues."""
    if not case.bad:
        return ""
    trial = case.bad[0].trial
    saved = sum(_requests(count)[1] for count in _moved(trial))
    return HARDLY if saved < LEAST_ISSUED * total(trial).instructions else ""


def _moved(trial: Trial) -> list[AccessCount]:
    counts = trial.tracer(AccessCounter).counts.values()
    return [count for count in counts if count.space == "global"]


def _only_leaves_narrow(kernel: Kernel) -> bool:
    """Whether a kernel stores less a thread than a word, and loads words from everywhere."""
    loads = [s for s in kernel.facts.sites if s.may_be_global and s.kind == "load"]
    moved = [s for s in loads if s.uniformity != "uniform"]
    return bool(moved) and all(s.size >= WORD for s in moved)


def _widens(kernel: Kernel, site: AccessSite) -> bool:
    """Whether a thread loads one narrow element, and stores nothing but words of its own."""
    moved = [s for s in kernel.facts.sites if s.may_be_global and s.uniformity != "uniform"]
    stores = [s for s in moved if s.kind == "store"]
    narrow = [s for s in moved if s.kind == "load" and s.size < WORD]
    once = len(site.pcs) == 1 and not any(s.loops for s in (site, *stores))
    return once and narrow == [site] and bool(stores) and all(s.size >= WORD for s in stores)


def _of_one_element(kernel: Kernel) -> int:
    """How many accesses are mended where a thread takes several elements in the place of one."""
    alike = ((site, its) for site, its in groups(kernel, "sub-word") if not _is_words(its, site))
    return sum(not _excuse(kernel, site) for site, _ in alike)


def cures(suspicion: Suspicion, decision: Decision) -> tuple[Variant, ...]:
    """The original and a word a turn, or an element as one, both to their end."""
    kernel, shape = suspicion.kernel, suspicion.about
    assert kernel is not None and isinstance(shape, Shape)
    dealt = packed_turns(kernel, suspicion.site)
    if dealt:
        return tries(decision, dealt, dealt=True)
    return tries(decision, _whole(kernel, shape) or align_edits(kernel, shape))


def _whole(kernel: Kernel, shape: Shape) -> tuple[Edit, ...]:
    """The edits that make accesses to a word's bytes parts of one vector."""
    size = shape.group[0].size
    if not shape.whole or shape.step != WORD:
        return ()
    return vector_edits(kernel, shape, {1: "uchar4", 2: "ushort2"}[size], WORD // size)


def _all_requests(trial: Trial) -> int:
    counts = trial.tracer(AccessCounter).by_space.values()
    return sum(count.requests for count in counts if count.space in ("global", "local"))


def _issue(trial: Trial) -> float:
    """The cycles in which a multiprocessor issues the turns of a run's loops.

    What stands before them counts once for a warp, also for those that have no turn to take: a
    launch made small for a trial has many of these, and its real sizes turns for all.
    """
    executed = trial.tracer(Instruction).executed
    turning = {pc for loop in trial.facts.loops for pc in loop.pcs}
    counted = [warps for pc, (warps, _) in executed.items() if pc in turning or not turning]
    return sum(counted) / ISSUED_PER_CYCLE


def describe(suspicion: Suspicion, decision: Decision) -> Told:
    site, kernel, shape = suspicion.site, suspicion.kernel, suspicion.about
    assert isinstance(shape, Shape) and kernel is not None and shape.step is not None
    m = measurement(decision)
    array = kernel.names.array(site)
    measured = m.requests * _REQUEST / (m.lanes * site.size)
    what = f"let a thread {site.kind.replace('load', 'read').replace('store', 'write')} "
    what += f"{WORD // site.size} neighbouring elements of {array} as one word"
    safe = _is_allocated(kernel, site)
    if not safe:
        what += f" (it must be aligned to {WORD} bytes)"
    mend = mended(decision, what, _all_requests, safe=safe, beside=_issue)
    return Told(
        message=f"{advice.access(site.kind, array)} moves {counted(site.size, 'byte')} a thread: "
        f"{figure(measured)} requests for 128 bytes where 1 would do",
        label=f"{counted(site.size, 'byte')} a thread",
        evidence=(Evidence("requests for 128 bytes", measured, 1, "requests"),),
        notes=access_notes(decision),
        help=_help(kernel, site, shape, array) + _shift(m.witness.lanes),
        witness=kernel.names.witness(m.witness, "sectors"),
        request=_request(kernel, site, shape, m),
        # a thread that takes four elements takes four of each array
        fault=f"elements of {array}" if _is_words(shape, site) else "one element a thread",
        severity=m.share,
        fix=mend.fix,
        unfixed=mend.unfixed,
    )


def _is_allocated(kernel: Kernel, site: AccessSite) -> bool:
    """Whether every launch passes what an allocation returned, and the kernel uses that itself."""
    index = site.array.parameter
    named = kernel.function.parameters[index].name if kernel.function and index is not None else ""
    used = {each.text.split("[")[0].strip() for each in kernel.accesses(site)}
    return used == {named} and kernel.is_allocated(index)


def _bad(m: Measurement) -> bool:
    return m.full


def _requests(count: AccessCount) -> tuple[int, int]:
    """Requests, and those that moving the same bytes in words would save."""
    if count.size >= WORD:
        return count.requests, 0
    return count.requests, count.requests - -(-count.lanes * count.size // _REQUEST)


def _is_words(shape: Shape, site: AccessSite) -> bool:
    """Whether what a thread has of an array is whole words: it alone can move them as such."""
    step = shape.step or 0
    return step > site.size and shape.whole and step % WORD == 0


def _shift(lanes: tuple[int | None, ...]) -> str:
    """What is to be said of a warp's elements that begin within a word, as behind a border."""
    first = next((offset for offset in lanes if offset is not None), 0)
    if first % WORD == 0:
        return ""
    return ", and elements are dealt out from a whole word on: here warps begin within one"


def _request(kernel: Kernel, site: AccessSite, shape: Shape, m: Measurement) -> WorstRequest:
    """The worst request, and with words or whole elements a lane where the advice is such."""
    step = shape.step or 0
    if step <= site.size:
        moved: Change = words
        change = f"one word a lane in place of {WORD // site.size} requests"
    elif shape.whole:
        moved = whole_elements(step)
        change = f"each lane's whole element in place of {step // site.size} requests"
    else:
        return worst_request(kernel.names, site, m)
    return worst_request(kernel.names, site, m, change, moved)


def _help(kernel: Kernel, site: AccessSite, shape: Shape, array: str) -> str:
    step, size = shape.step or 0, site.size
    verb = {"load": "read", "store": "write"}.get(site.kind, "access")
    vectors = {1: "uchar4 (or char4)", 2: "ushort2 or short2"}
    if size == 2 and not element_size(kernel, site):  # of a type that is none of C's own
        vectors[2] = "__half2, __nv_bfloat162 or ushort2"
    if kernel.names.language == "triton":
        return (
            advice.one_by_one(verb, array)
            if _is_words(shape, site)
            else f"give a program more elements of {array} than it has threads (a larger tile, or "
            "fewer warps), so that each thread moves neighbouring ones together"
        )
    if _is_words(shape, site):
        width = next(each for each in (16, 8, WORD) if step % each == 0)
        kind = {16: "uint4", 8: "uint2", WORD: "uchar4"}[width]
        if size == 2 and width < 16:
            kind = f"ushort{width // size}"
        plenty = step // width
        return (
            f"{verb} them with {'one' if plenty == 1 else plenty} {kind} "
            f"{site.kind}{'s' if plenty > 1 else ''}, {if_aligned(kernel.names, site, width)}"
        )
    if site.kind == "load" and step > size and step in _WHOLE:
        kind = _WHOLE[step]
        aligned = if_aligned(kernel.names, site, step)
        return f"read each element of {array} whole, with one {kind} load, {aligned}"
    aligned = if_aligned(kernel.names, site, WORD, kernel.facts.sites)
    if step > size:
        return (
            f"let a thread {verb} {WORD} elements of {array} at a time, {step} words of 4 bytes, "
            f"{aligned}"
        )
    return (
        f"let each thread {verb} {WORD // size} neighbouring elements as {vectors[size]}, {aligned}"
    )
