// L2 takes longer for a request's lanes than warps take to issue it: atomics are much of the time.
#include <cuda_runtime.h>

__global__ void counted(const float *in, const unsigned char *kind, float *sums, int n)
{
    for (size_t e = blockIdx.x * blockDim.x + threadIdx.x; e < (size_t)n * 16; e += gridDim.x * blockDim.x) {
        int i = e / 16, d = e % 16;
        float x = in[e];
        atomicAdd(&sums[kind[i] * 16 + d], x / (1.0f + __expf(-x)));  // expect: CU108 "each block makes 15,744 atomics on the 512 elements of `sums`"
    }
}

// Where memory takes longer still, they are little: nor are they much of what is issued.
__global__ void beside(const float *in, const unsigned char *kind, float *sums, int n)
{
    for (size_t e = blockIdx.x * blockDim.x + threadIdx.x; e < (size_t)n * 16; e += gridDim.x * blockDim.x) {
        int i = e / 16, d = e % 16;
        float x = 0.0f;
        for (int k = 0; k < 16; k++) x += in[e + (size_t)k * n * 16];
        atomicAdd(&sums[kind[i] * 16 + d], x);  // undecided: CU108 (a small share)
    }
}

int main()
{
    float *in, *sums;
    unsigned char *kind;
    cudaMalloc(&in, 16000000ul * 16 * sizeof(float));
    cudaMalloc(&kind, 1000000);
    cudaMalloc(&sums, 32 * 16 * sizeof(float));
    counted<<<1024, 256>>>(in, kind, sums, 1000000);
    beside<<<1024, 256>>>(in, kind, sums, 1000000);
}
