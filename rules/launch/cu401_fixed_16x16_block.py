"""## What it does
Finds launches with blocks of 16×16 threads, where blocks of another shape, with as many threads or
twice as many, touch fewer sectors or lines of global memory and leave the same results.

## Why it is slow
16×16 is the guides' example, not a recommendation. Where `threadIdx.x` runs along rows, a warp of a
16×16 block covers two half rows: two lines instead of one for every request, and a sector more
where rows do not begin at a sector. Where threads share data, through shared memory or the cache,
another shape may need less of it.

## Example
```cuda
__global__ void copy(float *out, const float *in, int w)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * w + x] = in[y * w + x];
}

void launch(float *out, const float *in) {
    copy<<<dim3(64, 64), dim3(16, 16)>>>(out, in, 1024);
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
A part of the grid is run with 16×16, with each shape from 4×64 to 256×1, and with blocks of twice
the size, the grid rescaled so that the same threads run. Where the block is made of macros or
integer constants of the file, they are changed with it and the source is recompiled; one constant
for both axes keeps the tile a square. Where loops that an argument ends are too long for a trial,
all shapes are tried with a smaller argument, and the finding says so.

The finding is confirmed if a shape saves {block_shapes.LEAST:%} of the sectors or
{block_shapes.LEAST_LINES:%} of the lines, costs no more of the other and no more wavefronts of
shared memory, leaves the same bytes, and keeps as many warps resident. The finding says whether
sectors or lines are saved, and names the shape that needs the least; among near-equal shapes one of
equal size, whose blocks touch the fewest lines. What it saves must be at least {MIN_WASTE} of the
cycles in which the kernel's instructions issue; else it is a note.

Where the shape has longer rows, the accesses of the kernel that waste nothing in its run are other
places of this finding, and no findings of CU101, CU103, CU105 or CU201.

The fix edits the host code: the block's extents, the grid's, and constants that are the tile's,
too. The edited host code is read again. It must launch as many threads that do anything as before,
whatever the sizes are, and change no other launch and no other kernel.

## When to ignore it
When the kernel does not wait for memory.

## Options
None.

## References
- CUDA C++ Best Practices Guide, "Thread and Block Heuristics",
  https://docs.nvidia.com/cuda/cuda-c-best-practices-guide/#thread-and-block-heuristics
- Yang, Xiang, Mantor, Zhou, "Fixing Performance Bugs: An Empirical Study of Open-Source GPGPU
  Programs", ICPP 2012, section V.B, figures 4, 6 and 8
"""

from __future__ import annotations

from collections.abc import Iterator

from perflint.rules.launch import block_shapes
from perflint.rules.protocol import Kernel, Rule, Suspicion

RULE = Rule(
    code="CU401",
    name="fixed-16x16-block",
    summary="Blocks of 16×16 threads, where another shape moves less.",
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
    for launch in block_shapes.launches(kernel):
        if launch.block == block_shapes.FIXED:
            yield block_shapes.suspicion(kernel, launch)
            return


variants, measure = block_shapes.variants, block_shapes.measure
cures, describe = block_shapes.cures, block_shapes.describe
