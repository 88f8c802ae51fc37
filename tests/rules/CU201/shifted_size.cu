// A size that is passed as its logarithm: where nothing fixes it, it is tried as one.

__global__ void reversed_halves(float *out, const float *in, int log2n)
{
    extern __shared__ float s[];
    const int n = 1 << log2n;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        s[i] = in[i];
    __syncthreads();
    for (int i = threadIdx.x; i < n / 32; i += blockDim.x)
        out[i] = s[i * 32];  // expect: CU201 "32-way"
}

// ok: neighbours
__global__ void halves(float *out, const float *in, int log2n)
{
    extern __shared__ float s[];
    const int n = 1 << log2n;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        s[i] = in[i];
    __syncthreads();
    for (int i = threadIdx.x; i < n / 2; i += blockDim.x)
        out[i] = s[i] + s[i + n / 2];
}
