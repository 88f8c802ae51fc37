"""## What it does
Finds loads of data that the same thread read before, but with so many other lines in between that
even a cache for this thread alone would have lost it: more than it holds, or more than it can hold
in the few sets to which they map.

## Why it is slow
The data comes from L2 or from memory a second time. Other threads are not to blame: a thread's own
accesses exceed what the cache holds.

## Example
```cuda
__global__ void spread(float *out, const float *in)
{
    const float *row = in + blockIdx.x * 65536;
    float sum = 0.0f, squares = 0.0f;
    for (int i = threadIdx.x; i < 65536; i += 32)
        sum += row[i];
    float mean = sum / 2048;
    for (int i = threadIdx.x; i < 65536; i += 32)
        squares += (row[i] - mean) * (row[i] - mean);
    out[blockIdx.x * 32 + threadIdx.x] = squares;
}

void launch(float *out, const float *in) { spread<<<432, 32>>>(out, in); }
```

## Use instead
```cuda
__global__ void spread(float *out, const float *in)
{
    const float *row = in + blockIdx.x * 65536;
    float sum = 0.0f, squares = 0.0f, first = row[threadIdx.x];
    for (int i = threadIdx.x; i < 65536; i += 32) {
        float value = row[i] - first;
        sum += value;
        squares += value * value;
    }
    out[blockIdx.x * 32 + threadIdx.x] = squares - sum * sum / 2048;
}

void launch(float *out, const float *in) { spread<<<432, 32>>>(out, in); }
```
One pass computes both sums; the values are shifted by the first one, so that the difference of the
sums keeps its digits. Where two passes are needed, do them tile by tile.

## How it is confirmed
The blocks that one multiprocessor holds at a time are simulated, and what their warps ask of memory
is replayed through its L1, next to a golden trace in which every thread has its own copy of the
cache (GRAB). A miss of both traces is the thread's own (GRAB's `mm`); one to a block that the
thread has not fetched before is cold, and not counted. Where most of them would not be in a fully
associative cache of equal size that a thread has for itself, the thread's own lines share sets, and
the finding says so: rows of a power of two, walked by columns, for which padding is tried. Where an
L1's sets are not published, that must be so with 4, 16 and 64 of them, and padding must help with
each. The finding is confirmed if at least
{interference.MINIMUM_SHARE:%} of the access's sectors are lost that way under three warp schedulers
(greedy-then-oldest, loose round-robin, two-level), two replacement policies (LRU, FIFO) and three
placements of the arrays, with all sizes tried. Where a loop walks on through the array as far as an
argument that no launch gives, it is a note: that fills any cache. The message gives the figures of
the first of these; the notes name the cache. Registers may allow fewer resident blocks than
assumed: the compiler's figures are used where they are available.

## When to ignore it
When the second pass depends on the whole of the first, and the data is too large for tiles.

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
    code="CU303",
    name="intra-thread-cache-miss",
    summary="A thread re-reads data that its own accesses have evicted from L1.",
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
measure = partial(interference.measure, "intra")
describe = partial(interference.describe, "intra")
