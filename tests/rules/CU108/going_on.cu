// Runs that are cut short in a loop with an atomic in each turn: it goes on as it began.
__global__ void priced(double *sums, const float *__restrict__ paths, int steps, int contracts)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < contracts; k++) {
        float high = 0.0f;
        for (int t = 0; t < steps; t++)
            high = fmaxf(high, paths[((size_t)k * steps + t) * 442368 + i]);
        atomicAdd(&sums[k], (double)high);  // expect: CU108 "32 lanes of a warp"
    }
}

// once, before a loop that has no end here: what share of the kernel it is nobody knows
__global__ void counted(float *out, float *sum, const float *__restrict__ in, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(sum, in[i]);  // refuted: CU108 (not reached)
    float high = 0.0f;
    for (int t = 0; t < steps; t++)
        high = fmaxf(high, in[(size_t)t * 442368 + i]);
    out[i] = high;
}

// Of a block that goes on for long it is known that it makes more than its copy would.
__global__ void binned(unsigned *bins, const float *__restrict__ in, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[min(max(int(in[i]), 0), 63)], 1u);  // expect: CU108 "each block makes at least" "on the 64 elements of `bins`"
}

// Beside much other work few atomics are seen: there may be no more than elements.
__global__ void spread(unsigned *bins, const float *__restrict__ in, int n, int turns)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float x = in[i];
        for (int t = 0; t < turns; t++)
            x = x * (1.0f - x) * 3.7f;
        atomicAdd(&bins[min(max(int(x), 0), 2047)], 1u);
    }
}

void launch(float *out, double *sums, const float *paths, unsigned *bins)
{
    binned<<<432, 256>>>(bins, paths, 1 << 28);
    spread<<<432, 256>>>(bins, paths, 1 << 28, 1000);
    priced<<<1728, 256>>>(sums, paths, 96, 4000);
    counted<<<1728, 256>>>(out, out, paths, 400000);
}
