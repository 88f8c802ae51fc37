// A barrier of a block that is one warp waits for no other warp.
#include <cuda_runtime.h>

__global__ void sums(float *out, const float *in, int n)
{
    float sum = 0.0f;
    for (int k = 0; k < n; k++) {
        __syncthreads();  // undecided: CU902 (the rule's own) "its block is one warp"
        sum += in[(blockIdx.x * n + k) * blockDim.x + threadIdx.x];
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void sums_of_more(float *out, const float *in, int n)
{
    float sum = 0.0f;
    for (int k = 0; k < n; k++) {
        __syncthreads();  // expect: CU902
        sum += in[(blockIdx.x * n + k) * blockDim.x + threadIdx.x];
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

int main()
{
    float *in, *out;
    cudaMalloc(&in, 1 << 28);
    cudaMalloc(&out, 1 << 24);
    sums<<<1024, 32>>>(out, in, 64);
    sums_of_more<<<1024, 64>>>(out, in, 64);
}
