"""## What it does
Finds, in loops, float divisions by a value that stays the same, and float functions with a slow
path or a long polynomial (`expf`, `logf`, `powf`, `sinf`, `cosf`, `tanf`), where a reciprocal
before the loop or an intrinsic such as `__expf` would cost a small part of that.

## Why it is slow
A float division that is rounded correctly takes 8 machine instructions, a product one. `sinf` and
`cosf` take some 20 and hold code for huge arguments, `powf` some 80; the special function unit does
`__sinf`, `__expf` or `__logf` in a few, at less precision.

## Example
```cuda
__global__ void wave(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += cosf(in[k * 16384 + i]);
    out[i] = sum;
}

void launch(float *out, const float *in) { wave<<<64, 256>>>(out, in, 64); }
```

## Use instead
```cuda
__global__ void wave(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += __cosf(in[k * 16384 + i]);
    out[i] = sum;
}

void launch(float *out, const float *in) { wave<<<64, 256>>>(out, in, 64); }
```

## How it is confirmed
The golden execution is the same source with the intrinsic, or with the reciprocal before the loop,
compiled again and run on the same data. It is confirmed if that saves at least {FLOOR:%} of what
the kernel's warps issue, in machine instructions, or of the time in which memory brings what the
kernel touches, if that takes longer. Where memory takes as long with the change and without, or
only an intrinsic would do, it is a note, shown where notes are asked for: the difference of the
results is reported, and whether it is acceptable is for you to judge. A reciprocal rounds once
more, and what all threads of a warp compute alike needs to be computed once, as precisely as it is.

## When to ignore it
When the precision is needed. `-use_fast_math` does the same everywhere.

## Options
None.

## References
- CUDA C++ Programming Guide, "Intrinsic Functions": the errors of each
- CUDA C++ Best Practices Guide, "Math Libraries",
  https://docs.nvidia.com/cuda/cuda-c-best-practices-guide/#math-libraries
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from perflint.analysis.model import Branch
from perflint.analysis.symbols import Opaque
from perflint.base.constructs import Call, Constructs, Operation
from perflint.base.span import Span
from perflint.rules.arithmetic import rewrites
from perflint.rules.arithmetic.doubles import divisions, powers, uses_at
from perflint.rules.arithmetic.reciprocal_roots import reciprocal_roots
from perflint.rules.arithmetic.rewrites import (
    NewNames,
    Rewrite,
    before,
    loops_around,
    operand,
    outermost_invariant,
    reached_statements,
    suspicions,
)
from perflint.rules.case import Decision
from perflint.rules.protocol import Edit, Kernel, Rule, Suspicion, Told
from perflint.rules.source_lines import pcs_at, sources

RULE = Rule(
    code="CU706",
    name="slow-float-math",
    summary="A float function or division in a loop where an intrinsic or a reciprocal would do.",
    since="0.1.0",
    status="stable",
    level="note",
    tags=("performance", "cuda", "arithmetic"),
    tracers=("Instruction", "Lines"),
    measures="machine instructions per warp",
    scope="blocks",
    prefix=True,
    floor=0.10,  # of what the kernel's warps issue
    sums=True,
    change="variant",
    on_chip=True,
)

#: Functions with an intrinsic, by what a program may call them. C++ knows the float ones without f.
INTRINSICS = {
    f"{prefix}{name}{suffix}": f"__{name}f"
    for name in ("exp", "log", "log2", "log10", "sin", "cos", "tan", "pow", "exp10")
    for prefix, suffix in (("", "f"), ("", ""), ("std::", ""))
}


def suspect(kernel: Kernel) -> Iterator[Suspicion]:
    opcodes = {i.opcode for i in kernel.facts.kernel.instructions}
    if opcodes.isdisjoint({"div", "ex2", "lg2", "fma", "call"}):
        return iter(())
    return suspicions(kernel, _rewrites(kernel))


def _rewrites(kernel: Kernel) -> Iterator[Rewrite]:
    for constructs, lines in sources(kernel):
        names = NewNames(constructs)
        calls = {c.span: c for c in constructs.calls if c.name in INTRINSICS}
        quotients = {o.span: o for o in divisions(constructs)}
        others = {p.call.span for p in powers(constructs)}  # CU704's, and CU707's
        others |= {each.span for each in reciprocal_roots(constructs)}
        places = (span for span in (*calls, *quotients) if span not in others)
        for statement, spans in reached_statements(constructs, lines, places).items():
            if uses_at(kernel, statement) and not _is_single(kernel, statement):
                continue  # doubles: CU701 and its neighbours
            if not loops_around(constructs, statement):
                continue
            for span in spans:
                if span in calls:
                    yield _call(constructs, calls[span], _is_alike(kernel, statement))
                elif _divides(kernel, statement) and (rewrite := _division(names, quotients[span])):
                    yield rewrite


def _is_single(kernel: Kernel, statement: Span) -> bool:
    """Whether the only doubles of a statement are those of a float function's slow path."""
    uses = uses_at(kernel, statement)
    return all(kernel.facts.kernel.instructions[use.pc].opcode == "mul" for use in uses) and (
        len(uses) <= 2
    )


def _divides(kernel: Kernel, statement: Span) -> bool:
    """Whether the compiled statement divides floats."""
    instructions = kernel.facts.kernel.instructions
    here = (instructions[pc] for pc in pcs_at(kernel.facts, kernel, statement))
    return any(i.opcode == "div" and "f32" in i.modifiers for i in here)


def _is_alike(kernel: Kernel, statement: Span) -> bool:
    """Whether all lanes of a warp compute a statement's functions of one value.

    Each asks whether its argument is so large that it takes the slow path.
    """
    here = set(pcs_at(kernel.facts, kernel, statement))
    asked = [b for b in kernel.facts.branches if b.pc in here and _compares_floats(kernel, b)]
    return bool(asked) and all(branch.uniform for branch in asked)


def _compares_floats(kernel: Kernel, branch: Branch) -> bool:
    instructions = kernel.facts.kernel.instructions
    symbols = branch.condition.symbols if branch.condition is not None else ()
    asking = [instructions[each.pc] for each in symbols if isinstance(each, Opaque)]
    return any(each.opcode == "setp" and "f32" in each.modifiers for each in asking)


def _call(constructs: Constructs, call: Call, alike: bool) -> Rewrite:
    intrinsic = INTRINSICS[call.name]
    once = "; or let the host fill a table with it: all threads of a warp compute the same"
    return Rewrite(
        span=constructs.statement_of(call.span),
        place=call.span,
        edits=(Edit(call.name_span, intrinsic),),
        what=f"`{call.name}`",
        instead=f"`{intrinsic}` if its precision will do{once if alike else ''}",
        keeps=alike,
        why="has a slow path or a long polynomial, in a loop",
        fault=f"{call.name}",
    )


def _division(names: NewNames, operation: Operation) -> Rewrite | None:
    constructs = names.constructs
    loop = outermost_invariant(constructs, operation.right.span)
    if loop is None:
        return None
    sign = "*=" if operation.operator == "/=" else "*"
    name = names.name("inverse", operation.right, loop)
    declared = f"const float {name} = 1.0f / {operand(operation.right.text)};"
    instead = f"{operation.left.text} {sign} {name}"
    return Rewrite(
        span=constructs.statement_of(operation.span),
        place=operation.span,
        edits=(before(loop.span, f"{declared} "), Edit(operation.span, instead)),
        what=f"`{operation.left.text} {operation.operator} {operation.right.text}`",
        instead=f"`{declared}` before the loop and `{instead}` in it",
        keeps=True,
        why="divides floats in a loop by what stays the same",
        fault=f"divisor {operation.right.text}",
    )


# The golden execution is the edited source; what is measured is the same for all such rules.
variants, measure = rewrites.variants, rewrites.measure


def describe(suspicion: Suspicion, decision: Decision) -> Told:
    told, rewrite = rewrites.describe(suspicion, decision), suspicion.about
    assert isinstance(rewrite, Rewrite)
    return replace(told, level="warning") if rewrite.keeps and told.level is None else told
