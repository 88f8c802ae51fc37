"""## What it does
Finds `pow` with a whole exponent of at most {doubles.MOST}, `pow(x, 2)` or `pow(x, 3.0)`, or with
one half, `powf(x, 0.5f)`, where the compiler still calls the general function.

## Why it is slow
`pow` has to work for every exponent: it takes a logarithm, multiplies and takes an exponential,
with special cases around it: some hundred instructions. In C++ `pow` of a float and an integer is a
double function besides, so that float code ends up with double arithmetic. The product is one or
two instructions, and more exact; a square root of floats takes some ten.

## Example
```cuda
__global__ void distance(float *out, const float *a, const float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = pow(a[i] - b[i], 2);
}

void launch(float *out, const float *a, const float *b) { distance<<<64, 256>>>(out, a, b, 16384); }
```

## Use instead
```cuda
__global__ void distance(float *out, const float *a, const float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float d = a[i] - b[i];
        out[i] = d * d;
    }
}

void launch(float *out, const float *a, const float *b) { distance<<<64, 256>>>(out, a, b, 16384); }
```

## How it is confirmed
The golden execution is the same source with each such power of the statement written as a product
or a square root, compiled again and run on the same data; where floats were made double, constants
of the statement are float there too. The finding is confirmed if that saves at least {MIN_WASTE} of
what the kernel's warps issue: machine instructions, where one on doubles counts as many times as
there are float units per double unit; or, of what is no double, of the time in which memory brings
what the kernel touches, if that takes longer. The difference of the results is reported. What the
compiler already turns into a product, as it does for most floats, is not reported.

## When to ignore it
When the power is computed once beside much other work.

## Options
None.

## References
- CUDA C++ Best Practices Guide, "Exponentiation With Small Fractional Arguments" and "Math
  Libraries", https://docs.nvidia.com/cuda/cuda-c-best-practices-guide/#math-libraries
- Yang, Xiang, Mantor, Zhou, "Fixing Performance Bugs: An Empirical Study of Open-Source GPGPU
  Programs", ICPP 2012, figure 8 and section V.F
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from perflint.base.constructs import Constructs
from perflint.base.patterns import pattern
from perflint.base.span import Span
from perflint.rules.arithmetic import rewrites
from perflint.rules.arithmetic.doubles import (
    HALF,
    Power,
    calls_power,
    double_words,
    is_meant,
    powers,
    uses_at,
)
from perflint.rules.arithmetic.rewrites import Rewrite, reached_statements, suspicions
from perflint.rules.case import Decision
from perflint.rules.measure import listed
from perflint.rules.protocol import Edit, Kernel, Rule, Suspicion, Told
from perflint.rules.source_lines import sources

RULE = Rule(
    code="CU704",
    name="pow-small-integer",
    summary="A general power function where a product or a square root would do.",
    since="0.1.0",
    status="stable",
    tags=("performance", "cuda", "arithmetic"),
    tracers=("Instruction", "Lines"),
    measures="machine instructions per warp",
    scope="blocks",
    prefix=True,
    change="variant",
    on_chip=True,
    any_unit=True,
)

#: Exponents up to which the product is written out in the help.
LONGEST = 4

_ATOM = pattern(r"\(\w+\)|\w+(?:(?:\.|->)\w+|\[[^\[\]]*\])*")


def suspect(kernel: Kernel) -> Iterator[Suspicion]:
    return suspicions(kernel, _rewrites(kernel))


def _rewrites(kernel: Kernel) -> Iterator[Rewrite]:
    for constructs, lines in sources(kernel):
        found = {p.call.span: p for p in powers(constructs)}
        statements = reached_statements(constructs, lines, iter(found))
        for statement, spans in statements.items():
            if calls_power(kernel, statement):
                yield _rewrite(kernel, constructs, statement, [found[span] for span in spans])


def _rewrite(
    kernel: Kernel, constructs: Constructs, statement: Span, found: Sequence[Power]
) -> Rewrite:
    edits = [Edit(each.place, _instead(each)) for each in found]
    implicit = any(use.implicit for use in uses_at(kernel, statement))
    if implicit and not is_meant(constructs, statement):
        leave = tuple(each.call.span for each in found)
        edits += double_words(statement, constructs, leave).edits
    calls = [f"`{each.text}`" for each in found]
    go = "goes" if len(set(calls)) == 1 else "go"
    products = dict.fromkeys(map(_in_words, found))
    return Rewrite(
        span=statement,
        place=found[0].call.span,
        edits=tuple(edits),
        what=listed([*dict.fromkeys(calls)]),
        instead=listed([*products]),
        why=f"{go} through the general power function",
    )


def _instead(power: Power) -> str:
    if power.exponent == HALF:
        return f"{'sqrtf' if power.call.name.endswith('f') else 'sqrt'}({power.base})"
    base = power.base if _ATOM.fullmatch(power.base) else f"({power.base})"
    product = " * ".join([base] * abs(int(power.exponent)))
    if power.exponent < 0:
        return f"(1 / ({product}))"
    return f"({product})"


def _in_words(power: Power) -> str:
    """What to write: the root, the product, and where that is long how to come to it."""
    if abs(power.exponent) <= LONGEST:
        return f"`{_instead(power)}`"
    divided = "1 over " if power.exponent < 0 else ""
    return f"{divided}a product of squares of `{power.base}`, each computed once"


# The golden execution is the edited source; what is measured is the same for all such rules.
variants, measure = rewrites.variants, rewrites.measure


def describe(suspicion: Suspicion, decision: Decision) -> Told:
    """What it costs: a slip that nobody meant is one where memory takes longer, too."""
    return replace(rewrites.describe(suspicion, decision), level=None)
