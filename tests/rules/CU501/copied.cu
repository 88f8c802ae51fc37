// The host fills the array in one place: constant memory can be filled there, too.
#include <cuda_runtime.h>

__global__ void filter(float *out, const float *in, const float *taps, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < 32; k++)
        sum += taps[k] * in[k * n + i];  // expect: CU501
    out[i] = sum;
}

// Another function may do anything with the array.
__global__ void handed_on(float *out, const float *in, const float *taps, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < 32; k++)
        sum += taps[k] * in[k * n + i];  // expect: CU501
    out[i] = sum;
}

// A walk by a pointer is no plain use.
__global__ void walked(float *out, const float *in, const float *taps, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < 32; k++)
        sum += *taps++ * in[k * n + i];  // expect: CU501
    out[i] = sum;
}

void prepare(float *array);

int main()
{
    float weights[32];
    for (int k = 0; k < 32; k++)
        weights[k] = 1.0f / (k + 1);
    float *out, *in, *taps, *others;
    cudaMalloc(&out, 16384 * sizeof(float));
    cudaMalloc(&in, 32 * 16384 * sizeof(float));
    cudaMalloc(&taps, 32 * sizeof(float));
    cudaMalloc(&others, 32 * sizeof(float));
    cudaMemcpy(taps, weights, sizeof(weights), cudaMemcpyHostToDevice);
    cudaMemcpy(others, weights, sizeof(weights), cudaMemcpyHostToDevice);
    prepare(others);
    filter<<<64, 256>>>(out, in, taps, 16384);
    handed_on<<<64, 256>>>(out, in, others, 16384);
    walked<<<64, 256>>>(out, in, taps, 16384);
    cudaFree(taps);
    return 0;
}
