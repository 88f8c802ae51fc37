// Other lanes take part on each turn, each with an element of its own.
__global__ void hits(unsigned *count, int turns)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, seed = i * 747796405u + 1u;
    for (int k = 0; k < turns; k++) {
        seed = seed * 1664525u + 1013904223u;
        if (seed > 2000000000u)  // undecided: CU901 (the rule's own)
            count[i]++;  // expect: CU106 "load from `count`"
    }
}

// ok: each lane that comes has come once only
__global__ void each_once(unsigned *count)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
    for (int k = 0; k < 32; k++)
        if (threadIdx.x % 32 == k)  // expect: CU901
            count[i] += k;
}

void launch(unsigned *count)
{
    hits<<<512, 256>>>(count, 1000);
    each_once<<<512, 256>>>(count);
}
