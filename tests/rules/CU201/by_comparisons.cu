// Which bucket a thread looks up is found by comparing floats that are loaded: those of neighbours may lie
// near each other, and no fill of an array with its own index says how near.
__global__ void buckets(const float *in, const float *pivots, float *out)
{
    __shared__ float weight[1024 * 8];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    for (int k = t; k < 1024 * 8; k += blockDim.x)
        weight[k] = pivots[k];
    __syncthreads();
    float x = in[i];
    int bucket = 512;
    for (int j = 256; j > 0; j >>= 1)
        bucket = x < pivots[bucket] ? bucket - j : bucket + j;
    out[i] = weight[bucket * 8];  // undecided: CU201 (loaded address) "comes from loaded floats"
}

__global__ void numbered(const int *in, const float *pivots, float *out)
{
    __shared__ float weight[1024 * 8];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    for (int k = t; k < 1024 * 8; k += blockDim.x)
        weight[k] = pivots[k];
    __syncthreads();
    out[i] = weight[in[i] % 1024 * 8];  // expect: CU201 "load from `weight`"
}

void run(const float *in, const int *index, const float *pivots, float *out)
{
    buckets<<<64, 256>>>(in, pivots, out);
    numbered<<<64, 256>>>(index, pivots, out);
}
