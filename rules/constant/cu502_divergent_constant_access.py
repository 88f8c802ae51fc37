"""## What it does
Finds reads of `__constant__` memory in which the lanes of a warp need different addresses.

## Why it is slow
The constant cache broadcasts one word at a time to all lanes that need it: ideal when a warp reads
one address, and one pass per different address otherwise. A table indexed by the thread is read 32
times one after the other; shared memory or the L1 cache serve such reads in one pass.

## Example
```cuda
__constant__ float weight[256];

__global__ void weigh(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] * weight[threadIdx.x];
}

void launch(float *out, const float *in) { weigh<<<64, 256>>>(out, in); }
```

## Use instead
```cuda
__global__ void weigh(float *out, const float *in, const float *weight)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] * weight[threadIdx.x];
}

void launch(float *out, const float *in, const float *weight)
{
    weigh<<<64, 256>>>(out, in, weight);
}
```
A small table that is read at loaded indices is best copied to shared memory at the kernel's start.

## How it is confirmed
A few blocks are run to their end, and the different addresses of each request are counted: that is
the number of passes. The golden execution is one broadcast. The finding is confirmed if it takes at
least {LEAST_PASSES} passes on average under every condition tried (for loaded indices: with random
and with identity data), and the passes above the golden ones are at least {MIN_WASTE} of what the
kernel's warps issue. A copy to shared memory of one element a thread is the remedy, and undecided;
and so is what each thread reads once beside a loop whose length nobody can say, and what loaded
floats pick: those of neighbouring threads may lie in one element.

## When to ignore it
When the loaded indices are known to agree within a warp nearly always.

## Options
None.

## References
- CUDA C++ Best Practices Guide, "Constant Memory",
  https://docs.nvidia.com/cuda/cuda-c-best-practices-guide/#constant-memory
- CUDA C++ Programming Guide, "Device Memory Accesses": constant requests are split into as many as
  there are different addresses
- Yang, Xiang, Mantor, Zhou, "Fixing Performance Bugs: An Empirical Study of Open-Source GPGPU
  Programs", ICPP 2012, section V.D
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from perflint.analysis.gathers import compared
from perflint.analysis.model import AccessSite
from perflint.analysis.variable_names import variable_name
from perflint.base.constructs import within
from perflint.base.english import listed
from perflint.grammar.model import Operand, Vector
from perflint.rules.case import Case, Decision, Figure
from perflint.rules.contention import Contention, contention, of_all_issued
from perflint.rules.function_tables import TURNS, calls_by_table
from perflint.rules.measure import figure
from perflint.rules.mending import mended, tries
from perflint.rules.neighbours import is_copied
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
    site_suspicion,
)
from perflint.rules.small_tables import array_bytes
from perflint.rules.steady import tells_of_accesses
from perflint.sim.tracers.accesses import AccessCounter
from perflint.sim.tracers.addresses import Addresses

RULE = Rule(
    code="CU502",
    name="divergent-constant-access",
    summary="Lanes of a warp read different addresses of constant memory, one pass for each.",
    since="0.1.0",
    status="stable",
    tags=("performance", "cuda", "memory", "constant-memory"),
    tracers=("Addresses", "AccessCounter"),
    measures="passes per request",
    scope="blocks",
    whole=True,
)

#: Passes a request, on average, from which on constant memory is the wrong place.
LEAST_PASSES = 2.0
POINTER = 8  #: bytes
CUT = "the runs that came to it were cut short, in no loop that goes on as it began"
ALIKE = (
    "comparisons of loaded values decide which element it reads, and those of neighbouring threads "
    "mostly come out alike"
)
ROUNDED = (
    "which element it reads comes from loaded floats, and those of neighbouring threads may lie in "
    "one"
)
_MOVES = ("mov", "cvt", "selp")
COPIED = "each thread copies an element to shared memory, once: there it is read at any place"


def suspect(kernel: Kernel) -> Iterator[Suspicion]:
    for site in kernel.facts.sites:
        if site.kind == "load" and site.space == "const" and site.uniformity != "uniform":
            yield site_suspicion(kernel, site)


def measure(suspicion: Suspicion, original: Trials, results: Results) -> Case:
    # the golden execution, one broadcast, is counted in the same run
    site = suspicion.site
    told = (t for t in original if tells_of_accesses(t, site.pcs))
    seen = [(t, m) for t in told if (m := contention(site, t)) is not None]
    cut = any(not t.complete and contention(site, t) is not None for t in original)
    seen = sorted(((t, _within(site, t, m)) for t, m in seen), key=lambda each: -each[1].passes)
    case = Case(
        suspicion,
        tuple(
            Figure(t, m.addresses, 1.0, m.addresses >= LEAST_PASSES, share=m.passes, detail=m)
            for t, m in seen
        ),
        silent="" if seen or not cut else CUT,
        doubt=_doubt(suspicion),
    )
    return beside_open_loops(case)


def _within(site: AccessSite, trial: Trial, m: Contention) -> Contention:
    """What contention is at most where invented indices go past a table's end.

    The program's own do not: of so few elements as there are, lanes that pick any of them pick
    `elements * (1 - (1 - 1 / elements) ** lanes)` different ones on average.
    """
    size = array_bytes(site, trial)
    if not size or not any(
        f.kind == "out-of-region" and f.pc in site.pcs for f in trial.run.faults
    ):
        return m
    elements = max(1, size // site.size)
    different = elements * (1 - (1 - 1 / elements) ** m.lanes)
    if different >= m.addresses:
        return m
    passes = of_all_issued(trial, m.requests * (different - 1))
    return replace(m, addresses=different, passes=passes)


def _doubt(suspicion: Suspicion) -> str:
    """What speaks against it: what is loaded, by what it is picked, and where it goes."""
    site, kernel = suspicion.site, suspicion.kernel
    assert kernel is not None
    if _is_of_functions(suspicion):
        return TURNS
    if compared(site, kernel.facts.kernel.instructions):  # which of some loaded values are greater
        return ALIKE
    if site.rounded_address:
        return ROUNDED
    copied = not site.loops and is_copied(site, kernel.facts.sites) and _is_kept(site, kernel)
    return COPIED if copied else ""


def _is_kept(site: AccessSite, kernel: Kernel) -> bool:
    """Whether shared memory gets what it loads as it is: `x / table[i]` is no copy of the table."""
    instructions = kernel.facts.kernel.instructions
    held = {each for pc in site.pcs for each in _parts(instructions[pc].operands[0])}
    for each in instructions:
        if each.opcode in _MOVES and held.intersection(each.operands[1:]):
            held.add(each.operands[0])
    stores = (i for i in instructions if i.opcode == "st" and i.modifiers[0].startswith("shared"))
    return any(held.intersection(_parts(each.operands[-1])) for each in stores)


def _parts(operand: Operand) -> tuple[Operand, ...]:
    return operand.elements if isinstance(operand, Vector) else (operand,)


def _is_of_functions(suspicion: Suspicion) -> bool:
    """Whether what is loaded may be the address of a function that is called."""
    assert suspicion.kernel is not None
    return suspicion.site.size == POINTER and calls_by_table(suspicion.kernel)


def cures(suspicion: Suspicion, decision: Decision) -> tuple[Variant, ...]:
    """The original, and the array in global memory, both to their end: the outputs are compared."""
    assert suspicion.kernel is not None
    return tries(decision, _edits(suspicion.kernel, suspicion.site))


def _edits(kernel: Kernel, site: AccessSite) -> tuple[Edit, ...]:
    """The array's declaration with `__device__`, where it stands in the kernel's own file."""
    constructs = kernel.own_constructs
    name = variable_name(site.array.name)
    declared = [v for v in (constructs.constant_memory if constructs else ()) if v.text == name]
    return (Edit(declared[0].span, "__device__"),) if len(declared) == 1 else ()


def _other_users(kernel: Kernel, site: AccessSite) -> list[str]:
    """The file's other kernels that name the array: constant memory may be right for them."""
    constructs = kernel.own_constructs
    if constructs is None or kernel.function is None:
        return []
    name = variable_name(site.array.name)
    others = (f for f in constructs.functions if f != kernel.function)
    return [f.name for f in others if any(n.text == name for n in within(constructs.names, f.body))]


def _passes(trial: Trial) -> float:
    """Passes of constant memory, and sectors of global memory, of all accesses."""
    counts = trial.tracer(Addresses).counts
    constant = [pc for s in trial.facts.sites if s.space == "const" for pc in s.pcs]
    sectors = sum(
        count.measured
        for count in trial.tracer(AccessCounter).by_space.values()
        if count.space == "global"
    )
    return sectors + sum(counts[pc].addresses for pc in constant if pc in counts)


def describe(suspicion: Suspicion, decision: Decision) -> Told:
    site, kernel, m = suspicion.site, suspicion.kernel, decision.shown.detail
    assert kernel is not None and isinstance(m, Contention)
    notes: tuple[str, ...] = ()
    if site.loaded_address and decision.confirmed:
        notes = ("the address depends on loaded data; random and identity data both scatter it",)
    array, passes = kernel.names.array(site), figure(m.addresses)
    what = f"keep {array} in global memory (`__device__`), which L1 serves"
    others = _other_users(kernel, site)
    if others:
        what += f" (for {listed(others)}, too, which was not run)"
    mend = mended(decision, what, _passes, safe=not others)
    return Told(
        f"load from {array} in constant memory has {passes} different addresses per warp: "
        f"{passes} passes where 1 would do",
        label=kernel.names.stride(site, decision.shown.trial.run, m.scattered),
        evidence=(Evidence("passes per request", m.addresses, 1.0, "passes"),),
        notes=notes,
        help=_help(array, site.loaded_address),
        witness=kernel.names.witness(m.scattered, "different addresses"),
        fault=f"{array} constant",
        severity=m.passes,
        fix=mend.fix,
        unfixed=mend.unfixed,
    )


def _help(array: str, loaded: bool) -> str:
    if loaded:
        return (
            f"copy {array} to shared memory at the kernel's start and read it there, or pass it "
            "as `const … *__restrict__`"
        )
    return (
        f"pass {array} as an ordinary array (`const … *__restrict__`): neighbouring threads read "
        "neighbouring elements of it, which L1 serves in one pass"
    )
