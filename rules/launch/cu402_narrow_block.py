"""## What it does
Finds two-dimensional blocks with rows shorter than a warp, 8×8 or 4×32, where wider blocks of as
many threads touch fewer sectors or lines of global memory and leave the same results.

## Why it is slow
A warp takes 32 threads in the order of `threadIdx.x`, then of `threadIdx.y`. With rows of 8 threads
it covers pieces of four rows: four lines where one would do, and more sectors where a piece is
shorter than one.

## Example
```cuda
__global__ void copy(float *out, const float *in, int w)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * w + x] = in[y * w + x];
}

void launch(float *out, const float *in) {
    copy<<<dim3(128, 32), dim3(8, 32)>>>(out, in, 1024);
}
```

## Use instead
```cuda
__global__ void copy(float *out, const float *in, int w)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * w + x] = in[y * w + x];
}

void launch(float *out, const float *in) {
    copy<<<dim3(32, 128), dim3(32, 8)>>>(out, in, 1024);
}
```

## How it is confirmed
As for CU401: a part of the grid is run with the block's shape and with others of equal or twice the
size, the grid rescaled, and the finding is confirmed if a shape saves
{block_shapes.LEAST:%} of the sectors or {block_shapes.LEAST_LINES:%} of the lines with
every size tried, costs no more of the other and no more wavefronts of shared memory, leaves the
same bytes, and keeps as many warps resident. What it saves must be at least {MIN_WASTE} of the
cycles in which the kernel's instructions issue. Blocks of 16×16 are left to CU401.
Accesses that the wider block mends are other places of this finding.

## When to ignore it
When the kernel does not wait for memory.

## Options
None.

## References
- CUDA C++ Programming Guide, "SIMT Architecture": how threads are numbered in warps
- Yang, Xiang, Mantor, Zhou, "Fixing Performance Bugs: An Empirical Study of Open-Source GPGPU
  Programs", ICPP 2012, section V.B
"""

from __future__ import annotations

from collections.abc import Iterator

from perflint.rules.launch import block_shapes
from perflint.rules.protocol import Kernel, Rule, Suspicion

RULE = Rule(
    code="CU402",
    name="narrow-block",
    summary="Rows of a block are shorter than a warp, and wider blocks move less.",
    since="0.1.0",
    status="stable",
    tags=("performance", "cuda", "launch", "memory"),
    tracers=("AccessCounter", "Lines"),
    measures="sectors and lines of global memory",
    scope="blocks",
    whole=True,
    prefix=True,  # what is tried beside it may be shorter
    claim="launch",
)


def suspect(kernel: Kernel) -> Iterator[Suspicion]:
    seen = set()
    for launch in block_shapes.launches(kernel):
        narrow = launch.block[0] < block_shapes.WARP and launch.block != block_shapes.FIXED
        if narrow and launch.block not in seen:
            seen.add(launch.block)
            yield block_shapes.suspicion(kernel, launch)


variants, measure = block_shapes.variants, block_shapes.measure
cures, describe = block_shapes.cures, block_shapes.describe
