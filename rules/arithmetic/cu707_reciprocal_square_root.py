"""## What it does
Finds reciprocal square roots that are written as a quotient, `1 / sqrt(x)` or `y / sqrtf(x)`, as a
root of a quotient, `sqrtf(1 / x)`, or as a power, `powf(x, -0.5f)`.

## Why it is slow
The GPU has an instruction for the reciprocal square root, and none for the square root: a root is
that reciprocal, corrected until it is rounded as IEEE 754 asks. The quotient takes a reciprocal of
it, which is corrected as well. `rsqrtf` is the one instruction; `rsqrt` of a double takes some
steps to correct it, and no division.

## Example
```cuda
__global__ void potential(float *out, const float *squares, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += 1.0f / sqrtf(squares[k * 16384 + i]);
    out[i] = sum;
}

void launch(float *out, const float *squares) { potential<<<64, 256>>>(out, squares, 64); }
```

## Use instead
```cuda
__global__ void potential(float *out, const float *squares, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += rsqrtf(squares[k * 16384 + i]);
    out[i] = sum;
}

void launch(float *out, const float *squares) { potential<<<64, 256>>>(out, squares, 64); }
```

## How it is confirmed
The compiled statement takes a square root or a general power. The golden execution is the same
source with `rsqrtf` or `rsqrt`, compiled again and run on the same data. The finding is confirmed
if that saves at least {MIN_WASTE} of what the kernel's warps issue: machine instructions, where one
on doubles counts as many times as there are float units per double unit; or, of what is no double,
of the time in which memory brings what the kernel touches, if that takes longer. It is a note where
memory takes as long with the change and without. The difference of the results is reported. Where
fast math makes the quotient one instruction already, nothing is said.

## When to ignore it
When the last bit matters: `rsqrtf` errs by 2 units in the last place at most, `rsqrt` by 1, where
root and quotient err by half a unit each.

## Options
None.

## References
- CUDA C++ Best Practices Guide, "Reciprocal Square Root",
  https://docs.nvidia.com/cuda/cuda-c-best-practices-guide/#reciprocal-square-root
- CUDA C++ Programming Guide, "Mathematical Functions": the errors of each
- Yang, Xiang, Mantor, Zhou, "Fixing Performance Bugs: An Empirical Study of Open-Source GPGPU
  Programs", ICPP 2012, section V.G
"""

from __future__ import annotations

from collections.abc import Iterator

from perflint.base.constructs import Constructs
from perflint.base.span import Span
from perflint.rules.arithmetic import rewrites
from perflint.rules.arithmetic.doubles import calls_power, owner
from perflint.rules.arithmetic.reciprocal_roots import ReciprocalRoot, reciprocal_roots
from perflint.rules.arithmetic.rewrites import Rewrite, reached_statements, suspicions
from perflint.rules.case import Case, Decision
from perflint.rules.protocol import (
    Kernel,
    Results,
    Rule,
    Suspicion,
    Told,
    Trials,
    Variant,
)
from perflint.rules.source_lines import pcs_at, sources

RULE = Rule(
    code="CU707",
    name="reciprocal-square-root",
    summary="A quotient by a square root where the reciprocal square root would do.",
    since="0.1.0",
    status="stable",
    tags=("performance", "cuda", "arithmetic"),
    tracers=("Instruction", "Lines"),
    measures="machine instructions per warp",
    scope="blocks",
    sums=True,
    prefix=True,
)


def suspect(kernel: Kernel) -> Iterator[Suspicion]:
    return suspicions(kernel, _rewrites(kernel))


def _rewrites(kernel: Kernel) -> Iterator[Rewrite]:
    for constructs, lines in sources(kernel):
        found = {each.span: each for each in reciprocal_roots(constructs)}
        for statement, spans in reached_statements(constructs, lines, iter(found)).items():
            if owner(kernel, constructs, statement) == "CU701":
                continue  # floats that are double by mistake: that first
            types = _root_types(kernel, statement)
            if types or calls_power(kernel, statement):
                for span in spans:
                    yield _rewrite(constructs, found[span], statement, types)


def _root_types(kernel: Kernel, statement: Span) -> frozenset[str]:
    """Of which types the compiled statement takes exact square roots."""
    instructions = kernel.facts.kernel.instructions
    here = (instructions[pc] for pc in pcs_at(kernel.facts, kernel, statement))
    return frozenset(i.modifiers[-1] for i in here if i.opcode == "sqrt" and "rn" in i.modifiers)


def _rewrite(
    constructs: Constructs, root: ReciprocalRoot, statement: Span, types: frozenset[str]
) -> Rewrite:
    single = root.call.name.endswith("f") or types == {"f32"}
    name = "rsqrtf" if single else "rsqrt"
    return Rewrite(
        span=statement,
        place=root.span,
        edits=root.edits(name),
        what=f"`{root.text}`",
        instead=f"`{root.instead.format(name)}`",
        why="takes a root and a division" if types else "goes through the general power function",
        fault="reciprocal square roots",
    )


def variants(suspicion: Suspicion, original: Trials) -> tuple[Variant, ...]:
    return rewrites.variants(suspicion, original)


def measure(suspicion: Suspicion, original: Trials, results: Results) -> Case:
    return rewrites.measure(suspicion, original, results)


def describe(suspicion: Suspicion, decision: Decision) -> Told:
    return rewrites.describe(suspicion, decision)
