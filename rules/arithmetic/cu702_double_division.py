"""## What it does
Finds divisions in double precision that are meant to be double, but need not be divisions: by a
constant, by a value that stays the same in a loop, or of a constant, as in `-(4.0) / t`.

## Why it is slow
No GPU has an instruction that divides doubles. A division takes 14 machine instructions, 8 of them
on doubles; a reciprocal takes 8, of them 5 on doubles; a product takes one. Dividing many values by
one divisor costs one reciprocal and a product for each.

## Example
```cuda
__global__ void normalise(double *data, const double *length, int n, int w)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double l = length[i];
    for (int k = 0; k < w; k++)
        data[k * n + i] = data[k * n + i] / l;
}

void launch(double *data, const double *length) {
    normalise<<<64, 256>>>(data, length, 16384, 64);
}
```

## Use instead
```cuda
__global__ void normalise(double *data, const double *length, int n, int w)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double inverse = 1.0 / length[i];
    for (int k = 0; k < w; k++)
        data[k * n + i] = data[k * n + i] * inverse;
}

void launch(double *data, const double *length) {
    normalise<<<64, 256>>>(data, length, 16384, 64);
}
```

## How it is confirmed
The compiled code divides doubles at the line. The golden execution is the same source with the
product by the reciprocal, which is computed before the outermost loop in which the divisor stays
the same, compiled again and run on the same data. The finding is confirmed if that saves at least
{MIN_WASTE} of what the kernel's warps issue: machine instructions, where one on doubles counts as
many times as there are float units per double unit. The difference of the results is reported.
Double arithmetic in float code is left to CU701.

## When to ignore it
When the last bit matters: a product by a reciprocal is rounded twice.

## Options
None.

## References
- CUDA C++ Programming Guide, "Arithmetic Instructions": throughput by compute capability
- Yang, Xiang, Mantor, Zhou, "Fixing Performance Bugs: An Empirical Study of Open-Source GPGPU
  Programs", ICPP 2012, section V.F
"""

from __future__ import annotations

from collections.abc import Iterator

from perflint.base.constructs import Constructs, LoopSource, Operation
from perflint.base.patterns import pattern
from perflint.base.span import Span
from perflint.rules.arithmetic import rewrites
from perflint.rules.arithmetic.doubles import divisions, may_be_double, owner
from perflint.rules.arithmetic.reciprocal_roots import reciprocal_roots
from perflint.rules.arithmetic.rewrites import (
    NewNames,
    Rewrite,
    before,
    operand,
    outermost_invariant,
    reached_statements,
    suspicions,
)
from perflint.rules.protocol import Edit, Kernel, Rule, Suspicion
from perflint.rules.source_lines import sources

RULE = Rule(
    code="CU702",
    name="double-division",
    summary="A division of doubles where a product by the reciprocal would do.",
    since="0.1.0",
    status="stable",
    tags=("performance", "cuda", "arithmetic", "double-precision"),
    tracers=("Instruction", "Lines"),
    measures="machine instructions per warp",
    scope="blocks",
    prefix=True,
    change="variant",
    on_chip=True,
)


_NUMBER = pattern(r"[-+]?\(?[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\)?")


def suspect(kernel: Kernel) -> Iterator[Suspicion]:
    return suspicions(kernel, _rewrites(kernel))


def _rewrites(kernel: Kernel) -> Iterator[Rewrite]:
    for constructs, lines in sources(kernel):
        names = NewNames(constructs)
        roots = {each.span for each in reciprocal_roots(constructs)}  # CU707's
        found = {o.span: o for o in divisions(constructs) if o.span not in roots}
        for statement, spans in reached_statements(constructs, lines, iter(found)).items():
            if owner(kernel, constructs, statement) == "CU702":
                for operation in (found[span] for span in spans):
                    if _is_double(constructs, operation, statement):
                        rewrite = _rewrite(names, operation)
                        if rewrite:
                            yield rewrite


def _is_double(constructs: Constructs, operation: Operation, statement: Span) -> bool:
    """Whether an operation divides doubles: the only division of a statement that has one does."""
    if len([*divisions(constructs, statement)]) == 1:
        return True
    return any(may_be_double(constructs, side.span) for side in (operation.left, operation.right))


def _rewrite(names: NewNames, operation: Operation) -> Rewrite | None:
    """The product that a division may become; None for a plain quotient of two variables."""
    constructs = names.constructs
    statement = constructs.statement_of(operation.span)
    left, right = operation.left.text, operation.right.text
    sign = "*=" if operation.operator == "/=" else "*"
    if _NUMBER.fullmatch(right):
        instead = f"{left} {sign} (1.0 / {right})"
        return _made(operation, statement, (Edit(operation.span, instead),), f"`{instead}`")
    loop = outermost_invariant(constructs, operation.right.span)
    if loop is not None:
        return _hoisted(names, operation, statement, loop, sign)
    if _NUMBER.fullmatch(left) and left.strip("-+()") not in ("1", "1.", "1.0"):
        instead = f"(1.0 / {operand(right)}) * {left}"
        return _made(operation, statement, (Edit(operation.span, instead),), f"`{instead}`")
    return None


def _hoisted(
    names: NewNames, operation: Operation, statement: Span, loop: LoopSource, sign: str
) -> Rewrite:
    name = names.name("inverse", operation.right, loop)
    declared = f"const double {name} = 1.0 / {operand(operation.right.text)};"
    instead = f"{operation.left.text} {sign} {name}"
    edits = (before(loop.span, f"{declared} "), Edit(operation.span, instead))
    return _made(operation, statement, edits, f"`{declared}` before the loop and `{instead}` in it")


def _made(operation: Operation, statement: Span, edits: tuple[Edit, ...], instead: str) -> Rewrite:
    return Rewrite(
        span=statement,
        place=operation.span,
        edits=edits,
        what=f"`{operation.left.text} {operation.operator} {operation.right.text}`",
        instead=instead,
        why="divides doubles",
        fault=f"divisor {operation.right.text}",
    )


# The golden execution is the edited source; what is measured is the same for all such rules.
variants, measure, describe = rewrites.variants, rewrites.measure, rewrites.describe
