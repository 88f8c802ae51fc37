"""## What it does
Names an input, and an order of warps, for which threads evict each other's lines from the L1 far
more often than for random data. `perflint stress` finds it; `perflint check` looks at no input, and
never reports it.

## Why it is slow
A line that another thread has evicted is loaded again. Where data decide which lines are touched,
or in which order warps come to them, a kernel that is fine with most inputs may miss all the time
with one.

## Example
```cuda
__global__ void gather(float *out, const float *in, const int *index, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int turn = 0; turn < 8; turn++)
        sum += in[index[i] + turn];
    out[i] = sum;
}
```

## Use instead
```cuda
__global__ void gather(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int turn = 0; turn < 8; turn++)
        sum += in[turn * n + i];
    out[i] = sum;
}
```

## How it is confirmed
The launch is replayed through the cache with the input and in the order that the finding names, and
the time that interference costs is held against what the same threads would take alone. Such a
finding is about one input, and so always a note.

## When to ignore it
When no program gives the kernel such data. `--assume` tells `perflint stress` what data are like.

## Options
None.

## References
- Chattopadhyay, Eles, Peng, "Automated Software Testing of Memory Performance in Embedded GPUs",
  EMSOFT 2014
"""

from __future__ import annotations

from perflint.rules.protocol import Rule

RULE = Rule(
    code="CU304",
    name="input-dependent-interference",
    summary="An input and an order of warps make threads evict each other's lines.",
    since="0.1.0",
    level="note",
    subject="input",
    tags=("performance", "cuda"),
)
