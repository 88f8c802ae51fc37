"""## What it does
Finds atomic operations in which several lanes of a warp hit the same address.

## Why it is slow
Atomics to one address are serialized. When all 32 lanes of a warp add to the same counter, the
memory does 32 operations where the warp could first add up its values among its lanes and send one.
For integers whose address is the same for the whole warp the compiler already does that; for
floats, and for addresses that merely happen to be equal, it does not.

## Example
```cuda
__global__ void total(float *sum, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(sum, in[i]);
}

void launch(float *sum, const float *in) { total<<<64, 256>>>(sum, in, 16384); }
```

## Use instead
```cuda
__global__ void total(float *sum, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = i < n ? in[i] : 0.0f;
    for (int offset = 16; offset > 0; offset /= 2)
        x += __shfl_down_sync(0xffffffff, x, offset);
    if (threadIdx.x % 32 == 0)
        atomicAdd(sum, x);
}

void launch(float *sum, const float *in) { total<<<64, 256>>>(sum, in, 16384); }
```
One atomic per warp is left; a reduction over the block first leaves one per block.

## How it is confirmed
A few blocks are run, to their end or until they were cut short in a steady loop around the atomic,
and for each request of it the lanes at its most contended address are counted: that many operations
are serialized. The golden execution is one
atomic for each address of a warp. The finding is confirmed if at least {LEAST_MEETING} lanes meet
on average under every condition tried, and the operations above the golden ones are at least
{MIN_WASTE} of what the kernel's warps issue. Where all threads of the grid share the address, the
GPU does one such operation per clock, whatever its multiprocessors issue meanwhile: their share is
of that time. Where the address depends on loaded data, as in a histogram, it is a note unless it is
the same for the warp by its formula: the data of the experiment is invented; and so it is where
data let fewer than {LEAST_LET_IN} lanes at a time come to one address, or where each lane does it
as it leaves a loop, in a turn that data choose, while each turn makes other atomics. But where a
block makes at least {LEAST_BY_ELEMENT} atomics for each element of an array in global memory that
fits into shared memory, a copy there for each block saves the others, whatever the data are: that
is confirmed, where they are {MIN_WASTE} of what warps issue, or L2 takes {OF_THE_TIME:%} of the
time for them; where a number in memory says how often a loop turns, it is told of one turn, and of
runs that were cut short in a steady loop it is those that were made until then. Where a block makes
fewer, as with one element a thread, the whole launch may make many: with at least
{LEAST_BY_COPY} times as many as {RESIDENT} blocks per multiprocessor with a copy each would need,
of which nobody needs a result, that is confirmed, too. However the data spread them, some element
gets its part of the launch's atomics, and these come one after the
other; all together take at least as long as L2 needs for so many. They must be {OF_THE_TIME:%} of
the time.
Integer atomics that the compiler aggregates itself (`add`, and without a use of the result `min`,
`max`, `and`, `or`, `xor`, of 32 bits, at an address that is the same for the warp) are notes too,
unless the whole grid has one address, nobody needs a result, and the atomics that are left, one a
warp, are {OF_THE_TIME:%} of the time above those of one a block.
What a kernel's atomics take adds up, of those of at least {verdict.LEAST_PART:%} each: sums and
their counts.

## When to ignore it
When the kernel does it once beside much other work, or when few lanes ever reach it at a time.

## Options
None.

## References
- NVIDIA, "CUDA Pro Tip: Optimized Filtering with Warp-Aggregated Atomics",
  https://developer.nvidia.com/blog/cuda-pro-tip-optimized-filtering-warp-aggregated-atomics/
- CUDA C++ Programming Guide, "Atomic Functions" and "Warp Reduce Functions"
- NVIDIA, "Kepler GK110", whitepaper, 2012, "Atomic operations": one per clock at a common address
- `docs/hardware.md`, "What a request takes": atomics of a warp, each lane its own word
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from functools import partial
from math import prod

from perflint.analysis.gathers import holds_own_data
from perflint.analysis.model import AccessSite, Branch
from perflint.analysis.symbols import ATOMIC, BLOCK, LANES, LOADED
from perflint.base.floor import ATOMICS_PER_CYCLE, CYCLES_PER_ATOMIC, ISSUED_PER_CYCLE
from perflint.base.records import dataclass
from perflint.grammar import table
from perflint.grammar.model import Immediate, Instruction
from perflint.rules.access_case import parts_lanes
from perflint.rules.case import Case, Decision, Figure
from perflint.rules.contention import Contention, contention
from perflint.rules.measure import figure, memory_cycles
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
from perflint.rules.small_tables import small_extent
from perflint.rules.steady import tells_of_accesses
from perflint.sim.tracers.addresses import Addresses

RULE = Rule(
    code="CU108",
    name="contended-atomic",
    summary="Lanes of a warp hit the same address in an atomic operation.",
    since="0.1.0",
    status="stable",
    tags=("performance", "cuda", "memory", "atomics"),
    tracers=("Addresses", "Lines"),
    measures="atomics at one address per request",
    scope="blocks",
    whole=True,
    sums=True,
)

#: Lanes at one address, on average over requests, from which on a warp is worth combining.
LEAST_MEETING = 2.0
#: … where data say which lanes come to it at all: an eighth of a warp. Fewer are let in seldom.
LEAST_LET_IN = 4.0
CHOSEN = "which lanes hit one address depends on data that is not known"
FEW = "data decide which lanes come to it, and few do with those that were tried"
#: Atomics of a block by elements of an array in global memory, from which on a copy in shared
#: memory is worth its filling and adding up.
LEAST_BY_ELEMENT = 8
LEAVING = "each lane does it once, when it leaves a loop of other atomics, and data decide when"
IN_A_BLOCK = "atomics of a block"
#: Atomics of a launch by those that are left with a copy for each resident block: as many of the
#: largest ones as a multiprocessor holds.
LEAST_BY_COPY = 8
RESIDENT = 2
OF_THE_TIME = 0.25
LAUNCH = 5_000  #: cycles that any launch takes, be it empty: some 3 microseconds
IN_A_LAUNCH = "atomics of a launch"
OF_TIME = "it is {share:.1%} of the time that the kernel takes"
#: What ptxas (12 and 13) makes one atomic a warp of, read from its machine code: integer operations
#: of 32 bits at an address that is the same for the warp.
_AGGREGATED = frozenset({"add", "min", "max", "and", "or", "xor"})
#: What no reduction replaces.
_EXCHANGES = frozenset({"exch", "cas"})


@dataclass(frozen=True)
class Counted:
    """What a block's atomics on few elements of global memory are."""

    atomics: float  #: of a block, on average
    elements: int
    size: int  #: bytes of all elements
    contention: Contention
    copies: int = 1  #: blocks that have one each; 1: of each block as it is
    turn: bool = False  #: of a turn of a loop of which a number in memory says how often it turns
    least: bool = False  #: of a run that was cut short: the block makes more


@dataclass(frozen=True)
class Everywhere:
    """A launch's atomics at one address, one a warp."""

    atomics: float
    blocks: int
    warps: int  #: of a block
    all_make_one: bool  #: of those that were run; else nobody knows how many of the launch do


def suspect(kernel: Kernel) -> Iterator[Suspicion]:
    for site in kernel.facts.sites:
        if site.kind == "atomic" and site.space in ("global", "shared", "generic"):
            yield site_suspicion(kernel, site)


def measure(suspicion: Suspicion, original: Trials, results: Results) -> Case:
    # the golden execution, one atomic for each address, is counted in the same run
    site, kernel = suspicion.site, suspicion.kernel
    assert kernel is not None
    ended = [t for t in original if t.complete]
    told = ended or [t for t in original if tells_of_accesses(t, _made(site, t))]
    seen = [(t, m) for t in told if (m := contention(site, t)) is not None]
    seen.sort(key=lambda each: -each[1].share)
    bins = tuple(f for t, m in seen if (f := _few_elements(kernel, site, t, m)) is not None)
    if bins and len(bins) == len(seen):
        chosen = site.data_dependent and not _is_bounded(kernel, site)
        data = "whether it is reached depends on data that is not known"
        return Case(suspicion, bins, data=data if chosen else "", measures=IN_A_BLOCK)
    if not ended:  # how many a launch makes is not known: what lanes of a warp do at once, is
        return _of_lanes(kernel, suspicion, seen)
    if not site.data_dependent and not _is_asked_for(kernel, site):
        large = [each for each in seen if _fills(kernel, each[0])]
        bins = tuple(f for t, m in large if (f := _of_a_launch(kernel, site, t, m)) is not None)
        if bins and len(bins) == len(large):
            return Case(suspicion, bins, floor=OF_THE_TIME, measures=IN_A_LAUNCH, small=OF_TIME)
    doubt = _doubt(kernel, site)
    if doubt and _is_everywhere(site) and not site.data_dependent:
        large = [each for each in seen if _fills(kernel, each[0])]
        ones = tuple(f for t, _ in large if (f := _of_warps(kernel, site, t)) is not None)
        if ones and len(ones) == len(large) and not _is_asked_for(kernel, site):
            return Case(suspicion, ones, floor=OF_THE_TIME, measures=IN_A_LAUNCH, small=OF_TIME)
    return _of_lanes(kernel, suspicion, seen)


def _made(site: AccessSite, trial: Trial) -> list[int]:
    """Those of a site's instructions that a run came to: of one loop the compiler makes several."""
    return [pc for pc in site.pcs if trial.run.requests.get(pc)]


def _of_lanes(
    kernel: Kernel, suspicion: Suspicion, seen: Sequence[tuple[Trial, Contention]]
) -> Case:
    """The case of the lanes of a warp that hit one address at once."""
    site = suspicion.site
    return Case(
        suspicion,
        tuple(
            Figure(
                t,
                m.meeting,
                1.0,
                m.meeting >= LEAST_MEETING,
                share=_share(kernel, site, t, m),
                detail=m,
            )
            for t, m in seen
        ),
        data=_by_data(kernel, site, seen),
        doubt=_doubt(kernel, site),
        small=OF_TIME if _is_everywhere(site) else Case.small,
    )


def _by_data(kernel: Kernel, site: AccessSite, seen: Sequence[tuple[Trial, Contention]]) -> str:
    """What data decide of how many lanes come to one address, if they do."""
    chosen = site.loaded_address or any(map(parts_lanes, site.guards))
    if chosen and site.uniformity != "uniform":
        return CHOSEN
    if chosen and _few_meet(seen):
        return FEW
    return LEAVING if any(map(partial(_is_left_for, kernel, site), kernel.facts.branches)) else ""


def _is_left_for(kernel: Kernel, site: AccessSite, branch: Branch) -> bool:
    """Whether lanes come to an atomic as they leave a loop, whose every turn makes others."""
    if branch.uniform or not branch.data_dependent or set(site.pcs).isdisjoint(branch.outside):
        return False
    left = {pc for l in kernel.facts.loops if branch.pc in l.pcs for pc in l.pcs}
    others = (each.pcs for each in kernel.facts.sites if each.kind == "atomic")
    return left.isdisjoint(site.pcs) and any(not left.isdisjoint(pcs) for pcs in others)


def _few_meet(seen: Sequence[tuple[Trial, Contention]]) -> bool:
    """Whether a condition on data, as an equality is, lets in few lanes of those that try it."""
    return all(m.meeting < LEAST_LET_IN for _, m in seen)


def _is_everywhere(site: AccessSite) -> bool:
    """Whether all threads of the grid have one address."""
    apart = LANES | BLOCK | LOADED | ATOMIC
    here = site.address is not None and not site.address.depends & apart
    return here and site.space != "shared"


def _share(kernel: Kernel, site: AccessSite, trial: Trial, m: Contention) -> float:
    """How much of the kernel's time the operations above one for each request take.

    At an address that the whole grid shares they come one after another, while all multiprocessors
    that have blocks issue, or wait for memory.
    """
    if not _is_everywhere(site):
        return m.share
    busy = min(kernel.arch.multiprocessors, prod(trial.run.launch.grid))
    cycles = max(trial.run.warp_instructions / ISSUED_PER_CYCLE, memory_cycles(trial))
    return m.excess / (m.excess + max(1.0, cycles) / busy)


def _of_warps(kernel: Kernel, site: AccessSite, trial: Trial) -> Figure | None:
    """What one atomic a block would save of those of a launch of which each warp makes one.

    None where a block makes no more.
    """
    blocks, launch = trial.run.blocks, trial.run.launch
    made = sum(c.requests for pc in site.pcs if (c := trial.tracer(Addresses).counts.get(pc)))
    if made <= len(blocks.indices):
        return None
    each = blocks.total / len(blocks.indices)
    busy = min(kernel.arch.multiprocessors, launch.block_count)
    cycles = max(trial.run.warp_instructions / ISSUED_PER_CYCLE, memory_cycles(trial)) / busy
    saved = made * each - blocks.total
    return Figure(
        trial,
        made * each,
        blocks.total,
        True,
        share=saved / (saved + cycles * each + LAUNCH),
        detail=Everywhere(
            made * each, blocks.total, launch.warps_per_block, made % trial.run.warps == 0
        ),
    )


def _few_elements(kernel: Kernel, site: AccessSite, trial: Trial, m: Contention) -> Figure | None:
    """What a copy in shared memory would save of atomics on few elements of global memory.

    None where data do not choose the elements, or these are many or too many to tell. Where a
    number in memory says how often the loop turns, it is of a turn of a block that has all threads.
    """
    size = small_extent(site, trial) if site.space == "global" and site.loaded_address else 0
    counts = [c for pc in site.pcs if (c := trial.tracer(Addresses).counts.get(pc))]
    elements, atomics = size // site.size, sum(c.lanes for c in counts)
    each = atomics / len(trial.run.blocks.indices)
    turn = site.data_dependent and _is_bounded(kernel, site)
    if turn:
        each = prod(trial.run.launch.block)
    if not elements or each < LEAST_BY_ELEMENT * elements:
        return None
    issued = sum(c.requests for c in counts) / max(1, trial.run.warp_instructions)
    # L2 takes long for the lanes of a request, and longer for those of all multiprocessors at one
    # element, while warps issue others, or wait for memory
    busy = min(kernel.arch.multiprocessors, trial.run.launch.block_count)
    time = atomics * max(CYCLES_PER_ATOMIC, busy / elements)
    by_time = time / (
        time + max(trial.run.warp_instructions / ISSUED_PER_CYCLE, memory_cycles(trial))
    )
    return Figure(
        trial,
        each,
        elements,
        True,
        share=(1 - elements / each) * (by_time if by_time >= OF_THE_TIME else issued),
        detail=Counted(each, elements, size, m, turn=turn, least=not (turn or trial.complete)),
    )


def _is_bounded(kernel: Kernel, site: AccessSite) -> bool:
    """Whether data say no more of an atomic than how often a loop turns that all threads share.

    As a number of elements does that an earlier kernel counted: it is nobody's own. All threads of
    a block come to it then, but in the last turn.
    """
    guards = [s for guard in site.guards for s in guard.symbols]
    deciding = [
        branch
        for branch in kernel.facts.branches
        if branch.data_dependent and any(set(site.pcs) & set(arm) for arm in branch.arms)
    ]
    asked = [s for branch in deciding if branch.condition for s in branch.condition.symbols]
    known = all(branch.condition is not None for branch in deciding)
    some = any(each.depends & LANES and not each.depends & LOADED for each in site.guards)
    own = any(map(holds_own_data, [*guards, *asked]))
    return known and bool(site.loops) and not some and not own


def _fills(kernel: Kernel, trial: Trial) -> bool:
    """Whether a launch has the blocks that would have a copy: a smaller one is over soon."""
    return trial.run.launch.block_count >= RESIDENT * kernel.arch.multiprocessors


def _is_asked_for(kernel: Kernel, site: AccessSite) -> bool:
    """Whether somebody uses what an atomic found: then its place among the others is asked for."""
    instructions = kernel.facts.kernel.instructions
    read = {name for each in instructions for name in table.reads(each)}
    written = {name for pc in site.pcs for name in table.writes(instructions[pc])}
    return not read.isdisjoint(written)


def _of_a_launch(kernel: Kernel, site: AccessSite, trial: Trial, m: Contention) -> Figure | None:
    """What copies in shared memory, one for each resident block, would save of a whole launch.

    None where data do not choose the elements, or these are many or too many to tell.
    """
    size = small_extent(site, trial) if site.space == "global" and site.loaded_address else 0
    elements, copies = size // site.size, RESIDENT * kernel.arch.multiprocessors
    counted = [c for pc in site.pcs if (c := trial.tracer(Addresses).counts.get(pc))]
    atomics = sum(c.lanes for c in counted) * trial.run.blocks.total / len(trial.run.blocks.indices)
    if not elements or atomics < LEAST_BY_COPY * elements * copies:
        return None
    # all multiprocessors issue, or wait for memory, while one element gets its part of the atomics
    busy = min(kernel.arch.multiprocessors, trial.run.launch.block_count)
    cycles = max(trial.run.warp_instructions / ISSUED_PER_CYCLE, memory_cycles(trial)) / busy
    lanes = sum(c.lanes for c in counted)
    serial = max(lanes / elements, lanes / ATOMICS_PER_CYCLE)
    left = elements * copies / atomics
    return Figure(
        trial,
        atomics,
        elements * copies,
        True,
        share=(1 - left) * serial / (serial + cycles),
        detail=Counted(atomics, elements, size, m, copies),
    )


def describe(suspicion: Suspicion, decision: Decision) -> Told:
    site, kernel, m = suspicion.site, suspicion.kernel, decision.shown.detail
    assert kernel is not None
    if isinstance(m, Counted):
        return _of_few_elements(kernel, site, m, decision.shown.share)
    if isinstance(m, Everywhere):
        return _of_a_grid(kernel, site, m, decision.shown.share)
    assert isinstance(m, Contention)
    array, lanes = kernel.names.array(site), figure(m.meeting)
    everyone = "all " if m.together and m.meeting == 32 else ""
    return Told(
        f"{everyone}{lanes} lanes of a warp hit one address of {array}: {lanes} serialized atomics "
        "where 1 would do",
        label=f"{lanes} lanes at one address",
        evidence=(Evidence("atomics at one address per request", m.meeting, 1.0, "operations"),),
        help=_help(kernel, site),
        witness=kernel.names.witness(m.witness, "lanes at one address"),
        fault=f"{array} {site.kind}",
        severity=decision.shown.share,
    )


def _of_a_grid(kernel: Kernel, site: AccessSite, m: Everywhere, share: float) -> Told:
    array = kernel.names.array(site)
    message = (
        f"a launch makes {m.atomics:,.0f} atomics on one element of {array}, one a warp, where "
        f"{m.blocks:,} would do, one a block"
    )
    label = f"{m.atomics:,.0f} atomics on one element"
    evidence = Evidence(IN_A_LAUNCH, m.atomics, m.blocks, "operations")
    if not m.all_make_one:
        message = (
            f"each warp that comes to it makes an atomic on one element of {array}: up to "
            f"{m.warps} a block where 1 would do"
        )
        label = "an atomic on one element by each warp"
        evidence = Evidence("atomics of a block at most", m.warps, 1, "operations")
    return Told(
        message,
        label=label,
        evidence=(evidence,),
        help=_of_tiles(array, uniform=True)
        if kernel.names.language == "triton"
        else "the compiler aggregates each warp's; reduce over the block first, in shared memory, "
        f"and let one thread do the atomic on {array}",
        fault=f"{array} {site.kind}",
        severity=share,
    )


def _of_few_elements(kernel: Kernel, site: AccessSite, m: Counted, share: float) -> Told:
    array, elements = kernel.names.array(site), f"{m.elements:,} element{'s' * (m.elements > 1)}"
    if m.copies > 1:
        return Told(
            f"a launch makes {m.atomics:,.0f} atomics on the {elements} of {array} in global "
            f"memory, where {m.elements * m.copies:,} would do",
            label=f"{m.atomics / m.elements:,.0f} atomics an element",
            evidence=(Evidence(IN_A_LAUNCH, m.atomics, m.elements * m.copies, "operations"),),
            help=f"let {m.copies} blocks go over the data, each with a copy of {array} in shared "
            f"memory ({m.size:,} bytes) that it adds up at its end, one atomic an element",
            witness=kernel.names.witness(m.contention.witness, "lanes at one address"),
            fault=f"{array} {site.kind}",
            severity=share,
        )
    least = "at least " if m.least else ""
    made = (
        f"each block makes {least}{m.atomics:,.0f} atomics on the {elements} of {array} in global "
        "memory"
    )
    if m.turn:
        made += " in a turn of its loop that all of its threads make"
    return Told(
        f"{made}, where {m.elements:,} would do",
        label=f"{m.atomics / m.elements:,.0f} atomics an element and block",
        evidence=(Evidence(IN_A_BLOCK, m.atomics, m.elements, "operations"),),
        help=f"let each block update a copy of {array} in shared memory ({m.size:,} bytes), and "
        "add that up at its end, one atomic an element",
        witness=kernel.names.witness(m.contention.witness, "lanes at one address"),
        fault=f"{array} {site.kind}",
        severity=share,
    )


def _doubt(kernel: Kernel, site: AccessSite) -> str:
    instructions = [kernel.facts.kernel.instructions[pc] for pc in site.pcs]
    read = {name for each in kernel.facts.kernel.instructions for name in table.reads(each)}
    if site.uniformity == "uniform" and all(_is_aggregated(i, read) for i in instructions):
        return "ptxas already aggregates this to one atomic per warp"
    return ""


def _is_aggregated(instruction: Instruction, read: Set[str]) -> bool:
    """Whether ptxas combines the lanes of an atomic at an address that is the same for them.

    `read` are the registers that any instruction reads.
    """
    operation = next((m for m in instruction.modifiers if m in _AGGREGATED), "")
    kind = table.types(instruction)[-1]
    unused = read.isdisjoint(table.writes(instruction))
    if kind in ("u32", "s32", "b32"):
        return bool(operation) and (unused or operation == "add")
    constant = isinstance(instruction.operands[-1], Immediate)
    return kind in ("u64", "s64") and operation == "add" and constant


def _reductions(kernel: Kernel, site: AccessSite) -> str:
    """What adds up a warp's values: words of 4 bytes by an instruction of their own, since sm_80.

    CUDA C++ Programming Guide, "Warp Reduce Functions".
    """
    types = {table.types(kernel.facts.kernel.instructions[pc])[-1] for pc in site.pcs}
    whole = types <= {"u32", "s32"} and kernel.arch.compute_capability >= (8, 0)
    return "`__shfl_down_sync`, or `__reduce_add_sync`" if whole else "`__shfl_down_sync`"


def _help(kernel: Kernel, site: AccessSite) -> str:
    array = kernel.names.array(site)
    if any(_EXCHANGES & set(kernel.facts.kernel.instructions[pc].modifiers) for pc in site.pcs):
        return (
            f"an exchange of {array} cannot be combined: let one lane of a warp try for all, or "
            "give the threads that compete places of their own"
        )
    if kernel.names.language == "triton":
        return _of_tiles(array, uniform=site.uniformity == "uniform")
    if site.uniformity == "uniform":
        return (
            f"reduce within the warp first ({_reductions(kernel, site)}), and let one lane do the "
            f"atomic on {array}; one per block is better still"
        )
    return (
        "combine the lanes that share an address first (`__match_any_sync`, or a reduction over "
        f"the threads that add to the same element of {array}), and let one of them do the atomic"
    )


def _of_tiles(array: str, *, uniform: bool) -> str:
    """The same in Triton, which knows tiles and no lanes."""
    if uniform:
        return (
            "add the tile up first (tl.sum, or tl.max, tl.min), and let one tl.atomic of a scalar "
            f"on {array} a program do it"
        )
    return (
        f"combine the elements of the tile that go to one element of {array} first (tl.histogram, "
        "or a sum along the axis that they share), and do one tl.atomic for each"
    )
