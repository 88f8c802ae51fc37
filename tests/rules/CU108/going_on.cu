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

void launch(float *out, double *sums, const float *paths)
{
    priced<<<1728, 256>>>(sums, paths, 96, 4000);
    counted<<<1728, 256>>>(out, out, paths, 400000);
}
