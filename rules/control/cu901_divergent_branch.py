"""## What it does
Finds branches on the thread index that split warps, where the lanes that wait for each other cost a
noticeable part of the kernel's instructions.

## Why it is slow
The lanes of a warp share one instruction stream. Where some go one way and some the other, the warp
executes both ways one after the other, each with the other lanes idle. Where whole warps go the
same way, nothing is lost.

## Example
```cuda
__global__ void halves(float *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = data[i];
    if (threadIdx.x % 2 == 0) {
        for (int k = 0; k < n; k++)
            x = x * 0.5f + 1.0f;
    } else {
        for (int k = 0; k < n; k++)
            x = x * 0.25f - 1.0f;
    }
    data[i] = x;
}

void launch(float *data) { halves<<<64, 256>>>(data, 100); }
```

## Use instead
```cuda
__global__ void halves(float *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = data[i];
    if (threadIdx.x / 32 % 2 == 0) {
        for (int k = 0; k < n; k++)
            x = x * 0.5f + 1.0f;
    } else {
        for (int k = 0; k < n; k++)
            x = x * 0.25f - 1.0f;
    }
    data[i] = x;
}

void launch(float *data) { halves<<<64, 256>>>(data, 100); }
```
Here the work is assigned to whole warps instead of to every other lane.

## How it is confirmed
An arm is looked at if it has a loop, a memory operation, a call or more than {SHORT_ARM}
instructions. A few blocks are run to their end, and the instructions that warps issued in the arms
are counted. In the golden execution the same threads of a block go the same ways packed into full
warps; what a single thread of a block does occupies a warp anyway, whose lanes might share its
loops over memory. So does what the leader of each warp does, where the threads of the kernel
exchange values: it has a result of its own warp. A few threads that a bound on their number in the
block picks, `if (threadIdx.x < classes)`, are taken like a single one, if they are half of a warp
at most and each walks over memory in a loop that has more iterations than a warp has lanes. Where a
run ends before it tells, their loops turn as often as the launch says, and all others as often as
it allows. Waiting for a flag, and going from link to link of a list, is no walk.

The finding is confirmed if that saves at least {FLOOR:%} of all the instructions that warps issue.
Loops whose end is an argument that no launch gives are also taken to have
{measure.ASSUMED_TURNS:,} iterations. Branches on loaded data are not looked at, because the data of
the experiment is invented, unless all lanes of a warp have the same; nor are other bounds such as
`i < n`, at which one warp of a row is split, branches that split warps of the grid's first and last
blocks alone, and those with a launch of a kernel in an arm, for that costs each thread its own.

Every n-th thread of a block's tree, `if (t % (2 * s) == 0)`, is run as the first ones, with element
`2 * s * t`: that becomes a fix if the same bytes are left, with fewer instructions. So does a pair
for each of the first threads where the lower one of two exchanges elements, `if ((t ^ j) > t)`; and
what the first threads of each row of a block do, `if (4 * threadIdx.x < n)`, done by consecutive
ones.

Of every n-th thread, where no launch gives n, it is a note. So is a loop that each lane leaves by a
result of its own, as rejection sampling does, or a way in it that each lane's own result says anew
on each iteration: no other order of the threads would even that.

## When to ignore it
When the work cannot be assigned in another order, as at the edge of an image.

## Options
None.

## References
- CUDA C++ Best Practices Guide, "Branching and Divergence",
  https://docs.nvidia.com/cuda/cuda-c-best-practices-guide/#branching-and-divergence
- Kerr, Diamos, Yalamanchili, "GPU Application Development, Debugging, and Performance Tuning with
  GPU Ocelot", GPU Computing Gems Jade Edition, 2012, section 7.3
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from perflint.analysis.gathers import walks
from perflint.analysis.model import Branch as BranchSite
from perflint.analysis.model import KernelFacts
from perflint.analysis.polynomial import Polynomial
from perflint.analysis.symbols import LANES, Op, Opaque, Symbol
from perflint.base.floor import ISSUED_PER_CYCLE
from perflint.base.span import Span
from perflint.grammar.model import Function
from perflint.rules.case import Case, Decision
from perflint.rules.control.arms import (
    Alone,
    figure_ahead,
    figure_of_arms,
    lasting_loops,
    share_in_the_long_run,
)
from perflint.rules.control.packed_rows import packed_rows
from perflint.rules.control.paired_threads import paired_threads
from perflint.rules.control.row_bounds import bounds, cuts_rows_once
from perflint.rules.control.sequential_threads import sequential_threads
from perflint.rules.control.walks import (
    WARP,
    deals_roles,
    has_uniform_data,
    loops_over_memory,
)
from perflint.rules.measure import figure
from perflint.rules.mending import mended, tries
from perflint.rules.open_loops import hangs_on_unknown
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
from perflint.rules.source_loops import loop_places
from perflint.rules.steady import tells
from perflint.sim.child_launches import asks
from perflint.sim.tracers.accesses import AccessCounter
from perflint.sim.tracers.branch import Branch

RULE = Rule(
    code="CU901",
    name="divergent-branch",
    summary="A branch on the thread index splits warps, and its arms are executed one by one.",
    since="0.1.0",
    status="stable",
    tags=("performance", "cuda", "control-flow", "divergence"),
    tracers=("Branch", "Instruction", "AccessCounter"),
    measures="warp instructions in the arms",
    scope="blocks",
    prefix=True,
    # of the instructions that warps issue, that full warps save: the last steps of a tree
    # reduction, `if (t < s)`, cost about half as much, and nobody gains by changing them
    floor=0.10,
)

#: Instructions of an arm up to which the compiler may well predicate it.
SHORT_ARM = 8
SHARED_OUT = (
    "divide the iterations of the loop among the lanes of a warp, and combine their results by "
    "`__shfl_down_sync`; or among the whole block, by a tree in shared memory"
)
SCAN = (
    "divide the iterations of the loop among the lanes of a warp, or among the whole block; where "
    "each needs the result of the one before, as a running sum does, by a scan "
    "(`__shfl_up_sync`, or cub::BlockScan)"
)
LOOP = "the loop that its one thread goes through"
LOOPS = "the loop that these few threads go through"
AS_LONG = (
    "each lane goes round until its own result ends the loop, as in rejection sampling: no other "
    "order of the threads evens that"
)
ANEW = (
    "each lane's own result says which way it goes, anew on each iteration: no other order of the "
    "threads evens that"
)
WITHIN = (
    "the lanes of each warp combine here what they have left in shared memory, with no barrier: "
    "threads of other warps cannot take a part of it"
)
_HEAVY = frozenset({"ld", "st", "atom", "red", "call", "tex", "suld", "sust", "ldu"})


def suspect(kernel: Kernel) -> Iterator[Suspicion]:
    copies: dict[object, list[BranchSite]] = {}  # unrolled loops repeat a branch of the source
    for branch in kernel.facts.branches:
        by_number = not branch.data_dependent or has_uniform_data(branch)
        split = not branch.uniform and by_number and len(branch.arms) == 2
        if split and _is_heavy(kernel, branch) and not _launches(kernel, branch):
            span = kernel.statement(branch.location)
            copies.setdefault(span or branch.pc, []).append(branch)
    for branches in copies.values():
        pcs = tuple(branch.pc for branch in branches)
        span = kernel.statement(branches[0].location)
        bound = any(map(bounds, branches)) and all(map(cuts_rows_once, branches))
        if not bound or any(deals_roles(kernel.facts, branch) for branch in branches):
            yield Suspicion("branch", kernel, pcs, span=span, about=tuple(branches))


def _is_heavy(kernel: Kernel, branch: BranchSite) -> bool:
    headers = {loop.header for loop in kernel.facts.loops}
    return any(
        len(arm) > SHORT_ARM
        or not headers.isdisjoint(arm)
        or any(_touches_memory(kernel.facts.kernel, pc) for pc in arm)
        for arm in branch.arms
    )


def _launches(kernel: Kernel, branch: BranchSite) -> bool:
    """Whether an arm launches kernels: that costs each thread its own, in any warp."""
    instructions = kernel.facts.kernel.instructions
    return any(asks(instructions[pc]) for arm in branch.arms for pc in arm)


def _touches_memory(kernel: Function, pc: int) -> bool:
    instruction = kernel.instructions[pc]
    return instruction.opcode in _HEAVY and "param" not in instruction.modifiers


def measure(suspicion: Suspicion, original: Trials, results: Results) -> Case:
    # the golden execution, the same threads in full warps, is counted in the same run
    kernel = suspicion.kernel
    assert kernel is not None and isinstance(suspicion.about, tuple)
    branches = [each for each in suspicion.about if not _is_edge(each, original)]
    pcs = [branch.pc for branch in branches]
    ended = [trial for trial in original if trial.complete]
    passed = [trial for trial in original if not trial.complete and _is_behind(pcs, trial)]
    figures = [
        figure_of_arms(branches, t)
        for t in ended or original
        if tells(t, pcs) or any(_ends_within(each, t) for each in branches)
    ]
    figures += [f for t in passed if ended and not (f := figure_of_arms(branches, t)).bad]
    figures.sort(key=lambda each: -each.share)
    long = "how often its loops run depends on arguments that are not known"
    worst = figures[0] if figures else None
    short = worst and share_in_the_long_run(kernel, branches, worst.trial) < RULE.floor
    if worst is None:
        asked = (t for t in original if not t.complete and not lasting_loops(kernel, t))
        ahead = (figure_ahead(branches, trial) for trial in asked)
        figures = [each for each in ahead if each is not None]
    return Case(
        suspicion,
        tuple(figures),
        data=long if short else _dealt_by_unknown(suspicion, branches),
        assumed=_rows(original) if worst else "",
        doubt=_chosen_by_results(original[0].facts, branches)
        or _within_warps(original[0].facts, branches),
    )


def _chosen_by_results(facts: KernelFacts, branches: Sequence[BranchSite]) -> str:
    """What speaks against full warps where results of the lanes' own choose their ways."""
    if any(map(_ends_by_results, branches)):
        return AS_LONG
    return ANEW if branches and all(_is_chosen_anew(facts, each) for each in branches) else ""


def _within_warps(facts: KernelFacts, branches: Sequence[BranchSite]) -> str:
    """What speaks against full warps where lanes of one work on what its others have stored.

    As a tree over the lanes of a part of a warp does. Without a barrier of the block nobody else
    may read it, and an arm with a loop may be shared out among the lanes.
    """
    sites = [site for site in facts.sites if site.space == "shared"]
    loads = {pc for site in sites for pc in site.pcs if site.kind == "load"}
    stores = {pc for site in sites for pc in site.pcs if site.kind == "store"}
    headers = {loop.header for loop in facts.loops}
    for branch in branches:
        arms = {pc for arm in branch.arms for pc in arm}
        around = [set(loop.pcs) for loop in facts.loops if branch.pc in loop.pcs]
        region = min(around, key=len, default=set(range(len(facts.kernel.instructions))))
        if not headers.isdisjoint(arms) or any(_waits(facts.kernel, pc) for pc in region):
            return ""
        if arms.isdisjoint(loads) or region.isdisjoint(stores):
            return ""
    return WITHIN if branches else ""


def _waits(kernel: Function, pc: int) -> bool:
    """Whether an instruction is a barrier of more than a warp."""
    instruction = kernel.instructions[pc]
    return instruction.opcode in ("bar", "barrier") and "warp" not in instruction.modifiers


def _is_chosen_anew(facts: KernelFacts, branch: BranchSite) -> bool:
    """Whether a way hangs on what a loop around it computes of its turn before: random numbers."""
    around = [set(loop.pcs) for loop in facts.loops if branch.pc in loop.pcs]
    symbols = branch.condition.symbols if branch.condition is not None else ()
    results = {pc for each in symbols for pc in _results(each)}
    return any(not results.isdisjoint(pcs) for pcs in around)


def _results(symbol: Symbol) -> Iterator[int]:
    """The instructions whose results, of which nothing more is known, are in a formula."""
    if isinstance(symbol, Op):
        for each in symbol.arguments:
            for inner in each.symbols:
                yield from _results(inner)
    elif isinstance(symbol, Opaque) and symbol.kind in ("recurrence", "result"):
        yield symbol.pc


def _ends_by_results(branch: BranchSite) -> bool:
    """Whether a loop ends by what it has computed: not by a count, nor by what was loaded."""
    condition = branch.condition
    return branch.leaves_loop and (condition is None or any(map(_is_computed, condition.symbols)))


def _is_computed(symbol: Symbol) -> bool:
    """Whether the value of some turn is in a formula, of which nothing more is known."""
    if isinstance(symbol, Op):
        return any(_is_computed(inner) for each in symbol.arguments for inner in each.symbols)
    return isinstance(symbol, Opaque) and symbol.kind in ("recurrence", "result")


def _dealt_by_unknown(suspicion: Suspicion, branches: Sequence[BranchSite]) -> str:
    """What speaks against `i % every == 0`, where nothing gives `every`: it may be 1 in life."""
    kernel = suspicion.kernel
    assert kernel is not None
    unknown = any(
        hangs_on_unknown(kernel, divisor)
        for branch in branches
        if branch.condition is not None
        for divisor in _divisors(branch.condition)
    )
    return "which lanes go there hangs on a divisor that no launch gives" if unknown else ""


def _divisors(formula: Polynomial) -> Iterator[Polynomial]:
    """What remainders of a lane's own number are taken by, in a formula."""
    for symbol in formula.symbols:
        if isinstance(symbol, Op):
            if symbol.name.startswith("rem.") and symbol.arguments[0].depends & LANES:
                yield symbol.arguments[1]
            for argument in symbol.arguments:
                yield from _divisors(argument)


def _rows(trials: Trials) -> str:
    """What speaks against an assumed block with rows that fill no whole warps."""
    block = trials[0].run.launch.block
    if trials[0].assumed_block and block[1] > 1 and block[0] % WARP:
        return f"rows of {block[0]} threads are assumed, and how they fall into warps hangs on it"
    return ""


def _is_behind(pcs: Sequence[int], trial: Trial) -> bool:
    """Whether a run came to branches that stand in no loop: what follows does not change them."""
    looped = {pc for loop in trial.facts.loops for pc in loop.pcs}
    return looped.isdisjoint(pcs) and any(trial.tracer(Branch).visits(pc) for pc in pcs)


def _ends_within(branch: BranchSite, trial: Trial) -> bool:
    """Whether a run was cut short in a loop of an arm, and no other loop is to come.

    What is seen of the arm is the least of it then, and that of all else in the same turn.
    """
    stop, loops = trial.run.stop, trial.facts.loops
    arm = next((set(a) for a in branch.arms if stop and stop.pc in a), None)
    if stop is None or arm is None or not stop.reason.endswith("budget"):
        return False
    others = [set(loop.pcs) for loop in loops if not arm.issuperset(loop.pcs)]
    return any(stop.pc in loop.pcs for loop in loops if arm.issuperset(loop.pcs)) and all(
        branch.pc in pcs or max(pcs) < branch.pc for pcs in others
    )


def _is_edge(branch: BranchSite, trials: Trials) -> bool:
    """Whether a branch wastes nothing within a grid: an edge of the data, however it is written.

    Small sizes have grids that are all edge; one that has more tells.
    """
    return any(trial.tracer(Branch).only_at_edges(branch.pc) for trial in trials)


def cures(suspicion: Suspicion, decision: Decision) -> tuple[Variant, ...]:
    """The original, and the first threads in the place of others, all to their end: of every n-th,
    of the lower one of each pair, or of the first ones of each row."""
    kernel, span = suspicion.kernel, suspicion.span
    assert kernel is not None
    _, y, z = decision.shown.trial.run.launch.block
    if z > 1:
        return ()
    if y > 1:
        return tries(decision, packed_rows(kernel, span))
    return tries(decision, sequential_threads(kernel, span), paired_threads(kernel, span))


def _issue(trial: Trial) -> float:
    """Cycles to issue a run's instructions."""
    return trial.run.warp_instructions / ISSUED_PER_CYCLE


def _moved(trial: Trial) -> float:
    """Sectors of global memory and wavefronts of shared memory."""
    return sum(count.measured for count in trial.tracer(AccessCounter).by_space.values())


def describe(suspicion: Suspicion, decision: Decision) -> Told:
    shown = decision.shown
    assert suspicion.kernel is not None
    what, safe = "let the first threads of the block do it", True
    if packed_rows(suspicion.kernel, suspicion.span):
        what, safe = "let consecutive threads of the block do it", False
    elif paired_threads(suspicion.kernel, suspicion.span):
        what, safe = "give each of the first threads a pair", False
    mend = mended(decision, what, _issue, beside=_moved, safe=safe)
    issued, packed = figure(shown.measured), figure(shown.ideal)
    assert shown.detail is None or isinstance(shown.detail, Alone)
    if shown.detail is not None:
        lone = shown.detail.threads == 1
        who = "one thread" if lone else f"{figure(shown.detail.threads)} threads"
        message = (
            f"{who} of each {shown.detail.of} {'does' if lone else 'do'} this alone: {issued} warp "
            f"instructions where {packed} would do if the lanes of a warp shared "
            f"{'its loop' if lone else 'their loops'}"
        )
        help_ = SCAN if _leaves_a_row(suspicion) else SHARED_OUT
    else:
        message = (
            f"branch splits warps: {issued} warp instructions in its arms where {packed} would do "
            "in full warps"
        )
        help_ = (
            "let all lanes of a warp go the same way: assign the work by warp "
            "(`threadIdx.x / 32`), or to consecutive threads, instead of to every few lanes"
        )
    return Told(
        message,
        label=f"costs {shown.share:.0%} of what the kernel's warps issue",
        evidence=(
            Evidence("warp instructions in the arms", shown.measured, shown.ideal, "instructions"),
        ),
        help=help_,
        places=() if shown.detail is None else _loops_of(suspicion, shown.detail),
        severity=shown.share,
        fix=mend.fix,
        unfixed=mend.unfixed,
    )


def _loops_of(suspicion: Suspicion, alone: Alone) -> tuple[tuple[Span, str], ...]:
    """The outermost loops over memory behind a branch, where they begin on another line."""
    kernel, span = suspicion.kernel, suspicion.span
    if kernel is None or span is None:
        return ()
    assert isinstance(suspicion.about, tuple)
    arms = [arm for branch in suspicion.about for arm in branch.arms]
    pcs = {pc for arm in arms for pc in loops_over_memory(kernel.facts, arm)}
    return loop_places(kernel, span.path, pcs, LOOP if alone.threads == 1 else LOOPS, span.line)


def _leaves_a_row(suspicion: Suspicion) -> bool:
    """Whether each turn of a loop in the branch's arms stores to an element of its own."""
    kernel = suspicion.kernel
    assert kernel is not None and isinstance(suspicion.about, tuple)
    inside = {pc for branch in suspicion.about for arm in branch.arms for pc in arm}
    return any(
        site.kind == "store" and site.loops and inside.issuperset(site.pcs) and walks(site)
        for site in kernel.facts.sites
    )
