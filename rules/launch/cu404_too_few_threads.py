"""## What it does
Finds launches of long-running threads, with fewer warps than the GPU has schedulers.

## Why it is slow
A multiprocessor hides the latency of memory and of arithmetic by running other warps meanwhile. An
A100 holds 2,048 threads on each of 108 multiprocessors; a launch of 1,024 threads leaves nearly all
of it idle, and hides no latency. The long loop of one thread can often be divided among several:
each takes a part of it, and a reduction adds up the results.

## Example
```cuda
__global__ void tmv(float *c, const float *a, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int y = 0; y < h; y++)
        sum += a[y * w + x];
    c[x] = sum;
}

void launch(float *c, const float *a) { tmv<<<4, 256>>>(c, a, 1024, 1024); }
```

## Use instead
```cuda
__global__ void tmv(float *c, const float *a, int w, int rows)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int first = blockIdx.y * rows;
    float sum = 0.0f;
    for (int y = first; y < first + rows; y++)
        sum += a[y * w + x];
    atomicAdd(&c[x], sum);
}

void launch(float *c, const float *a) {
    tmv<<<dim3(4, 32), 256>>>(c, a, 1024, 32);
}
```

## How it is confirmed
All launches in sight are read from the source, and a few blocks of each are run: the finding is
confirmed if the largest launch has fewer warps than the GPU has schedulers,
{few_warps.SCHEDULERS} per multiprocessor, and its warps execute at least {occupancy.LONG:,}
instructions each in loops that do not depend on data. Short kernels with few threads are over
before it matters. Where the grid is computed from the program's arguments, or from their defaults,
another run may have more threads, and the finding says which sizes it is of. It is a note only
unless {few_warps.MORE} times as many were still too few, or the sizes that are there give threads
enough: most of the instructions are in loops whose turns could be shared out, at least
{LEAST_TURNS} to a thread, as they hand the next one nothing but sums, extremes and the like. So it
is where a variable picks the launch's stream of several: others may run beside it.

Where all its loads are of 4 bytes a thread or less, a note says so: bytes on their way are what
hides the latency of memory, and wide loads help where warps are few.

## When to ignore it
When several such kernels run side by side in streams, or when the real input is larger than the one
in the source.

## Options
None.

## References
- CUDA C++ Best Practices Guide, "Occupancy" and "Thread and Block Heuristics",
  https://docs.nvidia.com/cuda/cuda-c-best-practices-guide/#occupancy
- Yang, Xiang, Mantor, Zhou, "Fixing Performance Bugs: An Empirical Study of Open-Source GPGPU
  Programs", ICPP 2012, section V.C, figures 10 and 11
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import prod

from perflint.analysis.recurrences import turns_are_parts
from perflint.base.span import Span
from perflint.rules.case import Case, Decision, Figure, nothing
from perflint.rules.few_warps import SCHEDULERS, may_grow, small_launch, warps_of
from perflint.rules.launch.occupancy import LONG
from perflint.rules.launch.other_blocks import other_blocks
from perflint.rules.measure import counted_loops, listed
from perflint.rules.protocol import (
    Evidence,
    Kernel,
    KnownLaunch,
    Results,
    Rule,
    Suspicion,
    Told,
    Trial,
    Trials,
)
from perflint.rules.source_lines import source_lines
from perflint.rules.source_loops import loop_places
from perflint.sim.tracers.instruction import Instruction

#: Bytes that a thread loads at a time where it does not use a vector.
NARROW = 4

RULE = Rule(
    code="CU404",
    name="too-few-threads",
    summary="Long-running threads, but fewer warps than the GPU has schedulers.",
    since="0.1.0",
    status="stable",
    tags=("performance", "cuda", "launch", "occupancy"),
    tracers=("Instruction",),
    measures="warps of the launch",
    scope="blocks",
    claim="launch",
)

#: How many times the instructions of the shortest run another one has, where an invented size is
#: the length of the loop: the sizes that are tried differ about tenfold.
GROWS = 3
#: Share of a loop's turns on which an instruction is executed that no data skip; the last test ends
#: the loop.
ALWAYS = 0.9
#: Turns of a loop that each of the threads must have among which it is shared out.
LEAST_TURNS = 8
_OF_ARGUMENTS = "how long its threads run depends on arguments that are not known"
LOOP = "the loop that its few threads go through"


def suspect(kernel: Kernel) -> Iterator[Suspicion]:
    launch = small_launch(kernel)
    if launch is not None and kernel.facts.loops:
        yield Suspicion("launch", kernel, span=launch.span, about=launch)


def measure(suspicion: Suspicion, original: Trials, results: Results) -> Case:
    # a GPU with a warp for each scheduler is a matter of counting
    launch, kernel, trial = suspicion.about, suspicion.kernel, original[0]
    assert isinstance(launch, KnownLaunch) and kernel is not None
    if trial.run.launch.block != launch.block or trial.run.launch.grid != launch.grid:
        return nothing(suspicion, "another launch has so few threads")
    lengths = [_instructions(t) for t in original]
    each = min(lengths)
    reason, doubt = "", other_blocks(kernel, launch)
    schedulers = kernel.arch.multiprocessors * SCHEDULERS
    lacking = schedulers / max(1, warps_of(launch))
    if may_grow(kernel, launch) and not _is_of_parts(trial, lacking):
        doubt = (
            "its grid grows with what the program is run with: another run may have more threads"
        )
    by_data = any(loop.data_dependent for loop in kernel.facts.loops)
    if by_data and min(map(_certain, original)) < LONG:
        reason = "how long its threads run depends on data that is not known"
    elif not all(t.exact for t in original):
        reason = _OF_ARGUMENTS
    share = 1 - warps_of(launch) / schedulers
    # a run with a small size that was invented says nothing against a loop that grows with it
    long = each >= LONG or (reason == _OF_ARGUMENTS and max(lengths) >= GROWS * each)
    shown = Figure(trial, warps_of(launch), schedulers, long, share=share, detail=each)
    return Case(suspicion, (shown,), data=reason, doubt=doubt)


def describe(suspicion: Suspicion, decision: Decision) -> Told:
    launch, kernel, shown = suspicion.about, suspicion.kernel, decision.shown
    assert isinstance(launch, KnownLaunch) and kernel is not None
    warps, schedulers = int(shown.measured), int(shown.ideal)
    chip = kernel.arch.chip.split()[-1]
    # spelt letter by letter, some begin with a vowel: an A100, an L4, but a GT200, a Hopper
    article = "an" if chip[0] in ("AEIOU" if chip[1:2].islower() else "AEFHILMNORSX") else "a"
    gpu = f"{article} {chip} ({kernel.arch.multiprocessors} multiprocessors)"
    return Told(
        f"launch has {_plural(launch.blocks * launch.threads, 'thread')}, {_plural(warps, 'warp')} "
        f"where {gpu} needs {schedulers} for one per scheduler",
        label=f"each warp executes {'at least ' if not shown.trial.complete else ''}"
        f"{shown.detail:,.0f} instructions",
        evidence=(Evidence("warps of the launch", warps, schedulers, "warps"),),
        help="if the iterations of its loop are independent or form a reduction, divide them among "
        "several threads and combine the results; else solve several such problems in one launch",
        notes=(*_sizes(launch), *_width(kernel)),
        places=_places(kernel, launch, shown.trial),
        severity=schedulers / max(1, warps),
    )


def _certain(trial: Trial) -> float:
    """Instructions that a warp executes at least, whatever the data are.

    Those on each turn of loops that do not end by data, and stand in none that does.
    """
    executed = trial.tracer(Instruction).executed
    loops, counted = trial.facts.loops, counted_loops(trial)
    by_data = {pc for loop in loops if loop.data_dependent for pc in loop.pcs}
    total = 0.0
    for loop in loops:
        if loop.header in by_data or loop.header not in executed:
            continue
        came = executed[loop.header][0]
        turns = max(came / trial.run.warps, prod(n for pcs, n in counted if loop.header in pcs))
        inner = {pc for each in loops if each.depth > loop.depth for pc in each.pcs}
        own = [pc for pc in loop.pcs if pc in executed and pc not in inner]
        total += turns * sum(executed[pc][0] >= ALWAYS * came for pc in own)
    return total


def _is_of_parts(trial: Trial, lacking: float) -> bool:
    """Whether most of its instructions are in loops that as many threads could share.

    Each has some turns then, so that their results are worth putting together.
    """
    executed, facts = trial.tracer(Instruction).executed, trial.facts
    parts: set[int] = set()
    for loop in facts.loops:
        entered = sum(executed[pc][0] for pc in loop.entries if pc in executed)
        turns = executed[loop.header][0] / entered if entered and loop.header in executed else 0
        if turns >= LEAST_TURNS * lacking and turns_are_parts(facts, loop):
            parts.update(loop.pcs)
    issued = sum(came for came, _ in executed.values())
    return 2 * sum(executed[pc][0] for pc in parts if pc in executed) >= issued > 0


def _sizes(launch: KnownLaunch) -> tuple[str, ...]:
    """Of which sizes it is told, where the grid grows with these."""
    if not launch.by_input or not launch.sizes:
        return ()
    read = listed(launch.sizes)
    return (f"its grid grows with what the program is run with: it has this size where {read}",)


def _places(kernel: Kernel, launch: KnownLaunch, trial: Trial) -> tuple[tuple[Span, str], ...]:
    """The longest loop; of one that is to be shared out not what its turns load: that stays."""
    found = _longest_loop(kernel, trial)
    return tuple(each for each in found if each[1] == LOOP) if launch.by_input else found


def _longest_loop(kernel: Kernel, trial: Trial) -> tuple[tuple[Span, str], ...]:
    """The loop that most of its instructions are in, where the source has it."""
    executed = trial.tracer(Instruction).executed
    outer = [loop for loop in trial.facts.loops if loop.depth == 1]

    def issued(pcs: Iterable[int]) -> int:
        return sum(executed[pc][0] for pc in pcs if pc in executed)

    longest = max(outer, key=lambda loop: issued(loop.pcs), default=None)
    if longest is None or 2 * issued(longest.pcs) < issued(executed):
        return ()
    files = source_lines(kernel)
    found = (loop_places(kernel, path, longest.pcs, LOOP) for path in files)
    return next(filter(None, found), ())


def _width(kernel: Kernel) -> tuple[str, ...]:
    """That loads are narrow too: few warps with few bytes each keep memory idle."""
    loads = [s.size for s in kernel.facts.sites if s.space == "global" and s.kind == "load"]
    if not loads or max(loads) > NARROW:
        return ()
    return (
        f"its loads move at most {NARROW} bytes a thread: with as few warps, two or four outputs a "
        "thread (`float2`, `float4`) have more bytes on their way",
    )


def _plural(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _instructions(trial: Trial) -> float:
    """Instructions that a warp executed, on average: at least, where a run was cut short."""
    return trial.run.warp_instructions / trial.run.warps
