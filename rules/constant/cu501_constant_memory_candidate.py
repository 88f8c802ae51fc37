"""## What it does
Finds small arrays in global memory that a kernel only reads, and always at one address for a whole
warp: filter coefficients, tables of parameters, short vectors.

## Why it is slow
Every such load is an instruction of its own that goes through the load unit and the L1 cache and
waits for its answer. The constant cache broadcasts a word to all lanes, and arithmetic takes an
operand straight from it: the load disappears.

## Example
```cuda
__global__ void filter(float *out, const float *in, const float *taps, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < 32; k++)
        sum += taps[k] * in[k * n + i];
    out[i] = sum;
}

void launch(float *out, const float *in, const float *taps)
{
    filter<<<64, 256>>>(out, in, taps, 16384);
}
```

## Use instead
```cuda
__constant__ float taps[32];

__global__ void filter(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < 32; k++)
        sum += taps[k] * in[k * n + i];
    out[i] = sum;
}

void launch(float *out, const float *in) { filter<<<64, 256>>>(out, in, 16384); }
```
The host fills it with `cudaMemcpyToSymbol`.

## How it is confirmed
All loads from the argument have addresses that are the same for the lanes of a warp by their
formula, at least one of them in a loop, and nothing is stored through it. The bytes it needs are at
most the {CONSTANT_BYTES:bytes} of constant memory: its allocation is that small and the same in
every world, or the addresses are the same in every block and a run of the launch's own arguments
shows how far they reach. What the file's `__constant__` variables take counts too, and the finding
says what all such arrays of the launch take together. The golden execution has constant-cache
broadcasts in place of the loads. The finding is confirmed if the loads are at least {FLOOR:%} of
the instructions that warps issue. Where one function of the host allocates the array, fills it once
and does no more with it than launch kernels, the variable and its copy are offered as a fix; else a
promise that no store changes the array (`const … *__restrict__`), if that spares the loads.

## When to ignore it
When the host recomputes the array for each launch. An array that another kernel in sight may write
is reported with `--show-unconfirmed` only.

## Options
None.

## References
- CUDA C++ Best Practices Guide, "Constant Memory",
  https://docs.nvidia.com/cuda/cuda-c-best-practices-guide/#constant-memory
- Yang, Xiang, Mantor, Zhou, "Fixing Performance Bugs: An Empirical Study of Open-Source GPGPU
  Programs", ICPP 2012, section V.D
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from perflint.analysis.communication import is_watched
from perflint.analysis.model import AccessSite
from perflint.analysis.symbols import BLOCK
from perflint.rules.aliasing import may_alias
from perflint.rules.case import Case, Decision, Figure, nothing
from perflint.rules.constant.constant_copies import constant_copy
from perflint.rules.measure import counted
from perflint.rules.mending import mended, tries
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
from perflint.sim.launch import Buffer
from perflint.sim.tracers.addresses import Addresses

RULE = Rule(
    code="CU501",
    name="constant-memory-candidate",
    summary="A small read-only array in global memory is read at one address per warp.",
    since="0.1.0",
    status="stable",
    tags=("performance", "cuda", "memory", "constant-memory"),
    tracers=("Addresses",),
    measures="global loads of one element",
    scope="blocks",
    floor=0.10,  # of the instructions that warps issue, that the loads make up
    sums=True,
    yields_to=("CU106", "CU503", "CU906"),
)

CONSTANT_BYTES = 64 << 10  #: CUDA C++ Programming Guide, "Technical Specifications"
#: Copies of a load by unrolling that count as a loop.
UNROLLED = 4


def suspect(kernel: Kernel) -> Iterator[Suspicion]:
    arrays: dict[int, list[AccessSite]] = {}
    for site in kernel.facts.sites:
        if site.space == "global" and site.array.parameter is not None and not site.array.offset:
            arrays.setdefault(site.array.parameter, []).append(site)
    found: list[Suspicion] = []
    for parameter, sites in sorted(arrays.items()):
        if parameter not in kernel.facts.written_parameters and all(map(_is_uniform, sites)):
            main = max(sites, key=lambda site: site.loop_depth)
            pcs = tuple(pc for site in sites for pc in site.pcs)
            repeated = main.loop_depth or len(main.pcs) >= UNROLLED
            if repeated and not is_watched(kernel.facts.kernel, pcs):
                others = tuple(site for site in sites if site is not main)
                name = f"constant parameter {parameter}"
                found.append(Suspicion(name, kernel, pcs, (main, *others)))
    for each in found:
        yield replace(each, about=tuple(other for other in found if other is not each))


def _is_uniform(site: AccessSite) -> bool:
    known = site.kind == "load" and site.uniformity == "uniform" and None not in site.addresses
    return known and not site.loaded_address


def measure(suspicion: Suspicion, original: Trials, results: Results) -> Case:
    # in the golden execution there are no such loads
    kernel, site, trial = suspicion.kernel, suspicion.site, original[0]
    assert kernel is not None
    size = _bytes(suspicion, original)
    if size is None and _varies_with_block(suspicion):
        return nothing(suspicion, "how much of it the whole grid reads is not known")
    held = _held(kernel)
    if size is not None and size + held > CONSTANT_BYTES:
        beside = f" beside the {held} that are there" if held else ""
        return nothing(suspicion, f"its {size} bytes are more than constant memory holds{beside}")
    loads = sum(trial.run.requests.get(pc, 0) for pc in suspicion.pcs)
    share = loads / max(1, trial.run.warp_instructions)
    written = any(site.array.parameter in launch.written_elsewhere for launch in kernel.launches)
    cut = "the run was cut short: what share of the kernel's work it is was not seen"
    return Case(
        suspicion,
        (Figure(trial, loads, 0.0, True, share=share, detail=size),) if loads else (),
        data="" if size else "no launch shows how large it is",
        cut="" if trial.complete else cut,
        doubt="another kernel may write it, and a copy to constant memory takes time"
        if written
        else "",
    )


def cures(suspicion: Suspicion, decision: Decision) -> tuple[Variant, ...]:
    """The original, and the array in constant memory; or a promise that no store changes it."""
    kernel, index = suspicion.kernel, suspicion.site.array.parameter
    if kernel is None or kernel.function is None or index is None:
        return ()
    edits, launch = constant_copy(kernel, index)
    return (*tries(decision, edits, shared=launch), *_promise(kernel, index, decision))


def _promise(kernel: Kernel, index: int, decision: Decision) -> tuple[Variant, ...]:
    """What stays is loaded once then."""
    if kernel.function is None or may_alias(kernel):
        return ()
    parameter = kernel.function.parameters[index]
    if not parameter.pointer or parameter.restrict or parameter.name_span is None:
        return ()
    span = parameter.span
    begin = Edit(replace(span, end_line=span.line, end_column=span.column), "const ")
    promise = Edit(parameter.name_span, f"__restrict__ {parameter.name}")
    return tries(decision, (promise,) if parameter.const else (begin, promise))


def describe(suspicion: Suspicion, decision: Decision) -> Told:
    kernel, site, shown = suspicion.kernel, suspicion.site, decision.shown
    assert kernel is not None
    mend = mended(
        decision,
        partial(_change, kernel.names.array(site)),
        _global_loads,
        safe=False,
        beside=lambda trial: trial.run.warp_instructions,
    )
    array, size = kernel.names.array(site), shown.detail
    return Told(
        f"all lanes read the same element of {array}, which is read-only: {shown.share:.0%} of the "
        "instructions that warps issue are such loads, where constant memory needs none",
        label="the same address for the whole warp",
        evidence=(Evidence("global loads of one element", shown.measured, 0.0, "loads"),),
        notes=_room(suspicion, shown.trial, size) if isinstance(size, int) else (),
        help=f"make {array} a `__constant__` array, and fill it with `cudaMemcpyToSymbol`",
        severity=shown.share,
        fix=mend.fix,
        unfixed=mend.unfixed,
    )


def _change(array: str, edits: tuple[Edit, ...]) -> str:
    if any(edit.replacement.startswith("__constant__") for edit in edits):
        return f"make {array} a `__constant__` array, filled where the host fills what it passes"
    return f"promise that no store changes {array}, so that it is loaded once"


def _global_loads(trial: Trial) -> float:
    loads = (s for s in trial.facts.sites if s.kind == "load" and s.space == "global")
    return sum(trial.run.requests.get(pc, 0) for site in loads for pc in site.pcs)


def _held(kernel: Kernel) -> int:
    """Bytes of constant memory that the module's own variables take."""
    variables = kernel.facts.module.variables.values()
    return sum(v.size for v in variables if v.space == "const")


def _room(suspicion: Suspicion, trial: Trial, size: int) -> tuple[str, ...]:
    """What the array takes of constant memory, and what it takes with all such of the launch."""
    kernel, others = suspicion.kernel, suspicion.about
    assert kernel is not None and isinstance(others, tuple)
    beside = [_bytes(other, (trial,)) or 0 for other in others]
    total = size + _held(kernel) + sum(beside)
    takes = f"it takes {counted(size, 'byte')} of constant memory"
    if total == size:
        return (takes,)
    fits = "" if total <= CONSTANT_BYTES else f", more than the {CONSTANT_BYTES} there are"
    return (f"{takes}, {total} with all such arrays of the launch and what is there{fits}",)


def _bytes(suspicion: Suspicion, trials: Trials) -> int | None:
    """How much of the array a launch needs; None where only invented arguments tell.

    What has another size in another world is as large as what was invented there.
    """
    allocated = {_allocated(suspicion, each) for each in trials}
    if len(allocated) == 1 and (size := next(iter(allocated))):
        return size
    if (allocated == {None} and not trials[0].exact) or _varies_with_block(suspicion):
        return None
    read = {_read(suspicion, each) for each in trials}
    return read.pop() or None if len(read) == 1 else None


def _allocated(suspicion: Suspicion, trial: Trial) -> int | None:
    """The bytes of the array, in a trial's launch."""
    parameter = suspicion.site.array.parameter
    assert parameter is not None
    argument = trial.run.launch.arguments[parameter]
    return argument.size if isinstance(argument, Buffer) else None


def _read(suspicion: Suspicion, trial: Trial) -> int:
    """The bytes of the array, as far as a trial reads it."""
    counts = trial.tracer(Addresses).counts
    return max((counts[pc].last for pc in suspicion.pcs if pc in counts), default=0)


def _varies_with_block(suspicion: Suspicion) -> bool:
    addresses = [a for site in suspicion.sites for a in site.addresses if a is not None]
    return any(address.depends & BLOCK for address in addresses)
