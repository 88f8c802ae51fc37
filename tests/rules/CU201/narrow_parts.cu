// Halves that a thread stores one by one, side by side: neighbours are four of them apart.
#include <cuda_fp16.h>

__global__ void halves(float *out, const float4 *in)
{
    __shared__ __half own[8][144];
    int lane = threadIdx.x % 32, row = threadIdx.x / 32;
    float4 four = in[blockIdx.x * 256 + threadIdx.x];
    own[row][lane * 4] = __float2half(four.x * 0.5f);  // expect: CU201 "writes 4 neighbouring elements of `own` one by one, 2 bytes each: write all 8 bytes at once"
    own[row][lane * 4 + 1] = __float2half(four.y * 0.5f);  // also: CU201
    own[row][lane * 4 + 2] = __float2half(four.z * 0.5f);  // also: CU201
    own[row][lane * 4 + 3] = __float2half(four.w * 0.5f);  // also: CU201
    __syncthreads();
    float sum = 0.0f;
    for (int k = 0; k < 8; k++)
        sum += __half2float(own[k][lane]);
    out[blockIdx.x * 256 + threadIdx.x] = sum;
}

// One of four: what lies between is not this thread's.
__global__ void one_of_four(float *out, const float *in)
{
    __shared__ __half own[8][144];
    int lane = threadIdx.x % 32, row = threadIdx.x / 32;
    own[row][lane * 4] = __float2half(in[blockIdx.x * 256 + threadIdx.x]);  // expect: CU201 "let neighbouring lanes use neighbouring elements"
    __syncthreads();
    float sum = 0.0f;
    for (int k = 0; k < 8; k++)
        sum += __half2float(own[k][lane]);
    out[blockIdx.x * 256 + threadIdx.x] = sum;
}

void launch(float *out, const float4 *in)
{
    halves<<<4096, 256>>>(out, in);
    one_of_four<<<4096, 256>>>(out, (const float *)in);
}
