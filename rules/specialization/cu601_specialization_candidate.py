"""## What it does
Finds kernels with a small integer argument that has one of a few constant values at every launch in
sight, or with a `__constant__` or `__device__` integer that the host sets to one value, which
decides the trip counts of loops, and that execute far fewer instructions when compiled for that
value.

## Why it is slow
A loop whose trip count is known at compile time can be unrolled: no counter, no test, addresses
with constant offsets, arrays that fit into registers. With an argument in its place the compiler
must provide for any value.

## Example
```cuda
__constant__ float factor[33];

__global__ void series(float *out, const float *in, int terms)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i], sum = 0.0f;
    for (int k = 0; k < terms; k++)
        sum = sum * x + factor[k];
    out[i] = sum;
}

void launch(float *out, const float *in) { series<<<64, 256>>>(out, in, 16); }
```

## Use instead
```cuda
__constant__ float factor[33];

template <int terms> __global__ void series(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i], sum = 0.0f;
    for (int k = 0; k < terms; k++)
        sum = sum * x + factor[k];
    out[i] = sum;
}

void launch(float *out, const float *in) { series<16><<<64, 256>>>(out, in); }
```

## How it is confirmed
The golden execution is the same kernel with the argument, or the variable, as the constant that it
is at the launch, compiled again and run on the same data. The finding is confirmed if its warps
execute at least {FLOOR:%} fewer instructions, and at least {LEAST_SAVED} fewer, and leave the same
bytes. Where memory takes longer to bring what the kernel touches than its instructions to issue,
the share is of that time. Only arguments of at most {LARGEST} are looked at, with at most
{MOST_VALUES} values over all launches: larger ones are problem sizes, which differ from run to run.
Of variables that the host sets, its code says the value.

## When to ignore it
When the argument comes from the user after all: then a switch over the usual values may help.

## Options
None.

## References
- CUDA C++ Best Practices Guide, "Loop Unrolling" under "Instruction Optimization",
  https://docs.nvidia.com/cuda/cuda-c-best-practices-guide/#branch-predication
- Yang, Xiang, Mantor, Zhou, "Fixing Performance Bugs: An Empirical Study of Open-Source GPGPU
  Programs", ICPP 2012, section V.E, figures 17 and 18
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from perflint.analysis.model import LoopFacts
from perflint.analysis.symbols import Opaque, Parameter
from perflint.analysis.variable_names import variable_name
from perflint.base.constructs import FunctionSource
from perflint.base.floor import ISSUED_PER_CYCLE
from perflint.base.records import dataclass
from perflint.grammar.model import Immediate
from perflint.rules.case import Case, Decision, Figure, nothing
from perflint.rules.instruction_cost import BESIDE_MEMORY, total
from perflint.rules.measure import figure, listed, memory_cycles
from perflint.rules.mending import Mended, mended, tries
from perflint.rules.protocol import (
    ConstantArguments,
    Edit,
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
from perflint.rules.source_lines import same_bytes
from perflint.rules.specialization.template_edits import template_edits

RULE = Rule(
    code="CU601",
    name="specialization-candidate",
    summary="An argument with few values decides trip counts; as a constant it saves instructions.",
    since="0.1.0",
    status="stable",
    tags=("performance", "cuda", "specialization"),
    tracers=("Instruction", "Lines"),
    measures="machine instructions per warp",
    scope="blocks",
    whole=True,
    floor=0.30,  # of the instructions that warps issue, that are saved
    change="variant",
)

#: Instructions of each warp that must be saved: a short kernel is over, or waits for memory, all
#: the same.
LEAST_SAVED = 32
#: The largest value that is taken for a choice and not for a size: figure 17's is less than 33.
LARGEST = 33
MOST_VALUES = 4


@dataclass(frozen=True)
class Set:
    """A variable of the module, and what the host sets it to."""

    name: str
    value: int
    edit: Edit  #: what makes it a constant in the kernel


def suspect(kernel: Kernel) -> Iterator[Suspicion]:
    if not kernel.launches or any(launch.assumed for launch in kernel.launches):
        return
    if kernel.function is None or kernel.function.template:
        return
    parameters = tuple(p for p in sorted(_deciding(kernel)) if _is_choice(kernel, p))
    if parameters:
        names = ", ".join(kernel.names.parameters[p] for p in parameters)
        place = kernel.function.parameters[parameters[0]].name_span
        yield Suspicion(f"parameter {names}", kernel, span=place, about=parameters)
    for name, (value, loop) in _variables(kernel).items():
        own = variable_name(name) or name
        about = Set(own, value, _defined(kernel.function, own, value))
        place = kernel.statement(loop.location)
        yield Suspicion(f"variable {own}", kernel, loop.pcs[:1], span=place, about=about)


def _variables(kernel: Kernel) -> dict[str, tuple[int, LoopFacts]]:
    """Integers of the module that end loops: what the host sets them to, and the first loop."""
    found: dict[str, tuple[int, LoopFacts]] = {}
    for loop in kernel.facts.loops:
        for atom in loop.last.atoms if loop.last is not None else ():
            name = atom.array if isinstance(atom, Opaque) and atom.is_loaded else None
            variable = kernel.facts.module.variables.get(name or "")
            if variable is None or variable.dimensions or variable.type[0] not in "us":
                continue
            told = variable.initialiser or ()
            if len(told) == 1 and isinstance(told[0], Immediate) and told[0].bits > 1 and name:
                found.setdefault(name, (told[0].bits, loop))
    return found


def _defined(function: FunctionSource, name: str, value: int) -> Edit:
    """A constant of the kernel's own that hides the variable of that name.

    The variable's address is taken still: without it arrays would lie, and begin, otherwise.
    """
    body = function.body
    at = replace(body, column=body.column + 1, end_line=body.line, end_column=body.column + 1)
    kept = f'asm volatile("" :: "l"(&{name}));'
    return Edit(at, f" {kept} constexpr decltype({name}) {name} = {value};")


def _deciding(kernel: Kernel) -> set[int]:
    """Scalar parameters that the number of some loop's turns is made of."""
    ends = (loop.last for loop in kernel.facts.loops if loop.last is not None)
    atoms = {atom for end in ends for atom in end.atoms if isinstance(atom, Parameter)}
    return {atom.index for atom in atoms} - kernel.facts.pointer_parameters


def _is_choice(kernel: Kernel, parameter: int) -> bool:
    """Whether every launch in sight gives it a small constant, of which there are few."""
    values = {launch.values.get(parameter) for launch in kernel.launches}
    return len(values) <= MOST_VALUES and all(
        isinstance(value, int) and 1 < value <= LARGEST for value in values
    )


def variants(suspicion: Suspicion, original: Trials) -> tuple[Variant, ...]:
    parameters, values = suspicion.about, original[0].values
    if isinstance(parameters, Set):
        return (SourceEdit((parameters.edit,)),)
    assert isinstance(parameters, tuple)
    known = tuple((p, values[p]) for p in parameters if p in values)
    return (ConstantArguments(known),) if known else ()


def measure(suspicion: Suspicion, original: Trials, results: Results) -> Case:
    if not results:
        return nothing(suspicion, "the launch does not give its value")
    pairs = [(t, beside) for t in original if (beside := results[0].beside(t))]
    if not pairs:
        return nothing(suspicion, results[0].error)
    if not all(a.complete and b.complete for a, b in pairs):
        return nothing(suspicion, "the run was cut short, so that what it saves is not known")
    figures = tuple(_figure(a, b) for a, b in pairs)
    waits = any(each.share < (each.measured - each.ideal) / each.measured for each in figures)
    if not all(each.bad for each in figures):
        return nothing(suspicion, "it saves few instructions")
    same = all(same_bytes(a, b) for a, b in pairs)
    compared = all(each.outputs is not None for pair in pairs for each in pair)
    reason = "the results are not the same bytes" if compared else "the results were not compared"
    case = Case(suspicion, figures, doubt="" if same else reason)
    return replace(case, small=BESIDE_MEMORY) if waits else case


def _figure(trial: Trial, beside: Trial) -> Figure:
    before, after = _each(trial), _each(beside)
    saved = before - after
    waits = memory_cycles(trial) * ISSUED_PER_CYCLE / trial.run.warps
    return Figure(trial, before, after, saved >= LEAST_SAVED, share=saved / max(1.0, before, waits))


def cures(suspicion: Suspicion, decision: Decision) -> tuple[Variant, ...]:
    """The original, and the kernel as a template, where every launch passes one value."""
    kernel, parameters = suspicion.kernel, suspicion.about
    assert kernel is not None
    if not isinstance(parameters, tuple):
        return ()
    given = {p: {launch.values.get(p) for launch in kernel.launches} for p in parameters}
    one = {p: values.pop() for p, values in given.items() if len(values) == 1}
    known = {p: value for p, value in one.items() if isinstance(value, int)}
    return tries(decision, template_edits(kernel, known) if len(known) == len(given) else ())


def describe(suspicion: Suspicion, decision: Decision) -> Told:
    parameters, kernel, shown = suspicion.about, suspicion.kernel, decision.shown
    assert kernel is not None
    if isinstance(parameters, Set):
        names, values = [f"`{parameters.name}`"], [f"{parameters.name}={parameters.value}"]
    else:
        assert isinstance(parameters, tuple)
        names = [f"`{kernel.names.parameters[p]}`" for p in parameters]
        values = [f"{kernel.names.parameters[p]}={shown.trial.values[p]}" for p in parameters]
    measured, golden = shown.measured, shown.ideal
    mend = _mended(decision, listed(names))
    are = "is a constant" if len(names) == 1 else "are constants"
    return Told(
        f"{listed(names)} {are} at every launch: {figure(measured)} machine instructions per warp "
        f"where {figure(golden)} would do, compiled for {', '.join(values)}",
        label="decides the trip count of a loop",
        evidence=(Evidence("machine instructions per warp", measured, golden, "instructions"),),
        help=f"make {listed(names)} template parameters, with one instance for each value"
        if len(names) > 1
        else f"make {names[0]} a template parameter, with one instance for each value",
        severity=shown.share,
        fix=mend.fix,
        unfixed=mend.unfixed,
    )


def _mended(decision: Decision, names: str) -> Mended:
    """The fix, unsafe: code that is not in sight may launch the kernel, too."""
    s = "s" if " and " in names else ""
    what = f"make {names} template parameter{s} (each argument stays in its place, unused)"
    return mended(decision, what, _each, safe=False)


def _each(trial: Trial) -> float:
    """Machine instructions of a warp, on average."""
    return total(trial).instructions / trial.run.warps
