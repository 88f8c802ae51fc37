"""## What it does
Finds loads that are repeated because a store in between might have changed what they read, and that
go away once the pointers are declared `__restrict__`.

## Why it is slow
Two pointers may point to the same place. After each store through one of them, the compiler must
load again what was read through another, even on every iteration of a loop that does not change it.
`__restrict__` promises that nothing stored through one pointer is read through another: the value
is loaded once and kept in a register.

## Example
```cuda
__global__ void scale(float *out, float *in, float *factor, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < n; k++)
        out[k * 16384 + i] = in[k * 16384 + i] * factor[i];
}

void launch(float *out, float *in, float *factor) { scale<<<64, 256>>>(out, in, factor, 100); }
```

## Use instead
```cuda
__global__ void scale(float *__restrict__ out, const float *__restrict__ in,
                      const float *__restrict__ factor, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < n; k++)
        out[k * 16384 + i] = in[k * 16384 + i] * factor[i];
}

void launch(float *out, float *in, float *factor) { scale<<<64, 256>>>(out, in, factor, 100); }
```

## How it is confirmed
The golden execution is the same source with `__restrict__` on the kernel's pointers, and `const` on
those that it only reads, compiled again and run on the same data. The finding is confirmed if the
kernel then executes at least {FLOOR:%} fewer global loads, which are at least {MINIMUM_SHARE:%} of
its instructions, and writes the same bytes. Where no loop repeats them it must be {LEAST_ONCE:%},
for L1 has what was loaded a moment before. Every launch in sight must pass different arrays;
without a launch in sight nothing is reported, because that cannot be known. L1 has what is loaded
again: where the loads are few beside what the kernel's instructions take to issue, it is a note.

## When to ignore it
When callers may pass arrays that overlap.

## Options
None.

## References
- CUDA C++ Programming Guide, "`__restrict__`",
  https://docs.nvidia.com/cuda/cuda-c-programming-guide/#restrict
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from perflint.analysis.model import AccessSite
from perflint.base.english import listed
from perflint.rules.aliasing import may_alias
from perflint.rules.burnt_time import burns_time
from perflint.rules.case import Case, Decision, Figure, nothing
from perflint.rules.measure import counted, figure
from perflint.rules.open_loops import UNCOUNTED, is_counted
from perflint.rules.protocol import (
    Evidence,
    Fix,
    Kernel,
    RestrictAdded,
    Results,
    Rule,
    Suspicion,
    Told,
    Trial,
    Trials,
    Variant,
)
from perflint.rules.source_lines import difference_in_all, threads_at

RULE = Rule(
    code="CU503",
    name="missing-restrict",
    summary="Loads are repeated because a store through another pointer might change them.",
    since="0.1.0",
    status="stable",
    tags=("performance", "cuda", "memory", "global-memory", "aliasing"),
    tracers=("Instruction",),
    measures="global loads per thread",
    scope="blocks",
    whole=True,
    floor=0.10,  # of the kernel's global loads, that `__restrict__` saves
    change="variant",
    on_chip=True,  # L1 has what is loaded again
)

#: What the loads that `__restrict__` saves must be of the instructions that threads execute.
MINIMUM_SHARE = 0.01


WARP = 32
#: Instructions of a launch's threads below which nobody waits for it.
LEAST_WORK = 10_000
#: What must be saved of the kernel's global loads where no loop repeats them: L1 has what was
#: loaded a moment before.
LEAST_ONCE = 0.25
FEW = "the launch has less than two warps, with little to do"


def suspect(kernel: Kernel) -> Iterator[Suspicion]:
    function = kernel.function
    if function is None or all(p.restrict for p in function.parameters if p.pointer):
        return
    stored = {s.array.parameter for s in kernel.facts.sites if _is_global(s) and s.kind != "load"}
    looped = any(_is_global(s) and s.kind != "load" and s.loop_depth for s in kernel.facts.sites)
    loads = [s for s in kernel.facts.sites if _is_global(s) and s.kind == "load"]
    places = Counter(address for site in loads for address in site.addresses)
    arrays: dict[int, list[AccessSite]] = {}
    for site in loads:
        repeated = any(places[address] > 1 for address in site.addresses)
        parameter = site.array.parameter
        again = repeated or (looped and site.loop_depth > 0 and not _moves_on(site))
        again = again and not burns_time(kernel.facts, site)
        if again and parameter is not None and stored - {parameter}:
            arrays.setdefault(parameter, []).append(site)
    for parameter, sites in arrays.items():
        sites.sort(key=lambda site: (-site.loop_depth, site.pcs))
        if not sites[0].loop_depth:
            sites.append(sites.pop(0))  # the first load has to be; the next one repeats it
        pcs = tuple(sorted(pc for site in sites for pc in site.pcs))
        yield Suspicion(f"restrict {parameter}", kernel, pcs, tuple(sites), about=parameter)


def _moves_on(site: AccessSite) -> bool:
    """Whether each turn of the innermost loop loads another element."""
    if site.address is None or not site.loops:
        return False
    counter = site.loops[-1].counter.text
    return any(counter in symbol.text for symbol in site.address.symbols)


def _is_global(site: AccessSite) -> bool:
    return site.space == "global" and site.array.parameter is not None


def variants(suspicion: Suspicion, original: Trials) -> tuple[Variant, ...]:
    kernel = suspicion.kernel
    if kernel is None or not original[0].complete or may_alias(kernel):
        return ()
    return (RestrictAdded(),)


def measure(suspicion: Suspicion, original: Trials, results: Results) -> Case:
    if not results:
        return nothing(suspicion, "the run was cut short, or a caller may pass overlapping arrays")
    parameter, [golden], trial = suspicion.about, results, original[0]
    assert isinstance(parameter, int)
    beside = golden.beside(trial)
    if beside is None:
        return nothing(suspicion, golden.error)
    if not trial.complete or not beside.complete:
        return nothing(suspicion, "the run was cut short, so that what it saves is not known")
    before, after = _loads(trial, parameter), _loads(beside, parameter)
    saved = _loads(trial) - _loads(beside)
    if saved < MINIMUM_SHARE * trial.run.thread_instructions:
        return nothing(suspicion, "its loads are a small part of what threads execute")
    pairs = [(each, its) for each in original if (its := golden.beside(each)) is not None]
    if after < before and difference_in_all(pairs) != 0.0:
        return nothing(
            suspicion, "threads communicate through these arrays: the promise would be false"
        )
    threads = trial.run.launch.threads_per_block * len(trial.run.blocks.indices)
    looped = any(site.loop_depth for site in suspicion.sites)
    least = 0.0 if looped else LEAST_ONCE
    shown = Figure(
        trial,
        before / threads,
        after / threads,
        after < before and before - after >= least * before,  # else it is other arrays that gain
        share=saved / max(1, _loads(trial)),
        detail=golden.edits,
    )
    small = "it is {share:.1%} of the kernel's global loads"
    return Case(
        suspicion,
        (shown,),
        small=small,
        doubt=FEW if _is_tiny(trial) else "",
        floor=least,
    )


def _is_tiny(trial: Trial) -> bool:
    """Whether all that a launch does is a few instructions of less than two warps."""
    launch = trial.run.launch
    work = trial.run.thread_instructions
    return launch.block_count * launch.threads_per_block <= WARP and work < LEAST_WORK


def describe(suspicion: Suspicion, decision: Decision) -> Told:
    kernel, shown, edits = suspicion.kernel, decision.shown, decision.shown.detail
    assert kernel is not None and kernel.function is not None and isinstance(edits, tuple)
    pointers = [f"`{p.name}`" for p in kernel.function.parameters if p.pointer and not p.restrict]
    array = kernel.names.array(suspicion.site)
    measured = Evidence("global loads per thread", shown.measured, shown.ideal, "loads")
    told = f"{counted(shown.measured, 'load')} per thread where {figure(shown.ideal)}"
    notes: tuple[str, ...] = ()
    if not is_counted(kernel, suspicion.site, shown.trial):
        notes = (UNCOUNTED,)
        if _moves_on(suspicion.site):
            times = _times(suspicion)
            left = max(1, min(times - 1, round(times * shown.ideal / shown.measured)))
            measured = Evidence("global loads of an element", times, left, "loads")
            told = f"{counted(times, 'load')} of an element where {left}"
        else:
            measured = Evidence("global loads per iteration", 1, 0, "loads")
            told = "a load on each iteration where one before the loop"
    return Told(
        f"{array} is loaded again after each store, which might have changed it: {told} would do",
        label="loaded again",
        evidence=(measured,),
        notes=notes,
        help=f"declare {listed(pointers)} `__restrict__`, and `const` what is only read, if "
        "no caller passes arrays that overlap",
        fault="restrict",
        severity=shown.share,
        fix=Fix("declare the pointers `__restrict__`", edits, safe=True),
    )


def _times(suspicion: Suspicion) -> int:
    """How often an element is loaded that the shown access loads, of those the most often.

    It loads several on each turn of a loop that the compiler unrolled.
    """
    mine = {address for address in suspicion.site.addresses if address is not None}
    loads = Counter(a for site in suspicion.sites for a in site.addresses if a in mine)
    return max(2, *loads.values())


def _loads(trial: Trial, parameter: int | None = None) -> int:
    """Global loads that threads executed, of all arrays or of one argument's."""
    pcs = {
        pc
        for site in trial.facts.sites
        if site.kind == "load" and site.may_be_global
        if parameter is None or site.array.parameter == parameter
        for pc in site.pcs
    }
    return threads_at(trial, pcs)
