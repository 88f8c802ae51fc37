"""## What it does
Names an input for which warps issue more instructions than for random data. `perflint stress` finds
it; `perflint check` looks at no input, and never reports it.

## Why it is slow
A warp goes on until its slowest lane is done, and a block until its slowest warp is. Where data
decide how often a loop turns, one long row, or a chain of colliding keys, makes all others wait.

## Example
```cuda
__global__ void sum_rows(const int *first, const float *value, float *sum, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float total = 0.0f;
    for (int i = first[row]; i < first[row + 1]; i++)
        total += value[i];
    sum[row] = total;
}
```

## Use instead
```cuda
__global__ void sum_rows(const float *value, float *sum, int rows, int length)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float total = 0.0f;
    for (int i = 0; i < length; i++)
        total += value[i * rows + row];
    sum[row] = total;
}
```
Or let a warp, or a block, share a long row.

## How it is confirmed
The launch is simulated with the input and with random data, and the instructions that its warps
issue are counted. Such a finding is about one input, which it names, and so always a note.

## When to ignore it
When no program gives the kernel such data. `--assume` tells `perflint stress` what data are like.

## Options
None.

## References
- Lemieux, Padhye, Sen, Song, "PerfFuzz: Automatically Generating Pathological Inputs", ISSTA 2018
- perflint's documentation, "The input that hurts most"
"""

from __future__ import annotations

from perflint.rules.protocol import Rule

RULE = Rule(
    code="CU905",
    name="input-dependent-work",
    summary="An input makes warps issue many more instructions than random data do.",
    since="0.1.0",
    level="note",
    subject="input",
    tags=("performance", "cuda"),
)
