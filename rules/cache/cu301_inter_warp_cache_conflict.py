"""## What it does
Finds loads whose lines other threads evict from L1 before they are read again, though the cache has
room elsewhere: too many of the lines in use map to the same sets.

## Why it is slow
A line can lie in only one set of the cache. Rows that are a power of two apart use few sets: the
warps evict each other's lines while most of the cache is idle, and every access goes to L2.

## Example
```cuda
__global__ void resample(float *out, const float *table, int turns)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = 0.0f;
    for (int turn = 0; turn < turns; turn++)
        sum += 0.5f * table[(warp * 16 + turn % 16) * 1024 + lane];
    out[warp * 32 + lane] = sum;
}

void launch(float *out, const float *table)
{
    resample<<<216, 1024>>>(out, table, 64);
}
```

## Use instead
```cuda
__global__ void resample(float *out, const float *table, int turns)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = 0.0f;
    for (int turn = 0; turn < turns; turn++)
        sum += 0.5f * table[(warp * 16 + turn % 16) * 1056 + lane];
    out[warp * 32 + lane] = sum;
}

void launch(float *out, const float *table)
{
    resample<<<216, 1024>>>(out, table, 64);
}
```
Rows of 1,024 + 32 floats start in different sets.

## How it is confirmed
The blocks that one multiprocessor holds at a time are simulated, and what their warps ask of memory
is replayed through its L1, next to a golden trace in which every thread has its own copy of the
cache (GRAB). A miss is *interference* if some active thread's own cache would have hit.
Interference that a fully associative LRU cache of equal size would not have is a conflict. Where an
L1's sets are not published, 4, 16 and 64 are tried. The finding is confirmed if at least
{interference.MINIMUM_SHARE:%} of the access's sectors are lost that way under three warp schedulers
(greedy-then-oldest, loose round-robin, two-level), two replacement policies (LRU, FIFO) and three
placements of the arrays, with all sizes tried. The message gives the figures of the first of these;
the notes name the cache. Registers may allow fewer resident blocks than assumed: the compiler's
figures are used where they are available.

## When to ignore it
When the rows have to be where they are. Real caches hash addresses in ways that are not published:
a conflict that is found here may be spread out there.

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
    code="CU301",
    name="inter-warp-cache-conflict",
    summary="Warps evict each other's lines from L1 because they map to the same sets.",
    since="0.1.0",
    status="preview",
    tags=("performance", "cuda", "memory", "cache"),
    precision="medium",
    tracers=("CacheRecorder",),
    measures="L1 misses",
    scope="multiprocessor",
    yields_to=("CU101", "CU102", "CU104", "CU106", "CU503"),
)

suspect = revisits.suspicions
# the golden trace, and the trace with a remedy, are replays of the same run
measure = partial(interference.measure, "conflict")
describe = partial(interference.describe, "conflict")
