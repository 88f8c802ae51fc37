"""## What it does
Finds `/` and `%` of integers by a value that only the launch knows, a parameter or a size made of
parameters, in a loop; and outside of one where it is a large part of what a kernel does.

## Why it is slow
No GPU has an instruction that divides integers. By a value that is not known when the kernel is
compiled, a division takes 18 to 24 machine instructions, of 64-bit integers a called routine of 70
to 85. By a constant it is a multiplication and a shift, by a power of two a shift or a mask.

## Example
```cuda
__global__ void repeat(float *out, const float *pattern, int w, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = pattern[i % w];
}

void launch(float *out, const float *pattern) { repeat<<<64, 256>>>(out, pattern, 1024, 1 << 18); }
```

## Use instead
```cuda
template <int w>
__global__ void repeat(float *out, const float *pattern, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = pattern[i % w];
}

void launch(float *out, const float *pattern) {
    repeat<1024><<<64, 256>>>(out, pattern, 1 << 18);
}
```

## How it is confirmed
The compiled code has an integer division whose divisor is made of parameters and block sizes alone.
The golden execution is the same source with those parameters as the constants they are at the
launch, compiled again and run on the same data. The finding is confirmed if that saves at the line,
of what the kernel's warps issue, at least 10 % in a loop. Elsewhere it must be at least 25 %, and
of a kernel that has more to compute than to move: at least 12 instructions for each sector.

## When to ignore it
When the kernel waits for memory, so that the instructions are hidden; when the values are many.

## Options
None.

## References
- CUDA C++ Best Practices Guide, "Division Modulo Operations",
  https://docs.nvidia.com/cuda/cuda-c-best-practices-guide/#division-modulo-operations
- Lemire, Kaser, Kurz, "Faster remainder by direct computation", Software: Practice and Experience
  49(6), 2019: division by an invariant with a multiplication
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from perflint.constructs import Constructs, Operation
from perflint.grammar import table
from perflint.rules.case import Case, Decision, Figure, nothing
from perflint.rules.launch_values import launch_value, parameters_of
from perflint.rules.lines import pcs_at, sources
from perflint.rules.measure import figure, listed
from perflint.rules.protocol import (
    ConstantArguments,
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
from perflint.rules.work import total, work
from perflint.sim.tracers.accesses import AccessCounter
from perflint.span import Span

RULE = Rule(
    code="CU705",
    name="integer-division-in-loop",
    summary="Integers are divided in a loop by a value that only the launch knows.",
    since="0.1.0",
    status="stable",
    tags=("performance", "cuda", "arithmetic"),
    tracers=("AccessCounter", "Instruction"),
    scope="blocks",
    whole=True,
    floor=0.10,  # of what the kernel's warps issue, of a division in a loop
    sums=True,
)

#: Share of what the kernel's warps issue that must be saved by a division that each thread does
#: once: most kernels take their coordinates apart so, and wait for memory meanwhile …
FLOOR_ONCE = 0.25
#: … unless their warps issue more than this for each sector they move. An A100's multiprocessor
#: issues 4 instructions a cycle and gets about 10 bytes from memory.
BALANCE = 12.0


@dataclass(frozen=True)
class Division:
    """Divisions of one statement by one value."""

    span: Span  #: of the statement
    operation: Operation
    parameters: tuple[int, ...]  #: what the divisor is made of
    repeated: bool  #: in a loop


def suspect(kernel: Kernel) -> Iterator[Suspicion]:
    divided = _divided(kernel)
    repeated = {pc for loop in kernel.facts.loops for pc in loop.pcs}
    for constructs, lines in sources(kernel) if divided else ():
        seen: dict[tuple[Span, str], None] = {}
        for operation in constructs.operations:
            statement = constructs.statement_of(operation.span)
            key = statement, operation.right.text
            if not _divides(constructs, operation) or key in seen:
                continue
            if not any(line in lines for line in range(statement.line, statement.end_line + 1)):
                continue
            seen[key] = None
            here = pcs_at(kernel.facts, kernel, statement)
            pcs = tuple(pc for pc in here if pc in divided)
            if pcs:
                parameters = tuple(sorted({p for pc in pcs for p in divided[pc]}))
                about = Division(statement, operation, parameters, not repeated.isdisjoint(pcs))
                text = f"{operation.operator} {operation.right.text}"
                yield Suspicion(text, kernel, pcs, span=operation.span, about=about)


def _divided(kernel: Kernel) -> dict[int, tuple[int, ...]]:
    """Integer divisions by a value of the launch, and the parameters that it is made of."""
    out = {}
    for instruction in kernel.facts.kernel.instructions:
        if instruction.opcode not in ("div", "rem") or table.types(instruction)[0][0] not in "su":
            continue
        value = launch_value(kernel, instruction.operands[-1])
        if value and (parameters := parameters_of(kernel, value)):
            out[instruction.index] = parameters
    return out


def _divides(constructs: Constructs, operation: Operation) -> bool:
    if operation.operator not in ("/", "%", "/=", "%="):
        return False
    return any(c.isalpha() or c == "_" for c in operation.right.text)


def variants(suspicion: Suspicion, original: Trials) -> tuple[Variant, ...]:
    division = suspicion.about
    assert isinstance(division, Division)
    values = original[0].values
    known = tuple((p, values[p]) for p in division.parameters if p in values)
    return (ConstantArguments(known),) if known else ()


def measure(suspicion: Suspicion, original: Trials, results: Results) -> Case:
    division, kernel, trial = suspicion.about, suspicion.kernel, original[0]
    assert isinstance(division, Division) and kernel is not None
    if not results:
        return nothing(suspicion, "no run gives its divisor")
    beside = results[0].beside(trial)
    unknown = Figure(trial, 1.0, 0.0, True)
    if beside is None:
        return Case(suspicion, (unknown,), doubt=results[0].error)
    if not trial.complete or not beside.complete:
        cut = "the run was cut short, so that its share is not known"
        return Case(suspicion, (unknown,), cut=cut)
    before, after = (_at(division, kernel, each) for each in (trial, beside))
    share = (before - after) / max(1.0, total(trial).slots(kernel))
    measured, golden = before / trial.run.warps, after / trial.run.warps
    shown = Figure(trial, measured, golden, golden < measured, share=share, detail=division)
    floor = RULE.floor if division.repeated else FLOOR_ONCE
    return Case(suspicion, (shown,), doubt=_doubt(division, trial), floor=floor)


def _doubt(division: Division, trial: Trial) -> str:
    accesses = trial.tracer(AccessCounter).counts.values()
    sectors = sum(each.measured for each in accesses if each.space == "global")
    issued = total(trial).instructions / max(1, sectors)
    if not division.repeated and issued < BALANCE:
        return (
            f"each thread does it once, and warps issue {figure(issued)} instructions for each "
            "sector they move: the kernel waits for memory"
        )
    return ""


def describe(suspicion: Suspicion, decision: Decision) -> Told:
    division, kernel, shown = suspicion.about, suspicion.kernel, decision.shown
    assert isinstance(division, Division) and kernel is not None
    what = f"{_shown(division)} divides by what only the launch knows"
    if shown.detail is None:
        return Told(what)
    names = [f"`{kernel.names.parameters[p]}`" for p in division.parameters]
    return Told(
        f"{what}: {figure(shown.measured)} machine instructions a warp where "
        f"{figure(shown.ideal)} would do",
        label=f"{shown.share:.0%} of what the kernel's warps issue",
        evidence=(
            Evidence("machine instructions a warp", shown.measured, shown.ideal, "instructions"),
        ),
        help=f"make {listed(names)} a constant or a template parameter, best a power of two; where "
        "the values are many, let the host compute a multiplier and a shift for each",
        fault=f"divisor {division.operation.right.text}",
        severity=shown.share,
    )


def _at(division: Division, kernel: Kernel, trial: Trial) -> float:
    return work(trial, pcs_at(trial.facts, kernel, division.span)).slots(kernel)


def _shown(division: Division) -> str:
    operation = division.operation
    return f"`{operation.left.text} {operation.operator} {operation.right.text}`"
