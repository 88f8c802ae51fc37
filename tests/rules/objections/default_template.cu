// Defaults are the launch's own arguments where it leaves them out. Where nothing in sight launches
// the kernel, the launch that exists elsewhere may give others: a padded row, say.
#include <cuda_runtime.h>

template <int PAD = 0> __global__ void __launch_bounds__(32) elsewhere(float *out, const float *in)
{
    __shared__ float tile[32][32 + PAD];
    for (int y = 0; y < 32; y++)
        tile[y][threadIdx.x] = in[(blockIdx.x * 32 + y) * 32 + threadIdx.x];
    __syncthreads();
    float sum = 0.0f;
    for (int x = 0; x < 32; x++)
        sum += tile[threadIdx.x][x];  // undecided: CU201 (assumed template) "no launch gives them"
    out[blockIdx.x * 32 + threadIdx.x] = sum;
}

template <int PAD = 0> __global__ void by_default(float *out, const float *in)
{
    __shared__ float tile[32][32 + PAD];
    for (int y = 0; y < 32; y++)
        tile[y][threadIdx.x] = in[(blockIdx.x * 32 + y) * 32 + threadIdx.x];
    __syncthreads();
    float sum = 0.0f;
    for (int x = 0; x < 32; x++)
        sum += tile[threadIdx.x][x];  // expect: CU201 "8-way" "one access of 16 bytes"
    out[blockIdx.x * 32 + threadIdx.x] = sum;
}

void launch(float *out, const float *in) { by_default<<<1024, 32>>>(out, in); }
