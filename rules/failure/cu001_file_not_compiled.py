"""## What it does
Reports an error in the code itself: the compiler (or the PTX parser) refuses it, and what it
refuses is the user's code, not a limit of perflint.

## Why it is slow
Code that does not compile does not run. The other kernels of the file are analysed all the same.

## Example
```cuda
__global__ void scale(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 2.0f * in[j];
}
```

## Use instead
```cuda
__global__ void scale(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 2.0f * in[i];
}
```

## How it is confirmed
The message is the compiler's. It is reported here only if the source parser also sees a syntax
error, or if every header was found, so that nothing else can be to blame. Otherwise the kernel
is listed under CU002.

## When to ignore it
When the file is a template that is never compiled as it stands: exclude it.

## Options
`-D`, `-I`: macros and include folders, as for the compiler.

## References
- NVRTC, https://docs.nvidia.com/cuda/nvrtc/
- PTX ISA, chapter 4, "Syntax", https://docs.nvidia.com/cuda/parallel-thread-execution/#syntax
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
    code="CU001",
    name="file-not-compiled",
    summary="The compiler or the PTX parser refuses the code.",
    since="0.1.0",
    status="stable",
    subject="failure",
    tags=("cuda", "correctness"),
    precision="very-high",
)


def suspect(failure: Failure) -> Iterator[Suspicion]:
    if failure.kind == "compile" and failure.genuine:
        yield Suspicion(failure.message, failure=failure)


def describe(suspicion: Suspicion) -> Told:
    assert suspicion.failure is not None
    return Told(message=suspicion.failure.message)
