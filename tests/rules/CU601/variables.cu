// Variables of the module that decide loops, and what the host sets them to.
#include <cuda_runtime.h>

__constant__ int copied;
__constant__ int initial = 31;
__device__ int global = 24;
__constant__ int unknown;
__constant__ int mode = 3;

// Figure 17 of Yang et al., as it is printed.
__global__ void error_positions(int *out, const unsigned char *in, int at)
{
    extern __shared__ unsigned char space[];
    int tid = threadIdx.x, sum = 0;
    for (int i = 0; i < copied; i++)  // expect: CU601 "`copied` is a constant at every launch" "copied=31"
        space[i * 256 + tid] = in[(blockIdx.x * 31 + i) * 256 + tid];  // expect: CU103
    for (int i = 0; i < copied; ++i) {
        unsigned char ch = i != at ? space[i * 256 + tid] : 0;  // expect: CU602
        sum = sum * 5 + ch;
    }
    out[blockIdx.x * 256 + tid] = sum;
}

__global__ void rounds(int *out, const int *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, x = in[i];
    for (int k = 0; k < initial; k++)  // expect: CU601 "initial=31"
        x = x * 5 + (k & 3);
    out[i] = x;
}

__global__ void device_rounds(int *out, const int *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, x = in[i];
    for (int k = 0; k < global; k++)  // expect: CU601 "global=24"
        x = x * 5 + (k & 3);
    out[i] = x;
}

// Nothing says which value it has.
__global__ void unknown_rounds(int *out, const int *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, x = in[i];
    for (int k = 0; k < unknown; k++)
        x = x * 5 + (k & 3);
    out[i] = x;
}

// In no loop.
__global__ void choice(int *out, const int *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = mode == 3 ? in[i] * 2 : in[i] + 1;
}

int main(int argc, char **argv)
{
    int *j, kmer = 31;
    unsigned char *bytes;
    cudaMalloc(&j, 1 << 20);
    cudaMalloc(&bytes, 64 * 32 * 256);
    cudaMemcpyToSymbol(copied, &kmer, sizeof(int));
    cudaMemcpyToSymbol(unknown, &argc, sizeof(int));
    error_positions<<<64, 256, 32 * 256>>>(j, bytes, 5);
    rounds<<<64, 256>>>(j, j);
    device_rounds<<<64, 256>>>(j, j);
    unknown_rounds<<<64, 256>>>(j, j);
    choice<<<64, 256>>>(j, j);
}
