#include <cuda_pipeline.h>

// Every lane reads where data send it, and every warp takes its own way.
__global__ void gather(float *out, const float *in, const int *index, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int at = index[i];
        out[i] = in[at % n];
    }
}

// Four words a lane.
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

// Requests of two parts, and atomics of some lanes.
__global__ void copy(float4 *out, const float4 *in, int *count)
{
    __shared__ float4 tile[128];
    int i = blockIdx.x * 128 + threadIdx.x;
    __pipeline_memcpy_async(&tile[threadIdx.x], &in[i], 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[i] = tile[threadIdx.x ^ 1];
    if (threadIdx.x % 3 == 0)
        atomicAdd(count + threadIdx.x % 7, 1);
}
