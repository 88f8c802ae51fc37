// Every lane reads where data send it, and every warp takes its own way.
__global__ void gather(float *out, const float *in, const int *index, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int at = index[i];
        out[i] = in[at % n];
    }
}

// Two words a lane, and a copy without registers.
__global__ void wide(float4 *out, const float4 *in, int n)
{
    __shared__ float4 tile[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        tile[threadIdx.x] = in[i];
        __syncthreads();
        out[i] = tile[threadIdx.x ^ 5];
    }
}
