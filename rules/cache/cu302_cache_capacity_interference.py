"""## What it does
Finds loads whose lines other threads evict from L1 before they are read again, because the threads
of a multiprocessor together re-read more than the cache holds.

## Why it is slow
L1 is shared by up to 2,048 threads. Each would find its data again if it ran alone; together they
evict it, and every access goes to L2.

## Example
```cuda
__global__ void iterate(float *out, const float *state, int turns)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = 0.0f;
    for (int turn = 0; turn < turns; turn++)
        sum += 0.5f * state[(warp * 64 + turn % 64) * 32 + lane];
    out[warp * 32 + lane] = sum;
}

void launch(float *out, const float *state)
{
    iterate<<<216, 1024>>>(out, state, 128);
}
```

## Use instead
```cuda
__global__ void iterate(float *out, const float *state, int turns)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = 0.0f;
    for (int row = 0; row < 64; row++) {
        float value = state[(warp * 64 + row) * 32 + lane];
        for (int turn = row; turn < turns; turn += 64)
            sum += 0.5f * value;
    }
    out[warp * 32 + lane] = sum;
}

void launch(float *out, const float *state)
{
    iterate<<<216, 1024>>>(out, state, 128);
}
```
Each value is used while it is still in a register. Where threads read the same data, a tile in
shared memory serves them all; fewer resident blocks leave each thread more of the cache.

## How it is confirmed
The blocks that one multiprocessor holds at a time are simulated, and what their warps ask of memory
is replayed through its L1, next to a golden trace in which every thread has its own copy of the
cache (GRAB). A miss is *interference* if some active thread's own cache would have hit.
Interference that a fully associative LRU cache of equal size would have too is a matter of
capacity. The finding is confirmed if at least {interference.MINIMUM_SHARE:%} of the access's
sectors are lost that way under three warp schedulers (greedy-then-oldest, loose round-robin,
two-level), two replacement policies (LRU, FIFO) and three placements of the arrays, with all sizes
tried. Where a loop walks on through the array as far as an argument that no launch gives, it is a
note: that fills any cache. The message gives the figures of the first of these; the notes name the
cache. Registers may allow fewer resident blocks than assumed: the compiler's figures are used where
they are available.

## When to ignore it
When L2 serves the kernel well enough, and it is not bound by memory.

## Options
`--cache-size SIZE` (`cache-size` in the configuration) assumes an L1 of another size, of four ways.

## References
- Horga, Chattopadhyay, Eles, Peng, "Systematic Detection of Memory Related Performance Bottlenecks
  in GPGPU Programs", Journal of Systems Architecture 71, 2016 (GRAB)
- CUDA C++ Programming Guide, "Compute Capabilities": the division of L1 and shared memory,
  https://docs.nvidia.com/cuda/cuda-c-programming-guide/#compute-capabilities
"""

from __future__ import annotations

from functools import partial

from perflint.rules.cache import interference, revisits
from perflint.rules.protocol import Rule

RULE = Rule(
    code="CU302",
    name="cache-capacity-interference",
    summary="Concurrent threads re-read a working set larger than L1.",
    since="0.1.0",
    status="stable",
    tags=("performance", "cuda", "memory", "cache"),
    precision="medium",
    tracers=("CacheRecorder",),
    measures="L1 misses",
    scope="multiprocessor",
    yields_to=("CU101", "CU102", "CU104", "CU106", "CU503"),
)

suspect = revisits.suspicions
# the golden trace, and the trace with a remedy, are replays of the same run
measure = partial(interference.measure, "capacity")
describe = partial(interference.describe, "capacity")
