// Half of the turns of a reduction have part of a warp: a profiler counts their requests, too.
__global__ void reduced(float *out, const float *in)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int step = 1; step < blockDim.x; step *= 2) {
        if (t < blockDim.x / 2 / step)
            s[2 * step * t] += s[2 * step * t + step];  // expect: CU201 "over all"
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

void launch(float *out, const float *in) { reduced<<<1024, 256>>>(out, in); }
