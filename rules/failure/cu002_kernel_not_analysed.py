"""## What it does
Lists the kernels that no rule has seen, and why: a header that is nowhere to be found, a macro that
only the build defines, an instruction that the simulator does not know, a template that nothing
instantiates, a loop that outlives the budget.

## Why it is slow
It says nothing about speed. It says what perflint could not see, so that silence is not taken for
approval.

## Example
```cuda
template <typename Policy> __global__ void apply(float *out, const float *in)
{
    out[threadIdx.x] = Policy::apply(in[threadIdx.x]);
}
```

## Use instead
```cuda
struct Twice {
    static __device__ float apply(float x) { return 2.0f * x; }
};

template <typename Policy> __global__ void apply(float *out, const float *in)
{
    out[threadIdx.x] = Policy::apply(in[threadIdx.x]);
}

void launch(float *out, const float *in) { apply<Twice><<<1, 32>>>(out, in); }
```

## How it is confirmed
The reason is the front end's or the simulator's own. The summary line always counts these kernels;
they are listed with `--select CU002` or `--show-unconfirmed`.

## When to ignore it
When the kernel does not matter to you.

## Options
`-D`, `-I`: give what the build gives. `--launch`: a launch for a kernel that has none.

## References
- NVRTC, https://docs.nvidia.com/cuda/nvrtc/
"""

from __future__ import annotations

from collections.abc import Iterator

from perflint.rules.protocol import (
    Failure,
    Rule,
    Suspicion,
    Told,
)

RULE = Rule(
    code="CU002",
    name="kernel-not-analysed",
    summary="A kernel was not analysed, so no rule could check it.",
    since="0.1.0",
    level="note",
    status="stable",
    subject="failure",
    tags=("cuda",),
    precision="very-high",
)


def suspect(failure: Failure) -> Iterator[Suspicion]:
    if failure.kind in ("analysis", "partial") or (
        failure.kind == "compile" and not failure.genuine
    ):
        yield Suspicion(failure.message, failure=failure)


def describe(suspicion: Suspicion) -> Told:
    failure = suspicion.failure
    assert failure is not None
    subject = f"kernel {failure.kernel}" if failure.kernel else "the file"
    partial = failure.kind == "partial"
    what = "was analysed only in part" if partial else "was not analysed"
    return Told(message=f"{subject} {what}: {failure.message}")
