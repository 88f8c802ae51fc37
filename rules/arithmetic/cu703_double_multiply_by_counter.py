"""## What it does
Finds `a = b * i` in a loop, where `b` is a double that stays the same and `i` the loop's counter.

## Why it is slow
Every iteration converts the counter to a double and multiplies. The product grows by the same
amount each time: an addition suffices, without a conversion. Compilers do not do this, because a
sum is rounded differently than a product.

## Example
```cuda
__global__ void walk(double *sum, const double *step, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double b = step[i], total = 0.0;
    for (int k = 0; k < n; k++) {
        double a = b * k;
        total += a * a;
    }
    sum[i] = total;
}

void launch(double *sum, const double *step) { walk<<<64, 256>>>(sum, step, 100); }
```

## Use instead
```cuda
__global__ void walk(double *sum, const double *step, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double b = step[i], total = 0.0, a = 0.0;
    for (int k = 0; k < n; k++, a += b)
        total += a * a;
    sum[i] = total;
}

void launch(double *sum, const double *step) { walk<<<64, 256>>>(sum, step, 100); }
```

## How it is confirmed
The golden execution is the same source with a variable that is increased with the counter in place
of the product, compiled again and run on the same data. The finding is confirmed if that saves at
least {MIN_WASTE} of what the kernel's warps issue: machine instructions, where one on doubles
counts as many times as there are float units per double unit. The difference of the results, which
grows with the number of iterations, is reported.

## When to ignore it
When the loop is long and the last digits matter, or when its iterations must not depend on each
other: every addition needs the one before.

## Options
None.

## References
- Yang, Xiang, Mantor, Zhou, "Fixing Performance Bugs: An Empirical Study of Open-Source GPGPU
  Programs", ICPP 2012, section V.F: `MonteCarloAsianDP`
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from perflint.base.constructs import Fragment, LoopSource, Operation
from perflint.base.patterns import pattern
from perflint.base.records import dataclass
from perflint.rules.arithmetic import rewrites
from perflint.rules.arithmetic.doubles import may_be_double, owner, uses_at
from perflint.rules.arithmetic.rewrites import (
    NewNames,
    Rewrite,
    before,
    behind,
    changes_in,
    loops_around,
    reached_statements,
    suspicions,
)
from perflint.rules.protocol import Edit, Kernel, Rule, Suspicion
from perflint.rules.source_lines import sources

RULE = Rule(
    code="CU703",
    name="double-multiply-by-counter",
    summary="A double is multiplied by a loop's counter where an addition would do.",
    since="0.1.0",
    status="preview",
    tags=("performance", "cuda", "arithmetic", "double-precision"),
    tracers=("Instruction", "Lines"),
    measures="machine instructions per warp",
    scope="blocks",
    prefix=True,
    change="variant",
    on_chip=True,
)


_INITIAL = pattern(r"(?:(?:const |unsigned |signed |long |short )*\w+ )?(\w+) ?= ?([^,;]+)")
_UPDATE = pattern(r"(?:\+\+ ?(\w+)|(\w+) ?\+\+|(\w+) ?\+= ?([^,]+)|(\w+) ?= ?\5 ?\+ ?([^,]+))")
_CAST = pattern(r"\( ?(?:double|float|int) ?\) ?")


@dataclass(frozen=True)
class Counter:
    """The variable that a loop counts up."""

    name: str
    start: str
    step: str


def suspect(kernel: Kernel) -> Iterator[Suspicion]:
    return suspicions(kernel, _rewrites(kernel))


def _rewrites(kernel: Kernel) -> Iterator[Rewrite]:
    instructions = kernel.facts.kernel.instructions
    for constructs, lines in sources(kernel):
        names = NewNames(constructs)
        found = {o.span: o for o in constructs.operations if o.operator == "*"}
        for statement, spans in reached_statements(constructs, lines, iter(found)).items():
            if owner(kernel, constructs, statement) != "CU703":
                continue
            uses = uses_at(kernel, statement)
            if any(instructions[use.pc].opcode in ("mul", "fma", "mad") for use in uses):
                for operation in (found[span] for span in spans):
                    rewrite = _rewrite(names, operation)
                    if rewrite:
                        yield rewrite


def counter_of(loop: LoopSource) -> Counter | None:
    """The counter of `for (int i = start; …; i += step)`; None for other loops."""
    if loop.initial is None or loop.update is None:
        return None
    initial, update = _INITIAL.fullmatch(loop.initial.text), _UPDATE.fullmatch(loop.update.text)
    if not initial or not update:
        return None
    name = next(n for n in (update[1], update[2], update[3], update[5]) if n)
    if name != initial[1]:
        return None
    return Counter(name, initial[2].strip(), (update[4] or update[6] or "1").strip())


def _rewrite(names: NewNames, operation: Operation) -> Rewrite | None:
    constructs = names.constructs
    loop = next(iter(loops_around(constructs, operation.span)), None)
    counter = counter_of(loop) if loop else None
    if loop is None or counter is None or not loop.in_block or loop.update is None:
        return None
    sides = (operation.left, operation.right), (operation.right, operation.left)
    factor = next((f for f, c in sides if _CAST.sub("", c.text).strip("() ") == counter.name), None)
    if factor is None or not may_be_double(constructs, factor.span):
        return None
    if changes_in(constructs, loop.span, factor.span):
        return None
    changed = [c for c in constructs.changes if c.text == counter.name]
    inside = [c for c in changed if loop.body.line <= c.span.line <= loop.body.end_line]
    if any((c.span.line, c.span.column) >= (loop.body.line, loop.body.column) for c in inside):
        return None  # the body counts too
    return _summed(names, operation, loop, counter, factor)


def _summed(
    names: NewNames,
    operation: Operation,
    loop: LoopSource,
    counter: Counter,
    factor: Fragment,
) -> Rewrite:
    assert loop.update is not None
    name = names.name("product", factor, loop)
    declared = f"double {name} = {_wrapped(factor.text)} * {_wrapped(counter.start)};"
    step = "" if counter.step == "1" else f" * {_wrapped(counter.step)}"
    grown = f"{name} += {_wrapped(factor.text) if step else factor.text}{step}"
    return Rewrite(
        span=names.constructs.statement_of(operation.span),
        place=operation.span,
        edits=(
            before(loop.span, f"{declared} "),
            behind(loop.update.span, f", {grown}"),
            Edit(operation.span, name),
        ),
        what=f"`{operation.left.text} * {operation.right.text}`",
        instead=f"`{declared}` before the loop, `{grown}` on every iteration, and `{name}` here",
        why="multiplies a double by the loop's counter",
        fault=f"{factor.text} * {counter.name}",
    )


def _wrapped(text: str) -> str:
    return text if re.fullmatch(r"[\w.]+", text) else f"({text})"


# The golden execution is the edited source; what is measured is the same for all such rules.
variants, measure, describe = rewrites.variants, rewrites.measure, rewrites.describe
