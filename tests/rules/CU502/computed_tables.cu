// Tables that the host computes and copies: what they hold decides which elements lanes read.
#include <cuda_runtime.h>

__constant__ int scattered[256], alike[256];
__constant__ float values[256];
__constant__ int drawn[256];

__global__ void by_a_table(float *out, int turns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, at = i & 255;
    float sum = 0;
    for (int t = 0; t < turns; t++) {
        at = scattered[at]; // expect: CU502 "32 passes"
        sum += values[at]; // expect: CU502 "32 passes"
    }
    out[i] = sum;
}

// Its elements are all the same: one pass, whatever is looked up with them.
__global__ void by_one_number(float *out, int turns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int at = alike[blockIdx.x & 255];
    float sum = 0;
    for (int t = 0; t < turns; t++) {
        sum += values[at];
        at = alike[at];
    }
    out[i] = sum;
}

// Nobody knows what it holds.
__global__ void by_chance(float *out, int turns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int at = drawn[blockIdx.x & 255];
    float sum = 0;
    for (int t = 0; t < turns; t++) {
        sum += values[at];
        at = drawn[at];
    }
    out[i] = sum;
}

int main()
{
    float *out, weights[256];
    int steps[256], same[256], random[256];
    for (int i = 0; i < 256; i++) {
        steps[i] = (i * 37 + 5) & 255;
        same[i] = 7;
        weights[i] = 0.5f * i;
        random[i] = rand() & 255;
    }
    cudaMemcpyToSymbol(scattered, steps, sizeof steps);
    cudaMemcpyToSymbol(alike, same, sizeof same);
    cudaMemcpyToSymbol(values, weights, sizeof weights);
    cudaMemcpyToSymbol(drawn, random, sizeof random);
    cudaMalloc(&out, 65536 * sizeof(float));
    by_a_table<<<256, 256>>>(out, 100);
    by_one_number<<<256, 256>>>(out, 100);
    by_chance<<<256, 256>>>(out, 100);
    return 0;
}
