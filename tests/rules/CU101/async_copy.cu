// A copy from global to shared memory is one instruction with two parts: only the global one goes
// from row to row.
#include <cuda_pipeline.h>

__global__ void staged(float *out, const float *in, int pitch)
{
    __shared__ float tile[256];
    __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x * pitch], 4);  // expect: CU101 "load from `in`"
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[blockIdx.x * 256 + threadIdx.x] = tile[255 - threadIdx.x];
}

void launch(float *out, const float *in)
{
    staged<<<64, 256>>>(out, in, 1024);
}
