"""## What it does
Finds redundant barriers: no warp accesses, after such a `__syncthreads()`, data that another warp
wrote before it, or writes data that another warp read or wrote before it.

## Why it is slow
A barrier makes every warp of the block wait for the slowest one. While they wait, loads that could
already be on their way are not. A barrier that protects nothing costs that for nothing.

## Example
```cuda
__global__ void smooth(float *out, const float *in)
{
    __shared__ float tile[258];
    int i = blockIdx.x * 256 + threadIdx.x;
    tile[threadIdx.x + 1] = in[i + 1];
    if (threadIdx.x < 2)
        tile[threadIdx.x * 257] = in[i + threadIdx.x * 256];
    __syncthreads();
    float sum = tile[threadIdx.x] + tile[threadIdx.x + 1] + tile[threadIdx.x + 2];
    __syncthreads();
    out[i] = sum / 3.0f;
}

void launch(float *out, const float *in) { smooth<<<64, 256>>>(out, in); }
```

## Use instead
```cuda
__global__ void smooth(float *out, const float *in)
{
    __shared__ float tile[258];
    int i = blockIdx.x * 256 + threadIdx.x;
    tile[threadIdx.x + 1] = in[i + 1];
    if (threadIdx.x < 2)
        tile[threadIdx.x * 257] = in[i + threadIdx.x * 256];
    __syncthreads();
    float sum = tile[threadIdx.x] + tile[threadIdx.x + 1] + tile[threadIdx.x + 2];
    out[i] = sum / 3.0f;
}

void launch(float *out, const float *in) { smooth<<<64, 256>>>(out, in); }
```
The second barrier would be needed if the tile were filled again.

## How it is confirmed
A few blocks are run to their end with every launch's arguments, and each access to shared and
global memory is recorded with the barriers around it. The barrier is reported if, without it and
without those already reported, no byte is accessed on both sides by different warps with one of
them writing. All these addresses must be formulas of the thread index, the launch's arguments and
loop counters, none of them reached or repeated depending on loaded data: else another input might
need it. In a loop at least two iterations must have been seen, every argument must be known at the
launch, and every access must have been reached. Nothing is reported for kernels with fences, grid
barriers, named barriers or mbarriers, of templates and device functions, whose other uses may need
the barrier, nor without a launch in sight; it must be redundant in every launch in sight. Where
every barrier of a kernel orders threads of single warps only, `__syncwarp()` would do, and that is
reported. It is a note, and a warning where each block comes to one that orders nothing at least
{LEAST_PASSED} times and has a second warp to wait for.

Whatever the data and arguments are, a barrier orders nothing in its loop if there each array is
only read, only stored to, only added to by atomics, or of each thread one and the same place: that
is read of the formulas of the addresses. Where each block comes to it at least {LEAST_PASSED}
times, it is told: one before and one behind the loop do what it may do there.

The kernel without the barrier, or with `__syncwarp()` in its place, is compiled and run. If it
writes the same bytes and passes fewer barriers, this edit is the finding's fix. That runs agree
shows little by itself, as they come in one order out of many: it is the accesses that show it. The
fix is safe where all blocks were run, or where no block differs from those that were: the places in
shared memory, and the distances of those in global memory, do not depend on the block's index. Else
it is unsafe. Addresses that depend on data would make it unsafe as well, but there nothing is
reported at all.

## When to ignore it
When the barrier keeps warps together on purpose, for the sake of a cache.

## Options
None.

## References
- CUDA C++ Programming Guide, "Synchronization Functions",
  https://docs.nvidia.com/cuda/cuda-c-programming-guide/#synchronization-functions
- Kerr, Diamos, Yalamanchili, "GPU Application Development, Debugging, and Performance Tuning with
  GPU Ocelot", GPU Computing Gems Jade Edition, 2012, section 7.2
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from perflint.analysis.model import AccessSite
from perflint.base.records import dataclass
from perflint.grammar.model import Instruction as Operation
from perflint.rules.case import Case, Decision, Figure, nothing
from perflint.rules.control.barrier_fixes import (
    WHAT_TO_DO,
    edit_of,
    fix_of,
    is_full_barrier,
    passed_by_a_block,
)
from perflint.rules.control.idle_loops import idle_loop
from perflint.rules.measure import figure
from perflint.rules.protocol import (
    Evidence,
    Kernel,
    Results,
    Rule,
    SourceEdit,
    Suspicion,
    Told,
    Trial,
    Trials,
    Variant,
)
from perflint.sim.tracers.exchange import Exchange
from perflint.sim.tracers.instruction import Instruction

RULE = Rule(
    code="CU902",
    name="redundant-barrier",
    summary="A barrier that separates no conflicting accesses of different warps.",
    since="0.1.0",
    status="stable",
    level="note",
    tags=("performance", "cuda", "synchronization", "barrier"),
    tracers=("Exchange", "Instruction"),
    measures="barriers per block",
    scope="blocks",
    whole=True,
    launches="all",
    waives=(
        ("a small share", "a barrier makes warps wait: what it costs is no share of instructions"),
    ),
)

WARP = 32
#: Barriers of one kernel that are looked at: each takes a pass over all accesses.
MOST_BARRIERS = 24
#: Times that a block comes to a barrier that orders nothing, from which on it is a warning.
LEAST_PASSED = 4.0

Groups = tuple[tuple[int, ...], ...]  #: the barriers of a kernel by place, unrolled copies together


@dataclass(frozen=True)
class Barrier:
    """A barrier of a kernel, and how it may be known that it orders nothing."""

    groups: Groups
    proved: bool  #: runs show all that it may order
    #: where the loop is entered in which it orders nothing, whatever the arguments are; (): none
    entries: tuple[int, ...]


def suspect(kernel: Kernel) -> Iterator[Suspicion]:
    instructions = kernel.facts.kernel.instructions
    if kernel.facts.communicates or any(map(_orders_otherwise, instructions)):
        return
    own = kernel.function
    if own is None:
        return
    # what is invented shows not all that a barrier may order, and one instance of a template may do
    # without what another one needs
    shown = all(launch.exact for launch in kernel.launches) and not own.template
    places: dict[object, list[int]] = {}
    for each in instructions:
        if is_full_barrier(each):
            places.setdefault(each.location or each.index, []).append(each.index)
    groups: Groups = tuple(map(tuple, places.values()))
    if 0 < len(groups) <= MOST_BARRIERS:
        proved = shown and all(_is_proved(kernel, s) for s in kernel.facts.sites)
        for number, pcs in enumerate(groups):
            entries = idle_loop(kernel, pcs) if kernel.launches else ()
            if not proved and not entries:
                continue
            span = kernel.statement(instructions[pcs[0]].location)
            if span is None or span.path != own.body.path:
                continue
            if not own.body.line <= span.line <= own.body.end_line:
                continue  # in a function that others may call
            yield Suspicion(
                f"barrier {number}", kernel, pcs, about=Barrier(groups, proved, entries)
            )


def _orders_otherwise(instruction: Operation) -> bool:
    if instruction.opcode in ("bar", "barrier"):
        return not is_full_barrier(instruction) and "warp" not in instruction.modifiers
    return instruction.opcode in ("fence", "membar", "mbarrier", "sust", "call")


def _is_only_read(kernel: Kernel, site: AccessSite) -> bool:
    """Whether nobody writes what an access reads, so that nothing about it is to be ordered."""
    parameter = site.array.parameter
    only_read = parameter is not None and parameter not in kernel.facts.written_parameters
    return site.space == "global" and only_read


def _is_proved(kernel: Kernel, site: AccessSite) -> bool:
    """Whether a run shows all that an access can touch, as far as it can meet another's."""
    if site.space in ("local", "const"):
        return True
    if _is_only_read(kernel, site):
        return True
    known = site.space in ("global", "shared") and site.array.kind != "unknown"
    return known and None not in site.addresses and not (site.loaded_address or site.data_dependent)


def measure(suspicion: Suspicion, original: Trials, results: Results) -> Case:
    # what would meet without the barrier is read from what was accessed around it
    about = suspicion.about
    assert isinstance(about, Barrier)
    case = _of_all(suspicion, about.groups, original) if about.proved else None
    if about.entries and (case is None or case.silent):
        return _of_a_loop(suspicion, about.entries, original)
    return case if case is not None else nothing(suspicion, "it may order something")


def _of_a_loop(suspicion: Suspicion, entries: Sequence[int], original: Trials) -> Case:
    """A barrier that orders nothing in its loop: one before it and one behind it are enough."""
    figures = []
    for trial in original:
        executed = trial.tracer(Instruction).executed
        came = sum(executed[pc][0] for pc in entries if pc in executed) / max(1, trial.run.warps)
        found = trial.tracer(Exchange)
        blocks = max((found.came.get(pc, 0) for pc in suspicion.pcs), default=0)
        if blocks:  # others return before it
            passed = sum(found.passed.get(pc, 0) for pc in suspicion.pcs) / blocks
            enough = 2 * max(1.0, came * len(trial.run.blocks.indices) / blocks)
            bad = passed >= LEAST_PASSED and passed >= 2 * enough
            figures.append(Figure(trial, passed, enough, bad, detail="loop"))
    turning = [each for each in figures if each.bad]  # a loop of one turn is none
    return Case(suspicion, tuple(turning or figures), doubt=_of_one_warp(original))


def _of_all(suspicion: Suspicion, groups: Groups, original: Trials) -> Case:
    """What runs show of a barrier of whose accesses they show all."""
    kernel, trial = suspicion.kernel, original[0]
    assert kernel is not None
    if not all(_was_seen(kernel, suspicion.pcs, each) for each in original):
        return nothing(suspicion, "not everything that it may order was seen")
    if _is_redundant(suspicion.pcs, groups, original):
        kind = "block"
    elif trial.run.launch.threads_per_block > WARP and not _orders(
        [pc for group in groups for pc in group], original, WARP
    ):
        kind = "warp"
    else:
        return nothing(suspicion, "it orders accesses of different threads")
    figures = (
        Figure(each, passed_by_a_block(each, suspicion.pcs), 0.0, True, detail=kind)
        for each in original
    )
    return Case(suspicion, tuple(figures), doubt=_of_one_warp(original))


def _of_one_warp(original: Trials) -> str:
    """Why a barrier costs next to nothing: none of the launches has a second warp in a block."""
    if all(trial.run.launch.threads_per_block <= WARP for trial in original):
        return "its block is one warp, which waits for no other"
    return ""


def cures(suspicion: Suspicion, decision: Decision) -> tuple[Variant, ...]:
    """The kernel without the barrier, or with one of each warp's own."""
    if decision.shown.detail == "loop":
        return ()
    edit = edit_of(suspicion, redundant=decision.shown.detail == "block")
    return (SourceEdit((edit,)),) if edit else ()


def describe(suspicion: Suspicion, decision: Decision) -> Told:
    if decision.shown.detail == "loop":
        return _in_vain(decision)
    passed, redundant = decision.shown.measured, decision.shown.detail == "block"
    if redundant:
        what, whom = "is redundant", "thread"
    else:
        what, whom = "only orders threads of one warp", "warp"
    return Told(
        f"barrier {what}: no {whom} accesses data after it that another {whom} wrote before it, or "
        f"writes data that another {whom} read or wrote before it",
        label="redundant",
        evidence=(Evidence("barriers per block", passed, 0.0, "barriers"),),
        notes=(f"each block executes it {figure(passed)} times",) if passed > 1 else (),
        help=WHAT_TO_DO[str(decision.shown.detail)],
        severity=passed,
        level="warning" if redundant and passed >= LEAST_PASSED else "note",
        fix=fix_of(decision, decision.cures),
    )


def _in_vain(decision: Decision) -> Told:
    """A barrier that orders nothing in its loop."""
    passed, enough = decision.shown.measured, decision.shown.ideal
    return Told(
        "barrier orders nothing in its loop, where no thread reads what another one writes: "
        f"{figure(passed)} barriers a block where {figure(enough)} would do",
        label="in vain on each iteration",
        evidence=(Evidence("barriers per block", passed, enough, "barriers"),),
        help="take it out of the loop: where threads read before or behind the loop what others "
        "have written, one there is enough",
        severity=passed,
        level="warning",
    )


def _was_seen(kernel: Kernel, pcs: Sequence[int], trial: Trial) -> bool:
    """Whether a run came to its end and to a barrier, in a loop more than once, and to every access
    that it may order.
    """
    found = trial.tracer(Exchange)
    times = [found.passed.get(pc, 0) / len(trial.run.blocks.indices) for pc in pcs]
    looped = any(pc in loop.pcs for loop in kernel.facts.loops for pc in pcs)
    enough = sum(times) >= 2 if looped else min(times) >= 1
    whole = trial.complete and not found.skipped and not trial.run.faults
    return whole and enough and _all_reached(kernel, trial)


def _all_reached(kernel: Kernel, trial: Trial) -> bool:
    """Whether a run made every access that a barrier may order: what it missed, it proves not."""
    return all(
        trial.run.requests.get(pc, 0) > 0
        for site in kernel.facts.sites
        if site.space in ("shared", "global") and not _is_only_read(kernel, site)
        for pc in site.pcs
    )


def _orders(pcs: Sequence[int], trials: Trials, apart: int) -> bool:
    return any(trial.tracer(Exchange).orders(pcs, apart) for trial in trials)


def _is_redundant(pcs: tuple[int, ...], groups: Groups, trials: Trials) -> bool:
    """Whether a barrier can go beside those before it that can go, too."""
    if _orders(pcs, trials, 1):
        return False
    gone: tuple[int, ...] = ()
    for group in groups:
        if not _orders((*gone, *group), trials, 1):
            gone = (*gone, *group)
        if group == pcs:
            break
    return set(pcs) <= set(gone)
