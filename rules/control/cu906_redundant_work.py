"""## What it does
Finds loops over memory in which all lanes of a warp do the same: they load the same elements and
compute the same values, and each has the whole result.

## Why it is slow
A warp that does the work of one thread takes as long as if its lanes shared it out, times 32. Often
a block was meant to work on a row, and each of its threads works on all of it.

## Example
```cuda
__global__ void centre(const float *in, float *out, int columns)
{
    const float *row = in + blockIdx.x * columns;
    float sum = 0.0f;
    for (int j = 0; j < columns; j++)
        sum += row[j];
    for (int j = threadIdx.x; j < columns; j += blockDim.x)
        out[blockIdx.x * columns + j] = row[j] - sum / columns;
}

void launch(const float *in, float *out) { centre<<<512, 32>>>(in, out, 2000); }
```

## Use instead
```cuda
__global__ void centre(const float *in, float *out, int columns)
{
    const float *row = in + blockIdx.x * columns;
    float sum = 0.0f;
    for (int j = threadIdx.x; j < columns; j += 32)
        sum += row[j];
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, offset);
    for (int j = threadIdx.x; j < columns; j += 32)
        out[blockIdx.x * columns + j] = row[j] - sum / columns;
}

void launch(const float *in, float *out) { centre<<<512, 32>>>(in, out, 2000); }
```

## How it is confirmed
A loop is looked at if no value in it depends on the thread within the warp, and the address of some
access to global or shared memory moves on with each iteration. A few blocks are run, and the
instructions that warps issue in the loop are counted. In the golden execution the lanes of a warp
share its iterations and combine their results by {STEPS} shuffles. The finding is confirmed if the
loop has more iterations than a warp has lanes, and that saves at least {FLOOR:%} of all the
instructions that warps issue. Loops that wait for other threads, or exchange values with them, are
left out, and so is the work of a single thread, which is CU901's.

## When to ignore it
When each iteration needs the result of the one before, and there are no rows to share out instead.

## Options
None.

## References
- CUDA C++ Best Practices Guide, "Parallelizing an Application"
- Harris, "Optimizing Parallel Reduction in CUDA", NVIDIA, 2007
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from operator import or_

from perflint.analysis.model import AccessSite, KernelFacts, LoopFacts
from perflint.analysis.symbols import LANE, LANES, TID_X, TID_Y, TID_Z
from perflint.analysis.symbols import Loop as Turn
from perflint.base.records import dataclass
from perflint.base.span import Span
from perflint.rules.case import Case, Decision, Figure, nothing
from perflint.rules.measure import ASSUMED_TURNS, counted, figure
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
from perflint.rules.steady import tells
from perflint.sim.launch import Dim3
from perflint.sim.tracers.instruction import Instruction

RULE = Rule(
    code="CU906",
    name="redundant-work",
    summary="All lanes of a warp do the same work in a loop, which they could share.",
    since="0.1.0",
    tags=("performance", "cuda", "control-flow", "redundancy"),
    tracers=("Instruction",),
    measures="warp instructions in the loop",
    scope="blocks",
    prefix=True,
    sums=True,
    floor=0.25,  # of the instructions that warps issue: a result that all need costs something
)

WARP = 32
STEPS = 5  #: shuffles by which the lanes of a warp combine their results
COMBINED = 2 * STEPS  #: instructions of that: a shuffle and an operation each
#: Active lanes of a warp from which on its work is the warp's, and not that of a few threads.
MOST_LANES = 24
#: What exchanges values with other threads, or waits for them; functions that are not seen.
_EXCHANGES = frozenset(
    (
        *("shfl", "vote", "match", "redux", "activemask", "elect", "bar", "barrier", "mbarrier"),
        *("atom", "red", "membar", "fence", "nanosleep", "mma", "wmma", "wgmma", "cp", "call"),
    )
)
_WAITS = frozenset({"volatile", "relaxed", "acquire", "release"})
_MEMORY = frozenset({"global", "shared", "generic"})


@dataclass(frozen=True)
class _Walk:
    """A loop over memory, as unrolling parts it."""

    loops: tuple[LoopFacts, ...]
    sites: tuple[AccessSite, ...]  #: whose addresses are others in each iteration

    @property
    def lanes(self) -> int:
        """What of a thread's index its values depend on."""
        return reduce(or_, (loop.lanes for loop in self.loops))

    @property
    def by_data(self) -> bool:
        """Whether loaded data decide when it ends."""
        return any(loop.data_dependent for loop in self.loops)


def suspect(kernel: Kernel) -> Iterator[Suspicion]:
    facts = kernel.facts
    seen: set[int] = set()
    walks: dict[Span | int, list[tuple[LoopFacts, tuple[AccessSite, ...]]]] = {}
    for loop in facts.loops:  # outer ones first
        if loop.lanes & (TID_X | LANE) or not seen.isdisjoint(loop.pcs):
            continue
        if sites := _walked(facts, loop):
            seen.update(loop.pcs)
            place = kernel.statement(loop.location) or loop.header
            walks.setdefault(place, []).append((loop, sites))
    for place, found in walks.items():
        loops = tuple(loop for loop, _ in found)
        sites = tuple(dict.fromkeys(site for _, each in found for site in each))
        pcs = tuple(sorted(pc for loop in loops for pc in loop.pcs))
        span = place if isinstance(place, Span) else None
        yield Suspicion("loop", kernel, pcs, span=span, about=_Walk(loops, sites))


def _walked(facts: KernelFacts, loop: LoopFacts) -> tuple[AccessSite, ...]:
    """The accesses by which a loop walks over memory; none if its work is not to be shared."""
    for pc in loop.pcs:
        instruction = facts.kernel.instructions[pc]
        if instruction.opcode in _EXCHANGES or _WAITS.intersection(instruction.modifiers):
            return ()
    sites = [site for site in facts.sites if not set(loop.pcs).isdisjoint(site.pcs)]
    if any(site.space == "local" for site in sites):
        return ()  # each thread fills an array of its own
    return tuple(site for site in sites if site.space in _MEMORY and _moves_on(site, loop))


def _moves_on(site: AccessSite, loop: LoopFacts) -> bool:
    """Whether an address is another one in each iteration, by a formula."""
    address = site.address
    return address is not None and any(
        isinstance(atom, Turn) and atom.header in loop.pcs for atom in address.atoms
    )


def measure(suspicion: Suspicion, original: Trials, results: Results) -> Case:
    # the golden execution, the same iterations shared out, is counted in the same run
    walk = suspicion.about
    assert isinstance(walk, _Walk)
    told = [trial for trial in original if tells(trial, suspicion.pcs)]
    alike = [trial for trial in told if not walk.lanes & _differs(trial.run.launch.block)]
    if told and not alike:
        return nothing(suspicion, "the lanes of a warp are of several rows, each with its own work")
    long = "how often the loop runs depends on data that is not known"
    figures = [found for trial in alike if (found := _figure(walk, trial)) is not None]
    return Case(suspicion, tuple(figures), data=long if walk.by_data else "")


def _differs(block: Dim3) -> int:
    """What of a thread's index differs among the lanes of a warp."""
    if block[0] % WARP == 0:
        return LANES & ~(TID_Y | TID_Z)
    return LANES & ~TID_Z if block[0] * block[1] % WARP == 0 else LANES


def _figure(walk: _Walk, trial: Trial) -> Figure | None:
    executed = trial.tracer(Instruction).executed
    entries = max(_warps(loop.entries, executed) for loop in walk.loops)
    issued = sum(_warps(loop.pcs, executed) for loop in walk.loops)
    turns = _iterations(walk, trial) / entries if entries else 0.0
    if not turns or not issued:
        return None
    # a loop that data end counts as long (docs/architecture.md, "The verdict")
    longer = max(1.0, ASSUMED_TURNS / turns) if walk.by_data else 1.0
    total = trial.run.warp_instructions + issued * (longer - 1)
    issued, turns = round(issued * longer), turns * longer
    ideal = issued * math.ceil(turns / WARP) / turns + COMBINED * entries
    headers = [executed.get(loop.header, (0, 0)) for loop in walk.loops]
    whole = all(threads >= MOST_LANES * warps for warps, threads in headers)
    fine = ""
    if turns <= WARP:
        fine = (
            f"the loop has {counted(turns, 'iteration')}: too few for the lanes of a warp to share"
        )
    elif not whole:
        fine = f"fewer than {MOST_LANES} lanes of a warp come to it: it is the work of few threads"
    bad = not fine and ideal < issued
    ideal = min(ideal, issued)
    share = (issued - ideal) / max(1, total)
    return Figure(trial, issued, ideal, bad, share=share, fine=fine)


def _warps(pcs: Iterable[int], executed: Mapping[int, tuple[int, int]]) -> int:
    """How often warps executed some instructions."""
    return sum(executed[pc][0] for pc in pcs if pc in executed)


def _iterations(walk: _Walk, trial: Trial) -> int:
    """Iterations of the source that warps make: unrolled, an access has several instructions.

    Its copies in the rest of the loop are other sites of the same array.
    """
    executed, made = trial.tracer(Instruction).executed, Counter[str]()
    for site in walk.sites:
        made[f"{site.kind} {site.identity}"] += _warps(site.pcs, executed)
    return max(made.values())


def describe(suspicion: Suspicion, decision: Decision) -> Told:
    shown = decision.shown
    block = shown.trial.run.launch.block
    return Told(
        f"all lanes of a warp do the same in this loop: {figure(shown.measured)} warp instructions "
        f"where {figure(shown.ideal)} would do if they shared its iterations",
        label=f"costs {shown.share:.0%} of what the kernel's warps issue",
        evidence=(
            Evidence("warp instructions in the loop", shown.measured, shown.ideal, "instructions"),
        ),
        help=_help(block),
        fault="loops that all lanes do alike",
        severity=shown.share,
    )


def _help(block: Sequence[int]) -> str:
    lanes = "threadIdx.x" if block[0] % WARP == 0 else "the thread's index"
    step = "blockDim.x" if block[1] * block[2] == 1 and block[0] > WARP else "32"
    combined = "by `__shfl_xor_sync`" if step == "32" else "by a tree in shared memory"
    return (
        f"let each thread take its share of the iterations (from {lanes} in steps of {step}) and "
        f"combine their results {combined}; or give each thread a row of its own"
    )
